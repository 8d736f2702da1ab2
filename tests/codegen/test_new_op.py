"""./dev new-op: what it writes is read by the generator, and belongs together."""

import shutil
import tempfile
import unittest
from pathlib import Path

from families import ROOT

from codegen.derivatives import load_derivatives
from codegen.model import Family
from codegen.new_op import NewOpError, new_op
from codegen.rows import load_family, structured_groups
from codegen.writers import autograd, register


class NewOp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for folder in ("src/ops", "src/autograd", "tests/scripts/operators"):
            shutil.copytree(ROOT / folder, self.root / folder)

    def check(self, family, formulas):
        rows_path, formula, derivative, test = new_op(self.root, "soft_sign", family)
        rows = load_family(rows_path)
        groups = {group.name: group for group in structured_groups(rows)}
        self.assertEqual(groups["soft_sign"].out.formula, (f"{formulas}.soft_sign", "floats"))
        text = register.write(Family.of(rows_path), rows, list(groups.values()))
        self.assertIn(f'{formulas}::soft_sign, "soft_sign_cpu");', text)
        self.assertIn(f"{formulas}::soft_sign == 0, ", text)
        derivatives = load_derivatives(derivative, rows)
        text = autograd.write(Family.of(rows_path), rows, derivatives, False, set())
        self.assertIn("struct SoftSignBackward0 final", text)
        line = "_(soft_sign, unary, 0, a / (T(1) + abs(a)), Floats)"
        *before, last = formula.read_text().partition("// clang-format on")[0].rstrip().splitlines()
        self.assertEqual(last.strip(), line)
        self.assertEqual({len(entry) for entry in before[-3:]}, {len(before[-1])})
        self.assertTrue(before[-1].endswith("\\"))
        self.assertIn("torch.soft_sign(x)", test.read_text())

    def test_a_family_with_its_own_formulas(self):
        self.check("activation", "activation")

    def test_another_family(self):
        self.check("math", "activation")

    def test_what_cannot_be(self):
        before = (self.root / "src/ops/pointwise/math.yaml").read_text()
        for name, family, message in (
            ("SoftSign", "math", "no name for an operator"),
            ("add", "math", "there is an operator called add"),
            ("soft_sign", "fft", "elementwise operators, of the families activation, "),
        ):
            with self.assertRaisesRegex(NewOpError, message):
                new_op(self.root, name, family)
        self.assertEqual((self.root / "src/ops/pointwise/math.yaml").read_text(), before)


if __name__ == "__main__":
    unittest.main()
