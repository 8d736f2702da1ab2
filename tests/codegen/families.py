"""Finds the generator's modules, and makes families out of text."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from codegen.rows import load_family  # noqa: E402

ADD = """
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method
  structured_delegate: add.out
  doc: Adds.
- func: add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
  variants: method
  structured_delegate: add.out
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  structured: true
  structured_inherits: TensorIteratorBase
  dispatch:
    CPU: add_cpu
"""


def load(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "family.yaml"
        path.write_text(text, encoding="utf-8")
        return load_family(path)
