#include "interp/runtime/objects/type.h"

#include <algorithm>
#include <unordered_map>

#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/runtime/objects/type_object.h"
#include "interp/runtime/objects/value_types.h"

namespace tsc::interp {

constinit const Type* const tag_types[] = {
    &kNoneType,       &kBoolType,    &kIntType,          &kFloatType,     &kDeviceType,
    &kScalarTypeType, &kLayoutType,  &kMemoryFormatType, &kTensorType,    &kGeneratorTagType,
    &kStringType,     &kComplexType, &kSizeType,         &kTypedListType, &kTypedListType,
    &kTypedListType,  &kListType,    &kTupleType,        &kDictType,      nullptr,
    nullptr,
};
static_assert(std::size(tag_types) == static_cast<size_t>(Tag::Object) + 1);

bool is_subtype(const Type& type, const Type& base) {
  for (const Type* step = &type; step != nullptr; step = step->base) {
    if (step == &base) {
      return true;
    }
  }
  return &base == &kObjectType;
}

namespace {

// Types as values, made at first use and kept for the life of the process.
std::unordered_map<const Type*, IValue>& type_values() {
  static auto* values = new std::unordered_map<const Type*, IValue>();
  return *values;
}

template <class Visit>
bool any_class(const IValue& classes, const char* message, const Visit& visit) {
  if (const Type* type = as_type(classes)) {
    return visit(*type);
  }
  const TupleObject* tuple = nullptr;
  if (classes.is_tuple()) {
    tuple = classes.as_tuple();
  } else if (is_object_of(classes, kUnionType)) {
    tuple = classes.as_object<UnionObject>()->members.as_tuple();
  } else {
    throw_error(ErrorKind::TypeError, "{}", message);
  }
  const RecursionGuard recursion("in a tuple of classes");
  return std::any_of(tuple->begin(), tuple->end(), [&](const IValue& item) {
    const bool is_member_of_union = !classes.is_tuple() && item.is_none();
    return is_member_of_union ? visit(kNoneType) : any_class(item, message, visit);
  });
}

}  // namespace

IValue type_value(const Type& type) {
  IValue& value = type_values()[&type];
  if (value.is_none()) {
    value = IValue::adopt(Tag::Object, new TypeObject(type));
  }
  return value;
}

const Type* as_type(const IValue& value) {
  return is_object_of(value, kTypeType) ? &value.as_object<TypeObject>()->instance_type() : nullptr;
}

std::string qualified_name(const Type& type) {
  std::string name;
  if (type.module != "builtins") {
    name.append(type.module).append(".");
  }
  return name.append(type.name);
}

bool is_instance(const IValue& value, const IValue& classes) {
  if (const Type* type = as_type(classes)) {
    return is_subtype(type_of(value), *type);
  }
  return any_class(classes, "isinstance() arg 2 must be a type, a tuple of types, or a union",
                   [&](const Type& type) { return is_subtype(type_of(value), type); });
}

bool is_subclass(const IValue& value, const IValue& classes) {
  const Type* type = as_type(value);
  TSC_CHECK_TYPE(type != nullptr, "issubclass() arg 1 must be a class");
  return any_class(classes, "issubclass() arg 2 must be a class, a tuple of classes, or a union",
                   [&](const Type& base) { return is_subtype(*type, base); });
}

namespace {

template <class Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  const auto found =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [](const Row& row, std::string_view wanted) { return row.name < wanted; });
  return found != rows.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

const BuiltinDef* find_method(const Type& type, std::string_view name) {
  for (const Type* step = &type; step != nullptr; step = step->base) {
    if (const BuiltinDef* found = find_row(step->methods, name)) {
      return found;
    }
    if (step->find_dynamic_method != nullptr) {
      if (const BuiltinDef* found = step->find_dynamic_method(name)) {
        return found;
      }
    }
  }
  return nullptr;
}

const BuiltinDef* find_static_method(const Type& type, std::string_view name) {
  for (const Type* step = &type; step != nullptr; step = step->base) {
    if (const BuiltinDef* found = find_row(step->statics, name)) {
      return found;
    }
  }
  return nullptr;
}

const AttributeDef* find_attribute(const Type& type, std::string_view name) {
  for (const Type* step = &type; step != nullptr; step = step->base) {
    if (const AttributeDef* found = find_row(step->attributes, name)) {
      return found;
    }
  }
  return nullptr;
}

// --- object, None, type, Ellipsis, NotImplemented -----------------------------------------------

namespace {

void repr_none(const IValue&, std::string& out) { out += "None"; }
bool none_truth(const IValue&) { return false; }
int64_t hash_none(const IValue&) { return 0xfca86420; }
void repr_ellipsis(const IValue&, std::string& out) { out += "Ellipsis"; }
void repr_not_implemented(const IValue&, std::string& out) { out += "NotImplemented"; }

void repr_type(const IValue& self, std::string& out) {
  out.append("<class '").append(qualified_name(*as_type(self))).append("'>");
}

IValue call_type(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  const Type& type = *as_type(self);
  if (type.constructor == nullptr) {
    throw_error(ErrorKind::TypeError, "cannot create '{}' instances", qualified_name(type));
  }
  return call_builtin(interpreter, *type.constructor, arguments);
}

IValue get_type_name(const IValue& self) { return as_type(self)->name; }
IValue get_type_module(const IValue& self) { return as_type(self)->module; }

IValue get_type_bases(const IValue& self) {
  const Type& type = *as_type(self);
  std::vector<IValue> bases;
  if (&type != &kObjectType) {
    bases.push_back(type_value(type.base != nullptr ? *type.base : kObjectType));
  }
  return make_tuple(std::move(bases));
}

IValue get_type_mro(const IValue& self) {
  std::vector<IValue> types;
  for (const Type* type = as_type(self); type != nullptr; type = type->base) {
    types.push_back(type_value(*type));
  }
  if (as_type(self) != &kObjectType) {
    types.push_back(type_value(kObjectType));
  }
  return make_tuple(std::move(types));
}

bool type_attribute(const IValue& self, std::string_view name, IValue& result) {
  const Type& type = *as_type(self);
  if (const BuiltinDef* method = find_method(type, name)) {
    result = make_method_descriptor(*method, type);
    return true;
  }
  if (const BuiltinDef* function = find_static_method(type, name)) {
    result = make_builtin(*function);
    return true;
  }
  if (type.find_constant != nullptr && type.find_constant(name, result)) {
    return true;
  }
  return find_dunder_function(type, name, result);
}

void list_type_attributes(const IValue& self, std::vector<std::string>& names) {
  for (const Type* type = as_type(self); type != nullptr; type = type->base) {
    for (const BuiltinDef& method : type->methods) {
      names.emplace_back(method.name);
    }
    for (const BuiltinDef& method : type->statics) {
      names.emplace_back(method.name);
    }
    if (type->list_dynamic_methods != nullptr) type->list_dynamic_methods(names);
  }
}

// `int | None`, `list[int]`: unions and generic aliases, as annotations use them.
bool type_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  const auto may_be_member = [](const IValue& value) {
    return value.is_none() || as_type(value) != nullptr || is_object_of(value, kUnionType) ||
           is_object_of(value, kGenericAliasType);
  };
  if (op != BinaryOp::Or || !may_be_member(left) || !may_be_member(right) ||
      (left.is_none() && right.is_none())) {
    return false;
  }
  std::vector<IValue> members;
  for (const IValue* side : {&left, &right}) {
    if (is_object_of(*side, kUnionType)) {
      const TupleObject* inner = side->as_object<UnionObject>()->members.as_tuple();
      members.insert(members.end(), inner->begin(), inner->end());
    } else {
      members.push_back(*side);
    }
  }
  std::vector<IValue> different;
  for (const IValue& member : members) {
    if (std::none_of(different.begin(), different.end(),
                     [&](const IValue& other) { return other.is_same(member); })) {
      different.push_back(member);
    }
  }
  result = different.size() == 1
               ? different[0]
               : IValue::adopt(Tag::Object, new UnionObject(make_tuple(std::move(different))));
  return true;
}

void append_annotation(const IValue& value, std::string& out) {
  if (const Type* type = as_type(value)) {
    out += qualified_name(*type);
  } else if (value.is_none()) {
    out += "None";
  } else if (value.tag() == Tag::Object && &value.as_object<Object>()->type() == &kEllipsisType) {
    out += "...";
  } else {
    append_repr(value, out);
  }
}

void repr_union(const IValue& self, std::string& out) {
  std::string_view separator;
  for (const IValue& member : *self.as_object<UnionObject>()->members.as_tuple()) {
    out += separator;
    append_annotation(member, out);
    separator = " | ";
  }
}

void repr_generic_alias(const IValue& self, std::string& out) {
  const auto* alias = self.as_object<GenericAliasObject>();
  append_annotation(alias->origin, out);
  out += '[';
  if (alias->parameters.is_tuple()) {
    std::string_view separator;
    for (const IValue& parameter : *alias->parameters.as_tuple()) {
      out += separator;
      append_annotation(parameter, out);
      separator = ", ";
    }
  } else {
    append_annotation(alias->parameters, out);
  }
  out += ']';
}

IValue call_generic_alias(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  return call_type(interpreter, self.as_object<GenericAliasObject>()->origin, arguments);
}

IValue type_item(const IValue& self, const IValue& key) {
  const Type& type = *as_type(self);
  if (&type != &kListType && &type != &kTupleType && &type != &kDictType && &type != &kSetType &&
      &type != &kFrozenSetType && &type != &kTypeType) {
    throw_error(ErrorKind::TypeError, "type '{}' is not subscriptable", qualified_name(type));
  }
  return IValue::adopt(Tag::Object, new GenericAliasObject(self, key));
}

IValue construct_object(Interpreter&, Arguments&) {
  return IValue::adopt(Tag::Object, new PlainObject());
}

IValue construct_type(Interpreter&, Arguments& arguments) {
  if (arguments.size() != 1) {
    throw_error(ErrorKind::TypeError, "type() takes 1 or 3 arguments");
  }
  return type_value(type_of(arguments[0]));
}

IValue construct_none(Interpreter&, Arguments&) { return {}; }

constexpr BuiltinDef kConstructObject = {"object", construct_object, 0, 0};
constexpr BuiltinDef kConstructType = {"type", construct_type, 1, 1, {}, {}, true};
constexpr BuiltinDef kConstructNone = {"NoneType", construct_none, 0, 0};

constexpr AttributeDef kTypeAttributes[] = {
    {"__bases__", get_type_bases}, {"__module__", get_type_module}, {"__mro__", get_type_mro},
    {"__name__", get_type_name},   {"__qualname__", get_type_name},
};

class SingletonObject final : public Object {
 public:
  explicit SingletonObject(const Type& type) : Object(type) {}
};

}  // namespace

constinit const Type kObjectType = {.name = "object", .constructor = &kConstructObject};
constinit const Type kNoneType = {
    .name = "NoneType",
    .constructor = &kConstructNone,
    .repr = repr_none,
    .hash = hash_none,
    .truth = none_truth,
    .binary = type_binary,
};
constinit const Type kTypeType = {
    .name = "type",
    .attributes = kTypeAttributes,
    .constructor = &kConstructType,
    .repr = repr_type,
    .get_item = type_item,
    .binary = type_binary,
    .get_attribute = type_attribute,
    .list_attributes = list_type_attributes,
    .call = call_type,
};
constinit const Type kUnionType = {
    .name = "UnionType", .module = "types", .repr = repr_union, .binary = type_binary};
constinit const Type kGenericAliasType = {
    .name = "GenericAlias",
    .module = "types",
    .repr = repr_generic_alias,
    .binary = type_binary,
    .call = call_generic_alias,
};
constinit const Type kEllipsisType = {.name = "ellipsis", .repr = repr_ellipsis};
constinit const Type kNotImplementedType = {.name = "NotImplementedType",
                                            .repr = repr_not_implemented};

IValue ellipsis() {
  static auto* value = new IValue(IValue::adopt(Tag::Object, new SingletonObject(kEllipsisType)));
  return *value;
}

IValue not_implemented() {
  static auto* value =
      new IValue(IValue::adopt(Tag::Object, new SingletonObject(kNotImplementedType)));
  return *value;
}

}  // namespace tsc::interp
