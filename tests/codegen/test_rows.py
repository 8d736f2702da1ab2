"""Rows: what yaml entries become, and the mistakes that are told with file and line."""

import unittest

from families import ADD, load

from codegen.model import SchemaKind
from codegen.rows import RowError, structured_groups


class Loaded(unittest.TestCase):
    def test_structured_group(self):
        (group,) = structured_groups(load(ADD))
        self.assertEqual(group.name, "add_Tensor")
        self.assertEqual(group.backends, {"CPU": "add_cpu"})
        self.assertEqual([row.schema.kind for row in group.rows], list(SchemaKind))

    def test_docs_are_shared_by_forms(self):
        self.assertEqual({row.doc for row in load(ADD)}, {"Adds."})

    def test_a_row_without_dispatch_is_made_of_others(self):
        (row,) = load("- func: square(Tensor self) -> Tensor\n  doc: Squares.\n")
        self.assertEqual(row.dispatch, {"CompositeImplicitAutograd": "square"})

    def test_one_kernel_for_several_keys(self):
        (row,) = load("- func: view(Tensor(a) self, int[] size) -> Tensor(a)\n  dispatch:\n    CPU, Meta: view\n  doc: Views.\n")
        self.assertEqual(row.dispatch, {"CPU": "view", "Meta": "view"})

    def test_forms_are_made_of_a_functional_row(self):
        text = (
            "- func: middle(Tensor self, int dim, *, bool keep=False) -> (Tensor values, Tensor indices)\n"
            "  autogen: [middle.values]\n"
            "  dispatch: {CPU: middle}\n  doc: Middles.\n"
            "- func: half(Tensor self) -> Tensor\n  autogen: [half.out, half_]\n  variants: function, method\n  doc: Halves.\n"
        )
        rows = {row.full_name: row for row in load(text)}
        self.assertEqual(
            str(rows["middle.values"].schema),
            "middle.values(Tensor self, int dim, *, bool keep=False, Tensor(a!) values, Tensor(b!) indices)"
            " -> (Tensor(a!) values, Tensor(b!) indices)",
        )
        self.assertEqual(rows["middle.values"].dispatch, {"CompositeExplicitAutograd": "middle_values"})
        self.assertEqual(str(rows["half_"].schema), "half_(Tensor(a!) self) -> Tensor(a!)")
        self.assertEqual(rows["half_"].variants, ("method",))
        self.assertTrue(rows["half_"].is_composite_implicit)
        self.assertEqual(rows["half.out"].doc, "Halves.")

    def test_dimensions_go_by_name(self):
        text = (
            "- func: least.dim(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor\n"
            "  by_name: names_dim\n  dispatch: {CPU: least}\n  doc: The least.\n"
        )
        rows = {row.full_name: row for row in load(text)}
        made = rows["least.names_dim"]
        self.assertEqual(str(made.schema), "least.names_dim(Tensor self, Dimname[1] dim, bool keepdim=False) -> Tensor")
        self.assertEqual(made.dispatch, {"CompositeImplicitAutograd": "by_position"})
        self.assertEqual(made.doc, "The least.")

    def test_a_factory_gives_names(self):
        options = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
        text = f"- func: ones(SymInt[] size, *, {options}) -> Tensor\n  by_name: names\n  doc: Ones.\n"
        made = {row.full_name: row for row in load(text)}["ones.names"]
        self.assertEqual(str(made.schema), f"ones.names(SymInt[] size, *, Dimname[]? names, {options}) -> Tensor")
        self.assertEqual(made.dispatch, {"CompositeImplicitAutograd": "made_with_names"})


class Refused(unittest.TestCase):
    def assert_refused(self, text, message):
        with self.assertRaises(RowError) as caught:
            load(text)
        self.assertIn(message, str(caught.exception))
        self.assertRegex(str(caught.exception), r"family\.yaml:\d+: ")

    def test_nothing_to_name(self):
        self.assert_refused("- func: half(Tensor self) -> Tensor\n  by_name: names\n  doc: Halves.\n", "by_name is for rows with a dimension")

    def test_unknown_field(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  dok: x\n", "unknown field 'dok'")

    def test_unknown_key(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPPU: f\n  doc: x\n", "unknown dispatch key 'CPPU'")

    def test_field_twice(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  doc: x\n  doc: y\n", "'doc' stands twice")

    def test_bad_schema(self):
        self.assert_refused("- func: f(Tensr self) -> Tensor\n  doc: x\n", "unknown type")

    def test_no_doc(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n", "needs a doc")

    def test_declared_twice(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  doc: x\n" * 2, "declared twice")

    def test_delegate_to_nothing(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  structured_delegate: f.out\n  doc: x\n", "not a structured row")

    def test_delegate_with_other_arguments(self):
        self.assert_refused(ADD.replace("add_.Tensor(Tensor(a!) self, Tensor other,", "add_.Tensor(Tensor(a!) self, Scalar other,"),
                            "take different arguments")

    def test_structured_row_that_is_no_out(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  structured: true\n  doc: x\n", "only an out= row is structured")

    def test_composite_beside_a_kernel(self):
        self.assert_refused(
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU: f\n    CompositeImplicitAutograd: f\n  doc: x\n",
            "stands alone",
        )

    def test_method_without_self(self):
        self.assert_refused("- func: f(Tensor x) -> Tensor\n  variants: method\n  doc: x\n", "needs an argument named self")


if __name__ == "__main__":
    unittest.main()
