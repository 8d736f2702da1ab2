"""An explanation writes no file, reads no input, and moves no position in a file."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope"))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def shown(self, code, given=""):
        prelude = "import sys\nimport numpy as np\ndef explained(code): return dispatch.explain(code, form='data')['failure']\n"
        done = subprocess.run([PROGRAM, "-c", prelude + code], input=given, text=True, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        return done.stdout

    def test_nothing_is_opened_for_writing(self):
        (self.folder / "old").write_text("kept")
        for code in ("open('old', 'w')", "open('old', 'a')", "open('old', 'r+')", "open('new', 'wb')",
                     "open('new', 'x')", "np.save('new.npy', torch.ones(2))",
                     "np.savetxt('new', torch.ones(2))"):
            with self.subTest(code):
                shown = self.shown(f"print(explained({code!r}))\ntry:\n    print(explained(lambda: {code}))\n"
                                   "except BaseException: print('raised')")
                name = "old" if "old" in code else "new.npy" if "npy" in code else "new"
                refused = f"Refused: opening '{name}' for writing cannot be taken back\n"
                self.assertEqual(shown, refused + refused)
        shown = self.shown("from torch.profiler import profile\nwith profile() as prof: torch.ones(2)\n"
                           "print(explained(lambda: prof.export_chrome_trace('new')))")
        self.assertEqual(shown, "Refused: opening 'new' for writing cannot be taken back\n")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["old"])
        self.assertEqual((self.folder / "old").read_text(), "kept")

    def test_a_refusal_cannot_be_caught(self):
        shown = self.shown("def f():\n  try: open('new', 'w')\n  except BaseException: pass\n  finally: torch.ones(2)\n"
                           "print(dispatch.explain(f))")
        self.assertEqual(shown, "it ends with Refused: opening 'new' for writing cannot be taken back\n\n")

    def test_calls_under_way_are_shown(self):
        shown = self.shown("dispatch.define('t::f(Tensor x) -> Tensor')\n"
                           "dispatch.impl('t::f', 'CPU', lambda x: open('new', 'w') and x)\n"
                           "data = dispatch.explain('torch.ones(2).exp(); torch.ops.t.f(torch.ones(2))', form='data')\n"
                           "print([call['op'] for call in data['calls']], data['calls'][-1]['results'])")
        self.assertEqual(shown, "['aten::ones', 'aten::exp', 'aten::ones', 't::f'] None\n")

    def test_an_open_file_stays_as_it_is(self):
        (self.folder / "lines").write_text("".join(f"{i}\n" for i in range(5000)))
        shown = self.shown(
            "f = open('lines')\nfirst = f.readline()\n"
            "print(explained(lambda: len(f.readlines()) == 4999 or 1 // 0))\n"
            "print(explained(f.close), first, f.readline(), len(f.readlines()))\n"
            "g = open('out', 'w')\ng.write('a')\nprint(explained(lambda: g.write('b')))\n"
            "print(explained(g.close))\ng.write('c')\ng.close()\nprint(open('out').read())")
        self.assertEqual(shown, "None\nNone 0\n 1\n 4998\n"
                                "Refused: using 'out', which is open for writing, cannot be taken back\nNone\nac\n")

    def test_input_is_left_to_the_session(self):
        shown = self.shown("print(explained(input))\nprint(explained('sys.stdin.readline()'))\nprint(input())\n"
                           "print(explained(input))\nprint(sys.stdin.read())", "first\nsecond\n")
        refused = "Refused: reading the standard input cannot be taken back\n"
        self.assertEqual(shown, f"{refused}{refused}first\n{refused}second\n\n")

    def test_a_pipe_is_left_to_the_session(self):
        os.mkfifo(self.folder / "pipe")
        shown = self.shown("print(explained(lambda: open('pipe')))")
        self.assertEqual(shown, "Refused: reading 'pipe', which is no plain file, cannot be taken back\n")

    def test_output_is_not_doubled(self):
        shown = self.shown("print('a', end='')\nexplained(lambda: print('b' * 100000))\n"
                           "explained(lambda: print('c', file=sys.stderr))\n"
                           "explained('import warnings\\nwarnings.warn(\"d\")')\nprint('e')")
        self.assertEqual(shown, "ae\n")

    def test_plug_ins_are_not_loaded(self):
        shown = self.shown("print(explained(lambda: dispatch.load('x.so')))")
        self.assertEqual(shown, "Refused: loading the plug-in 'x.so' cannot be taken back\n")


if __name__ == "__main__":
    unittest.main()
