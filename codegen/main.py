"""Command line of the generator: `python3 codegen/main.py family --out DIR src/ops/pointwise/binary.yaml`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from codegen import rows as row_loader  # noqa: E402
from codegen.derivatives import load_derivatives  # noqa: E402
from codegen.model import Family, Row  # noqa: E402
from codegen.output import write_cpp  # noqa: E402
from codegen.output_names import call_headers_of  # noqa: E402
from codegen.selection import ALL, Selection  # noqa: E402
from codegen.writers import api, autograd, direct, methods, native, register  # noqa: E402


def write_family(path: Path, out: Path, selection: Selection) -> None:
    family = Family.of(path)
    rows = row_loader.load_family(path)
    groups = row_loader.structured_groups(rows)
    write_cpp(out / f"{family}.h", api.write_header(family, rows))
    write_cpp(out / f"{family}.cpp", api.write_calls(family, rows))
    write_cpp(out / f"{family}_native.h", native.write(family, rows, groups))
    write_cpp(out / f"{family}_direct.h", direct.write_header(family, rows, groups))
    write_cpp(out / f"{family}_register.cpp", register.write(family, rows, groups, selection))


def write_calls(paths: list[Path], out: Path, _: Selection) -> None:
    """What paths declare, of every row; a name may have rows in two families, as max has."""
    found: dict[str, list[tuple[Family, list[Row]]]] = {}
    for path in paths:
        for name, rows in api.rows_by_header(row_loader.load_family(path)).items():
            found.setdefault(name, []).append((Family.of(path), rows))
    for name, families in found.items():
        write_cpp(out / f"{name}.h", api.write_call_header(families))
    taken = methods.names_of_class((paths[0].parents[2] / "core/tensor.h").read_text(encoding="utf-8"))
    rows = methods.methods([row for families in found.values() for _, rows in families for row in rows], taken)
    write_cpp(out / "tensor_methods.h", methods.write_declarations(rows))
    write_cpp(out / "tensor_methods_inl.h", methods.write_definitions(rows))


def write_index(paths: list[Path], out: Path, selection: Selection) -> None:
    families = {}
    for path in paths:
        rows = row_loader.load_family(path)
        families[Family.of(path)] = (rows, row_loader.structured_groups(rows))
    write_cpp(out / "all_operators.cpp", register.write_all_operators(families, selection))


def _rows_beside(path: Path) -> Path:
    """src/ops/<room>/<family>.yaml for src/autograd/<room>/<family>.yaml."""
    return path.parents[2] / "ops" / path.parent.name / path.name


def write_autograd_family(path: Path, out: Path, selection: Selection) -> None:
    family = Family.of(path)
    rows = row_loader.load_family(_rows_beside(path))
    derivatives = selection.derivatives(load_derivatives(path, rows))
    rows = selection.rows(rows)
    has_formulas = path.with_suffix(".h").exists()
    operators = call_headers_of(path.parents[2] / "ops")
    write_cpp(out / f"{family}.cpp", autograd.write(family, rows, derivatives, has_formulas, operators))


def write_autograd_index(paths: list[Path], out: Path, selection: Selection) -> None:
    families = {}
    for path in paths:
        rows = row_loader.load_family(_rows_beside(path))
        families[Family.of(path)] = (selection.rows(rows), selection.derivatives(load_derivatives(path, rows)))
    write_cpp(out / "all_kernels.cpp", autograd.write_all_kernels(families))


COMMANDS = {
    "family": (write_family, "the files of src/ops/<room>/<family>.yaml"),
    "autograd": (write_autograd_family, "the file of src/autograd/<room>/<family>.yaml"),
}
INDEX_COMMANDS = {
    "calls": (write_calls, "a header for each name of an operator, and the methods of Tensor"),
    "index": (write_index, "the table of all operators"),
    "autograd-index": (write_autograd_index, "the table of all kernels for Autograd"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (function, text) in {**COMMANDS, **INDEX_COMMANDS}.items():
        command = commands.add_parser(name, help=text)
        command.set_defaults(write=function)
        command.add_argument("yaml", type=Path, nargs="+" if name in INDEX_COMMANDS else None)
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--ops", type=Path, help="a file with the operators of the build; without it, all")
    arguments = parser.parse_args()
    try:
        selection = ALL if arguments.ops is None else Selection.load(arguments.ops)
        arguments.write(arguments.yaml, arguments.out, selection)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
