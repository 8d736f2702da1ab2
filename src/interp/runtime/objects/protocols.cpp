#include "interp/runtime/objects/protocols.h"

#include <charconv>
#include <cmath>

#include "core/text/number_format.h"
#include "dispatch/visit.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/runtime/text/format.h"
#include "interp/runtime/text/text.h"

namespace tsc::interp {

namespace {

void append_int(int64_t value, std::string& out) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out.append(buffer, static_cast<size_t>(end - buffer));
}

void append_slot_repr(const IValue& value, std::string& out) {
  const Type& type = type_of(value);
  if (type.repr != nullptr) {
    const RecursionGuard recursion("while getting the repr of an object");
    type.repr(value, out);
  } else {
    out += fmt::format("<{} object at {:#x}>", qualified_name(type), value.payload_bits());
  }
}

}  // namespace

void append_repr(const IValue& value, std::string& out) {
  throw_if_interrupted();
  if (value.is_int()) {
    append_int(value.as_int(), out);
  } else if (value.is_double()) {
    append_double(out, value.as_double());
  } else if (value.is_string()) {
    append_string_repr(value.as_string(), out);
  } else if (value.is_bool()) {
    out += value.as_bool() ? "True" : "False";
  } else {
    append_slot_repr(value, out);
  }
}

void append_str(const IValue& value, std::string& out) {
  if (value.is_string()) {
    out += value.as_string();
    return;
  }
  const Type& type = type_of(value);
  if (type.str != nullptr) {
    const RecursionGuard recursion("while getting the str of an object");
    type.str(value, out);
  } else {
    append_repr(value, out);
  }
}

std::string repr(const IValue& value) {
  std::string out;
  append_repr(value, out);
  return out;
}

std::string str(const IValue& value) {
  std::string out;
  append_str(value, out);
  return out;
}

std::string ascii(const IValue& value) { return escape_non_ascii(repr(value)); }

IValue str_value(const IValue& value) {
  return value.is_string() ? value : make_string(str(value));
}

void append_format(const IValue& value, std::string_view spec, std::string& out) {
  const Type& type = type_of(value);
  // A type's own format may differ from its str even without a specification: a 0-dim tensor is its
  // number.
  if (spec.empty() && !value.is_tensor()) {
    append_str(value, out);
    return;
  }
  if (type.format != nullptr) {
    type.format(value, spec, out);
    return;
  }
  throw_error(ErrorKind::TypeError, "unsupported format string passed to {}.__format__", type.name);
}

// --- Hashing and truth ---

int64_t hash_of(const IValue& value) {
  if (value.is_string()) {
    const auto hash = static_cast<int64_t>(value.as_string_object()->hash());
    return hash == -1 ? -2 : hash;
  }
  if (value.is_int() || value.is_bool()) {
    return hash_int(value.as_int());
  }
  return slow_hash(value);
}

int64_t slow_hash(const IValue& value) {
  const Type& type = type_of(value);
  if (type.hash != nullptr) {
    const RecursionGuard recursion("while hashing");
    return type.hash(value);
  }
  if (type.unhashable) {
    throw_error(ErrorKind::TypeError, "unhashable type: '{}'", type.name);
  }
  // Objects lie at multiples of 16: the bits that vary are moved to the low end.
  return static_cast<int64_t>(std::rotr(value.payload_bits(), 4));
}

bool slow_is_true(const IValue& value) {
  const auto by_type = [&] {
    const Type& type = type_of(value);
    return type.truth != nullptr ? type.truth(value)
                                 : type.length == nullptr || type.length(value) != 0;
  };
  return visit(value, Overloaded{[](bool number) { return number; },
                                 [](int64_t number) { return number != 0; },
                                 [](double number) { return number != 0; },
                                 [](std::string_view text) { return !text.empty(); },
                                 [](const ListObject& list) { return !list.items.empty(); },
                                 [](const TupleObject& tuple) { return tuple.size() != 0; },
                                 [&](const IValue& other) { return !other.is_none() && by_type(); },
                                 [&](const auto&) { return by_type(); }});
}

// --- Length and iteration ---

int64_t length_of(const IValue& value) {
  const Type& type = type_of(value);
  if (type.length == nullptr) {
    throw_error(ErrorKind::TypeError, "object of type '{}' has no len()", type.name);
  }
  return type.length(value);
}

size_t length_hint(const IValue& value) {
  const Type& type = type_of(value);
  int64_t length = 0;
  if (&type == &kRangeIteratorType) {
    length = value.as_object<RangeIterator>()->left;
  } else if (type.length != nullptr && !value.is_tensor()) {
    length = type.length(value);
  }
  return static_cast<size_t>(length);
}

void throw_not_iterable(const IValue& value) {
  throw_error(ErrorKind::TypeError, "'{}' object is not iterable", type_name(value));
}

IValue get_iterator(const IValue& value) {
  const Type& type = type_of(value);
  if (type.iterate == nullptr) {
    throw_not_iterable(value);
  }
  return type.iterate(value);
}

bool next_item(const IValue& iterator, IValue& result) {
  const Type& type = type_of(iterator);
  if (type.next == nullptr) {
    throw_error(ErrorKind::TypeError, "'{}' object is not an iterator", type.name);
  }
  return type.next(iterator, result);
}

void append_range(const IValue* first, size_t count, std::vector<IValue>& items) {
  items.reserve(std::max(items.size() + count, count == 0 ? 0 : items.capacity()));
  for_pieces(static_cast<int64_t>(count), [&](int64_t begin, int64_t end) {
    items.insert(items.end(), first + begin, first + end);
  });
}

void append_items(const IValue& iterable, std::vector<IValue>& items) {
  if (iterable.is_list()) {
    const IValue keep = iterable;  // NOLINT(performance-unnecessary-copy-initialization)
    const std::vector<IValue>& from = keep.as_list()->items;
    if (&from == &items) {
      const std::vector<IValue> copy = from;
      append_range(copy.data(), copy.size(), items);
    } else {
      append_range(from.data(), from.size(), items);
    }
    return;
  }
  if (iterable.is_tuple()) {
    append_range(iterable.as_tuple()->items(), iterable.as_tuple()->size(), items);
    return;
  }
  // Reserved at once: too large a size is a MemoryError before memory runs out.
  const size_t more = items.size() + length_hint(iterable);
  if (more > items.capacity()) {
    check_room(more, sizeof(IValue));
    items.reserve(std::max(more, items.capacity() * 2));
  }
  for_each_item(iterable, [&](const IValue& item) {
    items.push_back(item);
    return true;
  });
}

std::vector<IValue> items_of(const IValue& iterable) {
  std::vector<IValue> items;
  append_items(iterable, items);
  return items;
}

// --- Subscripts ---

void throw_not_subscriptable(const IValue& value) {
  throw_error(ErrorKind::TypeError, "'{}' object is not subscriptable", type_name(value));
}

IValue get_item(const IValue& container, const IValue& key) {
  const Type& type = type_of(container);
  if (type.get_item == nullptr) {
    throw_not_subscriptable(container);
  }
  return type.get_item(container, key);
}

void set_item(const IValue& container, const IValue& key, IValue value) {
  const Type& type = type_of(container);
  if (type.set_item == nullptr) {
    throw_error(ErrorKind::TypeError, "'{}' object does not support item assignment", type.name);
  }
  type.set_item(container, key, std::move(value));
}

void delete_item(const IValue& container, const IValue& key) {
  const Type& type = type_of(container);
  if (type.delete_item == nullptr) {
    throw_error(ErrorKind::TypeError, "'{}' object {} item deletion", type.name,
                type.get_item == nullptr ? "does not support" : "doesn't support");
  }
  type.delete_item(container, key);
}

}  // namespace tsc::interp
