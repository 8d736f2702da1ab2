// DictObject: a hash table that keeps the order of insertion.
//
//   slots:    [ . | 2 | . | 0 | . | 1 | . | . ]     hash bits and an index into entries
//   entries:  [ hash key value | hash key value | hash key value ]   in order of insertion
//
// Up to eight entries there are no slots: comparing eight hashes in a row is faster. A removed
// entry stays in its place, marked by its hash, until the entries are packed at the next growth.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/runtime/type.h"

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
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry>& entries() { return entries_; }
  // Counts insertions and removals of keys, so that an iterator can see that the dict has changed.
  uint32_t version() const { return version_; }

  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { remove_all(); }

 private:
  static constexpr size_t kNoEntry = SIZE_MAX;
  static constexpr size_t kLinear = 8;

  size_t find_entry(const IValue& key, int64_t hash) const;
  void append(const IValue& key, int64_t hash, IValue value);
  void remove_entry(size_t index);
  void rebuild(size_t capacity);
  void link(size_t index);
  size_t find_slot(size_t index) const;

  std::vector<Entry> entries_;
  // Empty, or a power of two; each is (hash's low 32 bits << 32 | index + 1), 0 if free.
  std::vector<uint64_t> slots_;
  size_t size_ = 0;
  uint32_t version_ = 0;
};

inline DictObject* as_dict(const IValue& value) { return value.as_object<DictObject>(); }
inline IValue make_dict() { return IValue::adopt(Tag::Dict, new DictObject()); }

}  // namespace tsc::interp
