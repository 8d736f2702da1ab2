"""C++ test programs: one job each, one result for each doctest case."""

import subprocess
import time
import xml.etree.ElementTree as ElementTree

from case import Result, relative

LIMIT = 600  # seconds a program may run


def jobs(options):
    """Callables that each run the selected cases of one program."""
    for program in sorted((options.build / "tests").glob("test_*")):
        if not program.is_file() or program.suffix:
            continue
        names = selected(program, options)
        if names:
            yield lambda program=program, names=names: run(program, names, options)


def selected(program, options):
    """The cases of a program that the filter wants: {case name: shown name}."""
    listing = subprocess.run([program, "--list-test-cases", "-r=xml"],
                             stdout=subprocess.PIPE, check=True).stdout
    cases = {}
    for case in ElementTree.fromstring(listing).iter("TestCase"):
        shown = shown_name(case, options)
        if options.selects(shown):
            cases[case.get("name")] = shown
    return cases


def shown_name(case, options):
    return f"{relative(options.build / case.get('filename'))}: {case.get('name')}"


def run(program, names, options):
    command = [program, "-r=xml", "-d", "--no-path-filenames=false"]
    if options.filter:
        command.append("--test-case=" + ",".join(map(pattern, names)))
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=LIMIT)
        output, ended = done.stdout.decode(errors="replace"), f"ended with {done.returncode}"
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b"").decode(errors="replace")
        ended = f"still ran after {LIMIT} s"
    seconds = time.monotonic() - start

    text, stray = split(output)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return died(program, names, output, ended, seconds, options)
    return [result(case, stray, options) for case in root.iter("TestCase")
            if case.find("OverallResultsAsserts") is not None]


def pattern(name):
    """A doctest filter that matches a name; it takes commas as separators."""
    return name.replace("\\", "?").replace(",", "?").replace("*", "?")


def split(output):
    """The XML report, and whatever else the program wrote."""
    start, end = output.find("<?xml"), output.rfind("</doctest>")
    if start < 0 or end < 0:
        return "", output
    end += len("</doctest>")
    return output[start:end], (output[:start] + output[end:]).strip()


def result(case, stray, options):
    totals = case.find("OverallResultsAsserts")
    passed = totals.get("test_case_success") == "true"
    lines = []
    for failure in case.iter():
        if failure.tag == "Expression" and failure.get("success") == "false":
            where = f"{relative(options.build / failure.get('filename'))}:{failure.get('line')}"
            lines.append(f"{where}: {failure.get('type')}( {(failure.findtext('Original') or '').strip()} )")
            for tag in ("Expanded", "Exception", "ExpectedException", "ExpectedExceptionString", "Info"):
                for detail in failure.findall(tag):
                    lines.append(f"  {tag.lower()}: {(detail.text or '').strip()}")
        elif failure.tag == "Exception" and failure.get("crash") is not None:
            lines.append(f"exception: {(failure.text or '').strip()}")
        elif failure.tag == "Message":
            lines.append((failure.findtext("Text") or "").strip())
    if not passed and stray:
        lines.append(stray[-2000:])
    return Result(shown_name(case, options), passed, float(totals.get("duration") or 0),
                  "\n".join(lines))


def died(program, names, output, ended, seconds, options):
    """A program that crashed: its cases run again, each by itself."""
    if len(names) == 1:
        (shown,) = names.values()
        return [Result(shown, False, seconds, f"{program.name} {ended}\n{output[-4000:]}")]
    results = []
    for name, shown in names.items():
        single = type(options)(options.build, shown, options.accept, options.jobs)
        results += run(program, {name: shown}, single)
    return results
