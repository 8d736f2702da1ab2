#include "ops/structured/type_names.h"

namespace tsc {

std::string_view cpp_type_name(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: return "unsigned char";
    case ScalarType::Char: return "signed char";
    case ScalarType::Short: return "short int";
    case ScalarType::Int: return "int";
    case ScalarType::Long: return "long int";
    case ScalarType::Half: return "c10::Half";
    case ScalarType::Float: return "float";
    case ScalarType::Double: return "double";
    case ScalarType::ComplexFloat: return "c10::complex<float>";
    case ScalarType::ComplexDouble: return "c10::complex<double>";
    case ScalarType::Bool: return "bool";
    case ScalarType::BFloat16: return "c10::BFloat16";
    case ScalarType::QInt8: return "c10::qint8";
    case ScalarType::QUInt8: return "c10::quint8";
    case ScalarType::QInt32: return "c10::qint32";
    case ScalarType::Undefined: break;
  }
  return "nullptr (uninitialized)";
}

void check_out_dtype(ScalarType dtype, const Tensor& out) {
  TSC_CHECK(out.dtype() == dtype, "Expected out tensor to have dtype {}, but got {} instead",
            cpp_type_name(dtype), cpp_type_name(out.dtype()));
}

void check_found_dtype(ScalarType found, ScalarType expected) {
  TSC_CHECK(found == expected, "Found dtype {} but expected {}", found, expected);
}

std::string legacy_type_name(const Tensor& tensor) {
  const ScalarType dtype = tensor.dtype();
  const bool had_class =
      !is_complex(dtype) && dtype != ScalarType::Bool && dtype != ScalarType::BFloat16;
  if (tensor.device().is_cpu() && had_class) {
    return fmt::format("torch.{}Tensor", dtype);
  }
  const std::string_view device = tensor.is_meta() ? "Meta" : tensor.is_cpu() ? "CPU" : "CUDA";
  return fmt::format("{}{}Type", device, dtype);
}

}  // namespace tsc
