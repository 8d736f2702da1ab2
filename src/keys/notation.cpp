#include "keys/notation.h"

#include "core/number_format.h"

namespace tsc::keys {

namespace {

std::string tensor_notation(const Tensor& tensor) {
  if (!tensor.defined()) {
    return "None";
  }
  std::string text(short_name(tensor.dtype()));
  text += to_string(tensor.sizes());
  if (!tensor.is_cpu()) {
    text += fmt::format(" {}", to_string(tensor.device()));
  }
  return text;
}

template <class Values, class Write>
std::string list_notation(const Values& values, Write write) {
  std::string text = "[";
  bool first = true;
  for (const auto& value : values) {
    text += first ? "" : ", ";
    first = false;
    text += write(value);
  }
  return text + "]";
}

}  // namespace

std::string value_notation(const IValue& value) {
  switch (value.tag()) {
    case Tag::None: return "None";
    case Tag::Bool: return value.as_bool() ? "True" : "False";
    case Tag::Int: return fmt::format("{}", value.as_int());
    case Tag::Double: return format_double(value.as_double());
    case Tag::ComplexDouble: return format_complex(value.as_complex());
    case Tag::Device: return to_string(value.as_device());
    case Tag::ScalarType: return std::string(short_name(value.as_scalar_type()));
    case Tag::Layout: return std::string(to_string(value.as_layout()));
    case Tag::MemoryFormat: return std::string(to_string(value.as_memory_format()));
    case Tag::Tensor: return tensor_notation(value.as_tensor());
    case Tag::Generator: return "generator";
    case Tag::String: return fmt::format("'{}'", value.as_string());
    case Tag::IntList: return to_string(IntArrayRef(value.as_int_list()->values));
    case Tag::DoubleList:
      return list_notation(value.as_double_list()->values,
                           [](double item) { return format_double(item); });
    case Tag::BoolList:
      return list_notation(value.as_bool_list()->values,
                           [](bool item) { return std::string(item ? "True" : "False"); });
    case Tag::TensorList: return list_notation(value.as_tensor_list()->values, tensor_notation);
    case Tag::List: return list_notation(value.as_list()->items, value_notation);
    case Tag::Tuple: return list_notation(*value.as_tuple(), value_notation);
    case Tag::Dict:
    case Tag::Function:
    case Tag::Object: break;
  }
  return std::string(to_string(value.tag()));
}

}  // namespace tsc::keys
