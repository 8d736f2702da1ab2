"""Writes generated files, and leaves a file whose text has not changed alone, so that nothing rebuilds for it."""

from __future__ import annotations

from pathlib import Path


def heading(source: str) -> str:
    return f"// Written by codegen/ from {source}; edit that file instead.\n"


def write_if_changed(path: Path, text: str) -> bool:
    """Returns whether the file was written."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True
