#!/usr/bin/env python3
"""Records the kinds of the cells of PyTorch's operators in pytorch.tsv: those of the rows here that PyTorch has.

    python3 record.py PROGRAM      # needs PyTorch; what it writes is committed

PROGRAM is tensorscope, which says which operators there are. With --show, prints the rows that differ, by difference.
"""

import collections
import pathlib
import sys

import torch

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from cells import KEYS, NONE, agree, letters_of  # noqa: E402
from ours import tables_of  # noqa: E402


def show(theirs, ours):
    found = collections.defaultdict(list)
    for name, row in theirs.items():
        if not agree(row, ours[name]):
            found[" ".join(f"{key}:{a}->{b}" for key, a, b in zip(KEYS, row, ours[name]) if a != b)].append(name)
    for difference, names in sorted(found.items(), key=lambda item: -len(item[1])):
        print(len(names), difference, "\n    ", " ".join(names))


def main():
    ours = tables_of(sys.argv[1])
    theirs = {name: letters_of(torch._C._dispatch_dump_table(f"aten::{name}")) for name in ours}
    theirs = {name: row for name, row in theirs.items() if row != NONE}
    if "--show" in sys.argv:
        show(theirs, ours)
        return
    text = "".join(f"{name}\t{row}\n" for name, row in sorted(theirs.items()))
    (FOLDER / "pytorch.tsv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
