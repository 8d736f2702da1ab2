#!/usr/bin/env python3
"""Writes tags.tsc, which prints the tags of every operator, and records what PyTorch prints for it.

    python3 record.py          # needs PyTorch; what it writes is committed

The names are those of the rows in src/ops/, the forms that codegen makes of them included, as far as PyTorch has them.
"""

import pathlib
import subprocess
import sys
import textwrap

import torch

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]

# For the build's Python, which has PyYAML.
LIST_ROWS = """
from pathlib import Path
from codegen.rows import load_family
for path in Path("src/ops").rglob("*.yaml"):
    print(*(row.full_name for row in load_family(path)))
"""

PROGRAM = '''# The tags of the operators that PyTorch has, too: each kind of set, and who has it. record.py writes this file.
import torch

NAMES = """
{names}
"""

by_tags = {{}}
for name in NAMES.split():
    packet, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.aten, packet), overload or "default")
    tags = " ".join(sorted(tag.name for tag in op.tags))
    by_tags.setdefault(tags, []).append(name)
for tags in sorted(by_tags):
    print(tags)
    line = "   "
    for name in by_tags[tags]:
        if len(line) + len(name) > 115:
            print(line)
            line = "   "
        line += " " + name
    print(line)
'''


def has(name):
    packet, _, overload = name.partition(".")
    try:
        getattr(getattr(torch.ops.aten, packet), overload or "default")
    except AttributeError:
        return False
    return True


def main():
    rows = subprocess.run(["python3", "-c", LIST_ROWS], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = sorted(filter(has, rows.split()))
    text = PROGRAM.format(names="\n".join(textwrap.wrap(" ".join(names), 120, break_on_hyphens=False)))
    program = FOLDER / "tags.tsc"
    program.write_text(text)
    answer = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    (FOLDER / "tags.expected").write_text(answer.stdout)
    print(f"{len(names)} operators")


if __name__ == "__main__":
    main()
