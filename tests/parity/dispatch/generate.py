"""Writes random programs of registrations and calls, and records what PyTorch answers.

    python3 tests/parity/dispatch/generate.py --out /tmp/programs --count 2000 --seed 7 --compare build/src/tensorscope

A file holds several programs behind the helpers of prelude.txt; its text runs unchanged under PyTorch and under
tensorscope. With --record (which needs PyTorch), NAME.expected is what it prints there, and with --compare the programs
that tensorscope answers otherwise are shown.
"""

import argparse
import difflib
import importlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from writer import Writer

PRELUDE = Path(__file__).parent / "prelude.txt"
PROGRAMS_PER_FILE = 50


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "generated")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="run them under this Python's PyTorch")
    parser.add_argument("--compare", metavar="TENSORSCOPE", help="the same, and run them under this binary")
    return parser.parse_args()


def run(text):
    """What the program prints in a process of its own, or None where it ends that."""
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            # PyTorch can hang, too.
            signal.alarm(60)
            exec(compile(text, "program", "exec"), {"__name__": "program"})
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return output.read() if status == 0 else None


def sections(text):
    """What each program printed, by the program's name."""
    return dict(re.findall(r"^(p\d+)\n(.*?)(?=^p\d+\n|\Z)", text, re.DOTALL | re.MULTILINE))


def compare(binary, path, programs, recorded):
    """Shows the programs whose output differs; how many those are."""
    answer = subprocess.run([binary, path], capture_output=True, text=True)
    answered = sections(answer.stdout)
    different = 0
    for name, program in programs.items():
        ours, theirs = answered.get(name, ""), sections(recorded[name]).get(name, "")
        if ours != theirs:
            different += 1
            print(f"--- {name} of {path}")
            lines = difflib.unified_diff(theirs.splitlines(), ours.splitlines(), "PyTorch", "tensorscope", "", "", 0, "")
            print("\n".join(list(lines)[2:]), flush=True)
    if answer.returncode != 0:
        print(f"{path} ended with {answer.returncode}: {answer.stderr[-500:]}")
    return different


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    needs_answers = options.record or options.compare
    if needs_answers:
        # Once, for every process that is forked off.
        importlib.import_module("torch")
    prelude = PRELUDE.read_text()
    different = kept = 0
    for first in range(0, options.count, PROGRAMS_PER_FILE):
        numbers = range(first, min(first + PROGRAMS_PER_FILE, options.count))
        programs = {f"p{number}": Writer(options.seed, number).write() for number in numbers}
        if needs_answers:
            # Each alone: PyTorch does not always restore what a program changed. It ends the process for some.
            recorded = {name: run(prelude + "\n" + program) for name, program in programs.items()}
            programs = {name: program for name, program in programs.items() if recorded[name] is not None}
        path = options.out / f"programs_{first // PROGRAMS_PER_FILE:02}.tsc"
        path.write_text(prelude + "\n" + "\n".join(programs.values()))
        kept += len(programs)
        if needs_answers:
            path.with_suffix(".expected").write_text("".join(recorded[name] for name in programs))
        if options.compare:
            different += compare(options.compare, path, programs, recorded)
    if options.compare:
        print(f"{kept} programs, {different} different")


main()
