"""A session on a pseudo-terminal, for tests that type keys and look at what appears."""

import os
import pty
import re
import select
import signal
import subprocess
import tempfile
import termios
import time
import unicodedata
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
LIMIT = 20  # seconds to wait for any output
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\a")

CTRL_C, CTRL_D, CTRL_L, CTRL_R, CTRL_Z = "\x03", "\x04", "\x0c", "\x12", "\x1a"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
PROMPTS = ("tsc> ", "... ")
HOME, END = "\x1b[H", "\x1b[F"
TAB, BACKSPACE, DELETE, ALT_ENTER = "\t", "\x7f", "\x1b[3~", "\x1b\r"


class Screen:
    """What a terminal shows of what was written to it."""

    CONTROL = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")

    def __init__(self, written, width=80, height=24):
        self.width, self.height = width, height
        self.cells = [[] for _ in range(height)]
        self.scrolled = []  # rows that have left it
        self.row = self.column = 0
        at = 0
        while at < len(written):
            if control := self.CONTROL.match(written, at):
                at = control.end()
                if not control[1]:
                    self.control(control[3], int(control[2] or 0))
            else:
                self.put(written[at])
                at += 1

    def control(self, kind, number):
        column, count = min(self.column, self.width - 1), max(number, 1)
        if kind == "A":
            self.row = max(0, self.row - count)
        elif kind == "B":
            self.row = min(self.height - 1, self.row + count)
        elif kind == "C":
            self.column = min(self.width - 1, column + count)
        elif kind == "H":
            self.row = self.column = 0
        elif kind in "JK":
            if number == 0:
                del self.cells[self.row][column:]
            if kind == "J":
                for row in range(0 if number == 2 else self.row + 1, self.height):
                    self.cells[row] = []
        else:
            raise AssertionError(f"control {kind}")

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == self.height:
                self.row -= 1
                self.scrolled.append("".join(self.cells.pop(0)).rstrip())
                self.cells.append([])
        else:
            width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
            if self.column + width > self.width:
                self.column = 0
                self.put("\n")
            row = self.cells[self.row]
            row.extend([" "] * (self.column + width - len(row)))
            row[self.column:self.column + width] = [character] + [""] * (width - 1)
            self.column += width

    @property
    def rows(self):
        """Without the blanks at their ends."""
        rows = ["".join(row).rstrip() for row in self.cells]
        while rows and not rows[-1]:
            rows.pop()
        return rows


def pasted(text):
    """As a terminal with bracketed paste sends it."""
    return "\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~"


def wait_until(condition, limit=LIMIT):
    """Whether it came to hold."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Terminal:
    """A session that is typed into; `home` keeps its history."""

    def __init__(self, home, *arguments, program=(PROGRAM,), **variables):
        ours, theirs = pty.openpty()
        self.modes = termios.tcgetattr(ours)
        environment = {**os.environ, "HOME": home, "TERM": "xterm", **variables}
        if "XDG_STATE_HOME" not in variables:
            environment.pop("XDG_STATE_HOME", None)
        self.process = subprocess.Popen(
            [*program, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
            start_new_session=True, preexec_fn=self.take_terminal)
        os.close(theirs)
        self.file = ours
        self.raw = ""
        self.seen = ""

    @staticmethod
    def take_terminal():
        # The pseudo-terminal becomes the session's own, so that Ctrl-C signals.
        os.close(os.open(os.ttyname(0), os.O_RDWR))
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)

    def press(self, key):
        """A key by itself, which comes when nothing else has for a moment."""
        time.sleep(0.2)
        self.type(key)

    def type(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        while data:
            # A terminal holds a few kilobytes, and what the session writes must go somewhere.
            readable, writable, _ = select.select([self.file], [self.file], [], LIMIT)
            if readable:
                self.seen += self.read()
            if writable:
                data = data[os.write(self.file, data[:1024]):]

    def wait_for(self, text):
        """Reads until `text` has appeared; returns what came up to it."""
        end = time.monotonic() + LIMIT
        while text not in self.seen:
            if not select.select([self.file], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            self.seen += self.read()
        before, _, self.seen = self.seen.partition(text)
        if text in PROMPTS:
            # The editor takes the terminal over a moment after its prompt shows; until then the
            # terminal itself would echo what is typed and act on its keys.
            wait_until(lambda: not self.has_its_modes(), limit=1)
        return before

    def screen(self, width=80, height=24):
        """What is shown when nothing has come for a moment."""
        while select.select([self.file], [], [], 0.3)[0]:
            self.seen += self.read()
        return Screen(self.raw, width, height)

    def read(self):
        try:
            data = os.read(self.file, 1 << 16).decode(errors="replace")
        except OSError:  # the other end is closed
            data = ""
        if not data:
            raise AssertionError(f"it ended after {self.seen!r}")
        self.raw += data
        return ESCAPES.sub("", data)

    def enter(self, line):
        """One line and its answer, up to the next prompt."""
        self.type(line + "\r")
        return self.answer(line)

    def answer(self, line):
        shown = self.wait_for("tsc> ").replace("\r", "")
        # Typed ahead of the prompt, a line shows twice: the terminal echoes it, too.
        return shown.rpartition(line + "\n")[2].strip()

    def leave(self):
        """Ctrl-D at an empty prompt; the exit status."""
        self.press(CTRL_D)
        return self.process.wait(LIMIT)

    def rest(self):
        """What comes until the session ends."""
        try:
            while True:
                self.seen += self.read()
        except AssertionError:
            return self.seen

    def has_its_modes(self):
        """Whether the terminal is as it was before the session."""
        return termios.tcgetattr(self.file) == self.modes

    def close(self):
        os.close(self.file)
        self.process.kill()
        self.process.wait()


class TerminalTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name

    def open(self, *arguments, **variables):
        terminal = Terminal(self.home, *arguments, **variables)
        self.addCleanup(terminal.close)
        terminal.wait_for("tsc> ")
        return terminal
