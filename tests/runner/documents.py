"""The examples of README.md and docs/: each runs as it is written.

A block of lines that begins with a prompt is a session, which shows what the block says; a line
`...` stands for lines that are left out, and times and lines of the project's own files are masked
as in transcripts; a cuda block's runs on the emulator. A python block is a script that ends well, or as its `# expect:` comments say. A
cpp block is the file that the sh block with `g++` names; it is built first. Blocks have nothing from
each other but the files: a reader may begin anywhere.

--accept writes what a session shows into its block, but for the entries that are right already.
"""

import os
import re
import shlex
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import scripts
from case import ROOT, Result, relative

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^tsc(?: [\w-]+)*> ?")
CONTINUED = re.compile(r"^ +\.\.\. ?")
LEFT_OUT = "..."


@dataclass
class Block:
    """One fenced block of a document."""

    language: str
    text: str
    line: int  # of its first line
    start: int  # of its text in the document
    end: int


def jobs(options):
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        if options.selects(relative(path)):
            yield lambda path=path: run_document(path, options)


def run_document(path, options):
    text = path.read_text()
    blocks = [Block(found[1], found[2], text.count("\n", 0, found.start()) + 2, found.start(2), found.end(2))
              for found in BLOCK.finditer(text)]
    results, changes = [], []
    with tempfile.TemporaryDirectory() as folder:
        build_file(blocks, Path(folder), options)
        for block in blocks:
            start = time.monotonic()
            if PROMPT.match(block.text):
                message, shown = run_session(block, Path(folder), options)
                if message and options.accept:
                    changes.append((block, shown))
                    message = ""
            elif block.language == "python":
                message = run_python(block, Path(folder), options)
            else:
                continue
            name = f"{relative(path)}: the example in line {block.line}"
            results.append(Result(name, not message, time.monotonic() - start, message))
    for block, shown in reversed(changes):
        text = text[:block.start] + shown + text[block.end:]
    if changes:
        path.write_text(text)
    return results


def build_file(blocks, folder, options):
    sources = [block.text for block in blocks if block.language == "cpp"]
    commands = [block.text for block in blocks if block.language == "sh" and block.text.startswith("g++ ")]
    for source, command in zip(sources, commands):
        (folder / shlex.split(command)[1]).write_text(source)
        compiler = os.environ.get("CXX", "g++").split()[-1]
        environment = {**os.environ, "PATH": f"{options.program.parent}:{os.environ['PATH']}"}
        subprocess.run(["sh", "-ec", command.replace("g++", compiler, 1)], cwd=folder, env=environment, check=True)


def run_python(block, folder, options):
    script = folder / "example.tsc"
    script.write_text(block.text)
    done = scripts.execute([script.name], options, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    stdout, stderr = done.stdout.decode(), done.stderr.decode()
    if scripts.has_line_expectations(block.text):
        return scripts.compare_lines(block.text, done.returncode, stdout, stderr, all_warnings=False)
    return f"ended with {done.returncode}\n{stderr}" if done.returncode else ""


def run_session(block, folder, options):
    """Why a session does not show what its block says, or "", and what the block should say."""
    expected = split_entries(block.text.splitlines())
    typed = "".join(line + "\n" for entry in expected for line in entry.typed)
    on_device = ["--cuda", "emulator"] if block.language == "cuda" else []
    done = scripts.execute(["--echo", *on_device], options, cwd=folder, input=typed.encode(), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    actual = split_entries(done.stdout.decode().splitlines())[:len(expected)]
    message, shown = "", ""
    for wanted, got in zip(expected, actual):
        agrees = wanted.shown == got.shown and matches(masked(wanted.answer), masked(got.answer))
        if not agrees:
            message += scripts.difference(wanted.shown + wanted.answer, got.shown + got.answer)
        shown += "".join(line + "\n" for line in (wanted if agrees else got).lines())
    if len(actual) < len(expected):
        message += f"the session ended after {len(actual)} of {len(expected)} entries\n"
    return message + ("./dev test --accept writes what it shows\n" if message else ""), shown


@dataclass
class Entry:
    """What is typed at one prompt, as it shows, and the answer."""

    typed: list
    shown: list
    answer: list

    def lines(self):
        return self.shown + self.answer


def split_entries(lines):
    entries = []
    for line in lines:
        if found := PROMPT.match(line):
            entries.append(Entry([line[found.end():]], [line.rstrip()], []))
        elif not entries[-1].answer and (found := CONTINUED.match(line)):
            entries[-1].typed.append(line[found.end():])
            entries[-1].shown.append(line.rstrip())
        else:
            entries[-1].answer.append(line)
    return entries


def masked(lines):
    return scripts.mask("\n".join(lines)).split("\n")


def matches(pattern, lines):
    """Whether lines are those of a pattern, in which `...` stands for some lines or none."""
    if not pattern:
        return not lines
    if pattern[0].strip() == LEFT_OUT:
        return any(matches(pattern[1:], lines[i:]) for i in range(len(lines) + 1))
    return bool(lines) and pattern[0].rstrip() == lines[0].rstrip() and matches(pattern[1:], lines[1:])
