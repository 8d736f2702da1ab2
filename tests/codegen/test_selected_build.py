"""A whole build for the operators of scripts/digits.tsc: its size, its output, and what it says of the others.

It takes as long as a clean build, so it runs only where TENSORSCOPE_SELECTED_BUILD names a folder for it, which is kept:

    TENSORSCOPE_SELECTED_BUILD=build-digits ./dev test selected_build
"""

import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope"))
FOLDER = os.environ.get("TENSORSCOPE_SELECTED_BUILD")
SCRIPT = ROOT / "scripts" / "digits.tsc"


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@unittest.skipUnless(FOLDER, "TENSORSCOPE_SELECTED_BUILD is not set")
class Digits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = ROOT / FOLDER
        operators = folder.with_suffix(".ops")
        operators.write_text(run(PROGRAM, "--list-ops-used", SCRIPT).stdout)
        option = f"-Dselected_ops={operators.relative_to(ROOT)}"
        if not (folder / "build.ninja").exists():
            own = ROOT / "build-tools" / "bin" / "meson"  # where the system's is too old
            meson = own if own.exists() else "meson"
            subprocess.run([meson, "setup", folder, ROOT, option], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", folder, "src/tensorscope"], check=True, stdout=subprocess.DEVNULL)
        cls.program = folder / "src" / "tensorscope"

    def test_it_is_a_third_in_size(self):
        self.assertLessEqual(3 * self.program.stat().st_size, PROGRAM.stat().st_size)

    def test_its_output_is_the_same(self):
        self.assertEqual(run(self.program, SCRIPT).stdout, run(PROGRAM, SCRIPT).stdout)

    def test_other_operators_are_not_in_it(self):
        done = run(self.program, "-c", "print(hasattr(torch, 'sort'), torch.ones(2).fft.fft)")
        self.assertEqual(done.returncode, 1)
        done = run(self.program, "-c", "torch.ops.aten.sort(torch.ones(2))")
        self.assertIn("sort", done.stderr)


if __name__ == "__main__":
    unittest.main()
