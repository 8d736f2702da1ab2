"""The forms of structured groups: functional, in-place and out= for each backend, for Meta, and the Common kernels.

gen/ops/<family>_direct.h (codegen/writers/direct.py) declares them.
"""

from __future__ import annotations

from codegen import cpp
from codegen.model import BACKENDS, Row, SchemaKind, StructuredGroup
from codegen.selection import ALL, Selection
from codegen.writers import inplace_or_view
from codegen.writers.device_check import check_of


def namespace_of(backend: str) -> str:
    return backend.lower()


# Where the tables' function stands apart from the entry point, which counts versions.
UNVERSIONED = "unversioned"


def table_function(row: Row, backend: str) -> str:
    """What the table has at a backend: `cpu::add`, `cpu::unversioned::add_`."""
    apart = f"{UNVERSIONED}::" if inplace_or_view.needs_cell(row) else ""
    return f"{namespace_of(backend)}::{apart}{kernel_function(row)}"


def in_namespaces(functions: dict[str, list[str]]) -> str:
    """Functions by their namespace within tsc; those that stand apart are in no other file."""
    text = ""
    for name, texts in functions.items():
        is_apart = name.endswith(UNVERSIONED)
        begin, end = ("namespace {\n\n", "\n}  // namespace\n") if is_apart else ("\n", "\n")
        text += f"namespace tsc::{name} {{\n" + begin + "\n".join(texts) + end + f"}}  // namespace tsc::{name}\n\n"
    return text


def kernel_function(row: Row) -> str:
    """The name of a form's function, arguments in the schema's order: `add`, `add_`, `add_outf`."""
    if row.schema.kind is SchemaKind.OUT:
        return f"{row.schema.name}_outf"
    return cpp.identifier(row.schema.name)


def _output_names(group: StructuredGroup, kind: SchemaKind) -> list[str]:
    if kind is SchemaKind.INPLACE:
        return [group.inplace.schema.arguments[0].name]
    return [cpp.identifier(argument.name) for argument in group.out.schema.out_arguments]


def _declare_outputs(names: list[str]) -> str:
    return "".join(f"  Tensor {name};\n" for name in names)


def _return_statement(row: Row, names: list[str]) -> str:
    if len(names) == 1:
        return f"  return {names[0]};\n"
    if row.schema.kind is SchemaKind.FUNCTIONAL:
        return f"  return {{{', '.join(f'std::move({name})' for name in names)}}};\n"
    return f"  return {{{', '.join(names)}}};\n"


_BINDERS = {
    SchemaKind.FUNCTIONAL: "allocate_outputs",
    SchemaKind.INPLACE: "update_in_place",
    SchemaKind.OUT: "write_outputs",
}


def _written(kind: SchemaKind, names: list[str]) -> list[str]:
    """What the kernel writes: given tensors may be written through others (MetaBase::set_output_strided)."""
    return names if kind is SchemaKind.FUNCTIONAL else [f"op.output({i})" for i in range(len(names))]


def _store(kind: SchemaKind) -> str:
    return "" if kind is SchemaKind.FUNCTIONAL else "  op.store_outputs();\n"


def _note_inputs(group: StructuredGroup, kind: SchemaKind) -> str:
    """A TensorIterator looks at its operands itself."""
    tensors = [cpp.identifier(a.name) for a in group.out.schema.inputs if a.type.has_tensor]
    if kind is not SchemaKind.OUT or group.out.structured_inherits or not tensors:
        return ""
    return f"  op.note_inputs<{len(group.out.schema.out_arguments)}>({', '.join(tensors)});\n"


def _check_outputs(group: StructuredGroup, kind: SchemaKind) -> str:
    """A TensorIterator looks at its operands itself."""
    if kind is not SchemaKind.OUT or group.out.structured_inherits:
        return ""
    return f"  op.check_output_elements<{len(group.out.schema.out_arguments)}>();\n"


def _check_devices(group: StructuredGroup, row: Row) -> str:
    """A TensorIterator looks at its operands itself, since a number on the CPU may be among them."""
    return check_of(row, group.out.device_check or ("NoCheck" if group.out.structured_inherits else None))


def _form(group: StructuredGroup, row: Row, backend: str) -> str:
    """One form on one backend; on Meta there is nothing to compute, only outputs to make."""
    kind = row.schema.kind
    names = _output_names(group, kind)
    inputs = cpp.argument_names(group.out.schema.inputs)
    kernel = group.backends.get(backend)
    op_type = f"structured_{kernel}" if kernel else f"meta_{group.name}"
    # The entry point has the whole of it in one function.
    inlined = "TSC_ALWAYS_INLINE " if inplace_or_view.needs_cell(row) and group.out.structured_inherits else ""
    text = f"{inlined}{cpp.return_type(row.schema)} {kernel_function(row)}({cpp.parameters(row.schema)}) {{\n"
    text += _check_devices(group, row)
    if kind is SchemaKind.FUNCTIONAL:
        text += _declare_outputs(names)
    text += f"  {op_type} op;\n"
    text += f"  MetaBase::{_BINDERS[kind]}(op, DeviceType::{backend}, {', '.join(names)});\n"
    text += _note_inputs(group, kind)
    text += f"  op.meta({inputs});\n" + _check_outputs(group, kind)
    if kernel:
        text += f"  op.impl({', '.join([inputs, *_written(kind, names)])});\n" + _store(kind)
    return text + _return_statement(row, names) + "}\n"


def bare_function(row: Row) -> str:
    """`tsc::cpu::impl::add_out`: arguments in the schema's order."""
    return f"{row.schema.name}_outf"


def _bare_form(group: StructuredGroup, backend: str) -> str:
    """The out= kernel alone. An iterator has to be built for it, from outputs at which nobody looks."""
    row = group.out
    names = _output_names(group, SchemaKind.OUT)
    inputs = cpp.argument_names(row.schema.inputs)
    shared = any(group.is_shared(other) for other in group.backends)
    device = f"{names[0]}.device().type" if shared else f"DeviceType::{backend}"
    text = f"{cpp.return_type(row.schema)} {bare_function(row)}({cpp.parameters(row.schema)}) {{\n"
    text += f"  structured_{group.backends[backend]} op;\n"
    text += f"  MetaBase::take_outputs(op, {device}, {', '.join(names)});\n"
    text += f"  op.meta({inputs});\n" if row.structured_inherits else ""
    text += f"  op.impl({', '.join([inputs, *names])});\n"
    return text + _return_statement(row, names) + "}\n"


def out_kernel(group: StructuredGroup, backend: str) -> str:
    """What the table has for the out= form of a backend that has no other form of its own."""
    owner = "CPU" if group.is_shared(backend) else backend
    return f"{namespace_of(owner)}::impl::{bare_function(group.out)}"


def write_bare_forms(groups: list[StructuredGroup]) -> str:
    text = ""
    for backend in BACKENDS:
        forms = [_bare_form(group, backend) for group in groups if backend in group.backends and not group.is_shared(backend)]
        if forms:
            name = f"tsc::{namespace_of(backend)}::impl"
            text += f"namespace {name} {{\n\n" + "\n".join(forms) + f"\n}}  // namespace {name}\n\n"
    return text


def _common_form(group: StructuredGroup, row: Row) -> str:
    """For a backend that registers the out= kernel only: checks and shapes here, then its kernel, through the table."""
    kind = row.schema.kind
    names = _output_names(group, kind)
    inputs = cpp.argument_names(group.out.schema.inputs)
    tensors = [cpp.identifier(a.name) for a in group.out.schema.inputs if a.type.has_tensor]
    given = names if kind is SchemaKind.OUT and not tensors else []
    out_handle = f"ops::{cpp.unambiguous_name(group.out.schema)}"
    text = f"{cpp.return_type(row.schema)} {kernel_function(row)}(DispatchKeySet keys, {cpp.parameters(row.schema)}) {{\n"
    text += _check_devices(group, row)
    if kind is SchemaKind.FUNCTIONAL:
        text += _declare_outputs(names)
    text += f"  meta_{group.name} op;\n"
    text += f"  const DeviceGuard device(common_device({', '.join(tensors + given)}));\n"
    text += f"  MetaBase::{_BINDERS[kind]}(op, device.type(), {', '.join(names)});\n"
    text += _note_inputs(group, kind)
    text += f"  op.meta({inputs});\n" + _check_outputs(group, kind)
    written = ", ".join([inputs, *_written(kind, names)])
    text += f"  {out_handle}::handle().redispatch_below_common(keys, {written});\n" + _store(kind)
    return text + _return_statement(row, names) + "}\n"


def backends_of(groups: list[StructuredGroup]) -> list[str]:
    found = {backend for group in groups for backend in group.backends_with_forms}
    return [backend for backend in BACKENDS if backend in found] + (["Meta"] if groups else [])


def write_forms(groups: list[StructuredGroup]) -> str:
    functions: dict[str, list[str]] = {}
    for backend in backends_of(groups):
        for group in groups:
            if backend == "Meta" or backend in group.backends_with_forms:
                for row in group.rows:
                    namespace = table_function(row, backend).rpartition("::")[0]
                    functions.setdefault(namespace, []).append(_form(group, row, backend))
    return in_namespaces(functions)


def _form_for_every_backend(group: StructuredGroup, row: Row) -> str:
    """Where the group has a kernel of its own, that one; else the way of Common."""
    tensor = next(cpp.identifier(a.name) for a in row.schema.arguments if a.type.is_tensor)
    arguments = cpp.argument_names(row.schema.arguments)
    text = f"{cpp.return_type(row.schema)} {kernel_function(row)}(DispatchKeySet keys, {cpp.parameters(row.schema)}) {{\n"
    for backend, question in (("CPU", "is_cpu"), ("Meta", "is_meta")):
        text += f"  if ({tensor}.{question}() && {tensor}.layout() == Layout::Strided) {{\n"
        text += f"    return {table_function(row, backend)}({arguments});\n  }}\n"
    return text + f"  return common::{kernel_function(row)}(keys, {arguments});\n}}\n"


def write_common(groups: list[StructuredGroup], selection: Selection = ALL) -> str:
    rows = [(group, row) for group in groups for row in group.rows if selection.has(row)]
    text = in_unnamed("common", [_common_form(group, row) for group, row in rows])
    served = [_form_for_every_backend(group, row) for group, row in rows if row.every_backend]
    return text + (in_unnamed("every_backend", served) if served else "")


def in_unnamed(name: str, functions: list[str]) -> str:
    return f"namespace tsc::{name} {{\nnamespace {{\n\n" + "\n".join(functions) + f"\n}}  // namespace\n}}  // namespace tsc::{name}\n\n"
