"""The scripts beside this file, on the emulator: each prints what its .expected file says.

With TENSORSCOPE_ACCEPT=1 the files are written.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("TENSORSCOPE_PROGRAM", ROOT / "build/src/tensorscope"))
SCRIPTS = sorted((Path(__file__).resolve().parent / "scripts").glob("*.tsc"))


class Scripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # What one script has compiled, the next one loads.
        cls.cache = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.cache.cleanup()

    def check(self, script):
        environment = {**os.environ, "TENSORSCOPE_CUDA": "emulator", "TENSORSCOPE_KERNEL_CACHE": self.cache.name,
                       "TENSORSCOPE_CUDA_NO_CACHING": "1", "TENSORSCOPE_EMULATOR_STRICT": "1"}
        done = subprocess.run([PROGRAM, script.name], cwd=script.parent, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        expected = script.with_suffix(".expected")
        if os.environ.get("TENSORSCOPE_ACCEPT") == "1":
            expected.write_text(done.stdout)
        self.assertGreaterEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout, expected.read_text())


def add(script):
    setattr(Scripts, f"test_{script.stem}", lambda self: self.check(script))


for each in SCRIPTS:
    add(each)

if __name__ == "__main__":
    unittest.main()
