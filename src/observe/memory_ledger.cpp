#include "observe/memory_ledger.h"

#include <algorithm>
#include <mutex>

#include "core/storage_observer.h"

namespace tsc::observe {

namespace {

// A storage may go on another thread than the one that is profiled.
struct Ledgers {
  std::mutex mutex;
  std::vector<MemoryLedger*> all;
};

Ledgers& ledgers() {
  static Ledgers instance;
  return instance;
}

}  // namespace

void MemoryLedger::listen(bool on) {
  if (on == is_listening_) {
    return;
  }
  is_listening_ = on;
  std::vector<MemoryLedger*>& all = ledgers().all;
  if (on) {
    all.push_back(this);
  } else {
    std::erase(all, this);
  }
  storage_observer.store(all.empty() ? nullptr : &note_end_in_all, std::memory_order_relaxed);
}

void MemoryLedger::note_end_in_all(const StorageImpl& storage) {
  const std::lock_guard lock(ledgers().mutex);
  for (MemoryLedger* ledger : ledgers().all) {
    ledger->note_end(storage);
  }
}

// Another storage may get the address.
void MemoryLedger::note_end(const StorageImpl& storage) {
  const auto found = places_.find(&storage);
  if (found != places_.end()) {
    known_[found->second].storage = nullptr;
    places_.erase(found);
  }
}

void MemoryLedger::see(const Tensor& tensor, bool is_new) {
  if (!tensor.defined() || tensor.storage().get() == nullptr ||
      !tensor.storage()->device().is_cpu()) {
    return;
  }
  const Storage& storage = tensor.storage();
  const std::lock_guard lock(ledgers().mutex);
  if (places_.try_emplace(storage.get(), known_.size()).second) {
    listen(true);
    known_.push_back({storage.get(), storage->nbytes(), is_new});
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

void MemoryLedger::settle(Known& known, std::vector<int64_t>& changes) {
  const bool is_gone = known.storage == nullptr;
  const size_t size = is_gone ? 0 : known.storage->nbytes();
  if (is_gone || size != known.size) {
    change(static_cast<int64_t>(size), changes);
    change(known.is_counted ? -static_cast<int64_t>(known.size) : 0, changes);
    known.size = size;
    known.is_counted = true;
  }
}

void MemoryLedger::forget_gone() {
  const size_t erased =
      std::erase_if(known_, [](const Known& known) { return known.storage == nullptr; });
  if (erased == 0) {
    return;
  }
  for (size_t i = 0; i < known_.size(); i++) {
    places_[known_[i].storage] = i;
  }
}

std::vector<int64_t> MemoryLedger::settle() {
  const std::lock_guard lock(ledgers().mutex);
  std::vector<int64_t> changes;
  for (Known& known : known_) {
    settle(known, changes);
  }
  forget_gone();
  return changes;
}

void MemoryLedger::clear() {
  const std::lock_guard lock(ledgers().mutex);
  known_.clear();
  places_.clear();
  listen(false);
}

}  // namespace tsc::observe
