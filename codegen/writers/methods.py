"""gen/calls/tensor_methods.h, what core/tensor.h includes in the class for plug-ins, and tensor_methods_inl.h.

The class declares a method for each row with that variant, without defaults, so that core needs no type that it does
not have; the definitions bring the defaults, and call the handles. What the class has of its own stays as it is.
"""

from __future__ import annotations

import re

from codegen import cpp
from codegen.model import Row, SchemaKind

_HEADING = "// Written by codegen/ from src/ops/; edit those files instead.\n"


def names_of_class(header: str) -> set[str]:
    """The member functions that the class Tensor declares itself, of the text of core/tensor.h."""
    body = re.search(r"^class TSC_API Tensor \{\n(.*?)^\};", header, re.MULTILINE | re.DOTALL)
    assert body is not None
    return set(re.findall(r"(\w+)\([^()]*\) const", body[1]))


def methods(rows: list[Row], taken: set[str]) -> list[Row]:
    return [
        row
        for row in cpp.typed(rows)
        if "method" in row.variants
        and row.schema.kind is not SchemaKind.OUT
        and row.schema.name not in taken
        and any(argument.name == "self" and argument.type.is_tensor for argument in row.schema.arguments)
    ]


def _name(row: Row) -> str:
    """As in Python; a function called std hides no namespace within a class."""
    name = row.schema.name
    return name if name == "std" else cpp.identifier(name)


def _global(text: str) -> str:
    """Within a class that has a function called std."""
    return re.sub(r"(?<![\w:])std::", "::std::", text)


def _declaration(row: Row) -> str:
    parameters = cpp.api_parameters(row, with_defaults=False, without_self=True)
    return f"{cpp.return_type(row.schema)} {_name(row)}({parameters}) const;\n"


def _definition(row: Row) -> str:
    parameters = cpp.api_parameters(row, with_defaults=True, without_self=True)
    arguments = cpp.forwarded_arguments(row.schema, of_self="*this")
    return (
        f"inline {cpp.return_type(row.schema)} Tensor::{_name(row)}({parameters}) const {{\n"
        f"  return ops::{cpp.unambiguous_name(row.schema)}::call({arguments});\n}}\n"
    )


def write_declarations(rows: list[Row]) -> str:
    return (
        _HEADING
        + "// Members of Tensor, in the programs that ask for them (core/tensor.h).\n"
        + _global("".join(_declaration(row) for row in rows))
    )


def write_definitions(rows: list[Row]) -> str:
    headers = sorted({cpp.header_name(row.schema.name) for row in rows})
    return (
        _HEADING
        + "#pragma once\n\n"
        + "".join(f'#include "gen/calls/{name}.h"\n' for name in headers)
        + "\nnamespace tsc {\n\n"
        + _global("\n".join(_definition(row) for row in rows))
        + "\n}  // namespace tsc\n"
    )
