#include "interp/torch/call/return_types.h"

#include <algorithm>
#include <map>
#include <span>

#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"

namespace tsc::interp {

namespace {

// The class of an operator's results, torch.return_types.max: kept for the life of the process.
struct ResultClass {
  std::string name;
  std::vector<std::string> names;
  Type type;
};

class NamedTuple final : public Object {
 public:
  NamedTuple(const ResultClass& made_of, IValue values)
      : Object(made_of.type), name(made_of.name), names(made_of.names), tuple(std::move(values)) {}
  void traverse(ChildVisitor visit, void* context) override { visit_child(tuple, visit, context); }
  void clear() noexcept override { tuple = IValue(); }

  const std::string& name;
  const std::vector<std::string>& names;
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

bool has_names(const ResultClass& known, std::span<const Argument> results) {
  return std::ranges::equal(known.names, results, {}, {}, &Argument::name);
}

const ResultClass& class_of(const FunctionSchema& schema) {
  // A name has several classes where its overloads name their results differently.
  static auto* classes = new std::multimap<std::string, ResultClass, std::less<>>;
  const std::string_view base = schema.base_name();
  const bool writes = schema.returns[0].alias.is_present;
  const std::string with_out = writes ? std::string(base) + "_out" : "";
  const std::string_view name = writes ? with_out : base;
  for (auto [entry, end] = classes->equal_range(name); entry != end; entry++) {
    if (has_names(entry->second, schema.returns)) {
      return entry->second;
    }
  }
  ResultClass& made = classes->emplace(name, ResultClass())->second;
  made.name = name;
  for (const Argument& result : schema.returns) {
    made.names.emplace_back(result.name);
  }
  made.type = kReturnValueType;
  made.type.name = made.name;
  made.type.module = "torch.return_types";
  made.type.base = &kReturnValueType;
  return made;
}

}  // namespace

constinit const Type kReturnValueType = make_return_value_type();

IValue make_return_value(const FunctionSchema& schema, std::vector<IValue> items) {
  const bool is_named = items.size() == schema.returns.size() && !schema.returns[0].name.empty();
  IValue tuple = make_tuple(std::move(items));
  return is_named ? IValue::adopt(Tag::Object, new NamedTuple(class_of(schema), std::move(tuple)))
                  : tuple;
}

}  // namespace tsc::interp
