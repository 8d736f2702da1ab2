"""gen/ops/<family>_register.cpp: the kernels that are generated, and the family's rows as constant data.

gen/ops/all_operators.cpp: every family's rows in one table, sorted by name for binary search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codegen import cpp
from codegen.model import Row, SchemaKind, StructuredGroup
from codegen.output import heading
from codegen.writers import autogen, backend_select, inplace_or_view, structured
from codegen.writers.schema_tables import write_schema


@dataclass(frozen=True)
class Kernel:
    key: str
    function: str
    takes_key_set: bool = False


def kernels_of(row: Row, group: StructuredGroup | None) -> list[Kernel]:
    """What the row registers, in the order of a listing: backends, aliases, then the columns above them."""
    kernels: list[Kernel] = []
    if group is not None:
        name = structured.kernel_function(row)
        for backend in [*group.backends, "Meta"]:
            kernels.append(Kernel(backend, f"{structured.namespace_of(backend)}::{name}"))
        if structured.has_common(row):
            kernels.append(Kernel("Common", f"common::{name}", takes_key_set=True))
    if not row.structured:
        namespace = "native" if row.made_from is None else "autogen"
        kernels += [Kernel(key, f"{namespace}::{cpp.identifier(kernel)}") for key, kernel in row.dispatch.items()]
    if backend_select.needs_cell(row):
        kernels.append(Kernel("BackendSelect", f"backend_select::{backend_select.cell_function(row)}", True))
    if inplace_or_view.needs_cell(row):
        kernels.append(Kernel("ADInplaceOrView", f"inplace_or_view::{inplace_or_view.cell_function(row)}", True))
    return kernels


def _kernel_entry(row: Row, kernel: Kernel, source: str) -> str:
    if row.schema.has_names:
        return (
            f"    {{DispatchKey::{kernel.key},\n"
            f'     boxed_kernel(&{kernel.function}, "{kernel.function}", "{source}", {row.location.line})}},\n'
        )
    signature = f"ops::{cpp.unambiguous_name(row.schema)}::Signature"
    macro = "TSC_STATIC_KERNEL_WITH_KEYS" if kernel.takes_key_set else "TSC_STATIC_KERNEL"
    return (
        f"    {{DispatchKey::{kernel.key},\n"
        f"     {macro}({signature}, {kernel.function}, \"{source}\", {row.location.line})}},\n"
    )


def _row_tables(row: Row, group: StructuredGroup | None, source: str) -> str:
    name = cpp.unambiguous_name(row.schema)
    entries = "".join(_kernel_entry(row, kernel, source) for kernel in kernels_of(row, group))
    return write_schema(row) + f"const StaticKernel kKernels_{name}[] = {{\n{entries}}};\n"


def _extern_declarations(row: Row, group: StructuredGroup | None) -> str:
    name = cpp.unambiguous_name(row.schema)
    return (
        f"extern const FunctionSchema kSchema_{name};\n"
        f"extern const StaticKernel kKernels_{name}[{len(kernels_of(row, group))}];\n"
    )


def groups_by_row(groups: list[StructuredGroup]) -> dict[str, StructuredGroup]:
    return {row.full_name: group for group in groups for row in group.rows}


def write(family: str, rows: list[Row], groups: list[StructuredGroup]) -> str:
    group_of = groups_by_row(groups)
    source = f"src/ops/{family}.yaml"
    needs_views = any(inplace_or_view.needs_cell(row) for row in rows)
    needs_backend = any(backend_select.needs_cell(row) for row in rows)
    parts = [
        heading(source),
        f'#include "gen/ops/{family}.h"\n',
        f'#include "gen/ops/{family}_direct.h"\n' if groups else "",
        f'#include "gen/ops/{family}_native.h"\n\n',
        '#include "ops/static_kernel.h"\n',
        '#include "ops/autogen.h"\n' if any(row.made_from for row in rows) else "",
        '#include "ops/inner_call.h"\n' if any(row.inner_calls for row in rows) else "",
        '#include "ops/common_device.h"\n' if groups else "",
        '#include "ops/inplace_or_view.h"\n' if needs_views else "",
        '#include "ops/backend_select.h"\n' if needs_backend else "",
        '#include "ops/names.h"\n' if any(row.schema.has_names for row in rows) else "",
        "\n",
    ]
    if groups:
        parts += [structured.write_forms(groups), structured.write_common(groups)]
    parts += [
        autogen.write(rows),
        inplace_or_view.write(rows),
        backend_select.write(rows),
        "namespace tsc::tables {\n\n",
        "".join(_extern_declarations(row, group_of.get(row.full_name)) for row in rows),
        "\n",
        "\n".join(_row_tables(row, group_of.get(row.full_name), source) for row in rows),
        "\n}  // namespace tsc::tables\n",
    ]
    return "".join(parts)


_VARIANTS = {"function": "kFunctionVariant", "method": "kMethodVariant"}
_MODULES = {None: "Torch", "none": "None", "nn": "Functional", "linalg": "Linalg", "fft": "Fft", "special": "Special"}


# Operators that have no name in PyTorch's Python modules: what other functions call, and what
# Python spells otherwise (x[i], x.T, F.cross_entropy, torch.unique).
_WITHOUT_PYTHON_NAME = re.compile(
    r".*_(backward|forward)|alias|cross_entropy_loss|index|log_sigmoid|matrix_H|nll_loss2d|nll_loss_nd"
    r"|nonzero_numpy|numpy_T|silu_|slice|unique_dim")


def python_variants(row: Row) -> str:
    """Where the operator shows up in Python: as a function, as a method of Tensor, or both."""
    if _WITHOUT_PYTHON_NAME.fullmatch(row.schema.name):
        return "0"
    return " | ".join(_VARIANTS[variant] for variant in sorted(row.variants))


def python_module(row: Row) -> str:
    return _MODULES[row.python_module]


def write_all_operators(families: dict[str, tuple[list[Row], list[StructuredGroup]]]) -> str:
    declarations: list[str] = []
    entries: list[tuple[tuple[str, str], str]] = []
    for rows, groups in families.values():
        group_of = groups_by_row(groups)
        for row in rows:
            name = cpp.unambiguous_name(row.schema)
            group = group_of.get(row.full_name)
            declarations.append(_extern_declarations(row, group))
            takes_common = group is not None and row.schema.kind is not SchemaKind.OUT
            out = group.out.schema.overload if takes_common else ""
            entry = (
                f"    {{&kSchema_{name}, kKernels_{name},\n"
                f'     {cpp.string_literal(row.doc)}, "{out}",\n'
                f"     {python_variants(row)}, PythonModule::{python_module(row)}}},\n"
            )
            entries.append(((f"aten::{row.schema.name}", row.schema.overload), entry))
    # As std::string_view compares: by bytes.
    entries.sort(key=lambda item: (item[0][0].encode(), item[0][1].encode()))
    return "".join(
        [
            "// Written by codegen/ from src/ops/*.yaml; edit those files instead.\n",
            '#include "dispatch/static_operator.h"\n\n',
            "namespace tsc {\nnamespace tables {\n\n",
            "".join(declarations),
            "\n// Sorted by name, then overload.\n",
            f"const StaticOperator kOperators[] = {{\n{''.join(text for _, text in entries)}}};\n",
            "\n}  // namespace tables\n\n",
            "ArrayRef<StaticOperator> static_operators() {\n  return tables::kOperators;\n}\n",
            "\n}  // namespace tsc\n",
        ]
    )
