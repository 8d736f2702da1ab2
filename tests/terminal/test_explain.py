"""`:explain` at the prompt: entries of several lines, and Ctrl-C, which ends the copy and not the session."""

import os
import signal
import time
import unittest

from terminal import CTRL_C, LIMIT, UP, TerminalTest


def children_of(process):
    """The processes that a process has started and not waited for."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    if int(file.read().rpartition(")")[2].split()[1]) == process:
                        found.append(int(name))
            except (FileNotFoundError, ProcessLookupError):
                pass
    return found


class ExplainTest(TerminalTest):
    def interrupt(self, terminal, line):
        """How long the prompt takes to come back after Ctrl-C."""
        terminal.type(line + "\r")
        end = time.monotonic() + LIMIT
        while not children_of(terminal.process.pid):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        time.sleep(0.3)
        terminal.type(CTRL_C)
        begin = time.monotonic()
        terminal.wait_for("KeyboardInterrupt\r\n")
        terminal.wait_for("tsc> ")
        self.assertEqual(children_of(terminal.process.pid), [])
        return time.monotonic() - begin

    def test_control_c_ends_what_is_explained(self):
        terminal = self.open()
        terminal.enter("x = torch.ones(2); big = torch.ones(8000, 8000); kept = []")
        for line in (":explain while True: x.add_(1)\r", ":explain while True: pass\r", ":explain big @ big @ big @ big",
                     "import time", "y = dispatch.explain('kept.append(1); time.sleep(60)')", ":diff big @ big @ big --off Autograd"):
            with self.subTest(line):
                if line.startswith("import"):
                    terminal.enter(line)
                    continue
                self.assertLess(self.interrupt(terminal, line), 5)
        self.assertEqual(terminal.enter("x, kept"), "(tensor([1., 1.]), [])")

    def test_a_copy_that_dies_is_told(self):
        terminal = self.open()
        terminal.enter("x = torch.ones(2)")
        terminal.type(":explain x.exp(); import time; time.sleep(60)\r")
        end = time.monotonic() + LIMIT
        while not children_of(terminal.process.pid):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        time.sleep(0.3)
        for child in children_of(terminal.process.pid):
            os.kill(child, signal.SIGKILL)
        shown = terminal.wait_for("it ends with the end of its process: Killed (signal 9)")
        self.assertIn("aten::exp(f32[2]) = f32[2]", shown)
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("x"), "tensor([1., 1.])")

    def test_code_of_several_lines(self):
        terminal = self.open()
        terminal.enter("x = torch.ones(2)")
        for line in (":explain for i in range(2):\r", "if i:\r", "x.add_(i)\r"):
            terminal.type(line)
            terminal.wait_for("... ")
        terminal.type("else:\r")  # of the `if`
        terminal.wait_for("... ")
        terminal.type("x.mul_(3)\r")
        terminal.wait_for("... ")
        terminal.type("\r")
        shown = terminal.wait_for("tsc> ")
        calls = [line.partition("(")[0] for line in shown.splitlines() if line.startswith("aten::")]
        self.assertEqual(calls, ["aten::mul_.Tensor", "aten::add_.Tensor"])
        self.assertEqual(terminal.enter("x"), "tensor([1., 1.])")
        terminal.press(UP)
        terminal.press(UP)
        terminal.wait_for(":explain for i in range(2):")

    def test_what_is_explained_does_not_touch_the_terminal(self):
        terminal = self.open()
        self.assertIn("Refused: reading the standard input", terminal.enter(":explain input('name? ')"))
        self.assertEqual(terminal.enter(":explain print('shown')"), "no operator is called")
        self.assertTrue(terminal.has_its_modes() or terminal.enter("1 + 1") == "2")


if __name__ == "__main__":
    unittest.main()
