#!/usr/bin/env python3
"""Records what PyTorch prints for the programs of this folder.

PyTorch has dispatch modes as a class to derive from, the language has
`dispatch.mode(function)`: the programs run under PyTorch with a `dispatch` that
makes the one from the other. Needs PyTorch.

    record.py [PROGRAM...]
"""

import contextlib
import io
import pathlib
import sys
import types

import torch
from torch.utils._python_dispatch import TorchDispatchMode

HERE = pathlib.Path(__file__).parent


class FunctionMode(TorchDispatchMode):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def __torch_dispatch__(self, op, kinds, args=(), kwargs=None):
        return self.function(op, args, kwargs or {}, None)


def record(path):
    printed = io.StringIO()
    names = {"__name__": "__main__", "dispatch": types.SimpleNamespace(mode=FunctionMode)}
    torch.manual_seed(0)
    with contextlib.redirect_stdout(printed):
        exec(compile(path.read_text(), str(path), "exec"), names)
    path.with_suffix(".expected").write_text(printed.getvalue())


def main(names):
    for path in map(pathlib.Path, names) if names else sorted(HERE.rglob("*.tsc")):
        record(path)


if __name__ == "__main__":
    main(sys.argv[1:])
