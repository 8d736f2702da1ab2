"""docs/columns.md: the column that it adds compiles, and its slips are said as the page says."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SOURCE = ROOT / "src"
GUIDE = (ROOT / "docs" / "columns.md").read_text()
COMPILER = os.environ.get("CXX", "g++").split()[-1]
# Under another name, since somebody may have added the page's column as it stands.
RECORD, COLUMN = (code.replace("Tally", "Tallied") for code in re.findall(r"```cpp\n(.*?)```", GUIDE, re.DOTALL))
BEFORE = "TSC_CUSTOM_COLUMN(Custom1)\n"


class Columns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # A copy, since a file is looked for beside the one that includes it first.
        for layer in ("core", "dispatch"):
            shutil.copytree(SOURCE / layer, self.folder / layer)

    def compile(self, record, text='#include "core/keys/dispatch_key.h"\n', *options):
        """What the compiler says of a file, with one more record; "" where it takes it."""
        path = self.folder / "core" / "keys" / "dispatch_keys.def"
        records = path.read_text()
        self.assertEqual(records.count(BEFORE), 1)
        path.write_text(records.replace(BEFORE, BEFORE + "\n" + record))
        (self.folder / "unit.cpp").write_text(text)
        done = subprocess.run(
            [COMPILER, "-std=c++20", "-I", self.folder, *(options or ["-fsyntax-only"]), self.folder / "unit.cpp"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env={**os.environ, "LC_ALL": "C"})
        return done.stdout if done.returncode else ""

    def assert_says(self, message, answer):
        """The page's table has the message, and the compiler gave it."""
        self.assertIn(message, GUIDE)
        self.assertIn(message, answer.replace("\u2018", "'").replace("\u2019", "'").replace("Tallied", "Tally"))

    def test_the_column_of_the_page(self):
        self.assertEqual(self.compile(RECORD, COLUMN), "")

    def test_without_a_fallback(self):
        self.assert_says("the column Tally names no fallback: RUNS(...), FALLS_THROUGH or NO_FALLBACK",
                         self.compile(RECORD.replace(" RUNS(keys, tally_fallback),", "")))

    def test_with_a_field_missing(self):
        for field in ("presence", "role", "switched_as", "purpose"):
            with self.subTest(field):
                self.setUp()
                without = re.sub(rf",\n    \.{field} = [^,)]*", "", RECORD)
                self.assertNotEqual(without, RECORD)
                self.assert_says("the record of the column Tally lacks its presence, its role, its purpose, "
                                 "or its switch or why there is none", self.compile(without))

    def test_with_a_switch_and_a_reason_for_none(self):
        both = RECORD.replace("    .purpose", '    .not_switched = "it is",\n    .purpose')
        self.assertIn("or its switch or why there is none", self.compile(both))

    def test_without_the_function(self):
        objects = self.folder / "unit.o"
        fallbacks = (SOURCE / "keys" / "fallbacks.cpp").read_text()
        self.assertEqual(self.compile(RECORD, fallbacks, "-c", "-o", objects), "")
        done = subprocess.run(["nm", "--demangle", "--undefined-only", objects],
                              stdout=subprocess.PIPE, text=True, check=True)
        self.assert_says("tsc::keys::tally_fallback(tsc::OperatorHandle const&, tsc::DispatchKeySet, tsc::Stack*)",
                         done.stdout)

    def test_with_another_name_in_the_file(self):
        self.assert_says("'Taly' is not a member of 'tsc::DispatchKey'",
                         self.compile(RECORD, COLUMN.replace("DispatchKey::Tallied", "DispatchKey::Taly")))


if __name__ == "__main__":
    unittest.main()
