"""The schema parser: what it makes of aten's text, and what it refuses."""

import unittest

import families  # noqa: F401 (finds the generator)

from codegen.model import SchemaKind
from codegen.schema_parser import SchemaError, parse_schema, split_outside_brackets

SCHEMAS = (
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
    "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
    "max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values)"
    " -> (Tensor(a!) values, Tensor(b!) indices)",
    "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
    "index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
    "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    "gelu(Tensor self, *, str approximate='none') -> Tensor",
    "rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor",
    "_index_put_impl(Tensor self) -> ()",
)


class RoundTrip(unittest.TestCase):
    def test_text_is_kept(self):
        for text in SCHEMAS:
            with self.subTest(text):
                self.assertEqual(str(parse_schema(text)), text)

    def test_namespace_is_dropped(self):
        self.assertEqual(parse_schema("aten::neg(Tensor self) -> Tensor").full_name, "neg")


class Parts(unittest.TestCase):
    def test_kinds(self):
        kinds = [parse_schema(text).kind for text in SCHEMAS[:3]]
        self.assertEqual(kinds, [SchemaKind.FUNCTIONAL, SchemaKind.INPLACE, SchemaKind.OUT])

    def test_dunder_is_in_place_by_what_it_writes(self):
        functional = parse_schema("__and__.Tensor(Tensor self, Tensor other) -> Tensor")
        in_place = parse_schema("__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)")
        self.assertIs(functional.kind, SchemaKind.FUNCTIONAL)
        self.assertIs(in_place.kind, SchemaKind.INPLACE)
        self.assertEqual(in_place.base_name, "__and__")

    def test_outputs_are_apart_from_inputs(self):
        schema = parse_schema(SCHEMAS[3])
        self.assertEqual([a.name for a in schema.out_arguments], ["max", "max_values"])
        self.assertEqual([a.name for a in schema.inputs], ["self", "dim", "keepdim"])

    def test_views_share_and_do_not_write(self):
        self.assertTrue(parse_schema("view(Tensor(a) self, SymInt[] size) -> Tensor(a)").is_view)
        self.assertFalse(parse_schema(SCHEMAS[1]).is_view)

    def test_lists_and_optionals(self):
        indices = parse_schema(SCHEMAS[5]).arguments[1].type
        self.assertTrue(indices.is_tensor_list)
        dim = parse_schema(SCHEMAS[6]).arguments[1].type
        self.assertEqual((dim.optional_of.list_size, str(dim)), (1, "int[1]?"))

    def test_commas_inside_brackets_and_quotes_do_not_split(self):
        self.assertEqual(split_outside_brackets("int[] a=[0,1], str b=',', int c"), ["int[] a=[0,1]", "str b=','", "int c"])


class Refused(unittest.TestCase):
    def test_texts(self):
        for text in (
            "add",
            "add(Tensor self)",
            "add(Tensor self) ->",
            "add(Tensr self) -> Tensor",
            "add(Tensor self, Tensor self) -> Tensor",
            "add(Tensor self, *, *) -> Tensor",
            "add(Tensor 1self) -> Tensor",
            "add(Tensor self -> Tensor",
        ):
            with self.subTest(text), self.assertRaises(SchemaError):
                parse_schema(text)


if __name__ == "__main__":
    unittest.main()
