"""The cells of the operators are of the kinds that PyTorch's are, but for those that reasons.yaml names."""

import os
import pathlib
import sys
import unittest

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from cells import agree  # noqa: E402
from ours import tables_of  # noqa: E402

PROGRAM = os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")


def differing(ours):
    recorded = dict(line.split("\t") for line in (FOLDER / "pytorch.tsv").read_text(encoding="utf-8").splitlines())
    return {name for name, row in recorded.items() if name not in ours or not agree(row, ours[name])}


def reasons():
    """Reason -> names."""
    return {entry["reason"]: entry["rows"].split() for entry in yaml.safe_load((FOLDER / "reasons.yaml").read_text(encoding="utf-8"))}


class Cells(unittest.TestCase):
    def test_differences_have_reasons(self):
        named = [name for names in reasons().values() for name in names]
        self.assertEqual(len(named), len(set(named)))
        self.assertEqual(differing(tables_of(PROGRAM)), set(named))


if __name__ == "__main__":
    unittest.main()
