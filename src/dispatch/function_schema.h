// FunctionSchema: an operator's name, arguments and returns. Plain data over borrowed text and
// spans, so that the generator can write schemas as read-only tables; the parser (schema_parser.h)
// fills the same structures in an arena.
//
//   aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
//   └name   └overload                           └keyword-only    └alias set a, written
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/array_ref.h"
#include "core/text/text_formatter.h"
#include "dispatch/ivalue.h"

namespace tsc {

// One row a base type of a schema: the enumerator, the name in schema text.
#define TSC_FORALL_SCHEMA_TYPES(_) \
  _(Tensor, Tensor)                \
  _(Int, int)                      \
  _(SymInt, SymInt)                \
  _(Float, float)                  \
  _(Bool, bool)                    \
  _(Scalar, Scalar)                \
  _(Complex, complex)              \
  _(String, str)                   \
  _(ScalarType, ScalarType)        \
  _(Layout, Layout)                \
  _(Device, Device)                \
  _(MemoryFormat, MemoryFormat)    \
  _(Generator, Generator)          \
  _(Dimname, Dimname)              \
  _(QScheme, QScheme)              \
  _(StorageObject, Storage)        \
  _(Stream, Stream)                \
  _(Any, Any)                      \
  _(None, NoneType)

enum class TypeKind : uint8_t {
#define TSC_DEFINE(name, text) name,
  TSC_FORALL_SCHEMA_TYPES(TSC_DEFINE)
#undef TSC_DEFINE
};

// `Tensor`, `Tensor?`, `int[2]`, `int[]?`, `Tensor?[]`.
struct SchemaType {
  TypeKind kind = TypeKind::Tensor;
  bool is_list = false;
  bool is_optional = false;          // the outermost `?`
  bool element_is_optional = false;  // `Tensor?[]`
  int32_t list_size = -1;            // 2 in `int[2]`

  friend constexpr bool operator==(const SchemaType&, const SchemaType&) = default;
};

// `(a!)`: before and after are the letters on the two sides of `->` ("" where there are none, "*"
// for the wildcard).
struct AliasInfo {
  std::string_view before;
  std::string_view after;
  bool is_write = false;
  bool is_present = false;
};

struct DefaultValue {
  enum class Kind : uint8_t {
    Missing,
    None,
    Bool,
    Int,
    Double,
    Complex,
    String,
    IntList,
    DoubleList,
    BoolList
  };
  Kind kind = Kind::Missing;
  int64_t integer = 0;  // Bool, Int
  double real = 0;      // Double; the imaginary part of a Complex
  std::string_view text{};
  IntArrayRef integers{};
  ArrayRef<double> reals{};
  ArrayRef<bool> bools{};
};

struct Argument {
  std::string_view name;
  SchemaType type{};
  AliasInfo alias{};
  bool kwarg_only = false;
  bool is_out = false;  // a keyword-only argument that is written
  DefaultValue default_value{};

  constexpr bool has_default() const { return default_value.kind != DefaultValue::Kind::Missing; }
};

struct FunctionSchema {
  std::string_view name;           // "aten::add"
  std::string_view overload_name;  // "Tensor"; "" for the default overload
  ArrayRef<Argument> arguments{};
  ArrayRef<Argument> returns{};
  bool is_vararg = false;
  bool is_varret = false;

  // "add" of "aten::add".
  std::string_view base_name() const {
    return name.substr(name.find("::") == name.npos ? 0 : name.find("::") + 2);
  }
  std::string_view namespace_name() const {
    return name.substr(0, name.find("::") == name.npos ? 0 : name.find("::"));
  }
  // Whether any argument is written.
  bool is_mutable() const;
  // -1 where there is none of that name.
  int argument_index(std::string_view argument_name) const;
};

// "aten::add.Tensor", without the dot for the default overload.
TSC_API std::string qualified_name(const FunctionSchema& schema);
TSC_API std::string to_string(const FunctionSchema& schema);
TSC_API std::string to_string(const SchemaType& type);
TSC_API std::string to_string(const Argument& argument);
TSC_API std::string_view to_string(TypeKind kind);

// The default as a value that can be pushed. The argument has one.
TSC_API IValue default_ivalue(const Argument& argument);

// Whether `value` can be passed for `type` as it is (an int for a float, a number for a Scalar,
// ...).
TSC_API bool accepts(const SchemaType& type, const IValue& value);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::FunctionSchema> : tsc::TextFormatter<tsc::FunctionSchema> {};
