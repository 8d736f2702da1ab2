// Sorting for sorted() and list.sort().
//
// The values stay where they are while their places are sorted, so that a comparison that throws
// leaves the list whole. Runs of one type are compared without asking for their types each time.
#include <algorithm>
#include <numeric>

#include "interp/interpreter.h"
#include "interp/runtime/operators.h"
#include "interp/runtime/sequence.h"

namespace tsc::interp {

namespace {

template <class Key>
struct Place {
  Key key;
  size_t index;
};

// Reverse order keeps equal values in their order, too.
template <class Key, class Less>
void sort_places(std::vector<Place<Key>>& places, bool reverse, const Less& less) {
  const auto before = [&](const Place<Key>& a, const Place<Key>& b) {
    return reverse ? less(b.key, a.key) : less(a.key, b.key);
  };
  if (std::is_sorted(places.begin(), places.end(), before)) {
    return;
  }
  std::stable_sort(places.begin(), places.end(), before);
}

template <class Key, class Get, class Less>
void sort_by(std::vector<IValue>& items, const std::vector<IValue>& keys, bool reverse,
             const Get& get, const Less& less) {
  std::vector<Place<Key>> places;
  places.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); i++) {
    places.push_back({get(keys[i]), i});
  }
  sort_places(places, reverse, less);
  std::vector<IValue> sorted;
  sorted.reserve(items.size());
  for (const Place<Key>& place : places) {
    sorted.push_back(std::move(items[place.index]));
  }
  items.swap(sorted);
}

// Equal integers cannot be told apart: no places, no stability.
void sort_integers(std::vector<IValue>& items, bool reverse) {
  std::vector<int64_t> values;
  values.reserve(items.size());
  for (const IValue& item : items) {
    values.push_back(item.as_int());
  }
  if (reverse) {
    std::sort(values.begin(), values.end(), std::greater<>());
  } else {
    std::sort(values.begin(), values.end());
  }
  for (size_t i = 0; i < items.size(); i++) {
    items[i].set_int_unchecked(values[i]);
  }
}

bool all_have_tag(const std::vector<IValue>& values, Tag tag) {
  return std::all_of(values.begin(), values.end(),
                     [tag](const IValue& value) { return value.tag() == tag; });
}

void sort_by_keys(std::vector<IValue>& items, const std::vector<IValue>& keys, bool reverse) {
  const Tag tag = keys[0].tag();
  if (tag == Tag::Int && all_have_tag(keys, tag)) {
    sort_by<int64_t>(
        items, keys, reverse, [](const IValue& key) { return key.as_int(); }, std::less<>());
  } else if (tag == Tag::Double && all_have_tag(keys, tag)) {
    sort_by<double>(
        items, keys, reverse, [](const IValue& key) { return key.as_double(); }, std::less<>());
  } else if (tag == Tag::String && all_have_tag(keys, tag)) {
    sort_by<std::string_view>(
        items, keys, reverse, [](const IValue& key) { return key.as_string(); }, std::less<>());
  } else {
    sort_by<const IValue*>(
        items, keys, reverse, [](const IValue& key) { return &key; },
        [](const IValue* a, const IValue* b) { return value_less(*a, *b); });
  }
}

}  // namespace

void sort_items(Interpreter& interpreter, std::vector<IValue>& items, const IValue* key,
                bool reverse) {
  if (items.empty()) {
    return;
  }
  if (key == nullptr) {
    if (items.size() < 2) {
      return;
    }
    if (items[0].is_int() && all_have_tag(items, Tag::Int)) {
      sort_integers(items, reverse);
      return;
    }
    // The keys are values of their own: items move while keys are read.
    const std::vector<IValue> keys = items;
    sort_by_keys(items, keys, reverse);
    return;
  }
  std::vector<IValue> keys;
  keys.reserve(items.size());
  for (const IValue& item : items) {
    keys.push_back(interpreter.call(*key, std::span<const IValue>(&item, 1)));
  }
  sort_by_keys(items, keys, reverse);
}

}  // namespace tsc::interp
