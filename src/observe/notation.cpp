#include "observe/notation.h"

#include <bit>

#include <fmt/format.h>

#include "core/text/number_format.h"

namespace tsc::observe {

namespace {

// [2, 3], and with names [N=2, C=3].
std::string sizes_notation(const Tensor& tensor) {
  const DimnameList names = tensor.names();
  if (names.empty()) {
    return to_string(tensor.sizes());
  }
  std::string text;
  for (size_t i = 0; i < names.size(); i++) {
    text += fmt::format("{}{}{}{}", i == 0 ? "[" : ", ", names[i].text(),
                        names[i].is_wildcard() ? "" : "=", tensor.sizes()[i]);
  }
  return text + "]";
}

std::string tensor_notation(const Tensor& tensor) {
  if (!tensor.defined()) {
    return "None";
  }
  std::string text(short_name(tensor.dtype()));
  text += sizes_notation(tensor);
  const uint64_t backends = tensor.key_set().backends().bits();
  const auto shown = static_cast<DeviceType>(backends == 0 ? 0 : std::countr_zero(backends));
  if (shown != DeviceType::CPU) {
    text += fmt::format(" {}",
                        to_string(tensor.device().type == shown ? tensor.device() : Device(shown)));
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

std::vector<std::string_view> key_names(DispatchKeySet keys) {
  std::vector<std::string_view> names;
  if (!keys.backends().empty()) {
    keys.for_each([&](DispatchKey key) { names.push_back(to_string(key)); });
    return names;
  }
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    if (keys.has(functionality)) {
      names.push_back(is_per_backend(functionality)
                          ? short_name(functionality)
                          : to_string(runtime_key(functionality, Backend::CPU)));
    }
  }
  return names;
}

std::string key_list(DispatchKeySet keys) {
  const std::vector<std::string_view> names = key_names(keys);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string place_notation(std::string_view file, int line) {
  while (file.starts_with("../")) {
    file.remove_prefix(3);
  }
  return fmt::format("{}:{}", file, line);
}

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

}  // namespace tsc::observe
