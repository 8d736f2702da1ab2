"""gen/ops/<family>_native.h: declarations of the functions that authors write.

Structured groups get two structs, so that an author's signature is checked by the compiler:

    struct meta_add_Tensor : TensorIteratorBase { void meta(...); };
    struct structured_add_cpu : meta_add_Tensor { void impl(..., const Tensor& out); };

Every other kernel is a plain function in tsc::native, which the file that includes the header defines: a definition with
other parameters would be a function beside it, and is an error there.
"""

from __future__ import annotations

from codegen import cpp
from codegen.model import BACKENDS, STORED, Family, Row, SchemaKind, StructuredGroup
from codegen.output import heading


def meta_parameters(group: StructuredGroup) -> str:
    return ", ".join(f"{cpp.argument_type(a.type)} {cpp.identifier(a.name)}" for a in group.out.schema.inputs)


def impl_parameters(group: StructuredGroup) -> str:
    outputs = [f"const Tensor& {cpp.identifier(a.name)}" for a in group.out.schema.out_arguments]
    return ", ".join([meta_parameters(group), *outputs])


def _structured_declaration(group: StructuredGroup) -> str:
    parent = group.out.structured_inherits or "MetaBase"
    text = (
        f"// {group.out.schema}\n"
        f"struct meta_{group.name} : {parent} {{\n"
        f"  TSC_API void meta({meta_parameters(group)});\n"
        "};\n"
    )
    for kernel in dict.fromkeys(group.backends.values()):
        text += f"struct structured_{kernel} : meta_{group.name} {{\n  void impl({impl_parameters(group)});\n}};\n"
    return text


def native_signature(row: Row, kernel: str) -> str:
    """A factory's or view's kernel; out= kernels take the output last, as the schema does."""
    return f"{cpp.return_type(row.schema)} {kernel}({cpp.parameters(row.schema)});"


# A definition that no declaration precedes: a slip in a signature, or a function that should be in no other file.
_NO_STRANGERS = """
#if defined(__clang__)
#pragma clang diagnostic error "-Wmissing-prototypes"
#else
#pragma GCC diagnostic error "-Wmissing-declarations"
#endif
"""


def write(family: Family, rows: list[Row], groups: list[StructuredGroup]) -> str:
    natives: list[str] = []
    for row in rows:
        if row.made_from is not None or row.schema.has_names:
            continue
        kernels = [
            kernel for key, kernel in row.dispatch.items() if kernel != STORED and not (row.structured and key in BACKENDS)
        ]
        for kernel in dict.fromkeys(kernels):
            declaration = native_signature(row, cpp.identifier(kernel))
            if declaration not in natives:
                natives.append(declaration)
    uses_iterator = any(group.out.structured_inherits for group in groups)
    parts = [
        heading(family.rows),
        "#pragma once\n\n",
        '#include "dispatch/operator_types.h"\n',
        '#include "ops/structured/meta_base.h"\n',
        '#include "ops/structured/tensor_iterator.h"\n' if uses_iterator else "",
        "\nnamespace tsc {\n\n",
        "\n".join(_structured_declaration(group) for group in groups),
        "\nnamespace native {\n\n",
        "\n".join(natives),
        "\n\n}  // namespace native\n}  // namespace tsc\n",
        _NO_STRANGERS,
    ]
    return "".join(parts)


__all__ = ["SchemaKind", "impl_parameters", "meta_parameters", "write"]
