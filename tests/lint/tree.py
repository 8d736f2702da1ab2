"""The project's files as the rules see them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


class Tree:
    """A project folder: its files by kind, each read once."""

    def __init__(self, root):
        self.root = Path(root)
        self.texts = {}

    def files(self, *patterns):
        """Paths relative to the root, sorted, that match any of the patterns."""
        found = {path.relative_to(self.root).as_posix()
                 for pattern in patterns for path in self.root.glob(pattern) if path.is_file()}
        return sorted(name for name in found if not name.startswith("build"))

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text()
        return self.texts[name]

    def lines(self, name):
        """(number, line) pairs, from 1."""
        return enumerate(self.text(name).splitlines(), 1)

    @cached_property
    def cpp(self):
        """C++ that the project holds."""
        return self.files("src/**/*.h", "src/**/*.cpp", "tests/**/*.h", "tests/**/*.cpp",
                          "bench/**/*.h", "bench/**/*.cpp")

    @cached_property
    def sources(self):
        """C++ of the product."""
        return [name for name in self.cpp if name.startswith("src/")]

    @cached_property
    def written(self):
        """Everything that people write, but for data and recorded answers."""
        return sorted(self.cpp + self.files(
            "*.md", "docs/**/*.md", "**/meson.build", "meson_options.txt", "dev", ".ci/run",
            "codegen/**/*.py", "tests/**/*.py", "bench/**/*.py", "src/**/*.yaml",
            "tests/instructions/*.yaml", "scripts/*.tsc"))
