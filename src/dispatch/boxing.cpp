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

// Calls f for each item of a list or tuple, or once for a single value that stands for a list.
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
  for_each_item(value, [&](const IValue& item) {
    if (!item.is_bool()) {
      throw_unbox_error("bool", item);
    }
    holder.owned.push_back(item.as_bool());
  });
  holder.view = holder.owned;
}

template <>
std::vector<Tensor> VectorOf<Tensor>::unbox(const IValue& value) {
  return unbox_tensor_list(value).vec();
}
template <>
std::vector<std::optional<Tensor>> VectorOf<std::optional<Tensor>>::unbox(const IValue& value) {
  std::vector<std::optional<Tensor>> items;
  for (const Tensor& tensor : unbox_tensor_list(value)) {
    items.push_back(tensor.defined() ? std::optional<Tensor>(tensor) : std::nullopt);
  }
  return items;
}
template <>
std::vector<int64_t> VectorOf<int64_t>::unbox(const IValue& value) {
  ListHolder<int64_t> holder;
  unbox_list(value, holder);
  return holder.view.vec();
}
template <>
std::vector<double> VectorOf<double>::unbox(const IValue& value) {
  ListHolder<double> holder;
  unbox_list(value, holder);
  return holder.view.vec();
}

void push_scalar_list(Stack& stack, ArrayRef<Scalar> scalars) {
  std::vector<IValue> items(scalars.begin(), scalars.end());
  stack.push(make_list(std::move(items)));
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
  // A generator handle serves both forms; for other types both must be optional, or neither.
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

// The schema type of a C++ type.
std::string schema_type(const CppType& cpp) {
  return fmt::format("{}{}{}", to_string(cpp.kinds[0]), cpp.is_list ? "[]" : "",
                     cpp.is_optional && cpp.kinds[0] != TypeKind::Generator ? "?" : "");
}

std::string inferred_list(const CppType* const* types, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; i++) {
    text += fmt::format("{}{} _{}", i == 0 ? "" : ", ", schema_type(*types[i]), i);
  }
  return text;
}

// Lines of a comparison, type beside type. Types that do not match are underlined.
struct AlignedSignatures {
  std::string schema;
  std::string kernel;
  std::string marks;

  void add(std::string_view text) {
    schema += text;
    kernel += text;
    marks.append(text.size(), ' ');
  }
  void add_types(ArrayRef<Argument> declared, const CppType* const* types, size_t count) {
    add("(");
    const size_t columns = std::max({declared.size(), count, size_t{1}});
    for (size_t i = 0; i < columns; i++) {
      const std::string wanted = i < declared.size() ? to_string(declared[i].type) : "";
      const std::string given = i < count ? types[i]->text : "";
      const bool good =
          i < declared.size() ? i < count && fits(*types[i], declared[i].type) : i >= count;
      schema += with_separator(wanted, i, declared.size());
      kernel += with_separator(given, i, count);
      marks += std::string(std::max(wanted.size(), given.size()), good ? ' ' : '^');
      pad();
      add(i + 1 < columns ? " " : "");
    }
  }

 private:
  static std::string with_separator(const std::string& type, size_t i, size_t count) {
    const char* const separator = i + 1 < count                         ? ","
                                  : i + 1 == std::max(count, size_t{1}) ? ")"
                                                                        : "";
    return type + separator;
  }
  void pad() {
    const size_t width = std::max({schema.size(), kernel.size(), marks.size()});
    for (std::string* line : {&schema, &kernel, &marks}) {
      line->resize(width, ' ');
    }
  }
};

}  // namespace

bool same_signature(const CppSignature& a, const CppSignature& b) {
  return &a == &b || (a.num_parameters == b.num_parameters && a.num_results == b.num_results &&
                      std::equal(a.parameters, a.parameters + a.num_parameters, b.parameters) &&
                      std::equal(a.results, a.results + a.num_results, b.results));
}

bool is_called_as_it_is(const CppSignature& signature, const FunctionSchema& schema) {
  for (size_t i = 0; i < signature.num_parameters; i++) {
    if (signature.parameters[i]->is_other) {
      return false;
    }
  }
  for (size_t i = 0; i < signature.num_results; i++) {
    const CppType& type = *signature.results[i];
    const bool is_tensor = type.kinds[0] == TypeKind::Tensor && !type.is_list;
    // What a kernel has written is the argument; what it has made is a value.
    if (type.is_other || (is_tensor && type.is_value == schema.returns[i].alias.is_write)) {
      return false;
    }
  }
  return true;
}

std::string inferred_schema(const CppSignature& signature) {
  const std::string results = inferred_list(signature.results, signature.num_results);
  return fmt::format("({}) -> {}", inferred_list(signature.parameters, signature.num_parameters),
                     signature.num_results == 1 ? results : "(" + results + ")");
}

void check_signature(const CppSignature& signature, const FunctionSchema& schema, const char* file,
                     int line) {
  const auto all_fit = [](const CppType* const* types, size_t count, ArrayRef<Argument> declared) {
    return count == declared.size() &&
           std::equal(declared.begin(), declared.end(), types,
                      [](const Argument& argument, const CppType* type) {
                        return fits(*type, argument.type);
                      });
  };
  if (all_fit(signature.parameters, signature.num_parameters, schema.arguments) &&
      all_fit(signature.results, signature.num_results, schema.returns)) {
    return;
  }
  AlignedSignatures lines;
  lines.add_types(schema.arguments, signature.parameters, signature.num_parameters);
  lines.add(" -> ");
  lines.add_types(schema.returns, signature.results, signature.num_results);
  for (std::string* text : {&lines.schema, &lines.kernel, &lines.marks}) {
    text->resize(text->find_last_not_of(' ') + 1);
  }
  throw_error(ErrorKind::RuntimeError,
              "the kernel's C++ signature does not match the schema of {}\n"
              "  schema: {}\n"
              "  kernel: {}\n"
              "          {}\n"
              "  registered at {}:{}",
              qualified_name(schema), lines.schema, lines.kernel, lines.marks, file, line);
}

}  // namespace tsc
