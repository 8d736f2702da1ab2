#include "interp/runtime/objects/value_types.h"

#include "core/random/cpu_generator.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/default_device.h"
#include "interp/torch/tensor/seed.h"

namespace tsc::interp {

namespace {

int64_t hash_of_bits(const IValue& self) {
  return static_cast<int64_t>(self.payload_bits() * 0x9e3779b97f4a7c15u >> 1);
}

// --- torch.dtype ---

void repr_dtype(const IValue& self, std::string& out) {
  out += "torch.";
  out += python_name(self.as_scalar_type());
}

IValue is_signed_dtype(const IValue& self) {
  TSC_CHECK(!is_quantized(self.as_scalar_type()), "isSignedType not supported for quantized types");
  return is_signed(self.as_scalar_type());
}

constexpr AttributeDef kDtypeAttributes[] = {
    {"is_complex", [](const IValue& self) { return IValue(is_complex(self.as_scalar_type())); }},
    {"is_floating_point",
     [](const IValue& self) { return IValue(is_floating_point(self.as_scalar_type())); }},
    {"is_signed", &is_signed_dtype},
    {"itemsize", [](const IValue& self) { return IValue(element_size(self.as_scalar_type())); }},
};

constexpr Type make_dtype_type() {
  Type type;
  type.name = "dtype";
  type.module = "torch";
  type.attributes = kDtypeAttributes;
  type.repr = &repr_dtype;
  type.hash = &hash_of_bits;
  return type;
}

// --- torch.device ---

void repr_device(const IValue& self, std::string& out) {
  const Device device = self.as_device();
  out += fmt::format("device(type='{}'", to_string(device.type));
  out += device.has_index() ? fmt::format(", index={})", device.index) : ")";
}

IValue construct_device(Interpreter&, Arguments& arguments) {
  Device device = device_of_value(arguments[0]);
  if (has_value(arguments, 1)) {
    TSC_CHECK(!device.has_index(),
              "type (string) must not include an index because index was passed explicitly: {}",
              to_string(device));
    device.index = static_cast<int8_t>(to_index(arguments[1]));
  }
  return device;
}
// with torch.device("cuda"): tensors are made there.
std::vector<Device>& devices_outside() {
  thread_local std::vector<Device> outside;
  return outside;
}
IValue enter_default_device(Interpreter&, Arguments& arguments) {
  devices_outside().push_back(default_device());
  set_default_device(arguments[0].as_device());
  return arguments[0];
}
IValue leave_default_device(Interpreter&, Arguments&) {
  TSC_CHECK(!devices_outside().empty(), "the device was not entered");
  set_default_device(devices_outside().back());
  devices_outside().pop_back();
  return IValue();
}
constexpr BuiltinDef kDeviceMethods[] = {
    {"__enter__", &enter_default_device, 0, 0, {}, "device"},
    {"__exit__", &leave_default_device, 3, 3, {}, "device"},
};

constexpr BuiltinDef kDeviceConstructor{"device", &construct_device, 1, 2, "type index"};

constexpr AttributeDef kDeviceAttributes[] = {
    {"index",
     [](const IValue& self) {
       return self.as_device().has_index() ? IValue(self.as_device().index) : IValue();
     }},
    {"type", [](const IValue& self) { return IValue(to_string(self.as_device().type)); }},
};

constexpr Type make_device_type() {
  Type type;
  type.name = "device";
  type.module = "torch";
  type.methods = kDeviceMethods;
  type.attributes = kDeviceAttributes;
  type.constructor = &kDeviceConstructor;
  type.repr = &repr_device;
  type.str = [](const IValue& self, std::string& out) { out += to_string(self.as_device()); };
  type.hash = &hash_of_bits;
  return type;
}

// --- torch.layout, torch.memory_format ---

constexpr Type make_layout_type() {
  Type type;
  type.name = "layout";
  type.module = "torch";
  type.repr = [](const IValue& self, std::string& out) { out += to_string(self.as_layout()); };
  type.hash = &hash_of_bits;
  return type;
}

constexpr Type make_memory_format_type() {
  Type type;
  type.name = "memory_format";
  type.module = "torch";
  type.repr = [](const IValue& self, std::string& out) {
    out += to_string(self.as_memory_format());
  };
  type.hash = &hash_of_bits;
  return type;
}

// --- torch.Generator ---

GeneratorImpl& generator_of(const Arguments& arguments) {
  return *arguments[0].as_generator().impl();
}

IValue construct_generator(Interpreter&, Arguments& arguments) {
  const Device device = has_value(arguments, 0) ? device_of_value(arguments[0]) : Device();
  TSC_CHECK(device.is_cpu(), "Device type {} is not supported for torch.Generator() api.",
            to_string(device.type));
  return Generator(make_intrusive<CPUGeneratorImpl>());
}
constexpr BuiltinDef kGeneratorConstructor{"Generator", &construct_generator, 0, 1, "device"};

IValue generator_manual_seed(Interpreter&, Arguments& arguments) {
  generator_of(arguments).set_seed(seed_of_int(arguments[1]));
  return arguments[0];
}
IValue generator_seed(Interpreter&, Arguments& arguments) {
  return seed_value(generator_of(arguments).reseed());
}
IValue generator_initial_seed(Interpreter&, Arguments& arguments) {
  return seed_value(generator_of(arguments).seed());
}
IValue generator_get_state(Interpreter&, Arguments& arguments) {
  return generator_of(arguments).get_state();
}
IValue generator_set_state(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(arguments[1].is_tensor(), "expected a torch.ByteTensor, but got {}",
                 python_type_name(arguments[1]));
  generator_of(arguments).set_state(arguments[1].as_tensor());
  return arguments[0];
}
IValue generator_clone_state(Interpreter&, Arguments& arguments) {
  return Generator(generator_of(arguments).clone());
}

constexpr BuiltinDef kGeneratorMethods[] = {
    {"clone_state", &generator_clone_state, 0, 0, {}, "Generator"},
    {"get_state", &generator_get_state, 0, 0, {}, "Generator"},
    {"initial_seed", &generator_initial_seed, 0, 0, {}, "Generator"},
    {"manual_seed", &generator_manual_seed, 1, 1, "seed", "Generator"},
    {"seed", &generator_seed, 0, 0, {}, "Generator"},
    {"set_state", &generator_set_state, 1, 1, "new_state", "Generator"},
};
constexpr AttributeDef kGeneratorAttributes[] = {
    {"device", [](const IValue& self) { return IValue(self.as_generator()->device()); }},
};

constexpr Type make_generator_type() {
  Type type;
  type.name = "Generator";
  type.module = "torch";
  type.methods = kGeneratorMethods;
  type.attributes = kGeneratorAttributes;
  type.constructor = &kGeneratorConstructor;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<torch._C.Generator object at {:#x}>", self.payload_bits());
  };
  type.hash = &hash_of_bits;
  return type;
}

// --- torch.Size: a tuple of ints that prints as torch.Size([...]) ---

IValue as_plain_tuple(const IValue& self) {
  if (self.tag() != Tag::IntList) {
    return self;
  }
  const DimVector& values = self.as_int_list()->values;
  TupleObject* tuple = TupleObject::make(values.size());
  for (size_t i = 0; i < values.size(); i++) {
    (*tuple)[i] = IValue(values[i]);
  }
  return IValue::adopt(Tag::Tuple, tuple);
}

// A tuple of ints as a torch.Size; any other value as it is.
IValue as_size(IValue tuple) {
  DimVector values;
  for (const IValue& item : *tuple.as_tuple()) {
    if (!item.is_int()) {
      return tuple;
    }
    values.push_back(item.as_int());
  }
  return make_size(values);
}

void repr_size(const IValue& self, std::string& out) {
  out += "torch.Size(" + to_string(IntArrayRef(self.as_int_list()->values)) + ")";
}

IValue get_size_item(const IValue& self, const IValue& key) {
  const DimVector& values = self.as_int_list()->values;
  if (key.is_int()) {
    const auto size = static_cast<int64_t>(values.size());
    const int64_t index = key.as_int() < 0 ? key.as_int() + size : key.as_int();
    TSC_CHECK_INDEX(index >= 0 && index < size, "tuple index out of range");
    return values[static_cast<size_t>(index)];
  }
  IValue item = get_item(as_plain_tuple(self), key);
  return item.is_tuple() ? as_size(std::move(item)) : item;
}

bool size_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!kTupleType.binary(op, as_plain_tuple(left), as_plain_tuple(right), result)) {
    return false;
  }
  if (result.is_tuple()) {
    result = as_size(std::move(result));
  }
  return true;
}

bool compare_size(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (right.tag() != Tag::IntList && !right.is_tuple()) {
    return false;
  }
  return kTupleType.compare(op, as_plain_tuple(left), as_plain_tuple(right), result);
}

IValue construct_size(Interpreter&, Arguments& arguments) {
  std::vector<IValue> items;
  if (arguments.size() > 0) {
    append_items(arguments[0], items);
  }
  DimVector values;
  for (const IValue& item : items) {
    int64_t index = 0;
    TSC_CHECK_TYPE(index_of_value(item, index),
                   "torch.Size() takes an iterable of 'int' (item {} is '{}')", values.size(),
                   python_type_name(item));
    values.push_back(index);
  }
  return make_size(values);
}
constexpr BuiltinDef kSizeConstructor{"Size", &construct_size, 0, 1};

IValue size_numel(Interpreter&, Arguments& arguments) {
  int64_t numel = 1;
  for (const int64_t value : arguments[0].as_int_list()->values) {
    numel *= value;
  }
  return numel;
}
IValue size_count(Interpreter&, Arguments& arguments) {
  const DimVector& values = arguments[0].as_int_list()->values;
  return arguments[1].is_int()
             ? IValue(std::count(values.begin(), values.end(), arguments[1].as_int()))
             : IValue(0);
}
IValue size_index(Interpreter&, Arguments& arguments) {
  const DimVector& values = arguments[0].as_int_list()->values;
  for (size_t i = 0; i < values.size(); i++) {
    if (arguments[1].is_int() && values[i] == arguments[1].as_int()) {
      return i;
    }
  }
  throw_error(ErrorKind::ValueError, "tuple.index(x): x not in tuple");
}
constexpr BuiltinDef kSizeMethods[] = {
    {"count", &size_count, 1, 1, {}, "Size"},
    {"index", &size_index, 1, 1, {}, "Size"},
    {"numel", &size_numel, 0, 0, {}, "Size"},
};

constexpr Type make_size_type() {
  Type type;
  type.name = "Size";
  type.module = "torch";
  type.base = &kTupleType;
  type.methods = kSizeMethods;
  type.constructor = &kSizeConstructor;
  type.repr = &repr_size;
  type.hash = [](const IValue& self) { return hash_of(as_plain_tuple(self)); };
  type.length = [](const IValue& self) {
    return static_cast<int64_t>(self.as_int_list()->values.size());
  };
  type.iterate = [](const IValue& self) { return get_iterator(as_plain_tuple(self)); };
  type.get_item = &get_size_item;
  type.contains = [](const IValue& self, const IValue& item) {
    return contains(as_plain_tuple(self), item);
  };
  type.binary = &size_binary;
  type.compare = &compare_size;
  return type;
}

}  // namespace

constinit const Type kScalarTypeType = make_dtype_type();
constinit const Type kDeviceType = make_device_type();
constinit const Type kLayoutType = make_layout_type();
constinit const Type kMemoryFormatType = make_memory_format_type();
constinit const Type kGeneratorTagType = make_generator_type();
constinit const Type kSizeType = make_size_type();

}  // namespace tsc::interp
