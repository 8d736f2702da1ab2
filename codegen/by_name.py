"""Overloads whose dimensions go by name, of those where they go by position.

`by_name: dim_DimnameList` makes sum.dim_DimnameList of sum.dim_IntList, and `by_name: names` makes zeros.names, whose
result has names, of zeros.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.autogen import without_own_facts
from codegen.model import Argument, Row, Schema, Type

_DIMENSIONS = ("dim", "dim0", "dim1")
_NAME = Type(base="Dimname")
_NAMES = Argument("names", Type(optional_of=Type(list_of=_NAME)), kwarg_only=True)


def _named(argument: Argument) -> Argument:
    if argument.name not in _DIMENSIONS:
        return argument
    type_ = argument.type.optional_of or argument.type
    return replace(argument, type=_NAME if type_.list_of is None else replace(type_, list_of=_NAME), default=None)


def _arguments(schema: Schema) -> tuple[Argument, ...]:
    if not schema.tensor_options:
        return tuple(_named(argument) for argument in schema.arguments)
    before = schema.arguments.index(schema.tensor_options[0])
    return (*schema.arguments[:before], _NAMES, *schema.arguments[before:])


def can_go_by_name(schema: Schema) -> bool:
    return bool(schema.tensor_options) or any(argument.name in _DIMENSIONS for argument in schema.arguments)


def made_rows(row: Row) -> list[Row]:
    """The row that `row.by_name` names, if any."""
    if row.by_name is None:
        return []
    kernel = "made_with_names" if row.schema.tensor_options else "by_position"
    return [
        replace(
            without_own_facts(row),
            names=None,
            fallthrough=(),
            schema=replace(row.schema, overload=row.by_name, arguments=_arguments(row.schema)),
            structured=False,
            structured_delegate=None,
            structured_inherits=None,
            dispatch={"CompositeImplicitAutograd": kernel},
        )
    ]
