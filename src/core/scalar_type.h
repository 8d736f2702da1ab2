// ScalarType: the type of a tensor's elements, and type promotion.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/bfloat16.h"
#include "core/error.h"
#include "core/half.h"
#include "core/macros.h"
#include "core/text/text_formatter.h"

namespace tsc {

// One row a dtype that tensors can have: the C++ type, the name in C++ and messages, the name in
// scripts, the short name in footers and traces, and PyTorch's number for it (files, schemas and
// scripts show the number).
#define TSC_FORALL_SCALAR_TYPES(_)                             \
  _(uint8_t, Byte, uint8, u8, 0)                               \
  _(int8_t, Char, int8, i8, 1)                                 \
  _(int16_t, Short, int16, i16, 2)                             \
  _(int32_t, Int, int32, i32, 3)                               \
  _(int64_t, Long, int64, i64, 4)                              \
  _(::tsc::Half, Half, float16, f16, 5)                        \
  _(float, Float, float32, f32, 6)                             \
  _(double, Double, float64, f64, 7)                           \
  _(std::complex<float>, ComplexFloat, complex64, c64, 9)      \
  _(std::complex<double>, ComplexDouble, complex128, c128, 10) \
  _(bool, Bool, bool, b8, 11)                                  \
  _(::tsc::BFloat16, BFloat16, bfloat16, bf16, 15)

// Quantized types: integers that stand for floats by a tensor's scale and zero point. The C++ type
// is that of the stored integer. No arithmetic is done in them, so they are not rows of the table
// above.
#define TSC_FORALL_QUANTIZED_TYPES(_) \
  _(int8_t, QInt8, qint8, qi8, 12)    \
  _(uint8_t, QUInt8, quint8, qu8, 13) \
  _(int32_t, QInt32, qint32, qi32, 14)

enum class ScalarType : int8_t {
#define TSC_DEFINE_TYPE(cpp_type, name, python_name, short_name, number) name = number,
  TSC_FORALL_SCALAR_TYPES(TSC_DEFINE_TYPE) TSC_FORALL_QUANTIZED_TYPES(TSC_DEFINE_TYPE)
#undef TSC_DEFINE_TYPE
      Undefined = 16,
};

template <class T>
struct ScalarTypeOf;
#define TSC_TYPE_OF(cpp_type, name, python_name, short_name, number) \
  template <>                                                        \
  struct ScalarTypeOf<cpp_type> {                                    \
    static constexpr ScalarType value = ScalarType::name;            \
  };
TSC_FORALL_SCALAR_TYPES(TSC_TYPE_OF)
#undef TSC_TYPE_OF
template <class T>
inline constexpr ScalarType scalar_type_of = ScalarTypeOf<T>::value;

namespace detail {
// Not within the function, where each call would fill a table of its own.
inline constexpr auto kElementSizes = [] {
  std::array<uint8_t, static_cast<size_t>(ScalarType::Undefined) + 1> sizes{};
#define TSC_SIZE_OF(cpp_type, name, python_name, short_name, number) \
  sizes[number] = static_cast<uint8_t>(sizeof(cpp_type));
  TSC_FORALL_SCALAR_TYPES(TSC_SIZE_OF)
  TSC_FORALL_QUANTIZED_TYPES(TSC_SIZE_OF)
#undef TSC_SIZE_OF
  sizes[8] = 4;  // PyTorch's complex32, which files may name and no tensor has
  return sizes;
}();
}  // namespace detail

// Bytes of one element; 0 for Undefined.
constexpr size_t element_size(ScalarType type) {
  return detail::kElementSizes[static_cast<size_t>(type)];
}

constexpr bool is_complex(ScalarType type) {
  return type == ScalarType::ComplexFloat || type == ScalarType::ComplexDouble;
}
// Real floating-point types: float16, bfloat16, float32 and float64.
constexpr bool is_floating_point(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::Float || type == ScalarType::Double ||
         type == ScalarType::BFloat16;
}
// int8 to int64 and uint8; bool where `include_bool`.
constexpr bool is_integral(ScalarType type, bool include_bool) {
  return static_cast<int8_t>(type) <= 4 || (include_bool && type == ScalarType::Bool);
}
constexpr bool is_quantized(ScalarType type) {
  return type >= ScalarType::QInt8 && type <= ScalarType::QInt32;
}
// The integer type that a quantized one is stored as; others unchanged.
constexpr ScalarType to_stored_type(ScalarType type) {
  return type == ScalarType::QInt8    ? ScalarType::Char
         : type == ScalarType::QUInt8 ? ScalarType::Byte
         : type == ScalarType::QInt32 ? ScalarType::Int
                                      : type;
}
// float16 and bfloat16, whose arithmetic happens in float32.
constexpr bool is_reduced_floating_point(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16;
}
constexpr bool is_signed(ScalarType type) {
  return type != ScalarType::Byte && type != ScalarType::Bool;
}
// Bits of a floating-point type's significand, the hidden one included; 0 for others.
constexpr int mantissa_digits(ScalarType type) {
  return type == ScalarType::Half       ? 11
         : type == ScalarType::BFloat16 ? 8
         : type == ScalarType::Float    ? 24
         : type == ScalarType::Double   ? 53
                                        : 0;
}
// complex64 -> float32, complex128 -> float64, others unchanged.
constexpr ScalarType to_real_value_type(ScalarType type) {
  return type == ScalarType::ComplexFloat    ? ScalarType::Float
         : type == ScalarType::ComplexDouble ? ScalarType::Double
                                             : type;
}
// float64 -> complex128, float16 has no complex relative of its own here and becomes complex64.
constexpr ScalarType to_complex_type(ScalarType type) {
  return type == ScalarType::Double || type == ScalarType::ComplexDouble ? ScalarType::ComplexDouble
                                                                         : ScalarType::ComplexFloat;
}

// "Float", as C++ messages and PyTorch's errors print it.
TSC_API std::string_view to_string(ScalarType type);
// "float32", as scripts print it after "torch.".
TSC_API std::string_view python_name(ScalarType type);
// "f32".
TSC_API std::string_view short_name(ScalarType type);

// The smallest type that both can be cast to, by PyTorch's promotion table.
TSC_API ScalarType promote_types(ScalarType a, ScalarType b);
// Whether a result of type `from` may be written into `to`: never complex to real, float to
// integer, or number to bool.
TSC_API bool can_cast(ScalarType from, ScalarType to);

// Float unless set_default_dtype changed it.
TSC_API ScalarType default_dtype();
TSC_API void set_default_dtype(ScalarType type);
// The complex type whose parts are of the default dtype.
inline ScalarType default_complex_dtype() { return to_complex_type(default_dtype()); }

}  // namespace tsc

template <>
struct fmt::formatter<tsc::ScalarType> : tsc::TextFormatter<tsc::ScalarType> {};
