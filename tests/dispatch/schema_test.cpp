#include <doctest/doctest.h>

#include "dispatch/schema_parser.h"

using namespace tsc;

namespace {

std::string round_trip(std::string_view text) {
  const ParsedSchema schema = parse_schema(text);
  return to_string(*schema);
}

}  // namespace

TEST_CASE("schemas print as they were written") {
  for (
      const char* text : {
          "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
          "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
          "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> "
          "Tensor(a!)",
          "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor "
          "indices)",
          "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
          "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
          "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
          "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
          "dtype=None) -> Tensor",
          "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
          "aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor",
          "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? "
          "layout=None, Device? device=None, "
          "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
          "aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()",
          "f(Tensor[](a!) x, Tensor(b)[](c) y) -> ()",
          "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1]) -> "
          "Tensor",
          "aten::flip(Tensor self, int[] dims) -> Tensor",
          "prim::print(...) -> ()",
      }) {
    CHECK(round_trip(text) == text);
  }
}

TEST_CASE("float defaults print with 17 digits") {
  CHECK(round_trip("a::f(float eps=1e-5) -> ()") == "a::f(float eps=1.0000000000000001e-05) -> ()");
  CHECK(round_trip("a::f(float x=2) -> ()") == "a::f(float x=2.) -> ()");
}

TEST_CASE("what a schema says of its arguments") {
  const ParsedSchema schema =
      parse_schema("aten::f.out(Tensor x, int[2] k=[1, 2], *, Tensor(a!) out) -> Tensor(a!)");
  CHECK(schema->name == "aten::f");
  CHECK(schema->base_name() == "f");
  CHECK(schema->namespace_name() == "aten");
  CHECK(schema->overload_name == "out");
  CHECK(schema->is_mutable());
  REQUIRE(schema->arguments.size() == 3);
  CHECK(schema->arguments[1].type.list_size == 2);
  CHECK(schema->arguments[1].default_value.integers == IntArrayRef({1, 2}));
  CHECK(schema->arguments[2].is_out);
  CHECK(schema->argument_index("out") == 2);
  CHECK(schema->argument_index("nope") == -1);
  CHECK(default_ivalue(schema->arguments[1]).as_int_list()->values == DimVector{1, 2});
}

TEST_CASE("a default of one int is that of each element") {
  const ParsedSchema schema =
      parse_schema("f(int[3] stride=2, int[] dims=[], int[2]? size=None) -> ()");
  CHECK(default_ivalue(schema->arguments[0]).as_int_list()->values == DimVector{2, 2, 2});
  CHECK(default_ivalue(schema->arguments[1]).as_int_list()->values.empty());
  CHECK(default_ivalue(schema->arguments[2]).is_none());
}

TEST_CASE("other texts are refused, with the place") {
  for (const char* text : {
           "f",
           "f(",
           "f(Tensor x) -> ",
           "f(Tensor x -> Tensor",
           "f.default(Tensor x) -> Tensor",
           "f(Tensor class) -> Tensor",
           "f(List[int] x) -> Tensor",
           "f(Tensor x,) -> Tensor",
           "f(int x=inf) -> ()",
           "f(Tensor x)\n-> Tensor",
           "f(Tensor x) -> Tensor result trailing",
       }) {
    CHECK_THROWS_AS(parse_schema(text), Error);
  }
}

TEST_CASE("operator names") {
  CHECK(parse_operator_name("aten::add.Tensor") ==
        std::pair<std::string, std::string>("aten::add", "Tensor"));
  CHECK(parse_operator_name("aten::add") == std::pair<std::string, std::string>("aten::add", ""));
  CHECK_THROWS_AS(parse_operator_name("aten::add."), Error);
}
