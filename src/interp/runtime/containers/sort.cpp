// Sorting for sorted() and list.sort().
//
// The values stay where they are while their places are sorted, so that a comparison that throws
// leaves the list whole. Runs of one type are compared without asking for their types each time.
#include <algorithm>
#include <numeric>

#include "core/system/interrupt.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/operators.h"

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
  // So few take some 20 ms.
  constexpr size_t kFew = 1 << 17;
  if (places.size() <= kFew) {
    if (!std::is_sorted(places.begin(), places.end(), before)) {
      std::stable_sort(places.begin(), places.end(), before);
    }
    return;
  }
  const auto before_and_poll = [&](const Place<Key>& a, const Place<Key>& b) {
    throw_if_interrupted();
    return before(a, b);
  };
  if (!std::is_sorted(places.begin(), places.end(), before_and_poll)) {
    std::stable_sort(places.begin(), places.end(), before_and_poll);
  }
}

// Sorts by `get(key)`. The keys may be the items themselves: they are read before any item moves.
template <class Key, class Get, class Less>
void sort_by(std::vector<IValue>& items, const std::vector<IValue>& keys, bool reverse,
             const Get& get, const Less& less) {
  std::vector<Place<Key>> places;
  places.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); i++) {
    throw_if_interrupted();
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
  const auto less = [](int64_t a, int64_t b) {
    throw_if_interrupted();
    return a < b;
  };
  if (!std::is_sorted(values.begin(), values.end(), less)) {
    std::sort(values.begin(), values.end(), less);
  }
  if (reverse) {
    std::reverse(values.begin(), values.end());
  }
  for (size_t i = 0; i < items.size(); i++) {
    items[i].set_int_unchecked(values[i]);
  }
}

// A text by its first bytes, which mostly decide.
struct TextKey {
  explicit TextKey(const IValue& value) : text(value.as_string_object()) {
    const std::string_view bytes = text->view();
    for (size_t i = 0; i < sizeof(first); i++) {
      first = first << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
    }
  }
  friend bool operator<(const TextKey& a, const TextKey& b) {
    return a.first != b.first ? a.first < b.first : a.text->view() < b.text->view();
  }
  uint64_t first = 0;
  const StringObject* text;
};

int64_t integer_key(const IValue& value) { return value.as_int(); }
double double_key(const IValue& value) { return value.as_double(); }
TextKey text_key(const IValue& value) { return TextKey(value); }

// A tuple by its first item, and by the whole where those are equal.
template <class First>
struct TupleKey {
  First first;
  const IValue* tuple;
};

template <class First>
void sort_by_first(std::vector<IValue>& items, const std::vector<IValue>& keys, bool reverse,
                   First (*get)(const IValue&)) {
  using Key = TupleKey<First>;
  sort_by<Key>(
      items, keys, reverse,
      [get](const IValue& key) {
        return Key{get((*key.as_tuple())[0]), &key};
      },
      [](const Key& a, const Key& b) {
        return a.first < b.first || (!(b.first < a.first) && value_less(*a.tuple, *b.tuple));
      });
}

bool all_have_tag(const std::vector<IValue>& values, Tag tag) {
  return std::all_of(values.begin(), values.end(),
                     [tag](const IValue& value) { return value.tag() == tag; });
}

// The tag that the first items of all tuples have, or None.
Tag tag_of_first_items(const std::vector<IValue>& keys) {
  const auto first_tag = [](const IValue& key) {
    return key.is_tuple() && key.as_tuple()->size() > 0 ? (*key.as_tuple())[0].tag() : Tag::None;
  };
  const Tag tag = first_tag(keys[0]);
  const bool all = std::all_of(keys.begin(), keys.end(),
                               [&](const IValue& key) { return first_tag(key) == tag; });
  return all ? tag : Tag::None;
}

void sort_by_keys(std::vector<IValue>& items, const std::vector<IValue>& keys, bool reverse) {
  const Tag tag = keys[0].tag();
  const Tag first_tag = tag_of_first_items(keys);
  if (tag == Tag::Int && all_have_tag(keys, tag)) {
    sort_by<int64_t>(items, keys, reverse, integer_key, std::less<>());
  } else if (tag == Tag::Double && all_have_tag(keys, tag)) {
    sort_by<double>(items, keys, reverse, double_key, std::less<>());
  } else if (tag == Tag::String && all_have_tag(keys, tag)) {
    sort_by<TextKey>(items, keys, reverse, text_key, std::less<>());
  } else if (first_tag == Tag::Int) {
    sort_by_first<int64_t>(items, keys, reverse, integer_key);
  } else if (first_tag == Tag::Double) {
    sort_by_first<double>(items, keys, reverse, double_key);
  } else if (first_tag == Tag::String) {
    sort_by_first<TextKey>(items, keys, reverse, text_key);
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
    sort_by_keys(items, items, reverse);
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
