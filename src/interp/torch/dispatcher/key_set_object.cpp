#include "interp/torch/dispatcher/key_set_object.h"

#include <algorithm>

#include "core/keys/pytorch_keys.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

namespace {

class KeySetObject final : public Object {
 public:
  explicit KeySetObject(DispatchKeySet set) : Object(kDispatchKeySetType), keys(set) {}
  DispatchKeySet keys;
};

class KeyObject final : public Object {
 public:
  explicit KeyObject(DispatchKey value) : Object(kDispatchKeyType), key(value) {}
  DispatchKey key;
};

DispatchKeySet keys_of(const IValue& self) { return self.as_object<KeySetObject>()->keys; }
DispatchKey key_of(const IValue& self) { return self.as_object<KeyObject>()->key; }

// Keys without a bit, such as Autograd, count as part of every set.
IValue has(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[1]);
  return DispatchKeySet(key).empty() || keys_of(arguments[0]).has(key);
}
IValue add(Interpreter&, Arguments& arguments) {
  return make_key_set(keys_of(arguments[0]).add(key_of_value(arguments[1])));
}
IValue remove(Interpreter&, Arguments& arguments) {
  return make_key_set(keys_of(arguments[0]).remove(key_of_value(arguments[1])));
}
IValue highest(Interpreter&, Arguments& arguments) {
  return make_key(keys_of(arguments[0]).highest_key());
}
IValue raw_repr(Interpreter&, Arguments& arguments) {
  return IValue(torch_bits_of(keys_of(arguments[0])));
}
constexpr BuiltinDef kSetMethods[] = {
    {"add", &add, 1, 1, {}, "DispatchKeySet"},
    {"has", &has, 1, 1, {}, "DispatchKeySet"},
    {"highestPriorityTypeId", &highest, 0, 0, {}, "DispatchKeySet"},
    {"raw_repr", &raw_repr, 0, 0, {}, "DispatchKeySet"},
    {"remove", &remove, 1, 1, {}, "DispatchKeySet"},
};

IValue from_raw_repr(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[0].is_int() && arguments[0].as_int() >= 0,
                 "from_raw_repr(): incompatible function arguments: expected an int that is not "
                 "negative, not {}",
                 repr(arguments[0]));
  return make_key_set(keys_of_torch_bits(arguments[0].as_int()));
}
constexpr BuiltinDef kFromRawRepr{"from_raw_repr", &from_raw_repr, 1, 1};
bool find_set_function(std::string_view name, IValue& result) {
  if (name != kFromRawRepr.name) {
    return false;
  }
  result = make_builtin(kFromRawRepr);
  return true;
}

// A functionality that takes a backend is no key without one.
bool is_name_of_functionality(const IValue& value) {
  return value.is_string() && std::any_of(std::begin(kColumnRecords), std::end(kColumnRecords),
                                          [&](const KeyRecord& record) {
                                            return record.torch_first_key != 0 &&
                                                   record.name == value.as_string();
                                          });
}

IValue construct_set(Interpreter&, Arguments& arguments) {
  return make_key_set(is_name_of_functionality(arguments[0])
                          ? DispatchKeySet()
                          : DispatchKeySet(key_of_value(arguments[0])));
}
constexpr BuiltinDef kSetConstructor{"DispatchKeySet", &construct_set, 1, 1};

bool set_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_object_of(left, kDispatchKeySetType) || !is_object_of(right, kDispatchKeySetType)) {
    return false;
  }
  const DispatchKeySet a = keys_of(left);
  const DispatchKeySet b = keys_of(right);
  switch (op) {
    case BinaryOp::Or: result = make_key_set(a | b); return true;
    case BinaryOp::And: result = make_key_set(a & b); return true;
    case BinaryOp::Subtract: result = make_key_set(a - b); return true;
    case BinaryOp::Add:
    case BinaryOp::Multiply:
    case BinaryOp::MatMul:
    case BinaryOp::Divide:
    case BinaryOp::FloorDivide:
    case BinaryOp::Modulo:
    case BinaryOp::Power:
    case BinaryOp::LeftShift:
    case BinaryOp::RightShift:
    case BinaryOp::Xor: break;
  }
  return false;
}

bool compare_sets(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op != CompareOp::Equal && op != CompareOp::NotEqual) {
    return false;
  }
  TSC_CHECK_TYPE(is_object_of(right, kDispatchKeySetType),
                 "__eq__(): incompatible function arguments: got {}", python_type_name(right));
  result = IValue((keys_of(left) == keys_of(right)) == (op == CompareOp::Equal));
  return true;
}

constexpr Type make_set_type() {
  Type type;
  type.name = "DispatchKeySet";
  type.module = "torch._C";
  type.methods = kSetMethods;
  type.constructor = &kSetConstructor;
  type.find_constant = &find_set_function;
  type.repr = [](const IValue& self, std::string& out) { out += to_string(keys_of(self)); };
  type.unhashable = true;
  type.binary = &set_binary;
  type.compare = &compare_sets;
  return type;
}

bool is_in_torch_class(DispatchKey key) {
  return key == DispatchKey::Undefined || is_alias_key(key) || record_of(key).is_in_torch_class;
}

// DispatchKey.CPU. PyTorch keeps some keys of its own out of the class.
bool find_key(std::string_view name, IValue& result) {
  const std::optional<DispatchKey> key = try_parse_dispatch_key(name);
  if (!key.has_value() || !is_in_torch_class(*key)) {
    return false;
  }
  result = make_key(*key);
  return true;
}

constexpr AttributeDef kKeyAttributes[] = {
    {"name", [](const IValue& self) { return IValue(to_string(key_of(self))); }},
    {"value", [](const IValue& self) { return IValue(torch_number_of(key_of(self))); }},
};

constexpr Type make_key_type() {
  Type type;
  type.name = "DispatchKey";
  type.module = "torch";
  type.attributes = kKeyAttributes;
  type.find_constant = &find_key;
  type.repr = [](const IValue& self, std::string& out) {
    out +=
        fmt::format("<DispatchKey.{}: {}>", to_string(key_of(self)), torch_number_of(key_of(self)));
  };
  type.str = [](const IValue& self, std::string& out) {
    out += fmt::format("DispatchKey.{}", key_of(self));
  };
  type.hash = [](const IValue& self) { return static_cast<int64_t>(key_of(self)); };
  type.compare = [](CompareOp op, const IValue& left, const IValue& right, IValue& result) {
    if ((op != CompareOp::Equal && op != CompareOp::NotEqual) ||
        !(is_object_of(right, kDispatchKeyType) || right.is_string())) {
      return false;
    }
    const bool same = right.is_string() ? to_string(key_of(left)) == right.as_string()
                                        : key_of(left) == key_of(right);
    result = IValue(same == (op == CompareOp::Equal));
    return true;
  };
  return type;
}

}  // namespace

constinit const Type kDispatchKeySetType = make_set_type();
constinit const Type kDispatchKeyType = make_key_type();

IValue make_key_set(DispatchKeySet keys) {
  return IValue::adopt(Tag::Object, new KeySetObject(keys));
}

IValue make_key(DispatchKey key) { return IValue::adopt(Tag::Object, new KeyObject(key)); }

DispatchKey key_of_value(const IValue& value) {
  if (is_object_of(value, kDispatchKeyType)) {
    return key_of(value);
  }
  TSC_CHECK_TYPE(value.is_string(), "expected a DispatchKey or its name, not {}",
                 python_type_name(value));
  return parse_dispatch_key(value.as_string());
}

DispatchKey runtime_key_of_value(const IValue& value) {
  const DispatchKey key = key_of_value(value);
  TSC_CHECK(!is_alias_key(key), "Alias keys do not have runtime kernel registrations.");
  return key;
}

DispatchKeySet key_set_of_value(const IValue& value) {
  return is_object_of(value, kDispatchKeySetType) ? keys_of(value)
                                                  : DispatchKeySet(key_of_value(value));
}

}  // namespace tsc::interp
