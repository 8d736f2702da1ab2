#include "interp/runtime/containers/dict.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "core/system/memory_watch.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

bool is_same_key(const IValue& a, const IValue& b) {
  return (a.payload_bits() == b.payload_bits() && a.tag() == b.tag()) || values_equal(a, b);
}

// The order in which slots are looked at: from the hash's low bits on, and by its high bits where
// others are in the way.
class Probe {
 public:
  Probe(int64_t hash, size_t mask)
      : perturb_(static_cast<uint64_t>(hash)), mask_(mask), at_(perturb_ & mask) {}
  size_t at() const { return at_; }
  void next() {
    perturb_ >>= 5;
    at_ = (at_ * 5 + perturb_ + 1) & mask_;
  }

 private:
  uint64_t perturb_;
  size_t mask_;
  size_t at_;
};

}  // namespace

size_t DictObject::find_entry(const IValue& key, int64_t hash) const {
  if (slots_ == nullptr) {
    for (size_t i = 0; i < entry_count_; i++) {
      if (entries_[i].hash == hash && is_same_key(entries_[i].key, key)) {
        return i;
      }
    }
    return kNoEntry;
  }
  for (Probe probe(hash, slot_mask_);; probe.next()) {
    const uint32_t slot = slots_[probe.at()];
    if (slot == kFree) {
      return kNoEntry;
    }
    if (slot != kRemovedSlot) {
      const Entry& entry = entries_[slot - kFirstEntry];
      if (entry.hash == hash && is_same_key(entry.key, key)) {
        return slot - kFirstEntry;
      }
    }
  }
}

IValue* DictObject::find(const IValue& key, int64_t hash) {
  const size_t index = find_entry(key, hash);
  return index == kNoEntry ? nullptr : &entries_[index].value;
}

IValue* DictObject::find(const IValue& key) { return find(key, hash_of(key)); }

IValue* DictObject::find_text(std::string_view key) { return find(IValue(key)); }

void DictObject::set(const IValue& key, IValue value) { set(key, hash_of(key), std::move(value)); }

void DictObject::set(const IValue& key, int64_t hash, IValue value) {
  const size_t index = find_entry(key, hash);
  if (index != kNoEntry) {
    // The old value dies after the new one is in place: its end may look at this dict.
    entries_[index].value.swap(value);
    return;
  }
  append(key, hash, std::move(value));
}

IValue& DictObject::find_or_insert(const IValue& key, IValue value) {
  const int64_t hash = hash_of(key);
  size_t index = find_entry(key, hash);
  if (index == kNoEntry) {
    index = append(key, hash, std::move(value));
  }
  return entries_[index].value;
}

size_t DictObject::append(const IValue& key, int64_t hash, IValue value) {
  if (entry_count_ == capacity_) {
    make_room();
  }
  if (slots_ == nullptr) {
    if (entry_count_ >= kLinear) {
      make_slots(size_ + 1);
    }
  } else if ((slots_taken_ + 1) * 3 > (slot_mask_ + 1) * 2) {
    make_slots(size_ + 1);
  }
  const size_t index = entry_count_++;
  new (&entries_[index]) Entry{hash, key, std::move(value)};
  if (slots_ != nullptr) {
    link(index);
  }
  size_++;
  version_++;
  return index;
}

void DictObject::link(size_t index) {
  Probe probe(entries_[index].hash, slot_mask_);
  while (slots_[probe.at()] >= kFirstEntry) {
    probe.next();
  }
  uint32_t& slot = slots_[probe.at()];
  slots_taken_ += slot == kFree ? 1 : 0;
  slot = static_cast<uint32_t>(index) + kFirstEntry;
}

// For one more entry: where a quarter has been removed, by packing.
void DictObject::make_room() {
  if (size_ + entry_count_ / 4 < entry_count_) {
    pack();
  } else {
    set_capacity(std::max<size_t>(4, capacity_ * 2));
  }
}

void DictObject::set_capacity(size_t capacity) {
  entries_ = static_cast<Entry*>(
      reallocate_memory(static_cast<void*>(entries_), capacity * sizeof(Entry)));
  capacity_ = capacity;
}

void DictObject::pack() {
  size_t kept = 0;
  for (size_t i = 0; i < entry_count_; i++) {
    if (!entries_[i].is_removed()) {
      std::memcpy(static_cast<void*>(&entries_[kept++]), &entries_[i], sizeof(Entry));
    }
  }
  entry_count_ = kept;
  if (slots_ != nullptr) {
    // They say where the entries were.
    std::free(std::exchange(slots_, nullptr));
    slot_mask_ = slots_taken_ = 0;
    make_slots(size_ + 1);
  }
}

// New slots for `count` entries: at least half of them stay free. Where that throws, the old slots
// are still there.
void DictObject::make_slots(size_t count) {
  const size_t slot_count = std::bit_ceil(std::max(2 * count, 4 * kLinear));
  struct Free {
    void operator()(uint32_t* slots) const { std::free(slots); }
  };
  std::unique_ptr<uint32_t, Free> slots(
      static_cast<uint32_t*>(allocate_zeroed_memory(slot_count * sizeof(uint32_t))));
  size_t taken = 0;
  for (size_t i = 0; i < entry_count_; i++) {
    if (entries_[i].is_removed()) {
      continue;
    }
    throw_if_interrupted();
    Probe probe(entries_[i].hash, slot_count - 1);
    while (slots.get()[probe.at()] != kFree) {
      probe.next();
    }
    slots.get()[probe.at()] = static_cast<uint32_t>(i) + kFirstEntry;
    taken++;
  }
  std::free(slots_);
  slots_ = slots.release();
  slot_mask_ = slot_count - 1;
  slots_taken_ = taken;
}

void DictObject::reserve(size_t count) {
  if (count > capacity_) {
    set_capacity(count);
  }
  if (count > kLinear && count * 3 > (slot_mask_ + 1) * 2) {
    make_slots(count);
  }
}

void DictObject::remove_entry(size_t index) {
  Entry& entry = entries_[index];
  if (slots_ != nullptr) {
    Probe probe(entry.hash, slot_mask_);
    while (slots_[probe.at()] != index + kFirstEntry) {
      probe.next();
    }
    slots_[probe.at()] = kRemovedSlot;
  }
  size_--;
  version_++;
  entry.hash = kRemoved;
  // Their ends may look at this dict, which is whole by then.
  const IValue key = std::move(entry.key);
  const IValue value = std::move(entry.value);
  while (entry_count_ > 0 && entries_[entry_count_ - 1].is_removed()) {
    entry_count_--;
  }
}

bool DictObject::remove(const IValue& key, IValue* value) {
  const size_t index = find_entry(key, hash_of(key));
  if (index == kNoEntry) {
    return false;
  }
  if (value != nullptr) {
    *value = std::move(entries_[index].value);
  }
  remove_entry(index);
  return true;
}

bool DictObject::remove_last(IValue& key, IValue& value) {
  if (size_ == 0) {
    return false;
  }
  // remove_entry() leaves no removed entry at the end.
  const size_t index = entry_count_ - 1;
  key = entries_[index].key;
  value = std::move(entries_[index].value);
  remove_entry(index);
  return true;
}

void DictObject::remove_all() noexcept {
  Entry* entries = std::exchange(entries_, nullptr);
  const size_t count = std::exchange(entry_count_, 0);
  std::free(std::exchange(slots_, nullptr));
  capacity_ = slot_mask_ = slots_taken_ = size_ = 0;
  version_++;
  std::destroy_n(entries, count);
  std::free(static_cast<void*>(entries));
}

void DictObject::traverse(ChildVisitor visit, void* context) {
  for (const Entry& entry : entries()) {
    visit_child(entry.key, visit, context);
    visit_child(entry.value, visit, context);
  }
}

}  // namespace tsc::interp
