"""Python unit tests: those of the generator, the checks and this runner.

A test that runs tensorscope finds it by the variable TENSORSCOPE_PROGRAM.
"""

import os
import subprocess
import sys
import time

from case import ROOT, Result, relative

LIMIT = 1200  # seconds a file may run


def jobs(options):
    """One job a file; each runs in a process of its own."""
    for folder in ("codegen", "tests"):
        for path in sorted((ROOT / folder).rglob("test_*.py")):
            if options.selects(relative(path)) or options.filter:
                yield lambda path=path: run(path, options)


def run(path, options):
    start = time.monotonic()
    command = [sys.executable, ROOT / "tests" / "runner" / "unittest_cases.py",
               relative(path), options.filter]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT, cwd=ROOT,
                              env={**os.environ, "TENSORSCOPE_PROGRAM": str(options.program)})
        output, errors = done.stdout.decode(), done.stderr.decode(errors="replace")
        code = done.returncode
    except subprocess.TimeoutExpired:
        output, errors, code = "", f"still ran after {LIMIT} s", 1
    results = []
    for record in output.split("\0")[:-1]:
        name, passed, seconds, message = record.split("\1")
        results.append(Result(f"{relative(path)}: {name}", passed == "1", float(seconds), message))
    if code:
        seconds = time.monotonic() - start
        results.append(Result(f"{relative(path)}: (the file)", False, seconds, errors))
    return results
