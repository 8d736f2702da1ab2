"""The ADInplaceOrView column: versions of what is written, metadata of views. Nothing below it does either."""

from __future__ import annotations

from codegen import cpp
from codegen.model import Row, SchemaKind

def needs_cell(row: Row) -> bool:
    if row.is_composite_implicit or row.aliasing in ("none", "lifted"):
        return False
    return bool(row.schema.writes) or row.schema.is_view


def cell_function(row: Row) -> str:
    return cpp.unambiguous_name(row.schema)


def _redispatch(row: Row) -> str:
    names = cpp.argument_names(row.schema.arguments)
    return f"ops::{cpp.unambiguous_name(row.schema)}::redispatch(keys & kAfterADInplaceOrView, {names})"


def _writing_cell(row: Row) -> str:
    written = [cpp.identifier(argument.name) for argument in row.schema.writes]
    result = "auto result = " if row.schema.kind is SchemaKind.FUNCTIONAL and row.schema.returns else ""
    text = "  {\n    AutoDispatchBelowADInplaceOrView guard;\n" if not result else ""
    if result:
        text += f"  auto result = [&] {{\n    AutoDispatchBelowADInplaceOrView guard;\n    return {_redispatch(row)};\n  }}();\n"
    else:
        text += f"    {_redispatch(row)};\n  }}\n"
    for name in written:
        text += f"  increment_version({name});\n"
    if result:
        return text + "  return result;\n"
    if not row.schema.returns:
        return text
    return text + (f"  return {written[0]};\n" if len(written) == 1 else f"  return {{{', '.join(written)}}};\n")


def _view_cell(row: Row) -> str:
    if row.aliasing == "untracked":
        return f"  AutoDispatchBelowADInplaceOrView guard;\n  return {_redispatch(row)};\n"
    viewed = next(a for a in row.schema.arguments if a.annotation is not None)
    several = row.schema.returns[0].type.is_tensor_list
    name = cpp.identifier(viewed.name)
    text = f"  auto result = [&] {{\n    AutoDispatchBelowADInplaceOrView guard;\n    return {_redispatch(row)};\n  }}();\n"
    if several:
        text += "  for (const Tensor& view : result) {\n"
        text += f"    set_view_metadata({name}, view, creation_meta(CreationMeta::MultiOutput));\n  }}\n"
    else:
        text += f"  set_view_metadata({name}, result, creation_meta(CreationMeta::Default));\n"
    return text + "  return result;\n"


def _cell(row: Row) -> str:
    body = _writing_cell(row) if row.schema.writes else _view_cell(row)
    head = f"{cpp.return_type(row.schema)} {cell_function(row)}(DispatchKeySet keys, {cpp.parameters(row.schema)}) {{\n"
    return head + body + "}\n"


def write(rows: list[Row]) -> str:
    cells = [_cell(row) for row in rows if needs_cell(row)]
    if not cells:
        return ""
    return (
        "namespace tsc::inplace_or_view {\nnamespace {\n\n"
        + "\n".join(cells)
        + "\n}  // namespace\n}  // namespace tsc::inplace_or_view\n\n"
    )
