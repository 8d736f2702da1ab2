#include "interp/torch/return_types.h"

#include <map>

#include "interp/runtime/operators.h"
#include "interp/runtime/protocols.h"
#include "interp/torch/types.h"

namespace tsc::interp {

namespace {

class NamedTuple final : public Object {
 public:
  NamedTuple(const Type& type, const FunctionSchema& schema, IValue values)
      : Object(type), name(type.name), tuple(std::move(values)) {
    for (const Argument& result : schema.returns) {
      names.emplace_back(result.name);
    }
  }
  void traverse(ChildVisitor visit, void* context) override { visit_child(tuple, visit, context); }
  void clear() noexcept override { tuple = IValue(); }

  std::string name;
  std::vector<std::string> names;
  IValue tuple;
};

const NamedTuple& named(const IValue& value) { return *value.as_object<NamedTuple>(); }

bool is_named(const IValue& value) {
  return value.tag() == Tag::Object && value.as_object<Object>()->type().base == &kReturnValueType;
}

void repr_named(const IValue& self, std::string& out) {
  const NamedTuple& value = named(self);
  out += fmt::format("torch.return_types.{}(\n", value.name);
  for (size_t i = 0; i < value.names.size(); i++) {
    out += i == 0 ? "" : ",\n";
    out += value.names[i] + "=";
    append_repr((*value.tuple.as_tuple())[i], out);
  }
  out += ")";
}

bool get_named_attribute(const IValue& self, std::string_view name, IValue& result) {
  const NamedTuple& value = named(self);
  for (size_t i = 0; i < value.names.size(); i++) {
    if (value.names[i] == name) {
      result = (*value.tuple.as_tuple())[i];
      return true;
    }
  }
  return false;
}

bool compare_named(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  const IValue& other = is_named(right) ? named(right).tuple : right;
  return kTupleType.compare(op, named(left).tuple, other, result);
}

bool named_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  const auto plain = [](const IValue& value) {
    return is_named(value) ? named(value).tuple : value;
  };
  return kTupleType.binary(op, plain(left), plain(right), result);
}

constexpr Type make_return_value_type() {
  Type type;
  type.name = "return_types";
  type.module = "torch";
  type.base = &kTupleType;
  type.repr = &repr_named;
  type.length = [](const IValue& self) {
    return static_cast<int64_t>(named(self).tuple.as_tuple()->size());
  };
  type.iterate = [](const IValue& self) { return get_iterator(named(self).tuple); };
  type.get_item = [](const IValue& self, const IValue& key) {
    return get_item(named(self).tuple, key);
  };
  type.contains = [](const IValue& self, const IValue& item) {
    return contains(named(self).tuple, item);
  };
  type.binary = &named_binary;
  type.compare = &compare_named;
  type.get_attribute = &get_named_attribute;
  type.list_attributes = [](const IValue& self, std::vector<std::string>& names) {
    names.insert(names.end(), named(self).names.begin(), named(self).names.end());
  };
  return type;
}

// The class of an operator's results: torch.return_types.max.
const Type& class_of(const FunctionSchema& schema) {
  static auto* classes = new std::map<std::string, Type, std::less<>>;
  const bool writes = schema.returns[0].alias.is_present;
  const auto [entry, made] =
      classes->try_emplace(std::string(schema.base_name()) + (writes ? "_out" : ""));
  if (made) {
    entry->second = kReturnValueType;
    entry->second.name = entry->first;
    entry->second.module = "torch.return_types";
    entry->second.base = &kReturnValueType;
  }
  return entry->second;
}

}  // namespace

constinit const Type kReturnValueType = make_return_value_type();

IValue make_return_value(const FunctionSchema& schema, std::vector<IValue> items) {
  const bool has_names = items.size() == schema.returns.size() && !schema.returns[0].name.empty();
  IValue tuple = make_tuple(std::move(items));
  return has_names ? IValue::adopt(Tag::Object,
                                   new NamedTuple(class_of(schema), schema, std::move(tuple)))
                   : tuple;
}

}  // namespace tsc::interp
