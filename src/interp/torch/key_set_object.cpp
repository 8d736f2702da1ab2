#include "interp/torch/key_set_object.h"

#include <algorithm>

#include "interp/torch/overloads.h"

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

// Every set has the keys that have no place in one, such as Autograd.
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
constexpr BuiltinDef kSetMethods[] = {
    {"add", &add, 1, 1, {}, "DispatchKeySet"},
    {"has", &has, 1, 1, {}, "DispatchKeySet"},
    {"highestPriorityTypeId", &highest, 0, 0, {}, "DispatchKeySet"},
    {"remove", &remove, 1, 1, {}, "DispatchKeySet"},
};

// A functionality that takes a backend is no key without one.
bool is_name_of_functionality(const IValue& value) {
  constexpr std::string_view kNames[] = {"Dense", "Quantized", "Sparse", "SparseCsr",
                                         "AutogradFunctionality"};
  return value.is_string() &&
         std::find(std::begin(kNames), std::end(kNames), value.as_string()) != std::end(kNames);
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
  type.repr = [](const IValue& self, std::string& out) { out += to_string(keys_of(self)); };
  type.unhashable = true;
  type.binary = &set_binary;
  type.compare = &compare_sets;
  return type;
}

// DispatchKey.CPU. PyTorch keeps some keys of its own out of the class.
bool find_key(std::string_view name, IValue& result) {
  if (name == "Tracer" || name == "TESTING_ONLY_GenericMode" || name == "EndOfRuntimeKeys") {
    return false;
  }
  for (int i = 0; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    if (to_string(static_cast<DispatchKey>(i)) == name) {
      result = make_key(static_cast<DispatchKey>(i));
      return true;
    }
  }
  return false;
}

// PyTorch's number of a key: scripts print it. Keys that PyTorch does not have are behind all
// others.
int64_t number_of(DispatchKey key) {
  struct Numbered {
    DispatchKey key;
    int number;
  };
  constexpr Numbered kNumbers[] = {
      {DispatchKey::Undefined, 0},
      {DispatchKey::BackendSelect, 11},
      {DispatchKey::Python, 13},
      {DispatchKey::Functionalize, 15},
      {DispatchKey::Conjugate, 16},
      {DispatchKey::Negative, 17},
      {DispatchKey::ZeroTensor, 18},
      {DispatchKey::ADInplaceOrView, 19},
      {DispatchKey::AutogradOther, 20},
      {DispatchKey::Tracer, 23},
      {DispatchKey::AutocastCPU, 24},
      {DispatchKey::AutocastCUDA, 32},
      {DispatchKey::AutocastPrivateUse1, 33},
      {DispatchKey::FuncTorchBatched, 34},
      {DispatchKey::FuncTorchVmapMode, 36},
      {DispatchKey::FuncTorchGradWrapper, 39},
      {DispatchKey::FuncTorchDynamicLayerFrontMode, 42},
      {DispatchKey::TESTING_ONLY_GenericMode, 44},
      {DispatchKey::CPU, 49},
      {DispatchKey::QuantizedCPU, 66},
      {DispatchKey::SparseCPU, 83},
      {DispatchKey::SparseCsrCPU, 100},
      {DispatchKey::AutogradCPU, 134},
      {DispatchKey::Autograd, 150},
      {DispatchKey::CompositeImplicitAutograd, 151},
      {DispatchKey::CompositeExplicitAutograd, 154},
      {DispatchKey::CompositeExplicitAutogradNonFunctional, 155},
  };
  // Of CPU, CUDA, PrivateUse1 to 3, and Meta.
  constexpr int kBackendSteps[] = {0, 1, 12, 13, 14, 15};
  constexpr int kOwn = 200;
  const bool has_backend =
      key != DispatchKey::Undefined && !is_alias_key(key) && is_per_backend(functionality_of(key));
  const DispatchKey first = has_backend ? runtime_key(functionality_of(key), Backend::CPU) : key;
  const auto* const found = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                         [&](const Numbered& row) { return row.key == first; });
  if (found == std::end(kNumbers)) {
    return kOwn + static_cast<int>(key);
  }
  return found->number + (has_backend ? kBackendSteps[static_cast<size_t>(*backend_of(key))] : 0);
}

constexpr AttributeDef kKeyAttributes[] = {
    {"name", [](const IValue& self) { return IValue(to_string(key_of(self))); }},
    {"value", [](const IValue& self) { return IValue(number_of(key_of(self))); }},
};

constexpr Type make_key_type() {
  Type type;
  type.name = "DispatchKey";
  type.module = "torch";
  type.attributes = kKeyAttributes;
  type.find_constant = &find_key;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<DispatchKey.{}: {}>", to_string(key_of(self)), number_of(key_of(self)));
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
