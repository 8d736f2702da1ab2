"""Looking changes nothing: scripts print the same while all onlookers look on at once."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")
SCRIPTS = pathlib.Path(__file__).parent / "scripts"

# On the line before a script's first. The watch shows no operator of that name: what it writes is not the script's.
LOOK_ON = """\
import torch; onlookers = [dispatch.watch("full", op="no::operator"), dispatch.count(), \
torch.profiler.profile(profile_memory=True)]; [onlooker.__enter__() for onlooker in onlookers]
"""
# The same line without onlookers.
ALONE = "import torch\n"


def run(path, first_line):
    with tempfile.NamedTemporaryFile("w", suffix=".tsc") as script:
        script.write(first_line + path.read_text())
        script.flush()
        done = subprocess.run([PROGRAM, script.name], cwd=path.parent, capture_output=True, text=True, timeout=600)
        return done.returncode, *(text.replace(script.name, path.name) for text in (done.stdout, done.stderr))


class Scripts(unittest.TestCase):
    def test_they_print_the_same(self):
        paths = sorted(SCRIPTS.rglob("*.tsc"))
        self.assertGreater(len(paths), 100)
        for path in paths:
            with self.subTest(path=path.relative_to(SCRIPTS)):
                self.assertEqual(run(path, LOOK_ON), run(path, ALONE))
