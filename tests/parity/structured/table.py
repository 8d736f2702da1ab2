#!/usr/bin/env python3
"""The table of docs/structured.md: PyTorch's structured groups, and which of them are structured here.

    python3 table.py           # writes the page's table anew
"""

import pathlib
import re
import sys

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
PAGE = ROOT / "docs" / "structured.md"
BEGIN, END = "<!-- written by tests/parity/structured/table.py -->\n", "<!-- end -->\n"
sys.path.insert(0, str(ROOT))

from codegen.rows import load_family  # noqa: E402


def recorded_groups():
    return (FOLDER / "groups.txt").read_text(encoding="utf-8").split()


def rows():
    return {row.full_name: row for path in sorted((ROOT / "src" / "ops").glob("*/*.yaml")) for row in load_family(path)}


def absent_reasons():
    """Of groups without a row here: (pattern, reason)."""
    entries = yaml.safe_load((FOLDER / "absent.yaml").read_text(encoding="utf-8"))
    return [(re.compile(entry["groups"]), entry["reason"]) for entry in entries]


def sort_groups(found):
    """Structured here; here, but not so: name -> reason or None; not here: name -> reason or None."""
    structured, unstructured, absent = [], {}, {}
    reasons = absent_reasons()
    for name in recorded_groups():
        row = found.get(name)
        if row is None:
            absent[name] = next((reason for pattern, reason in reasons if pattern.fullmatch(name)), None)
        elif row.structured:
            structured.append(name)
        else:
            unstructured[name] = row.unstructured
    return structured, unstructured, absent


def _by_reason(groups):
    by_reason = {}
    for name, reason in groups.items():
        by_reason.setdefault(reason, []).append(name)
    return sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[1]))


def _listed(names):
    return ", ".join(f"`{name}`" for name in names)


def table():
    found = rows()
    structured, unstructured, absent = sort_groups(found)
    more = sorted(set(row.full_name for row in found.values() if row.structured) - set(structured))
    total = len(structured) + len(unstructured) + len(absent)
    text = "| groups | number |\n|---|---|\n"
    text += f"| structured in PyTorch | {total} |\n"
    text += f"| of these, structured here | {len(structured)} |\n"
    text += f"| here, but not structured | {len(unstructured)} |\n"
    text += f"| not here | {len(absent)} |\n"
    text += f"| structured here only | {len(more)} |\n\n"
    for title, groups in (("Here, but not structured", unstructured), ("Not here", absent)):
        text += f"| {title} | why |\n|---|---|\n"
        text += "".join(f"| {_listed(names)} | {reason} |\n" for reason, names in _by_reason(groups)) + "\n"
    return text + f"Structured here only: {_listed(more)}.\n"


def split_page():
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before, *rest.split(END)


def main():
    before, _, after = split_page()
    PAGE.write_text(before + BEGIN + table() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
