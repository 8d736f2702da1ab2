"""Every operator with random arguments of the types that its schema declares: nothing kills the program.

TENSORSCOPE_SEEDS=N takes N seeds by chance, which a failure names; TENSORSCOPE_SEED=N repeats one.
"""

import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope"))
SCRIPT = Path(__file__).resolve().with_name("any_arguments.tsc")
CHANCE = os.environ.get("TENSORSCOPE_SEEDS")
LIMIT = 600  # seconds
LEAST = 5000  # calls that have to give results, of some 21,000


def seeds():
    if given := os.environ.get("TENSORSCOPE_SEED"):
        return [int(given)]
    return random.sample(range(1 << 30), int(CHANCE)) if CHANCE else [1, 2, 3]


class Operators(unittest.TestCase):
    def test_any_arguments_are_taken_or_refused(self):
        for seed in seeds():
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([PROGRAM, SCRIPT, str(seed)], cwd=folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, timeout=LIMIT, check=False)
                lines = done.stdout.decode(errors="replace").splitlines()
                self.assertEqual(done.returncode, 0, f"at {lines[-1:]}\n{done.stderr.decode(errors='replace')[-2000:]}")
                self.assertEqual([line for line in lines if line.startswith("FAILED")], [])
                self.assertGreater(int(lines[-1].split()[0]), LEAST)


if __name__ == "__main__":
    unittest.main()
