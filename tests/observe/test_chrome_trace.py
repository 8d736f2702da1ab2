"""What export_chrome_trace() writes: JSON in the Trace Event Format, with slices that nest."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
SCRIPT = """
import torch
from torch.profiler import profile, record_function
x = torch.ones(4, 4)
w = torch.ones(4, 4, requires_grad=True)
with profile(record_shapes=True) as prof:
    with record_function("block"):
        (torch.relu(x @ w) * 2).sum().backward()
prof.export_chrome_trace(PATH)
"""


def recorded():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        subprocess.run([PROGRAM, "-c", SCRIPT.replace("PATH", repr(path))], check=True, timeout=60)
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class ChromeTrace(unittest.TestCase):
    def setUp(self):
        self.trace = recorded()
        self.slices = [event for event in self.trace["traceEvents"] if event["ph"] == "X"]

    def test_events_have_what_viewers_read(self):
        for event in self.slices:
            self.assertLessEqual({"name", "cat", "pid", "tid", "ts", "dur", "args"}, event.keys())
            self.assertGreaterEqual(event["dur"], 0)
        self.assertEqual({event["cat"] for event in self.slices}, {"cpu_op", "user_annotation"})
        self.assertEqual(self.trace["displayTimeUnit"], "ms")

    def test_process_and_threads_have_names(self):
        named = {event["name"]: event for event in self.trace["traceEvents"] if event["ph"] == "M"}
        self.assertEqual(named["process_name"]["args"]["name"], "tensorscope")
        self.assertEqual(named["thread_name"]["args"]["name"], "main")
        threads = {(event["pid"], event["tid"]) for event in self.slices}
        self.assertEqual(threads, {(named["thread_name"]["pid"], named["thread_name"]["tid"])})

    def test_slices_nest(self):
        open_until = []
        for event in sorted(self.slices, key=lambda event: (event["ts"], -event["dur"])):
            start, end = event["ts"], event["ts"] + event["dur"]
            while open_until and open_until[-1] <= start:
                open_until.pop()
            if open_until:
                self.assertLessEqual(end, open_until[-1] + 0.001, event["name"])
            open_until.append(end)

    def test_operators_have_shapes_and_the_backward_pass_is_there(self):
        products = [event for event in self.slices if event["name"] == "aten::mm"]
        self.assertEqual(products[0]["args"]["Input Dims"], [[4, 4], [4, 4]])
        self.assertEqual(products[0]["args"]["Input type"], ["Float", "Float"])
        names = {event["name"] for event in self.slices}
        self.assertLessEqual({"block", "MmBackward0", "aten::relu", "torch::autograd::AccumulateGrad"}, names)

    def test_a_path_that_cannot_be_written_is_an_error(self):
        done = subprocess.run([PROGRAM, "-c", SCRIPT.replace("PATH", repr("/nonexistent/trace.json"))],
                              capture_output=True, text=True, timeout=60)
        self.assertIn("FileNotFoundError", done.stderr)


if __name__ == "__main__":
    unittest.main()
