"""gen/ops/<family>_direct.h: the direct entry points (`tsc::cpu::add`), which skip the dispatcher.

The tables register the same functions: those of structured groups (codegen/writers/structured.py), and here, for each
kernel of a backend that an author wrote, one that looks at the devices of its tensors and calls it. A kernel that serves
every backend has an entry point for those that compute here, too. An entry point that writes or returns a view stands
before the tables' function, and does what the column ADInplaceOrView would.
"""

from __future__ import annotations

from codegen import cpp
from codegen.model import Family, Row, SchemaKind, StructuredGroup
from codegen.output import heading
from codegen.writers import inplace_or_view, structured
from codegen.writers.device_check import check_of
from codegen.writers.structured import kernel_function, namespace_of


# A kernel that serves every backend is an entry point of these.
_EVERY_BACKEND = ("CPU", "Meta")


def _backends_of(row: Row) -> dict[str, str]:
    """Backend -> the function that its entry point calls."""
    found = {key: f"native::{cpp.identifier(row.dispatch[key])}" for key in row.direct_columns}
    shared = [key for key in row.dispatch if key.startswith("CompositeExplicit")]
    if shared and not row.schema.has_names and not row.is_structured:
        namespace = "native" if row.made_from is None else "autogen"
        for backend in _EVERY_BACKEND:
            found.setdefault(backend, f"{namespace}::{cpp.identifier(row.dispatch[shared[0]])}")
    return found


def _has_bare_form(row: Row) -> bool:
    """An out= kernel that an author wrote: it can be called without the checks."""
    return row.schema.kind is SchemaKind.OUT and bool(row.direct_columns)


def _function(row: Row, name: str, callee: str, check: str) -> str:
    schema = row.schema
    return (
        f"{cpp.return_type(schema)} {name}({cpp.parameters(schema)}) {{\n{check}"
        f"  return {callee}({cpp.argument_names(schema.arguments)});\n}}\n"
    )


def write_functions(rows: list[Row]) -> str:
    """The functions of unstructured rows; made forms are defined before these."""
    functions: dict[str, list[str]] = {}

    def define(qualified: str, row: Row, callee: str, check: str) -> None:
        namespace, _, name = qualified.rpartition("::")
        functions.setdefault(namespace, []).append(_function(row, name, callee, check))

    for row in rows:
        for key, callee in _backends_of(row).items():
            if key in row.direct_columns:
                define(structured.table_function(row, key), row, callee, check_of(row, row.device_check))
                if _has_bare_form(row):
                    define(f"{namespace_of(key)}::impl::{structured.bare_function(row)}", row, callee, "")
            elif not inplace_or_view.needs_cell(row):
                define(f"{namespace_of(key)}::{kernel_function(row)}", row, callee, "")
    return structured.in_namespaces(functions)


def write_entry_points(rows: list[Row], groups: list[StructuredGroup]) -> str:
    """Those that write or view: as the column ADInplaceOrView does, they count versions and say what is a view of what."""
    found = [(row, {key: structured.table_function(row, key) for key in structured.backends_of([group])})
             for group in groups for row in group.rows]
    for row in rows:
        found.append((row, {key: structured.table_function(row, key) if key in row.direct_columns else callee
                            for key, callee in _backends_of(row).items()}))
    functions: dict[str, list[str]] = {}
    for row, callees in found:
        if not inplace_or_view.needs_cell(row):
            continue
        for key, callee in callees.items():
            call = f"{callee}({cpp.argument_names(row.schema.arguments)})"
            functions.setdefault(namespace_of(key), []).append(
                f"{cpp.return_type(row.schema)} {kernel_function(row)}({cpp.parameters(row.schema)}) {{\n"
                + inplace_or_view.body(row, call)
                + "}\n"
            )
    return structured.in_namespaces(functions)


def _declaration(row: Row) -> str:
    """What the tables register, and beside it, where they differ, the C++ API's order of arguments."""
    schema = row.schema
    returns, function = cpp.return_type(schema), kernel_function(row)
    if schema.kind is not SchemaKind.OUT and not schema.tensor_options:
        return f"TSC_API {returns} {function}({cpp.api_parameters(row, with_defaults=True, by_kernel=True)});\n"
    return (
        f"TSC_API {returns} {function}({cpp.parameters(schema)});\n"
        f"inline {returns} {cpp.api_name(schema)}({cpp.api_parameters(row, with_defaults=True)}) {{\n"
        f"  return {function}({cpp.forwarded_arguments(schema)});\n}}\n"
    )


def write_header(family: Family, rows: list[Row], groups: list[StructuredGroup]) -> str:
    declared: dict[str, list[str]] = {}

    def declare(namespace: str, row: Row) -> None:
        declared.setdefault(namespace, []).append(_declaration(row))

    for group in groups:
        for key in structured.backends_of([group]):
            for row in group.rows:
                declare(namespace_of(key), row)
        for key in group.backends:
            if not group.is_shared(key):
                declare(f"{namespace_of(key)}::impl", group.out)
    for row in rows:
        for key in _backends_of(row):
            declare(namespace_of(key), row)
            if key in row.direct_columns and _has_bare_form(row):
                declare(f"{namespace_of(key)}::impl", row)
    parts = [
        heading(family.rows),
        "// Direct entry points: checks, allocation and the kernel, without the dispatcher. In the namespaces\n"
        "// called impl is the kernel alone: nothing is checked, allocated or resized.\n",
        "#pragma once\n\n",
        '#include "dispatch/operator_types.h"\n',
    ]
    for name in sorted(declared):
        parts += [f"\nnamespace tsc::{name} {{\n\n", *declared[name], f"\n}}  // namespace tsc::{name}\n"]
    return "".join(parts)
