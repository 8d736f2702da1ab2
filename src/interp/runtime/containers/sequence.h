// Shared by lists, tuples, strings and ranges: indices, slices, repetition.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// The subscript `key` of a sequence of `size` items; negative ones count from the end.
// TypeError "list indices must be integers or slices, not str", IndexError "list index out of
// range".
size_t sequence_index(const IValue& key, size_t size, std::string_view name);
// For `x[i] = v` and `del x[i]`: "list assignment index out of range".
size_t assignment_index(const IValue& key, size_t size, std::string_view name);
// IndexError "list index out of range", for what "list " is.
[[noreturn]] void throw_out_of_range(std::string_view what);
inline bool is_slice(const IValue& key) { return is_object_of(key, kSliceType); }
inline SliceBounds bounds_of(const IValue& slice, size_t size) {
  return slice_bounds(*slice.as_object<SliceObject>(), static_cast<int64_t>(size));
}
// The optional start and stop of index() and count(): clamped to the sequence. Those of strings may
// be None.
struct Window {
  size_t start, stop;
};
Window window_of(const Arguments& arguments, size_t first, size_t size, bool takes_none = true);

// MemoryError where `count` pieces of `size` bytes exceed any machine's memory.
void check_room(size_t count, size_t size);
// The number of repetitions of `sequence * count`; 0 for a negative count.
size_t repeat_count(int64_t count, size_t size);

// The items of a tuple or of a value whose class derives from tuple; null for others.
const TupleObject* tuple_of(const IValue& value);

// A value of a class derived from tuple: torch.Size, the named results of max(). Its Type has base
// &kTupleType and takes the tuple's slots from here with TSC_TUPLE_SLOTS.
class TSC_API TupleLikeObject final : public Object {
 public:
  TupleLikeObject(const Type& type, IValue tuple) : Object(type), items(std::move(tuple)) {}
  void traverse(ChildVisitor visit, void* context) override { visit_child(items, visit, context); }
  void clear() noexcept override {}
  IValue items;
};
TSC_API void repr_tuple(const IValue& self, std::string& out);
TSC_API int64_t hash_tuple(const IValue& self);
TSC_API int64_t tuple_length(const IValue& self);
TSC_API IValue iterate_tuple(const IValue& self);
TSC_API IValue tuple_get_item(const IValue& self, const IValue& key);
TSC_API bool tuple_contains(const IValue& self, const IValue& item);
TSC_API bool tuple_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result);
TSC_API bool compare_tuple(CompareOp op, const IValue& left, const IValue& right, IValue& result);
#define TSC_TUPLE_SLOTS                                                               \
  .hash = ::tsc::interp::hash_tuple, .length = ::tsc::interp::tuple_length,           \
  .iterate = ::tsc::interp::iterate_tuple, .get_item = ::tsc::interp::tuple_get_item, \
  .contains = ::tsc::interp::tuple_contains, .binary = ::tsc::interp::tuple_binary,   \
  .compare = ::tsc::interp::compare_tuple

// Stable; `key` may be absent. Used by sorted() and list.sort().
void sort_items(Interpreter& interpreter, std::vector<IValue>& items, const IValue* key,
                bool reverse);

}  // namespace tsc::interp
