"""Meta function and kernel of a structured group whose row names a formula: `formula: activation.silu`.

The formula is a line of src/ops/cpu/pointwise/<family>_list.h. Tensors are its inputs, the numbers behind them its
parameters; the kernel's name is what messages call it.
"""

from __future__ import annotations

from dataclasses import replace

from codegen import cpp
from codegen.model import Argument, StructuredGroup
from codegen.output import from_place
from codegen.writers import native


def _lists(groups: list[StructuredGroup]) -> list[str]:
    return sorted({group.out.formula[0].partition(".")[0] for group in groups if group.out.formula})


def includes(groups: list[StructuredGroup]) -> str:
    lists = _lists(groups)
    if not lists:
        return ""
    return "".join(f'#include "ops/cpu/pointwise/{name}_list.h"\n' for name in lists) + (
        '#include "ops/structured/elementwise.h"\n'
    )


_COUNTS = """\
#define TSC_PARAMETERS(name, shape, count, ...) inline constexpr int name = count;
{}#undef TSC_PARAMETERS

"""


def _counts(groups: list[StructuredGroup]) -> str:
    """The number of parameters of each formula, for the compiler to compare with the rows."""
    return _COUNTS.format(
        "".join(
            f"namespace formula_parameters::{name} {{\nTSC_{name.upper()}_FORMULAS(TSC_PARAMETERS)\n}}\n"
            for name in _lists(groups)
        )
    )


def _names(arguments: list[Argument]) -> str:
    return ", ".join(cpp.identifier(argument.name) for argument in arguments)


def _unnamed(parameters: str, used: list[Argument]) -> str:
    """Parameters that the body does not use lose their names."""
    names = {cpp.identifier(argument.name) for argument in used}
    parts = [part.rpartition(" ") for part in parameters.split(", ")]
    return ", ".join(f"{type_} {name}" if name in names else type_ for type_, _, name in parts)


def _functions(group: StructuredGroup) -> str:
    formula, *words = group.out.formula
    place = group.out.formula_place
    assert place is not None
    inputs = group.out.schema.inputs
    tensors = [argument for argument in inputs if argument.type.is_tensor]
    numbers = [argument for argument in inputs if not argument.type.is_tensor]
    build = f"build_{('unary', 'binary', 'ternary')[len(tensors) - 1]}{'_float' if 'floats' in words else ''}_op"
    (kernel,) = set(group.backends.values())
    passed = f", {{{_names(numbers)}}}" if numbers else ""
    return (
        f"TSC_META_FUNC({group.name})({_unnamed(native.meta_parameters(group), tensors)}) {{\n"
        f"  {build}({_names(tensors)});\n}}\n"
        f"TSC_IMPL_FUNC({kernel})({_unnamed(native.impl_parameters(group), numbers)}) {{\n"
        + from_place(
            replace(place, column=place.column + 1),  # behind the bracket
            f"  run_{'costly' if 'costly' in words else 'elementwise'}(*this, cpu::ufuncs::",
            formula.replace(".", "::"),
            f', "{kernel}"{passed});',
        )
        + from_place(
            replace(place, column=place.column + 1),
            "  static_assert(formula_parameters::",
            formula.replace(".", "::"),
            f' == {len(numbers)}, "the formula\'s line has another number of parameters than the row has numbers");',
        )
        + "}\n"
    )


def write(groups: list[StructuredGroup]) -> str:
    functions = [_functions(group) for group in groups if group.out.formula]
    if not functions:
        return ""
    return "namespace tsc {\n\n" + _counts(groups) + "\n".join(functions) + "\n}  // namespace tsc\n\n"
