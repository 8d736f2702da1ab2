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
  _(None, NoneType)                \
  _(Quantizer, Quantizer)          \
  _(Capsule, Capsule)              \
  _(SymBool, SymBool)              \
  _(AnyEnum, AnyEnumType)          \
  _(AnyList, list)                 \
  _(Dict, Dict)                    \
  _(Tuple, Tuple)                  \
  _(Future, Future)                \
  _(Await, Await)                  \
  _(RRef, RRef)                    \
  _(Union, Union)                  \
  _(Variable, t)                   \
  _(Nested, nested)

enum class TypeKind : uint8_t {
#define TSC_DEFINE(name, text) name,
  TSC_FORALL_SCHEMA_TYPES(TSC_DEFINE)
#undef TSC_DEFINE
};

struct CompoundType;

// `Tensor`, `Tensor?`, `int[2]`, `int[]?`, `Tensor?[]`; with `compound`, also `Dict(str, int)[]`,
// `(int, Tensor)`, `int[][]`.
struct SchemaType {
  TypeKind kind = TypeKind::Tensor;
  bool is_list = false;
  bool is_optional = false;          // the outermost `?`
  bool element_is_optional = false;  // `Tensor?[]`
  int32_t list_size = -1;            // 2 in `int[2]`
  // What the kinds from Dict on are made of; null for the others.
  const CompoundType* compound = nullptr;

  friend bool operator==(const SchemaType& a, const SchemaType& b);
};

struct CompoundType {
  // The types between the brackets of Dict, Tuple, Future, Await, RRef and Union; of Nested, the
  // list or optional whose list it is: `int[]` of `int[][]`.
  ArrayRef<SchemaType> parts{};
  // Of a Variable, the word that stands for any type: `t`.
  std::string_view name{};

  friend bool operator==(const CompoundType&, const CompoundType&) = default;
};

inline bool operator==(const SchemaType& a, const SchemaType& b) {
  const bool same_parts =
      a.compound == b.compound ||
      (a.compound != nullptr && b.compound != nullptr && *a.compound == *b.compound);
  return a.kind == b.kind && a.is_list == b.is_list && a.is_optional == b.is_optional &&
         a.element_is_optional == b.element_is_optional && a.list_size == b.list_size && same_parts;
}

// `(a!)`: before and after are the letters on the two sides of `->`, with `|` between them ("*" for
// the wildcard).
struct AliasInfo {
  std::string_view before;
  std::string_view after;
  bool is_write = false;
  bool is_present = false;
  // `Tensor[](a)`: behind the list, and not behind its elements' type.
  bool is_behind_list = false;
  // What stands behind the list as well: "(b)" in `Tensor(a)[](b)`.
  std::string_view of_list{};
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
    BoolList,
    ComplexList,
    Device
  };
  Kind kind = Kind::Missing;
  int64_t integer = 0;  // Bool, Int
  double real = 0;      // Double; the imaginary part of a Complex
  std::string_view text{};
  IntArrayRef integers{};
  ArrayRef<double> reals{};  // DoubleList; the imaginary parts of a ComplexList
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
