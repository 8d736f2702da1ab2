"""What the prompt shows in the terminal's columns, and `:last` in a pager."""

import fcntl
import os
import struct
import sys
import termios
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from terminal import TerminalTest  # noqa: E402


class Width(TerminalTest):
    def resize(self, terminal, columns):
        fcntl.ioctl(terminal.file, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        terminal.wait_for("tsc> ")  # which is drawn anew

    def test_reports_follow_the_terminal(self):
        terminal = self.open()
        for columns in (60, 120, 80):
            self.resize(terminal, columns)
            rows = terminal.enter(":explain torch.ones(2, 3) @ torch.ones(3, 2)").splitlines()
            self.assertGreater(len(rows), 20)
            self.assertLessEqual(max(map(len, rows)), columns)
            self.assertGreater(max(map(len, rows)), columns - 25)

    def test_a_long_result_is_cut(self):
        terminal = self.open()
        self.resize(terminal, 80)
        shown = terminal.enter("list(range(100000))")
        self.assertTrue(shown.endswith("... 7,612 more lines; print(_) or :last shows all"), shown[-100:])
        self.assertNotIn("99999", shown)

    def test_last_goes_to_the_pager(self):
        # A pager that leaves early, one that shows all, and none.
        for pager, shown in (("head -n 1", "[0, 1, 2,"), ("tail -c 30", "99998, 99999]"),
                             ("no-such-pager", "99998, 99999]")):
            with self.subTest(pager):
                os.environ["PAGER"] = pager
                self.addCleanup(os.environ.pop, "PAGER", None)
                terminal = self.open()
                self.resize(terminal, 80)
                terminal.enter("list(range(100000))")
                terminal.type(":last\r")
                self.assertIn(shown, terminal.wait_for("tsc> "))
                self.assertEqual(terminal.enter("1 + 1"), "2")


if __name__ == "__main__":
    unittest.main()
