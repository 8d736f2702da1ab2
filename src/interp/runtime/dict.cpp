#include "interp/runtime/dict.h"

#include <algorithm>

#include "interp/runtime/operators.h"
#include "interp/runtime/protocols.h"

namespace tsc::interp {

namespace {

// Spreads the hash over the slots: integers in a row must not lie in a row modulo a power of two
// only because their differences are one.
uint64_t spread(int64_t hash) {
  const uint64_t product = static_cast<uint64_t>(hash) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}

uint64_t slot_value(uint64_t mixed, size_t index) {
  return (mixed & 0xffffffff00000000) | (index + 1);
}

bool is_same_key(const IValue& a, const IValue& b) {
  return (a.payload_bits() == b.payload_bits() && a.tag() == b.tag()) || values_equal(a, b);
}

}  // namespace

size_t DictObject::find_entry(const IValue& key, int64_t hash) const {
  if (slots_.empty()) {
    for (size_t i = 0; i < entries_.size(); i++) {
      if (entries_[i].hash == hash && is_same_key(entries_[i].key, key)) {
        return i;
      }
    }
    return kNoEntry;
  }
  const size_t mask = slots_.size() - 1;
  const uint64_t mixed = spread(hash);
  for (size_t at = mixed & mask; slots_[at] != 0; at = (at + 1) & mask) {
    if ((slots_[at] ^ mixed) >> 32 == 0) {
      const size_t index = static_cast<uint32_t>(slots_[at]) - 1;
      const Entry& entry = entries_[index];
      if (entry.hash == hash && is_same_key(entry.key, key)) {
        return index;
      }
    }
  }
  return kNoEntry;
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
    append(key, hash, std::move(value));
    index = entries_.size() - 1;
  }
  return entries_[index].value;
}

void DictObject::append(const IValue& key, int64_t hash, IValue value) {
  // Two thirds at most of the slots are taken.
  if (slots_.empty() ? entries_.size() >= kLinear : (entries_.size() + 1) * 3 > slots_.size() * 2) {
    rebuild(size_ + 1);
  }
  entries_.push_back(Entry{hash, key, std::move(value)});
  if (!slots_.empty()) {
    link(entries_.size() - 1);
  }
  size_++;
  version_++;
}

void DictObject::link(size_t index) {
  const size_t mask = slots_.size() - 1;
  const uint64_t mixed = spread(entries_[index].hash);
  size_t at = mixed & mask;
  while (slots_[at] != 0) {
    at = (at + 1) & mask;
  }
  slots_[at] = slot_value(mixed, index);
}

// Packs the entries and makes room for `count` of them, and as many again.
void DictObject::rebuild(size_t count) {
  if (size_ != entries_.size()) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                  [](const Entry& entry) { return entry.is_removed(); }),
                   entries_.end());
  }
  slots_.clear();
  if (count > kLinear) {
    size_t capacity = 4 * kLinear;
    while (capacity < count * 3) {
      capacity *= 2;
    }
    slots_.assign(capacity, 0);
    for (size_t i = 0; i < entries_.size(); i++) {
      link(i);
    }
  }
}

void DictObject::reserve(size_t count) {
  entries_.reserve(count);
  if (count > kLinear && count * 3 > slots_.size() * 2) {
    rebuild(count);
  }
}

size_t DictObject::find_slot(size_t index) const {
  const size_t mask = slots_.size() - 1;
  size_t at = spread(entries_[index].hash) & mask;
  while (static_cast<uint32_t>(slots_[at]) != index + 1) {
    at = (at + 1) & mask;
  }
  return at;
}

// Takes the entry out of the slots, closing the gap: those behind it that may lie in its place move
// up, so that a search never meets a hole before its key.
void DictObject::remove_entry(size_t index) {
  if (!slots_.empty()) {
    const size_t mask = slots_.size() - 1;
    size_t gap = find_slot(index);
    for (size_t at = (gap + 1) & mask; slots_[at] != 0; at = (at + 1) & mask) {
      const size_t home = spread(entries_[static_cast<uint32_t>(slots_[at]) - 1].hash) & mask;
      if (((at - home) & mask) >= ((at - gap) & mask)) {
        slots_[gap] = slots_[at];
        gap = at;
      }
    }
    slots_[gap] = 0;
  }
  size_--;
  version_++;
  Entry& entry = entries_[index];
  entry.hash = kRemoved;
  // Their ends may look at this dict, which is whole by now.
  const IValue key = std::move(entry.key);
  const IValue value = std::move(entry.value);
  if (size_ == 0) {
    entries_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
    return;
  }
  while (entries_.back().is_removed()) {
    entries_.pop_back();
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
  const size_t index = entries_.size() - 1;
  key = entries_[index].key;
  value = std::move(entries_[index].value);
  remove_entry(index);
  return true;
}

void DictObject::remove_all() noexcept {
  std::vector<Entry> dying;
  dying.swap(entries_);
  slots_.clear();
  size_ = 0;
  version_++;
}

void DictObject::traverse(ChildVisitor visit, void* context) {
  for (const Entry& entry : entries_) {
    visit_child(entry.key, visit, context);
    visit_child(entry.value, visit, context);
  }
}

}  // namespace tsc::interp
