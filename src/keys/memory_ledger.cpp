#include "keys/memory_ledger.h"

namespace tsc::keys {

void MemoryLedger::see(const Tensor& tensor, bool is_new) {
  if (!tensor.defined() || tensor.storage().get() == nullptr ||
      !tensor.storage()->device().is_cpu()) {
    return;
  }
  const Storage& storage = tensor.storage();
  if (places_.insert(storage.get()).second) {
    known_.push_back({storage, storage->nbytes(), is_new});
    bytes_ += is_new ? static_cast<int64_t>(storage->nbytes()) : 0;
  }
}

void MemoryLedger::see(const IValue* values, size_t number, bool is_new) {
  for (size_t i = 0; i < number; i++) {
    if (values[i].is_tensor()) {
      see(values[i].as_tensor(), is_new);
    } else if (values[i].tag() == Tag::TensorList) {
      for (const Tensor& tensor : values[i].as_tensor_list()->values) {
        see(tensor, is_new);
      }
    }
  }
}

void MemoryLedger::change(int64_t bytes, std::vector<int64_t>& changes) {
  if (bytes != 0) {
    bytes_ += bytes;
    changes.push_back(bytes);
  }
}

bool MemoryLedger::settle(Known& known, std::vector<int64_t>& changes) {
  const bool is_gone = known.storage.use_count() == 1;
  const size_t size = is_gone ? 0 : known.storage->nbytes();
  if (is_gone || size != known.size) {
    change(static_cast<int64_t>(size), changes);
    change(known.is_counted ? -static_cast<int64_t>(known.size) : 0, changes);
    known.size = size;
    known.is_counted = true;
  }
  return !is_gone;
}

std::vector<int64_t> MemoryLedger::settle() {
  std::vector<int64_t> changes;
  std::erase_if(known_, [&](Known& known) {
    if (settle(known, changes)) {
      return false;
    }
    places_.erase(known.storage.get());
    return true;
  });
  return changes;
}

void MemoryLedger::clear() {
  known_.clear();
  places_.clear();
}

}  // namespace tsc::keys
