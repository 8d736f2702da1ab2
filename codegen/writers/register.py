"""gen/ops/<family>_register.cpp: the kernels that are generated, and the family's rows as constant data.

gen/ops/all_operators.cpp: every family's rows in one table, sorted by name for binary search.
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen import cpp
from codegen.model import BACKENDS, STORED, Family, Row, SchemaKind, StructuredGroup
from codegen.output import heading
from codegen.selection import ALL, Selection
from codegen.writers import autogen, backend_select, direct, formulas, inplace_or_view, structured
from codegen.writers.schema_tables import write_schema

FALLTHROUGH = "fallthrough"


@dataclass(frozen=True)
class Kernel:
    key: str
    function: str
    takes_key_set: bool = False
    # The name in reports, where it is not the function's.
    shown: str = ""
    # It checks nothing: Common's forms call it.
    is_below_common: bool = False


def kernels_of(row: Row, group: StructuredGroup | None) -> list[Kernel]:
    """What the row registers, in the order of a listing: backends, aliases, then the columns above them."""
    kernels: list[Kernel] = []
    if group is not None:
        name = structured.kernel_function(row)
    if group is not None and row.every_backend:
        kernels.append(Kernel("CompositeExplicitAutograd", f"every_backend::{name}", takes_key_set=True))
    elif group is not None:
        for backend in [*group.backends_with_forms, "Meta"]:
            kernels.append(Kernel(backend, structured.table_function(row, backend)))
        for backend in group.backends if row.structured else ():
            if backend not in group.backends_with_forms:
                shown = f"{structured.namespace_of(backend)}::{name}"
                kernels.append(Kernel(backend, structured.out_kernel(group, backend), shown=shown, is_below_common=True))
        kernels.append(Kernel("Common", f"common::{name}", takes_key_set=True))
    direct_columns = row.direct_columns
    namespace = "native" if row.made_from is None else "autogen"
    for key, kernel in row.dispatch.items():
        if kernel == STORED:
            kernels.append(Kernel(key, f"stored::{structured.kernel_function(row)}"))
        elif key in direct_columns:
            kernels.append(Kernel(key, structured.table_function(row, key)))
        elif not (row.structured and key in BACKENDS):
            kernels.append(Kernel(key, f"{namespace}::{cpp.identifier(kernel)}"))
    if backend_select.needs_cell(row):
        kernels.append(Kernel("BackendSelect", f"backend_select::{backend_select.cell_function(row)}", True))
    if inplace_or_view.needs_cell(row):
        kernels.append(Kernel("ADInplaceOrView", f"inplace_or_view::{inplace_or_view.cell_function(row)}", True))
    return kernels + [Kernel(key, FALLTHROUGH) for key in row.fallthrough]


def _kernel_entry(row: Row, kernel: Kernel, source: str) -> str:
    if kernel.function == FALLTHROUGH:
        return f'    {{DispatchKey::{kernel.key}, fallthrough_kernel("{source}", {row.location.line})}},\n'
    if row.schema.has_names:
        return (
            f"    {{DispatchKey::{kernel.key},\n"
            f'     boxed_kernel(&{kernel.function}, "{kernel.function}", "{source}", {row.location.line})}},\n'
        )
    signature = f"ops::{cpp.unambiguous_name(row.schema)}::Signature"
    shown = kernel.shown or kernel.function.replace(f"::{structured.UNVERSIONED}::", "::")
    if shown != kernel.function:
        below = ", true" if kernel.is_below_common else ""
        return (
            f"    {{DispatchKey::{kernel.key},\n"
            f'     TSC_STATIC_KERNEL_CALLED({signature}, {kernel.function}, "{shown}", "{source}", {row.location.line})'
            f"{below}}},\n"
        )
    macro = "TSC_STATIC_KERNEL_WITH_KEYS" if kernel.takes_key_set else "TSC_STATIC_KERNEL"
    return (
        f"    {{DispatchKey::{kernel.key},\n"
        f"     {macro}({signature}, {kernel.function}, \"{source}\", {row.location.line})}},\n"
    )


def _row_tables(row: Row, group: StructuredGroup | None, source: str) -> str:
    name = cpp.unambiguous_name(row.schema)
    entries = "".join(_kernel_entry(row, kernel, source) for kernel in kernels_of(row, group))
    return write_schema(row) + f"const StaticKernel kKernels_{name}[] = {{\n{entries}}};\n"


def _schema_declaration(row: Row) -> str:
    return f"extern const FunctionSchema kSchema_{cpp.unambiguous_name(row.schema)};\n"


def _extern_declarations(row: Row, group: StructuredGroup | None) -> str:
    name = cpp.unambiguous_name(row.schema)
    return (
        f"extern const FunctionSchema kSchema_{name};\n"
        f"extern const StaticKernel kKernels_{name}[{len(kernels_of(row, group))}];\n"
    )


def groups_by_row(groups: list[StructuredGroup]) -> dict[str, StructuredGroup]:
    return {row.full_name: group for group in groups for row in group.rows}


def write(family: Family, every_row: list[Row], groups: list[StructuredGroup], selection: Selection = ALL) -> str:
    rows = selection.rows(every_row)
    group_of = groups_by_row(groups)
    source = family.rows
    needs_backend = any(backend_select.needs_cell(row) for row in rows)
    parts = [
        heading(source),
        f'#include "gen/ops/{family}.h"\n',
        f'#include "gen/ops/{family}_direct.h"\n',
        f'#include "gen/ops/{family}_native.h"\n\n',
        '#include "ops/structured/direct_kernel.h"\n',
        '#include "ops/structured/device_check.h"\n',
        '#include "ops/structured/autogen.h"\n' if any(row.made_from or STORED in row.dispatch.values() for row in every_row) else "",
        '#include "ops/structured/common_device.h"\n' if groups else "",
        '#include "ops/structured/backend_select.h"\n' if needs_backend else "",
        formulas.includes(groups),
        '#include "ops/names/names.h"\n' if any(row.schema.has_names for row in rows) else "",
        "\n",
    ]
    # The forms of rows that are left out name their schemas, too.
    left_out = [row for row in every_row if not selection.has(row)]
    parts += [
        "namespace tsc::tables {\n\n",
        "".join(_extern_declarations(row, group_of.get(row.full_name)) for row in rows),
        "".join(_schema_declaration(row) for row in left_out),
        "\n}  // namespace tsc::tables\n\n",
    ]
    if groups:
        parts += [formulas.write(groups), structured.write_forms(groups), structured.write_bare_forms(groups)]
        parts += [structured.write_common(groups, selection)]
    parts += [
        autogen.write(every_row, selection),
        autogen.write_stored(groups, selection),
        direct.write_functions(every_row),
        direct.write_entry_points(every_row, groups),
        inplace_or_view.write(rows),
        backend_select.write(rows),
        "namespace tsc::tables {\n\n",
        "\n".join(_row_tables(row, group_of.get(row.full_name), source) for row in rows),
        "\n".join(write_schema(row) for row in left_out),
        "\n}  // namespace tsc::tables\n",
    ]
    return "".join(parts)


_VARIANTS = {"function": "kFunctionVariant", "method": "kMethodVariant"}
# What the operators' names begin with, which the functions' in the module do not.
_PREFIXES = {"linalg": "linalg_", "fft": "fft_", "special": "special_"}
_MODULES = {None: "Torch", "none": "None", "nn": "Functional", "linalg": "Linalg", "fft": "Fft", "special": "Special"}


def python_variants(row: Row) -> str:
    """Where the operator shows up in Python: as a function, as a method of Tensor, as both, or not at all."""
    if row.python_module == "none":
        return "0"
    return " | ".join(_VARIANTS[variant] for variant in sorted(row.variants))


def _enumerator(word: str) -> str:
    """lower_precision: LowerPrecision"""
    return "".join(part.capitalize() for part in word.split("_"))


_FLAGS = ("uninitialized", "numbers_as_tensors", "deprecated_signature")


def _facts(row: Row) -> list[str]:
    """The initialisers of what is said of this row, and not of every one."""
    facts = []
    if row.python_module is not None:
        facts.append(f".module = PythonModule::{_MODULES[row.python_module]}")
    if row.aliasing is not None:
        facts.append(f".aliasing = Aliasing::{_enumerator(row.aliasing)}")
    facts += [f".autocast_{device.lower()} = AutocastPolicy::{_enumerator(policy)}" for device, policy in row.autocast.items()]
    facts += [f".{flag} = true" for flag in _FLAGS if getattr(row, flag)]
    facts.append(f".tags = tag_bits({', '.join(f'OperatorTag::{tag}' for tag in row.all_tags)})")
    if row.names is not None:
        facts.append(f".names = &name_rules::{row.names}")
    if row.inverse is not None:
        facts.append(f".inverse = &view_inverses::{row.inverse}")
    return facts


def _python_aliases(rows: list[Row]) -> list[str]:
    aliases = []
    for row in rows:
        module = _MODULES[row.python_module]
        name = row.schema.name.removeprefix(_PREFIXES.get(row.python_module, ""))
        for alias in row.python_names:
            home, _, second = alias.rpartition(".")
            of = second if second in row.autogen else name
            aliases.append(f'    {{PythonModule::{_MODULES[home or None]}, "{second}", "{of}", PythonModule::{module}}},\n')
    return sorted(aliases)


def write_all_operators(
    families: dict[Family, tuple[list[Row], list[StructuredGroup]]], selection: Selection = ALL
) -> str:
    selection.check(row for rows, _ in families.values() for row in rows)
    families = {family: (selection.rows(rows), groups) for family, (rows, groups) in families.items()}
    aliases = _python_aliases([row for rows, _ in families.values() for row in rows])
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
            facts = "".join(f"     {fact},\n" for fact in _facts(row))
            common_out = "     .has_common_out = true,\n" if row.structured else ""
            entry = (
                f"    {{.schema = &kSchema_{name}, .kernels = kKernels_{name},\n"
                f'     .doc = {cpp.string_literal(row.doc)}, .structured_out = "{out}",\n{common_out}'
                f"     .variants = {python_variants(row)},\n{facts}    }},\n"
            )
            entries.append(((f"aten::{row.schema.name}", row.schema.overload), entry))
    # As std::string_view compares: by bytes.
    entries.sort(key=lambda item: (item[0][0].encode(), item[0][1].encode()))
    return "".join(
        [
            "// Written by codegen/ from src/ops/; edit those files instead.\n",
            '#include "dispatch/selected_operators.h"\n',
            '#include "dispatch/static_operator.h"\n',
            '#include "ops/names/name_rules.h"\n',
            '#include "ops/shape/view_inverses.h"\n\n',
            "namespace tsc {\nnamespace tables {\n\n",
            "".join(declarations),
            "\n// Sorted by name, then overload.\n",
            f"const StaticOperator kOperators[] = {{\n{''.join(text for _, text in entries)}}};\n",
            f"\nconst PythonAlias kPythonAliases[] = {{\n{''.join(aliases)}}};\n" if aliases else "",
            "\n}  // namespace tables\n\n",
            f"ArrayRef<PythonAlias> python_aliases() {{\n  return {'tables::kPythonAliases' if aliases else '{}'};\n}}\n",
            "ArrayRef<StaticOperator> static_operators() {\n  return tables::kOperators;\n}\n",
            f"std::string_view selected_operators() {{\n  return {cpp.string_literal(selection.file)};\n}}\n",
            "\n}  // namespace tsc\n",
        ]
    )
