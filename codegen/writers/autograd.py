"""gen/autograd/<family>.cpp: a family's nodes and its kernels for the Autograd column, as constant data.

gen/autograd/all_kernels.cpp: every family's kernels in one table, sorted by name for binary search.
"""

from __future__ import annotations

import re

from codegen import cpp
from codegen.derivatives import Derivative, Formula, Saved
from codegen.model import Argument, Family, Row, SchemaKind
from codegen.output import from_place, heading


def _uses(code: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}\b", code) is not None


# -- nodes --------------------------------------------------------------------------------------------------


def _edge_numbers(derivative: Derivative) -> dict[str, int]:
    return {argument.name: i for i, argument in enumerate(derivative.differentiated)}


def _list_argument(derivative: Derivative) -> Argument | None:
    lists = [argument for argument in derivative.differentiated if argument.type.is_tensor_list]
    return lists[0] if lists else None


def _unpack(saved: Saved) -> str:
    name = saved.member[:-1]
    if saved.cpp_type == "SavedVariable":
        return f"  const Tensor {name} = {saved.member}.unpack(*this);\n"
    if saved.cpp_type == "SavedVariableList":
        return f"  const std::vector<Tensor> {name} = unpack_all({saved.member}, *this);\n"
    return ""


def _declare_grads(derivative: Derivative, code: str) -> str:
    """Names for the gradients that the formulas use, and the way out where there are none."""
    names = [r.name for r in derivative.row.schema.returns]
    differentiable = [i for i, yes in enumerate(derivative.differentiable_outputs) if yes]
    text = ""
    for position, i in enumerate(differentiable):
        name = f"grad_{names[i]}"
        if names[i] and _uses(code, name) and not any(a.name == name for a in derivative.row.schema.arguments):
            text += f"  const Tensor& {name} = grads[{position}];\n"
    if _uses(code, "grad"):
        return "  const Tensor& grad = grads[0];\n" + text + "  if (!grad.defined()) {\n    return;\n  }\n"
    return text + "  if (!any_defined(grads)) {\n    return;\n  }\n"


def _apply_formula(derivative: Derivative, formula: Formula) -> str:
    edges = _edge_numbers(derivative)
    list_argument = _list_argument(derivative)

    def placed(before: str, behind: str = ";") -> str:
        return from_place(formula.place, before, formula.code, behind)

    if len(formula.arguments) == 1:
        name = formula.arguments[0]
        if list_argument is not None and name == list_argument.name:
            return placed(f"  assign(grad_inputs.subspan({edges[name]}),", ");")
        edge = edges[name]
        assignment = placed(f"    grad_inputs[{edge}] =")
        return f"  if (should_compute({edge})) {{\n{assignment}  }}\n"
    numbers = [edges[name] for name in formula.arguments]
    wanted = [f"should_compute({edge})" for edge in numbers]
    text = f"  if ({' || '.join(wanted)}) {{\n"
    if formula.uses_mask:
        text += f"    const std::array<bool, {len(numbers)}> mask{{{', '.join(wanted)}}};\n"
    text += placed("    auto results =")
    for i, edge in enumerate(numbers):
        text += f"    grad_inputs[{edge}] = std::move(std::get<{i}>(results));\n"
    return text + "  }\n"


def _shown_name(node: str) -> str:
    """As PyTorch shows it: nodes that are not called after an operator are in a namespace."""
    return node if re.search(r"Backward\d+(_copy)?$", node) else f"torch::autograd::{node}"


def write_node(derivative: Derivative) -> str:
    node = derivative.node
    code = " ".join(formula.code for formula in derivative.formulas)
    shown = [saved for saved in derivative.saved if saved.shown_as is not None]
    tensors = [saved for saved in derivative.saved if saved.cpp_type.startswith("SavedVariable")]
    text = f"// {derivative.row.schema}\n"
    text += f"struct {node} final : Node {{\n"
    text += f'  std::string_view name() const override {{ return "{_shown_name(node)}"; }}\n'
    text += "  void apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) override;\n"
    if shown:
        text += "  void visit_saved(SavedVisitor& visit) override;\n"
    if not tensors:
        text += "  void release_variables() override {}\n"
    if derivative.saved:
        text += "\n" + "".join(f"  {saved.cpp_type} {saved.member}{{}};\n" for saved in derivative.saved)
    text += "};\n"

    text += f"void {node}::apply(std::span<Tensor> grads, std::span<Tensor> grad_inputs) {{\n"
    text += _declare_grads(derivative, code)
    text += "".join(_unpack(saved) for saved in derivative.saved)
    # In PyTorch's order, which a mode sees.
    in_order = sorted(derivative.formulas, key=lambda formula: formula.arguments)
    text += "".join(_apply_formula(derivative, formula) for formula in in_order)
    text += "}\n"
    if shown:
        text += f"void {node}::visit_saved(SavedVisitor& visit) {{\n"
        text += "".join(f'  visit("{saved.shown_as}", {saved.member});\n' for saved in shown)
        text += "}\n"
    return text


# -- kernels ------------------------------------------------------------------------------------------------


def _redispatch(row: Row) -> str:
    names = cpp.argument_names(row.schema.arguments)
    return f"ops::{cpp.unambiguous_name(row.schema)}::redispatch(keys & kAfterAutograd, {names})"


def _head(row: Row, name: str | None = None) -> str:
    name = name or cpp.unambiguous_name(row.schema)
    return f"{cpp.return_type(row.schema)} {name}(DispatchKeySet keys, {cpp.parameters(row.schema)}) {{\n"


def _guard(row: Row) -> str:
    """What a row calls for its result is not recorded, and counts no versions: those are of what the caller sees."""
    shows_memory = bool(row.schema.writes) or row.schema.is_view
    return f"const {'AutoDispatchBelowAutograd' if shows_memory else 'AutoDispatchBelowADInplaceOrView'} below;\n"


def _plain_kernel(row: Row) -> str:
    """Nothing of it has a gradient: run below Autograd."""
    return _head(row) + f"  {_guard(row)}  return {_redispatch(row)};\n}}\n"


def _out_kernel(row: Row) -> str:
    tensors = [cpp.identifier(a.name) for a in row.schema.arguments if a.type.has_tensor]
    return (
        _head(row)
        + f'  check_out_form("{row.schema.name}", {", ".join(tensors)});\n'
        + f"  const AutoDispatchBelowAutograd below;\n  return {_redispatch(row)};\n}}\n"
    )


# Members that own what the kernel's argument borrows, and do not convert by themselves.
_OWNING_TYPES = ("std::string", "std::vector<double>", "std::optional<std::string>", "std::optional<DimVector>")


def _assignment(saved: Saved, row: Row) -> str:
    argument = next((a for a in row.schema.arguments if a.name == saved.value), None)
    value = cpp.identifier(saved.value) if argument is not None else saved.value
    if saved.cpp_type == "SavedVariableList":
        return f"node->{saved.member} = save_all({value});\n"
    if saved.cpp_type == "SavedVariable":
        if argument is not None and argument.type.is_optional_tensor:
            value = f"*{value}"
        return f"node->{saved.member} = SavedVariable({value}{', true' if saved.is_output else ''});\n"
    if saved.cpp_type in _OWNING_TYPES:
        value = f"keep({value})"
    return f"node->{saved.member} = {value};\n"


def _save(derivative: Derivative, saved: Saved, row: Row) -> str:
    assignment = _assignment(saved, row)
    if not saved.only_for or saved.only_for[0] not in _edge_numbers(derivative):
        return f"  {assignment}"
    edge = _edge_numbers(derivative)[saved.only_for[0]]
    return f"  if (node->has_edge({edge})) {{\n    {assignment}  }}\n"


def _result(row: Row) -> str:
    """The local that holds what the call gave; an output may itself be called `result`."""
    return "result" if len(row.schema.returns) == 1 else "results"


def _result_names(derivative: Derivative, row: Row) -> list[str]:
    """C++ for each return, once the call is made."""
    returns = row.schema.returns
    if len(returns) == 1:
        return ["result"]
    return [f"std::get<{i}>({_result(row)})" for i in range(len(returns))]


def _set_histories(derivative: Derivative, row: Row) -> str:
    text = ""
    for name, return_, yes in zip(
        _result_names(derivative, row), row.schema.returns, derivative.differentiable_outputs
    ):
        if not yes:
            continue
        if return_.type.is_tensor_list:
            text += f"  for (const Tensor& output : {name}) {{\n    set_history(output, *node);\n  }}\n"
        else:
            text += f"  set_history({name}, *node);\n"
    return text


def _named_outputs(derivative: Derivative, row: Row, outputs: list[Saved]) -> str:
    """Locals for outputs that are saved under a name other than `result`."""
    names = [r.name or f"result{i}" for i, r in enumerate(row.schema.returns)]
    text = ""
    for saved in outputs:
        if len(names) > 1 and saved.value in names:
            text += f"  const Tensor& {saved.value} = std::get<{names.index(saved.value)}>({_result(row)});\n"
        elif len(names) == 1 and saved.value != "result":
            text += f"  const Tensor& {saved.value} = result;\n"
    return text


def _choosing_kernel(row: Row, condition: str, recording: str) -> str:
    """The kernel itself: records the call where `condition` holds."""
    names = cpp.argument_names(row.schema.arguments)
    return (
        "\n"
        + _head(row)
        + f"  if (TSC_UNLIKELY({condition})) {{\n    return {recording}(keys, {names});\n  }}\n"
        + f"  {_guard(row)}  return {_redispatch(row)};\n}}\n"
    )


def _undifferentiated(derivative: Derivative, row: Row) -> list[Argument]:
    """The tensors without a formula: they may not require grad."""
    with_formula = {a.name for a in derivative.differentiated}
    return [a for a in row.schema.arguments if a.type.has_tensor and a.name not in with_formula]


def _recording_kernel(derivative: Derivative, row: Row, saved: list[Saved]) -> str:
    differentiated = [cpp.identifier(a.name) for a in derivative.differentiated]
    tensors = ", ".join(differentiated)
    others = _undifferentiated(derivative, row)
    before = sorted((item for item in saved if not item.is_output), key=lambda item: "SavedVariable" in item.cpp_type)
    outputs = [item for item in saved if item.is_output]
    in_place = row.schema.kind is SchemaKind.INPLACE
    written = cpp.identifier(row.schema.arguments[0].name)

    condition = f"records({', '.join([*differentiated, *(cpp.identifier(a.name) for a in others)])})"
    if in_place:
        condition += f" && is_differentiable({written}.dtype())"
    # A function of its own, so that a call that records nothing saves no registers for it.
    recording = f"record_{cpp.unambiguous_name(row.schema)}"
    text = f"TSC_NOINLINE {_head(row, recording)}"
    function = row.schema.name.removesuffix("_")
    text += "".join(f'  check_no_requires_grad({cpp.identifier(a.name)}, "{a.name}", "{function}");\n' for a in others)
    if in_place:
        text += f"  check_inplace({written});\n"
    text += f"  auto node = make_intrusive<{derivative.node}>();\n  add_edges(*node, {tensors});\n"
    text += "".join(_save(derivative, item, row) for item in before)
    if in_place:
        text += f"  {{\n    const AutoDispatchBelowAutograd below;\n    {_redispatch(row)};\n  }}\n"
        history = "extend_history" if "inplace_view" in row.tags else "rebase_history"
        text += f"  {history}({written}, node);\n"
        text += "".join(_save(derivative, item, row) for item in outputs)
        return text + f"  return {written};\n}}\n" + _choosing_kernel(row, condition, recording)
    text += f"  auto {_result(row)} = [&] {{\n    {_guard(row)}    return {_redispatch(row)};\n  }}();\n"
    text += _set_histories(derivative, row)
    text += _named_outputs(derivative, row, outputs)
    text += "".join(_save(derivative, item, row) for item in outputs)
    return text + f"  return {_result(row)};\n}}\n" + _choosing_kernel(row, condition, recording)


def _kernel(derivative: Derivative, row: Row, saved: list[Saved]) -> str:
    if not derivative.has_node:
        return _plain_kernel(row)
    return _recording_kernel(derivative, row, saved)


def _is_factory(row: Row) -> bool:
    """Without tensors there is nothing to differentiate."""
    return not row.is_composite_implicit and not any(a.type.has_tensor for a in row.schema.arguments)


def kernel_functions(derivatives: list[Derivative], rows: list[Row]) -> list[tuple[Row, str, int]]:
    """Each row that gets a kernel, the kernel's C++ name, and the line of what asked for it."""
    found: list[tuple[Row, str, int]] = []
    for derivative in derivatives:
        for row, _ in derivative.rows:
            name = derivative.manual or cpp.unambiguous_name(row.schema)
            found.append((row, name, derivative.location.line))
    for row in cpp.typed(rows):
        if row.schema.kind is SchemaKind.OUT or _is_factory(row):
            found.append((row, cpp.unambiguous_name(row.schema), row.location.line))
    return found


def called_operators(derivatives: list[Derivative], operators: set[str]) -> list[str]:
    """Those of `operators` that formulas call by name."""
    header_of = {cpp.identifier(name): name for name in operators}
    code = " ".join(formula.code for derivative in derivatives for formula in derivative.formulas)
    words = {word.removesuffix("_") for word in re.findall(r"(?<![\w.:>])([A-Za-z_]\w*)\(", code)}
    return sorted(header_of[word] for word in words if word in header_of)


def write(
    family: Family, rows: list[Row], derivatives: list[Derivative], has_formulas: bool, operators: set[str]
) -> str:
    source = family.derivatives
    nodes = [write_node(derivative) for derivative in derivatives if derivative.has_node]
    kernels = [
        _kernel(derivative, row, saved)
        for derivative in derivatives
        if derivative.manual is None
        for row, saved in derivative.rows
    ]
    kernels += [_out_kernel(row) for row in cpp.typed(rows) if row.schema.kind is SchemaKind.OUT]
    kernels += [_plain_kernel(row) for row in cpp.typed(rows) if _is_factory(row)]
    tables = []
    for row, function, line in kernel_functions(derivatives, rows):
        name = cpp.unambiguous_name(row.schema)
        derived = row.schema.kind is not SchemaKind.OUT and not _is_factory(row)
        origin = source if derived else family.rows
        tables.append(
            f"extern const StaticKernel kAutograd_{name}[1];\n"
            f"const StaticKernel kAutograd_{name}[1] = {{\n"
            f"    {{DispatchKey::Autograd,\n"
            f"     TSC_STATIC_KERNEL_WITH_KEYS(ops::{name}::Signature, autograd::{function}, "
            f'"{origin}", {line})}}}};\n'
        )
    parts = [
        heading(source),
        f'#include "{family.formulas}"\n' if has_formulas else "",
        '#include "autograd/kernel_support.h"\n',
        "".join(f'#include "gen/calls/{name}.h"\n' for name in called_operators(derivatives, operators)),
        f'#include "gen/ops/{family}.h"\n',
        '#include "ops/structured/static_kernel.h"\n\n',
        "namespace tsc::autograd {\nnamespace {\n\n",
        "\n".join(nodes),
        "\n",
        "\n".join(kernels),
        "\n}  // namespace\n}  // namespace tsc::autograd\n\n",
        "namespace tsc::tables {\n\n",
        "\n".join(tables),
        "\n}  // namespace tsc::tables\n",
    ]
    return "".join(parts)


def write_all_kernels(families: dict[Family, tuple[list[Row], list[Derivative]]]) -> str:
    entries: list[tuple[str, str]] = []
    for rows, derivatives in families.values():
        for row, _, _ in kernel_functions(derivatives, rows):
            entries.append((f"aten::{row.schema.name}", row.schema.overload))
    # As std::string_view compares: by bytes.
    entries.sort(key=lambda entry: (entry[0].encode(), entry[1].encode()))
    names = [f"{name[6:]}_{overload}" if overload else name[6:] for name, overload in entries]
    return "".join(
        [
            "// Written by codegen/ from src/autograd/; edit those files instead.\n",
            '#include "dispatch/static_operator.h"\n\n',
            "namespace tsc {\nnamespace tables {\n\n",
            "".join(f"extern const StaticKernel kAutograd_{name}[1];\n" for name in names),
            "\n// Sorted by name, then overload.\n",
            "const StaticKernels kAutogradKernels[] = {\n" if entries else "",
            "".join(
                f'    {{"{entry[0]}", "{entry[1]}", kAutograd_{name}}},\n' for entry, name in zip(entries, names)
            ),
            "};\n" if entries else "",
            "\n}  // namespace tables\n\n",
            "ArrayRef<StaticKernels> static_autograd_kernels() {\n"
            f"  return {'tables::kAutogradKernels' if entries else '{}'};\n}}\n",
            "\n}  // namespace tsc\n",
        ]
    )
