// Slots under their Python names: `x.__len__()`, hasattr(x, "__iter__").
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"
#include "interp/runtime/text/text.h"

namespace tsc::interp {

namespace {

bool always(const Type&) { return true; }
bool has_numbers(const Type& type) {
  return &type == &kIntType || &type == &kBoolType || &type == &kFloatType ||
         &type == &kComplexType;
}
bool has_binary(const Type& type) { return type.binary != nullptr || has_numbers(type); }
bool has_compare(const Type& type) {
  return type.compare != nullptr || has_numbers(type) || &type == &kStringType;
}

template <BinaryOp op>
IValue binary_method(Interpreter&, Arguments& arguments) {
  return binary_op(op, arguments[0], arguments[1]);
}
template <BinaryOp op>
IValue reflected_method(Interpreter&, Arguments& arguments) {
  return binary_op(op, arguments[1], arguments[0]);
}
template <CompareOp op>
IValue compare_method(Interpreter&, Arguments& arguments) {
  return compare_op(op, arguments[0], arguments[1]);
}
template <UnaryOp op>
IValue unary_method(Interpreter&, Arguments& arguments) {
  return unary_op(op, arguments[0]);
}

IValue method_bool(Interpreter&, Arguments& arguments) { return is_true(arguments[0]); }
IValue method_contains(Interpreter&, Arguments& arguments) {
  return contains(arguments[0], arguments[1]);
}
IValue method_delitem(Interpreter&, Arguments& arguments) {
  delete_item(arguments[0], arguments[1]);
  return {};
}
IValue method_dir(Interpreter&, Arguments& arguments) {
  const std::vector<std::string> names = list_attributes(arguments[0]);
  return make_list({names.begin(), names.end()});
}
IValue method_format(Interpreter&, Arguments& arguments) {
  std::string out;
  append_format(arguments[0], to_text(arguments[1], "__format__", 1), out);
  return make_string(out);
}
IValue method_getitem(Interpreter&, Arguments& arguments) {
  return get_item(arguments[0], arguments[1]);
}
IValue method_hash(Interpreter&, Arguments& arguments) { return hash_of(arguments[0]); }
IValue method_iter(Interpreter&, Arguments& arguments) { return get_iterator(arguments[0]); }
IValue method_len(Interpreter&, Arguments& arguments) { return length_of(arguments[0]); }
IValue method_next(Interpreter& interpreter, Arguments& arguments) {
  IValue item;
  return next_item(arguments[0], item) ? item : interpreter.raise(stop_iteration(std::move(item)));
}
IValue method_repr(Interpreter&, Arguments& arguments) { return make_string(repr(arguments[0])); }
IValue method_setitem(Interpreter&, Arguments& arguments) {
  set_item(arguments[0], arguments[1], arguments[2]);
  return {};
}
IValue method_str(Interpreter&, Arguments& arguments) { return str_value(arguments[0]); }
IValue method_call(Interpreter& interpreter, Arguments& arguments) {
  Arguments rest = arguments;
  rest.values++;
  rest.positional--;
  return type_of(arguments[0]).call(interpreter, arguments[0], rest);
}

struct DunderMethod {
  BuiltinDef def;
  bool (*has)(const Type& type);
};

#define TSC_HAS(slot) [](const Type& type) { return type.slot != nullptr; }
#define TSC_BINARY_METHODS(name, symbol, method)                                       \
  {{"__" method "__", binary_method<BinaryOp::name>, 1, 1, {}, "object"}, has_binary}, \
      {{"__r" method "__", reflected_method<BinaryOp::name>, 1, 1, {}, "object"}, has_binary},

constexpr DunderMethod kMethods[] = {
    TSC_FORALL_BINARY_OPS(TSC_BINARY_METHODS){
        {"__lt__", compare_method<CompareOp::Less>, 1, 1, {}, "object"}, has_compare},
    {{"__le__", compare_method<CompareOp::LessEqual>, 1, 1, {}, "object"}, has_compare},
    {{"__eq__", compare_method<CompareOp::Equal>, 1, 1, {}, "object"}, always},
    {{"__ne__", compare_method<CompareOp::NotEqual>, 1, 1, {}, "object"}, always},
    {{"__gt__", compare_method<CompareOp::Greater>, 1, 1, {}, "object"}, has_compare},
    {{"__ge__", compare_method<CompareOp::GreaterEqual>, 1, 1, {}, "object"}, has_compare},
    {{"__neg__", unary_method<UnaryOp::Negative>, 0, 0, {}, "object"}, has_numbers},
    {{"__pos__", unary_method<UnaryOp::Positive>, 0, 0, {}, "object"}, has_numbers},
    {{"__invert__", unary_method<UnaryOp::Invert>, 0, 0, {}, "object"}, has_numbers},
    {{"__bool__", method_bool, 0, 0, {}, "object"}, has_numbers},
    {{"__call__", method_call, 0, BuiltinDef::kAny, {}, "object", true}, TSC_HAS(call)},
    {{"__contains__", method_contains, 1, 1, {}, "object"}, TSC_HAS(contains)},
    {{"__delitem__", method_delitem, 1, 1, {}, "object"}, TSC_HAS(delete_item)},
    {{"__dir__", method_dir, 0, 0, {}, "object"}, always},
    {{"__format__", method_format, 1, 1, {}, "object"}, always},
    {{"__getitem__", method_getitem, 1, 1, {}, "object"}, TSC_HAS(get_item)},
    {{"__hash__", method_hash, 0, 0, {}, "object"},
     [](const Type& type) { return !type.unhashable; }},
    {{"__iter__", method_iter, 0, 0, {}, "object"}, TSC_HAS(iterate)},
    {{"__len__", method_len, 0, 0, {}, "object"}, TSC_HAS(length)},
    {{"__next__", method_next, 0, 0, {}, "object"}, TSC_HAS(next)},
    {{"__repr__", method_repr, 0, 0, {}, "object"}, always},
    {{"__setitem__", method_setitem, 2, 2, {}, "object"}, TSC_HAS(set_item)},
    {{"__str__", method_str, 0, 0, {}, "object"}, always},
};
#undef TSC_BINARY_METHODS
#undef TSC_HAS

bool is_dunder(std::string_view name) {
  return name.size() > 4 && name.starts_with("__") && name.ends_with("__");
}

}  // namespace

bool find_dunder_method(const IValue& object, std::string_view name, IValue& result) {
  if (!is_dunder(name)) {
    return false;
  }
  for (const DunderMethod& method : kMethods) {
    if (method.def.name == name && method.has(type_of(object))) {
      result = make_bound_method(method.def, object);
      return true;
    }
  }
  return false;
}

bool find_dunder_function(const Type& type, std::string_view name, IValue& result) {
  if (!is_dunder(name)) {
    return false;
  }
  for (const DunderMethod& method : kMethods) {
    if (method.def.name == name && method.has(type)) {
      result = make_method_descriptor(method.def, kObjectType);
      return true;
    }
  }
  return false;
}

void append_dunder_names(const Type& type, std::vector<std::string>& names) {
  names.emplace_back("__class__");
  names.emplace_back("__doc__");
  for (const DunderMethod& method : kMethods) {
    if (method.has(type)) {
      names.emplace_back(method.def.name);
    }
  }
}

}  // namespace tsc::interp
