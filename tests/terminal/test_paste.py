"""Pasting on a terminal: what is pasted is one text, and runs when Enter is pressed."""

import time
import unittest

from terminal import CTRL_C, LEFT, TerminalTest, pasted


class PasteTest(TerminalTest):
    def paste(self, terminal, text):
        """What a pasted text prints when Enter is pressed."""
        terminal.type(pasted(text))
        time.sleep(0.1)
        return self.run_entry(terminal)

    def run_entry(self, terminal):
        before = terminal.raw.count("\x1b[?2004h")
        terminal.type("\r")
        # What is printed stands behind the end of bracketed paste.
        while terminal.raw.count("\x1b[?2004h") == before:
            terminal.wait_for("tsc> ")
        return terminal.raw.rpartition("\x1b[?2004l")[2].partition("\x1b[?2004h")[0].replace("\r", "")

    def test_terminals_are_asked_to_mark_what_is_pasted(self):
        terminal = self.open()
        self.assertIn("\x1b[?2004h", terminal.raw)
        terminal.enter("1")
        self.assertLess(terminal.raw.index("\x1b[?2004l"), terminal.raw.index("1\r\n\x1b[?2004h"))

    def test_a_function_with_an_empty_line_is_one(self):
        terminal = self.open()
        self.assertEqual(self.paste(terminal, "def f(a):\n    b = a + 1\n\n    return b\n"), "")
        self.assertEqual(terminal.enter("f(1)"), "2")

    def test_nothing_runs_before_enter(self):
        terminal = self.open()
        terminal.type(pasted("x = 1\nprint('x', x)\n"))
        time.sleep(0.3)
        terminal.wait_for("print")
        self.assertNotIn("x 1", terminal.seen)
        terminal.type(CTRL_C)
        terminal.wait_for("tsc> ")
        self.assertIn("NameError", terminal.enter("x"))

    def test_several_statements_run_in_their_order(self):
        terminal = self.open()
        text = "x = 3\nx + 1\nfor i in range(2):\n\tprint(i)\n\n\n'last'\nx"
        self.assertEqual(self.paste(terminal, text), "4\n0\n1\n'last'\n3\n")

    def test_an_error_ends_it(self):
        terminal = self.open()
        terminal.type(pasted("x = 3\n1 / 0\nx = 4\n") + "\r")
        terminal.wait_for("ZeroDivisionError")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("x"), "3")

    def test_prompts_are_taken_off(self):
        terminal = self.open()
        for first, more in ((">>> ", "... "), ("tsc> ", " ... "), ("In [1]: ", "   ...: ")):
            text = f"{first}x = 3\n{first}x + 1\n4\n{first}if x:\n{more}    print('yes')\n{more}\nyes\n"
            self.assertEqual(self.paste(terminal, text), "4\nyes\n")

    def test_commands_between_statements_run(self):
        terminal = self.open()
        text = "tsc> :on Profiler\ntsc Profiler> 6 * 7\n42\ntsc Profiler> :off Profiler\ntsc> 2\n2\n"
        self.assertEqual(self.paste(terminal, text), "42\n2\n")

    def test_tabs_complete_nothing(self):
        terminal = self.open()
        self.assertEqual(self.paste(terminal, "if True:\n\tprint('a\tb')\n"), "a\tb\n")

    def test_a_part_of_a_line(self):
        terminal = self.open()
        terminal.type("max(1, )" + LEFT)
        self.assertEqual(self.paste(terminal, "42"), "42\n")

    def test_what_is_indented_alike(self):
        terminal = self.open()
        self.assertEqual(self.paste(terminal, "    if True:\n        print('a')\n"), "a\n")

    def test_into_a_block(self):
        terminal = self.open()
        terminal.type("for i in range(2):\r")
        terminal.wait_for("... ")
        self.assertEqual(self.paste(terminal, "    a = i\n\n    print(a)\n"), "0\n1\n")

    def test_two_texts_after_each_other(self):
        terminal = self.open()
        terminal.type(pasted("x = 1\n"))
        self.assertEqual(self.paste(terminal, "x + 1\n"), "2\n")

    def test_a_text_that_goes_on(self):
        terminal = self.open()
        terminal.type(pasted("x = [1,\n"))
        terminal.type("\r")
        terminal.type("2]\r")
        terminal.wait_for("2]")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("x"), "[1, 2]")

    def test_characters_of_all_kinds(self):
        terminal = self.open()
        self.assertEqual(self.paste(terminal, "x = '漢字é\U0001f600'\nprint(x)\n"), "漢字é\U0001f600\n")

    def test_many_lines(self):
        terminal = self.open()
        begin = time.monotonic()
        text = "".join(f"value_{i % 100} = {i}\n" for i in range(20_000)) + "value_99\n"
        self.assertEqual(self.paste(terminal, text), "19999\n")
        self.assertLess(time.monotonic() - begin, 20)  # 1 s on a quiet machine

    def test_lines_that_are_not_marked_run_as_they_come(self):
        terminal = self.open()
        terminal.type("for i in range(2):\r    if i:\r        print('one')\r\r6 * 7\r")
        terminal.wait_for("\none")
        terminal.wait_for("\n42")


if __name__ == "__main__":
    unittest.main()
