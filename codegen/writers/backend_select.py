"""The BackendSelect column: a factory has no tensor to take its backend from, so its options decide."""

from __future__ import annotations

from codegen import cpp
from codegen.model import Row


def needs_cell(row: Row) -> bool:
    schema = row.schema
    if row.is_composite_implicit or not schema.tensor_options:
        return False
    # Of dense tensors, too, the options may ask for another layout.
    return "SparseCPU" in row.dispatch or not any(argument.type.has_tensor for argument in schema.arguments)


def cell_function(row: Row) -> str:
    return cpp.unambiguous_name(row.schema)


def _cell(row: Row) -> str:
    schema = row.schema
    name = cell_function(row)
    return (
        f"{cpp.return_type(schema)} {name}(DispatchKeySet, {cpp.parameters(schema)}) {{\n"
        "  // What the kernel writes to its new tensor is no change that anybody saw.\n"
        "  AutoDispatchBelowADInplaceOrView guard;\n"
        f"  return ops::{name}::redispatch(backend_key_set(dtype, layout, device), "
        f"{cpp.argument_names(schema.arguments)});\n"
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
