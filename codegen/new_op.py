"""Writes the beginning of an elementwise operator: `./dev new-op NAME [FAMILY]`.

Three files then hold all of it, which is a working operator until its formula is replaced: its rows, its formula and
its derivative. A test comes with it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from codegen.output_names import call_headers_of  # noqa: E402

ROOM = "pointwise"
# The list for families of rows that have no list of their own.
OTHER_LIST = "activation"

ROWS = """
- func: {name}(Tensor self) -> Tensor
  variants: function, method
  structured_delegate: {name}.out
  tags: [pointwise]
  doc: Each element divided by one more than its size.

- func: {name}_(Tensor(a!) self) -> Tensor(a!)
  variants: function, method
  structured_delegate: {name}.out
  tags: [pointwise]

- func: {name}.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: true
  formula: [{formulas}.{name}, floats]
  tags: [pointwise]
"""
DERIVATIVE = """
- name: {name}
  self: grad / square(1 + abs(self))
"""
FORMULA = "  _({name}, unary, 0, a / (T(1) + abs(a)), Floats)"
TEST = """\
# The formula and the gradient of {name}.
x = torch.tensor([-1.0, 0.0, 3.0], requires_grad=True)
y = torch.{name}(x)
print(y.detach())                            # expect: tensor([-0.5000,  0.0000,  0.7500])
y.sum().backward()
print(x.grad)                                # expect: tensor([0.2500, 1.0000, 0.0625])
print(torch.{name}(torch.tensor([1, 3])))    # expect: tensor([0.5000, 0.7500])
print(x.detach().{name}_())                  # expect: tensor([-0.5000,  0.0000,  0.7500])
"""


class NewOpError(ValueError):
    """A name or a family that cannot be used."""


def families(root: Path) -> list[str]:
    """Those whose rows and derivatives are elementwise."""
    rows, derivatives = root / "src" / "ops" / ROOM, root / "src" / "autograd" / ROOM
    return sorted(path.stem for path in rows.glob("*.yaml") if (derivatives / path.name).exists())


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + "\n" + text, encoding="utf-8")


def _add_formula(path: Path, line: str) -> None:
    """Behind the last line of the list."""
    text = path.read_text(encoding="utf-8")
    define = re.search(r"^#define TSC_\w+_FORMULAS\(_\) *\\\n(?:.*\\\n)*.*\n", text, re.MULTILINE)
    if define is None:
        raise NewOpError(f"{path}: there is no list of formulas")
    width = define[0].index("\\")
    last = define[0].rstrip("\n")
    start = last.rindex("\n") + 1
    longer = f"{last[:start]}{last[start:].ljust(width)}\\\n{line}\n"
    path.write_text(text[: define.start()] + longer + text[define.end() :], encoding="utf-8")


def new_op(root: Path, name: str, family: str) -> list[Path]:
    """Returns the files written: rows, formula, derivative and test."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", name):
        raise NewOpError(f"'{name}' is no name for an operator: lower case, digits and _, e.g. soft_sign")
    if name in call_headers_of(root / "src" / "ops"):
        raise NewOpError(f"there is an operator called {name}")
    if family not in families(root):
        raise NewOpError(
            f"new-op writes elementwise operators, of the families {', '.join(families(root))}; not of '{family}'"
        )
    lists = root / "src" / "ops" / "cpu" / ROOM
    formulas = family if (lists / f"{family}_list.h").exists() else OTHER_LIST
    paths = [
        root / "src" / "ops" / ROOM / f"{family}.yaml",
        lists / f"{formulas}_list.h",
        root / "src" / "autograd" / ROOM / f"{family}.yaml",
        root / "tests" / "scripts" / "operators" / f"{name}.tsc",
    ]
    _append(paths[0], ROWS.format(name=name, formulas=formulas))
    _add_formula(paths[1], FORMULA.format(name=name))
    _append(paths[2], DERIVATIVE.format(name=name))
    paths[3].write_text(TEST.format(name=name), encoding="utf-8")
    return paths


def main() -> int:
    if not 2 <= len(sys.argv) <= 3:
        print("usage: ./dev new-op NAME [FAMILY]", file=sys.stderr)
        return 2
    name, family = sys.argv[1], (sys.argv[2:] or ["activation"])[0]
    try:
        rows, formula, derivative, test = (path.relative_to(ROOT) for path in new_op(ROOT, name, family))
    except NewOpError as error:
        print(f"new-op: {error}", file=sys.stderr)
        return 1
    print(f"torch.{name} is there, with its gradient: ./dev run -c 'print({name}(torch.ones(2)))'. To make it yours, edit")
    print(f"  {rows}   the arguments and the sentence that :help prints")
    print(f"  {formula}   the formula and its types")
    print(f"  {derivative}   the gradient")
    print(f"Then ./dev test --accept operators/{name} writes what {test} expects, and")
    print("python3 tests/parity/structured/table.py the operator into docs/structured.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
