"""An explanation is the run: the scripts of tests/scripts, with each statement explained before it runs.

What dispatch.explain() shows of a statement has to be what dispatch.watch("collect") sees of it right
after, but for the times. And the script has to print what it prints without explanations: they have no
effect. With TENSORSCOPE_EXPLAIN=all every script is taken, else a part of them.
"""

import ast
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ.get("TENSORSCOPE_PROGRAM", "build/src/tensorscope"))
SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "scripts"
ALL = os.environ.get("TENSORSCOPE_EXPLAIN") == "all"
# Of the folders that are about routes every script, of the others each third one.
WHOLE = ("dispatcher", "keys")
# Loops of thousands of calls, which take minutes to collect.
LONG = ("autograd/in_place_as_functional", "autograd/second_derivatives", "autograd/training", "fft/lengths",
        "fft/transforms", "keys/pairs", "observe/looking_changes_nothing", "operators/every_second_element", "operators/lu_batches",
        "operators/mixed_dtypes", "operators/permuted_images_and_volumes", "operators/reduced_short_rows",
        "operators/transposed_operands")
# Files are written, which an explanation refuses to do.
WRITING = ("language/savetxt_dtypes", "language/savetxt_formats")

COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
# On the line of the first statement, so that every line keeps its number. Marks go out with the output.
PRELUDE = ('_timeless = lambda hops: [{name: _timeless(value) if name == "inner" else value for name, value in '
           'hop.items() if name != "nanoseconds"} for hop in hops]; '
           # Builtins as they are now, which the script may hide.
           '_check = lambda line, print=print, str=str, len=len: print(end="\\x01" + str(line) + " " + str('
           '_explained["failure"] or (len(_watch.calls) if _timeless(_explained["calls"]) == _timeless(_watch.calls) '
           'else "differs")) + "\\x02"); ')
MARK = re.compile("\x01(\\d+) (.*?)\x02", re.S)
# Reports quote the line, with what was inserted there, or name its column.
QUOTED = re.compile(r"(\.tsc:\d+):.*")


def opening(text):
    return (f"_explained = dispatch.explain({text!r}, form='data'); _watch = dispatch.watch('collect'); "
            "_watch.__enter__(); ")


def closing(line):
    return f"_watch.__exit__(None, None, None); _check({line})"


def with_explanations(text):
    """The script, and how many of its statements are explained."""
    statements = ast.parse(text).body
    lines = [line.encode() for line in text.split("\n")]
    insertions = []
    simple = [not isinstance(s, (*COMPOUND, ast.FunctionDef, ast.ClassDef)) for s in statements]
    count = 0
    for i, statement in enumerate(statements):
        start = (statement.lineno - 1, statement.col_offset)
        end = (statement.end_lineno - 1, statement.end_col_offset)
        own = opening(ast.get_source_segment(text, statement))
        if simple[i]:
            insertions += [(start, own), (end, "; " + closing(statement.lineno))]
        elif isinstance(statement, COMPOUND) and 0 < i < len(statements) - 1 and simple[i - 1] and simple[i + 1]:
            before = statements[i - 1]
            behind = statements[i + 1]
            insertions += [((before.end_lineno - 1, before.end_col_offset), "; " + own.removesuffix("; ")),
                           ((behind.lineno - 1, behind.col_offset), closing(statement.lineno) + "; ")]
        else:
            continue
        count += 1
    if count:
        insertions.insert(0, (min(place for place, _ in insertions), PRELUDE))
    # Backwards, so that places stay; those at one place in their order.
    for (line, column), inserted in reversed(sorted(insertions, key=lambda insertion: insertion[0])):
        lines[line] = lines[line][:column] + inserted.encode() + lines[line][column:]
    return b"\n".join(lines).decode(), count


def output(name, text):
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "NO_COLOR": "1", "TERM": "dumb"}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, name).write_text(text)
        done = subprocess.run([PROGRAM, name], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
    return done.returncode, done.stdout.decode(errors="backslashreplace"), done.stderr.decode(errors="replace")


def problems(path):
    text = path.read_text()
    explained, count = with_explanations(text)
    plain_code, plain, _ = output(path.name, text)
    code, shown, errors = output(path.name, explained)
    found = [f"line {line}: {seen}" for line, seen in MARK.findall(shown) if not seen.isdigit()]
    if code != plain_code:
        found.append(f"ended with {code}, not {plain_code}: {errors[-500:]}")
    if QUOTED.sub(r"\1", MARK.sub("", shown)) != QUOTED.sub(r"\1", plain):
        found.append("prints something else")
    marks = len(MARK.findall(shown))
    if plain_code == 0 and marks != count:
        found.append(f"{marks} of {count} statements were compared")
    return [f"{path.relative_to(SCRIPTS)}: {problem}" for problem in found], marks


class ExplainedScripts(unittest.TestCase):
    def test_explanations_are_the_runs_and_change_nothing(self):
        paths = sorted(SCRIPTS.rglob("*.tsc"))
        names = [str(path.relative_to(SCRIPTS).with_suffix("")) for path in paths]
        chosen = [path for i, (path, name) in enumerate(zip(paths, names))
                  if name not in WRITING and
                  (ALL or (path.parent.name in WHOLE or i % 3 == 0) and name not in LONG)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(problems, chosen))
        self.assertEqual([problem for found, _ in results for problem in found], [])
        self.assertGreater(sum(marks for _, marks in results), 2000)


if __name__ == "__main__":
    unittest.main()
