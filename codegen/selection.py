"""A build with some of the rows: -Dselected_ops=FILE.

FILE has an operator a line, as `tensorscope --list-ops-used` prints them; `#` begins a comment. Tables hold those rows
only. Declarations and functions with names of their own stay, so that all that calls them still compiles and links;
the linker leaves out what no table refers to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from codegen.derivatives import Derivative
from codegen.model import Row


class SelectionError(ValueError):
    pass


@dataclass(frozen=True)
class Selection:
    # Full names, and the lines that they stand in; None for every row.
    names: dict[str, int] | None = None
    file: str = ""

    @staticmethod
    def load(path: Path) -> Selection:
        names: dict[str, int] = {}
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            name = line.partition("#")[0].strip()
            if name:
                names.setdefault(name.removeprefix("aten::"), number)
        if not names:
            raise SelectionError(f"{path}:1: error: no operator is selected")
        return Selection(names, path.as_posix())

    def has(self, row: Row) -> bool:
        return self.names is None or row.full_name in self.names

    def rows(self, rows: Iterable[Row]) -> list[Row]:
        return [row for row in rows if self.has(row)]

    def derivatives(self, derivatives: list[Derivative]) -> list[Derivative]:
        """Those that serve a selected row, for these rows."""
        served = [
            replace(derivative, rows=[(row, saved) for row, saved in derivative.rows if self.has(row)])
            for derivative in derivatives
        ]
        return [derivative for derivative in served if derivative.rows]

    def check(self, rows: Iterable[Row]) -> None:
        """Each name is a row's."""
        known = {row.full_name for row in rows}
        for name, line in (self.names or {}).items():
            if name not in known:
                close = get_close_matches(name, known, n=1)
                hint = f", did you mean aten::{close[0]}?" if close else ""
                raise SelectionError(f"{self.file}:{line}: error: there is no operator aten::{name}{hint}")


ALL = Selection()
