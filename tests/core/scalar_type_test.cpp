#include "core/scalar_type.h"

#include <doctest/doctest.h>

#include <sstream>

namespace {

using namespace tsc;

constexpr ScalarType kTypes[] = {
    ScalarType::Byte,         ScalarType::Char,          ScalarType::Short, ScalarType::Int,
    ScalarType::Long,         ScalarType::Half,          ScalarType::Float, ScalarType::Double,
    ScalarType::ComplexFloat, ScalarType::ComplexDouble, ScalarType::Bool,  ScalarType::BFloat16};
constexpr size_t kNumTypes = std::size(kTypes);

// torch.promote_types(row, column), in the order of kTypes.
constexpr const char* kPromoted[] = {
    "u8 i16 i16 i32 i64 f16 f32 f64 c64 c128 u8 bf16",
    "i16 i8 i16 i32 i64 f16 f32 f64 c64 c128 i8 bf16",
    "i16 i16 i16 i32 i64 f16 f32 f64 c64 c128 i16 bf16",
    "i32 i32 i32 i32 i64 f16 f32 f64 c64 c128 i32 bf16",
    "i64 i64 i64 i64 i64 f16 f32 f64 c64 c128 i64 bf16",
    "f16 f16 f16 f16 f16 f16 f32 f64 c64 c128 f16 f32",
    "f32 f32 f32 f32 f32 f32 f32 f64 c64 c128 f32 f32",
    "f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 f64 f64",
    "c64 c64 c64 c64 c64 c64 c64 c128 c64 c128 c64 c64",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
    "u8 i8 i16 i32 i64 f16 f32 f64 c64 c128 b8 bf16",
    "bf16 bf16 bf16 bf16 bf16 f32 f32 f64 c64 c128 bf16 bf16",
};

// torch.can_cast(row, column).
constexpr const char* kCastable[] = {
    "yyyyyyyyyy-y", "yyyyyyyyyy-y", "yyyyyyyyyy-y", "yyyyyyyyyy-y", "yyyyyyyyyy-y", "-----yyyyy-y",
    "-----yyyyy-y", "-----yyyyy-y", "--------yy--", "--------yy--", "yyyyyyyyyyyy", "-----yyyyy-y",
};

}  // namespace

TEST_CASE("types promote as PyTorch's do") {
  for (size_t i = 0; i < kNumTypes; i++) {
    std::istringstream row(kPromoted[i]);
    for (const ScalarType other : kTypes) {
      std::string name;
      row >> name;
      CAPTURE(kTypes[i]);
      CAPTURE(other);
      CHECK(short_name(promote_types(kTypes[i], other)) == name);
    }
  }
}

TEST_CASE("quantized types promote with themselves only") {
  CHECK(promote_types(ScalarType::QInt8, ScalarType::QInt8) == ScalarType::QInt8);
  CHECK_THROWS_AS(promote_types(ScalarType::QInt8, ScalarType::Float), Error);
  CHECK_THROWS_AS(promote_types(ScalarType::Long, ScalarType::QUInt8), Error);
}

TEST_CASE("a result may be written where PyTorch writes it") {
  for (size_t i = 0; i < kNumTypes; i++) {
    for (size_t j = 0; j < kNumTypes; j++) {
      CAPTURE(kTypes[i]);
      CAPTURE(kTypes[j]);
      CHECK(can_cast(kTypes[i], kTypes[j]) == (kCastable[i][j] == 'y'));
    }
  }
}

TEST_CASE("a type has its size, names and number") {
#define TSC_CHECK_ROW(cpp_type, name, python, letters, number) \
  CHECK(element_size(ScalarType::name) == sizeof(cpp_type));   \
  CHECK(to_string(ScalarType::name) == #name);                 \
  CHECK(python_name(ScalarType::name) == #python);             \
  CHECK(short_name(ScalarType::name) == #letters);             \
  CHECK(static_cast<int>(ScalarType::name) == (number));
  TSC_FORALL_SCALAR_TYPES(TSC_CHECK_ROW)
  TSC_FORALL_QUANTIZED_TYPES(TSC_CHECK_ROW)
#undef TSC_CHECK_ROW
  CHECK(element_size(ScalarType::Undefined) == 0);
  CHECK(to_string(ScalarType::Undefined) == "Undefined");
}

TEST_CASE("each type is of one kind") {
  for (const ScalarType type : kTypes) {
    CAPTURE(type);
    CHECK(is_complex(type) + is_floating_point(type) + is_integral(type, true) == 1);
    CHECK_FALSE(is_quantized(type));
    CHECK(to_stored_type(type) == type);
    CHECK((mantissa_digits(type) > 0) == is_floating_point(type));
    CHECK(is_complex(to_complex_type(type)));
    CHECK_FALSE(is_complex(to_real_value_type(type)));
  }
  CHECK(is_integral(ScalarType::Bool, true));
  CHECK_FALSE(is_integral(ScalarType::Bool, false));
  CHECK(to_complex_type(ScalarType::Double) == ScalarType::ComplexDouble);
  CHECK(to_complex_type(ScalarType::Half) == ScalarType::ComplexFloat);
  CHECK(to_real_value_type(ScalarType::ComplexDouble) == ScalarType::Double);
  CHECK(to_stored_type(ScalarType::QUInt8) == ScalarType::Byte);
  CHECK(to_stored_type(ScalarType::QInt32) == ScalarType::Int);
}

TEST_CASE("the default dtype is a floating one, and its complex type follows") {
  CHECK(default_dtype() == ScalarType::Float);
  CHECK(default_complex_dtype() == ScalarType::ComplexFloat);
  set_default_dtype(ScalarType::Double);
  CHECK(default_dtype() == ScalarType::Double);
  CHECK(default_complex_dtype() == ScalarType::ComplexDouble);
  CHECK_THROWS_AS(set_default_dtype(ScalarType::Long), Error);
  CHECK(default_dtype() == ScalarType::Double);
  set_default_dtype(ScalarType::Float);
}
