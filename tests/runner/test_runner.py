"""What the runner takes for a pass and for a failure."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cpp
import scripts
from case import Options

SOURCE = """print(6)        # expect: 6
print()         # expect:
print([1][2])   # expect error: IndexError: list index out of range
"""


class Lines(unittest.TestCase):
    def compare(self, code, stdout, stderr):
        return scripts.compare_lines(SOURCE, code, stdout, stderr)

    def test_what_was_expected_passes(self):
        self.assertEqual(self.compare(1, "6\n\n", "...\nIndexError: list index out of range\n"), "")

    def test_another_line_fails(self):
        self.assertIn("+7", self.compare(1, "7\n\n", "IndexError: list index out of range\n"))

    def test_a_missing_line_fails(self):
        self.assertIn("-", self.compare(1, "6\n", "IndexError: list index out of range\n"))

    def test_another_error_fails(self):
        self.assertIn("expected the error", self.compare(1, "6\n\n", "IndexError: no\n"))

    def test_no_error_fails(self):
        self.assertIn("expected the error", self.compare(0, "6\n\n", ""))

    def test_an_error_that_is_not_expected_fails(self):
        self.assertIn("ended with 1", scripts.compare_lines("print(6)  # expect: 6\n", 1, "6\n", "E: x\n"))


class Files(unittest.TestCase):
    def test_accept_writes_and_then_it_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            expected = Path(folder, "a.expected")
            plain, accepting = Options(Path(folder)), Options(Path(folder), accept=True)
            self.assertIn("does not exist", scripts.compare_file("6\n", expected, plain))
            self.assertEqual(scripts.compare_file("6\n", expected, accepting), "")
            self.assertEqual(scripts.compare_file("6\n", expected, plain), "")
            self.assertIn("+7", scripts.compare_file("7\n", expected, plain))

    def test_the_whole_output_has_parts(self):
        self.assertEqual(scripts.whole_output(0, "6\n", ""), "6\n")
        self.assertEqual(scripts.whole_output(1, "6\n", "E: x\n"), "6\n[stderr]\nE: x\n[exit 1]\n")

    def test_measured_times_are_masked(self):
        row = "aten::add   12.34%      1.500us  2"
        self.assertEqual(scripts.mask(row), "aten::add <measured> <measured>  2")
        self.assertEqual(scripts.mask("total: 3.2 ms"), "total: <measured>")
        self.assertEqual(scripts.mask("tensor([1., 2.]) 3 items"), "tensor([1., 2.]) 3 items")


class Programs(unittest.TestCase):
    def test_names_become_patterns(self):
        self.assertEqual(cpp.pattern("a, b * c"), "a? b ? c")

    def test_the_report_is_found_among_other_output(self):
        text, stray = cpp.split("noise\n<?xml?><doctest>x</doctest>\nmore")
        self.assertEqual(text, "<?xml?><doctest>x</doctest>")
        self.assertIn("noise", stray)
        self.assertEqual(cpp.split("crashed")[0], "")
