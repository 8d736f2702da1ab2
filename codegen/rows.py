"""Reads a family's yaml file into rows, checks them, and finds its structured groups."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from codegen import by_name as names
from codegen import cpp
from codegen.autogen import is_made_of_tensors, made_rows
from codegen.fields import FIELDS, PYTHON_MODULES, FieldError, parse_field
from codegen.model import BACKENDS, STORED, Family, Location, Place, Row, Schema, SchemaKind, StructuredGroup
from codegen.schema_parser import SchemaError, parse_schema

COMPOSITES = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


class RowError(ValueError):
    """A row that is not what it should be; the message begins with file:line, as a compiler's."""

    def __init__(self, location: Location, message: str):
        super().__init__(f"{location}: error: {message}")


class Entry(dict[Any, Any]):
    """A mapping of the file, with its line (which is an item, too), and where its keys' values are."""

    lines: dict[Any, int]
    columns: dict[Any, int]  # from 0


# The parser in C is ten times as fast.
class _LineLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Keeps each entry's line, for messages."""


def _construct_mapping(loader: _LineLoader, node: yaml.MappingNode) -> Entry:
    lines: dict[Any, int] = {}
    columns: dict[Any, int] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node)
        line = key_node.start_mark.line + 1
        if key in lines:
            raise RowError(Location(loader.name, line), f"'{key}' stands twice")
        lines[key] = line
        columns[key] = value_node.start_mark.column
    mapping = Entry(yaml.SafeLoader.construct_mapping(loader, node, deep=True))
    mapping["__line__"] = node.start_mark.line + 1
    mapping.lines = lines
    mapping.columns = columns
    return mapping


_LineLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _construct_mapping)


def _broken_yaml(error: yaml.YAMLError, text: str, name: str) -> RowError:
    mark = getattr(error, "problem_mark", None)
    position = getattr(error, "position", 0)
    line = mark.line + 1 if mark is not None else text.count("\n", 0, position) + 1
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    context = getattr(error, "context", None)
    return RowError(Location(name, line), f"not YAML: {problem}{f' ({context})' if context else ''}")


def load_yaml(text: str, name: str) -> Any:
    try:
        loader = _LineLoader(text)
    except yaml.YAMLError as error:  # characters that YAML does not have
        raise _broken_yaml(error, text, name) from None
    loader.name = name
    try:
        return loader.get_single_data()
    except yaml.YAMLError as error:
        raise _broken_yaml(error, text, name) from None
    finally:
        loader.dispose()


def load_entries(path: Path) -> list[Entry]:
    """The list of mappings that a file of rows or of derivatives is; messages call it by its path in the project."""
    name = shown_path(path)
    entries = load_yaml(path.read_text(encoding="utf-8"), name) or []
    if not isinstance(entries, list):
        raise RowError(Location(name, 1), "the file is not a list: entries begin with '- '")
    for entry in entries:
        if not isinstance(entry, Entry):
            raise RowError(Location(name, 1), f"an entry is a mapping, not '{entry}'")
    return entries


def shown_path(path: Path) -> str:
    root = Path(__file__).resolve().parent.parent
    full = path.resolve()
    return str(full.relative_to(root) if full.is_relative_to(root) else path)


_DEFAULT = re.compile(r"None|True|False|-?[\d.]+(e-?\d+)?|-?inf|\[.*\]|'.*'")


def _check_cpp(schema: Schema) -> None:
    """Raises CppError where the generated C++ would have no type for an argument, or no value for a default."""
    if schema.has_names:
        return
    cpp.signature(schema)
    for argument in schema.arguments:
        if argument.default is not None and not _DEFAULT.fullmatch(argument.default):
            if argument.default not in cpp.NAMED_DEFAULTS:
                raise cpp.CppError(f"unknown default '{argument.default}' of {argument.name}")


def default_kernel_name(schema: Schema) -> str:
    """The native function of a row that names none: its own name with its overload, in-place kept apart."""
    return f"{schema.name}_{schema.overload}" if schema.overload else schema.name


def _unknown_field(field: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(field), known, n=1)
    return f"unknown field '{field}'" + (f", did you mean '{near[0]}'?" if near else "")


def parse_row(entry: Entry, file: str, family: Family) -> Row:
    location = Location(file, entry.pop("__line__", 0))
    for field in entry:
        if field not in FIELDS:
            raise RowError(Location(file, entry.lines[field]), _unknown_field(field, FIELDS))
    try:
        schema = parse_schema(entry["func"])
        _check_cpp(schema)
    except KeyError:
        raise RowError(location, "a row needs 'func'") from None
    except (SchemaError, cpp.CppError) as error:
        raise RowError(Location(file, entry.lines["func"]), str(error)) from None

    values: dict[str, Any] = {}
    for name, value in entry.items():
        if value is not None and name != "func":
            try:
                values[name] = parse_field(name, value)
            except FieldError as error:
                raise RowError(Location(file, entry.lines[name]), str(error)) from None
    if values.get("formula"):
        values.setdefault("dispatch", dict.fromkeys(BACKENDS, f"{schema.name}_cpu"))
        values.setdefault("structured_inherits", "TensorIteratorBase")
        values["formula_place"] = Place(file, entry.lines["formula"], entry.columns["formula"])
    if not values.get("dispatch") and "structured_delegate" not in values:
        values["dispatch"] = {"CompositeImplicitAutograd": default_kernel_name(schema)}
    row = Row(schema=schema, location=location, family=family, **values)
    _check_row(row)
    return row


_FORMULA = re.compile(r"[a-z]\w*\.[a-z]\w*")
_FORMULA_LISTS = Path(__file__).resolve().parent.parent / "src" / "ops" / "cpu" / "pointwise"


def _check_formula_list(row: Row) -> None:
    """The names in a list are the compiler's to check; without the list there is nothing that it could say."""
    name = row.formula[0].partition(".")[0]
    known = sorted(path.name.removesuffix("_list.h") for path in _FORMULA_LISTS.glob("*_list.h"))
    if name not in known:
        raise RowError(row.location, f"{row.full_name}: unknown list '{name}' of formulas (known: {', '.join(known)})")


def _check_formula(row: Row) -> None:
    """One to three tensors, then numbers; with floats, one or two; costly ones without numbers."""
    location, (formula, *words) = row.location, row.formula
    types = [str(argument.type) for argument in row.schema.inputs]
    tensors = types.count("Tensor")
    if not row.structured:
        raise RowError(location, f"{row.full_name}: formula belongs on the structured row")
    if not _FORMULA.fullmatch(formula) or set(words) - {"floats", "costly"}:
        raise RowError(location, f"{row.full_name}: a formula is LIST.NAME, then 'floats' where integers become floats, then 'costly'")
    _check_formula_list(row)
    kernels = {key: kernel for key, kernel in row.dispatch.items() if kernel != STORED}
    if kernels.keys() - {"CUDA"} != {"CPU"} or len(set(kernels.values())) != 1:
        raise RowError(location, f"{row.full_name}: a formula is one kernel, of the CPU or of `CPU, CUDA`")
    most = 2 if "floats" in words else 3
    if not 1 <= tensors <= most or types != ["Tensor"] * tensors + ["Scalar"] * (len(types) - tensors):
        raise RowError(location, f"{row.full_name}: a formula takes up to {most} tensors, then numbers")
    if "costly" in words and tensors != len(types):
        raise RowError(location, f"{row.full_name}: a costly formula takes no numbers")


def _check_row(row: Row) -> None:
    schema, location = row.schema, row.location
    if row.formula:
        _check_formula(row)
    if row.structured and schema.kind is not SchemaKind.OUT:
        raise RowError(location, f"{row.full_name}: only an out= row is structured, the others delegate to it")
    if STORED in row.dispatch.values() and not (row.structured and set(row.dispatch) - {"CPU"}):
        raise RowError(location, f"{row.full_name}: '{STORED}' is for a structured row, at keys that its group has no kernel for")
    if row.structured and row.structured_delegate:
        raise RowError(location, f"{row.full_name}: a row is structured or delegates, not both")
    if row.structured and set(row.dispatch) & {"Meta", "CompositeImplicitAutograd", "CompositeExplicitAutogradNonFunctional"}:
        raise RowError(location, f"{row.full_name}: a structured row's kernels are for backends; Meta is made for you")
    if row.structured_inherits and not row.structured:
        raise RowError(location, f"{row.full_name}: structured_inherits belongs on the structured row")
    if row.every_backend and not row.structured_delegate:
        raise RowError(location, f"{row.full_name}: every_backend is for a form that delegates to a structured row")
    if row.structured_delegate and set(row.dispatch) & set(BACKENDS):
        raise RowError(location, f"{row.full_name}: its kernels come from {row.structured_delegate}")
    if "CompositeImplicitAutograd" in row.dispatch and set(row.dispatch) & {"Meta", *COMPOSITES[1:]}:
        raise RowError(location, f"{row.full_name}: CompositeImplicitAutograd stands alone, or beside kernels of backends")
    if schema.kind is SchemaKind.INPLACE and not schema.arguments[0].is_write:
        raise RowError(location, f"{row.full_name}: an in-place row writes its first argument, e.g. Tensor(a!) self")
    if row.autogen and not (schema.kind is not SchemaKind.OUT and is_made_of_tensors(schema)):
        raise RowError(location, f"{row.full_name}: autogen stores a functional row's tensors")
    for field in ("exact_out", "strided_out", "out_apart"):
        if getattr(row, field) and not row.autogen:
            raise RowError(location, f"{row.full_name}: {field} says what autogen makes")
    for field in ("autogen_tags", "autogen_keys", "autogen_functions"):
        if unmade := set(getattr(row, field)) - set(row.autogen):
            raise RowError(location, f"{row.full_name}: {field} has {sorted(unmade)[0]}, which autogen does not make")
    for name in row.python_names:
        if name.partition(".")[0] not in PYTHON_MODULES or not name.partition(".")[2]:
            raise RowError(location, f"{row.full_name}: '{name}' is no name in a module (known: {', '.join(PYTHON_MODULES)})")
    if row.inverse and not row.may_view:
        raise RowError(location, f"{row.full_name}: only a view has an inverse")
    if row.by_name and not names.can_go_by_name(schema):
        raise RowError(location, f"{row.full_name}: by_name is for rows with a dimension, and for factories")
    if "method" in row.variants and not any(argument.name == "self" for argument in schema.arguments):
        raise RowError(location, f"{row.full_name}: a method needs an argument named self")


def inherit_docs(rows: list[Row]) -> list[Row]:
    """A row without a sentence of its own has that of the first row with its base name."""
    docs: dict[str, str] = {}
    for row in rows:
        if row.doc:
            docs.setdefault(row.schema.base_name, row.doc)
    completed = []
    for row in rows:
        doc = row.doc or docs.get(row.schema.base_name, "")
        if not doc:
            raise RowError(row.location, f"{row.full_name}: needs a doc, one sentence that :help prints")
        completed.append(replace(row, doc=doc))
    return completed


def inherit_from_structured(rows: list[Row]) -> list[Row]:
    """The forms of a group deal with names, and with numbers, as its structured row says."""
    structured = {row.full_name: row for row in rows if row.structured}
    completed = []
    for row in rows:
        target = structured.get(row.structured_delegate or row.full_name, row)
        names = row.names or target.names
        completed.append(
            replace(
                row,
                names=None if names == "none" else names,
                numbers_as_tensors=row.numbers_as_tensors or target.numbers_as_tensors,
            )
        )
    return completed


def load_family(path: Path) -> list[Row]:
    """The rows of src/ops/<room>/<family>.yaml, in their order."""
    declared = inherit_from_structured(
        [parse_row(entry, shown_path(path), Family.of(path)) for entry in load_entries(path)]
    )
    rows = inherit_docs([form for row in declared for form in (row, *made_rows(row), *names.made_rows(row))])
    counted = Counter(row.full_name for row in rows)
    for row in rows:
        if counted[row.full_name] > 1:
            raise RowError(row.location, f"{row.full_name} is declared twice")
    structured_groups(rows)
    return rows


def _inputs_signature(row: Row) -> list[tuple[str, str]]:
    """What the forms of a group share; alias annotations and defaults aside."""
    return [(argument.name, str(argument.type)) for argument in row.schema.inputs]


def structured_groups(rows: list[Row]) -> list[StructuredGroup]:
    by_name = {row.full_name: row for row in rows}
    forms: dict[str, dict[SchemaKind, Row]] = {row.full_name: {} for row in rows if row.structured}
    for row in rows:
        if row.structured_delegate is None:
            continue
        if row.structured_delegate not in forms:
            raise RowError(row.location, f"{row.full_name} delegates to {row.structured_delegate}, which is not a structured row here")
        target = by_name[row.structured_delegate]
        if _inputs_signature(row) != _inputs_signature(target):
            raise RowError(row.location, f"{row.full_name} and {target.full_name} take different arguments")
        kind = row.schema.kind
        if kind in forms[row.structured_delegate]:
            raise RowError(row.location, f"two {kind.value} rows delegate to {row.structured_delegate}")
        forms[row.structured_delegate][kind] = row

    groups = []
    for name, found in forms.items():
        out = by_name[name]
        functional = found.get(SchemaKind.FUNCTIONAL)
        if functional is None:
            raise RowError(out.location, f"no functional row delegates to {name}")
        if len(functional.schema.returns) != len(out.schema.out_arguments):
            raise RowError(out.location, f"{name} and {functional.full_name} return different numbers of tensors")
        groups.append(StructuredGroup(out, functional, found.get(SchemaKind.INPLACE)))
    return groups
