"""Ctrl-C, again and again, while something runs that does not stop."""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from terminal import CTRL_C, LIMIT, PROGRAM, UP, TerminalTest

# Operators that say when they begin, and do not look whether they should stop: one waits for a minute, the
# other until there is a file.
SLOW = """
#include <tensorscope/library.h>
#include <cstdio>
#include <unistd.h>
static void begin() {
  std::puts("begun");
  std::fflush(stdout);
}
static int64_t wait_long(const tsc::Tensor&) {
  begin();
  for (int i = 0; i < 600; i++) usleep(100'000);
  return 0;
}
static int64_t wait_for_file(const tsc::Tensor&) {
  begin();
  for (int i = 0; i < 600 && access("ENDED", F_OK) != 0; i++) usleep(100'000);
  return 0;
}
TSC_LIBRARY(slow, m) {
  m.def("wait(Tensor self) -> int");
  m.impl("wait", tsc::DispatchKey::CPU, TSC_KERNEL(wait_long));
  m.def("wait_for_file(Tensor self) -> int");
  m.impl("wait_for_file", tsc::DispatchKey::CPU, TSC_KERNEL(wait_for_file));
}
"""


class InterruptTest(TerminalTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        source = pathlib.Path(folder.name) / "slow.cpp"
        cls.ended = pathlib.Path(folder.name) / "ended"
        source.write_text(SLOW.replace("ENDED", str(cls.ended)))
        cls.plugin = str(source.with_suffix(".so"))
        flags = subprocess.run([PROGRAM, "--cflags", "--libs"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.split()
        compiler = os.environ.get("CXX", "g++").split()[-1]
        subprocess.run([compiler, str(source), *flags, "-O0", "-o", cls.plugin], check=True)

    def run_slow(self, terminal, line):
        self.ended.unlink(missing_ok=True)
        terminal.type(line + "\r")
        terminal.wait_for("\nbegun\r\n")
        terminal.type(CTRL_C)

    def test_a_second_one_says_what_runs_and_a_third_ends_it(self):
        terminal = self.open("--plugin", self.plugin)
        terminal.enter("kept = torch.ones(2)")
        self.run_slow(terminal, "y = [torch.ops.slow.wait(kept)]")
        time.sleep(0.2)
        self.assertNotIn("still running", terminal.seen)
        terminal.type(CTRL_C)
        self.assertTrue(terminal.wait_for("Ctrl-C once more ends tensorscope").endswith(
            "\nstill running: torch.ops.slow.wait(kept) (line 1 of <repl:2>); "))
        time.sleep(0.4)
        terminal.type(CTRL_C)
        self.assertEqual(terminal.process.wait(LIMIT), 130)
        self.assertIn("ended by a third Ctrl-C", terminal.rest())
        self.assertTrue(terminal.has_its_modes())
        again = self.open()
        again.press(UP)
        again.wait_for("y = [torch.ops.slow.wait(kept)]")

    def test_what_stops_after_the_second_one_loses_nothing(self):
        terminal = self.open("--plugin", self.plugin)
        terminal.enter("kept = torch.ones(2)")
        for _ in range(2):
            self.run_slow(terminal, "y = torch.ops.slow.wait_for_file(kept)")
            time.sleep(0.2)
            terminal.type(CTRL_C)
            terminal.wait_for("still running")
            self.ended.touch()
            terminal.wait_for("\nKeyboardInterrupt")
            terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("kept"), "tensor([1., 1.])")

    def test_a_key_that_is_held_down_ends_nothing(self):
        terminal = self.open("--plugin", self.plugin)
        terminal.enter("kept = torch.ones(2)")
        self.run_slow(terminal, "y = torch.ops.slow.wait_for_file(kept)")
        terminal.type(CTRL_C * 20)
        time.sleep(0.5)
        self.ended.touch()
        terminal.wait_for("\nKeyboardInterrupt")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("kept"), "tensor([1., 1.])")

    def test_the_line_is_the_innermost_frames(self):
        terminal = self.open("--plugin", self.plugin)
        for line in ("def f(x):\r", "y = x + 1\r", "return torch.ops.slow.wait(\r", "y)\r"):
            terminal.type(line)
            terminal.wait_for("... ")
        terminal.type("\r")
        terminal.wait_for("tsc> ")
        self.run_slow(terminal, "f(torch.ones(2))")
        time.sleep(0.2)
        terminal.type(CTRL_C)
        terminal.wait_for("still running: torch.ops.slow.wait( (line 3 of <repl:1>)")


if __name__ == "__main__":
    unittest.main()
