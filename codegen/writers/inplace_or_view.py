"""The ADInplaceOrView column: versions of what is written, metadata of views. Nothing below it does either.

The direct entry points, which pass the column by, do the same (codegen/writers/direct.py).
"""

from __future__ import annotations

from codegen import cpp
from codegen.model import Row, SchemaKind


def needs_cell(row: Row) -> bool:
    if row.is_composite_implicit or row.aliasing in ("none", "lifted"):
        return False
    return bool(row.schema.writes) or row.schema.is_view


def cell_function(row: Row) -> str:
    return cpp.unambiguous_name(row.schema)


_GUARD = "AutoDispatchBelowADInplaceOrView guard;"


def _redispatch(row: Row) -> str:
    names = cpp.argument_names(row.schema.arguments)
    return f"ops::{cpp.unambiguous_name(row.schema)}::redispatch(keys & kAfterADInplaceOrView, {names})"


def _result_of(call: str) -> str:
    return f"  auto result = [&] {{\n    {_GUARD}\n    return {call};\n  }}();\n"


def _writing_body(row: Row, call: str) -> str:
    written = [cpp.identifier(argument.name) for argument in row.schema.writes]
    has_result = row.schema.kind is SchemaKind.FUNCTIONAL and bool(row.schema.returns)
    text = _result_of(call) if has_result else f"  {{\n    {_GUARD}\n    {call};\n  }}\n"
    for name in written:
        text += f"  increment_version({name});\n"
    if has_result:
        return text + "  return result;\n"
    if not row.schema.returns:
        return text
    return text + (f"  return {written[0]};\n" if len(written) == 1 else f"  return {{{', '.join(written)}}};\n")


def _view_body(row: Row, call: str) -> str:
    if row.aliasing == "untracked":
        return f"  {_GUARD}\n  return {call};\n"
    viewed = next(a for a in row.schema.arguments if a.annotation is not None)
    several = row.schema.returns[0].type.is_tensor_list
    name = cpp.identifier(viewed.name)
    text = _result_of(call)
    if several:
        text += "  for (const Tensor& view : result) {\n"
        text += f"    set_view_metadata({name}, view, creation_meta(CreationMeta::MultiOutput));\n  }}\n"
    else:
        text += f"  set_view_metadata({name}, result, creation_meta(CreationMeta::Default));\n"
    return text + "  return result;\n"


def body(row: Row, call: str) -> str:
    """Calls what is below; then counts what was written, or says of what the result is a view."""
    return _writing_body(row, call) if row.schema.writes else _view_body(row, call)


def _cell(row: Row) -> str:
    head = f"{cpp.return_type(row.schema)} {cell_function(row)}(DispatchKeySet keys, {cpp.parameters(row.schema)}) {{\n"
    return head + body(row, _redispatch(row)) + "}\n"


def write(rows: list[Row]) -> str:
    cells = [_cell(row) for row in rows if needs_cell(row)]
    if not cells:
        return ""
    return (
        "namespace tsc::inplace_or_view {\nnamespace {\n\n"
        + "\n".join(cells)
        + "\n}  // namespace\n}  // namespace tsc::inplace_or_view\n\n"
    )
