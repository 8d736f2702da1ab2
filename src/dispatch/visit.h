// visit(): what a value is, by overloads. It holds the one switch over all tags for callers that
// treat some kinds of values by themselves and the others alike.
//
//   return visit(value, Overloaded{[](int64_t number) { return fmt::format("{}", number); },
//                                  [](const Tensor&) { return std::string("a tensor"); },
//                                  [](const auto&) { return std::string(); }});  // all others
#pragma once

#include "dispatch/ivalue.h"

namespace tsc {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// Calls `visitor` with what `value` holds: bool, int64_t, double, std::complex<double>,
// std::string_view, an enumerator, a Device, a Tensor, a Generator, the object of a list or tuple.
// None and what only the language has are the IValue itself.
template <class Visitor>
decltype(auto) visit(const IValue& value, Visitor&& visitor) {
  switch (value.tag()) {
    case Tag::Bool: return visitor(value.as_bool());
    case Tag::Int: return visitor(value.as_int());
    case Tag::Double: return visitor(value.as_double());
    case Tag::Device: return visitor(value.as_device());
    case Tag::ScalarType: return visitor(value.as_scalar_type());
    case Tag::Layout: return visitor(value.as_layout());
    case Tag::MemoryFormat: return visitor(value.as_memory_format());
    case Tag::Tensor: return visitor(value.as_tensor());
    case Tag::Generator: return visitor(value.as_generator());
    case Tag::String: return visitor(value.as_string());
    case Tag::ComplexDouble: return visitor(value.as_complex());
    case Tag::IntList: return visitor(*value.as_int_list());
    case Tag::DoubleList: return visitor(*value.as_double_list());
    case Tag::BoolList: return visitor(*value.as_bool_list());
    case Tag::TensorList: return visitor(*value.as_tensor_list());
    case Tag::List: return visitor(*value.as_list());
    case Tag::Tuple: return visitor(*value.as_tuple());
    case Tag::None:
    case Tag::Dict:
    case Tag::Function:
    case Tag::Object: break;
  }
  return visitor(value);
}

// The items of a list of any kind, or of a tuple; nullopt for a value that is none.
std::optional<std::vector<IValue>> items_of_list(const IValue& value);

}  // namespace tsc
