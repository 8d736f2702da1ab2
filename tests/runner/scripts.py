"""Golden scripts and transcripts.

A script of tests/scripts/ says what it prints either in a file beside it
(NAME.expected) or on its own lines:

    print(2 * 3)    # expect: 6
    [1][2]          # expect error: IndexError: list index out of range

where the first form lists the lines of standard output in order, and the
second is the last line of standard error; both are whole lines. The scripts of
scripts/, which people run, are checked in the same way.

The scripts of tests/parity/ have answers that PyTorch or CPython gave: only their
standard output is compared (a warning may be worded otherwise), and --accept
leaves them alone.

A transcript of tests/transcripts/ is NAME.in, fed to `tensorscope --echo`, which
shows prompts and input as a terminal would; NAME.expected is all that appears.
Times and percentages differ from run to run, and lines of the project's own files
from change to change: they are masked.
"""

import difflib
import os
import re
import subprocess
import time

from case import ROOT, Result, relative

LIMIT = 300  # seconds a script may run
PLACE = re.compile(r"\b(src/[\w/.]+\.(?:cpp|h|yaml)):\d+")
SCRIPTS = ROOT / "tests" / "scripts"
PARITY = ROOT / "tests" / "parity"
TRANSCRIPTS = ROOT / "tests" / "transcripts"

EXPECT = re.compile(r"# expect: ?(.*)$")
EXPECT_ERROR = re.compile(r"# expect error: ?(.*)$")
MEASURED = re.compile(r" *\b\d+(\.\d+)?(e[-+]\d+)? ?(ns|us|µs|ms|s|%)(?![\w/])|(?<=\"nanoseconds\":)\d+")


def jobs(options):
    for path in sorted(SCRIPTS.rglob("*.tsc")) + sorted((ROOT / "scripts").rglob("*.tsc")):
        if options.selects(relative(path)):
            yield lambda path=path: [run_script(path, options)]
    for path in sorted(PARITY.rglob("*.tsc")):
        if options.selects(relative(path)):
            yield lambda path=path: [run_script(path, options)]
    for path in sorted(TRANSCRIPTS.rglob("*.in")):
        if options.selects(relative(path)):
            yield lambda path=path: [run_transcript(path, options)]


def execute(command, options, **extra):
    """Runs tensorscope as on any machine: no colours, no personal files."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("TENSORSCOPE_", "XDG_")) and name != "CLICOLOR_FORCE"}
    environment.update(NO_COLOR="1", TERM="dumb", HOME="/nonexistent", LC_ALL="C.UTF-8",
                       OMP_NUM_THREADS="2")
    return subprocess.run([options.program, *command], env=environment, timeout=LIMIT, **extra)


def run_script(path, options):
    name, start = relative(path), time.monotonic()
    expected_file = path.with_suffix(".expected")
    try:
        done = execute([path.name], options, cwd=path.parent, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return Result(name, False, LIMIT, f"still ran after {LIMIT} s")
    seconds = time.monotonic() - start
    stdout, stderr = (stream.decode(errors="backslashreplace") for stream in (done.stdout, done.stderr))

    source = path.read_text()
    if PARITY in path.parents:
        message = difference(expected_file.read_text(), stdout)
        if done.returncode:
            message += f"ended with {done.returncode}\n{stderr[-2000:]}"
    elif not expected_file.exists() and has_line_expectations(source):
        message = compare_lines(source, done.returncode, stdout, stderr)
    else:
        message = compare_file(whole_output(done.returncode, stdout, stderr), expected_file, options)
    return Result(name, not message, seconds, message)


def whole_output(code, stdout, stderr):
    """Everything a run shows, as .expected files hold it."""
    text = stdout
    if stderr:
        text += ("" if text.endswith("\n") or not text else "\n") + "[stderr]\n" + stderr
    if code:
        text += ("" if text.endswith("\n") or not text else "\n") + f"[exit {code}]\n"
    return text


def has_line_expectations(source):
    return any(EXPECT.search(line) or EXPECT_ERROR.search(line) for line in source.splitlines())


def compare_lines(source, code, stdout, stderr):
    """Why a run is not what the comments in its source say, or ""."""
    expected, error = [], None
    for line in source.splitlines():
        if found := EXPECT_ERROR.search(line):
            error = found[1]
        elif found := EXPECT.search(line):
            expected.append(found[1])
    message = difference(expected, stdout.splitlines())
    last = stderr.splitlines()[-1] if stderr else ""
    if error is None and code:
        message += f"ended with {code}\n{stderr[-2000:]}"
    elif error is not None and last != error:
        message += f"expected the error {error!r}\n         and got {last!r}\n"
    elif error is not None and code != 1:
        message += f"expected the exit status 1, and got {code}\n"
    return message


def run_transcript(path, options):
    name, start = relative(path), time.monotonic()
    try:
        with path.open("rb") as stdin:
            done = execute(["--echo"], options, cwd=path.parent, stdin=stdin,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return Result(name, False, LIMIT, f"still ran after {LIMIT} s")
    seconds = time.monotonic() - start
    text = whole_output(done.returncode, mask(done.stdout.decode(errors="backslashreplace")), "")
    message = compare_file(text, path.with_suffix(".expected"), options)
    return Result(name, not message, seconds, message)


def mask(text):
    """Measured times and shares, with the blanks before them, as <measured>; src/FILE:<line>."""
    return PLACE.sub(r"\1:<line>", MEASURED.sub(" <measured>", text))


def compare_file(actual, expected_file, options):
    """Why a text is not what a file holds, or ""; with --accept, it then is."""
    if expected_file.exists() and actual == expected_file.read_text():
        return ""
    if options.accept:
        expected_file.parent.mkdir(parents=True, exist_ok=True)
        expected_file.write_text(actual)
        return ""
    shown = relative(expected_file)
    if not expected_file.exists():
        return f"{shown} does not exist; ./dev test --accept writes it. The output:\n{actual}"
    return difference(lines_of(expected_file.read_text()), lines_of(actual)) + f"./dev test --accept changes {shown}\n"


def lines_of(text):
    """Lines that tell a text that ends in a newline from one that does not."""
    return text.split("\n")


def difference(expected, actual):
    """How two lists of lines differ, or ""."""
    lines = difflib.unified_diff(expected, actual, "expected", "actual", lineterm="", n=2)
    return "".join(line + "\n" for line in lines)
