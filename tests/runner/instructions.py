"""Instruction budgets, counted by callgrind: tests/instructions/budgets.yaml.

A count hardly differs between runs and machines, where a time does, so these
are tests. With `n: [few, many]`, {n} in the arguments is both in turn, and the
count is that of one more repetition: the difference over (many - few), less
that of the row named by `minus`, if any. `outside` names a function whose
instructions, and those that it calls, do not count.
"""

import re
import shlex
import shutil
import subprocess
import time

import yaml

from case import ROOT, Result

TABLE = ROOT / "tests" / "instructions" / "budgets.yaml"
COLLECTED = re.compile(r"Collected : (\d+)")


def jobs(options):
    # A sanitized build counts the sanitizer's instructions.
    if options.sanitized or not shutil.which("valgrind"):
        return
    rows = {row["name"]: row for row in yaml.safe_load(TABLE.read_text())}
    for name, row in rows.items():
        if "budget" in row and options.selects(f"tests/instructions/budgets.yaml: {name}"):
            yield lambda row=row: [run(row, rows, options)]


def run(row, rows, options):
    name, start = f"tests/instructions/budgets.yaml: {row['name']}", time.monotonic()
    try:
        count = cost(row, rows, options)
    except RuntimeError as error:
        return Result(name, False, time.monotonic() - start, str(error))
    # Whole instructions: what the start costs differs by a few from run to run.
    passed = round(count) <= row["budget"]
    message = "" if passed else f"{count:,.0f} instructions, and the budget is {row['budget']:,}"
    return Result(f"{name} ({count:,.0f} of {row['budget']:,})", passed, time.monotonic() - start,
                  message)


def cost(row, rows, options):
    if "n" not in row:
        count = instructions(row, options)
    else:
        few, many = row["n"]
        count = (instructions(row, options, n=many) - instructions(row, options, n=few)) / (many - few)
    if "minus" in row:
        count -= cost(rows[row["minus"]], rows, options)
    return count


def instructions(row, options, **values):
    """The instructions of one whole run of a row's command."""
    program, *arguments = shlex.split(row["command"].format(**values))
    counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    if "outside" in row:
        counting += [f"--toggle-collect={row['outside']}", "--collect-atstart=yes"]
        # What the first run compiles, the counted ones load.
        subprocess.run([options.build / program, *arguments], stdout=subprocess.DEVNULL, cwd=ROOT / "tests" / "instructions")
    done = subprocess.run(
        [*counting, options.build / program, *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        cwd=ROOT / "tests" / "instructions")
    output = done.stdout.decode(errors="replace")
    collected = COLLECTED.search(output)
    if done.returncode or not collected:
        raise RuntimeError(f"ended with {done.returncode}\n{output}")
    return int(collected[1])
