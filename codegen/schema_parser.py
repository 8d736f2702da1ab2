"""Parses aten's schema text, e.g. `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`."""

from __future__ import annotations

import difflib
import re

from codegen.model import BASE_TYPES, Annotation, Argument, Return, Schema, Type


class SchemaError(ValueError):
    """The text is not a schema; the message says where."""


_HEAD = re.compile(r"(?:aten::)?(?P<name>[A-Za-z_]\w*)(?:\.(?P<overload>\w+))?\s*\(")
_TYPE = re.compile(r"(?P<base>[A-Za-z]\w*)")
_ANNOTATION = re.compile(r"\((?P<before>\w+(?:\|\w+)*)(?P<write>!?)(?:\s*->\s*(?P<after>\*|\w+(?:\|\w+)*))?\)")
_SUFFIX = re.compile(r"\?|\[(?P<size>\d*)\]")


def split_outside_brackets(text: str, separator: str = ",") -> list[str]:
    """Splits at separators that are not inside brackets or quotes."""
    parts: list[str] = []
    depth = 0
    quote = ""
    start = 0
    for i, char in enumerate(text):
        if quote:
            if char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last or parts else []


def parse_type(text: str) -> tuple[Type, Annotation | None, str]:
    """Returns the type at the start of `text`, its annotation, and what follows it."""
    match = _TYPE.match(text)
    if match is None or match["base"] not in BASE_TYPES:
        near = difflib.get_close_matches(text.split(" ")[0], BASE_TYPES, n=1)
        meant = f", did you mean '{near[0]}'?" if near else f"; there are {', '.join(BASE_TYPES)}"
        raise SchemaError(f"unknown type at '{text}'{meant}")
    type_ = Type(base=match["base"])
    rest = text[match.end() :]
    annotation = None
    annotated = _ANNOTATION.match(rest)
    if annotated is not None:
        annotation = Annotation(
            tuple(annotated["before"].split("|")),
            annotated["write"] == "!",
            tuple(annotated["after"].split("|")) if annotated["after"] else (),
        )
        rest = rest[annotated.end() :]
    while (suffix := _SUFFIX.match(rest)) is not None:
        if suffix[0] == "?":
            type_ = Type(optional_of=type_)
        else:
            type_ = Type(list_of=type_, list_size=int(suffix["size"]) if suffix["size"] else None)
        rest = rest[suffix.end() :]
    return type_, annotation, rest.strip()


def parse_argument(text: str, kwarg_only: bool) -> Argument:
    type_, annotation, rest = parse_type(text)
    name, equals, default = rest.partition("=")
    name = name.strip()
    if not name.isidentifier():
        raise SchemaError(f"expected an argument's name in '{text}'")
    return Argument(name, type_, default.strip() if equals else None, annotation, kwarg_only)


def parse_return(text: str) -> Return:
    type_, annotation, rest = parse_type(text)
    if rest and not rest.isidentifier():
        raise SchemaError(f"unexpected '{rest}' in return '{text}'")
    return Return(type_, rest or None, annotation)


def _closing_bracket(text: str, start: int) -> int:
    depth = 0
    quote = ""
    for i in range(start, len(text)):
        char = text[i]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return i
    raise SchemaError(f"unbalanced brackets in '{text}'")


def parse_schema(text: str) -> Schema:
    text = text.strip()
    head = _HEAD.match(text)
    if head is None:
        raise SchemaError(f"expected an operator's name at '{text}'")
    close = _closing_bracket(text, head.end() - 1)
    arrow, returns_text = text[close + 1 :].strip()[:2], text[close + 1 :].strip()[2:].strip()
    if arrow != "->" or not returns_text:
        raise SchemaError(f"expected '-> returns' in '{text}'")

    arguments: list[Argument] = []
    kwarg_only = False
    for part in split_outside_brackets(text[head.end() : close]):
        if part == "*":
            if kwarg_only:
                raise SchemaError(f"two '*' in '{text}'")
            kwarg_only = True
        else:
            arguments.append(parse_argument(part, kwarg_only))
    names = [argument.name for argument in arguments]
    if len(set(names)) != len(names):
        raise SchemaError(f"an argument's name stands twice in '{text}'")

    if returns_text.startswith("(") and returns_text.endswith(")"):
        returns = tuple(parse_return(part) for part in split_outside_brackets(returns_text[1:-1]))
    else:
        returns = (parse_return(returns_text),)
    return Schema(head["name"], head["overload"] or "", tuple(arguments), returns)
