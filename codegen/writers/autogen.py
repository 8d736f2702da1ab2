"""The kernels of the forms that are made of a functional row (codegen/autogen.py)."""

from __future__ import annotations

from codegen import cpp
from codegen.autogen import is_copy, is_functional_form
from codegen.model import STORED, Row, SchemaKind, StructuredGroup
from codegen.selection import ALL, Selection
from codegen.writers.structured import kernel_function


_STRIDES = {"resized": "Resized", "empty": "Empty"}


def _kernel(row: Row) -> str:
    schema = row.schema
    call = f"ops::{cpp.unambiguous_name(row.made_from)}::call({cpp.argument_names(schema.inputs)})"
    name = cpp.identifier(next(iter(row.dispatch.values())))
    text = f"{cpp.return_type(schema)} {name}({cpp.parameters(schema)}) {{\n"
    if schema.kind is SchemaKind.INPLACE:
        return text + f"  return store_in_place({call}, {cpp.identifier(schema.arguments[0].name)});\n}}\n"
    if is_functional_form(row):
        names = [cpp.identifier(argument.name) for argument in schema.arguments]
        written = ", ".join(["copy", *names[1:]])
        called = f"ops::{cpp.unambiguous_name(row.made_from)}::call({written})"
        return text + f"  const Tensor copy = copied({names[0]});\n  {called};\n  return copy;\n}}\n"
    if is_copy(schema):
        return text + f"  return copied({call});\n}}\n"
    if row.is_composite_implicit:
        tensors = ", ".join(cpp.identifier(a.name) for a in schema.arguments if a.type.has_tensor)
        text += f'  refuse_gradient("{schema.name}", {tensors});\n'
    if row.out_apart:
        inputs = ", ".join(cpp.identifier(a.name) for a in schema.inputs if a.type.has_tensor)
        text += "".join(f"  check_apart({cpp.identifier(out.name)}, {inputs});\n" for out in schema.out_arguments)
    store = "store_exact" if row.exact_out else "store_result"
    strides = f", OutStrides::{_STRIDES[row.strided_out]}" if row.strided_out else ""
    outs = [cpp.identifier(argument.name) for argument in schema.out_arguments]
    if len(outs) == 1:
        return text + f"  return {store}({call}, {outs[0]}{strides});\n}}\n"
    text += f"  const auto results = {call};\n"
    for i, out in enumerate(outs):
        text += f"  {store}(std::get<{i}>(results), {out}{strides});\n"
    return text + f"  return {{{', '.join(outs)}}};\n}}\n"


def write_stored(groups: list[StructuredGroup], selection: Selection = ALL) -> str:
    """For keys where a group has a functional kernel only."""
    text = ""
    for group in groups:
        schema = group.out.schema
        if STORED not in group.out.dispatch.values() or not selection.has(group.out):
            continue
        (out,) = (cpp.identifier(argument.name) for argument in schema.out_arguments)
        call = f"ops::{cpp.unambiguous_name(group.functional.schema)}::call({cpp.argument_names(schema.inputs)})"
        text += f"{cpp.return_type(schema)} {kernel_function(group.out)}({cpp.parameters(schema)}) {{\n"
        text += f"  return store_whole({call}, {out});\n}}\n"
    return f"namespace tsc::stored {{\nnamespace {{\n\n{text}\n}}  // namespace\n}}  // namespace tsc::stored\n\n" if text else ""


def write(rows: list[Row], selection: Selection = ALL) -> str:
    """The direct entry points of rows that are left out call their kernels, too, where there are some."""
    kernels = [
        _kernel(row) if selection.has(row) else f"[[maybe_unused]] {_kernel(row)}" for row in rows if row.made_from is not None
    ]
    if not kernels:
        return ""
    return (
        "namespace tsc::autogen {\nnamespace {\n\n"
        + "\n".join(kernels)
        + "\n}  // namespace\n}  // namespace tsc::autogen\n\n"
    )
