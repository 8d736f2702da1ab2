"""What CPython answers, and whether a program stays inside what the language promises.

Integers here have 64 bits, so a program in which a larger one appears, even in passing, is refused: `run_checked` watches
every operator and call.
"""

import ast
import contextlib
import io
import pathlib
import signal
import subprocess
import sys
import tempfile

LIMIT = 2**63


class TooBig(BaseException):
    """An integer of more than 64 bits, a very long value, or a program that takes too long."""


def too_long(signal_number, frame):
    raise TooBig


def check(value):
    if type(value) is int and not -LIMIT <= value < LIMIT:
        raise TooBig
    if type(value) in (str, list, tuple) and len(value) > 100_000:
        raise TooBig
    return value


def checked_sum(items, start=0):
    total = start
    for item in items:
        total = check(total + item)
    return total


class Watch(ast.NodeTransformer):
    def wrap(self, node):
        self.generic_visit(node)
        call = ast.Call(ast.Name("__check__", ast.Load()), [node], [])
        return ast.copy_location(call, node)

    visit_BinOp = visit_UnaryOp = visit_Call = wrap

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        again = ast.parse(f"__check__({ast.unparse(node.target)})").body[0]
        return [node, ast.copy_location(again, node)]


def run_checked(source, path="program.tsc"):
    """Runs the source here; gives what it printed. Raises TooBig, or what the program does not catch."""
    tree = ast.fix_missing_locations(Watch().visit(ast.parse(source)))
    out = io.StringIO()
    scope = {"__name__": "__main__", "__file__": path, "__check__": check}
    deepest = sys.getrecursionlimit()
    with contextlib.redirect_stdout(out):
        sys.setrecursionlimit(1000)
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(3)
        try:
            # Only a sum that is the builtin's may be replaced: a program can print the name of the type or function.
            scope["sum"] = checked_sum
            exec(compile(tree, path, "exec"), scope)
        finally:
            signal.alarm(0)
            sys.setrecursionlimit(deepest)
    return out.getvalue()


def run_python(source, hash_seed, name="program.tsc", seconds=20):
    """Runs the source in a process of its own; gives its output, or None where it does not end well."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(source, encoding="utf-8")
        try:
            done = subprocess.run([sys.executable, "-W", "ignore", str(path)], capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL,
                                  env={"PYTHONHASHSEED": str(hash_seed), "PYTHONIOENCODING": "utf-8"})
        except subprocess.TimeoutExpired:
            return None
    return done.stdout.decode() if done.returncode == 0 and not done.stderr else None
