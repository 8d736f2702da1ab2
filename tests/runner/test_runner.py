"""What the runner takes for a pass and for a failure."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import cpp
import documents
import expectations
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
        self.assertEqual(self.compare(1, "6\n\n", "Traceback (most recent call last):\n  ...\nIndexError: list index out of range\n"), "")

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


class Expectations(unittest.TestCase):
    """Expectations in a source: how they are read, and how --accept writes them."""

    BLOCKS = """print("a\\n\\nb")
# expect:
# a
#
#   b
for i in range(2):
    print(i)
    # expect:
    # 0
    # 1
# a remark
f()
# expect warning: s.tsc:9: UserWarning: w
raise E
# expect error:
# Traceback
# E
"""

    def test_blocks_hold_the_lines_below(self):
        expected = expectations.parse(self.BLOCKS)
        self.assertEqual(expected.output, ["a", "", "  b", "0", "1"])
        self.assertEqual(expected.warnings, ["s.tsc:9: UserWarning: w"])
        self.assertEqual(expected.error, ["Traceback", "E"])

    def test_lines_of_their_own_are_no_block(self):
        self.assertEqual(expectations.parse("f()\n# expect: a\n# expect:\n# expect: b\n# no\n").output, ["a", "", "b"])

    def test_a_second_error_is_refused(self):
        source = "f()  # expect error: E: a\ng()  # expect error: E: b\n"
        for last in ("E: a", "E: b"):
            message = scripts.compare_lines(source, 1, "", f"Traceback (most recent call last):\n{last}\n")
            self.assertIn("line 2 expects a second error", message)

    def test_a_source_that_expects_nothing_fails(self):
        self.assertIn("expects nothing", scripts.compare_lines("x = 1\n", 0, "", ""))

    def test_standard_error_is_expected_whole(self):
        warning = "s.tsc:1: UserWarning: w\n  f()\n"
        source = "f()\n# expect warning:\n# s.tsc:1: UserWarning: w\n#   f()\n"
        self.assertEqual(scripts.compare_lines(source, 0, "", warning), "")
        self.assertIn("-s.tsc:1", scripts.compare_lines(source, 0, "", ""))
        self.assertIn("more than is expected", scripts.compare_lines(source, 0, "", warning + "more\n"))
        self.assertIn("more than is expected", scripts.compare_lines("f()  # expect: 6\n", 0, "6\n", warning))
        failed = warning + "Traceback (most recent call last):\n  ...\nE: e\n"
        self.assertEqual(scripts.compare_lines(source + "g()  # expect error: E: e\n", 1, "", failed), "")
        self.assertIn("more than is expected", scripts.compare_lines("g()  # expect error: E: e\n", 1, "", failed))

    def accepted(self, source):
        options = Options(Path(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope")).parents[1].resolve(),
                          accept=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "case.tsc"
            path.write_text(source)
            self.assertEqual(scripts.accept_lines(path, options), "")
            options.accept = False
            self.assertTrue(scripts.run_script(path, options).passed)
            return path.read_text()

    def test_accept_writes_beside_statements(self):
        self.assertEqual(self.accepted("""def f(x):
    print(x)
    return x


f(1)
# A remark.
f("a\\nb")
# Another.
for i in range(2):
    f(i)
if f(5):
    print(6)
else:
    print(7)
try:
    f(8)
    [][f(9)]
except IndexError as error:
    print(error)
print(end="")
f(10); f(11)
print("12345678 " * 12)
raise ValueError(f("x"))
"""), """def f(x):
    print(x)
    return x


f(1)  # expect: 1
# A remark.
f("a\\nb")
# expect:
# a
# b

# Another.
for i in range(2):
    f(i)
# expect:
# 0
# 1
if f(5):  # expect: 5
    print(6)  # expect: 6
else:
    print(7)
try:
    f(8)  # expect: 8
    [][f(9)]  # expect: 9
except IndexError as error:
    print(error)  # expect: list index out of range
print(end="")
f(10); f(11)
# expect:
# 10
# 11
print("12345678 " * 12)
# expect: """ + "12345678 " * 12 + """
raise ValueError(f("x"))
# expect: x
# expect error: ValueError: x
""")

    def test_accept_leaves_what_is_right(self):
        self.assertEqual(self.accepted("""print(1)     # expect: 1
print(2)        # expect: 3
print("a b")
# expect: a b
print("c")
# expect:
# b
# c
print(4)
"""), """print(1)     # expect: 1
print(2)  # expect: 2
print("a b")
# expect: a b
print("c")  # expect: c
print(4)  # expect: 4
""")

    def test_accept_moves_lines_that_messages_name(self):
        text = self.accepted("import warnings\nprint('a\\nb')\nwarnings.warn('late')\nprint(3)\nraise ValueError('e')\n")
        self.assertEqual(text, """import warnings
print('a\\nb')
# expect:
# a
# b
warnings.warn('late')
# expect warning:
# case.tsc:6: UserWarning: late
#   warnings.warn('late')
print(3)  # expect: 3
raise ValueError('e')  # expect error: ValueError: e
""")


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
