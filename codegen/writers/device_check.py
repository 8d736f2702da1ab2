"""The line of a generated function that refuses tensors on different devices."""

from __future__ import annotations

from codegen import cpp
from codegen.model import Row


def check_of(row: Row, device_check: str | None) -> str:
    """Nothing where the row asks for no check, or has one tensor only."""
    tensors = [argument for argument in row.schema.arguments if argument.type.has_tensor]
    if device_check == "NoCheck" or len(tensors) + sum(a.type.is_tensor_list for a in tensors) < 2:
        return ""
    names = ", ".join(cpp.identifier(argument.name) for argument in tensors)
    return f"  check_one_device(tables::kSchema_{cpp.unambiguous_name(row.schema)}, {names});\n"
