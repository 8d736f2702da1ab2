// The class tuple, and the parts that classes derived from it share.
#include <algorithm>

#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/repr_guard.h"

namespace tsc::interp {

namespace {

std::span<const IValue> items_of_tuple(const IValue& value) {
  const TupleObject* tuple = tuple_of(value);
  return {tuple->items(), tuple->size()};
}

IValue construct_tuple(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 0) {
    return make_tuple({});
  }
  return arguments[0].is_tuple() ? arguments[0] : make_tuple(items_of(arguments[0]));
}

IValue tuple_count(Interpreter&, Arguments& arguments) {
  const auto items = items_of_tuple(arguments[0]);
  return std::count_if(items.begin(), items.end(), [&](const IValue& item) {
    throw_if_interrupted();
    return values_equal(item, arguments[1]);
  });
}

IValue tuple_index(Interpreter&, Arguments& arguments) {
  const auto items = items_of_tuple(arguments[0]);
  const Window window = window_of(arguments, 2, items.size(), false);
  for (size_t i = window.start; i < window.stop; i++) {
    throw_if_interrupted();
    if (values_equal(items[i], arguments[1])) {
      return i;
    }
  }
  throw_error(ErrorKind::ValueError, "tuple.index(x): x not in tuple");
}

bool next_in_tuple(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<SequenceItemIterator>();
  if (iterator.sequence.is_none()) {
    return false;
  }
  const TupleObject& items = *iterator.sequence.as_tuple();
  if (iterator.index < items.size()) {
    result = items[iterator.index++];
    return true;
  }
  iterator.sequence = IValue();
  return false;
}

constexpr BuiltinDef kConstructor = {"tuple", construct_tuple, 0, 1};

constexpr BuiltinDef kMethods[] = {
    {"count", tuple_count, 1, 1, {}, "tuple"},
    {"index", tuple_index, 1, 3, {}, "tuple"},
};

}  // namespace

void repr_tuple(const IValue& self, std::string& out) {
  const ReprGuard guard(self);
  if (guard.is_inside()) {
    out += "(...)";
    return;
  }
  const auto items = items_of_tuple(self);
  out += '(';
  for (size_t i = 0; i < items.size(); i++) {
    if (i > 0) {
      out += ", ";
    }
    append_repr(items[i], out);
  }
  out += items.size() == 1 ? ",)" : ")";
}

// CPython's, after xxHash: equal tuples of numbers have the hashes that Python prints.
int64_t hash_tuple(const IValue& self) {
  constexpr uint64_t kPrime1 = 11400714785074694791u;
  constexpr uint64_t kPrime2 = 14029467366897019727u;
  constexpr uint64_t kPrime5 = 2870177450012600261u;
  const auto items = items_of_tuple(self);
  uint64_t accumulator = kPrime5;
  for (const IValue& item : items) {
    throw_if_interrupted();
    accumulator += static_cast<uint64_t>(hash_of(item)) * kPrime2;
    accumulator = std::rotl(accumulator, 31) * kPrime1;
  }
  accumulator += items.size() ^ (kPrime5 ^ 3527539u);
  return accumulator == static_cast<uint64_t>(-1) ? 1546275796 : static_cast<int64_t>(accumulator);
}

int64_t tuple_length(const IValue& self) {
  return static_cast<int64_t>(items_of_tuple(self).size());
}

IValue iterate_tuple(const IValue& self) {
  const IValue& tuple = self.is_tuple() ? self : self.as_object<TupleLikeObject>()->items;
  return IValue::adopt(Tag::Object, new SequenceItemIterator(kTupleIteratorType, tuple));
}

IValue tuple_get_item(const IValue& self, const IValue& key) {
  const auto items = items_of_tuple(self);
  if (!is_slice(key)) {
    return items[sequence_index(key, items.size(), "tuple")];
  }
  const SliceBounds bounds = bounds_of(key, items.size());
  if (bounds.count == static_cast<int64_t>(items.size()) && bounds.step == 1 && self.is_tuple()) {
    return self;
  }
  TupleObject* taken = TupleObject::make(static_cast<size_t>(bounds.count));
  for (int64_t i = 0; i < bounds.count; i++) {
    (*taken)[static_cast<size_t>(i)] = items[static_cast<size_t>(bounds.start + i * bounds.step)];
  }
  return IValue::adopt(Tag::Tuple, taken);
}

bool tuple_contains(const IValue& self, const IValue& item) {
  const auto items = items_of_tuple(self);
  return std::any_of(items.begin(), items.end(), [&](const IValue& candidate) {
    throw_if_interrupted();
    return values_equal(candidate, item);
  });
}

bool tuple_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  const TupleObject* a = tuple_of(left);
  const TupleObject* b = tuple_of(right);
  if (op == BinaryOp::Add && a != nullptr && b != nullptr) {
    TupleObject* joined = TupleObject::make(a->size() + b->size());
    std::copy(a->begin(), a->end(), joined->items());
    std::copy(b->begin(), b->end(), joined->items() + a->size());
    result = IValue::adopt(Tag::Tuple, joined);
    return true;
  }
  if (op == BinaryOp::Multiply) {
    const IValue& count = a != nullptr ? right : left;
    const TupleObject* tuple = a != nullptr ? a : b;
    if (!count.is_int() && !count.is_bool()) {
      return false;
    }
    const size_t times = repeat_count(count.as_int(), tuple->size() * sizeof(IValue));
    TupleObject* repeated = TupleObject::make(tuple->size() * times);
    for (size_t i = 0; i < times; i++) {
      std::copy(tuple->begin(), tuple->end(), repeated->items() + i * tuple->size());
    }
    result = IValue::adopt(Tag::Tuple, repeated);
    return true;
  }
  return false;
}

bool compare_tuple(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (tuple_of(right) == nullptr) {
    return false;
  }
  result = compare_sequences(op, items_of_tuple(left), items_of_tuple(right));
  return true;
}

constinit const Type kTupleType = {
    .name = "tuple",
    .methods = kMethods,
    .constructor = &kConstructor,
    .repr = repr_tuple,
    TSC_TUPLE_SLOTS,
};
constinit const Type kTupleIteratorType = {
    .name = "tuple_iterator", .iterate = iterator_itself, .next = next_in_tuple};

}  // namespace tsc::interp
