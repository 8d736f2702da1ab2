"""How schema types, names and defaults are spelled in C++."""

from __future__ import annotations

from codegen.model import Argument, Return, Row, Schema, SchemaKind, Type

_BASE = {
    "int": "int64_t",
    "SymInt": "int64_t",
    "float": "double",
    "bool": "bool",
    "str": "std::string_view",
    "ScalarType": "ScalarType",
    "Layout": "Layout",
    "Device": "Device",
    "MemoryFormat": "MemoryFormat",
}
_LIST = {
    "int": "IntArrayRef",
    "SymInt": "IntArrayRef",
    "float": "ArrayRef<double>",
    "bool": "ArrayRef<bool>",
    "Scalar": "ArrayRef<Scalar>",
    "Tensor": "TensorList",
    "Tensor?": "TensorList",
}
# What a schema may write as a default besides literals, and the C++ for it.
NAMED_DEFAULTS = {
    "Mean": "1",
    "Sum": "2",
    "long": "ScalarType::Long",
    "contiguous_format": "MemoryFormat::Contiguous",
    "strided": "Layout::Strided",
}
_KEYWORDS = {"and", "or", "xor", "not", "default", "float", "double", "int", "bool", "new", "delete", "register"}


class CppError(ValueError):
    """A schema type or default that has no C++ here."""


# A function called std would make the namespace ambiguous wherever `using namespace tsc` stands.
_RENAMED = {"std": "stddev"}


def identifier(name: str) -> str:
    return _RENAMED.get(name, f"{name}_" if name in _KEYWORDS else name)


def unambiguous_name(schema: Schema) -> str:
    """`add_Tensor`, `add__Tensor`, `add_out`: the name of the row's handle and of its tables."""
    return f"{schema.name}_{schema.overload}" if schema.overload else identifier(schema.name)


def api_name(schema: Schema) -> str:
    """`add`, `add_`, `add_out`: the name of the row's function in the C++ API."""
    return f"{identifier(schema.name)}_out" if schema.kind is SchemaKind.OUT else identifier(schema.name)


def header_name(name: str) -> str:
    """`add` for add and add_: the base name of the header that declares them."""
    return name if name.startswith("__") else name.removesuffix("_")


def argument_type(type_: Type) -> str:
    if type_.optional_of is not None:
        inner = type_.optional_of
        if inner.is_tensor:
            return "OptionalTensorRef"
        if inner.base == "Generator":
            return "const Generator&"
        if inner.base == "Scalar":
            return "const std::optional<Scalar>&"
        return f"std::optional<{argument_type(inner)}>"
    if type_.list_of is not None:
        try:
            return _LIST[str(type_.list_of)]
        except KeyError:
            raise CppError(f"no C++ type for {type_}") from None
    if type_.base in ("Tensor", "Scalar", "Generator"):
        return f"const {type_.base}&"
    try:
        return _BASE[str(type_.base)]
    except KeyError:
        raise CppError(f"no C++ type for {type_}") from None


def return_type_of(return_: Return) -> str:
    type_ = return_.type
    if type_.is_tensor_list:
        return "std::vector<Tensor>"
    if type_.base == "Tensor":
        written = return_.annotation is not None and return_.annotation.is_write
        return "const Tensor&" if written else "Tensor"
    if type_.base == "Scalar":
        return "Scalar"
    return argument_type(type_)


def return_type(schema: Schema) -> str:
    returns = [return_type_of(r) for r in schema.returns]
    if not returns:
        return "void"
    return returns[0] if len(returns) == 1 else f"std::tuple<{', '.join(returns)}>"


def typed(rows: list[Row]) -> list[Row]:
    """The rows whose kernels are C++ functions: those that take names of dimensions are boxed."""
    return [row for row in rows if not row.schema.has_names]


def signature(schema: Schema) -> str:
    """The function type: `Tensor(const Tensor&, const Tensor&, const Scalar&)`."""
    return f"{return_type(schema)}({', '.join(argument_type(a.type) for a in schema.arguments)})"


def default_value(argument: Argument) -> str:
    """The C++ expression for the argument's default."""
    text, type_ = argument.default, argument.type
    if text is None:
        raise CppError(f"{argument.name} has no default")
    if text == "None":
        if type_.is_optional_tensor or (type_.optional_of is not None and type_.optional_of.base == "Generator"):
            return "{}"
        return "std::nullopt"
    if text in NAMED_DEFAULTS:
        return NAMED_DEFAULTS[text]
    if text in ("True", "False"):
        return text.lower()
    if text.startswith("["):
        return "{" + text[1:-1].strip() + "}"
    if text.startswith("'"):
        return f'"{text[1:-1]}"'
    value_type = type_.optional_of or type_
    if value_type.list_of is not None:
        return "{" + text + "}"
    if value_type.base == "float" and not any(c in text for c in ".einf"):
        return f"{text}.0"
    return text


def parameters(schema: Schema) -> str:
    """`const Tensor& self, const Tensor& other`."""
    return ", ".join(f"{argument_type(a.type)} {identifier(a.name)}" for a in schema.arguments)


def argument_names(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(identifier(a.name) for a in arguments)


def api_arguments(schema: Schema) -> tuple[Argument, ...]:
    """The API takes what is written first (`add_out(out, self, other)`), the rest in the schema's order."""
    return schema.out_arguments + schema.inputs


def is_optional_int_list(type_: Type) -> bool:
    inner = type_.optional_of
    return inner is not None and inner.list_of is not None and inner.list_of.base in ("int", "SymInt")


def api_argument(argument: Argument, with_default: bool, by_kernel: bool) -> str:
    """A parameter of the API: an `int[1]?` may also be one number, which a kernel does not take."""
    name = identifier(argument.name)
    if by_kernel or not is_optional_int_list(argument.type):
        text = f"{argument_type(argument.type)} {name}"
        return f"{text} = {default_value(argument)}" if with_default else text
    text = f"const OptionalIntArrayArgument& {name}"
    if not with_default:
        return text
    given = argument.default == "None" or argument.default.strip("[] ")
    return f"{text} = {'{}' if argument.default == 'None' else default_value(argument) if given else 'IntArrayRef()'}"


def api_parameters(row: Row, with_defaults: bool, without_self: bool = False, by_kernel: bool = False) -> str:
    """Parameters of the API function; a factory's four options are one TensorOptions."""
    options = row.schema.tensor_options
    parts: list[str] = []
    # C++ wants every parameter behind a default to have one, too; schemas put required keyword arguments there.
    arguments = tuple(a for a in api_arguments(row.schema) if not (without_self and a.name == "self"))
    last_required = max(
        (i for i, a in enumerate(arguments) if a.default is None or a.name in row.cpp_no_default_args), default=-1
    )
    for i, argument in enumerate(arguments):
        if argument in options:
            if argument is options[0]:
                default = " = {}" if with_defaults and i > last_required else ""
                parts.append(f"const TensorOptions& options{default}")
            continue
        parts.append(api_argument(argument, with_defaults and i > last_required, by_kernel))
    return ", ".join(parts)


def forwarded_arguments(schema: Schema, of_self: str = "self") -> str:
    """What an API function passes to its handle: the options taken apart, everything in the schema's order."""
    options = schema.tensor_options
    parts = []
    for argument in schema.arguments:
        name = of_self if argument.name == "self" else identifier(argument.name)
        parts.append(f"options.{name}_opt" if argument in options else name)
    return ", ".join(parts)


def string_literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
