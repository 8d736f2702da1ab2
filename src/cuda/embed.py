"""Writes the text of kernels into the program: each file as a constant of the name that stands before it.

embed.py OUTPUT NAME=FILE... A header of the project declares them. A text is cut into literals that every compiler takes.
"""

from __future__ import annotations

import sys
from pathlib import Path

_PIECE = 8000


def literal(text: str) -> str:
    # The files stand one behind the other in a kernel's source.
    text = "".join(line for line in text.splitlines(True) if not line.startswith(('#include "', "#pragma once")))
    pieces = [text[i : i + _PIECE] for i in range(0, len(text), _PIECE)] or [""]
    return "\n    ".join(f'R"~~({piece})~~"' for piece in pieces)


def main() -> None:
    output, *arguments = sys.argv[1:]
    files = [argument.partition("=")[::2] for argument in arguments]
    body = "".join(
        f"// {Path(path).name}\nextern const std::string_view {name} =\n    {literal(Path(path).read_text())};\n\n" for name, path in files
    )
    Path(output).write_text(f'#include <string_view>\n\nnamespace tsc::cuda::text {{\n\n{body}}}  // namespace tsc::cuda::text\n')


main()
