"""The history on a terminal: what a session leaves behind, however it ends."""

import os
import pathlib
import signal
import time
import unittest

from terminal import CTRL_C, CTRL_D, LIMIT, UP, Terminal, TerminalTest, wait_until

HEADER = "_HiStOrY_V2_"


class HistoryTest(TerminalTest):
    @property
    def path(self):
        return pathlib.Path(self.home) / ".local/state/tensorscope/history"

    def entries(self):
        """The entries of the file, the oldest first."""
        if not self.path.exists() or self.path.stat().st_size == 0:
            return []
        lines = self.path.read_text().split("\n")
        self.assertEqual(lines[0], HEADER)
        self.assertEqual(lines[-1], "")
        return [line.encode().decode("unicode_escape") for line in lines[1:-1]]

    def test_an_entry_is_kept_when_it_is_accepted(self):
        terminal = self.open()
        terminal.enter("x = 1")
        self.assertEqual(self.entries(), ["x = 1"])
        terminal.enter("x +")
        terminal.enter(" hidden = 2")
        terminal.type("sum(range(10 ** 12))\r")
        expected = ["x = 1", "x +", "sum(range(10 ** 12))"]
        wait_until(lambda: self.entries() == expected)
        self.assertEqual(self.entries(), expected)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)

    def test_nothing_is_lost_when_the_session_is_killed(self):
        expected = []
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            terminal = self.open()
            for i in range(3):
                terminal.enter(f"x = [{number}, {i}]")
                expected.append(f"x = [{number}, {i}]")
            self.assertTrue(wait_until(lambda: not terminal.has_its_modes()))
            terminal.process.send_signal(number)
            self.assertEqual(terminal.process.wait(LIMIT), -number)
            self.assertEqual(self.entries(), expected)
            if number != signal.SIGKILL:
                self.assertTrue(terminal.has_its_modes())
                terminal.rest()
                self.assertTrue(terminal.raw.endswith("\x1b[?2004l"), terminal.raw)

    def test_nothing_is_lost_when_the_session_is_killed_while_it_runs(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            terminal = self.open()
            entry = f"sum(range({number}, 10 ** 12))"
            terminal.type(entry + "\r")
            wait_until(lambda: self.entries()[-1:] == [entry] and terminal.has_its_modes())
            terminal.process.send_signal(number)
            self.assertEqual(terminal.process.wait(LIMIT), -number)
            self.assertEqual(self.entries()[-1], entry)
            self.assertTrue(terminal.has_its_modes())

    def test_a_lost_terminal_loses_nothing(self):
        terminal = Terminal(self.home)
        terminal.wait_for("tsc> ")
        terminal.enter("x = 1")
        os.close(terminal.file)
        terminal.process.wait(LIMIT)
        self.assertEqual(self.entries(), ["x = 1"])

    def test_sessions_side_by_side_keep_each_others_entries(self):
        first, second = self.open(), self.open()
        for i in range(3):
            first.enter(f"first = {i}")
            second.enter(f"second = {i}")
        self.assertEqual(second.leave(), 0)
        first.process.kill()
        first.process.wait()
        self.assertEqual(self.entries(), ["first = 0", "second = 0", "first = 1", "second = 1",
                                          "first = 2", "second = 2"])
        third = self.open()
        third.press(UP)
        third.wait_for("second = 2")
        third.press(UP)
        third.wait_for("first")

    def test_a_block_comes_back_whole(self):
        terminal = self.open()
        for line in ("def f():\r", "return 'a\\nb'\r"):
            terminal.type(line)
            terminal.wait_for("... ")
        terminal.type("\r")
        terminal.wait_for("tsc> ")
        terminal.process.kill()
        terminal = self.open()
        terminal.press(UP)
        terminal.wait_for("return 'a\\nb'")
        terminal.enter("")
        self.assertEqual(terminal.enter("f()"), "'a\\nb'")

    def test_what_older_versions_wrote_is_read(self):
        self.path.parent.mkdir(parents=True)
        self.path.write_text(f"{HEADER}\nx\\040=\\0405\nif\\040x:\\012\\040\\040\\040\\040x\n")
        terminal = self.open()
        terminal.press(UP)
        terminal.wait_for("if x:")
        terminal.press(UP)
        terminal.press(UP)
        terminal.wait_for("x = 5")
        terminal.enter("")
        self.assertEqual(self.entries(), ["x = 5", "if x:\n    x", "x = 5"])

    def said(self, **variables):
        """All that a session shows whose history cannot be written."""
        terminal = Terminal(self.home, **variables)
        self.addCleanup(terminal.close)
        terminal.wait_for("tsc> ")
        terminal.enter("x = 123")
        terminal.press(UP)
        terminal.wait_for("x = 123")
        terminal.enter("4")
        terminal.press(CTRL_D)
        self.assertEqual(terminal.process.wait(LIMIT), 0)
        terminal.rest()
        self.assertEqual(terminal.raw.count("history is kept in memory only"), 1, terminal.raw)
        return terminal.raw

    def test_a_folder_in_its_place_is_said(self):
        self.path.mkdir(parents=True)
        self.assertIn("history: Is a directory", self.said())

    def test_a_folder_that_cannot_be_made_is_said(self):
        file = pathlib.Path(self.home) / "file"
        file.write_text("")
        self.assertIn("Not a directory", self.said(XDG_STATE_HOME=str(file)))

    def test_a_full_disk_is_said(self):
        self.path.parent.mkdir(parents=True)
        self.path.symlink_to("/dev/full")
        self.assertIn("No space left on device", self.said())

    def test_another_file_is_said_and_left_alone(self):
        self.path.parent.mkdir(parents=True)
        self.path.write_text("dear diary\n")
        self.assertIn("it is no history file", self.said())
        self.assertEqual(self.path.read_text(), "dear diary\n")

    @unittest.skipIf(os.geteuid() == 0, "nothing is read-only for root")
    def test_a_file_that_is_read_only_is_said(self):
        self.path.parent.mkdir(parents=True)
        self.path.write_text(f"{HEADER}\nolder\n")
        self.path.chmod(0o400)
        self.assertIn("Permission denied", self.said())

    def test_what_is_dropped_is_not_kept(self):
        terminal = self.open()
        terminal.enter("x = 1")
        terminal.type("dropped = 2")
        terminal.press(CTRL_C)
        terminal.wait_for("tsc> ")
        terminal.enter("y = 3")
        self.assertEqual(self.entries(), ["x = 1", "y = 3"])


if __name__ == "__main__":
    unittest.main()
