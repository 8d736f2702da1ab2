#include "dispatch/boxing.h"

namespace tsc {

namespace detail {

void throw_unbox_error(const char* expected, const IValue& value) {
  throw_error(ErrorKind::TypeError, "expected a value of type '{}' but found type '{}'", expected,
              type_name_for_messages(value));
}

int64_t unbox_int(const IValue& value) {
  if (TSC_LIKELY(value.is_int())) {
    return value.as_int();
  }
  if (value.is_bool()) {
    return value.as_bool() ? 1 : 0;
  }
  throw_unbox_error("int", value);
}

double unbox_double(const IValue& value) {
  if (TSC_LIKELY(value.is_double())) {
    return value.as_double();
  }
  if (value.is_int()) {
    return static_cast<double>(value.as_int());
  }
  if (value.is_bool()) {
    return value.as_bool() ? 1 : 0;
  }
  throw_unbox_error("float", value);
}

TensorList unbox_tensor_list(const IValue& value) {
  if (value.is_list()) {
    const auto& items = value.as_list()->items;
    return items.empty() ? TensorList()
                         : TensorList(&items[0].as_tensor(), items.size(), sizeof(IValue));
  }
  if (value.is_tuple()) {
    const TupleObject* tuple = value.as_tuple();
    return tuple->size() == 0 ? TensorList()
                              : TensorList(&(*tuple)[0].as_tensor(), tuple->size(), sizeof(IValue));
  }
  if (value.tag() == Tag::TensorList) {
    return TensorList(value.as_tensor_list()->values);
  }
  throw_unbox_error("Tensor[]", value);
}

namespace {

// Calls f for each item of a list or tuple, or once for a value that stands for a list of one.
template <class F>
void for_each_item(const IValue& value, F f) {
  if (value.is_list()) {
    for (const IValue& item : value.as_list()->items) {
      f(item);
    }
  } else if (value.is_tuple()) {
    for (const IValue& item : *value.as_tuple()) {
      f(item);
    }
  } else {
    f(value);
  }
}

}  // namespace

void unbox_list(const IValue& value, ListHolder<int64_t>& holder) {
  if (TSC_LIKELY(value.tag() == Tag::IntList)) {
    holder.view = value.as_int_list()->values;
    return;
  }
  for_each_item(value, [&](const IValue& item) { holder.owned.push_back(unbox_int(item)); });
  holder.view = holder.owned;
}

void unbox_list(const IValue& value, ListHolder<double>& holder) {
  if (value.tag() == Tag::DoubleList) {
    holder.view = value.as_double_list()->values;
    return;
  }
  if (value.tag() == Tag::IntList) {
    for (const int64_t item : value.as_int_list()->values) {
      holder.owned.push_back(static_cast<double>(item));
    }
  } else {
    for_each_item(value, [&](const IValue& item) { holder.owned.push_back(unbox_double(item)); });
  }
  holder.view = holder.owned;
}

void unbox_list(const IValue& value, ListHolder<bool>& holder) {
  if (value.tag() == Tag::BoolList) {
    holder.view = value.as_bool_list()->values;
    return;
  }
  for_each_item(value, [&](const IValue& item) { holder.owned.push_back(item.as_bool()); });
  holder.view = holder.owned;
}

ScalarListHolder unbox_scalar_list(const IValue& value) {
  ScalarListHolder holder;
  if (value.tag() == Tag::IntList) {
    for (const int64_t item : value.as_int_list()->values) {
      holder.owned.emplace_back(item);
    }
  } else if (value.tag() == Tag::DoubleList) {
    for (const double item : value.as_double_list()->values) {
      holder.owned.emplace_back(item);
    }
  } else {
    for_each_item(value, [&](const IValue& item) { holder.owned.push_back(item.to_scalar()); });
  }
  return holder;
}

}  // namespace detail

namespace {

bool fits(const CppType& cpp, const SchemaType& schema) {
  if (cpp.is_list != schema.is_list) {
    return false;
  }
  // A generator handle serves both forms; otherwise optional goes with optional.
  if (cpp.kinds[0] != TypeKind::Generator && cpp.is_optional != schema.is_optional) {
    return false;
  }
  for (size_t i = 0; i < cpp.num_kinds; i++) {
    if (cpp.kinds[i] == schema.kind) {
      return true;
    }
  }
  return false;
}

std::string list_of(const CppType* const* types, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i++) {
    text += i == 0 ? "" : ", ";
    text += types[i]->text;
  }
  return text;
}

std::string list_of(ArrayRef<Argument> arguments) {
  std::string text;
  for (size_t i = 0; i < arguments.size(); i++) {
    text += i == 0 ? "" : ", ";
    text += to_string(arguments[i].type);
  }
  return text;
}

}  // namespace

bool same_signature(const CppSignature& a, const CppSignature& b) {
  return &a == &b || (a.num_parameters == b.num_parameters && a.num_results == b.num_results &&
                      std::equal(a.parameters, a.parameters + a.num_parameters, b.parameters) &&
                      std::equal(a.results, a.results + a.num_results, b.results));
}

std::string to_string(const CppSignature& signature) {
  return fmt::format("({}) -> ({})", list_of(signature.parameters, signature.num_parameters),
                     list_of(signature.results, signature.num_results));
}

void check_signature(const CppSignature& signature, const FunctionSchema& schema, const char* file,
                     int line) {
  bool good = signature.num_parameters == schema.arguments.size() &&
              signature.num_results == schema.returns.size();
  for (size_t i = 0; good && i < schema.arguments.size(); i++) {
    good = fits(*signature.parameters[i], schema.arguments[i].type);
  }
  for (size_t i = 0; good && i < schema.returns.size(); i++) {
    good = fits(*signature.results[i], schema.returns[i].type);
  }
  TSC_CHECK(good,
            "the kernel's C++ signature does not match the schema of {}\n"
            "  schema: ({}) -> ({})\n"
            "  kernel: {}\n"
            "  registered at {}:{}",
            qualified_name(schema), list_of(schema.arguments), list_of(schema.returns),
            to_string(signature), file, line);
}

}  // namespace tsc
