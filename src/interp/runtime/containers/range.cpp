// The classes range and slice.
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

RangeObject& range_of(const IValue& value) { return *value.as_object<RangeObject>(); }

int64_t item_of(const RangeObject& range, size_t index) {
  return range.start + static_cast<int64_t>(index) * range.step;
}

IValue construct_range(Interpreter&, Arguments& arguments) {
  int64_t bounds[3] = {0, 0, 1};
  if (arguments.size() == 1) {
    bounds[1] = to_index(arguments[0]);
  } else {
    for (size_t i = 0; i < arguments.size(); i++) {
      bounds[i] = to_index(arguments[i]);
    }
  }
  return make_range(bounds[0], bounds[1], bounds[2]);
}

// The place of a number in the range, or -1.
int64_t find_in_range(const RangeObject& range, int64_t value) {
  if (range.length == 0) {
    return -1;
  }
  int64_t distance = 0;
  if (!int_subtract(value, range.start, distance) || distance % range.step != 0) {
    return -1;
  }
  const int64_t index = distance / range.step;
  return index >= 0 && index < range.length ? index : -1;
}

// Numbers by arithmetic, anything else by comparing with every item.
int64_t find_value(const IValue& self, const IValue& value) {
  if (value.is_int() || value.is_bool()) {
    return find_in_range(range_of(self), value.as_int());
  }
  const RangeObject& range = range_of(self);
  for (int64_t i = 0; i < range.length; i++) {
    if (values_equal(IValue(item_of(range, static_cast<size_t>(i))), value)) {
      return i;
    }
  }
  return -1;
}

IValue range_count(Interpreter&, Arguments& arguments) {
  return find_value(arguments[0], arguments[1]) >= 0 ? 1 : 0;
}

IValue range_index(Interpreter&, Arguments& arguments) {
  const int64_t found = find_value(arguments[0], arguments[1]);
  if (found < 0) {
    if (arguments[1].is_int() || arguments[1].is_bool()) {
      throw_error(ErrorKind::ValueError, "{} is not in range", repr(arguments[1]));
    }
    throw_error(ErrorKind::ValueError, "sequence.index(x): x not in sequence");
  }
  return found;
}

void repr_range(const IValue& self, std::string& out) {
  const RangeObject& range = range_of(self);
  out += fmt::format("range({}, {}", range.start, range.stop);
  if (range.step != 1) {
    out += fmt::format(", {}", range.step);
  }
  out += ')';
}

int64_t range_length(const IValue& self) { return range_of(self).length; }

IValue iterate_range(const IValue& self) {
  const RangeObject& range = range_of(self);
  return IValue::adopt(Tag::Object, new RangeIterator(range.start, range.step, range.length));
}

IValue range_get_item(const IValue& self, const IValue& key) {
  const RangeObject& range = range_of(self);
  if (!is_slice(key)) {
    return item_of(range, sequence_index(key, static_cast<size_t>(range.length), "range"));
  }
  const SliceBounds bounds = bounds_of(key, static_cast<size_t>(range.length));
  return make_range(range.start + bounds.start * range.step, range.start + bounds.stop * range.step,
                    range.step * bounds.step);
}

bool range_contains(const IValue& self, const IValue& item) { return find_value(self, item) >= 0; }

// Ranges are equal when their items are.
IValue range_key(const RangeObject& range) {
  return make_tuple({IValue(range.length), range.length == 0 ? IValue() : IValue(range.start),
                     range.length <= 1 ? IValue() : IValue(range.step)});
}

int64_t hash_range(const IValue& self) { return hash_of(range_key(range_of(self))); }

bool compare_range(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if ((op != CompareOp::Equal && op != CompareOp::NotEqual) || !is_object_of(right, kRangeType)) {
    return false;
  }
  result = values_equal(range_key(range_of(left)), range_key(range_of(right))) ==
           (op == CompareOp::Equal);
  return true;
}

bool next_in_range(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<RangeIterator>();
  if (iterator.left <= 0) {
    return false;
  }
  result = iterator.next;
  // The step behind the last item may not fit any more.
  if (--iterator.left > 0) {
    iterator.next += iterator.step;
  }
  return true;
}

IValue range_start(const IValue& self) { return range_of(self).start; }
IValue range_step(const IValue& self) { return range_of(self).step; }
IValue range_stop(const IValue& self) { return range_of(self).stop; }

constexpr BuiltinDef kRangeConstructor = {"range", construct_range, 1, 3};
constexpr BuiltinDef kRangeMethods[] = {
    {"count", range_count, 1, 1, {}, "range"},
    {"index", range_index, 1, 1, {}, "range"},
};
constexpr AttributeDef kRangeAttributes[] = {
    {"start", range_start}, {"step", range_step}, {"stop", range_stop}};

// --- slice ---

const SliceObject& slice_of(const IValue& value) { return *value.as_object<SliceObject>(); }

IValue construct_slice(Interpreter&, Arguments& arguments) {
  switch (arguments.size()) {
    case 1: return make_slice({}, arguments[0], {});
    case 2: return make_slice(arguments[0], arguments[1], {});
    default: return make_slice(arguments[0], arguments[1], arguments[2]);
  }
}

void repr_slice(const IValue& self, std::string& out) {
  out += "slice(";
  append_repr(slice_of(self).start, out);
  out += ", ";
  append_repr(slice_of(self).stop, out);
  out += ", ";
  append_repr(slice_of(self).step, out);
  out += ')';
}

IValue slice_tuple(const IValue& self) {
  return make_tuple({slice_of(self).start, slice_of(self).stop, slice_of(self).step});
}

bool compare_slice(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_object_of(right, kSliceType)) {
    return false;
  }
  result = compare_op(op, slice_tuple(left), slice_tuple(right));
  return true;
}

IValue slice_indices(Interpreter&, Arguments& arguments) {
  const int64_t length = to_index(arguments[1]);
  if (length < 0) {
    throw_error(ErrorKind::ValueError, "length should not be negative");
  }
  const SliceBounds bounds = slice_bounds(slice_of(arguments[0]), length);
  return make_tuple({IValue(bounds.start), IValue(bounds.stop), IValue(bounds.step)});
}

IValue slice_start(const IValue& self) { return slice_of(self).start; }
IValue slice_step(const IValue& self) { return slice_of(self).step; }
IValue slice_stop(const IValue& self) { return slice_of(self).stop; }

constexpr BuiltinDef kSliceConstructor = {"slice", construct_slice, 1, 3};
constexpr BuiltinDef kSliceMethods[] = {{"indices", slice_indices, 1, 1, {}, "slice"}};
constexpr AttributeDef kSliceAttributes[] = {
    {"start", slice_start}, {"step", slice_step}, {"stop", slice_stop}};

}  // namespace

// The differences may need 64 bits without sign.
static int64_t range_item_count(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) {
    return 0;
  }
  const auto from = static_cast<uint64_t>(step > 0 ? start : stop);
  const auto to = static_cast<uint64_t>(step > 0 ? stop : start);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  const uint64_t count = (to - from - 1) / stride + 1;
  if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw_integer_overflow();
  }
  return static_cast<int64_t>(count);
}

RangeObject::RangeObject(int64_t first, int64_t last, int64_t stride)
    : Object(kRangeType),
      start(first),
      stop(last),
      step(stride),
      length(range_item_count(first, last, stride)) {}

IValue make_range(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) {
    throw_error(ErrorKind::ValueError, "range() arg 3 must not be zero");
  }
  return IValue::adopt(Tag::Object, new RangeObject(start, stop, step));
}

IValue reverse_range(const IValue& value) {
  const RangeObject& range = range_of(value);
  const int64_t last =
      range.length == 0 ? range.start : item_of(range, static_cast<size_t>(range.length - 1));
  return IValue::adopt(Tag::Object, new RangeIterator(last, -range.step, range.length));
}

IValue make_slice(IValue start, IValue stop, IValue step) {
  return IValue::adopt(Tag::Object,
                       new SliceObject(std::move(start), std::move(stop), std::move(step)));
}

void SliceObject::traverse(ChildVisitor visit, void* context) {
  visit_child(start, visit, context);
  visit_child(stop, visit, context);
  visit_child(step, visit, context);
}

constinit const Type kRangeType = {
    .name = "range",
    .methods = kRangeMethods,
    .attributes = kRangeAttributes,
    .constructor = &kRangeConstructor,
    .repr = repr_range,
    .hash = hash_range,
    .length = range_length,
    .iterate = iterate_range,
    .get_item = range_get_item,
    .contains = range_contains,
    .compare = compare_range,
};
constinit const Type kRangeIteratorType = {
    .name = "range_iterator", .iterate = iterator_itself, .next = next_in_range};
constinit const Type kSliceType = {
    .name = "slice",
    .methods = kSliceMethods,
    .attributes = kSliceAttributes,
    .constructor = &kSliceConstructor,
    .repr = repr_slice,
    .unhashable = true,
    .compare = compare_slice,
};

}  // namespace tsc::interp
