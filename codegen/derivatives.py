"""Reads a family's derivatives and works out, for each entry, what its node saves and computes.

src/autograd/<room>/<family>.yaml has one entry an operator:

    - name: mul.Tensor
      self: mul_backward(grad, other, self.dtype())
      other: mul_backward(grad, self, other.dtype())

A formula is a C++ expression for the gradient of the argument that it stands under. It may name `grad` (the gradient
of the first differentiable output), `grads[i]` or `grad_<output>`; the arguments; `result`, `result0`, ... or the
outputs by name; and `mask`, which says of the arguments of this formula whose gradients are wanted. A formula for
several arguments (`self, other: ...`) gives a tuple. What a formula names is saved; `self.sizes()`, `.strides()`,
`.numel()`, `.dim()`, `.dtype()`, `.options()` and `geometry_of(self)`, `sizes_of(tensors)`, `dtypes_of(tensors)` save
only that.

Other fields:
    node                    the node's name, where it is not the operator's with Backward0
    output_differentiability  a list of booleans, one an output; without it, outputs of a floating dtype have gradients
    differentiable: False   nothing of it has a gradient: the operator runs as if below Autograd
    manual                  the kernel is written by hand; the value is its C++ name

An entry serves the in-place form, too, unless that has one of its own; out= forms need none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codegen.autogen import is_copy, is_functional_form
from codegen.model import Argument, Location, Place, Row, SchemaKind
from codegen.rows import Entry, RowError, load_entries, shown_path

_FIELDS = ("name", "node", "output_differentiability", "differentiable", "manual")
_WORD = re.compile(r"(?<![\w.:>])([A-Za-z_]\w*)\b(?!\s*\()")

# `self.sizes()` in a formula: the member that keeps it, and the name that scripts see (none: they do not).
_PROPERTIES = {
    "sizes": ("DimVector", "sym_sizes"),
    "strides": ("DimVector", "sym_strides"),
    "numel": ("int64_t", "sym_numel"),
    "dim": ("int64_t", "dim"),
    "dtype": ("ScalarType", None),
    "options": ("TensorOptions", None),
}
_SUMMARIES = {
    "geometry_of": ("TensorGeometry", "geometry"),
    "sizes_of": ("std::vector<DimVector>", "sizes"),
    "dtypes_of": ("std::vector<ScalarType>", "dtypes"),
}


@dataclass(frozen=True)
class Saved:
    """One member of a node."""

    member: str
    cpp_type: str
    # What the kernel assigns, over the operator's arguments and results.
    value: str
    # What `grad_fn._saved_<name>` is called; None for what scripts do not see.
    shown_as: str | None
    is_output: bool = False
    # Saved only if the gradients of one of these arguments are wanted; empty: always.
    only_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Formula:
    arguments: tuple[str, ...]
    # With saved values replaced by members and locals.
    code: str
    uses_mask: bool
    place: Place


@dataclass
class Derivative:
    """An entry, worked out for its functional form (or for the in-place one, where that is the only form)."""

    location: Location
    row: Row
    node: str
    formulas: list[Formula]
    saved: list[Saved]
    # Which of the row's returns have gradients, in order.
    differentiable_outputs: tuple[bool, ...]
    differentiable: bool = True
    manual: str | None = None
    # All rows that this entry serves, each with what it saves.
    rows: list[tuple[Row, list[Saved]]] = field(default_factory=list)

    @property
    def has_node(self) -> bool:
        return self.differentiable and self.manual is None and bool(self.formulas)

    @property
    def differentiated(self) -> list[Argument]:
        """The arguments that have a formula, in the schema's order: the node's edges."""
        named = {name for formula in self.formulas for name in formula.arguments}
        return [argument for argument in self.row.schema.arguments if argument.name in named]


def default_node_name(name: str) -> str:
    camel = "".join(part.title() for part in name.split("_"))
    return (camel + "Backward").replace("ForwardBackward", "Backward") + "0"


def _output_names(row: Row) -> list[str]:
    """What formulas call the outputs."""
    returns = row.schema.returns
    if len(returns) == 1:
        return [returns[0].name or "result"]
    return [r.name or f"result{i}" for i, r in enumerate(returns)]


def _member_type(argument: Argument) -> str:
    type_ = argument.type
    if type_.is_tensor_list:
        return "SavedVariableList"
    if type_.is_tensor or type_.is_optional_tensor:
        return "SavedVariable"
    optional = type_.optional_of is not None
    inner = type_.optional_of or type_
    if inner.list_of is not None:
        element = {"int": "DimVector", "SymInt": "DimVector", "float": "std::vector<double>"}.get(str(inner.list_of))
        if element is None:
            raise ValueError(f"{argument.name}: a {type_} cannot be saved")
        return f"std::optional<{element}>" if optional else element
    base = {
        "int": "int64_t",
        "SymInt": "int64_t",
        "float": "double",
        "str": "std::string",
    }.get(str(inner.base), str(inner.base))
    return f"std::optional<{base}>" if optional else base


class _FormulaReader:
    """Collects what the formulas of one entry save, and rewrites them to use the saved members."""

    def __init__(self, row: Row):
        self.row = row
        self.arguments = {argument.name: argument for argument in row.schema.arguments}
        self.outputs = _output_names(row)
        self.saved: dict[str, Saved] = {}
        self.used_by: dict[str, list[tuple[str, ...]]] = {}

    def _save(self, saved: Saved, formula: tuple[str, ...]) -> str:
        self.saved.setdefault(saved.member, saved)
        users = self.used_by.setdefault(saved.member, [])
        if formula not in users:
            users.append(formula)
        return saved.member

    def read(self, arguments: tuple[str, ...], text: str, place: Place) -> Formula:
        tensors = [name for name, argument in self.arguments.items() if argument.type.has_tensor]
        names = "|".join(sorted(tensors, key=len, reverse=True)) or "(?!)"

        def property_(match: re.Match[str]) -> str:
            name, property_name = match[1], match[2]
            cpp_type, shown = _PROPERTIES[property_name]
            shown_as = f"{name}_{shown}" if shown else None
            member = f"{name}_{property_name}_"
            return self._save(Saved(member, cpp_type, f"{name}.{property_name}()", shown_as), arguments)

        def summary(match: re.Match[str]) -> str:
            function, name = match[1], match[2]
            cpp_type, suffix = _SUMMARIES[function]
            return self._save(Saved(f"{name}_{suffix}_", cpp_type, f"{function}({name})", None), arguments)

        def word(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.arguments:
                return self._value_of_argument(self.arguments[name], arguments)
            if name in self.outputs:
                self._save(Saved(f"{name}_", "SavedVariable", name, name, is_output=True), arguments)
            return name

        uses_mask = re.search(r"\bmask\b", text) is not None
        code = re.sub(rf"\b({names})\.({'|'.join(_PROPERTIES)})\(\)", property_, text)
        code = re.sub(rf"\b({'|'.join(_SUMMARIES)})\((\w+)\)", summary, code)
        code = _WORD.sub(word, code)
        return Formula(arguments, code, uses_mask, place)

    def _value_of_argument(self, argument: Argument, formula: tuple[str, ...]) -> str:
        member_type = _member_type(argument)
        name = argument.name
        self._save(Saved(f"{name}_", member_type, name, name), formula)
        if member_type.startswith("SavedVariable"):
            return name  # unpacked into a local of that name
        # Members that own what the argument borrows go back to what it was.
        if member_type in ("std::optional<DimVector>", "std::optional<std::string>"):
            return f"borrow({name}_)"
        return f"{name}_"

    def members(self, formulas: list[Formula]) -> list[Saved]:
        """A value that one of several formulas uses is saved only if that one is wanted."""
        members = []
        for saved in self.saved.values():
            users = self.used_by[saved.member]
            only_for = users[0] if len(formulas) > 1 and len(users) == 1 and len(users[0]) == 1 else ()
            if not saved.cpp_type.startswith("SavedVariable"):
                only_for = ()
            members.append(
                Saved(saved.member, saved.cpp_type, saved.value, saved.shown_as, saved.is_output, only_for)
            )
        return members


def _saved_by_inplace(saved: list[Saved], functional: Row, inplace: Row) -> list[Saved]:
    """In place, what is written is the result, and its old value is saved as a copy."""
    written = inplace.schema.arguments[0].name
    result = _output_names(functional)[0]
    changed = []
    for item in saved:
        if item.is_output and item.value == result:
            item = Saved(item.member, item.cpp_type, written, item.shown_as, True, item.only_for)
        elif item.cpp_type == "SavedVariable" and item.value == written:
            item = Saved(item.member, item.cpp_type, f"copy_of({written})", item.shown_as, False, item.only_for)
        changed.append(item)
    return changed


def _parse_entry(entry: Entry, file: str, rows: dict[str, Row]) -> Derivative:
    location = Location(file, entry.pop("__line__", 0))
    name = entry.get("name")
    if name not in rows:
        raise RowError(location, f"no row is called {name}")
    row = rows[name]
    if row.is_composite_implicit:
        raise RowError(location, f"{name} is composite: what it is made of has derivatives")
    if row.schema.kind is SchemaKind.OUT:
        raise RowError(location, f"{name}: out= forms have no derivatives")

    reader = _FormulaReader(row)
    formulas: list[Formula] = []
    seen: set[str] = set()
    for key, text in entry.items():
        if key in _FIELDS:
            continue
        arguments = tuple(part.strip() for part in key.split(","))
        for argument in arguments:
            if argument not in reader.arguments or not reader.arguments[argument].type.has_tensor:
                raise RowError(Location(file, entry.lines[key]), f"{name} has no tensor argument called {argument}")
            if argument in seen:
                raise RowError(location, f"{name}: two formulas for {argument}")
            seen.add(argument)
        try:
            place = Place(file, entry.lines[key], entry.columns[key])
            formulas.append(reader.read(arguments, str(text), place))
        except ValueError as error:
            raise RowError(Location(file, entry.lines[key]), str(error)) from None

    returns = row.schema.returns
    differentiable = bool(entry.get("differentiable", True))
    outputs = tuple(entry.get("output_differentiability") or ())
    if not outputs:
        outputs = tuple(r.type.has_tensor for r in returns)
        # A formula that speaks of `grad` means the first output; the others have no gradients.
        if len(returns) > 1 and not any("grads[" in f.code or "grad_" in f.code for f in formulas):
            outputs = (True,) + (False,) * (len(returns) - 1)
    if len(outputs) != len(returns):
        raise RowError(location, f"{name} returns {len(returns)} values, not {len(outputs)}")
    if differentiable and not formulas and "manual" not in entry and any(outputs):
        raise RowError(location, f"{name}: a formula for an argument, or differentiable: False")
    saved = reader.members(formulas)
    if row.schema.kind is SchemaKind.INPLACE:
        saved = _saved_by_inplace(saved, row, row)
    base = row.schema.base_name if row.schema.kind is SchemaKind.INPLACE else row.schema.name
    return Derivative(
        location=location,
        row=row,
        node=entry.get("node") or default_node_name(base),
        formulas=formulas,
        saved=saved,
        differentiable_outputs=outputs,
        differentiable=differentiable and any(outputs),
        manual=entry.get("manual"),
    )


def _inputs(row: Row) -> set[tuple[str, str]]:
    return {(argument.name, str(argument.type)) for argument in row.schema.inputs}


def _inplace_form(row: Row, rows: dict[str, Row]) -> Row | None:
    """The in-place row that takes the same arguments, in any order; its overload may be called otherwise."""
    if row.schema.kind is not SchemaKind.FUNCTIONAL or row.schema.is_dunder:
        return None
    for other in rows.values():
        if other.schema.name == f"{row.schema.name}_" and _inputs(other) == _inputs(row):
            return other
    return None


def _copies(derivative: Derivative, rows: list[Row]) -> list[Derivative]:
    """What is made of a view, and gives copies, has its formulas."""
    if derivative.manual:
        return []
    return [
        replace(derivative, row=row, node=f"{derivative.node}_copy", rows=[])
        for row in rows
        if row.made_from is derivative.row.schema and row.made_from.is_view and is_copy(row.schema)
    ]


def load_derivatives(path: Path, rows: list[Row]) -> list[Derivative]:
    """The entries of src/autograd/<room>/<family>.yaml, each with the rows that it serves."""
    by_name = {row.full_name: row for row in rows}
    derivatives = [_parse_entry(entry, shown_path(path), by_name) for entry in load_entries(path)]
    declared: set[str] = set()
    for derivative in derivatives:
        if derivative.row.full_name in declared:
            raise RowError(derivative.location, f"{derivative.row.full_name} has two entries")
        declared.add(derivative.row.full_name)
    nodes: dict[str, Derivative] = {}
    for derivative in derivatives:
        if derivative.has_node and nodes.setdefault(derivative.node, derivative) is not derivative:
            raise RowError(derivative.location, f"two nodes are called {derivative.node}")
        derivative.rows.append((derivative.row, derivative.saved))
        derivatives += _copies(derivative, rows)
        derivative.rows += [
            (row, derivative.saved)
            for row in rows
            if row.made_from is derivative.row.schema and is_functional_form(row) and not derivative.manual
        ]
        inplace = _inplace_form(derivative.row, by_name)
        if inplace is not None and inplace.full_name not in declared and not inplace.is_composite_implicit:
            derivative.rows.append((inplace, _saved_by_inplace(derivative.saved, derivative.row, inplace)))
    return derivatives


def rows_without_derivative(rows: list[Row], derivatives: list[Derivative]) -> list[Row]:
    """Rows that take a tensor and would reach the fallback, whose results cannot be differentiated."""
    served = {row.full_name for derivative in derivatives for row, _ in derivative.rows}
    return [
        row
        for row in rows
        if row.full_name not in served
        and not row.is_composite_implicit
        and row.schema.kind is not SchemaKind.OUT
        and any(argument.type.has_tensor for argument in row.schema.arguments)
    ]
