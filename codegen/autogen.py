"""Forms that are made of a functional row: `autogen: [median.dim_values, addmv_]`.

An out= form computes the functional one's results and stores them; an in-place form stores the result in self.
A view's form `NAME_copy` gives tensors of their own; where it gives one, it has an out= form, too. A functional form of an
in-place row, `uniform` of `uniform_`, writes to a copy of self.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.model import Annotation, Argument, Return, Row, Schema, SchemaKind, Type

# What the functional row gives is stored once, so only the results' annotations tell the forms apart.
_ALIAS_SETS = "abcdefgh"


def _split(full_name: str) -> tuple[str, str]:
    name, _, overload = full_name.partition(".")
    return name, overload


def _out_schema(row: Row, full_name: str) -> Schema:
    name, overload = _split(full_name)
    several = len(row.schema.returns) > 1
    outs = tuple(
        Argument(
            (returned.name or f"out{i}") if several else "out",
            Type(base="Tensor"),
            annotation=Annotation((_ALIAS_SETS[i],), True),
            kwarg_only=True,
        )
        for i, returned in enumerate(row.schema.returns)
    )
    returns = tuple(Return(out.type, out.name if several else None, out.annotation) for out in outs)
    return Schema(name, overload, row.schema.arguments + outs, returns)


def _inplace_schema(row: Row, full_name: str) -> Schema:
    name, overload = _split(full_name)
    annotation = Annotation(("a",), True)
    self, *others = row.schema.arguments
    written = replace(self, annotation=annotation)
    return Schema(name, overload, (written, *others), (Return(self.type, None, annotation),))


def _copy_schema(row: Row, full_name: str) -> Schema:
    name, overload = _split(full_name)
    arguments = tuple(replace(argument, annotation=None) for argument in row.schema.arguments)
    returns = tuple(replace(returned, annotation=None) for returned in row.schema.returns)
    return Schema(name, overload, arguments, returns)


def _copy_out_schema(copy: Schema) -> Schema:
    """`view_copy.out`, `transpose_copy.int_out`."""
    out = Argument("out", Type(base="Tensor"), annotation=Annotation((_ALIAS_SETS[0],), True), kwarg_only=True)
    overload = f"{copy.overload}_out" if copy.overload else "out"
    return Schema(copy.name, overload, copy.arguments + (out,), (Return(out.type, None, out.annotation),))


def is_functional_form(row: Row) -> bool:
    return row.made_from is not None and row.made_from.kind is SchemaKind.INPLACE


def is_copy(schema: Schema) -> bool:
    return schema.kind is SchemaKind.FUNCTIONAL and schema.name.endswith("_copy")


def made_schema(row: Row, full_name: str) -> Schema:
    if row.schema.is_view or row.schema.kind is SchemaKind.INPLACE:
        return _copy_schema(row, full_name)
    return (_inplace_schema if _split(full_name)[0].endswith("_") else _out_schema)(row, full_name)


def without_own_facts(row: Row) -> Row:
    """What is said of a row and not of the rows that are made of it."""
    return replace(
        row,
        autogen=(),
        autogen_tags={},
        autogen_keys={},
        autogen_functions=(),
        by_name=None,
        autocast={},
        inverse=None,
        aliasing=None,
        python_names=(),
        tags=tuple(tag for tag in row.tags if tag != "core"),
    )


def _tags(row: Row, full_name: str) -> tuple[str, ...]:
    if full_name in row.autogen_tags:
        return row.autogen_tags[full_name]
    return tuple(tag for tag in row.tags if tag != "core")


def _keys(row: Row, full_name: str) -> tuple[str, ...]:
    """Where a made form has its kernel: where the row has, as PyTorch's own forms; those that PyTorch makes serve all."""
    if full_name in row.autogen_keys:
        return row.autogen_keys[full_name]
    if row.schema.is_view:
        return ("CompositeExplicitAutogradNonFunctional",)
    if row.schema.kind is SchemaKind.INPLACE or "generated" in _tags(row, full_name):
        return ("CompositeExplicitAutograd",)
    if row.is_composite_implicit:
        return ("CompositeImplicitAutograd",)
    keys = ("CPU", "Meta", "CompositeExplicitAutograd")
    return tuple(key for key in keys if "CPU" in row.dispatch and key in row.dispatch) or ("CompositeExplicitAutograd",)


def _python_module(row: Row, tags: tuple[str, ...]) -> str | None:
    """torch has the copies of all views, and none of the other forms that PyTorch makes."""
    if row.schema.kind is SchemaKind.INPLACE or row.aliasing == "lifted" or "generated" in tags:
        return "none"
    return None if row.schema.is_view else row.python_module


def _variants(row: Row, full_name: str) -> tuple[str, ...]:
    if not _split(full_name)[0].endswith("_") or "method" not in row.variants:
        return ("function",)
    return ("function", "method") if full_name in row.autogen_functions else ("method",)


def made_rows(row: Row) -> list[Row]:
    """The rows that `row.autogen` names, in its order."""
    made = []
    makes_new_tensors = row.schema.is_view or row.schema.kind is SchemaKind.INPLACE
    for full_name in row.autogen:
        schema = made_schema(row, full_name)
        made.append(
            replace(
                without_own_facts(row),
                schema=schema,
                tags=_tags(row, full_name),
                names=None if makes_new_tensors else row.names,
                fallthrough=() if makes_new_tensors else row.fallthrough,
                deprecated_signature=row.deprecated_signature and not makes_new_tensors,
                numbers_as_tensors=row.numbers_as_tensors and not row.schema.is_view,
                variants=_variants(row, full_name),
                structured_delegate=None,
                dispatch={key: kernel_name(schema) for key in _keys(row, full_name)},
                python_module=_python_module(row, _tags(row, full_name)),
                made_from=row.schema,
            )
        )
        if row.schema.is_view and schema.returns[0].type.is_tensor:
            made.append(_copy_out(made[-1]))
    return made


def _copy_out(copy: Row) -> Row:
    """The out= form of a view's copy, which takes no other dtype than the view's."""
    schema = _copy_out_schema(copy.schema)
    return replace(
        copy,
        schema=schema,
        tags=(*copy.tags, "generated"),
        dispatch={"CompositeExplicitAutograd": kernel_name(schema)},
        exact_out=True,
    )


def kernel_name(schema: Schema) -> str:
    return f"{schema.name}_{schema.overload}" if schema.overload else schema.name


def is_made_of_tensors(schema: Schema) -> bool:
    """Only results that are tensors can be stored, and lists of them copied."""
    if schema.is_view or schema.kind is SchemaKind.INPLACE:
        return True
    return bool(schema.returns) and all(returned.type.is_tensor for returned in schema.returns)

