#include "interp/runtime/containers/sequence.h"

#include <algorithm>

#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

int64_t index_of(const IValue& key, std::string_view name) {
  if (key.is_int() || key.is_bool()) {
    return key.as_int();
  }
  if (const auto index = type_of(key).index) {
    return index(key);
  }
  if (name == "string") {
    throw_error(ErrorKind::TypeError, "string indices must be integers, not '{}'", type_name(key));
  }
  throw_error(ErrorKind::TypeError, "{} indices must be integers or slices, not {}", name,
              type_name(key));
}

}  // namespace

TSC_COLD void throw_out_of_range(std::string_view what) {
  throw_error(ErrorKind::IndexError, "{}index out of range", what);
}

size_t sequence_index(const IValue& key, size_t size, std::string_view name) {
  int64_t index = index_of(key, name);
  if (index < 0) {
    index += static_cast<int64_t>(size);
  }
  if (TSC_UNLIKELY(static_cast<uint64_t>(index) >= size)) {
    // CPython names neither a range as others do nor bytes at all.
    throw_out_of_range(name == "range"  ? "range object "
                       : name == "byte" ? ""
                                        : fmt::format("{} ", name));
  }
  return static_cast<size_t>(index);
}

size_t assignment_index(const IValue& key, size_t size, std::string_view name) {
  int64_t index = index_of(key, name);
  if (index < 0) {
    index += static_cast<int64_t>(size);
  }
  if (TSC_UNLIKELY(static_cast<uint64_t>(index) >= size)) {
    throw_out_of_range(fmt::format("{} assignment ", name));
  }
  return static_cast<size_t>(index);
}

namespace {

// An index of a slice, clamped to int64; `otherwise` where it is absent.
int64_t slice_index(const IValue& value, int64_t otherwise, bool takes_none = true) {
  if (value.is_none() && takes_none) {
    return otherwise;
  }
  if (value.is_int() || value.is_bool()) {
    return value.as_int();
  }
  if (const auto index = type_of(value).index) {
    return index(value);
  }
  throw_error(ErrorKind::TypeError, "slice indices must be integers{} or have an __index__ method",
              takes_none ? " or None" : "");
}

}  // namespace

SliceBounds slice_bounds(const SliceObject& slice, int64_t length) {
  SliceBounds bounds{};
  bounds.step = slice_index(slice.step, 1);
  if (bounds.step == 0) {
    throw_error(ErrorKind::ValueError, "slice step cannot be zero");
  }
  // So that its negative exists.
  bounds.step = std::max(bounds.step, -std::numeric_limits<int64_t>::max());
  const bool backwards = bounds.step < 0;
  const auto clamp = [&](int64_t index) {
    if (index < 0) {
      index += length;
      return index < 0 ? (backwards ? int64_t{-1} : int64_t{0}) : index;
    }
    return index >= length ? (backwards ? length - 1 : length) : index;
  };
  bounds.start =
      slice.start.is_none() ? (backwards ? length - 1 : 0) : clamp(slice_index(slice.start, 0));
  bounds.stop =
      slice.stop.is_none() ? (backwards ? -1 : length) : clamp(slice_index(slice.stop, 0));
  if (backwards) {
    if (bounds.stop < bounds.start) {
      bounds.count = (bounds.start - bounds.stop - 1) / -bounds.step + 1;
    }
  } else if (bounds.start < bounds.stop) {
    bounds.count = (bounds.stop - bounds.start - 1) / bounds.step + 1;
  }
  return bounds;
}

Window window_of(const Arguments& arguments, size_t first, size_t size, bool takes_none) {
  const auto length = static_cast<int64_t>(size);
  const auto clamp = [&](size_t i, int64_t otherwise) {
    int64_t index =
        i < arguments.size() ? slice_index(arguments[i], otherwise, takes_none) : otherwise;
    if (index < 0) {
      index = std::max<int64_t>(0, index + length);
    }
    return static_cast<size_t>(std::min(index, length));
  };
  return {clamp(first, 0), clamp(first + 1, length)};
}

void check_room(size_t count, size_t size) {
  constexpr size_t kMost = size_t{1} << 39;
  if (size != 0 && count > kMost / size) {
    throw_error_text(ErrorKind::MemoryError, "");
  }
}

size_t repeat_count(int64_t count, size_t size) {
  if (count <= 0) {
    return 0;
  }
  check_room(static_cast<size_t>(count), size);
  return static_cast<size_t>(count);
}

const TupleObject* tuple_of(const IValue& value) {
  if (value.is_tuple()) {
    return value.as_tuple();
  }
  if (value.tag() == Tag::Object && type_of(value).base == &kTupleType) {
    return value.as_object<TupleLikeObject>()->items.as_tuple();
  }
  return nullptr;
}

}  // namespace tsc::interp
