"""The prompt on a terminal: editing, history, blocks, Ctrl-C and Ctrl-D.

Each test types into a pseudo-terminal and looks at what appears on it.
"""

import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
LIMIT = 60  # seconds to wait for any output
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\a")

CTRL_C, CTRL_D, UP, TAB = "\x03", "\x04", "\x1b[A", "\t"


class Terminal:
    """A session that is typed into; `home` keeps its history."""

    def __init__(self, home, *arguments):
        ours, theirs = pty.openpty()
        environment = {**os.environ, "HOME": home, "TERM": "xterm"}
        environment.pop("XDG_STATE_HOME", None)
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            start_new_session=True, preexec_fn=self.take_terminal)
        os.close(theirs)
        self.file = ours
        self.seen = ""

    @staticmethod
    def take_terminal():
        # The pseudo-terminal becomes the session's own, so that Ctrl-C signals.
        os.close(os.open(os.ttyname(0), os.O_RDWR))
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def press(self, key):
        # The editor takes the terminal over a moment after its prompt shows, and until then the
        # terminal itself would act on the key.
        time.sleep(0.2)
        self.type(key)

    def type(self, text):
        os.write(self.file, text.encode())

    def wait_for(self, text):
        """Reads until `text` has appeared; returns what came up to it."""
        end = time.monotonic() + LIMIT
        while text not in self.seen:
            if not select.select([self.file], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            self.seen += self.read()
        before, _, self.seen = self.seen.partition(text)
        return before

    def read(self):
        try:
            data = os.read(self.file, 1 << 16).decode()
        except OSError:  # the other end is closed
            data = ""
        if not data:
            raise AssertionError(f"it ended after {self.seen!r}")
        return ESCAPES.sub("", data)

    def enter(self, line):
        """One line and its answer, up to the next prompt."""
        self.type(line + "\r")
        shown = self.wait_for("tsc> ").replace("\r", "")
        # Typed ahead of the prompt, a line shows twice: the terminal echoes it, too.
        return shown.rpartition(line + "\n")[2].strip()

    def close(self):
        os.close(self.file)
        self.process.kill()
        self.process.wait()


class PromptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name

    def open(self, *arguments):
        terminal = Terminal(self.home, *arguments)
        self.addCleanup(terminal.close)
        terminal.wait_for("tsc> ")
        return terminal

    def test_expressions_are_shown(self):
        terminal = self.open()
        self.assertEqual(terminal.enter("torch.ones(2) + 1"), "tensor([2., 2.])")
        self.assertEqual(terminal.enter("_ * 2"), "tensor([4., 4.])")

    def test_a_block_ends_with_an_empty_line(self):
        terminal = self.open()
        terminal.type("for i in range(3):\r")
        terminal.wait_for("... ")
        terminal.type("    print('item', i)\r")
        terminal.wait_for("... ")
        terminal.type("\r")
        self.assertIn("item 0\nitem 1\nitem 2", terminal.wait_for("tsc> ").replace("\r", ""))

    def test_the_line_before_comes_back(self):
        terminal = self.open()
        terminal.enter("6 * 7")
        terminal.press(UP)
        terminal.wait_for("6 * 7")
        terminal.type("0\r")
        self.assertIn("420", terminal.wait_for("tsc> "))

    def test_history_outlives_the_session(self):
        first = self.open()
        first.enter("11 * 11")
        first.press(CTRL_D)
        self.assertEqual(first.process.wait(LIMIT), 0)
        second = self.open()
        second.press(UP)
        second.wait_for("11 * 11")

    def test_tab_completes(self):
        terminal = self.open()
        terminal.enter("some_long_name = 12")
        terminal.type("some_lo" + TAB)
        terminal.wait_for("ng_name")
        terminal.type("\r")
        self.assertIn("12", terminal.wait_for("tsc> "))

    def test_control_c_drops_the_line(self):
        terminal = self.open()
        terminal.type("x = 5")
        terminal.wait_for("x = 5")
        terminal.press(CTRL_C)
        terminal.wait_for("KeyboardInterrupt")
        terminal.wait_for("tsc> ")
        self.assertIn("NameError: name 'x' is not defined", terminal.enter("x"))

    def test_control_c_stops_what_runs_and_loses_nothing(self):
        terminal = self.open()
        terminal.enter("kept = 3")
        for line in ("sum(range(10 ** 10))", "[torch.ones(9) for i in range(10 ** 9)]"):
            terminal.type(line + "\r")
            terminal.wait_for(line)
            terminal.press(CTRL_C)
            self.assertIn("Traceback", terminal.wait_for("\nKeyboardInterrupt"))
            terminal.wait_for("tsc> ")
            self.assertEqual(terminal.enter("kept"), "3")

    def test_control_d_leaves_also_after_control_c(self):
        terminal = self.open()
        terminal.press(CTRL_C)
        terminal.wait_for("KeyboardInterrupt")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("1 + 1"), "2")
        terminal.press(CTRL_D)
        self.assertEqual(terminal.process.wait(LIMIT), 0)

    def test_errors_lose_nothing(self):
        terminal = self.open()
        terminal.enter("a = 1")
        self.assertIn("ZeroDivisionError: division by zero", terminal.enter("a / 0"))
        self.assertIn("SyntaxError", terminal.enter("a +"))
        self.assertEqual(terminal.enter("a"), "1")

    def test_interactive_after_code(self):
        terminal = self.open("-i", "-c", "from_code = 8")
        self.assertEqual(terminal.enter("from_code"), "8")


if __name__ == "__main__":
    unittest.main()
