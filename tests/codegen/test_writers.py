"""What is written: the lines that matter, and that an unchanged file is left alone."""

import os
import tempfile
import unittest
from pathlib import Path

from families import ADD, ROOT, load

from codegen import cpp
from codegen.output import from_place, wrap, write_cpp, write_if_changed
from codegen.output_names import call_headers
from codegen.model import Family, Place
from codegen.rows import load_family, structured_groups
from codegen.schema_parser import parse_schema
from codegen.writers import api, direct, inplace_or_view, methods, native, register, structured

FACTORY = """
- func: zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CompositeExplicitAutograd: zeros
  doc: Zeros.
"""
VIEW = """
- func: unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
  variants: function, method
  dispatch:
    CompositeExplicitAutograd: unbind_int
  doc: Slices.
"""


FAMILY = Family("room", "family")


class Formulas(unittest.TestCase):
    TEXT = """
- func: lean(Tensor self, Tensor other, Scalar slope=1) -> Tensor
  structured_delegate: lean.out
  doc: Leans.
- func: lean.out(Tensor self, Tensor other, Scalar slope=1, *, Tensor(a!) out) -> Tensor(a!)
  structured: true
  formula: activation.lean
- func: curve(Tensor self) -> Tensor
  structured_delegate: curve.out
  doc: Curves.
- func: curve.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: true
  formula: [trigonometric.curve, floats]
  dispatch:
    CPU: curve_vml_cpu
"""

    def test_meta_function_and_kernel_are_written(self):
        rows = load(self.TEXT)
        text = register.write(FAMILY, rows, structured_groups(rows))
        self.assertIn('#include "ops/cpu/pointwise/activation_list.h"\n#include "ops/cpu/pointwise/trigonometric_list.h"', text)
        self.assertIn("TSC_META_FUNC(lean)(const Tensor& self, const Tensor& other, const Scalar&) {\n"
                      "  build_binary_op(self, other);\n}", text)
        self.assertIn("TSC_IMPL_FUNC(lean_cpu)(const Tensor&, const Tensor&, const Scalar& slope, const Tensor&) {", text)
        self.assertRegex(text, r'ufuncs::\n#line \d+ ".*"\n +activation::lean, "lean_cpu", \{slope\}\);')
        self.assertIn("  build_unary_float_op(self);", text)
        self.assertIn('trigonometric::curve, "curve_vml_cpu");', text)

    def test_a_row_inherits_the_iterator(self):
        rows = load(self.TEXT)
        self.assertIn("struct meta_lean : TensorIteratorBase {", native.write(FAMILY, rows, structured_groups(rows)))


class Headers(unittest.TestCase):
    def test_one_for_each_name(self):
        rows = load(ADD)
        self.assertEqual(list(api.rows_by_header(rows)), ["add"])
        self.assertIn('#include "gen/calls/add.h"\n', api.write_header(FAMILY, rows))
        text = api.write_call_header([(FAMILY, rows)])
        for name in ("add_Tensor", "add__Tensor", "add_out"):
            self.assertIn(f"struct {name} {{", text)

    def test_a_sentence_changes_none(self):
        before, after = load(ADD), load(ADD.replace("Adds.", "Adds them."))
        groups = structured_groups(after)
        self.assertEqual(api.write_call_header([(FAMILY, before)]), api.write_call_header([(FAMILY, after)]))
        for rows in (before, after):
            self.assertNotIn("Adds", native.write(FAMILY, rows, groups) + direct.write_header(FAMILY, rows, groups))
            self.assertNotIn("Adds", api.write_calls(FAMILY, rows) + register.write(FAMILY, rows, groups))

    def test_names_are_found_without_reading_rows(self):
        root = Path(__file__).resolve().parents[2] / "src" / "ops"
        for path in root.rglob("*.yaml"):
            self.assertEqual(call_headers(path.read_text()), set(api.rows_by_header(load_family(path))), path)


class Lines(unittest.TestCase):
    def test_code_that_stands_in_another_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "family.cpp"
            long = " + ".join(["something"] * 20)
            write_cpp(path, f"// {'word ' * 30}\n{from_place(Place('rows.yaml', 7, 9), '  x = ', long, ';')}}}\n")
            lines = path.read_text().split("\n")
        at = lines.index('#line 7 "rows.yaml"')
        self.assertEqual(lines[at - 1], "  x =")
        self.assertEqual(lines[at + 1], " " * 9 + long + ";")
        self.assertEqual(lines[at + 2], f'#line {at + 4} "{path}"')
        self.assertEqual(lines[at + 3], "}")


class Cpp(unittest.TestCase):
    def types(self, text):
        return [cpp.argument_type(argument.type) for argument in parse_schema(text).arguments]

    def test_arguments(self):
        self.assertEqual(
            self.types("f(Tensor a, Tensor? b, Tensor[] c, SymInt[] d, int[1]? e, Scalar f, Scalar? g, str? h) -> Tensor"),
            [
                "const Tensor&",
                "OptionalTensorRef",
                "TensorList",
                "IntArrayRef",
                "std::optional<IntArrayRef>",
                "const Scalar&",
                "const std::optional<Scalar>&",
                "std::optional<std::string_view>",
            ],
        )

    def test_returns(self):
        returns = {
            "f(Tensor self) -> Tensor": "Tensor",
            "f_(Tensor(a!) self) -> Tensor(a!)": "const Tensor&",
            "f(Tensor self) -> (Tensor, Tensor)": "std::tuple<Tensor, Tensor>",
            "f(Tensor self) -> Tensor[]": "std::vector<Tensor>",
            "f(Tensor self) -> ()": "void",
        }
        for text, expected in returns.items():
            with self.subTest(text):
                self.assertEqual(cpp.return_type(parse_schema(text)), expected)

    def test_defaults(self):
        schema = parse_schema("f(int a=1, float b=1, bool c=True, int[] d=[0,1], str e='x', ScalarType f=long, int g=Mean) -> ()")
        defaults = [cpp.default_value(argument) for argument in schema.arguments]
        self.assertEqual(defaults, ["1", "1.0", "true", "{0,1}", '"x"', "ScalarType::Long", "1"])

    def test_outputs_come_first_in_the_api(self):
        (row,) = [row for row in load(ADD) if row.full_name == "add.out"]
        self.assertEqual(
            cpp.api_parameters(row, with_defaults=True),
            "const Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha = 1",
        )


class Written(unittest.TestCase):
    def setUp(self):
        self.rows = load(ADD)
        self.groups = structured_groups(self.rows)

    def test_author_declarations(self):
        text = native.write(FAMILY, self.rows, self.groups)
        self.assertIn("struct meta_add_Tensor : TensorIteratorBase {", text)
        self.assertIn("void impl(const Tensor& self, const Tensor& other, const Scalar& alpha, const Tensor& out);", text)

    def test_forms_differ_in_how_outputs_are_made(self):
        text = structured.write_forms(self.groups)
        for binder in ("allocate_outputs(op, DeviceType::CPU, out)", "update_in_place(op, DeviceType::CPU, self)",
                       "write_outputs(op, DeviceType::CPU, out)", "allocate_outputs(op, DeviceType::Meta, out)"):
            self.assertIn(binder, text)
        # A given tensor may be written through another.
        self.assertIn("op.impl(self, other, alpha, out);", text)
        self.assertIn("op.impl(self, other, alpha, op.output(0));\n  op.store_outputs();", text)

    def test_bare_forms_check_nothing(self):
        text = structured.write_bare_forms(self.groups)
        self.assertIn("namespace tsc::cpu::impl {", text)
        self.assertIn("take_outputs(op, DeviceType::CPU, out);", text)
        self.assertNotIn("check", text)
        self.assertIn("namespace tsc::cpu::impl {\n\nTSC_API const Tensor& add_outf(", direct.write_header(FAMILY, self.rows, self.groups))

    def test_entry_points_count_versions(self):
        text = direct.write_entry_points(self.rows, self.groups)
        self.assertEqual(text.count("increment_version(self);"), 2)  # on the CPU and on Meta
        self.assertIn("unversioned::add_(self, other, alpha);", text)
        self.assertNotIn(" add(", text)
        self.assertIn('cpu::unversioned::add_, "cpu::add_"', register.write(FAMILY, self.rows, self.groups).replace("\n    ", " "))

    def test_a_view_of_an_entry_point_knows_its_base(self):
        rows = load(VIEW)
        text = direct.write_entry_points(rows, structured_groups(rows))
        self.assertIn("return native::unbind_int(self, dim);", text)
        self.assertIn("set_view_metadata(self, view, creation_meta(CreationMeta::MultiOutput));", text)

    def test_a_kernel_of_every_backend_is_an_entry_point_of_each(self):
        rows = load(FACTORY)
        text = direct.write_functions(rows)
        for backend in ("cpu", "meta"):
            self.assertIn(f"namespace tsc::{backend} {{\n\nTensor zeros(", text)

    def test_strangers_are_errors(self):
        text = native.write(FAMILY, self.rows, self.groups)
        self.assertIn('#pragma GCC diagnostic error "-Wmissing-declarations"', text)

    def test_methods(self):
        rows = load(ADD) + load("""
- func: where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
  variants: function, method
  doc: One of two.
- func: std.dim(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor
  variants: function, method
  doc: How far apart.
- func: size.int(Tensor self, int dim) -> int
  variants: method
  doc: One size.
""")
        found = methods.methods(rows, methods.names_of_class((ROOT / "src/core/tensor.h").read_text()))
        declared = methods.write_declarations(found)
        self.assertIn("Tensor add(const Tensor& other, const Scalar& alpha) const;\n", declared)
        self.assertIn("const Tensor& add_(", declared)
        self.assertIn("Tensor where(const Tensor& condition, const Tensor& other) const;\n", declared)
        self.assertIn("Tensor std(const OptionalIntArrayArgument& dim, bool keepdim) const;\n", declared)
        self.assertNotIn("size(", declared)  # the class has its own
        defined = methods.write_definitions(found)
        self.assertIn("const Scalar& alpha = 1) const {\n  return ops::add_Tensor::call(*this, other, alpha);", defined)
        self.assertIn("call(condition, *this, other);", defined)

    def test_common_has_each_form(self):
        self.assertEqual(structured.write_common(self.groups).count("meta_add_Tensor op;"), 3)

    def test_in_place_bumps_the_version_once(self):
        text = inplace_or_view.write(self.rows)
        self.assertEqual(text.count("increment_version(self);"), 1)
        self.assertEqual(text.count("increment_version(out);"), 1)

    def test_views_of_a_list_are_several(self):
        text = inplace_or_view.write(load(VIEW))
        self.assertIn("for (const Tensor& view : result) {", text)
        self.assertIn("CreationMeta::MultiOutput", text)

    def test_factories_choose_their_backend(self):
        text = register.write(FAMILY, load(FACTORY), [])
        self.assertIn("{DispatchKey::BackendSelect,", text)
        self.assertIn("backend_key_set(dtype, layout, device)", text)

    def test_factory_api_takes_options(self):
        text = api.write_call_header([(FAMILY, load(FACTORY))])
        self.assertIn("inline Tensor zeros(IntArrayRef size, const TensorOptions& options = {}) {", text)

    def test_columns_that_a_call_passes_by(self):
        rows = load(VIEW.replace("  doc:", "  fallthrough: [Conjugate]\n  doc:", 1))
        text = register.write(FAMILY, rows, [])
        self.assertIn('{DispatchKey::Conjugate, fallthrough_kernel("', text)

    def test_facts_are_in_the_index(self):
        text = "- func: half(Tensor self) -> Tensor\n  autocast: {CPU: float32_dtype}\n  names: keep\n  python_module: special\n" \
            "  python_names: [nn.halve]\n  numbers_as_tensors: true\n  tags: [core]\n  doc: Halves.\n"
        index = register.write_all_operators({"family": (load(text), [])})
        for fact in (".autocast_cpu = AutocastPolicy::Float32Dtype", ".names = &name_rules::keep", ".numbers_as_tensors = true",
                     ".module = PythonModule::Special", "tag_bits(OperatorTag::core, OperatorTag::pt2_compliant_tag)",
                     '{PythonModule::Functional, "halve", "half", PythonModule::Special}'):
            self.assertIn(fact, index)

    def test_index_is_sorted_by_name_then_overload(self):
        text = register.write_all_operators({FAMILY: (self.rows, self.groups)})
        places = [text.index(f"{{.schema = &kSchema_{name}, ") for name in ("add_Tensor", "add_out", "add__Tensor")]
        self.assertEqual(places, sorted(places))


class Lines(unittest.TestCase):
    def test_long_lines_are_broken_behind_commas(self):
        line = "Tensor f(" + ", ".join(f"const Tensor& argument_{i}" for i in range(8)) + ");"
        wrapped = wrap(f"{line}\n")
        self.assertTrue(all(len(part) <= 100 for part in wrapped.split("\n")))
        self.assertEqual(wrapped.replace("\n    ", " ").strip(), line)

    def test_text_in_quotes_and_comments(self):
        quoted = '     "' + "a, " * 50 + '"},'
        self.assertEqual(wrap(quoted), quoted)
        comment = "// " + "word " * 30
        self.assertTrue(all(part.startswith("// ") for part in wrap(comment).split("\n")))


class Files(unittest.TestCase):
    def test_unchanged_file_is_left_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out.h"
            self.assertTrue(write_if_changed(path, "text"))
            os.utime(path, (1, 1))
            self.assertFalse(write_if_changed(path, "text"))
            self.assertEqual(path.stat().st_mtime, 1)
            self.assertTrue(write_if_changed(path, "other"))

    def test_the_header_for_plug_ins_has_every_family(self):
        text = (ROOT / "src" / "tensorscope" / "library.h").read_text(encoding="utf-8")
        for path in (ROOT / "src" / "ops").glob("*/*.yaml"):
            self.assertIn(f'#include "gen/ops/{path.stem}.h"', text)

    def test_every_family_of_the_project_loads(self):
        families = sorted((ROOT / "src" / "ops").glob("*/*.yaml"))
        self.assertGreater(len(families), 5)
        names = [row.full_name for path in families for row in load_family(path)]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
