"""Schemas as constant data: what the schema parser would make of the text, written out."""

from __future__ import annotations

from codegen import cpp
from codegen.model import Annotation, Argument, Return, Row, Type

_KINDS = {"int": "Int", "float": "Float", "bool": "Bool", "str": "String"}
# Named defaults and the numbers that PyTorch shows for them.
_NAMED = {"Mean": 1, "Sum": 2, "long": 4, "contiguous_format": 0, "strided": 0}


def _type(type_: Type) -> str:
    is_optional = type_.optional_of is not None
    inner = type_.optional_of or type_
    parts = []
    element_is_optional = False
    size = None
    is_list = inner.list_of is not None
    if is_list:
        size = inner.list_size
        inner = inner.list_of
        element_is_optional = inner.optional_of is not None
        inner = inner.optional_of or inner
    parts.append(f".kind = TypeKind::{_KINDS.get(inner.base, inner.base)}")
    if is_list:
        parts.append(".is_list = true")
    if is_optional:
        parts.append(".is_optional = true")
    if element_is_optional:
        parts.append(".element_is_optional = true")
    if size is not None:
        parts.append(f".list_size = {size}")
    return "{" + ", ".join(parts) + "}"


def _alias(annotation: Annotation) -> str:
    before = "|".join(annotation.before)
    after = "|".join(annotation.after) or before
    write = ", .is_write = true" if annotation.is_write else ""
    return f'{{.before = "{before}", .after = "{after}"{write}, .is_present = true}}'


def _integers(text: str) -> str:
    return "{" + text[1:-1].strip() + "}"


def _default(argument: Argument) -> str:
    """The initialiser, and for lists the name of the array that holds the items is left to the caller."""
    text = argument.default
    type_ = argument.type.optional_of or argument.type
    if text == "None":
        return "{.kind = DefaultValue::Kind::None}"
    if text in ("True", "False"):
        return f"{{.kind = DefaultValue::Kind::Bool, .integer = {int(text == 'True')}}}"
    if text in _NAMED:
        return f"{{.kind = DefaultValue::Kind::Int, .integer = {_NAMED[text]}}}"
    if text.startswith("'"):
        return f'{{.kind = DefaultValue::Kind::String, .text = "{text[1:-1]}"}}'
    if type_.base == "float" or any(c in text for c in ".e"):
        return f"{{.kind = DefaultValue::Kind::Double, .real = {text}}}"
    return f"{{.kind = DefaultValue::Kind::Int, .integer = {text}}}"


def _list_default(argument: Argument, array: str) -> tuple[str, str]:
    """The array of a list's default, and the initialiser that refers to it."""
    items = argument.default[1:-1].strip()
    element = (argument.type.optional_of or argument.type).list_of.base
    kind, field, ctype = {
        "float": ("DoubleList", "reals", "double"),
        "bool": ("BoolList", "bools", "bool"),
    }.get(element, ("IntList", "integers", "int64_t"))
    if not items:
        return "", f"{{.kind = DefaultValue::Kind::{kind}}}"
    return (
        f"constexpr {ctype} {array}[] = {{{items}}};\n",
        f"{{.kind = DefaultValue::Kind::{kind}, .{field} = {array}}}",
    )


def _argument(argument: Argument, prefix: str) -> tuple[str, str]:
    arrays = ""
    parts = [f'.name = "{argument.name}"', f".type = {_type(argument.type)}"]
    if argument.annotation is not None:
        parts.append(f".alias = {_alias(argument.annotation)}")
    if argument.kwarg_only:
        parts.append(".kwarg_only = true")
    if argument.is_out:
        parts.append(".is_out = true")
    if argument.default is not None:
        if argument.default.startswith("["):
            arrays, initialiser = _list_default(argument, f"{prefix}_{argument.name}")
        else:
            initialiser = _default(argument)
        parts.append(f".default_value = {initialiser}")
    return arrays, "    {" + ", ".join(parts) + "},\n"


def _return(return_: Return) -> str:
    parts = [f'.name = "{return_.name or ""}"']
    parts.append(f".type = {_type(return_.type)}")
    if return_.annotation is not None:
        parts.append(f".alias = {_alias(return_.annotation)}")
    return "    {" + ", ".join(parts) + "},\n"


def write_schema(row: Row) -> str:
    """`kSchema_add_Tensor` and the arrays it refers to."""
    schema = row.schema
    name = cpp.unambiguous_name(schema)
    text = f"// {schema}\n"
    fields = [f'.name = "aten::{schema.name}"', f'.overload_name = "{schema.overload}"']
    if schema.arguments:
        items = [_argument(argument, f"kDefault_{name}") for argument in schema.arguments]
        text += "".join(arrays for arrays, _ in items)
        text += f"constexpr Argument kArguments_{name}[] = {{\n" + "".join(item for _, item in items) + "};\n"
        fields.append(f".arguments = kArguments_{name}")
    if schema.returns:
        text += f"constexpr Argument kReturns_{name}[] = {{\n" + "".join(map(_return, schema.returns)) + "};\n"
        fields.append(f".returns = kReturns_{name}")
    return text + f"constexpr FunctionSchema kSchema_{name} = {{{', '.join(fields)}}};\n"
