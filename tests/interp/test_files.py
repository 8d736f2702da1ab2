"""open() with encodings: what is written, read back and refused."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
TEXT = "caf\xe9 1\nna\xefve\n"


class Encodings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "file.txt"

    def shown(self, code):
        """What code prints, to which `name` is the file."""
        done = subprocess.run([PROGRAM, "-c", "import sys; name = sys.argv[1]\n" + code, self.path], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        return done.stdout

    def test_what_is_written_and_read(self):
        for encoding, shown in (("utf-8", "UTF-8"), ("latin-1", "latin-1"), (None, "UTF-8")):
            with self.subTest(encoding):
                self.shown(f"f = open(name, 'w', encoding={encoding!r}); f.write({TEXT!r}); f.close()")
                self.assertEqual(self.path.read_bytes(), TEXT.encode(encoding or "utf-8"))
                read = self.shown(f"f = open(name, encoding={encoding!r})\n"
                                  "print(f.encoding, ascii(f.read(4)), ascii(f.readline()), ascii(list(f)))")
                self.assertEqual(read, f"{shown} 'caf\\xe9' ' 1\\n' ['na\\xefve\\n']\n")

    def test_errors(self):
        self.shown(f"f = open(name, 'w', encoding='ascii', errors='backslashreplace'); f.write({TEXT!r}); f.close()")
        self.assertEqual(self.path.read_bytes(), TEXT.encode("ascii", "backslashreplace"))
        self.path.write_bytes(b"a\xff\n")
        read = self.shown("for e in 'replace', 'surrogateescape', 'ignore':\n    print(ascii(open(name, errors=e).read()))")
        self.assertEqual(read, "'a\\ufffd\\n'\n'a\\udcff\\n'\n'a\\n'\n")

    def test_what_is_refused(self):
        self.path.write_bytes(b"a\xff\n")
        for options, error in (
                ("", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"),
                ("encoding='ascii'",
                 "UnicodeDecodeError: 'ascii' codec can't decode byte 0xff in position 1: ordinal not in range(128)"),
                ("encoding='nosuch'", "LookupError: unknown encoding: nosuch"),
                ("mode='rb', encoding='ascii'", "ValueError: binary mode doesn't take an encoding argument"),
                ("mode='rb', errors='strict'", "ValueError: binary mode doesn't take an errors argument"),
                ("encoding='utf-16'", "ValueError: open() reads and writes utf-8, ascii and latin-1; open other text "
                 "with mode 'b', and decode it")):
            with self.subTest(options):
                self.assertEqual(self.shown(f"open(name, {options}).read()").splitlines()[-1], error)
        self.assertEqual(
            self.shown("f = open(name, 'w', encoding='latin-1'); f.write('\\u20ac')").splitlines()[-1],
            "UnicodeEncodeError: 'latin-1' codec can't encode character '\\u20ac' in position 0: "
            "ordinal not in range(256)")


if __name__ == "__main__":
    unittest.main()
