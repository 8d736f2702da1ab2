"""`./dev lint`, after the C++ format: the rules, and clang-tidy on what changed."""

import argparse
import re
import sys
from pathlib import Path

import rules
import tidy
from tree import Tree

ROOT = Path(__file__).resolve().parents[2]


SUBJECT = re.compile(r"[a-z][\w/+, -]*: \S.{0,80}")


def commit_problems():
    """Subjects of unpublished commits that are not "area: imperative sentence"."""
    base = tidy.base_commit(ROOT)
    for subject in tidy.git(ROOT, "log", "--no-merges", "--format=%s", f"{base}..HEAD") if base else []:
        if not SUBJECT.fullmatch(subject):
            yield f"commit {subject!r}: its subject is not \"area: imperative sentence\""


def main():
    parser = argparse.ArgumentParser(prog="./dev lint")
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--no-tidy", action="store_true", help="leave clang-tidy out")
    options = parser.parse_args()

    tree = Tree(ROOT)
    count = 0
    for rule in rules.RULES:
        for problem in rule(tree):
            print(f"{problem} [{rule.__name__}]")
            count += 1
    for problem in commit_problems():
        print(problem)
        count += 1
    if not options.no_tidy:
        for text in tidy.check(ROOT, options.build):
            print(text)
            count += 1
    print(f"{count} problems" if count else "no problems")
    return 1 if count else 0


sys.exit(main())
