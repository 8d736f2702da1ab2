#!/usr/bin/env python3
"""Runs a folder of programs and says which print what is expected.

    python3 try_programs.py build/src/tensorscope /tmp/programs [--show 5]
"""

import argparse
import collections
import difflib
import pathlib
import subprocess


def run(program, path):
    try:
        done = subprocess.run([program.resolve(), path.name], cwd=path.parent, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "", "ran for more than 60 s"
    stderr = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0:
        stderr += f" (signal {-done.returncode})"
    return done.stdout.decode(errors="replace"), stderr.splitlines()[-1] if stderr else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    arguments = parser.parse_args()
    outcomes, shown, reasons = collections.Counter(), 0, collections.Counter()
    for path in sorted(arguments.folder.glob("*.tsc")):
        expected = path.with_suffix(".expected").read_text(encoding="utf-8")
        stdout, error = run(arguments.program, path)
        same = stdout == expected and not error
        outcomes["same" if same else "different"] += 1
        if same:
            continue
        reasons[error or "other output"] += 1
        if shown < arguments.show:
            shown += 1
            lines = difflib.unified_diff(expected.splitlines(), stdout.splitlines(), "expected", "actual", lineterm="", n=1)
            print(f"--- {path.name} {error}", *list(lines)[2:14], sep="\n")
    for reason, count in reasons.most_common(20):
        print(f"{count:5d}  {reason}")
    print(f"{outcomes['same']} same, {outcomes['different']} different")
    return 1 if outcomes["different"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
