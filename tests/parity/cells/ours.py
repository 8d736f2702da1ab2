"""The same of tensorscope's operators."""

import pathlib
import subprocess
import tempfile

# cells.py goes before it.
PROGRAM = """
import torch

for name in torch._C._dispatch_get_all_op_names():
    if name.startswith("aten::"):
        print(name[6:], letters_of(torch._C._dispatch_dump_table(name)))
"""


def tables_of(program):
    source = (pathlib.Path(__file__).parent / "cells.py").read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".tsc", encoding="utf-8") as script:
        script.write(source + PROGRAM)
        script.flush()
        printed = subprocess.run([program, script.name], capture_output=True, text=True, check=True, timeout=600).stdout
    return dict(line.split() for line in printed.splitlines())
