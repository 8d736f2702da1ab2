"""clang-tidy over the C++ files that have changed."""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

# What GCC takes and Clang does not know.
GCC_ONLY = re.compile(r"-fpch-preprocess|-fno-semantic-interposition|-Winvalid-pch|-fopenmp|-Wno-maybe-uninitialized|-Werror")

# A file that src/meson.build writes to compile some as one.
PART = re.compile(r'^#include "(.*\.cpp)"$', re.M)

# A finding starts at its "FILE:LINE:COLUMN: error: ..." and takes its notes along.
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning): )", re.M)


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def base_commit(root):
    """Where the published main branch stands; where that is HEAD, the commit before."""
    base = git(root, "merge-base", "HEAD", "origin/main")
    if not base or base == git(root, "rev-parse", "HEAD"):
        base = git(root, "rev-parse", "--verify", "--quiet", "HEAD~1") or base
    return base[0] if base else None


def changed_files(root):
    """C++ files that differ from base_commit() in more than where they and what they include lie."""
    base = base_commit(root)
    if not base:
        return []
    names, name = set(git(root, "ls-files", "--others", "--exclude-standard")), None
    for line in git(root, "diff", "-M", "-U0", "-l0", base):
        if line.startswith("+++ "):
            name = line.removeprefix("+++ b/")
        elif line.startswith("+") and not line.startswith("+#include"):
            names.add(name)
    return sorted(name for name in names if name.endswith(".cpp"))


def commands(root, build):
    """The compile command of each file, once, as Clang understands it."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = (Path(entry["directory"]) / entry["file"]).resolve()
        arguments = [argument for argument in shlex.split(entry["command"])
                     if not GCC_ONLY.fullmatch(argument)]
        for index, argument in enumerate(arguments[:-1]):
            if argument == "-include":  # GCC's precompiled headers mean nothing to Clang
                (header,) = root.glob(f"*/pch/{arguments[index + 1]}")
                arguments[index + 1] = str(header)
        parts = PART.findall(file.read_text()) if file.is_relative_to(build.resolve() / "src") and file.exists() else []
        for part in [root / "src" / part for part in parts] or [file]:
            entries.setdefault(part, {"directory": entry["directory"], "file": str(part),
                                      "arguments": [*arguments[:-1], str(part)]})
    return entries


def check(root, build):
    """The findings, each once although many files may include where it stands."""
    tidy = shutil.which("clang-tidy")
    changed = changed_files(root)
    if not tidy or not changed:
        return []
    known = commands(root, build)
    files = [root / name for name in changed if root / name in known]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "compile_commands.json").write_text(json.dumps(list(known.values())))

        def run(file):
            done = subprocess.run([tidy, "--quiet", "--warnings-as-errors=*", "-p", folder, file],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode and not FINDING.search(done.stdout):
                return [done.stdout + done.stderr]  # it could not read the file
            return FINDING.split(done.stdout)[1:]

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            found = [text.rstrip() for texts in pool.map(run, files) for text in texts]
    return list(dict.fromkeys(text for text in found if " error: " in text or " warning: " in text))
