// DictObject: a hash table that keeps the order of insertion.
//
//   slots:    [ . | 4 | . | 2 | x | 3 | . | . ]     where an entry is (+ 2), free, or removed
//   entries:  [ hash key value | hash key value | hash key value ]   in order of insertion
//
// A search begins at the slot of the hash's low bits, so that integers in a row lie in a row, and
// jumps from there as CPython's does. Up to eight entries there are no slots: comparing eight
// hashes is faster. A removed entry stays in its place, marked by its hash, until the entries are
// packed. Values are moved by copying their bytes, which lets large arrays grow without being
// copied at all.
#pragma once

#include <cstdint>
#include <span>

#include "core/allocator.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

class TSC_API DictObject final : public ContainerObject {
 public:
  // hash_of() never gives it.
  static constexpr int64_t kRemoved = -1;
  struct Entry {
    int64_t hash;
    IValue key;
    IValue value;
    bool is_removed() const { return hash == kRemoved; }
  };

  DictObject() = default;
  ~DictObject() override { remove_all(); }
  TSC_USE_FREE_LIST(DictObject)

  size_t size() const { return size_; }
  // Null where the key is missing. The pointer holds until the next insertion.
  IValue* find(const IValue& key);
  IValue* find(const IValue& key, int64_t hash);
  // A key of text, without making an object of it.
  IValue* find_text(std::string_view key);
  // Inserts or replaces; a key that is there stays the object that it is.
  void set(const IValue& key, IValue value);
  void set(const IValue& key, int64_t hash, IValue value);
  // The value of `key`, which is inserted with `value` where it is missing.
  IValue& find_or_insert(const IValue& key, IValue value);
  // False where the key is missing; its value goes to `value` if that is given.
  bool remove(const IValue& key, IValue* value = nullptr);
  bool remove_last(IValue& key, IValue& value);
  void reserve(size_t count);
  void remove_all() noexcept;

  // Entries in order, removed ones among them.
  std::span<const Entry> entries() const { return {entries_, entry_count_}; }
  std::span<Entry> entries() { return {entries_, entry_count_}; }
  // Counts insertions and removals of keys, so that an iterator can see that the dict has changed.
  uint32_t version() const { return version_; }

  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { remove_all(); }

 private:
  static constexpr size_t kNoEntry = SIZE_MAX;
  static constexpr size_t kLinear = 8;
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kRemovedSlot = 1;
  static constexpr uint32_t kFirstEntry = 2;

  size_t find_entry(const IValue& key, int64_t hash) const;
  size_t append(const IValue& key, int64_t hash, IValue value);
  void remove_entry(size_t index);
  void make_room();
  void pack();
  void set_capacity(size_t capacity);
  void make_slots(size_t count);
  void link(size_t index);

  Entry* entries_ = nullptr;
  uint32_t* slots_ = nullptr;
  size_t entry_count_ = 0;  // removed ones among them
  size_t capacity_ = 0;
  size_t slot_mask_ = 0;
  size_t slots_taken_ = 0;  // those that are not free
  size_t size_ = 0;
  uint32_t version_ = 0;
};

inline DictObject* as_dict(const IValue& value) { return value.as_object<DictObject>(); }
inline IValue make_dict() { return IValue::adopt(Tag::Dict, new DictObject()); }

}  // namespace tsc::interp
