"""Names of the headers gen/calls/NAME.h, for Meson, which has to know them before anything runs: `output_names.py YAML...`.

Reads lines and checks nothing: a row that is not what it should be is reported by the step that reads it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from codegen.cpp import header_name  # noqa: E402

_DECLARED = re.compile(r"^- func:\s*['\"]?(?:aten::)?(\w+)", re.MULTILINE)
_MADE = re.compile(r"^  autogen:\s*\[([^\]]*)\]", re.MULTILINE)


def call_headers(text: str) -> set[str]:
    names = _DECLARED.findall(text)
    names += [form.strip().partition(".")[0] for forms in _MADE.findall(text) for form in forms.split(",")]
    return {header_name(name) for name in names if name}


def call_headers_of(folder: Path) -> set[str]:
    """Of all families in src/ops/."""
    return set().union(*(call_headers(path.read_text(encoding="utf-8")) for path in folder.rglob("*.yaml")))


def main() -> None:
    texts = [Path(path).read_text(encoding="utf-8") for path in sys.argv[1:]]
    print("\n".join(sorted(set().union(*map(call_headers, texts)))))


if __name__ == "__main__":
    main()
