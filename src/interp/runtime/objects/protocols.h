// Operations on any value: repr, str, hash, truth, length, iteration, subscripts, attributes. Each
// uses the value's Type and, where it does not support the operation, raises CPython's error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/system/interrupt.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

TSC_API void append_repr(const IValue& value, std::string& out);
TSC_API void append_str(const IValue& value, std::string& out);
TSC_API std::string repr(const IValue& value);
TSC_API std::string str(const IValue& value);
// repr() with \x, \u and \U escapes for characters that are not ASCII.
TSC_API std::string ascii(const IValue& value);
// str() as a value: a string is itself.
TSC_API IValue str_value(const IValue& value);
// format(value, spec)
TSC_API void append_format(const IValue& value, std::string_view spec, std::string& out);

// TypeError "unhashable type: 'list'". Never -1, as in CPython.
TSC_API int64_t hash_of(const IValue& value);
TSC_API int64_t slow_hash(const IValue& value);
// CPython's hash of an integer: its remainder by 2**61 - 1.
inline int64_t hash_int(int64_t value) {
  constexpr int64_t kModulus = (int64_t{1} << 61) - 1;
  if (TSC_UNLIKELY(value >= kModulus || value <= -kModulus)) {
    value %= kModulus;
  }
  return value == -1 ? -2 : value;
}

TSC_API bool slow_is_true(const IValue& value);
inline bool is_true(const IValue& value) {
  return value.is_bool() || value.is_int() ? value.payload_bits() != 0 : slow_is_true(value);
}

TSC_API int64_t length_of(const IValue& value);
// A guess for reserving room; 0 where there is none.
TSC_API size_t length_hint(const IValue& value);

// iter(value): "'int' object is not iterable".
TSC_API IValue get_iterator(const IValue& value);
// False at the end. "'list' object is not an iterator".
TSC_API bool next_item(const IValue& iterator, IValue& result);
// Appends [first, first + count), which are not the vector's own.
TSC_API void append_range(const IValue* first, size_t count, std::vector<IValue>& items);
// Appends every item.
TSC_API void append_items(const IValue& iterable, std::vector<IValue>& items);
TSC_API std::vector<IValue> items_of(const IValue& iterable);
[[noreturn]] TSC_API TSC_COLD void throw_not_iterable(const IValue& value);
// Calls `visit(const IValue&)`; stops when it returns false, or by Ctrl-C.
template <class Visit>
void for_each_item(const IValue& iterable, Visit&& visit);

[[noreturn]] TSC_API TSC_COLD void throw_not_subscriptable(const IValue& value);
TSC_API IValue get_item(const IValue& container, const IValue& key);
TSC_API void set_item(const IValue& container, const IValue& key, IValue value);
TSC_API void delete_item(const IValue& container, const IValue& key);

TSC_API IValue get_attribute(const IValue& object, std::string_view name);
// False where there is none.
TSC_API bool try_get_attribute(const IValue& object, std::string_view name, IValue& result);
TSC_API void set_attribute(const IValue& object, std::string_view name, const IValue& value);
TSC_API void delete_attribute(const IValue& object, std::string_view name);
// Names of attributes and methods, sorted.
TSC_API std::vector<std::string> list_attributes(const IValue& object);
[[noreturn]] TSC_API void throw_no_attribute(const IValue& object, std::string_view name);

template <class Visit>
void for_each_item(const IValue& iterable, Visit&& visit) {
  if (iterable.is_list()) {
    // The list may change while its items are visited.
    const IValue keep = iterable;  // NOLINT(performance-unnecessary-copy-initialization)
    for (size_t i = 0; i < keep.as_list()->items.size(); i++) {
      throw_if_interrupted();
      const IValue item = keep.as_list()->items[i];
      if (!visit(item)) {
        return;
      }
    }
    return;
  }
  if (iterable.is_tuple()) {
    const IValue keep = iterable;  // NOLINT(performance-unnecessary-copy-initialization)
    for (const IValue& item : *keep.as_tuple()) {
      throw_if_interrupted();
      if (!visit(item)) {
        return;
      }
    }
    return;
  }
  const IValue iterator = get_iterator(iterable);
  const auto next = type_of(iterator).next;
  IValue item;
  while (next(iterator, item)) {
    throw_if_interrupted();
    if (!visit(item)) {
      return;
    }
  }
}

}  // namespace tsc::interp
