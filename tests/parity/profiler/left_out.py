"""Rows of PyTorch's profile that are missing here: its kernel leaves the step to another operator, and the kernel here does
it itself, whether or not somebody looks on. record.py takes them out of what it records.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Rule:
    # What the kernel does instead.
    why: str
    # What is left out, with all that is inside of it.
    rows: tuple[str, ...]
    # The calls that leave it to another operator; "top" is what Python code calls. Empty: every call.
    inside: tuple[str, ...] = ()
    # Only in these parts of the programs, where others have the row here, too. Empty: in all.
    parts: tuple[str, ...] = ()
    # What is inside of the row takes its place.
    keeps_content: bool = False


RULES = [
    Rule(
        "a call is one row; PyTorch counts the Autograd kernel of detach apart",
        ("detach", "detach_"),
        keeps_content=True,
    ),
    Rule(
        "a view is made with its strides at once",
        ("aten::as_strided", "aten::as_strided_"),
    ),
    Rule(
        "the transposes are kernels of their own",
        ("aten::transpose", "aten::transpose_"),
        ("aten::t", "aten::t_"),
    ),
    Rule(
        "a dimension transposed with itself is the same view",
        ("aten::alias",),
        ("aten::transpose",),
    ),
    Rule(
        "parts are made with their strides at once",
        ("aten::narrow", "aten::select"),
        ("aten::split", "aten::unbind", "aten::cat", "aten::index_select"),
    ),
    Rule(
        "operands of other dtypes are converted element by element, in the kernel",
        ("aten::to", "aten::result_type"),
        ("aten::add", "aten::add_", "aten::sub", "aten::mul", "aten::mul_", "aten::div", "aten::div_", "aten::floor_divide", "aten::pow", "aten::gt", "aten::eq", "aten::ne", "aten::maximum", "aten::sqrt", "aten::clamp", "aten::sum", "aten::mean", "aten::any", "aten::gather"),
    ),
    Rule(
        "the same",
        ("aten::to",),
        ("aten::where",),
        parts=("two dtypes",),
    ),
    Rule(
        "a result is allocated without a call",
        ("aten::empty", "aten::empty_like"),
        ("aten::abs", "aten::dot", "aten::flip", "aten::floor_divide", "aten::index_select", "aten::logical_and", "aten::logical_not", "aten::masked_select", "aten::max", "aten::nonzero", "aten::prod", "aten::std", "aten::std_mean", "aten::trace", "aten::var", "aten::where"),
    ),
    Rule(
        "a result is resized without a call",
        ("aten::resize_",),
        ("aten::arange",),
    ),
    Rule(
        "a reduction writes its first value itself",
        ("aten::fill_", "aten::zero_"),
        ("aten::sum", "aten::prod", "aten::any", "aten::all", "aten::amax", "aten::max", "aten::std", "aten::dot", "aten::mm", "aten::nll_loss_backward"),
    ),
    Rule(
        "a reduction finds its elements wherever they lie",
        ("aten::reshape", "aten::contiguous", "aten::squeeze_", "aten::unsqueeze_"),
        ("aten::argmax", "aten::max"),
    ),
    Rule(
        "a mean is one reduction, and so is a variance",
        ("aten::sum", "aten::div_", "aten::copy_", "aten::mean", "aten::item"),
        ("aten::mean", "aten::std"),
    ),
    Rule(
        "powers 0 and 1 are written without a call",
        ("aten::fill_", "aten::copy_"),
        ("aten::pow",),
    ),
    Rule(
        "these have formulas of their own",
        ("aten::abs", "aten::logical_and", "aten::logical_not", "aten::clamp_min", "aten::clamp_min_", "aten::ne"),
        ("aten::abs", "aten::logical_and", "aten::logical_not", "aten::relu", "aten::relu_", "aten::isnan"),
    ),
    Rule(
        "a product takes its operands as they lie, and what is added to it without a call",
        ("aten::resolve_conj", "aten::expand", "aten::copy_"),
        ("aten::mm", "aten::bmm", "aten::addmm"),
    ),
    Rule(
        "operands of a product that have the right form already stay as they are",
        ("aten::expand", "aten::reshape", "aten::_unsafe_view"),
        ("aten::matmul",),
        parts=("batches",),
    ),
    Rule(
        "small tensors are joined at once",
        ("aten::cat", "aten::unsqueeze", "aten::view"),
        ("aten::stack",),
    ),
    Rule(
        "what a mask chooses is counted and taken at once",
        ("aten::item", "aten::sum", "aten::expand", "aten::reshape"),
        ("aten::masked_select", "aten::masked_fill", "aten::masked_fill_", "aten::index"),
    ),
    Rule(
        "a gradient arrives at its leaf below the column that sees detach twice",
        ("detach",),
        ("aten::detach",),
        parts=(
            "classification",
            "regression",
            "adam",
            "attention",
            "recurrence",
            "accumulation",
            "broadcasting",
            "reshaping",
            "dropout",
            "clipping",
        ),
    ),
    Rule(
        "Python values become tensors, and tensors Python values, without calls",
        ("aten::empty", "aten::to", "aten::detach_", "aten::resolve_conj", "aten::resolve_neg"),
        ("top",),
        parts=("data", "numbers"),
    ),
    Rule(
        "the truth of a tensor is read at once, and a vector is a column without a call",
        ("aten::is_nonzero", "aten::reshape"),
        ("top", "aten::outer"),
        parts=("numbers", "batches"),
        keeps_content=True,
    ),
]
