// Iterators, ranges and slices. The structures are open so that the run loop can step the common
// ones (range, list, tuple) in line: compare the type's address, then read the fields.
#pragma once

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// clang-format off
#define TSC_FORALL_ITERATOR_TYPES(_) \
  _(ListIterator)                    \
  _(ListReverseIterator)             \
  _(TupleIterator)                   \
  _(StringIterator)                  \
  _(RangeIterator)                   \
  _(SetIterator)                     \
  _(ItemIterator)                    \
  _(CallIterator)                    \
  _(Enumerate)                       \
  _(Zip)                             \
  _(Map)                             \
  _(Filter)                          \
  _(Reversed)                        \
  _(DictKeys)                        \
  _(DictValues)                      \
  _(DictItems)                       \
  _(DictKeyIterator)                 \
  _(DictValueIterator)               \
  _(DictItemIterator)                \
  _(DictReverseKeyIterator)          \
  _(DictReverseValueIterator)        \
  _(DictReverseItemIterator)
// clang-format on
#define TSC_DECLARE_TYPE(name) extern const Type k##name##Type;
TSC_FORALL_ITERATOR_TYPES(TSC_DECLARE_TYPE)
#undef TSC_DECLARE_TYPE

// iter() of an iterator.
TSC_API IValue iterator_itself(const IValue& self);

class RangeObject final : public Object {
 public:
  RangeObject(int64_t first, int64_t last, int64_t stride);
  TSC_USE_FREE_LIST(RangeObject)
  int64_t start, stop, step;
  int64_t length;
};

class RangeIterator final : public Object {
 public:
  RangeIterator(int64_t first, int64_t stride, int64_t count)
      : Object(kRangeIteratorType), next(first), step(stride), left(count) {}
  TSC_USE_FREE_LIST(RangeIterator)
  int64_t next, step, left;
};

// Over a list or a tuple; `sequence` is None when it has ended.
class SequenceItemIterator final : public Object {
 public:
  SequenceItemIterator(const Type& type, IValue over) : Object(type), sequence(std::move(over)) {}
  TSC_USE_FREE_LIST(SequenceItemIterator)
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(sequence, visit, context);
  }
  void clear() noexcept override { sequence = IValue(); }
  IValue sequence;
  size_t index = 0;
};

// Over a dict: its type says whether it gives keys, values or pairs, and in which direction.
class DictIterator final : public Object {
 public:
  DictIterator(const Type& type, IValue over, bool is_reversed)
      : Object(type),
        dict(std::move(over)),
        size(as_dict(dict)->size()),
        position(is_reversed ? as_dict(dict)->entries().size() : 0),
        left(size),
        backwards(is_reversed) {}
  TSC_USE_FREE_LIST(DictIterator)
  // The next entry; null at the end. "dictionary changed size during iteration".
  const DictObject::Entry* step();
  void traverse(ChildVisitor visit, void* context) override { visit_child(dict, visit, context); }
  void clear() noexcept override { dict = IValue(); }

  IValue dict;  // None at the end
  size_t size;  // the dict's, when the iteration began
  size_t position;
  size_t left;
  bool backwards;
};

class SliceObject final : public Object {
 public:
  SliceObject(IValue first, IValue end, IValue stride)
      : Object(kSliceType),
        start(std::move(first)),
        stop(std::move(end)),
        step(std::move(stride)) {}
  TSC_USE_FREE_LIST(SliceObject)
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { start = stop = step = IValue(); }
  IValue start, stop, step;
};

TSC_API IValue make_range(int64_t start, int64_t stop, int64_t step = 1);
TSC_API IValue make_slice(IValue start, IValue stop, IValue step);
IValue reverse_range(const IValue& range);
// For the iterate slot of types with subscripts and a length.
TSC_API IValue iterate_by_number(const IValue& self);
// iter(function, sentinel)
IValue make_call_iterator(Interpreter& interpreter, const IValue& function, const IValue& sentinel);

// Where a slice of a sequence of `length` items begins, its step and how many items it takes.
struct SliceBounds {
  int64_t start, stop, step, count;
};
TSC_API SliceBounds slice_bounds(const SliceObject& slice, int64_t length);

}  // namespace tsc::interp
