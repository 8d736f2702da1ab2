// SetObject: set and frozenset.
//
// The table is CPython's (Objects/setobject.c): linear probing in runs of ten, then a perturbed
// jump; the same sizes and the same order of insertion in each operation. So sets of numbers print
// and iterate in CPython's order.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

class TSC_API SetObject final : public Object {
 public:
  struct Entry {
    // hash_of() is never -1, which marks an entry without a member: free where `key` is None, else
    // removed.
    int64_t hash = kNoMember;
    IValue key;
    bool is_member() const { return hash != kNoMember; }
    bool is_free() const { return hash == kNoMember && key.is_none(); }
  };
  static constexpr int64_t kNoMember = -1;

  explicit SetObject(const Type& type) : Object(type), table_(kMinimum) {}

  size_t size() const { return used_; }
  bool contains(const IValue& key) const;
  bool contains(const IValue& key, int64_t hash) const { return find(key, hash) != nullptr; }
  // False where the key is a member already.
  bool add(const IValue& key);
  bool add(const IValue& key, int64_t hash);
  // False where the key is not a member.
  bool discard(const IValue& key);
  bool discard(const IValue& key, int64_t hash);
  bool pop(IValue& key);
  void remove_all() noexcept;
  // set.update(): adds every item of an iterable; a set or a dict at once.
  void update(const IValue& iterable);
  void merge(const SetObject& other);
  // set.difference_update() and set.symmetric_difference_update()
  void subtract(const IValue& iterable);
  void toggle(const IValue& iterable);
  void swap_members(SetObject& other) noexcept;

  const std::vector<Entry>& entries() const { return table_; }

  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { remove_all(); }

 private:
  static constexpr size_t kMinimum = 8;
  static constexpr size_t kLinearProbes = 9;

  size_t mask() const { return table_.size() - 1; }
  const Entry* find(const IValue& key, int64_t hash) const;
  static void insert_clean(std::vector<Entry>& table, const IValue& key, int64_t hash);
  void resize(size_t minimum);
  void grow();
  void shrink_if_sparse();

  std::vector<Entry> table_;
  size_t fill_ = 0;  // members and removed ones
  size_t used_ = 0;
  size_t finger_ = 0;
};

inline bool is_set(const IValue& value) {
  return value.tag() == Tag::Object && (&value.as_object<Object>()->type() == &kSetType ||
                                        &value.as_object<Object>()->type() == &kFrozenSetType);
}
inline SetObject* as_set(const IValue& value) { return value.as_object<SetObject>(); }
inline IValue make_set(const Type& type = kSetType) {
  return IValue::adopt(Tag::Object, new SetObject(type));
}
TSC_API IValue make_set_from(const IValue& iterable, const Type& type = kSetType);
TSC_API IValue copy_set(const IValue& set);
// set.intersection() and set.difference(): a set of the first one's type.
TSC_API IValue intersect_set(const IValue& set, const IValue& iterable);
TSC_API IValue subtract_set(const IValue& set, const IValue& iterable);
// `{1, 2, 3}` with three or more constants: CPython makes a frozenset of them and merges that,
// which shows in the order.
TSC_API IValue make_set_of_constants(std::span<const IValue> items);

}  // namespace tsc::interp
