"""Looking changes nothing, for every operator and five dtypes: every_operator.tsc."""

import os
import subprocess
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope"))
SCRIPT = Path(__file__).resolve().with_name("every_operator.tsc")
LEAST = 1350  # operators that can be called by their schemas alone, of some 1,780


@unittest.skipIf("asan" in PROGRAM, "takes minutes there")
class EveryOperator(unittest.TestCase):
    def test_onlookers_change_nothing(self):
        done = subprocess.run([PROGRAM, SCRIPT], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        first, *differences = done.stdout.splitlines()
        self.assertEqual(differences, [])
        self.assertGreater(int(first.split()[0]), LEAST)


if __name__ == "__main__":
    unittest.main()
