#!/usr/bin/env python3
"""Records PyTorch's structured groups in groups.txt: the out= row of each, in the order of its native_functions.yaml.
Runs the programs of the folder under PyTorch, and records what they print.

    python3 record.py          # needs PyTorch; what it writes is committed
"""

import pathlib
import subprocess
import sys

import torchgen
import yaml

FOLDER = pathlib.Path(__file__).parent


def main():
    path = pathlib.Path(torchgen.__file__).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))
    names = [row["func"].partition("(")[0] for row in rows if row.get("structured")]
    (FOLDER / "groups.txt").write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    for program in sorted(FOLDER.glob("*.tsc")):
        done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
        program.with_suffix(".expected").write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
