#include "interp/torch/call/operator_call.h"

#include <algorithm>
#include <iterator>

#include "dispatch/static_operator.h"
#include "dispatch/visit.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"

namespace tsc::interp {

namespace {

// Enumerators are ints to PyTorch's matcher.
constexpr TypeKind kIntKinds[] = {TypeKind::ScalarType, TypeKind::Layout, TypeKind::MemoryFormat,
                                  TypeKind::SymInt};

std::string_view matcher_kind_text(TypeKind kind) {
  if (std::ranges::find(kIntKinds, kind) != std::end(kIntKinds)) {
    return "int";
  }
  return kind == TypeKind::Scalar ? "number" : to_string(kind);
}

// The element type of a list.
SchemaType element_of(const SchemaType& type) {
  SchemaType element;
  element.kind = type.kind;
  element.is_optional = type.element_is_optional;
  return element;
}

bool is_one_number(const IValue& value) {
  return value.is_tensor() && value.as_tensor().defined() && value.as_tensor().numel() == 1;
}

// Floats are accepted from tensors only; dtypes and layouts by their numbers.
bool to_int(const IValue& value, IValue& result) {
  if (value.is_int() || value.is_bool()) {
    result = to_index(value);
    return true;
  }
  if (!is_one_number(value)) {
    return false;
  }
  result = scalar_of_value(value).to_int();
  return true;
}

bool to_enumerator(const IValue& value, int64_t count, IValue& result) {
  if (!to_int(value, result)) {
    return false;
  }
  return result.as_int() >= 0 && result.as_int() < count;
}

bool number_of_type(const IValue& value, IValue& result) {
  if (value.tag() == Tag::ScalarType) {
    result = static_cast<int64_t>(value.as_scalar_type());
    return true;
  }
  if (value.tag() == Tag::Layout) {
    result = static_cast<int64_t>(value.as_layout());
    return true;
  }
  return false;
}

bool to_float(const IValue& value, IValue& result) {
  if (value.is_double() || value.is_int() || value.is_bool()) {
    result = to_double(value);
    return true;
  }
  if (!is_one_number(value)) {
    return false;
  }
  result = scalar_of_value(value).to_double();
  return true;
}

bool to_bool(const IValue& value, IValue& result) {
  if (!value.is_scalar() && !value.is_none() && !is_one_number(value) &&
      !is_object_of(value, kRangeType)) {
    return false;
  }
  result = is_true(value);
  return true;
}

bool to_complex(const IValue& value, IValue& result) {
  if (!value.is_scalar() && !is_one_number(value)) {
    return false;
  }
  result = scalar_of_value(value).to_complex();
  return true;
}

bool convert_one(TypeKind kind, const IValue& value, bool numbers_as_tensors, IValue& result) {
  result = value;
  switch (kind) {
    case TypeKind::Tensor:
      if (value.is_none() || value.is_tensor()) {
        return true;
      }
      if (!numbers_as_tensors || !value.is_scalar()) {
        return false;
      }
      result = convert(Conversion::WrapNumber, SchemaType{}, value);
      return true;
    case TypeKind::Int:
      if (value.tag() == Tag::MemoryFormat) {
        result = static_cast<int64_t>(value.as_memory_format());
        return true;
      }
      return number_of_type(value, result) || to_int(value, result);
    case TypeKind::SymInt: return to_int(value, result);
    case TypeKind::Float: return to_float(value, result);
    case TypeKind::Bool: return to_bool(value, result);
    case TypeKind::Scalar: return value.is_scalar() || number_of_type(value, result);
    case TypeKind::Complex: return to_complex(value, result);
    case TypeKind::String:
    case TypeKind::Dimname: return value.is_string();
    case TypeKind::ScalarType:
      if (value.tag() == Tag::ScalarType) {
        return true;
      }
      if (!to_enumerator(value, static_cast<int64_t>(ScalarType::Undefined), result)) {
        return false;
      }
      result = static_cast<ScalarType>(result.as_int());
      return true;
    case TypeKind::Layout: return value.tag() == Tag::Layout;
    case TypeKind::MemoryFormat:
      if (value.tag() == Tag::MemoryFormat) {
        return true;
      }
      if (!to_enumerator(value, static_cast<int64_t>(MemoryFormat::ChannelsLast3d) + 1, result)) {
        return false;
      }
      result = static_cast<MemoryFormat>(result.as_int());
      return true;
    case TypeKind::Device:
      if (value.is_string()) {
        result = device_of_value(value);
        return true;
      }
      return value.tag() == Tag::Device;
    case TypeKind::Generator: return value.is_none() || value.tag() == Tag::Generator;
    case TypeKind::Any: return true;
    case TypeKind::None: return value.is_none();
    case TypeKind::SymBool: return value.is_bool();
    case TypeKind::AnyList: return accepts(SchemaType{.kind = kind}, value);
    case TypeKind::QScheme:
    case TypeKind::StorageObject:
    case TypeKind::Stream:
    case TypeKind::Quantizer:
    case TypeKind::Capsule:
    case TypeKind::AnyEnum: return value.tag() == Tag::Object;
    // What is made of other types has been asked about as a whole.
    case TypeKind::Dict:
    case TypeKind::Tuple:
    case TypeKind::Future:
    case TypeKind::Await:
    case TypeKind::RRef:
    case TypeKind::Union:
    case TypeKind::Variable:
    case TypeKind::Nested: break;
  }
  return false;
}

// Whether a list can be made from the value: any sequence.
bool is_sequence_for(const SchemaType& type, const IValue& value) {
  if (value.is_list() || value.is_tuple() || value.tag() == Tag::IntList ||
      is_object_of(value, kRangeType)) {
    return true;
  }
  if (type.kind == TypeKind::String) {
    return value.is_string() || value.tag() == Tag::Dict;
  }
  // A tensor counts as the sequence of its parts for these two types only.
  if (!value.is_tensor() || !value.as_tensor().defined() || value.as_tensor().dim() == 0) {
    return false;
  }
  return type.kind == TypeKind::SymInt ||
         (type.kind == TypeKind::Tensor && type.element_is_optional);
}

// Lists of numbers are typed, so that a kernel reads them without a copy.
IValue pack_list(TypeKind kind, std::vector<IValue> items) {
  if (kind == TypeKind::Int || kind == TypeKind::SymInt) {
    DimVector ints;
    for (const IValue& item : items) {
      ints.push_back(item.as_int());
    }
    return IntArrayRef(ints);
  }
  if (kind == TypeKind::Float) {
    SmallVector<double, 4> reals;
    for (const IValue& item : items) {
      reals.push_back(item.as_double());
    }
    return ArrayRef<double>(reals);
  }
  return make_list(std::move(items));
}

// Whether one value stands for all of `int[2]` or `float[2]`; not for other lists, and an int is
// not accepted for floats.
bool stands_for_list(TypeKind kind, const IValue& value) {
  return kind == TypeKind::Int ? value.is_int() || value.is_bool()
                               : kind == TypeKind::Float && value.is_double();
}

bool convert_list(const SchemaType& type, const IValue& value, IValue& result) {
  if (type.kind == TypeKind::Dimname) {
    // A name for a list of one, and None for a dimension without: as calls of functions take them.
    result = value;
    return accepts(type, value);
  }
  const SchemaType element = element_of(type);
  std::vector<IValue> items;
  if (is_sequence_for(type, value)) {
    for (const IValue& item : items_of(value)) {
      IValue converted;
      const bool missing_tensor =
          item.is_none() && type.kind == TypeKind::Tensor && !type.element_is_optional;
      const bool not_an_index = type.kind == TypeKind::SymInt && item.is_tensor() &&
                                item.as_tensor().defined() &&
                                !is_integral(item.as_tensor().dtype(), true);
      if (missing_tensor || not_an_index || !convert_for_schema(element, item, false, converted)) {
        return false;
      }
      items.push_back(std::move(converted));
    }
  } else if (type.list_size > 0 && stands_for_list(type.kind, value)) {
    IValue converted;
    if (!convert_for_schema(element, value, false, converted)) {
      return false;
    }
    items.assign(static_cast<size_t>(type.list_size), converted);
  } else {
    return false;
  }
  result = pack_list(type.kind, std::move(items));
  return true;
}

// Whether a number may stand for a tensor.
bool takes_numbers_as_tensors(const OperatorHandle& op) {
  const StaticOperator* row = op.entry().row();
  return row != nullptr && row->numbers_as_tensors;
}

bool is_built_in(const FunctionSchema& schema) {
  const StaticOperator* row = find_static_operator(schema.name, schema.overload_name);
  return row != nullptr && row->schema == &schema;
}

// Which operators take a number for a tensor: a call's some, as their rows say; a redispatch's
// none.
enum class Numbers { ByRow, Never };

// One attempt to put the arguments of a call on the stack in the schema's order.
class SchemaMatcher {
 public:
  SchemaMatcher(OperatorHandle op, const Arguments& arguments, Numbers numbers = Numbers::ByRow)
      : schema_(op.schema()),
        arguments_(arguments),
        numbers_as_tensors_(numbers == Numbers::ByRow && takes_numbers_as_tensors(op)) {}

  // False, with the reason in `error`, where the schema does not accept the arguments; those pushed
  // before the failing one are then on the stack.
  bool push(Stack& stack, std::string& error) const {
    const ArrayRef<Argument> declared = schema_.arguments;
    if (arguments_.size() > declared.size()) {
      error = fmt::format(
          "{}() expected at most {} argument(s) but received {} argument(s). Declaration: {}",
          schema_.name, declared.size(), arguments_.size(), schema_);
      return false;
    }
    size_t by_keyword = 0;
    for (size_t i = 0; i < declared.size(); i++) {
      const IValue* given = nullptr;
      if (i < arguments_.positional) {
        if (declared[i].kwarg_only) {
          error = fmt::format(
              "{}() takes {} positional argument(s) but {} was/were given.  Declaration: {}",
              schema_.name, i, arguments_.positional, schema_);
          return false;
        }
        given = &arguments_[i];
      } else if (const IValue* value = keyword(declared[i].name)) {
        by_keyword++;
        given = value;
      }
      if (given == nullptr) {
        if (!declared[i].has_default()) {
          error = fmt::format("{}() is missing value for argument '{}'. Declaration: {}",
                              schema_.name, declared[i].name, schema_);
          return false;
        }
        stack.push(default_ivalue(declared[i]));
        continue;
      }
      IValue converted;
      if (!convert_for_schema(declared[i].type, *given, numbers_as_tensors_, converted)) {
        error = refusal(i, *given);
        return false;
      }
      stack.push(std::move(converted));
    }
    if (by_keyword != arguments_.keywords) {
      error = keyword_error();
      return false;
    }
    const auto missing = find_missing_tensor(schema_, declared, stack.last(declared.size()));
    TSC_CHECK(!missing.has_value(),
              "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument "
              "#{} '{}'",
              *missing, declared[*missing].name);
    return true;
  }

 private:
  const IValue* keyword(std::string_view name) const {
    for (size_t k = 0; k < arguments_.keywords; k++) {
      if (arguments_.names[k]->view() == name) {
        return &arguments_[arguments_.positional + k];
      }
    }
    return nullptr;
  }
  std::string refusal(size_t i, const IValue& value) const {
    return fmt::format(
        "{}() Expected a value of type '{}' for argument '{}' but instead found type '{}'.\n"
        "Position: {}\nValue: {}\nDeclaration: {}",
        schema_.name, matcher_type_text(schema_.arguments[i].type), schema_.arguments[i].name,
        type_name(value), i, repr(value), schema_);
  }
  std::string keyword_error() const {
    for (size_t k = 0; k < arguments_.keywords; k++) {
      const std::string_view name = arguments_.names[k]->view();
      if (schema_.argument_index(name) < 0) {
        return fmt::format("Unknown keyword argument '{}' for operator '{}'. Schema: {}", name,
                           schema_.name, schema_);
      }
      if (static_cast<size_t>(schema_.argument_index(name)) < arguments_.positional) {
        return fmt::format(
            "Argument '{}' specified both as positional and keyword argument. Schema: {}", name,
            schema_);
      }
    }
    return {};
  }

  const FunctionSchema& schema_;
  const Arguments& arguments_;
  bool numbers_as_tensors_;
};

// Takes the results that `run` left on the stack, and cuts the stack to its former height.
template <class Run>
IValue run_and_take(OperatorHandle op, Stack& stack, size_t height, const Run& run) {
  const StackHeight restored(stack, height);
  run();
  return take_operator_results(op.entry(), stack, height);
}

}  // namespace

std::string matcher_type_text(const SchemaType& type) {
  std::string text(matcher_kind_text(type.kind));
  if (type.kind == TypeKind::Variable) {
    text = type.compound->name;
  } else if (type.kind == TypeKind::Nested) {
    text = matcher_type_text(type.compound->parts[0]);
  } else if (type.compound != nullptr) {
    std::string parts;
    for (const SchemaType& part : type.compound->parts) {
      parts += (parts.empty() ? "" : ", ") + matcher_type_text(part);
    }
    text = fmt::format("{}[{}]", text, parts);
  }
  if (type.is_list) {
    text = fmt::format("List[{}]",
                       type.element_is_optional ? fmt::format("Optional[{}]", text) : text);
  }
  return type.is_optional ? fmt::format("Optional[{}]", text) : text;
}

bool convert_for_schema(const SchemaType& type, const IValue& value, bool numbers_as_tensors,
                        IValue& result) {
  if (value.is_none() && type.is_optional) {
    result = IValue();
    return true;
  }
  if (type.compound != nullptr) {
    result = value;
    return accepts(type, value);
  }
  return type.is_list ? convert_list(type, value, result)
                      : convert_one(type.kind, value, numbers_as_tensors, result);
}

std::optional<size_t> find_missing_tensor(const FunctionSchema& schema, ArrayRef<Argument> declared,
                                          const IValue* values) {
  for (size_t i = 0; i < declared.size(); i++) {
    const SchemaType& type = declared[i].type;
    if (values[i].is_none() && type.kind == TypeKind::Tensor && !type.is_optional &&
        !type.is_list && is_built_in(schema)) {
      return i;
    }
  }
  return std::nullopt;
}

IValue as_script_value(const IValue& value) {
  const auto without_undefined = [](const IValue& item) {
    return item.is_tensor() ? IValue(OptionalTensorRef(item.as_tensor())) : item;
  };
  std::optional<std::vector<IValue>> items = items_of_list(value);
  if (!items.has_value()) {
    return without_undefined(value);
  }
  std::transform(items->begin(), items->end(), items->begin(), without_undefined);
  return make_list(std::move(*items));
}

IValue take_operator_results(const OperatorEntry&, Stack& stack, size_t height) {
  const size_t count = stack.size() - height;
  if (count == 0) {
    return {};
  }
  std::vector<IValue> items(count);
  for (size_t i = count; i-- > 0;) {
    items[i] = as_script_value(stack.pop());
  }
  return count == 1 ? items[0] : make_tuple(std::move(items));
}

Arguments without_first(const Arguments& arguments, uint32_t count) {
  Arguments rest = arguments;
  rest.values += count;
  rest.positional -= count;
  return rest;
}

IValue call_operator(OperatorHandle op, const Arguments& arguments) {
  return call_first_operator(std::span<const OperatorHandle>(&op, 1), arguments);
}

IValue call_first_operator(std::span<const OperatorHandle> ops, const Arguments& arguments) {
  Stack& stack = Stack::current();
  const size_t height = stack.size();
  std::string errors;
  for (const OperatorHandle& op : ops) {
    std::string error;
    const StackHeight restored(stack);
    if (SchemaMatcher(op, arguments).push(stack, error)) {
      return run_and_take(op, stack, height, [&] { op.call_boxed(stack); });
    }
    errors += ops.size() == 1 ? error : error + "\n\n";
  }
  throw_error_text(ErrorKind::RuntimeError,
                   ops.size() == 1
                       ? errors
                       : "Overloaded torch operator invoked from Python failed to match any "
                         "schema:\n" +
                             errors);
}

namespace {

// Pushes the arguments, and returns the result of `run`.
template <class Run>
IValue match_and_run(OperatorHandle op, const Arguments& arguments, Numbers numbers,
                     const Run& run) {
  Stack& stack = Stack::current();
  return run_and_take(op, stack, stack.size(), [&] {
    std::string error;
    if (!SchemaMatcher(op, arguments, numbers).push(stack, error)) {
      throw_error_text(ErrorKind::RuntimeError, error);
    }
    run(stack);
  });
}

}  // namespace

IValue redispatch_operator(OperatorHandle op, DispatchKeySet keys, const Arguments& arguments) {
  return match_and_run(op, arguments, Numbers::Never,
                       [&](Stack& stack) { op.redispatch_boxed(keys, stack); });
}

IValue call_kernel(const KernelFunction& kernel, OperatorHandle op, DispatchKeySet keys,
                   const Arguments& arguments) {
  return match_and_run(op, arguments, Numbers::ByRow,
                       [&](Stack& stack) { kernel.call_boxed(op, keys, stack); });
}

}  // namespace tsc::interp
