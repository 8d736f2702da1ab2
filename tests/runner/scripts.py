"""Golden scripts and transcripts.

A script of tests/scripts/ says on its own lines what it prints, as expectations.py has it:

    print(2 * 3)    # expect: 6
    [1][2]          # expect error: IndexError: list index out of range

or, where the output is long and is itself the point, in a file beside it (NAME.expected). The scripts of
scripts/, which people run, are checked in the same way. --accept writes either.

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
import tempfile
import time
from pathlib import Path

import expectations
from case import ROOT, Result, relative

LIMIT = 600  # seconds a script may run
PLACE = re.compile(r"\b(src/[\w/.]+\.(?:cpp|def|h|yaml)):\d+")
SCRIPTS = ROOT / "tests" / "scripts"
PARITY = ROOT / "tests" / "parity"
TRANSCRIPTS = ROOT / "tests" / "transcripts"

TRACEBACK = re.compile(r'Traceback \(most recent call last\):$|  File ".*", line \d+')
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
        code, stdout, stderr = run(path, options)
    except subprocess.TimeoutExpired:
        return Result(name, False, LIMIT, f"still ran after {LIMIT} s")
    seconds = time.monotonic() - start

    if PARITY in path.parents:
        message = difference(lines_of(expected_file.read_text()), lines_of(stdout))
        if code:
            message += f"ended with {code}\n{stderr[-2000:]}"
    elif expected_file.exists():
        message = compare_file(whole_output(code, stdout, stderr), expected_file, options)
    else:
        message = compare_lines(path.read_text(), code, stdout, stderr)
        if message and options.accept:
            message = accept_lines(path, options)
    return Result(name, not message, seconds, message)


def run(path, options):
    """The exit status, standard output and standard error of a script."""
    return run_in(path.parent, path.name, options)


def run_in(folder, script, options):
    done = execute([script], options, cwd=folder, stdin=subprocess.DEVNULL,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return (done.returncode, *(stream.decode(errors="backslashreplace") for stream in (done.stdout, done.stderr)))


def whole_output(code, stdout, stderr):
    """Everything a run shows, as .expected files hold it."""
    text = stdout
    if stderr:
        text += ("" if text.endswith("\n") or not text else "\n") + "[stderr]\n" + stderr
    if code:
        text += ("" if text.endswith("\n") or not text else "\n") + f"[exit {code}]\n"
    return text


def has_line_expectations(source):
    return not expectations.parse(source).empty


def compare_lines(source, code, stdout, stderr, all_warnings=True):
    """Why a run is not what the comments in its source say, or "". All warnings have to be expected, or none need be."""
    expected = expectations.parse(source)
    if expected.problem:
        return expected.problem
    if expected.empty:
        return "the script expects nothing; ./dev test --accept writes what it prints into it\n"
    message = difference(expected.output, lines_of_stream(stdout))
    errors = error_lines(stderr)
    message += difference(expected.warnings, errors[:len(expected.warnings)])
    rest = errors[len(expected.warnings):]
    if expected.error is None:
        if code:
            message += f"ended with {code}\n{stderr[-2000:]}"
        elif rest and all_warnings:
            message += "standard error has more than is expected\n" + "".join(line + "\n" for line in rest)
        return message
    last = rest[-len(expected.error):]
    if last != expected.error:
        message += "expected the error {!r}\n         and got {!r}\n".format("\n".join(expected.error), "\n".join(last))
    elif code != 1:
        message += f"expected the exit status 1, and got {code}\n"
    elif all_warnings and len(rest) > len(expected.error) and TRACEBACK.match(rest[0]) is None:
        message += "standard error has more than is expected\n" + "".join(line + "\n" for line in rest)
    return message


def accept_lines(path, options):
    """Writes into a script what it prints; why that is not possible, or ""."""
    for _ in range(4):  # lines that are added change the numbers that messages name
        source = path.read_text()
        code, stdout, stderr = run(path, options)
        if not compare_lines(source, code, stdout, stderr):
            return ""
        errors = error_lines(stderr)
        end = next((i for i, line in enumerate(errors) if code and TRACEBACK.match(line)), len(errors) - bool(code))
        try:
            with tempfile.TemporaryDirectory(dir=path.parent) as folder:
                copy = Path(folder, path.name)
                copy.write_text(expectations.marked(source))
                _, shown, _ = run_in(path.parent, copy, options)
            path.write_text(expectations.annotate(source, shown, lines_of_stream(stdout), errors[:end], errors[end:]))
        except (SyntaxError, ValueError) as error:
            return f"--accept cannot write into the script: {error}; give it a file {path.stem}.expected\n"
    return "the script prints something else each time that it runs\n"


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


def lines_of_stream(text):
    """The lines of a stream; str.splitlines would also cut at characters that a script may print."""
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def error_lines(stderr):
    """The lines of standard error; a message may end in empty ones, which tell nobody which it is."""
    return lines_of_stream(stderr.rstrip("\n"))


def lines_of(text):
    """Lines that tell a text that ends in a newline from one that does not."""
    return text.split("\n")


def difference(expected, actual):
    """How two lists of lines differ, or ""."""
    lines = difflib.unified_diff(expected, actual, "expected", "actual", lineterm="", n=2)
    return "".join(line + "\n" for line in lines)
