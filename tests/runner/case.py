"""What every kind of test is to the runner."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Result:
    """The outcome of one case."""

    name: str  # "tests/core/scalar_test.cpp: boxes as Double"
    passed: bool
    seconds: float
    message: str = ""  # why it failed, in full lines

    @property
    def file(self):
        return self.name.split(": ", 1)[0]


@dataclass
class Options:
    """What the command line asked for."""

    build: Path
    filter: str = ""
    accept: bool = False
    jobs: int = 2

    @property
    def program(self):
        return self.build / "src" / "tensorscope"

    @property
    def sanitized(self):
        return self.build.name.endswith("-asan")

    def selects(self, name):
        return self.filter.lower() in name.lower()


def relative(path):
    """A path as the reports show it: relative to the project."""
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
