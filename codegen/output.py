"""Writes generated files: lines of a readable width, and no file touched whose text has not changed."""

from __future__ import annotations

from pathlib import Path

from codegen.model import Place

COLUMNS = 100


def heading(source: str) -> str:
    return f"// Written by codegen/ from {source}; edit that file instead.\n"


def _break_point(line: str, indent: int) -> int:
    """Where the line is broken: behind the last comma or word (in a comment) that fits; 0 where there is none."""
    is_comment = line.lstrip().startswith("//")
    quoted = False
    best = 0
    for i, char in enumerate(line[:COLUMNS]):
        if char == '"':
            quoted = not quoted
        elif char == " " and i > indent + 8 and not quoted and (is_comment or line[i - 1] in ",("):
            best = i
    return best


# Between them stands a line of another file, of which the compiler's errors shall speak.
RESUME_LINES = "#line generated\n"


def from_place(place: Place, before: str, code: str, behind: str) -> str:
    """`code`, which stands at that place, between other code: for whatever reports lines and columns."""
    begin = " " * place.column
    return f'{before.rstrip()}\n#line {place.line} "{place.file}"\n{begin}{code}{behind}\n{RESUME_LINES}'


def _resume_lines(text: str, path: Path) -> str:
    """Says in place of each RESUME_LINES where in the generated file it stands."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line == RESUME_LINES.rstrip():
            lines[i] = f'#line {i + 2} "{path.as_posix()}"'
    return "\n".join(lines)


def wrap(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        # What another file holds in one line stays in one.
        if lines and lines[-1].startswith("#line "):
            lines.append(line)
            continue
        indent = len(line) - len(line.lstrip())
        is_comment = line.lstrip().startswith("//")
        continuation = " " * indent + ("// " if is_comment else "    ")
        while len(line) > COLUMNS and (at := _break_point(line, indent)) > 0:
            lines.append(line[:at])
            line = continuation + line[at + 1 :]
        lines.append(line)
    return "\n".join(lines)


def write_if_changed(path: Path, text: str) -> bool:
    """Returns whether the file was written."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


def write_cpp(path: Path, text: str) -> bool:
    return write_if_changed(path, _resume_lines(wrap(text), path))
