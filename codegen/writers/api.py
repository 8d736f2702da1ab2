"""The C++ API and the typed handles.

gen/calls/<name>.h declares the operators of one name (add, add_ and add.out), so that a file is compiled again where
an operator that it calls has changed. gen/ops/<family>.h includes those of a family, and gen/ops/<family>.cpp defines
them.
"""

from __future__ import annotations

from codegen import cpp
from codegen.model import Family, Row
from codegen.output import heading


def _comment(text: str) -> str:
    return f"// {text}\n"


def _handle_declaration(row: Row) -> str:
    schema = row.schema
    name = cpp.unambiguous_name(schema)
    returns = cpp.return_type(schema)
    parameters = cpp.parameters(schema)
    redispatched = f"DispatchKeySet keys, {parameters}" if parameters else "DispatchKeySet keys"
    return (
        _comment(str(schema))
        + f"struct {name} {{\n"
        + f"  using Signature = {cpp.signature(schema)};\n"
        + f"  static TSC_API TypedOperatorHandle<Signature> handle();\n"
        + f"  static TSC_API {returns} call({parameters});\n"
        + f"  static TSC_API {returns} redispatch({redispatched});\n"
        + "};\n"
    )


def _static_handle(row: Row) -> str:
    name = cpp.unambiguous_name(row.schema)
    return (
        f"constinit StaticHandle<{name}::Signature> handle_{name}("
        f'"aten::{row.schema.name}", "{row.schema.overload}");\n'
    )


def _handle_definition(row: Row) -> str:
    schema = row.schema
    name = cpp.unambiguous_name(schema)
    returns = cpp.return_type(schema)
    parameters = cpp.parameters(schema)
    names = cpp.argument_names(schema.arguments)
    redispatched = f"DispatchKeySet keys, {parameters}" if parameters else "DispatchKeySet keys"
    passed = f"keys, {names}" if names else "keys"
    return (
        f"TypedOperatorHandle<{name}::Signature> {name}::handle() {{ return handle_{name}.get(); }}\n"
        f"{returns} {name}::call({parameters}) {{\n"
        f"  return handle_{name}.get().call({names});\n"
        "}\n"
        f"{returns} {name}::redispatch({redispatched}) {{\n"
        f"  return handle_{name}.get().redispatch({passed});\n"
        "}\n"
    )


def _api_function(row: Row) -> str:
    schema = row.schema
    return (
        f"inline {cpp.return_type(schema)} {cpp.api_name(schema)}({cpp.api_parameters(row, with_defaults=True)}) {{\n"
        + f"  return ops::{cpp.unambiguous_name(schema)}::call({cpp.forwarded_arguments(schema)});\n"
        + "}\n"
    )


def rows_by_header(rows: list[Row]) -> dict[str, list[Row]]:
    """Base name -> the rows that gen/calls/<base name>.h declares."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(cpp.header_name(row.schema.name), []).append(row)
    return found


def write_call_header(families: list[tuple[Family, list[Row]]]) -> str:
    rows = [row for _, declared in families for row in cpp.typed(declared)]
    parts = [
        heading(" and ".join(family.rows for family, _ in families)),
        "#pragma once\n\n",
        '#include "dispatch/operator_types.h"\n\n',
        "namespace tsc::ops {\n\n",
        "\n".join(_handle_declaration(row) for row in rows),
        "\n}  // namespace tsc::ops\n\n",
        "namespace tsc {\n\n",
        "\n".join(_api_function(row) for row in rows),
        "\n}  // namespace tsc\n",
    ]
    return "".join(parts)


def write_header(family: Family, rows: list[Row]) -> str:
    """Every operator of the family."""
    return (
        heading(family.rows)
        + "#pragma once\n\n"
        + "".join(f'#include "gen/calls/{name}.h"\n' for name in sorted(rows_by_header(rows)))
    )


def write_calls(family: Family, rows: list[Row]) -> str:
    rows = cpp.typed(rows)
    parts = [
        heading(family.rows),
        f'#include "gen/ops/{family}.h"\n\n',
        '#include "dispatch/dispatcher.h"\n\n',
        "namespace tsc::ops {\nnamespace {\n\n",
        "".join(_static_handle(row) for row in rows),
        "\n}  // namespace\n\n",
        "\n".join(_handle_definition(row) for row in rows),
        "\n}  // namespace tsc::ops\n",
    ]
    return "".join(parts)
