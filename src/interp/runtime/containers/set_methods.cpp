// The classes set and frozenset.
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/set.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/gc.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/repr_guard.h"

namespace tsc::interp {

namespace {

SetObject& self_of(const Arguments& arguments) { return *as_set(arguments[0]); }

IValue construct_set(Interpreter&, Arguments& arguments) {
  collect_if_due();
  return arguments.size() == 0 ? make_set() : make_set_from(arguments[0]);
}

IValue construct_frozenset(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 0) {
    return make_set(kFrozenSetType);
  }
  return is_object_of(arguments[0], kFrozenSetType) ? arguments[0]
                                                    : make_set_from(arguments[0], kFrozenSetType);
}

IValue set_add(Interpreter&, Arguments& arguments) {
  self_of(arguments).add(arguments[1]);
  return {};
}

IValue set_clear(Interpreter&, Arguments& arguments) {
  self_of(arguments).remove_all();
  return {};
}

IValue set_copy(Interpreter&, Arguments& arguments) {
  return is_object_of(arguments[0], kFrozenSetType) ? arguments[0] : copy_set(arguments[0]);
}

IValue set_discard(Interpreter&, Arguments& arguments) {
  self_of(arguments).discard(arguments[1]);
  return {};
}

IValue set_remove(Interpreter&, Arguments& arguments) {
  if (!self_of(arguments).discard(arguments[1])) {
    throw_key_error(arguments[1]);
  }
  return {};
}

IValue set_pop(Interpreter&, Arguments& arguments) {
  IValue key;
  if (!self_of(arguments).pop(key)) {
    throw_key_error(IValue("pop from an empty set"));
  }
  return key;
}

IValue set_update(Interpreter&, Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); i++) {
    self_of(arguments).update(arguments[i]);
  }
  return {};
}

IValue set_union(Interpreter&, Arguments& arguments) {
  IValue result = copy_set(arguments[0]);
  for (size_t i = 1; i < arguments.size(); i++) {
    as_set(result)->update(arguments[i]);
  }
  return result;
}

IValue set_intersection(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 1) {
    return copy_set(arguments[0]);
  }
  IValue result = arguments[0];
  for (size_t i = 1; i < arguments.size(); i++) {
    result = intersect_set(result, arguments[i]);
  }
  return result;
}

IValue set_intersection_update(Interpreter& interpreter, Arguments& arguments) {
  const IValue result = set_intersection(interpreter, arguments);
  self_of(arguments).swap_members(*as_set(result));
  return {};
}

IValue set_difference(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 1) {
    return copy_set(arguments[0]);
  }
  IValue result = subtract_set(arguments[0], arguments[1]);
  for (size_t i = 2; i < arguments.size(); i++) {
    as_set(result)->subtract(arguments[i]);
  }
  return result;
}

IValue set_difference_update(Interpreter&, Arguments& arguments) {
  for (size_t i = 1; i < arguments.size(); i++) {
    self_of(arguments).subtract(arguments[i]);
  }
  return {};
}

// As CPython does it: a set of the other's members, in which this one's are toggled.
IValue symmetric_difference(const IValue& set, const IValue& iterable) {
  IValue result = make_set_from(iterable, type_of(set));
  as_set(result)->toggle(set);
  return result;
}

IValue set_symmetric_difference(Interpreter&, Arguments& arguments) {
  return symmetric_difference(arguments[0], arguments[1]);
}

IValue set_symmetric_difference_update(Interpreter&, Arguments& arguments) {
  self_of(arguments).toggle(arguments[1]);
  return {};
}

bool is_subset(const SetObject& a, const SetObject& b) {
  if (a.size() > b.size()) {
    return false;
  }
  for (const SetObject::Entry& entry : a.entries()) {
    if (entry.is_member() && !b.contains(entry.key, entry.hash)) {
      return false;
    }
  }
  return true;
}

IValue set_isdisjoint(Interpreter&, Arguments& arguments) {
  bool is_disjoint = true;
  for_each_item(arguments[1], [&](const IValue& item) {
    is_disjoint = !self_of(arguments).contains(item);
    return is_disjoint;
  });
  return is_disjoint;
}

IValue as_any_set(const IValue& iterable) {
  return is_set(iterable) ? iterable : make_set_from(iterable);
}

IValue set_issubset(Interpreter&, Arguments& arguments) {
  return is_subset(self_of(arguments), *as_set(as_any_set(arguments[1])));
}

IValue set_issuperset(Interpreter&, Arguments& arguments) {
  return is_subset(*as_set(as_any_set(arguments[1])), self_of(arguments));
}

void repr_set(const IValue& self, std::string& out) {
  const bool is_frozen = is_object_of(self, kFrozenSetType);
  const ReprGuard guard(self);
  const SetObject& set = *as_set(self);
  if (set.size() == 0 || guard.is_inside()) {
    out.append(type_name(self)).append(set.size() == 0 ? "()" : "(...)");
    return;
  }
  out += is_frozen ? "frozenset({" : "{";
  std::string_view separator;
  for (const SetObject::Entry& entry : set.entries()) {
    if (entry.is_member()) {
      out += separator;
      separator = ", ";
      append_repr(entry.key, out);
    }
  }
  out += is_frozen ? "})" : "}";
}

// CPython's: it does not depend on the order of the members.
int64_t hash_frozenset(const IValue& self) {
  const auto shuffle = [](uint64_t bits) {
    return ((bits ^ 89869747u) ^ (bits << 16)) * 3644798167u;
  };
  uint64_t hash = 0;
  for (const SetObject::Entry& entry : as_set(self)->entries()) {
    if (entry.is_member()) {
      hash ^= shuffle(static_cast<uint64_t>(entry.hash));
    }
  }
  hash ^= (static_cast<uint64_t>(as_set(self)->size()) + 1) * 1927868237u;
  hash ^= (hash >> 11) ^ (hash >> 25);
  hash = hash * 69069u + 907133923u;
  return hash == static_cast<uint64_t>(-1) ? 590923713 : static_cast<int64_t>(hash);
}

int64_t set_length(const IValue& self) { return static_cast<int64_t>(as_set(self)->size()); }

bool set_contains(const IValue& self, const IValue& item) { return as_set(self)->contains(item); }

class SetIterator final : public Object {
 public:
  explicit SetIterator(IValue set_)
      : Object(kSetIteratorType), set(std::move(set_)), size(as_set(set)->size()) {}
  TSC_USE_FREE_LIST(SetIterator)
  void traverse(ChildVisitor visit, void* context) override { visit_child(set, visit, context); }
  void clear() noexcept override { set = IValue(); }
  IValue set;  // None at the end
  size_t size;
  size_t position = 0;
};

IValue iterate_set(const IValue& self) { return IValue::adopt(Tag::Object, new SetIterator(self)); }

bool next_member(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<SetIterator>();
  if (iterator.set.is_none()) {
    return false;
  }
  const SetObject& set = *as_set(iterator.set);
  if (set.size() != iterator.size) {
    iterator.size = SIZE_MAX;
    throw_error(ErrorKind::RuntimeError, "Set changed size during iteration");
  }
  while (iterator.position < set.entries().size()) {
    const SetObject::Entry& entry = set.entries()[iterator.position++];
    if (entry.is_member()) {
      result = entry.key;
      return true;
    }
  }
  iterator.set = IValue();
  return false;
}

bool compare_set(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_set(right)) {
    return false;
  }
  const SetObject& a = *as_set(left);
  const SetObject& b = *as_set(right);
  switch (op) {
    case CompareOp::Less: result = a.size() < b.size() && is_subset(a, b); return true;
    case CompareOp::LessEqual: result = is_subset(a, b); return true;
    case CompareOp::Equal: result = a.size() == b.size() && is_subset(a, b); return true;
    case CompareOp::NotEqual: result = !(a.size() == b.size() && is_subset(a, b)); return true;
    case CompareOp::Greater: result = b.size() < a.size() && is_subset(b, a); return true;
    case CompareOp::GreaterEqual: result = is_subset(b, a); return true;
    case CompareOp::Is:
    case CompareOp::IsNot:
    case CompareOp::In:
    case CompareOp::NotIn: break;
  }
  return false;
}

bool set_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_set(left) || !is_set(right)) {
    return false;
  }
  if (op == BinaryOp::And) {
    result = intersect_set(left, right);
  } else if (op == BinaryOp::Subtract) {
    result = subtract_set(left, right);
  } else if (op == BinaryOp::Xor) {
    result = symmetric_difference(left, right);
  } else if (op == BinaryOp::Or) {
    result = copy_set(left);
    as_set(result)->update(right);
  } else {
    return false;
  }
  return true;
}

bool set_inplace(BinaryOp op, IValue& target, const IValue& value) {
  if (!is_set(value)) {
    return false;
  }
  SetObject& set = *as_set(target);
  if (op == BinaryOp::And) {
    const IValue result = intersect_set(target, value);
    set.swap_members(*as_set(result));
  } else if (op == BinaryOp::Subtract) {
    set.subtract(value);
  } else if (op == BinaryOp::Xor) {
    set.toggle(value);
  } else if (op == BinaryOp::Or) {
    set.update(value);
  } else {
    return false;
  }
  return true;
}

constexpr BuiltinDef kSetConstructor = {"set", construct_set, 0, 1};
constexpr BuiltinDef kFrozenSetConstructor = {"frozenset", construct_frozenset, 0, 1};

constexpr int8_t kAny = BuiltinDef::kAny;
constexpr BuiltinDef kSetMethods[] = {
    {"add", set_add, 1, 1, {}, "set"},
    {"clear", set_clear, 0, 0, {}, "set"},
    {"copy", set_copy, 0, 0, {}, "set"},
    {"difference", set_difference, 0, kAny, {}, "set"},
    {"difference_update", set_difference_update, 0, kAny, {}, "set"},
    {"discard", set_discard, 1, 1, {}, "set"},
    {"intersection", set_intersection, 0, kAny, {}, "set"},
    {"intersection_update", set_intersection_update, 0, kAny, {}, "set"},
    {"isdisjoint", set_isdisjoint, 1, 1, {}, "set"},
    {"issubset", set_issubset, 1, 1, {}, "set"},
    {"issuperset", set_issuperset, 1, 1, {}, "set"},
    {"pop", set_pop, 0, 0, {}, "set"},
    {"remove", set_remove, 1, 1, {}, "set"},
    {"symmetric_difference", set_symmetric_difference, 1, 1, {}, "set"},
    {"symmetric_difference_update", set_symmetric_difference_update, 1, 1, {}, "set"},
    {"union", set_union, 0, kAny, {}, "set"},
    {"update", set_update, 0, kAny, {}, "set"},
};
constexpr BuiltinDef kFrozenSetMethods[] = {
    {"copy", set_copy, 0, 0, {}, "frozenset"},
    {"difference", set_difference, 0, kAny, {}, "frozenset"},
    {"intersection", set_intersection, 0, kAny, {}, "frozenset"},
    {"isdisjoint", set_isdisjoint, 1, 1, {}, "frozenset"},
    {"issubset", set_issubset, 1, 1, {}, "frozenset"},
    {"issuperset", set_issuperset, 1, 1, {}, "frozenset"},
    {"symmetric_difference", set_symmetric_difference, 1, 1, {}, "frozenset"},
    {"union", set_union, 0, kAny, {}, "frozenset"},
};

}  // namespace

constinit const Type kSetType = {
    .name = "set",
    .methods = kSetMethods,
    .constructor = &kSetConstructor,
    .repr = repr_set,
    .unhashable = true,
    .length = set_length,
    .iterate = iterate_set,
    .contains = set_contains,
    .binary = set_binary,
    .inplace = set_inplace,
    .compare = compare_set,
};
constinit const Type kFrozenSetType = {
    .name = "frozenset",
    .methods = kFrozenSetMethods,
    .constructor = &kFrozenSetConstructor,
    .repr = repr_set,
    .hash = hash_frozenset,
    .length = set_length,
    .iterate = iterate_set,
    .contains = set_contains,
    .binary = set_binary,
    .compare = compare_set,
};
constinit const Type kSetIteratorType = {
    .name = "set_iterator", .iterate = iterator_itself, .next = next_member};

}  // namespace tsc::interp
