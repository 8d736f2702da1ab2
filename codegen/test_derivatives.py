"""Tests of derivatives.py and writers/autograd.py."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from codegen import rows as row_loader  # noqa: E402
from codegen.derivatives import default_node_name, load_derivatives, rows_without_derivative  # noqa: E402
from codegen.model import Family  # noqa: E402
from codegen.writers import autograd  # noqa: E402

ROWS = """
- func: mix(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  dispatch: {CompositeExplicitAutograd: mix}
  doc: Mixes.
- func: mix_(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
  dispatch: {CompositeExplicitAutograd: mix_}
- func: mix.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  dispatch: {CompositeExplicitAutograd: mix_out}
- func: pick(Tensor self, int[1]? dim=None) -> (Tensor values, Tensor indices)
  dispatch: {CompositeExplicitAutograd: pick}
  doc: Picks.
- func: join(Tensor[] tensors, int dim=0) -> Tensor
  dispatch: {CompositeExplicitAutograd: join}
  doc: Joins.
- func: made_of_others(Tensor self) -> Tensor
  doc: Composite.
- func: is_odd(Tensor self) -> Tensor
  dispatch: {CompositeExplicitAutograd: is_odd}
  doc: Odd.
"""


def load(text, rows_text=ROWS):
    with tempfile.TemporaryDirectory() as folder:
        rows_path, path = Path(folder) / "rows.yaml", Path(folder) / "derivatives.yaml"
        rows_path.write_text(rows_text)
        path.write_text(text)
        rows = row_loader.load_family(rows_path)
        return rows, load_derivatives(path, rows)


class Names(unittest.TestCase):
    def test_follow_pytorch(self):
        self.assertEqual(default_node_name("mul"), "MulBackward0")
        self.assertEqual(default_node_name("_log_softmax"), "LogSoftmaxBackward0")
        self.assertEqual(default_node_name("nll_loss_forward"), "NllLossBackward0")
        self.assertEqual(default_node_name("log1p"), "Log1PBackward0")
        self.assertEqual(default_node_name("sigmoid_backward"), "SigmoidBackwardBackward0")


class Saved(unittest.TestCase):
    def test_a_formula_saves_what_it_names(self):
        _, (mix,) = load("- name: mix\n  self: grad * other * alpha\n  other: grad + self.sizes()[0]\n")
        saved = {item.member: item for item in mix.saved}
        self.assertEqual(set(saved), {"other_", "alpha_", "self_sizes_"})
        self.assertEqual(saved["other_"].cpp_type, "SavedVariable")
        self.assertEqual(saved["alpha_"].cpp_type, "Scalar")
        self.assertEqual(saved["self_sizes_"].cpp_type, "DimVector")
        self.assertEqual(saved["self_sizes_"].shown_as, "self_sym_sizes")
        self.assertEqual(mix.formulas[0].code, "grad * other * alpha_")
        self.assertEqual(mix.formulas[1].code, "grad + self_sizes_[0]")

    def test_a_value_for_one_formula_of_two_is_saved_if_that_one_is_wanted(self):
        _, (mix,) = load("- name: mix\n  self: grad * other\n  other: grad * self * other\n")
        saved = {item.member: item.only_for for item in mix.saved}
        self.assertEqual(saved, {"other_": (), "self_": ("other",)})

    def test_in_place_what_is_written_is_copied_or_is_the_result(self):
        _, (mix,) = load("- name: mix\n  self: grad * result\n  other: grad * self\n")
        (_, plain), (row, in_place) = mix.rows
        self.assertEqual(row.full_name, "mix_")
        self.assertEqual({item.member: item.value for item in plain}, {"result_": "result", "self_": "self"})
        self.assertEqual(
            {item.member: item.value for item in in_place}, {"result_": "self", "self_": "copy_of(self)"}
        )

    def test_optional_lists_are_lent_back(self):
        _, (pick,) = load("- name: pick\n  self: put_back(grad, dim, indices)\n")
        self.assertEqual(pick.formulas[0].code, "put_back(grad, borrow(dim_), indices)")
        self.assertEqual(pick.differentiable_outputs, (True, False))

    def test_summaries_of_lists(self):
        _, (join,) = load("- name: join\n  tensors: take_apart(grad, sizes_of(tensors), dim)\n")
        self.assertEqual([item.member for item in join.saved], ["tensors_sizes_", "dim_"])


class Mistakes(unittest.TestCase):
    def assert_refused(self, text, message):
        with self.assertRaisesRegex(ValueError, message):
            load(text)

    def test_are_refused(self):
        self.assert_refused("- name: nothing\n  self: grad\n", "no row is called nothing")
        self.assert_refused("- name: mix\n  nobody: grad\n", "no tensor argument called nobody")
        self.assert_refused("- name: mix\n", "a formula for an argument")
        self.assert_refused("- name: mix\n  self: grad\n- name: mix\n  self: grad\n", "two entries")
        self.assert_refused("- name: mix\n  self: grad\n- name: pick\n  node: MixBackward0\n  self: grad\n", "two nodes")
        self.assert_refused("- name: made_of_others\n  self: grad\n", "composite")
        self.assert_refused("- name: mix.out\n  self: grad\n", "out= forms")
        self.assert_refused("- name: pick\n  output_differentiability: [True]\n  self: grad\n", "returns 2 values")

    def test_say_the_line_once(self):
        with self.assertRaisesRegex(ValueError, r"derivatives\.yaml:3: error: mix has no tensor argument called nobody$"):
            load("- name: mix\n  self: grad\n  nobody: grad\n")
        with self.assertRaisesRegex(ValueError, r"derivatives\.yaml:2: error: not YAML: "):
            load("- name: mix\n  self: grad: 2\n")

    def test_rows_without_an_entry_are_known(self):
        rows, derivatives = load("- name: mix\n  self: grad\n- name: is_odd\n  differentiable: False\n")
        self.assertEqual([row.full_name for row in rows_without_derivative(rows, derivatives)], ["pick", "join"])


class Written(unittest.TestCase):
    def setUp(self):
        self.rows, self.derivatives = load(
            "- name: mix\n  self: grad * other\n  other: grad * self\n"
            "- name: join\n  tensors: take_apart(grad, sizes_of(tensors))\n"
            "- name: is_odd\n  differentiable: False\n"
        )
        self.text = autograd.write(Family("room", "rows"), self.rows, self.derivatives, False, set())

    def test_every_row_but_composites_has_a_kernel(self):
        kernels = re.findall(r"^const StaticKernel kAutograd_(\w+)\[1\] = ", self.text, re.M)
        self.assertEqual(sorted(kernels), ["is_odd", "join", "mix", "mix_", "mix_out"])

    def test_a_formula_is_reported_where_it_stands(self):
        self.assertRegex(self.text, r'    grad_inputs\[1\] =\n#line 3 ".*derivatives\.yaml"\n         grad \* self;\n#line')

    def test_called_operators_are_included(self):
        text = autograd.write(Family("room", "rows"), self.rows, self.derivatives, False, {"take_apart", "join"})
        self.assertIn('#include "gen/calls/take_apart.h"', text)
        self.assertNotIn('#include "gen/calls/join.h"', text)

    def test_a_list_gets_the_gradients_from_its_place_on(self):
        self.assertRegex(self.text, r"assign\(grad_inputs.subspan\(0\),\n#line 5 .*\n *take_apart\(grad, tensors_sizes_\)\);")

    def test_in_place_is_checked_and_rebased(self):
        kernel = self.text[self.text.index("const Tensor& record_mix_(") :]
        self.assertLess(kernel.index("check_inplace(self)"), kernel.index("redispatch(keys & kAfterAutograd, self, other, alpha);\n  }\n  rebase"))
        self.assertIn("SavedVariable(copy_of(self))", kernel)

    def test_a_call_that_is_not_recorded_makes_no_node(self):
        kernel = self.text[self.text.index("\nTensor mix(") :]
        kernel = kernel[: kernel.index("\n}\n")]
        self.assertIn("return record_mix(keys, self, other, alpha);", kernel)
        self.assertNotIn("make_intrusive", kernel)

    def test_the_index_is_sorted(self):
        index = autograd.write_all_kernels({"rows": (self.rows, self.derivatives)})
        entries = re.findall(r'\{"(aten::\w+)", "(\w*)"', index)
        self.assertEqual(entries, sorted(entries))
        self.assertIn(("aten::mix", "out"), entries)


class Tree(unittest.TestCase):
    """Of the derivatives as they are."""

    def families(self):
        for path in sorted((ROOT / "src" / "ops").glob("*/*.yaml")):
            rows = row_loader.load_family(path)
            derivatives = ROOT / "src" / "autograd" / path.parent.name / path.name
            yield path.stem, rows, load_derivatives(derivatives, rows) if derivatives.exists() else []

    def test_rows_that_have_no_entry(self):
        # Those that PyTorch, too, refuses to differentiate.
        known = {
            "bernoulli.p",
            "_cholesky_solve_helper",
            "_cummax_helper",
            "_cummin_helper",
            "_linalg_check_errors",
            "_logcumsumexp",
            "_unique",
            "bincount",
            "floor_divide",
            "floor_divide.Scalar",
            "floor_divide_.Scalar",
            "floor_divide_.Tensor",
            "grid_sampler_2d_backward",
            "grid_sampler_3d_backward",
            "heaviside",
            "heaviside_",
            "is_pinned",
            "is_set_to",
            "randint_like.generator",
            "randint_like.low_generator_dtype",
            "remainder.Scalar_Tensor",
        }
        missing = {
            row.full_name
            for _, rows, derivatives in self.families()
            for row in rows_without_derivative(rows, derivatives)
        }
        # Where their gradients have to have gradients, the formulas do what they are made of.
        decomposed = {
            "_cdist_backward",
            "_prelu_kernel_backward",
            "_scaled_dot_product_flash_attention_for_cpu_backward",
            "binary_cross_entropy_backward",
            "embedding_dense_backward",
            "glu_backward",
            "hardshrink_backward",
            "hardsigmoid_backward",
            "hardswish_backward",
            "hardtanh_backward",
            "huber_loss_backward",
            "logit_backward",
            "masked_scatter_backward",
            "mish_backward",
            "multi_margin_loss_backward",
            "native_batch_norm_backward",
            "native_group_norm_backward",
            "native_layer_norm_backward",
            "reflection_pad1d_backward",
            "reflection_pad2d_backward",
            "reflection_pad3d_backward",
            "replication_pad1d_backward",
            "replication_pad2d_backward",
            "replication_pad3d_backward",
            "set_",
            "set_.source_Tensor",
            "set_.source_Tensor_storage_offset",
            "smooth_l1_loss_backward",
            "soft_margin_loss_backward",
            "softshrink_backward",
        }
        self.assertEqual(missing - known - decomposed, set())

    def test_no_two_nodes_share_a_name(self):
        names = [d.node for _, _, derivatives in self.families() for d in derivatives if d.has_node]
        self.assertEqual(sorted(names), sorted(set(names)))


if __name__ == "__main__":
    unittest.main()
