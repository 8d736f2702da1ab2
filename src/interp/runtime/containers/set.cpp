#include "interp/runtime/containers/set.h"

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

constexpr int kPerturbShift = 5;

// Visits the places where a member with `hash` may lie, until `visit` returns true.
template <class Visit>
void probe(size_t mask, size_t linear_probes, int64_t hash, const Visit& visit) {
  auto perturb = static_cast<size_t>(hash);
  size_t i = perturb & mask;
  while (true) {
    const size_t run = i + linear_probes <= mask ? linear_probes : 0;
    for (size_t at = i; at <= i + run; at++) {
      if (visit(at)) {
        return;
      }
    }
    perturb >>= kPerturbShift;
    i = (i * 5 + 1 + perturb) & mask;
  }
}

bool is_same_member(const IValue& a, const IValue& b) { return values_equal(a, b); }

}  // namespace

const SetObject::Entry* SetObject::find(const IValue& key, int64_t hash) const {
  const Entry* found = nullptr;
  probe(mask(), kLinearProbes, hash, [&](size_t at) {
    const Entry& entry = table_[at];
    if (entry.is_free()) {
      return true;
    }
    if (entry.hash == hash && is_same_member(entry.key, key)) {
      found = &entry;
      return true;
    }
    return false;
  });
  return found;
}

bool SetObject::contains(const IValue& key) const {
  // A set is looked up as the frozenset that it could be.
  const int64_t hash = is_object_of(key, kSetType) ? kFrozenSetType.hash(key) : hash_of(key);
  return contains(key, hash);
}

bool SetObject::add(const IValue& key) { return add(key, hash_of(key)); }

bool SetObject::add(const IValue& key, int64_t hash) {
  constexpr size_t kNowhere = SIZE_MAX;
  size_t place = 0;
  size_t removed = kNowhere;
  bool is_there = false;
  probe(mask(), kLinearProbes, hash, [&](size_t at) {
    const Entry& entry = table_[at];
    place = at;
    if (entry.is_free()) {
      return true;
    }
    if (!entry.is_member()) {
      removed = at;
      return false;
    }
    is_there = entry.hash == hash && is_same_member(entry.key, key);
    return is_there;
  });
  if (is_there) {
    return false;
  }
  used_++;
  // The last place on the way that had a member before is taken again.
  Entry& entry = table_[removed != kNowhere ? removed : place];
  entry.key = key;
  entry.hash = hash;
  if (removed == kNowhere) {
    fill_++;
    grow();
  }
  return true;
}

void SetObject::grow() {
  if (fill_ * 5 >= mask() * 3) {
    resize(used_ > 50000 ? used_ * 2 : used_ * 4);
  }
}

void SetObject::insert_clean(std::vector<Entry>& table, const IValue& key, int64_t hash) {
  probe(table.size() - 1, kLinearProbes, hash, [&](size_t at) {
    if (!table[at].is_free()) {
      return false;
    }
    table[at].key = key;
    table[at].hash = hash;
    return true;
  });
}

void SetObject::resize(size_t minimum) {
  size_t capacity = kMinimum;
  while (capacity <= minimum) {
    capacity *= 2;
  }
  std::vector<Entry> table(capacity);
  for (const Entry& entry : table_) {
    throw_if_interrupted();
    if (entry.is_member()) {
      insert_clean(table, entry.key, entry.hash);
    }
  }
  table_.swap(table);
  fill_ = used_;
}

bool SetObject::discard(const IValue& key) {
  return discard(key, is_object_of(key, kSetType) ? kFrozenSetType.hash(key) : hash_of(key));
}

bool SetObject::discard(const IValue& key, int64_t hash) {
  const Entry* found = find(key, hash);
  if (found == nullptr) {
    return false;
  }
  Entry& entry = table_[static_cast<size_t>(found - table_.data())];
  const IValue dying = std::move(entry.key);
  entry.key = true;
  entry.hash = kNoMember;
  used_--;
  return true;
}

bool SetObject::pop(IValue& key) {
  if (used_ == 0) {
    return false;
  }
  size_t at = finger_ & mask();
  while (!table_[at].is_member()) {
    at = at == mask() ? 0 : at + 1;
  }
  key = std::move(table_[at].key);
  table_[at].key = true;
  table_[at].hash = kNoMember;
  used_--;
  finger_ = at + 1;
  return true;
}

void SetObject::remove_all() noexcept {
  std::vector<Entry> dying(kMinimum);
  dying.swap(table_);
  fill_ = used_ = finger_ = 0;
}

void SetObject::merge(const SetObject& other) {
  if (&other == this || other.used_ == 0) {
    return;
  }
  if ((fill_ + other.used_) * 5 >= mask() * 3) {
    resize((used_ + other.used_) * 2);
  }
  if (fill_ == 0 && mask() == other.mask() && other.fill_ == other.used_) {
    table_ = other.table_;
    fill_ = used_ = other.used_;
    return;
  }
  if (fill_ == 0) {
    fill_ = used_ = other.used_;
    for (const Entry& entry : other.table_) {
      if (entry.is_member()) {
        insert_clean(table_, entry.key, entry.hash);
      }
    }
    return;
  }
  for (size_t i = 0; i < other.table_.size(); i++) {
    throw_if_interrupted();
    if (other.table_[i].is_member()) {
      add(other.table_[i].key, other.table_[i].hash);
    }
  }
}

void SetObject::update(const IValue& iterable) {
  if (is_set(iterable)) {
    merge(*as_set(iterable));
    return;
  }
  if (iterable.tag() == Tag::Dict) {
    const DictObject& dict = *as_dict(iterable);
    if ((fill_ + dict.size()) * 5 >= mask() * 3) {
      resize((used_ + dict.size()) * 2);
    }
    for (const DictObject::Entry& entry : dict.entries()) {
      throw_if_interrupted();
      if (!entry.is_removed()) {
        add(entry.key, entry.hash);
      }
    }
    return;
  }
  for_each_item(iterable, [&](const IValue& item) {
    add(item);
    return true;
  });
}

void SetObject::subtract(const IValue& iterable) {
  if (is_set(iterable)) {
    if (as_set(iterable) == this) {
      remove_all();
      return;
    }
    // From a much larger set, only the common members are removed one by one.
    IValue other = iterable;
    if (as_set(iterable)->used_ >> 3 > used_) {
      other = IValue::adopt(Tag::Object, new SetObject(kSetType));
      for (const Entry& entry : table_) {
        if (entry.is_member() && as_set(iterable)->contains(entry.key, entry.hash)) {
          as_set(other)->add(entry.key, entry.hash);
        }
      }
    }
    for (const Entry& entry : as_set(other)->table_) {
      throw_if_interrupted();
      if (entry.is_member()) {
        discard(entry.key, entry.hash);
      }
    }
  } else {
    for_each_item(iterable, [&](const IValue& item) {
      discard(item);
      return true;
    });
  }
  shrink_if_sparse();
}

void SetObject::shrink_if_sparse() {
  if (fill_ - used_ > mask() / 4) {
    resize(used_ > 50000 ? used_ * 2 : used_ * 4);
  }
}

void SetObject::toggle(const IValue& iterable) {
  const IValue other = is_set(iterable) ? iterable : make_set_from(iterable);
  if (as_set(other) == this) {
    remove_all();
    return;
  }
  for (const Entry& entry : as_set(other)->table_) {
    throw_if_interrupted();
    if (entry.is_member() && !discard(entry.key, entry.hash)) {
      add(entry.key, entry.hash);
    }
  }
}

void SetObject::swap_members(SetObject& other) noexcept {
  table_.swap(other.table_);
  std::swap(fill_, other.fill_);
  std::swap(used_, other.used_);
  std::swap(finger_, other.finger_);
}

void SetObject::traverse(ChildVisitor visit, void* context) {
  for (const Entry& entry : table_) {
    visit_child(entry.key, visit, context);
  }
}

IValue make_set_from(const IValue& iterable, const Type& type) {
  IValue set = make_set(type);
  as_set(set)->update(iterable);
  return set;
}

IValue copy_set(const IValue& set) { return make_set_from(set, type_of(set)); }

IValue intersect_set(const IValue& set, const IValue& iterable) {
  if (iterable.is_same(set)) {
    return copy_set(set);
  }
  IValue result = make_set(type_of(set));
  if (!is_set(iterable)) {
    for_each_item(iterable, [&](const IValue& item) {
      const int64_t hash = hash_of(item);
      if (as_set(set)->contains(item, hash)) {
        as_set(result)->add(item, hash);
      }
      return true;
    });
    return result;
  }
  const SetObject* larger = as_set(set);
  const SetObject* smaller = as_set(iterable);
  if (smaller->size() > larger->size()) {
    std::swap(larger, smaller);
  }
  for (const SetObject::Entry& entry : smaller->entries()) {
    throw_if_interrupted();
    if (entry.is_member() && larger->contains(entry.key, entry.hash)) {
      as_set(result)->add(entry.key, entry.hash);
    }
  }
  return result;
}

IValue subtract_set(const IValue& set, const IValue& iterable) {
  const bool is_dict = iterable.tag() == Tag::Dict;
  if ((!is_set(iterable) && !is_dict) ||
      as_set(set)->size() >> 2 > static_cast<size_t>(length_of(iterable))) {
    IValue result = copy_set(set);
    as_set(result)->subtract(iterable);
    return result;
  }
  IValue result = make_set(type_of(set));
  for (const SetObject::Entry& entry : as_set(set)->entries()) {
    throw_if_interrupted();
    if (!entry.is_member()) {
      continue;
    }
    const bool in_other = is_dict ? as_dict(iterable)->find(entry.key, entry.hash) != nullptr
                                  : as_set(iterable)->contains(entry.key, entry.hash);
    if (!in_other) {
      as_set(result)->add(entry.key, entry.hash);
    }
  }
  return result;
}

IValue make_set_of_constants(std::span<const IValue> items) {
  const IValue written = make_set(kFrozenSetType);
  for (const IValue& item : items) {
    as_set(written)->add(item);
  }
  // CPython's compiler makes the frozenset anew from its members when it merges equal constants.
  const IValue constants = make_set(kFrozenSetType);
  for (const SetObject::Entry& entry : as_set(written)->entries()) {
    if (entry.is_member()) {
      as_set(constants)->add(entry.key, entry.hash);
    }
  }
  return make_set_from(constants);
}

}  // namespace tsc::interp
