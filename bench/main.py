"""`./dev bench`: tensorscope beside CPython and PyTorch.

Every program of bench/ runs unchanged under both. It times its own parts and
prints a line `NAME SECONDS` for each. The two sides take turns, and what counts
is the ratio of each side's best: a busy machine slows both. Nothing here passes
or fails; a ratio below what is wanted is marked.
"""

import argparse
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import picture

HERE = Path(__file__).resolve().parent

# What is measured, and the ratios wanted (theirs / ours).
WANTED = {
    "start": 150,
    "dispatch": 5,
    "kernels": 1,
    "families": 1 / 1.3,
    "language": 1.5,  # of the geometric mean
}


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("filter", nargs="?", default="", help="only the groups whose names hold this")
    parser.add_argument("--python", default=os.environ.get("TENSORSCOPE_TORCH_PYTHON", "python3"),
                        help="a Python that has PyTorch (or set TENSORSCOPE_TORCH_PYTHON)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side runs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--picture", type=Path, help="write the ratios of the families as an SVG file")
    parser.add_argument("--all", action="store_true", help="show the operators that are fast enough, too")
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def run(command, environment):
    """The times that a program prints, and "(process)" for the whole of it."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, cwd=HERE, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")
    times = {"(process)": seconds}
    for line in done.stdout.splitlines():
        name, _, value = line.rpartition(" ")
        times[name] = float(value)
    return times


def side_by_side(ours, theirs, rounds, environment):
    """The best time of each part on both sides: {name: (ours, theirs)}."""
    best = {}
    for _ in range(rounds):
        for side, command in enumerate((ours, theirs)):
            for name, seconds in run(command, environment).items():
                pair = best.setdefault(name, [math.inf, math.inf])
                pair[side] = min(pair[side], seconds)
    return best


def show(name, ours, theirs, wanted):
    ratio = theirs / ours
    mark = "" if ratio >= wanted else f"   below {wanted:g}"
    print(f"  {name:<34}{duration(ours):>12}{duration(theirs):>12}{ratio:>9.2f}{mark}", flush=True)
    return ratio


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def header(title, theirs):
    print(f"{title}\n  {'':<34}{'tensorscope':>12}{theirs:>12}{'ratio':>9}")


def bench_start(program, options, environment):
    header("start", "import torch")
    times = side_by_side([program, "-c", "pass"], [options.python, "-c", "import torch"],
                         options.rounds, environment)
    show("process", *times["(process)"], WANTED["start"])


def bench_program(title, program, options, environment):
    header(title, "PyTorch")
    script = HERE / f"{title}.tsc"
    times = side_by_side([program, script], [options.python, script], options.rounds, environment)
    for name, pair in times.items():
        if name != "(process)":
            show(name, *pair, WANTED[title])


def bench_language(program, options, environment):
    header("language", "CPython")
    logs = []
    for script in sorted((HERE / "language").glob("*.tsc")):
        times = side_by_side([program, script], [options.python, script], options.rounds, environment)
        for name, pair in times.items():
            if name != "(process)":
                logs.append(math.log(show(name, *pair, 0)))
    mean = math.exp(sum(logs) / len(logs))
    mark = "" if mean >= WANTED["language"] else f"   below {WANTED['language']:g}"
    print(f"  {'geometric mean':<58}{mean:>9.2f}{mark}")


# The families of operators.tsc: every operator, at three sizes and in three layouts.
OPERATOR_FAMILIES = ("pointwise", "integers", "other_dtypes", "reductions", "indexing", "shapes", "factories", "products",
                     "decompositions", "transforms", "losses", "layers")
LEAST_RATIO = 0.9  # what no call of an operator is to be below

FAMILIES = ("elementwise", "reduce", "make", "combine", "products", "decompositions", "transforms",
            "learn")


def bench_families(program, options, environment):
    script = HERE / "families.tsc"
    ratios = {}
    for family in FAMILIES:
        times = side_by_side([program, script, family], [options.python, script, family], 1,
                             environment)
        ratios[family] = family_ratios(times)
        print(f"{family}: PyTorch's time / tensorscope's")
        for operator, sizes in ratios[family].items():
            print(f"  {operator:<34}" + "".join(
                f"{ratio:>9.2f}{'*' if ratio < WANTED['families'] else ' '}" for ratio in sizes.values()))
    show_means(ratios)
    if options.picture:
        sizes = sorted({size for family in ratios.values() for row in family.values() for size in row})
        options.picture.write_text(picture.svg(ratios, sizes))
    bench_operators(program, options, environment)


def bench_operators(program, options, environment):
    """Every operator of PyTorch's database, the lowest ratios first; what is not here is named.

    An operator with a call that is too slow is measured again, as one call may have been disturbed.
    """
    script = HERE / "operators.tsc"
    everything = []
    for family in OPERATOR_FAMILIES:
        commands = [program, script, family], [options.python, script, family]
        times = side_by_side(*commands, 1, environment)
        for _ in range(options.rounds - 1):
            slow = {operator for operator, row in operator_rows(times).items() if min(row.values()) < LEAST_RATIO}
            if slow:
                again = side_by_side(*(command + sorted(slow) for command in commands), 1, environment)
                for name, pair in again.items():
                    times[name] = [min(both) for both in zip(times[name], pair)]
        rows = operator_rows(times)
        absent = {name.rsplit(":", 2)[0] for name, (ours, theirs) in times.items()
                  if math.isinf(ours) and math.isfinite(theirs)}
        ratios = [ratio for row in rows.values() for ratio in row.values()]
        everything += ratios
        print(f"{family}: PyTorch's time / tensorscope's, contiguous, strided and permuted, at 100, 10 000 and 1 000 000 elements")
        for operator, row in sorted(rows.items(), key=lambda item: min(item[1].values())):
            if min(row.values()) < LEAST_RATIO or options.all:
                print(f"  {operator:<44}" + "".join(f"{ratio:>7.2f}" for ratio in row.values()))
        show_share(ratios)
        if absent:
            print("  not here:", *sorted(absent))
    print("all operators")
    show_share(everything)


def operator_rows(times):
    """{operator: {(elements, layout): ratio}} from the times of "OPERATOR:LAYOUT:ELEMENTS"."""
    rows = {}
    for name, (ours, theirs) in times.items():
        if name != "(process)" and math.isfinite(ours) and math.isfinite(theirs):
            operator, layout, size = name.rsplit(":", 2)
            rows.setdefault(operator, {})[int(size), layout] = theirs / ours
    return rows


def show_share(ratios):
    below = sum(ratio < LEAST_RATIO for ratio in ratios)
    mean = math.exp(sum(map(math.log, ratios)) / max(1, len(ratios)))
    print(f"  {len(ratios)} calls, {below} below {LEAST_RATIO}, geometric mean {mean:.2f}", flush=True)


def family_ratios(times):
    """{operator: {elements: ratio}} from the times of "OPERATOR:ELEMENTS"."""
    ratios = {}
    for name, (ours, theirs) in times.items():
        operator, _, size = name.rpartition(":")
        if operator and math.isfinite(ours) and math.isfinite(theirs):
            ratios.setdefault(operator, {})[int(size)] = theirs / ours
    return ratios


def show_means(ratios):
    by_size = {}
    for family in ratios.values():
        for row in family.values():
            for size, ratio in row.items():
                by_size.setdefault(size, []).append(math.log(ratio))
    logs = [value for values in by_size.values() for value in values]
    for size, values in sorted(by_size.items()):
        print(f"  {f'geometric mean at {size}':<34}{math.exp(sum(values) / len(values)):>9.2f}")
    print(f"  {'geometric mean':<34}{math.exp(sum(logs) / len(logs)):>9.2f}")


def has_torch(python):
    found = subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False)
    return found.returncode == 0


def main():
    options = parse()
    program = options.build / "src" / "tensorscope"
    threads = str(options.threads)
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
    groups = {
        "start": bench_start,
        "dispatch": lambda *rest: bench_program("dispatch", *rest),
        "kernels": lambda *rest: bench_program("kernels", *rest),
        "families": bench_families,
        "language": bench_language,
    }
    torch = has_torch(options.python)
    if not torch:
        print(f"{options.python} has no PyTorch, so only the language is measured. Make a virtual "
              "environment outside the project, install torch in it, and give its Python by "
              "--python or TENSORSCOPE_TORCH_PYTHON.", file=sys.stderr)
    for title, bench in groups.items():
        if options.filter in title and (torch or title == "language"):
            bench(program, options, environment)


main()
