"""gen/ops/<family>_direct.h: the direct entry points (`tsc::cpu::add`), which skip the dispatcher.

The tables register the same functions: those of structured groups (codegen/writers/structured.py), and here, for each
kernel of a backend that an author wrote, one that looks at the devices of its tensors and calls it.
"""

from __future__ import annotations

from codegen import cpp
from codegen.model import BACKEND_COLUMNS, Family, Row, SchemaKind, StructuredGroup
from codegen.output import heading
from codegen.writers import structured
from codegen.writers.device_check import check_of
from codegen.writers.structured import kernel_function, namespace_of


def _functions(row: Row) -> list[tuple[str, str]]:
    """(backend, the author's function) for each."""
    return [(key, cpp.identifier(row.dispatch[key])) for key in row.direct_columns]


def write_functions(rows: list[Row]) -> str:
    """The functions of unstructured rows."""
    by_backend: dict[str, list[str]] = {key: [] for key in BACKEND_COLUMNS}
    for row in rows:
        schema = row.schema
        for key, kernel in _functions(row):
            by_backend[key].append(
                f"{cpp.return_type(schema)} {kernel_function(row)}({cpp.parameters(schema)}) {{\n"
                + check_of(row, row.device_check)
                + f"  return native::{kernel}({cpp.argument_names(schema.arguments)});\n}}\n"
            )
    return "".join(
        f"namespace tsc::{namespace_of(key)} {{\n\n" + "\n".join(functions) + f"\n}}  // namespace tsc::{namespace_of(key)}\n\n"
        for key, functions in by_backend.items()
        if functions
    )


def _declaration(row: Row) -> str:
    """What the tables register, and beside it, where they differ, the C++ API's order of arguments."""
    schema = row.schema
    returns, function = cpp.return_type(schema), kernel_function(row)
    if schema.kind is not SchemaKind.OUT and not schema.tensor_options:
        return f"TSC_API {returns} {function}({cpp.api_parameters(row, with_defaults=True)});\n"
    return (
        f"TSC_API {returns} {function}({cpp.parameters(schema)});\n"
        f"inline {returns} {cpp.api_name(schema)}({cpp.api_parameters(row, with_defaults=True)}) {{\n"
        f"  return {function}({cpp.forwarded_arguments(schema)});\n}}\n"
    )


def write_header(family: Family, rows: list[Row], groups: list[StructuredGroup]) -> str:
    declared: dict[str, list[str]] = {key: [] for key in BACKEND_COLUMNS}
    for group in groups:
        for key in structured.backends_of([group]):
            declared[key] += [_declaration(row) for row in group.rows]
    for row in rows:
        for key in row.direct_columns:
            declared[key].append(_declaration(row))
    parts = [
        heading(family.rows),
        "// Direct entry points: checks, allocation and the kernel, without the dispatcher.\n",
        "#pragma once\n\n",
        '#include "dispatch/operator_types.h"\n',
    ]
    for key, declarations in declared.items():
        if declarations:
            name = namespace_of(key)
            parts += [f"\nnamespace tsc::{name} {{\n\n", *declarations, f"\n}}  // namespace tsc::{name}\n"]
    return "".join(parts)
