"""The prompt on a terminal: editing, history, blocks, Ctrl-C and Ctrl-D.

Each test types into a pseudo-terminal and looks at what appears on it.
"""

import unittest

from terminal import CTRL_C, CTRL_D, LIMIT, TAB, UP, TerminalTest


class PromptTest(TerminalTest):
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

    def test_control_c_at_the_prompt_only_drops_the_line(self):
        terminal = self.open()
        terminal.enter("kept = 3")
        for text in ("", "x", "", "", "y"):
            terminal.type(text)
            terminal.press(CTRL_C)
            terminal.wait_for("KeyboardInterrupt")
            terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("kept"), "3")

    def test_control_c_at_a_question(self):
        terminal = self.open()
        terminal.type("name = input('who? ')\r")
        terminal.wait_for("who? ")
        terminal.wait_for("who? ")
        terminal.press(CTRL_C)
        terminal.wait_for("\nKeyboardInterrupt")
        terminal.wait_for("tsc> ")
        terminal.type("name = input('who? ')\r")
        terminal.wait_for("\nwho? ")
        terminal.enter("me")
        self.assertEqual(terminal.enter("name"), "'me'")

    def test_the_prompt_begins_a_row(self):
        terminal = self.open()
        terminal.type("print('abc', end='')\r")
        shown = terminal.wait_for("\rtsc> ")
        self.assertTrue(shown.endswith("abc" + " " * 80), shown)

    def test_a_dumb_terminal_is_read_by_lines(self):
        for arguments, variables in (((), {"TERM": "dumb"}), (("--no-edit",), {})):
            terminal = self.open(*arguments, **variables)
            terminal.type("for i in range(2):\r    print('item', i)\r\r")
            self.assertIn("item 0\nitem 1", terminal.wait_for("tsc> ").replace("\r", ""))
            terminal.press(CTRL_C)
            terminal.wait_for("KeyboardInterrupt")
            terminal.wait_for("tsc> ")
            self.assertEqual(terminal.enter("6 * 7"), "42")
            terminal.type("if True:\r")
            terminal.wait_for("... ")
            terminal.type("    print('in a block')\r")
            terminal.wait_for("... ")
            terminal.press(CTRL_D)
            terminal.wait_for("in a block")
            terminal.wait_for("tsc> ")
            self.assertEqual(terminal.leave(), 0)
            self.assertNotIn("\x1b", terminal.raw)


if __name__ == "__main__":
    unittest.main()
