#!/usr/bin/env python3
"""Records what PyTorch's profiler says of the programs of this folder. Needs PyTorch.

    record.py [PROGRAM...]
"""

import contextlib
import io
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).parent


def record(path):
    printed = io.StringIO()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    with contextlib.redirect_stdout(printed):
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})
    path.with_suffix(".expected").write_text(printed.getvalue())


def main(names):
    for path in map(pathlib.Path, names) if names else sorted(HERE.glob("*.tsc")):
        record(path)


if __name__ == "__main__":
    main(sys.argv[1:])
