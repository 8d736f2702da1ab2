"""The fields of a row: what each says, and which values it takes.

FIELDS is the only place where a field is declared. Rows are checked against it, and docs/operators.md lists it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.model import BACKEND_COLUMNS

DISPATCH_KEYS = (
    *BACKEND_COLUMNS,
    "BackendSelect",
    "ZeroTensor",
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)
FALLTHROUGH_KEYS = ("Conjugate", "Negative", "ZeroTensor")
# The tags that a row may have. Those that follow from the row are made: Row.all_tags.
TAGS = (
    "core",
    "pointwise",
    "reduction",
    "view_copy",
    "inplace_view",
    "data_dependent_output",
    "dynamic_output_shape",
    "nondeterministic_seeded",
    "nondeterministic_bitwise",
    "maybe_aliasing_or_mutating",
)
AUTOCAST_DEVICES = ("CPU", "CUDA")
AUTOCAST_POLICIES = ("lower_precision", "float32", "float32_dtype", "float32_last_dtype", "widest", "refused")
ALIASING = ("undeclared", "untracked", "none", "lifted")
PYTHON_MODULES = ("nn", "linalg", "fft", "special", "none")


@dataclass(frozen=True)
class Field:
    """A field's type is "text", "flag", "word", "words", "map" (key: word), or "map of words" (key: words).

    `allowed` are the words that it takes, and `keys` the keys of a map; any where there are none.
    """

    type: str
    sentence: str
    allowed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    # How a message calls one of its words.
    noun: str = ""


FIELDS = {
    "func": Field("text", "The schema, as PyTorch writes it."),
    "variants": Field(
        "words", "Where it is found: as a function, as a method of Tensor, or as both.", ("function", "method"), noun="variant"
    ),
    "structured": Field("flag", "This out= row holds the kernels of a structured group; the other forms delegate to it."),
    "structured_delegate": Field("text", "The structured row whose kernels compute this form."),
    "every_backend": Field(
        "flag",
        "This form of a structured group is one kernel for every backend, at CompositeExplicitAutograd: on the CPU and Meta it is the "
        "group's own, elsewhere it calls the out= form.",
    ),
    "structured_inherits": Field("text", "The class that the meta function is a member of, where it is not MetaBase."),
    "unstructured": Field("text", "Why the row's group is not structured, where PyTorch's is."),
    "formula": Field(
        "words",
        "LIST.NAME, a line of src/ops/cpu/pointwise/LIST_list.h, in place of a meta function and a kernel of the CPU; then `floats` "
        "where integers become floats, and `costly` where it takes so long that fewer elements are worth a thread.",
    ),
    "dispatch": Field(
        "map",
        "The kernels, by dispatch key; several keys may share one. Without it the row is made of other operators: "
        "CompositeImplicitAutograd with a kernel of the row's name. The kernel `stored` of an out= row stores what its functional "
        "form gives at that key.",
        keys=DISPATCH_KEYS,
        noun="dispatch key",
    ),
    "fallthrough": Field(
        "words", "The columns that a call passes by, because the kernels below need nothing of them.", FALLTHROUGH_KEYS
    ),
    "autocast": Field(
        "map", "What autocast does to a call on a device.", AUTOCAST_POLICIES, AUTOCAST_DEVICES, noun="autocast policy"
    ),
    "names": Field(
        "text",
        "The function of ops/names/name_rules.h that gives the result the names of its dimensions. Without it the operator refuses "
        "tensors with names. A structured row's holds for its group; none: not for this form.",
    ),
    "inverse": Field("text", "The function of ops/shape/view_inverses.h that puts what was written to this view back into its base."),
    "aliasing": Field(
        "word",
        "Where results and arguments share memory otherwise than the schema says. undeclared: they do, and the schema is silent. "
        "untracked: a view that autograd does not look through. none: nothing is written or viewed that anybody can see. "
        "lifted: as none, and a functional tensor is made of the result.",
        ALIASING,
    ),
    "device_check": Field(
        "word",
        "Whether a call of a backend's kernel is refused where its tensors are on different devices. ExactSame: it is, as without the "
        "field; NoCheck: the kernel may take some from elsewhere, and looks itself. A TensorIterator looks at its operands, so that a "
        "group which inherits it has no other check unless it says ExactSame.",
        ("ExactSame", "NoCheck"),
        noun="device check",
    ),
    "uninitialized": Field("flag", "The result's memory is not written: it may hold anything."),
    "tags": Field("words", "PyTorch's tags, without those that follow from the row.", TAGS, noun="tag"),
    "autogen": Field("words", "Forms to make of this row: out= and in-place ones, copies of views, functional forms of in-place rows."),
    "autogen_tags": Field(
        "map of words",
        "The tags of such a form, where they are not the row's without core. `generated` marks those that PyTorch makes, too.",
        (*TAGS, "generated"),
        noun="tag",
    ),
    "autogen_keys": Field(
        "map of words",
        "Where such a form has its kernel, if not where the row has.",
        DISPATCH_KEYS,
        noun="dispatch key",
    ),
    "autogen_functions": Field("words", "The made in-place forms that torch has as functions, beside the methods."),
    "exact_out": Field("flag", "A made out= form takes no other dtype than the result's."),
    "out_apart": Field("flag", "A made out= form refuses an output that shares memory with an input."),
    "strided_out": Field(
        "word",
        "A made out= form takes the result's strides, too: where it is resized, or where it has no elements.",
        ("resized", "empty"),
    ),
    "by_name": Field("text", "The overload to make whose dimensions go by name, or whose result has names."),
    "python_module": Field(
        "word", "The module of torch that has the function: torch itself without it. none: Python has no name for it.", PYTHON_MODULES
    ),
    "python_names": Field("words", "Further names in Python, as in [special.expit]; also of a form that is made of the row."),
    "numbers_as_tensors": Field("flag", "Python may give numbers where the schema has tensors; a structured row's holds for its group."),
    "deprecated_signature": Field("flag", "PyTorch's Python function has an older signature beside this one, which no message shows."),
    "cpp_no_default_args": Field("words", "Arguments that have no default in C++, because calls would be ambiguous."),
    "doc": Field("text", "One sentence, which :help prints. A row without one has that of the first row of its name."),
}


def words(value: Any) -> tuple[str, ...]:
    """`a, b` and `[a, b]` alike."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return tuple(value)


class FieldError(ValueError):
    """A value that a field does not take. The message does not say where."""


def _check_words(name: str, found: tuple[str, ...], known: tuple[str, ...], noun: str) -> None:
    for word in found:
        if known and word not in known:
            raise FieldError(f"unknown {noun or name} '{word}' (known: {', '.join(known)})")


def _map(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FieldError(f"{name} is a map, not '{value}'")
    pairs = {}
    for keys, entry in value.items():
        for key in words(keys):
            if key == "__line__":
                continue
            if key in pairs:
                raise FieldError(f"two kernels for {key}" if name == "dispatch" else f"{name} has {key} twice")
            pairs[key] = entry
    return pairs


def parse_field(name: str, value: Any) -> Any:
    """The value as the row has it: str, bool, tuple of str, or dict. FieldError where the field does not take it."""
    field = FIELDS[name]
    if field.type == "text":
        if not isinstance(value, str):
            raise FieldError(f"{name} is a text, not '{value}'")
        return value.strip()
    if field.type == "flag":
        if not isinstance(value, bool):
            raise FieldError(f"{name} is true or false, not '{value}'")
        return value
    if field.type in ("word", "words"):
        if not isinstance(value, (str, list)):
            raise FieldError(f"{name} is a word, not '{value}'" if field.type == "word" else f"{name} is a list of words, not '{value}'")
        found = words(value)
        _check_words(name, found, field.allowed, field.noun)
        if field.type == "words":
            return found
        if len(found) != 1:
            raise FieldError(f"{name} is one word, not '{value}'")
        return found[0]
    pairs = _map(name, value)
    _check_words(name, tuple(pairs), field.keys, field.noun if name == "dispatch" else f"key of {name}")
    if field.type == "map of words":
        pairs = {key: words(entry) for key, entry in pairs.items()}
        for entry in pairs.values():
            _check_words(name, entry, field.allowed, field.noun)
        return pairs
    for key, entry in pairs.items():
        if not isinstance(entry, str):
            raise FieldError(f"{name} has no word for {key}")
        _check_words(name, (entry,), field.allowed, field.noun)
    return pairs
