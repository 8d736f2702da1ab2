// The class list.
#include <algorithm>

#include "interp/runtime/containers/list.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/gc.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/repr_guard.h"

namespace tsc::interp {

namespace {

using Items = std::vector<IValue>;

Items& items_of_list(const IValue& list) { return list.as_list()->items; }
Items& self_of(const Arguments& arguments) { return items_of_list(arguments[0]); }
auto iterator_at(Items& items, size_t index) {
  return items.begin() + static_cast<std::ptrdiff_t>(index);
}

IValue construct_list(Interpreter&, Arguments& arguments) {
  collect_if_due();
  IValue list = make_list({});
  if (arguments.size() > 0) {
    append_items(arguments[0], items_of_list(list));
  }
  return list;
}

IValue list_clear(Interpreter&, Arguments& arguments) {
  Items dying;
  dying.swap(self_of(arguments));
  return {};
}

IValue list_copy(Interpreter&, Arguments& arguments) {
  Items items;
  append_items(arguments[0], items);
  return make_list(std::move(items));
}

IValue list_count(Interpreter&, Arguments& arguments) {
  int64_t count = 0;
  for (size_t i = 0; i < self_of(arguments).size(); i++) {
    throw_if_interrupted();
    count += values_equal(self_of(arguments)[i], arguments[1]) ? 1 : 0;
  }
  return count;
}

IValue list_extend(Interpreter&, Arguments& arguments) {
  append_items(arguments[1], self_of(arguments));
  return {};
}

IValue list_index(Interpreter&, Arguments& arguments) {
  const Window window = window_of(arguments, 2, self_of(arguments).size(), false);
  for (size_t i = window.start; i < window.stop && i < self_of(arguments).size(); i++) {
    throw_if_interrupted();
    if (values_equal(self_of(arguments)[i], arguments[1])) {
      return i;
    }
  }
  throw_error(ErrorKind::ValueError, "{} is not in list", repr(arguments[1]));
}

IValue list_insert(Interpreter&, Arguments& arguments) {
  Items& items = self_of(arguments);
  const auto size = static_cast<int64_t>(items.size());
  int64_t index = to_index(arguments[1]);
  if (index < 0) {
    index = std::max<int64_t>(0, index + size);
  }
  items.insert(iterator_at(items, static_cast<size_t>(std::min(index, size))), arguments[2]);
  return {};
}

IValue list_remove(Interpreter&, Arguments& arguments) {
  Items& items = self_of(arguments);
  for (size_t i = 0; i < items.size(); i++) {
    throw_if_interrupted();
    if (values_equal(items[i], arguments[1])) {
      const IValue dying = std::move(items[i]);
      items.erase(iterator_at(items, i));
      return {};
    }
  }
  throw_error(ErrorKind::ValueError, "list.remove(x): x not in list");
}

IValue list_reverse(Interpreter&, Arguments& arguments) {
  std::reverse(self_of(arguments).begin(), self_of(arguments).end());
  return {};
}

IValue list_sort(Interpreter& interpreter, Arguments& arguments) {
  // The list is empty while it is sorted: a key function that looks at it sees nothing half done.
  Items items;
  items.swap(self_of(arguments));
  struct PutBack {
    Items& items;
    Items& target;
    ~PutBack() { items.swap(target); }
  };
  bool was_changed = false;
  {
    const PutBack put_back{items, self_of(arguments)};
    const IValue* key = has_value(arguments, 1) ? &arguments[1] : nullptr;
    sort_items(interpreter, items, key, given(arguments, 2) && to_index(arguments[2]) != 0);
    was_changed = !self_of(arguments).empty();
  }
  if (was_changed) {
    throw_error(ErrorKind::ValueError, "list modified during sort");
  }
  return {};
}

void repr_list(const IValue& self, std::string& out) {
  const ReprGuard guard(self);
  if (guard.is_inside()) {
    out += "[...]";
    return;
  }
  out += '[';
  for (size_t i = 0; i < items_of_list(self).size(); i++) {
    if (i > 0) {
      out += ", ";
    }
    append_repr(items_of_list(self)[i], out);
  }
  out += ']';
}

int64_t list_length(const IValue& self) { return static_cast<int64_t>(items_of_list(self).size()); }

IValue iterate_list(const IValue& self) {
  return IValue::adopt(Tag::Object, new SequenceItemIterator(kListIteratorType, self));
}

IValue list_get_item(const IValue& self, const IValue& key) {
  const Items& items = items_of_list(self);
  if (!is_slice(key)) {
    return items[sequence_index(key, items.size(), "list")];
  }
  const SliceBounds bounds = bounds_of(key, items.size());
  Items taken;
  taken.reserve(static_cast<size_t>(bounds.count));
  for (int64_t i = 0; i < bounds.count; i++) {
    throw_if_interrupted();
    taken.push_back(items[static_cast<size_t>(bounds.start + i * bounds.step)]);
  }
  return make_list(std::move(taken));
}

void assign_slice(Items& items, const SliceBounds& bounds, Items values) {
  if (bounds.step == 1) {
    const auto start = static_cast<size_t>(bounds.start);
    const auto count = static_cast<size_t>(bounds.count);
    const size_t common = std::min(count, values.size());
    Items dying;
    for (size_t i = 0; i < common; i++) {
      items[start + i].swap(values[i]);
    }
    if (values.size() > count) {
      items.insert(iterator_at(items, start + count),
                   std::make_move_iterator(iterator_at(values, count)),
                   std::make_move_iterator(values.end()));
    } else {
      const auto first = iterator_at(items, start + common);
      const auto last = iterator_at(items, start + count);
      dying.assign(std::make_move_iterator(first), std::make_move_iterator(last));
      items.erase(first, last);
    }
    return;
  }
  if (values.size() != static_cast<size_t>(bounds.count)) {
    throw_error(ErrorKind::ValueError,
                "attempt to assign sequence of size {} to extended slice of size {}", values.size(),
                bounds.count);
  }
  for (int64_t i = 0; i < bounds.count; i++) {
    items[static_cast<size_t>(bounds.start + i * bounds.step)].swap(values[static_cast<size_t>(i)]);
  }
}

void list_set_item(const IValue& self, const IValue& key, IValue value) {
  Items& items = items_of_list(self);
  if (!is_slice(key)) {
    items[assignment_index(key, items.size(), "list")].swap(value);
    return;
  }
  if (type_of(value).iterate == nullptr) {
    throw_error(ErrorKind::TypeError, "{}",
                key.as_object<SliceObject>()->step.is_none()
                    ? "can only assign an iterable"
                    : "must assign iterable to extended slice");
  }
  Items values = interp::items_of(value);
  assign_slice(items, bounds_of(key, items.size()), std::move(values));
}

void list_delete_item(const IValue& self, const IValue& key) {
  Items& items = items_of_list(self);
  if (!is_slice(key)) {
    const size_t index = assignment_index(key, items.size(), "list");
    const IValue dying = std::move(items[index]);
    items.erase(iterator_at(items, index));
    return;
  }
  SliceBounds bounds = bounds_of(key, items.size());
  if (bounds.step < 0) {
    bounds.start += (bounds.count - 1) * bounds.step;
    bounds.step = -bounds.step;
  }
  Items dying;
  size_t kept = 0;
  int64_t next = bounds.start;
  int64_t left = bounds.count;
  for (size_t i = 0; i < items.size(); i++) {
    if (left > 0 && static_cast<int64_t>(i) == next) {
      dying.push_back(std::move(items[i]));
      next += bounds.step;
      left--;
    } else {
      if (kept != i) {
        items[kept] = std::move(items[i]);
      }
      kept++;
    }
  }
  items.resize(kept);
}

bool list_contains(const IValue& self, const IValue& item) {
  for (size_t i = 0; i < items_of_list(self).size(); i++) {
    throw_if_interrupted();
    if (values_equal(items_of_list(self)[i], item)) {
      return true;
    }
  }
  return false;
}

// Repeats the vector's items, in place.
void repeat_items(Items& items, int64_t count) {
  const size_t size = items.size();
  const size_t times = repeat_count(count, size * sizeof(IValue));
  if (times == 0) {
    Items dying;
    dying.swap(items);
    return;
  }
  items.reserve(size * times);
  for (size_t i = size; i < size * times; i++) {
    throw_if_interrupted();
    items.push_back(items[i - size]);
  }
}

bool list_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op == BinaryOp::Add && left.is_list() && right.is_list()) {
    Items items;
    items.reserve(items_of_list(left).size() + items_of_list(right).size());
    append_items(left, items);
    append_items(right, items);
    result = make_list(std::move(items));
    return true;
  }
  if (op == BinaryOp::Multiply) {
    const IValue& list = left.is_list() ? left : right;
    const IValue& count = left.is_list() ? right : left;
    if (!count.is_int() && !count.is_bool()) {
      return false;
    }
    const size_t size = items_of_list(list).size();
    Items items;
    items.reserve(size * repeat_count(count.as_int(), size * sizeof(IValue)));
    items = items_of_list(list);
    repeat_items(items, count.as_int());
    result = make_list(std::move(items));
    return true;
  }
  return false;
}

bool list_inplace(BinaryOp op, IValue& target, const IValue& value) {
  if (op == BinaryOp::Add) {
    append_items(value, items_of_list(target));
    return true;
  }
  if (op == BinaryOp::Multiply && (value.is_int() || value.is_bool())) {
    repeat_items(items_of_list(target), value.as_int());
    return true;
  }
  return false;
}

bool compare_list(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!right.is_list()) {
    return false;
  }
  result = compare_sequences(op, items_of_list(left), items_of_list(right));
  return true;
}

bool next_in_list(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<SequenceItemIterator>();
  if (iterator.sequence.is_none()) {
    return false;
  }
  const Items& items = items_of_list(iterator.sequence);
  if (iterator.index < items.size()) {
    result = items[iterator.index++];
    return true;
  }
  iterator.sequence = IValue();
  return false;
}

bool next_in_reversed_list(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<SequenceItemIterator>();
  if (iterator.sequence.is_none()) {
    return false;
  }
  const Items& items = items_of_list(iterator.sequence);
  if (iterator.index > 0 && iterator.index <= items.size()) {
    result = items[--iterator.index];
    return true;
  }
  iterator.sequence = IValue();
  return false;
}

constexpr BuiltinDef kConstructor = {"list", construct_list, 0, 1};

constexpr BuiltinDef kMethods[] = {
    {"append", list_append, 1, 1, {}, "list"},
    {"clear", list_clear, 0, 0, {}, "list"},
    {"copy", list_copy, 0, 0, {}, "list"},
    {"count", list_count, 1, 1, {}, "list"},
    {"extend", list_extend, 1, 1, {}, "list"},
    {"index", list_index, 1, 3, {}, "list"},
    {"insert", list_insert, 2, 2, {}, "list"},
    {"pop", list_pop, 0, 1, {}, "list"},
    {"remove", list_remove, 1, 1, {}, "list"},
    {"reverse", list_reverse, 0, 0, {}, "list"},
    {"sort", list_sort, 0, 0, "key reverse", "list"},
};

}  // namespace

IValue list_append(Interpreter&, Arguments& arguments) {
  self_of(arguments).push_back(std::move(arguments[1]));
  return {};
}

IValue list_pop(Interpreter&, Arguments& arguments) {
  Items& items = self_of(arguments);
  if (items.empty()) {
    throw_error(ErrorKind::IndexError, "pop from empty list");
  }
  if (arguments.size() == 1) {
    IValue item = std::move(items.back());
    items.pop_back();
    return item;
  }
  int64_t index = to_index(arguments[1]);
  if (index < 0) {
    index += static_cast<int64_t>(items.size());
  }
  if (static_cast<uint64_t>(index) >= items.size()) {
    throw_error(ErrorKind::IndexError, "pop index out of range");
  }
  IValue item = std::move(items[static_cast<size_t>(index)]);
  items.erase(iterator_at(items, static_cast<size_t>(index)));
  return item;
}

IValue reverse_list(const IValue& list) {
  auto* iterator = new SequenceItemIterator(kListReverseIteratorType, list);
  iterator->index = items_of_list(list).size();
  return IValue::adopt(Tag::Object, iterator);
}

constinit const Type kListType = {
    .name = "list",
    .methods = kMethods,
    .constructor = &kConstructor,
    .repr = repr_list,
    .unhashable = true,
    .length = list_length,
    .iterate = iterate_list,
    .get_item = list_get_item,
    .set_item = list_set_item,
    .delete_item = list_delete_item,
    .contains = list_contains,
    .binary = list_binary,
    .inplace = list_inplace,
    .compare = compare_list,
};
constinit const Type kListIteratorType = {
    .name = "list_iterator", .iterate = iterator_itself, .next = next_in_list};
constinit const Type kListReverseIteratorType = {
    .name = "list_reverseiterator", .iterate = iterator_itself, .next = next_in_reversed_list};

}  // namespace tsc::interp
