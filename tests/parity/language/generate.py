#!/usr/bin/env python3
"""Writes random programs, and what CPython prints for each.

    python3 generate.py --count 300                           # the committed ones, in generated/
    python3 generate.py --out /tmp/more --count 2000 --seed 7 # others, to try an interpreter on

A program is NNN_<what>.tsc with NNN_<what>.expected beside it. Three in five are random statements (statements.py), which
are kept or dropped one at a time by running them; the others fill a template and go on with random statements.
"""

import argparse
import pathlib
import random
import warnings

import oracle
import templates
from statements import Statements, indent

warnings.simplefilter("ignore", SyntaxWarning)

MOST_OUTPUT = 1_800
MOST_SOURCE = 2_800


def guarded(lines):
    return ["try:"] + indent(lines) + ["except Exception as e:", "    print('!', type(e).__name__ + ':', e)"]


def random_part(rng, statements):
    """Random statements, each of which runs: one that raises is caught, or left out."""
    maker = Statements(rng)
    kept = ["import math"]
    for _ in range(statements):
        saved = maker.save()
        maker.budget = 12
        lines = maker.statement(2)
        for attempt in (lines, guarded(lines)):
            try:
                oracle.run_checked("\n".join(kept + attempt), __file__)
            except Exception:
                continue
            except (oracle.TooBig, RecursionError):
                break
            if attempt is lines or rng.random() < 0.6:
                kept += attempt
            if attempt is not lines:
                maker.restore(saved)
            break
        else:
            maker.restore(saved)
    return kept


def program(seed, index):
    rng = random.Random(f"{seed}/{index}")
    names = templates.names()
    if index % 5 < 3:
        what, lines = "random", random_part(rng, rng.randint(8, 18))
    else:
        # Every template has its turn.
        what = names[(index // 5 * 2 + index % 5 - 3) % len(names)]
        lines = templates.fill(what, rng)
        if rng.random() < 0.3:
            lines += random_part(rng, rng.randint(2, 5))
    return what, f"# {what}, seed {seed}, number {index}\n" + "\n".join(lines) + "\n"


def answer(source):
    """What the program prints, or None where it cannot be promised."""
    try:
        oracle.run_checked(source, __file__)
    except (Exception, oracle.TooBig):
        return None
    first, second = oracle.run_python(source, 1), oracle.run_python(source, 2)
    return first if first == second else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "generated")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    written, index, size = 0, 0, 0
    while written < arguments.count:
        what, source = program(arguments.seed, index)
        index += 1
        if len(source) > MOST_SOURCE and what == "random":
            continue
        expected = answer(source)
        if expected is None or len(expected) > MOST_OUTPUT and what == "random":
            continue
        stem = arguments.out / f"{written:03d}_{what}"
        stem.with_suffix(".tsc").write_text(source, encoding="utf-8")
        stem.with_suffix(".expected").write_text(expected, encoding="utf-8")
        size += len(source) + len(expected)
        written += 1
    print(f"{written} programs of {index} tried, {size // 1000} kB")


if __name__ == "__main__":
    main()
