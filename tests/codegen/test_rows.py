"""Rows: what yaml entries become, and the mistakes that are told with file and line."""

import unittest

from families import ADD, ROOT, load

from codegen.fields import FIELDS
from codegen.model import SchemaKind
from codegen.rows import RowError, structured_groups
from codegen.writers import autogen


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
        self.assertEqual(rows["middle.values"].dispatch, {"CPU": "middle_values"})
        self.assertEqual(str(rows["half_"].schema), "half_(Tensor(a!) self) -> Tensor(a!)")
        self.assertEqual(rows["half_"].variants, ("method",))
        self.assertTrue(rows["half_"].is_composite_implicit)
        self.assertEqual(rows["half.out"].doc, "Halves.")
        self.assertTrue(rows["half.out"].is_composite_implicit)

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


class Facts(unittest.TestCase):
    """What is said of an operator, and of which of its forms it is said."""

    def test_tags_that_follow_from_the_row(self):
        tags = {row.full_name: set(row.all_tags) - {"pt2_compliant_tag"} for row in load(ADD.replace("doc: Adds.", "tags: [core, pointwise]\n  doc: Adds."))}
        self.assertEqual(tags, {"add.Tensor": {"core", "pointwise"}, "add_.Tensor": {"inplace"}, "add.out": {"out"}})

    def test_tags_of_made_forms(self):
        text = (
            "- func: half(Tensor self) -> Tensor\n  autogen: [half.out, half_]\n  tags: [core, pointwise]\n"
            "  autogen_tags: {half_: [generated]}\n  doc: Halves.\n"
            "- func: part(Tensor(a) self) -> Tensor(a)\n  autogen: [part_copy]\n  tags: [core]\n  doc: A part.\n"
        )
        tags = {row.full_name: set(row.all_tags) - {"pt2_compliant_tag"} for row in load(text)}
        self.assertEqual(tags["half.out"], {"pointwise", "out"})
        self.assertEqual(tags["half_"], {"generated", "inplace"})
        self.assertEqual(tags["part_copy"], {"view_copy"})
        self.assertEqual(tags["part_copy.out"], {"generated", "out", "view_copy"})

    def test_keys_of_made_forms(self):
        text = (
            "- func: half(Tensor self) -> Tensor\n  autogen: [half.out, half_]\n  autogen_keys: {half.out: [CPU, Meta]}\n"
            "  dispatch:\n    CompositeExplicitAutograd: half\n  doc: Halves.\n"
        )
        keys = {row.full_name: set(row.dispatch) for row in load(text)}
        self.assertEqual(keys["half.out"], {"CPU", "Meta"})
        self.assertEqual(keys["half_"], {"CompositeExplicitAutograd"})

    def test_made_functions(self):
        text = (
            "- func: half(Tensor self) -> Tensor\n  variants: function, method\n  autogen: [half.out, half_, half_.to]\n"
            "  autogen_functions: [half_.to]\n  doc: Halves.\n"
        )
        variants = {row.full_name: row.variants for row in load(text)}
        self.assertEqual(variants["half.out"], ("function",))
        self.assertEqual(variants["half_"], ("method",))
        self.assertEqual(variants["half_.to"], ("function", "method"))

    def test_a_copy_that_is_one_tensor_has_an_out_form(self):
        parts = "- func: parts.int(Tensor(a -> *) self) -> Tensor(a)[]\n  autogen: [parts_copy.int]\n  doc: Parts.\n"
        part = "- func: part.int(Tensor(a) self) -> Tensor(a)\n  autogen: [part_copy.int]\n  doc: A part.\n"
        self.assertEqual([row.full_name for row in load(parts)], ["parts.int", "parts_copy.int"])
        rows = load(part)
        self.assertEqual([row.full_name for row in rows], ["part.int", "part_copy.int", "part_copy.int_out"])
        self.assertEqual(str(rows[-1].schema), "part_copy.int_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)")
        self.assertIn("return store_exact(ops::part_int::call(self), out);", autogen.write(rows))

    def test_a_resized_out_takes_the_strides_of_the_result(self):
        text = "- func: half(Tensor self) -> Tensor\n  autogen: [half.out]\n  strided_out: resized\n  doc: Halves.\n"
        self.assertIn("return store_result(ops::half::call(self), out, OutStrides::Resized);", autogen.write(load(text)))

    def test_a_group_deals_with_names_alike(self):
        text = ADD.replace("structured: true", "structured: true\n  names: broadcast\n  numbers_as_tensors: true")
        self.assertEqual({(row.names, row.numbers_as_tensors) for row in load(text)}, {("broadcast", True)})
        apart = text.replace("  variants: method\n", "  variants: method\n  names: none\n")
        self.assertEqual([row.names for row in load(apart)], ["broadcast", None, "broadcast"])

    def test_made_forms_pass_the_same_columns(self):
        text = (
            "- func: half(Tensor self) -> Tensor\n  autogen: [half.out]\n  names: keep\n  fallthrough: [Conjugate]\n"
            "  autocast: {CPU: float32}\n  doc: Halves.\n"
            "- func: part(Tensor(a) self) -> Tensor(a)\n  autogen: [part_copy]\n  names: keep\n  fallthrough: [Negative]\n  doc: A part.\n"
        )
        rows = {row.full_name: row for row in load(text)}
        self.assertEqual((rows["half.out"].names, rows["half.out"].fallthrough), ("keep", ("Conjugate",)))
        self.assertEqual(rows["half"].autocast, {"CPU": "float32"})
        self.assertEqual(rows["half.out"].autocast, {})
        self.assertEqual((rows["part_copy"].names, rows["part_copy"].fallthrough), (None, ()))

    def test_a_structured_row_has_kernels_for_other_layouts(self):
        text = ADD.replace("    CPU: add_cpu", "    CPU: add_cpu\n    SparseCPU: sparse_add_out")
        rows = load(text)
        (group,) = structured_groups(rows)
        self.assertEqual(group.backends, {"CPU": "add_cpu"})
        self.assertEqual(rows[-1].dispatch["SparseCPU"], "sparse_add_out")


class Refused(unittest.TestCase):
    def assert_refused(self, text, message, line=None):
        with self.assertRaises(RowError) as caught:
            load(text)
        self.assertIn(message, str(caught.exception))
        self.assertRegex(str(caught.exception), rf"family\.yaml:{line or '[0-9]+'}: error: ")
        self.assertEqual(str(caught.exception).count("family.yaml"), 1)

    def test_nothing_to_name(self):
        self.assert_refused("- func: half(Tensor self) -> Tensor\n  by_name: names\n  doc: Halves.\n", "by_name is for rows with a dimension")

    def test_unknown_field(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  dok: x\n", "unknown field 'dok', did you mean 'doc'?", 2)

    def test_broken_yaml(self):
        row = "- func: f(Tensor self) -> Tensor\n"
        self.assert_refused(row + "  doc: a: b\n", "not YAML: mapping values are not allowed", 2)
        self.assert_refused(row + "  tags: [core\n  doc: x\n", "not YAML: ", 3)
        self.assert_refused(row + "\tdoc: x\n", "not YAML: found ", 2)
        self.assert_refused(row + "  doc: x\0\n", "not YAML: ", 2)
        self.assert_refused("func: f(Tensor self) -> Tensor\n", "not a list", 1)
        self.assert_refused("- f(Tensor self)\n", "an entry is a mapping", 1)

    def test_types_and_defaults_without_cpp(self):
        self.assert_refused("- func: f(Tensor self, Stream s) -> Tensor\n  doc: x\n", "no C++ type for Stream", 1)
        self.assert_refused("- doc: x\n  func: f(Tensor self, int n=many) -> Tensor\n", "unknown default 'many' of n", 2)

    def test_arguments(self):
        self.assert_refused("- func: f(Tensor self, int) -> Tensor\n  doc: x\n", "expected an argument's name in 'int'", 1)
        self.assert_refused("- func: f(Tensor self, int self) -> Tensor\n  doc: x\n", "an argument's name stands twice", 1)

    def test_formulas(self):
        def out(formula, arguments="Tensor self", more=""):
            return (
                f"- func: f({arguments}) -> Tensor\n  structured_delegate: f.out\n  doc: x\n"
                f"- func: f.out({arguments}, *, Tensor(a!) out) -> Tensor(a!)\n  structured: true\n{more}  formula: {formula}\n"
            )

        self.assert_refused(out("activaton.silu"), "unknown list 'activaton' of formulas (known: activation, ", 4)
        self.assert_refused(out("silu"), "a formula is LIST.NAME", 4)
        self.assert_refused(out("[activation.silu, ints]"), "a formula is LIST.NAME", 4)
        self.assert_refused(out("activation.silu", "Tensor self, int n"), "a formula takes up to 3 tensors, then numbers", 4)
        self.assert_refused(out("[activation.silu, costly]", "Tensor self, Scalar n", "  dispatch: {CPU: f}\n"),
                            "a costly formula takes no numbers", 4)
        self.assert_refused(out("activation.silu", more="  dispatch: {CUDA: f}\n"), "a formula is one kernel, of the CPU", 4)
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  formula: activation.silu\n  doc: x\n",
                            "formula belongs on the structured row", 1)

    def test_unknown_key(self):
        self.assert_refused("- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPPU: f\n  doc: x\n", "unknown dispatch key 'CPPU'")

    def test_values_that_a_field_does_not_take(self):
        row = "- func: f(Tensor self) -> Tensor\n  doc: x\n"
        for field, message in {
            "tags: [pointless]": "unknown tag 'pointless' (known: core, ",
            "variants: function, methods": "unknown variant 'methods' (known: function, method)",
            "fallthrough: [CPU]": "unknown fallthrough 'CPU' (known: Conjugate, Negative, ZeroTensor)",
            "autocast: {CPU: float31}": "unknown autocast policy 'float31'",
            "autocast: {TPU: float32}": "unknown key of autocast 'TPU' (known: CPU, CUDA)",
            "autocast: float32": "autocast is a map, not 'float32'",
            "aliasing: maybe": "unknown aliasing 'maybe'",
            "python_module: nm": "unknown python_module 'nm'",
            "numbers_as_tensors: yess": "numbers_as_tensors is true or false, not 'yess'",
            "python_names: [spatial.f]": "'spatial.f' is no name in a module (known: nn, linalg, ",
            "names: 3": "names is a text, not '3'",
            "inverse: same": "only a view has an inverse",
            "strided_out: empty": "strided_out says what autogen makes",
            "device_check: Nocheck": "unknown device check 'Nocheck' (known: ExactSame, NoCheck)",
            "autogen_tags: {f.out: [core]}": "autogen_tags has f.out, which autogen does not make",
            "every_backend: true": "every_backend is for a form that delegates to a structured row",
            "autogen_keys: {f.out: [CPU]}": "autogen_keys has f.out, which autogen does not make",
            "autogen_functions: [f_]": "autogen_functions has f_, which autogen does not make",
            "autogen_keys: {f.out: [GPU]}": "unknown dispatch key 'GPU' (known: CPU, ",
        }.items():
            with self.subTest(field):
                self.assert_refused(row + f"  {field}\n", message)

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
            "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: f\n    CompositeImplicitAutograd: f\n  doc: x\n",
            "stands alone",
        )

    def test_composite_beside_a_kernel_of_a_backend(self):
        (row,) = load("- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU: f\n    CompositeImplicitAutograd: f\n  doc: x\n")
        self.assertFalse(row.is_composite_implicit)

    def test_method_without_self(self):
        self.assert_refused("- func: f(Tensor x) -> Tensor\n  variants: method\n  doc: x\n", "needs an argument named self")



class Documented(unittest.TestCase):
    def test_every_field_is_in_the_page_on_operators(self):
        page = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
        for name, field in FIELDS.items():
            self.assertIn(f"| `{name}` | {field.sentence}", page)


if __name__ == "__main__":
    unittest.main()
