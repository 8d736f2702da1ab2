"""The BackendSelect column: where the result goes by options, the backend is theirs beside the tensors'."""

from __future__ import annotations

from codegen import cpp
from codegen.model import Row


def needs_cell(row: Row) -> bool:
    """zeros, _to_copy, but not zeros_like and new_zeros: their options are those of a tensor."""
    name = row.schema.name
    if row.schema.has_names:
        return False
    return bool(row.schema.tensor_options) and not name.endswith("_like") and not name.startswith("new_")


def cell_function(row: Row) -> str:
    return cpp.unambiguous_name(row.schema)


def _cell(row: Row) -> str:
    schema = row.schema
    name = cell_function(row)
    tensors = [cpp.identifier(argument.name) for argument in schema.arguments if argument.type.has_tensor]
    keys = "backend_key_set(dtype, layout, device)"
    if tensors:
        keys += f" | keys_below({', '.join(tensors)})"
    return (
        f"{cpp.return_type(schema)} {name}(DispatchKeySet, {cpp.parameters(schema)}) {{\n"
        "  // What the kernel writes to its new tensor is no change that anybody saw.\n"
        "  AutoDispatchBelowADInplaceOrView guard;\n"
        f"  return pinned_if(pin_memory, ops::{name}::redispatch({keys}, "
        f"{cpp.argument_names(schema.arguments)}));\n"
        "}\n"
    )


def write(rows: list[Row]) -> str:
    cells = [_cell(row) for row in rows if needs_cell(row)]
    if not cells:
        return ""
    return (
        "namespace tsc::backend_select {\nnamespace {\n\n"
        + "\n".join(cells)
        + "\n}  // namespace\n}  // namespace tsc::backend_select\n\n"
    )
