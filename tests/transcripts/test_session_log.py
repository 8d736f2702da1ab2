"""`:save` writes what succeeded, with the switches, and `:load` runs it again."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")


class SessionLog(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = pathlib.Path(self.folder.name) / "log.tsc"

    def session(self, *entries):
        """What a session with these entries shows."""
        done = subprocess.run([PROGRAM, "--echo"], input="".join(entry + "\n" for entry in entries), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=True)
        return done.stdout

    def test_saves_what_succeeded_with_the_switches(self):
        shown = self.session("import torch", "x = torch.ones(2)", "1 / 0", ":on Profiler", "for i in range(2):",
                             "    x = x + 1", "", "nonsense(", ")", ":keys", ":off Profiler", ":on Nothing", "_ = x * 2",
                             f":save {self.log}")
        self.assertIn(f"6 entries are in {self.log}", shown)
        self.assertEqual(self.log.read_text(), """\
import torch
x = torch.ones(2)
:on Profiler
for i in range(2):
    x = x + 1

:off Profiler
_ = x * 2
""")

    def test_loads_into_the_same_state(self):
        self.session("import torch", "x = torch.ones(2, requires_grad=True)", "x * 3", "y = _ + 1", ":on no_grad",
                     ":off Autograd", f":save {self.log}")
        shown = self.session(f":load {self.log}", "y.tolist(), y.requires_grad, (x + 1).requires_grad")
        self.assertIn("tsc -Autograd no_grad> ", shown)
        self.assertIn("([4.0, 4.0], True, False)", shown)

    def test_what_was_loaded_is_saved(self):
        self.log.write_text("a = 1\n:on Profiler\nb = a + 1\n")
        again = self.log.with_name("again.tsc")
        self.session(f":load {self.log}", "c = b + 1", f":save {again}")
        self.assertEqual(again.read_text().split(), "a = 1 :on Profiler b = a + 1 c = b + 1".split())

    def test_switches_hold_for_a_script_that_is_loaded(self):
        self.log.write_text("import torch\nresult = (torch.ones(2, requires_grad=True) * 2).requires_grad\n")
        shown = self.session(":off Autograd", f":load {self.log}", "result")
        self.assertIn("tsc -Autograd> result\nFalse\n", shown)

    def test_a_script_leaves_its_switches(self):
        self.log.write_text('dispatch.enable("Profiler")\n')
        self.assertIn("tsc Profiler> ", self.session(f":load {self.log}", "1"))

    def test_nested_loads(self):
        inner = self.log.with_name("inner.tsc")
        inner.write_text("value = 5\n")
        self.log.write_text(f":load {inner}\nvalue = value + 1\n")
        self.assertIn("\n6\n", self.session(f":load {self.log}", "value"))


if __name__ == "__main__":
    unittest.main()
