"""Writes which characters make names and which are printable, from Python's own Unicode database."""

import sys


def ranges(contains):
    """The maximal ranges of code points beyond ASCII that `contains` holds for."""
    result = []
    first = None
    for code in range(0x80, sys.maxunicode + 2):
        inside = code <= sys.maxunicode and contains(chr(code))
        if inside and first is None:
            first = code
        elif not inside and first is not None:
            result.append((first, code - 1))
            first = None
    return result


TABLES = {
    "kNameStart": ("Characters that may begin a name.", str.isidentifier),
    "kNameContinueOnly": (
        "Characters that may stand in a name, but not begin one.",
        lambda c: ("a" + c).isidentifier() and not c.isidentifier(),
    ),
    "kNotPrintable": ("What repr() escapes.", lambda c: not c.isprintable()),
}


def table(name, comment, items):
    rows = "".join(f"    {{0x{first:X}, 0x{last:X}}},\n" for first, last in items)
    return f"// {comment}\ninline constexpr CodePointRange {name}[] = {{\n{rows}}};\n"


def main(output):
    text = "// Ranges of Unicode code points beyond ASCII, in order.\n#pragma once\n\n#include <cstdint>\n\n"
    text += "namespace tsc::gen {\n\nstruct CodePointRange {\n  uint32_t first;\n  uint32_t last;\n};\n\n"
    text += "\n".join(table(name, comment, ranges(test)) for name, (comment, test) in TABLES.items())
    text += "\n}  // namespace tsc::gen\n"
    with open(output, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
