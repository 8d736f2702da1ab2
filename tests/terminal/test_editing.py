"""Editing an entry of several lines on a terminal."""

import fcntl
import os
import pathlib
import random
import re
import signal
import struct
import termios
import time
import unittest

from terminal import (ALT_ENTER, BACKSPACE, CTRL_C, CTRL_D, CTRL_L, CTRL_R, CTRL_Z, DELETE, DOWN, END,
                      HOME, LEFT, PROGRAM, RIGHT, TAB, UP, Terminal, TerminalTest, pasted, wait_until)


class EditingTest(TerminalTest):
    def type_block(self, terminal, *lines):
        """Lines of a block, each when the prompt of the one before has come."""
        for line in lines:
            terminal.type(line + "\r")
            terminal.wait_for("... ")

    def keys(self, terminal, *keys):
        for key in keys:
            terminal.type(key)
            time.sleep(0.02)

    def last_entry(self):
        path = pathlib.Path(self.home) / ".local/state/tensorscope/history"
        return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)),
                      path.read_text().splitlines()[-1])

    def finish(self, terminal):
        """Ends a block; its output, and the entry as it was accepted."""
        terminal.type("\r")
        shown = terminal.wait_for("tsc> ").replace("\r", "").strip()
        return shown, self.last_entry()

    # --- Indentation

    def test_a_block_is_indented(self):
        terminal = self.open()
        self.type_block(terminal, "def f(x):", "if x:  # why", "return 1", "y = {1: 2}", "return y")
        self.assertEqual(self.finish(terminal)[1],
                         "def f(x):\n    if x:  # why\n        return 1\n    y = {1: 2}\n    return y")
        self.assertEqual(terminal.enter("f(0)"), "{1: 2}")

    def test_else_goes_back_to_its_if(self):
        terminal = self.open()
        self.type_block(terminal, "for i in range(2):", "if i:", "print('one')", "else:", "print('zero')")
        shown, entry = self.finish(terminal)
        self.assertEqual(entry, "for i in range(2):\n    if i:\n        print('one')\n    else:\n"
                                "        print('zero')")
        self.assertEqual(shown, "zero\none")

    def test_lines_with_their_own_indentation_keep_it(self):
        terminal = self.open()
        self.type_block(terminal, "def f(x):", "    if x:", "        return 1", "    return 2")
        self.assertEqual(self.finish(terminal)[1],
                         "def f(x):\n    if x:\n        return 1\n    return 2")

    def test_strings_are_not_indented(self):
        terminal = self.open()
        self.type_block(terminal, "def f():", "return '''a:", "b:")
        terminal.type("c'''\r")
        terminal.wait_for("... ")
        self.assertEqual(self.finish(terminal)[1], "def f():\n    return '''a:\nb:\nc'''")

    def test_tab_indents_and_backspace_goes_back(self):
        terminal = self.open()
        self.type_block(terminal, "if True:")
        self.keys(terminal, TAB, TAB, BACKSPACE, " ", " ", BACKSPACE, BACKSPACE, *"print('x')", "\r")
        terminal.wait_for("... ")
        self.assertEqual(self.finish(terminal)[1], "if True:\n    print('x')")

    def test_an_empty_line_ends_a_block_but_no_bracket(self):
        terminal = self.open()
        self.type_block(terminal, "x = [1,", "", "")
        terminal.type("2]\r")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("x"), "[1, 2]")

    # --- Ctrl-D

    def test_control_d_ends_a_block(self):
        terminal = self.open()
        self.type_block(terminal, "for i in range(2):", "print('item', i)")
        self.keys(terminal, CTRL_D)
        self.assertEqual(terminal.wait_for("tsc> ").replace("\r", "").strip(), "item 0\nitem 1")
        self.assertEqual(terminal.enter("i"), "1")
        self.assertEqual(terminal.leave(), 0)

    def test_control_d_ends_an_entry_that_needs_more(self):
        terminal = self.open()
        for line in ("x = [1,", "if True:", "'''abc"):
            self.type_block(terminal, line)
            self.keys(terminal, CTRL_D)
            self.assertRegex(terminal.wait_for("tsc> "), "(Syntax|Indentation)Error")
        self.assertEqual(terminal.enter("6 * 7"), "42")

    def test_control_d_inside_a_text_deletes(self):
        terminal = self.open()
        self.keys(terminal, *"1234", LEFT, LEFT, CTRL_D, RIGHT, CTRL_D, CTRL_D)
        self.assertEqual(self.finish(terminal)[1], "124")
        self.keys(terminal, *"1234", HOME, DELETE)
        self.assertEqual(self.finish(terminal)[1], "234")

    # --- Moving between lines

    def test_up_and_down_move_inside_a_block(self):
        terminal = self.open()
        self.type_block(terminal, "def f():", "a = 1", "return a")
        self.keys(terminal, UP, UP, END, BACKSPACE, "5", DOWN)
        self.keys(terminal, END, DOWN)
        self.assertEqual(self.finish(terminal)[1], "def f():\n    a = 5\n    return a")
        self.assertEqual(terminal.enter("f()"), "5")

    def test_enter_inside_a_block_begins_a_line(self):
        terminal = self.open()
        self.type_block(terminal, "def f():", "return b")
        self.keys(terminal, UP, UP, END, "\r", *"b = 7", DOWN, DOWN)
        self.assertEqual(self.finish(terminal)[1], "def f():\n    b = 7\n    return b")

    def test_lines_are_joined_and_split(self):
        terminal = self.open()
        self.type_block(terminal, "x = (1 +")
        self.keys(terminal, "2", HOME, BACKSPACE, *" 1 + ", LEFT, ALT_ENTER, HOME, LEFT, DELETE, END)
        self.keys(terminal, ")")
        self.assertEqual(self.finish(terminal)[1], "x = (1 + 1 +2)")
        self.assertEqual(terminal.enter("x"), "4")

    def test_keys_of_the_line_mean_the_line(self):
        terminal = self.open()
        self.type_block(terminal, "def f():", "a = 1 + 2 + 3", "return a")
        # To the start of `a = 1 + 2 + 3`, behind its `1`, and kill its rest.
        self.keys(terminal, UP, UP, "\x01", *[RIGHT] * 9, "\x0b", DOWN, DOWN)
        self.assertEqual(self.finish(terminal)[1], "def f():\n    a = 1\n    return a")

    def test_alt_enter_inserts_a_line(self):
        terminal = self.open()
        self.keys(terminal, *"x = 1", ALT_ENTER, *"y = 2", ALT_ENTER, *"x + y")
        shown, entry = self.finish(terminal)
        self.assertEqual(entry, "x = 1\ny = 2\nx + y")
        self.assertTrue(shown.endswith("\n3"), shown)

    def test_control_c_drops_the_whole_entry(self):
        terminal = self.open()
        self.type_block(terminal, "def f():", "return 1")
        self.keys(terminal, UP, CTRL_C)
        terminal.wait_for("KeyboardInterrupt")
        terminal.wait_for("tsc> ")
        self.assertIn("NameError", terminal.enter("f"))

    # --- The history

    def test_up_goes_through_whole_entries(self):
        terminal = self.open()
        terminal.enter("a = 1")
        self.type_block(terminal, "def f():", "return a")
        self.finish(terminal)
        terminal.enter("a = 3")
        shown = []
        for key in (UP, UP, UP, UP, DOWN, DOWN, DOWN):
            self.keys(terminal, key)
            screen = terminal.screen()
            shown.append((screen.rows[screen.rows.index("tsc> a = 3") + 1:], screen.column))
        block = ["tsc> def f():", " ...     return a"]
        self.assertEqual(shown, [
            (["tsc> a = 3"], 10), (block, 17), (block, 13), (["tsc> a = 1"], 10), (block, 17),
            (["tsc> a = 3"], 10), (["tsc>"], 5)])

    def test_a_block_from_the_history_is_edited_and_run(self):
        terminal = self.open()
        self.type_block(terminal, "def f():", "a = 1", "return a")
        self.finish(terminal)
        self.keys(terminal, UP, UP, END, BACKSPACE, "2", DOWN, END, "\r", "\r")
        terminal.wait_for("tsc> ")
        self.assertEqual(self.last_entry(), "def f():\n    a = 2\n    return a")
        self.assertEqual(terminal.enter("f()"), "2")
        # As it was, Enter runs it at once.
        self.keys(terminal, UP, UP, "\r")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("f()"), "2")

    def test_up_passes_an_entry_that_is_shown_already(self):
        terminal = self.open()
        for line in ("b = 1", "b = 2", "a = 1", "b = 2"):
            terminal.enter(line)
        self.keys(terminal, "b", UP, UP)
        self.finish(terminal)
        self.assertEqual(self.last_entry(), "b = 1")

    def test_up_finds_entries_that_begin_as_typed(self):
        terminal = self.open()
        for line in ("xa = 1", "xb = 2", "y = 3", "z = 4"):
            terminal.enter(line)
        self.keys(terminal, "x", UP, UP)
        self.finish(terminal)
        self.assertEqual(self.last_entry(), "xa = 1")
        self.keys(terminal, *"draft", UP, DOWN, DOWN, HOME, UP, DOWN, "_", "\r")
        self.assertIn("NameError: name '_draft'", terminal.wait_for("tsc> "))

    def test_control_r_searches(self):
        terminal = self.open()
        self.type_block(terminal, "if True:", "print('first')")
        self.finish(terminal)
        terminal.enter("print('second')")
        self.keys(terminal, CTRL_R, *"prin")
        self.assertEqual(terminal.screen().rows[-2:], ["tsc> print('second')", "search: prin"])
        self.keys(terminal, CTRL_R, "t", "\r")
        self.assertIn("\nfirst", terminal.wait_for("tsc> ").replace("\r", ""))
        self.keys(terminal, *"3 + 4", CTRL_R, *"no such thing")
        self.assertEqual(terminal.screen().rows[-1], "no entry has: no such thing")
        self.keys(terminal, "\x07", "\r")
        self.assertIn("\n7", terminal.wait_for("tsc> ").replace("\r", ""))

    # --- The terminal

    def resize(self, terminal, columns, rows):
        fcntl.ioctl(terminal.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        terminal.process.send_signal(signal.SIGWINCH)

    def test_a_new_size_is_taken(self):
        terminal = self.open()
        terminal.type("abcdefghijklmnopqrstuvwxyz")
        terminal.wait_for("xyz")
        terminal.raw = "\r\ntsc> abcdefghijklmnopqrstuvwxyz"
        self.resize(terminal, 20, 10)
        screen = terminal.screen(20, 10)
        self.assertEqual(screen.rows, ["", "tsc> abcdefghijklmno", "pqrstuvwxyz"])
        self.assertEqual((screen.row, screen.column), (2, 11))

    def test_wide_characters_and_long_lines(self):
        terminal = self.open()
        self.resize(terminal, 20, 10)
        terminal.raw = ""
        self.keys(terminal, CTRL_L, *"x = '漢字漢字漢字é'", LEFT, LEFT, BACKSPACE)
        screen = terminal.screen(20, 10)
        self.assertEqual(screen.rows, ["tsc> x = '漢字漢字漢", "é'"])
        self.assertEqual((screen.row, screen.column), (1, 0))
        self.keys(terminal, END, "\r")
        self.assertEqual(terminal.screen(20, 10).rows[-1], "tsc>")
        self.assertEqual(self.last_entry(), "x = '漢字漢字漢é'")

    def test_bytes_that_are_no_character_are_left_out(self):
        terminal = self.open()
        self.keys(terminal, "x = 1", b"\xff", b"\xc3(", "2\r")
        self.assertEqual(self.last_entry(), "x = 12")

    def test_a_tall_block_is_shown_round_the_cursor_and_left_whole(self):
        terminal = self.open()
        self.resize(terminal, 40, 5)
        lines = ["x = [", *(f"    {i}," for i in range(10)), "]"]
        terminal.type(pasted("\n".join(lines)))
        terminal.screen()
        terminal.raw = ""
        self.keys(terminal, CTRL_L)
        self.assertEqual(terminal.screen(40, 5).rows, [" ... " + line for line in lines[-5:]])
        self.keys(terminal, *[UP] * 11)
        self.assertEqual(terminal.screen(40, 5).rows, ["tsc> x = [", *(" ... " + line for line in lines[1:5])])
        self.keys(terminal, "\r")
        screen = terminal.screen(40, 5)
        self.assertEqual([*screen.scrolled, *screen.rows][-13:],
                         ["tsc> x = [", *(" ... " + line for line in lines[1:]), "tsc>"])

    def test_a_session_that_was_stopped_goes_on(self):
        terminal = self.open()
        terminal.type("6 * ")
        terminal.wait_for("6 * ")
        time.sleep(0.1)
        os.kill(terminal.process.pid, signal.SIGSTOP)
        self.assertTrue(os.WIFSTOPPED(os.waitpid(terminal.process.pid, os.WUNTRACED)[1]))
        termios.tcsetattr(terminal.file, termios.TCSANOW, terminal.modes)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.wait_for("tsc> 6 * ")
        self.assertTrue(wait_until(lambda: not terminal.has_its_modes()))
        self.assertEqual(terminal.enter("7").rpartition("\n")[2], "42")

    def test_control_z_stops_a_session(self):
        # A shell that has jobs, in a terminal of its own.
        terminal = Terminal(self.home, program=("bash", "--norc", "--noediting", "-i"), PS1="sh$ ")
        self.addCleanup(terminal.close)
        terminal.wait_for("sh$ ")
        terminal.type(f"{os.path.abspath(PROGRAM)}\n")
        terminal.wait_for("tsc> ")
        terminal.type("6 * ")
        terminal.wait_for("6 * ")
        terminal.type(CTRL_Z)
        terminal.wait_for("Stopped")
        terminal.wait_for("sh$ ")
        terminal.type("stty -a; fg\n")
        modes = terminal.wait_for("tsc> 6 * ")
        self.assertRegex(modes, r"[^-]icanon(.|\n)*[^-]echo ")
        self.assertEqual(terminal.enter("7").rpartition("\n")[2], "42")
        terminal.type(CTRL_D)
        terminal.wait_for("sh$ ")

    def test_the_screen_is_cleared(self):
        terminal = self.open()
        self.keys(terminal, *"6 *", CTRL_L, *" 7", "\r")
        terminal.wait_for("tsc> ")
        self.assertIn("\n42", terminal.wait_for("tsc> ").replace("\r", ""))
        self.assertIn("\x1b[H\x1b[2J", terminal.raw)

    def test_no_colours(self):
        terminal = self.open(NO_COLOR="1")
        terminal.enter("6 * 7")
        self.assertNotRegex(terminal.raw, r"\x1b\[[0-9;]*m")

    def test_keys_of_editrc(self):
        (pathlib.Path(self.home) / ".editrc").write_text(
            "# comment\nbind ^X ed-delete-prev-char\nother:bind ^X ed-insert\n")
        terminal = self.open()
        self.keys(terminal, *"123", "\x18", "\r")
        self.assertIn("\n12\n", terminal.wait_for("tsc> ").replace("\r", ""))

    def test_vi(self):
        (pathlib.Path(self.home) / ".editrc").write_text("bind -v\n")
        terminal = self.open()
        terminal.enter("some_long_name = 12")
        self.keys(terminal, *"1234", "\x1b", *"0x$x", "\r")
        self.assertIn("\n23\n", terminal.wait_for("tsc> ").replace("\r", ""))
        self.keys(terminal, *"some_lo", TAB, "\r")
        self.assertIn("\n12\n", terminal.wait_for("tsc> ").replace("\r", ""))
        self.type_block(terminal, "def f():", "a = 1", "return a")
        # In the line of `a`, replace 1; delete a line and put it where it was.
        self.keys(terminal, "\x1b", *"kk$r5", *"jdd", *"p", *"jA", "\r")
        terminal.wait_for("tsc> ")
        self.assertEqual(terminal.enter("f()"), "5")
        # Through whole entries.
        self.keys(terminal, "\x1b", *"kk", "\r")
        terminal.wait_for("tsc> ")
        self.keys(terminal, "\x1b", "/", *"some", "\r", "\r")
        terminal.wait_for("tsc> ")
        self.assertEqual(self.last_entry(), "some_long_name")
        self.keys(terminal, "\x1b", "/", *"def", "\r")
        self.assertEqual(terminal.screen().rows[-3:],
                         ["tsc> def f():", " ...     a = 5", " ...     return a"])
        self.keys(terminal, "\r")
        self.assertEqual(terminal.screen().rows[-1], "tsc>")
        self.assertEqual(self.last_entry(), "def f():\n    a = 5\n    return a")

    def test_keys_that_libedit_dies_of_do_no_harm(self):
        for editor, keys in (("-e", "\x1bx'\r"), ("-e", "\x1bX'\r"), ("-v", "\x1b:'\r"),
                             ("-v", "(abc\x1bndd\x1bncwabc\x1bnuxD")):
            (pathlib.Path(self.home) / ".editrc").write_text(f"bind {editor}\n")
            terminal = self.open()
            terminal.enter("kept = 3")
            self.keys(terminal, *keys)
            terminal.press(CTRL_C)
            terminal.screen()
            terminal.raw = ""
            terminal.type("[kept]\r")
            self.assertEqual(terminal.screen().rows[-2:], ["[3]", "tsc>"])

    def test_a_smaller_terminal_in_a_long_line(self):
        terminal = self.open()
        self.resize(terminal, 200, 24)
        terminal.enter("")
        self.keys(terminal, "'", *"x" * 150)
        self.resize(terminal, 5, 2)
        self.keys(terminal, *"y" * 50)
        self.resize(terminal, 80, 24)
        terminal.type("'\r")
        terminal.screen()
        self.assertEqual(self.last_entry(), "'" + "x" * 150 + "y" * 50 + "'")

    def test_no_keys_end_a_session(self):
        keys = [*"def f(x):[]{}'\"#\\ +12", "\r", TAB, BACKSPACE, DELETE, ALT_ENTER, UP, DOWN, LEFT, RIGHT,
                HOME, END, CTRL_C, CTRL_L, CTRL_R, *map(chr, range(1, 27)), "\x1b", "\x1b[99~", "\x1b5",
                *("\x1b" + key for key in "abcdfnpuxX.:/kj[O"), "é", "漢", "\u0301", "\U0001f600", '"""',
                "if x:", "return", pasted("x = [\n  1,\n\n]"), pasted(">>> x\n1\n"), "\x1bdd", "\x1b:\r"]
        keys = [key for key in keys if key not in (CTRL_D, CTRL_Z)]
        for seed, editor in enumerate(("-e", "-v")):
            (pathlib.Path(self.home) / ".editrc").write_text(f"bind {editor}\n")
            terminal = self.open()
            terminal.enter("kept = 3")
            choose = random.Random(seed)
            for _ in range(300):
                if choose.random() < 0.02:
                    self.resize(terminal, choose.randint(1, 100), choose.randint(1, 30))
                terminal.type(choose.choice(keys))
                time.sleep(choose.choice((0, 0, 0.01)))
            for key in (CTRL_C, CTRL_C):
                terminal.press(key)
            self.resize(terminal, 80, 24)
            terminal.screen()
            shown = terminal.raw
            terminal.raw = ""
            terminal.type("[kept]\r")
            self.assertEqual(terminal.screen().rows[-2:], ["[3]", "tsc>"], shown[-2000:])


if __name__ == "__main__":
    unittest.main()
