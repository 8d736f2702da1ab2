#include <algorithm>

#include "interp/runtime/help.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"

namespace tsc::interp {

bool try_get_attribute(const IValue& object, std::string_view name, IValue& result) {
  const Type& type = type_of(object);
  if (const AttributeDef* attribute = find_attribute(type, name)) {
    result = attribute->get(object);
    return true;
  }
  if (type.get_attribute != nullptr && type.get_attribute(object, name, result)) {
    return true;
  }
  if (const BuiltinDef* method = find_method(type, name)) {
    result = make_bound_method(*method, object);
    return true;
  }
  if (const BuiltinDef* function = find_static_method(type, name)) {
    result = make_builtin(*function);
    return true;
  }
  if (type.get_rare_attribute != nullptr && type.get_rare_attribute(object, name, result)) {
    return true;
  }
  if (name == "__class__") {
    result = type_value(type);
    return true;
  }
  if (name == "__doc__") {
    result = documentation(object);
    return true;
  }
  return find_dunder_method(object, name, result);
}

IValue get_attribute(const IValue& object, std::string_view name) {
  IValue result;
  if (!try_get_attribute(object, name, result)) {
    throw_no_attribute(object, name);
  }
  return result;
}

namespace {

std::string no_attribute_text(const IValue& object, std::string_view name) {
  const Type& type = type_of(object);
  if (const Type* instance_type = as_type(object)) {
    return fmt::format("type object '{}' has no attribute '{}'", instance_type->name, name);
  }
  std::string message;
  if (type.no_attribute != nullptr) {
    type.no_attribute(object, name, message);
    return message;
  }
  return fmt::format("'{}' object has no attribute '{}'", type.name, name);
}

}  // namespace

// The exception holds the name and the object, from which a suggestion is made.
void throw_no_attribute(const IValue& object, std::string_view name) {
  IValue exception = make_exception(ErrorKind::AttributeError, no_attribute_text(object, name));
  set_attribute(exception, "name", IValue(name));
  set_attribute(exception, "obj", object);
  throw_exception(std::move(exception));
}

namespace {

void change_attribute(const IValue& object, std::string_view name, const IValue* value) {
  const Type& type = type_of(object);
  if (type.set_attribute != nullptr && type.set_attribute(object, name, value)) {
    return;
  }
  if (const Type* instance_type = as_type(object)) {
    throw_error(ErrorKind::TypeError, "cannot set '{}' attribute of immutable type '{}'", name,
                instance_type->name);
  }
  if (find_attribute(type, name) != nullptr) {
    throw_error(ErrorKind::AttributeError, "attribute '{}' of '{}' objects is not writable", name,
                type.name);
  }
  if (find_method(type, name) != nullptr) {
    throw_error(ErrorKind::AttributeError, "'{}' object attribute '{}' is read-only", type.name,
                name);
  }
  throw_no_attribute(object, name);
}

}  // namespace

void set_attribute(const IValue& object, std::string_view name, const IValue& value) {
  change_attribute(object, name, &value);
}

void delete_attribute(const IValue& object, std::string_view name) {
  change_attribute(object, name, nullptr);
}

std::vector<std::string> list_attributes(const IValue& object) {
  std::vector<std::string> names;
  const Type& object_type = type_of(object);
  if (object_type.list_attributes != nullptr) {
    object_type.list_attributes(object, names);
  }
  for (const Type* type = &object_type; type != nullptr; type = type->base) {
    for (const auto& row : type->methods) names.emplace_back(row.name);
    for (const auto& row : type->statics) names.emplace_back(row.name);
    for (const auto& row : type->attributes) names.emplace_back(row.name);
    if (type->list_dynamic_methods != nullptr) type->list_dynamic_methods(names);
  }
  append_dunder_names(object_type, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace tsc::interp
