"""Expectations that stand in a script, beside the statements that they are about.

    print(2 * 3)    # expect: 6

    print(torch.eye(2))
    # expect:
    # tensor([[1., 0.],
    #         [0., 1.]])

    warnings.warn("late")
    # expect warning: script.tsc:9: UserWarning: late
    [1][2]          # expect error: IndexError: list index out of range

`# expect:` is a line of standard output; `# expect warning:` is a line of standard error; `# expect error:` is the
last line of a script that ends with an error. Where nothing follows the colon and the comment has its line to
itself, the comment lines below it, up to one that is no comment, are the lines that are expected (`#` alone is an
empty one). All of standard output has to be expected, in the order of the file, and all of standard error but for the
traceback above the lines of `# expect error:`.

Statements of a module run in the order of the file, so each has an output of its own: `annotate` finds it by running
a copy of the script that prints a mark before each statement.
"""

import ast
import re
from dataclasses import dataclass, field

EXPECT = re.compile(r"# expect(?P<kind>| error| warning):(?: (?P<text>.*))?$")
WIDTH = 120  # columns of a statement with its expectation beside it
MARK = "\x1e"


@dataclass
class Expectations:
    """What a source expects, as lists of lines; `error` is None where it should end well."""

    output: list = field(default_factory=list)
    warnings: list = field(default_factory=list)
    error: list | None = None
    problem: str = ""  # why the source's own expectations make no sense

    @property
    def empty(self):
        return not (self.output or self.warnings or self.error or self.problem)


@dataclass
class Note:
    """One expectation: the lines of the source that it takes, and what it expects."""

    first: int  # from 0
    end: int
    kind: str
    lines: list
    beside: bool  # a statement stands on its line


def notes(lines):
    """The expectations in a list of lines, in order."""
    found, number = [], 0
    while number < len(lines):
        line = lines[number]
        match = EXPECT.search(line)
        if not match:
            number += 1
            continue
        kind, text = match["kind"].strip(), match["text"]
        beside, end = bool(line[:match.start()].strip()), number + 1
        expected = [text or ""]
        if not beside and not text:
            prefix = line[:match.start()] + "#"
            while end < len(lines) and (lines[end] == prefix or lines[end].startswith(prefix + " ")) and \
                    not EXPECT.search(lines[end]):
                end += 1
            if end > number + 1:
                expected = [line[len(prefix) + 1:] for line in lines[number + 1:end]]
        found.append(Note(number, end, kind, expected, beside))
        number = end
    return found


def parse(source):
    """What a source expects."""
    expected = Expectations()
    for note in notes(source.split("\n")):
        if note.kind == "error":
            if expected.error is not None:
                expected.problem = (f"line {note.first + 1} expects a second error, but a script ends with its first: "
                                    "catch the errors, or write a script for each\n")
            expected.error = note.lines
        elif note.kind == "warning":
            expected.warnings += note.lines
        else:
            expected.output += note.lines
    return expected


# --- Writing expectations ------------------------------------------------------


@dataclass
class Unit:
    """Lines of a source that run once, in the order of the file."""

    first: int  # from 0; the line before which a mark may stand
    end: int
    indent: str
    simple: bool  # an expectation may stand beside its last line
    markable: bool


def first_line(node):
    return min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])


def units(source):
    """The statements of a module that run once; those of `if`, `try` and `with` one by one, a loop as a whole."""
    lines, found = source.split("\n"), []

    def add(node, end, simple):
        first = first_line(node) - 1
        if found and first < found[-1].end:  # on one line with the one before
            found[-1].end, found[-1].simple = max(end, found[-1].end), found[-1].simple and simple
            return
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        indent = lines[first][:len(lines[first]) - len(lines[first].lstrip())]
        chained = lines[first].lstrip().startswith("elif")  # no mark fits before it
        found.append(Unit(first, end, indent, simple, not text and not chained))

    def visit(body):
        for node in body:
            if isinstance(node, (ast.If, ast.With, ast.Try)):
                start = first_line(node.body[0]) - 1
                add(node, max(node.lineno, start), start >= node.lineno)
                visit(node.body)
                for handler in getattr(node, "handlers", []):
                    visit(handler.body)
                visit(getattr(node, "orelse", []))
                visit(getattr(node, "finalbody", []))
            else:
                compound = hasattr(node, "body") and not isinstance(node, ast.Expr)
                add(node, node.end_lineno, not compound)

    visit(ast.parse(source).body)
    return found


def marked(source):
    """The source with a statement before each unit that prints its mark."""
    lines = source.split("\n")
    for number, unit in reversed(list(enumerate(units(source)))):
        if unit.markable:
            lines.insert(unit.first, f'{unit.indent}print("{MARK}{number}{MARK}", end="", flush=True)')
    return "\n".join(lines)


def shares(marked_output, count):
    """How many lines of output each of `count` units finished, by the output of the marked source."""
    numbers, current = [0] * count, 0
    for part in re.split(f"({MARK}[0-9]+{MARK})", marked_output):
        if part.startswith(MARK):
            current = int(part.strip(MARK))
        elif part:
            numbers[current] += part.count("\n")
    if re.sub(f"{MARK}[0-9]+{MARK}", "", marked_output.split("\n")[-1]):
        numbers[current] += 1  # a last line without its end
    return numbers


def annotate(source, marked_output, output, warnings, error):
    """The source with these lines as its expectations, each beside the statement that it comes from.

    `error` is the end of standard error, from the traceback on. Expectations that are right already stay as they are.
    """
    found = units(source)
    numbers = shares(marked_output, len(found))
    if sum(numbers) != len(output):
        raise ValueError("the script prints something else when its statements are marked")
    lines, place = source.split("\n"), 0
    wanted = []
    for unit, number in zip(found, numbers):
        wanted.append({"": output[place:place + number], "warning": [], "error": []})
        place += number
    for text in split_warnings(warnings):
        wanted[unit_of_warning(text, found)]["warning"] += text
    if error:
        length = len(parse(source).error or [""])
        wanted[unit_of_error(error, found)]["error"] = error[-length:]
    for number in reversed(range(len(found))):
        unit, start = found[number], found[number].first if number else 0
        end = found[number + 1].first if number + 1 < len(found) else len(lines)
        lines[start:end] = write(lines[start:end], unit.end - start, unit, wanted[number])
    return "\n".join(lines)


def split_warnings(lines):
    """Standard error without a traceback, cut where a warning begins."""
    found = []
    for line in lines:
        if not found or re.match(r"\S+:\d+: \w+", line):
            found.append([])
        found[-1].append(line)
    return found


def unit_of_warning(text, found):
    place = re.match(r"\S+:(\d+): ", text[0])
    return unit_at(int(place[1]) - 1, found) if place else len(found) - 1


def unit_of_error(error, found):
    places = [re.match(r'  File ".*", line (\d+), in <module>$', line) for line in error]
    last = [int(place[1]) - 1 for place in places if place]
    return unit_at(last[-1], found) if last else len(found) - 1


def unit_at(line, found):
    return max([number for number, unit in enumerate(found) if unit.first <= line], default=0)


def write(lines, code_end, unit, wanted):
    """The lines of one unit, of which the first `code_end` are its code, with their expectations."""
    there = notes(lines)
    if {kind: [line for note in there if note.kind == kind for line in note.lines] for kind in wanted} == wanted:
        return lines
    kept = []
    taken = {number: note for note in there for number in range(note.first, note.end)}
    cut = 0  # lines of code that go
    for number, line in enumerate(lines):
        note = taken.get(number)
        if note is None:
            kept.append(line)
        elif note.beside:
            kept.append(EXPECT.sub("", line).rstrip())
        elif number < code_end:
            cut += 1
    code_end -= cut
    added = []
    for kind, expected in wanted.items():
        if not expected:
            continue
        head = "# expect" + (" " + kind if kind else "") + ":"
        last = kept[code_end - 1]
        if len(expected) == 1 and unit.simple and sum(map(bool, wanted.values())) == 1 and "#" not in last and \
                len(last) + len(head) + len(expected[0]) + 3 <= WIDTH:
            kept[code_end - 1] = f"{last}  {head}{' ' if expected[0] else ''}{expected[0]}"
        elif len(expected) == 1 and expected[0]:
            added.append(f"{unit.indent}{head} {expected[0]}")
        else:
            added += [f"{unit.indent}{head}"] + [f"{unit.indent}# {line}" if line else f"{unit.indent}#"
                                                 for line in expected]
    if added and code_end < len(kept) and kept[code_end].lstrip().startswith("#"):
        added.append("")  # or the comment would be expected, too
    return kept[:code_end] + added + kept[code_end:]
