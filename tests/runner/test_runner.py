"""What the runner takes for a pass and for a failure."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cpp
import documents
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


class Documents(unittest.TestCase):
    SESSION = """\
tsc> for i in x:
 ...     i
 ...
1
tsc -Autograd no_grad> x
...
last
tsc> y;
"""

    def test_sessions_are_cut_at_prompts(self):
        entries = documents.split_entries(self.SESSION.splitlines())
        self.assertEqual([entry.typed for entry in entries], [["for i in x:", "    i", ""], ["x"], ["y;"]])
        self.assertEqual([entry.answer for entry in entries], [["1"], ["...", "last"], []])
        self.assertEqual("".join(line + "\n" for entry in entries for line in entry.lines()), self.SESSION)

    def test_lines_may_be_left_out(self):
        for pattern, lines, agrees in ((["a", "...", "c"], ["a", "b", "b", "c"], True),
                                       (["a", "  ...", "c"], ["a", "c"], True),
                                       (["a", "...", "c"], ["a", "b"], False),
                                       (["..."], [], True), (["a"], ["a", "b"], False), ([], ["a"], False),
                                       (["a"], ["a  "], True)):
            self.assertEqual(documents.matches(pattern, lines), agrees, (pattern, lines))

    def test_an_example_that_is_wrong_fails_and_is_mended(self):
        options = Options(Path(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")).parents[1].resolve())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "guide.md"
            path.write_text("# A guide\n\n```\ntsc> 1 + 1\n3\ntsc> 'a'\n...\n```\n\n```python\n1 / 0\n```\n\n"
                            "```python\nprint(2)    # expect: 3\n```\n\n```python\nprint(3)    # expect: 3\n```\n")
            results = documents.run_document(path, options)
            self.assertEqual([result.passed for result in results], [False, False, False, True])
            self.assertTrue(results[0].name.endswith("guide.md: the example in line 4"))
            self.assertIn("-3\n+2\n", results[0].message)
            options.accept = True
            documents.run_document(path, options)
            self.assertIn("```\ntsc> 1 + 1\n2\ntsc> 'a'\n...\n```\n", path.read_text())


class Programs(unittest.TestCase):
    def test_names_become_patterns(self):
        self.assertEqual(cpp.pattern("a, b * c"), "a? b ? c")

    def test_the_report_is_found_among_other_output(self):
        text, stray = cpp.split("noise\n<?xml?><doctest>x</doctest>\nmore")
        self.assertEqual(text, "<?xml?><doctest>x</doctest>")
        self.assertIn("noise", stray)
        self.assertEqual(cpp.split("crashed")[0], "")
