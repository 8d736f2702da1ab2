"""Reads a family's yaml file into rows, checks them, and finds its structured groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from codegen import by_name as names
from codegen.autogen import is_made_of_tensors, made_rows
from codegen.model import Location, Row, Schema, SchemaKind, StructuredGroup
from codegen.schema_parser import SchemaError, parse_schema

DISPATCH_KEYS = (
    "CPU",
    "CUDA",
    "Meta",
    "QuantizedCPU",
    "SparseCPU",
    "SparseMeta",
    "BackendSelect",
    "ZeroTensor",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)
BACKENDS = ("CPU", "CUDA")
VARIANTS = ("function", "method")
TAGS = (
    "core",
    "pointwise",
    "reduction",
    "view_copy",
    "inplace_view",
    "data_dependent_output",
    "dynamic_output_shape",
    "nondeterministic_seeded",
    "nondeterministic_bitwise",
    "maybe_aliasing_or_mutating",
)
PYTHON_MODULES = ("nn", "linalg", "fft", "special", "none")
FIELDS = {
    "func",
    "variants",
    "structured",
    "structured_delegate",
    "structured_inherits",
    "dispatch",
    "tags",
    "doc",
    "python_module",
    "cpp_no_default_args",
    "device_check",
    "autogen",
    "exact_out",
    "inner_calls",
    "by_name",
}


class RowError(ValueError):
    """A row that is not what it should be; the message begins with file:line."""

    def __init__(self, location: Location, message: str):
        super().__init__(f"{location}: {message}")


class _LineLoader(yaml.SafeLoader):
    """Keeps each entry's line, for messages."""


def _construct_mapping(loader: _LineLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if key in seen:
            location = Location(loader.name, key_node.start_mark.line + 1)
            raise RowError(location, f"'{key}' stands twice")
        seen.add(key)
    mapping = yaml.SafeLoader.construct_mapping(loader, node, deep=True)
    mapping["__line__"] = node.start_mark.line + 1
    return mapping


_LineLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _construct_mapping)


def load_yaml(text: str, name: str) -> Any:
    loader = _LineLoader(text)
    loader.name = name
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _words(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return tuple(value)


def _check_members(location: Location, field: str, found: tuple[str, ...], known: tuple[str, ...]) -> None:
    for word in found:
        if word not in known:
            raise RowError(location, f"unknown {field} '{word}' (known: {', '.join(known)})")


def _parse_dispatch(location: Location, entry: dict[str, str]) -> dict[str, str]:
    dispatch: dict[str, str] = {}
    for keys, kernel in entry.items():
        if keys == "__line__":
            continue
        for key in _words(keys):
            _check_members(location, "dispatch key", (key,), DISPATCH_KEYS)
            if key in dispatch:
                raise RowError(location, f"two kernels for {key}")
            dispatch[key] = kernel
    return dispatch


def default_kernel_name(schema: Schema) -> str:
    """The native function of a row that names none: its own name with its overload, in-place kept apart."""
    return f"{schema.name}_{schema.overload}" if schema.overload else schema.name


def parse_row(entry: dict[str, Any], file: str, family: str) -> Row:
    location = Location(file, entry.pop("__line__", 0))
    unknown = set(entry) - FIELDS
    if unknown:
        raise RowError(location, f"unknown field '{sorted(unknown)[0]}'")
    try:
        schema = parse_schema(entry["func"])
    except KeyError:
        raise RowError(location, "a row needs 'func'") from None
    except SchemaError as error:
        raise RowError(location, str(error)) from None

    variants = _words(entry.get("variants", "function"))
    _check_members(location, "variant", variants, VARIANTS)
    tags = _words(entry.get("tags"))
    _check_members(location, "tag", tags, TAGS)
    if entry.get("python_module") is not None:
        _check_members(location, "python_module", (entry["python_module"],), PYTHON_MODULES)
    structured = bool(entry.get("structured", False))
    delegate = entry.get("structured_delegate")
    dispatch = _parse_dispatch(location, entry.get("dispatch") or {})
    if not dispatch and delegate is None:
        dispatch = {"CompositeImplicitAutograd": default_kernel_name(schema)}
    row = Row(
        schema=schema,
        location=location,
        family=family,
        variants=variants,
        structured=structured,
        structured_delegate=delegate,
        structured_inherits=entry.get("structured_inherits"),
        dispatch=dispatch,
        tags=tags,
        doc=(entry.get("doc") or "").strip(),
        python_module=entry.get("python_module"),
        cpp_no_default_args=_words(entry.get("cpp_no_default_args")),
        device_check=entry.get("device_check", "Check") != "NoCheck",
        autogen=_words(entry.get("autogen")),
        exact_out=entry.get("exact_out", False),
        inner_calls=_words(entry.get("inner_calls")),
        by_name=entry.get("by_name"),
    )
    _check_row(row)
    return row


def _check_row(row: Row) -> None:
    schema, location = row.schema, row.location
    if row.structured and schema.kind is not SchemaKind.OUT:
        raise RowError(location, f"{row.full_name}: only an out= row is structured, the others delegate to it")
    if row.structured and row.structured_delegate:
        raise RowError(location, f"{row.full_name}: a row is structured or delegates, not both")
    if row.structured and set(row.dispatch) - set(BACKENDS):
        raise RowError(location, f"{row.full_name}: a structured row's kernels are for backends; Meta is made for you")
    if row.structured_inherits and not row.structured:
        raise RowError(location, f"{row.full_name}: structured_inherits belongs on the structured row")
    if row.structured_delegate and set(row.dispatch) & set(BACKENDS):
        raise RowError(location, f"{row.full_name}: its kernels come from {row.structured_delegate}")
    if "CompositeImplicitAutograd" in row.dispatch and len(row.dispatch) > 1:
        raise RowError(location, f"{row.full_name}: CompositeImplicitAutograd stands alone")
    if schema.kind is SchemaKind.INPLACE and not schema.arguments[0].is_write:
        raise RowError(location, f"{row.full_name}: an in-place row writes its first argument, e.g. Tensor(a!) self")
    if row.autogen and not (schema.kind is not SchemaKind.OUT and is_made_of_tensors(schema)):
        raise RowError(location, f"{row.full_name}: autogen stores a functional row's tensors")
    if row.exact_out and not row.autogen:
        raise RowError(location, f"{row.full_name}: exact_out says what autogen makes")
    if row.inner_calls and not (row.structured_delegate and schema.kind is SchemaKind.FUNCTIONAL):
        raise RowError(location, f"{row.full_name}: inner_calls says what a functional form of a structured row calls")
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


def load_family(path: Path) -> list[Row]:
    """The rows of src/ops/<family>.yaml, in their order."""
    entries = load_yaml(path.read_text(encoding="utf-8"), str(path)) or []
    declared = [parse_row(entry, str(path), path.stem) for entry in entries]
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
