"""Runs every kind of test, and ends with the line `N passed, N failed`."""

import argparse
import collections
import concurrent.futures
import os
import sys
import traceback
from pathlib import Path

import cpp
import documents
import instructions
import python_tests
import scripts
from case import Options, Result

# Programs with many cases first: they take longest.
KINDS = [cpp, python_tests, instructions, documents, scripts]
LONGEST_REPORT = 60  # lines of one failure that are printed


def parse():
    parser = argparse.ArgumentParser(prog="./dev test")
    parser.add_argument("filter", nargs="?", default="",
                        help="run the cases whose names hold this, e.g. core/scalar")
    parser.add_argument("--accept", action="store_true",
                        help="write the output of scripts and transcripts as what is expected")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    return Options(arguments.build.resolve(), arguments.filter, arguments.accept, arguments.jobs)


def main():
    options = parse()
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(job) for kind in KINDS for job in kind.jobs(options)]
        for done in concurrent.futures.as_completed(running):
            for result in outcome(done):
                results.append(result)
                if not result.passed:
                    report(result)
                elif result.message:
                    print(f"note of {result.name}: {result.message}", flush=True)
    print_slowest(results, options)
    failed = sum(not result.passed for result in results)
    if options.filter and not results:
        print(f"no case has {options.filter!r} in its name")
        failed = 1
    print(f"{len(results) - sum(not r.passed for r in results)} passed, {failed} failed")
    return 1 if failed else 0


def outcome(done):
    """A job's results; one that broke is itself a failed case."""
    try:
        return done.result()
    except Exception:  # a fault of this runner, shown beside the other results
        return [Result("tests/runner", False, 0, traceback.format_exc())]


def report(result):
    print(f"FAILED {result.name}")
    lines = result.message.splitlines()
    for line in lines[:LONGEST_REPORT]:
        print(f"    {line}")
    if len(lines) > LONGEST_REPORT:
        print(f"    ... and {len(lines) - LONGEST_REPORT} lines more")
    sys.stdout.flush()


def print_slowest(results, options):
    """The files to make faster: ten to run, ten to compile."""
    if options.filter:
        return
    run = collections.Counter()
    for result in results:
        run[result.file] += result.seconds
    compiled = compile_seconds(options.build / ".ninja_log")
    for title, seconds in (("slowest files to run", run), ("slowest files to compile", compiled)):
        if seconds:
            print(f"{title}:")
            for file, time in seconds.most_common(10):
                print(f"  {time:6.1f} s  {file}")


def compile_seconds(log):
    """How long each object took when it was last built, by Ninja's log."""
    seconds = collections.Counter()
    if log.exists():
        for line in log.read_text().splitlines()[1:]:
            start, end, _, output, _ = line.split("\t")
            if output.endswith((".o", ".gch")):
                seconds[output] = (int(end) - int(start)) / 1000
    return seconds


sys.exit(main())
