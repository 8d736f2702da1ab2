#include "interp/torch/tensor/storage_object.h"

#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/torch/tensor/constructors.h"
#include "ops/layouts/math_bits.h"

namespace tsc::interp {
namespace {

extern const Type kStorageType;

class StorageObject final : public Object {
 public:
  explicit StorageObject(Storage memory) : Object(kStorageType), storage(std::move(memory)) {}
  Storage storage;
};

const StorageImpl& storage_of(const IValue& value) {
  return *value.as_object<StorageObject>()->storage;
}

void check_has_memory(const StorageImpl& storage) {
  TSC_CHECK_NOT_IMPLEMENTED(storage.data() != nullptr || storage.nbytes() == 0,
                            "Not available for '{}' storage", to_string(storage.device().type));
}

// In the CPU's memory.
Tensor bytes_of(const IValue& value) {
  const Storage& storage = value.as_object<StorageObject>()->storage;
  Tensor bytes(make_intrusive<TensorImpl>(storage, ScalarType::Byte, storage->device()));
  bytes.impl()->set_sizes_contiguous({static_cast<int64_t>(storage->nbytes())});
  return on_host(bytes);
}
int64_t byte_at(const Tensor& bytes, size_t i) { return bytes.data_ptr<uint8_t>()[i]; }

int64_t storage_size(const IValue& self) { return static_cast<int64_t>(storage_of(self).nbytes()); }

IValue nbytes(Interpreter&, Arguments& arguments) { return storage_size(arguments[0]); }
IValue data_ptr(Interpreter&, Arguments& arguments) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(storage_of(arguments[0]).data()));
}
IValue storage_tolist(Interpreter&, Arguments& arguments) {
  const StorageImpl& storage = storage_of(arguments[0]);
  check_has_memory(storage);
  return tensor_to_list(bytes_of(arguments[0]));
}

IValue storage_item(const IValue& self, const IValue& key) {
  const StorageImpl& storage = storage_of(self);
  check_has_memory(storage);
  const size_t i = sequence_index(key, storage.nbytes(), "storage");
  return byte_at(bytes_of(self), i);
}

// A byte a line, then the type, device and size.
void repr_storage(const IValue& self, std::string& out) {
  const StorageImpl& storage = storage_of(self);
  if (storage.data() == nullptr && storage.nbytes() > 0) {
    out += "...";
  } else {
    const Tensor bytes = bytes_of(self);
    for (size_t i = 0; i < storage.nbytes(); i++) {
      out += fmt::format("{} {}", i == 0 ? "" : "\n", byte_at(bytes, i));
    }
  }
  out += fmt::format("\n[torch.storage.UntypedStorage(device={}) of size {}]",
                     to_string(storage.device()), storage.nbytes());
}

bool compare_storage(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if ((op != CompareOp::Equal && op != CompareOp::NotEqual) || !is_object_of(right, kStorageType)) {
    return false;
  }
  result = (&storage_of(left) == &storage_of(right)) == (op == CompareOp::Equal);
  return true;
}

constexpr BuiltinDef kStorageMethods[] = {
    {"data_ptr", &data_ptr, 0, 0, {}, "UntypedStorage"},
    {"nbytes", &nbytes, 0, 0, {}, "UntypedStorage"},
    {"size", &nbytes, 0, 0, {}, "UntypedStorage"},
    {"tolist", &storage_tolist, 0, 0, {}, "UntypedStorage"},
};
constexpr AttributeDef kStorageAttributes[] = {
    {"device", [](const IValue& self) { return IValue(storage_of(self).device()); }},
};

constexpr Type make_storage_type() {
  Type type;
  type.name = "UntypedStorage";
  type.module = "torch.storage";
  type.methods = kStorageMethods;
  type.attributes = kStorageAttributes;
  type.repr = &repr_storage;
  type.length = &storage_size;
  type.get_item = &storage_item;
  type.compare = &compare_storage;
  type.hash = [](const IValue& self) {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(&storage_of(self)));
  };
  return type;
}

constinit const Type kStorageType = make_storage_type();

}  // namespace

IValue make_storage_object(Storage storage) {
  return IValue::adopt(Tag::Object, new StorageObject(std::move(storage)));
}

Storage storage_of_value(const IValue& value) {
  return is_object_of(value, kStorageType) ? value.as_object<StorageObject>()->storage : Storage();
}

}  // namespace tsc::interp
