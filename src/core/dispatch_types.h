// From a dtype at run time to a C++ type at compile time: `dispatch_all_types(dtype, "op", []<class
// T>() { ... })`.
#pragma once

#include <complex>
#include <utility>

#include "core/scalar_type.h"

namespace tsc {

// `"OP" not implemented for 'TYPE'`: NotImplementedError, PyTorch's words.
[[noreturn]] TSC_API TSC_COLD void throw_dtype_not_implemented(const char* op, ScalarType type);

namespace detail {

template <bool Condition, class T, class F>
auto call_if(const char* op, F&& f) -> decltype(f.template operator()<float>()) {
  if constexpr (Condition) {
    return f.template operator()<T>();
  } else {
    throw_dtype_not_implemented(op, scalar_type_of<T>);
  }
}

template <bool Integers, bool Bool, bool Floats, bool Reduced, bool Complex, class F>
auto dispatch(ScalarType type, const char* op, F&& f) -> decltype(f.template operator()<float>()) {
  switch (type) {
    case ScalarType::Byte: return call_if<Integers, uint8_t>(op, f);
    case ScalarType::Char: return call_if<Integers, int8_t>(op, f);
    case ScalarType::Short: return call_if<Integers, int16_t>(op, f);
    case ScalarType::Int: return call_if<Integers, int32_t>(op, f);
    case ScalarType::Long: return call_if<Integers, int64_t>(op, f);
    case ScalarType::Bool: return call_if<Bool, bool>(op, f);
    case ScalarType::Half: return call_if<Reduced, Half>(op, f);
    case ScalarType::BFloat16: return call_if<Reduced, BFloat16>(op, f);
    case ScalarType::Float: return call_if<Floats, float>(op, f);
    case ScalarType::Double: return call_if<Floats, double>(op, f);
    case ScalarType::ComplexFloat: return call_if<Complex, std::complex<float>>(op, f);
    case ScalarType::ComplexDouble: return call_if<Complex, std::complex<double>>(op, f);
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  throw_dtype_not_implemented(op, type);
}

}  // namespace detail

template <class F>
auto dispatch_all_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<true, true, true, true, true>(type, op, std::forward<F>(f));
}
template <class F>
auto dispatch_real_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<true, true, true, true, false>(type, op, std::forward<F>(f));
}
template <class F>
auto dispatch_numeric_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<true, false, true, true, true>(type, op, std::forward<F>(f));
}
template <class F>
auto dispatch_integral_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<true, false, false, false, false>(type, op, std::forward<F>(f));
}
template <class F>
auto dispatch_floating_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<false, false, true, true, false>(type, op, std::forward<F>(f));
}
template <class F>
auto dispatch_floating_and_complex_types(ScalarType type, const char* op, F&& f) {
  return detail::dispatch<false, false, true, true, true>(type, op, std::forward<F>(f));
}

}  // namespace tsc
