"""Command line of the generator: `python3 codegen/main.py family --out DIR src/ops/binary.yaml`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from codegen import rows as row_loader  # noqa: E402
from codegen.output import write_if_changed  # noqa: E402
from codegen.writers import api, native, register, structured  # noqa: E402


def write_family(path: Path, out: Path) -> None:
    family = path.stem
    rows = row_loader.load_family(path)
    groups = row_loader.structured_groups(rows)
    write_if_changed(out / f"{family}.h", api.write_header(family, rows))
    write_if_changed(out / f"{family}.cpp", api.write_calls(family, rows))
    write_if_changed(out / f"{family}_native.h", native.write(family, rows, groups))
    write_if_changed(out / f"{family}_direct.h", structured.write_direct_header(family, groups))
    write_if_changed(out / f"{family}_register.cpp", register.write(family, rows, groups))


def write_index(paths: list[Path], out: Path) -> None:
    families = {}
    for path in paths:
        rows = row_loader.load_family(path)
        families[path.stem] = (rows, row_loader.structured_groups(rows))
    write_if_changed(out / "all_operators.cpp", register.write_all_operators(families))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    family = commands.add_parser("family", help="the files of one family")
    family.add_argument("yaml", type=Path)
    index = commands.add_parser("index", help="the table of all operators")
    index.add_argument("yaml", type=Path, nargs="+")
    for command in (family, index):
        command.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        if arguments.command == "family":
            write_family(arguments.yaml, arguments.out)
        else:
            write_index(arguments.yaml, arguments.out)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
