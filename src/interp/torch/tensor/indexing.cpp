#include "interp/torch/tensor/indexing.h"

#include "core/tensor_factory.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/tensor/constructors.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

constinit OperatorRef select_op("aten::select", "int");
constinit OperatorRef slice_op("aten::slice", "Tensor");
constinit OperatorRef unsqueeze_op("aten::unsqueeze", "");
constinit OperatorRef index_op("aten::index", "Tensor");
constinit OperatorRef index_put_op("aten::index_put_", "");
constinit OperatorRef alias_op("aten::alias", "");
constinit OperatorRef copy_op("aten::copy_", "");
constinit OperatorRef lift_fresh_op("aten::lift_fresh", "");
constinit OperatorRef to_device_op("aten::to", "device");
constinit OperatorRef expand_op("aten::expand", "");
constinit OperatorRef fill_op("aten::fill_", "Tensor");
constinit OperatorRef fill_scalar_op("aten::fill_", "Scalar");
constinit OperatorRef view_op("aten::view", "");
constinit OperatorRef masked_fill_op("aten::masked_fill_", "Scalar");
constinit OperatorRef index_fill_op("aten::index_fill_", "int_Scalar");

const Tensor& tensor_of(const IValue& value) { return value.as_tensor(); }

bool is_ellipsis(const IValue& value) { return value.is_same(ellipsis()); }

// Whether a list or tuple of numbers, lists or tensors stands for one tensor of indices.
bool is_sequence(const IValue& value) {
  return value.is_list() || value.is_tuple() || value.tag() == Tag::IntList;
}

// Whether a list used as a whole subscript means a tuple of subscripts: as in PyTorch, `x[[slice,
// ...]]` and a short list of sequences do, and any other list means indices.
bool is_tuple_in_disguise(const IValue& key) {
  if (!key.is_list() || key.as_list()->items.size() >= 32) {
    return false;
  }
  for (const IValue& item : key.as_list()->items) {
    if (is_sequence(item) || item.is_none() || is_ellipsis(item) ||
        is_object_of(item, kSliceType) || (item.is_tensor() && item.as_tensor().dim() > 0)) {
      return true;
    }
  }
  return false;
}

std::vector<IValue> parts_of(const IValue& key) {
  if (key.is_tuple()) {
    return {key.as_tuple()->begin(), key.as_tuple()->end()};
  }
  if (is_tuple_in_disguise(key)) {
    return key.as_list()->items;
  }
  return {key};
}

bool is_integer_tensor(const IValue& value) {
  return value.is_tensor() && is_integral(value.as_tensor().dtype(), false);
}

// The number of dimensions of self that the parts index: a mask indexes as many as it has, None and
// bools none.
int64_t dimensions_taken(const std::vector<IValue>& parts) {
  int64_t count = 0;
  for (const IValue& part : parts) {
    if (part.is_tensor()) {
      const ScalarType dtype = part.as_tensor().dtype();
      const bool mask = dtype == ScalarType::Bool || dtype == ScalarType::Byte;
      count += mask ? part.as_tensor().dim() : 1;
    } else if (!part.is_none() && !is_ellipsis(part) && !part.is_bool()) {
      count++;
    }
  }
  return count;
}

int64_t slice_number(const IValue& value, int64_t otherwise) {
  if (value.is_none()) {
    return otherwise;
  }
  int64_t index = 0;
  TSC_CHECK_TYPE(index_of_value(value, index),
                 "slice indices must be integers or None or have an __index__ method");
  return index;
}

// As in PyTorch, no view is made for the whole dimension, but where nothing else is asked for.
IValue apply_slice(const IValue& self, int64_t dim, const SliceObject& slice,
                   bool is_alone = false) {
  const int64_t step = slice_number(slice.step, 1);
  if (step == 0) {
    slice_bounds(slice, 0);  // which says so
  }
  TSC_CHECK_VALUE(step > 0, "step must be greater than zero");
  const int64_t start = slice_number(slice.start, 0);
  const int64_t stop = slice_number(slice.stop, INT64_MAX);
  const Tensor& tensor = tensor_of(self);
  const bool is_whole = start == 0 && step == 1 && dim < tensor.dim() && stop >= tensor.size(dim);
  // Another input of a trace may be longer.
  if (is_whole && !is_alone && !keys::is_tracing_function()) {
    return self;
  }
  // The operands after self and dim.
  const int64_t numbers[] = {start, stop, step};
  const IValue* parts[] = {&slice.start, &slice.stop, &slice.step};
  for (size_t i = 0; i < std::size(numbers); i++) {
    note_traced_int(*parts[i], numbers[i], keys::Trace::position_of_argument(i + 2));
  }
  return slice_op(self, dim, start, stop, step);
}

IValue apply_select(const IValue& self, int64_t dim, int64_t index, int64_t real_dim) {
  const Tensor& tensor = tensor_of(self);
  TSC_CHECK_INDEX(tensor.dim() > 0 || index == 0,
                  "index {} is out of bounds for dimension 0 with size 0", index);
  TSC_CHECK_INDEX(tensor.dim() > 0,
                  "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                  "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  const int64_t size = tensor.sizes()[static_cast<size_t>(dim)];
  TSC_CHECK_INDEX(index >= -size && index < size,
                  "index {} is out of bounds for dimension {} with size {}", index, real_dim, size);
  return select_op(self, dim, index);
}

// A 0-dim mask indexes a new dimension of size 0 or 1.
IValue mask_of_bool(bool value) {
  Tensor mask = empty_tensor({1}, ScalarType::Bool);
  *mask.data_ptr<bool>() = value;
  return mask;
}

IValue index_tensor(const IValue& items) {
  const IValue tensor = make_tensor(items, ScalarType::Undefined, Device(), true);
  if (TSC_LIKELY(!keys::is_tracing_function())) {
    return lift_fresh_op(tensor);
  }
  // A constant of the graph, put on self's device.
  const IValue constant = [&] {
    const ExcludeDispatchKeyGuard untraced{DispatchKeySet(DispatchKey::Tracer)};
    return lift_fresh_op(tensor);
  }();
  return to_device_op(constant, tensor_of(tensor).device(), tensor_of(tensor).dtype());
}

struct Subscript {
  IValue view;                  // self after ints, slices, None and Ellipsis
  std::vector<IValue> indices;  // arguments of index: tensors or None; empty where views sufficed
  int64_t covered = 0;  // dimensions of the view that `indices` speaks of: a mask speaks of several

  // `index` indexes `dims` dimensions from `dim` on, and `dim` moves behind them.
  void record(int64_t& dim, IValue index, int64_t dims) {
    for (; covered < dim; covered++) {
      indices.emplace_back();
    }
    indices.push_back(std::move(index));
    covered += dims;
    dim += dims;
  }
};

Subscript take_apart(const IValue& self, const std::vector<IValue>& parts) {
  Subscript result;
  result.view = self;
  const int64_t total = tensor_of(self).dim();
  const int64_t taken = dimensions_taken(parts);
  TSC_CHECK_INDEX(taken <= total, "too many indices for tensor of dimension {}", total);
  int64_t dim = 0;       // of the view
  int64_t real_dim = 0;  // of self, for messages
  for (const IValue& part : parts) {
    int64_t index = 0;
    if (part.is_none()) {
      result.view = unsqueeze_op(result.view, dim);
      dim++;
    } else if (is_ellipsis(part)) {
      dim += total - taken;
      real_dim += total - taken;
    } else if (part.is_bool()) {
      result.view = unsqueeze_op(result.view, dim);
      result.record(dim, mask_of_bool(part.as_bool()), 1);
    } else if (is_object_of(part, kSliceType)) {
      result.view = apply_slice(result.view, dim, *part.as_object<SliceObject>());
      dim++;
      real_dim++;
    } else if (part.is_int()) {
      result.view = apply_select(result.view, dim, part.as_int(), real_dim);
      real_dim++;
    } else if (part.is_tensor()) {
      const Tensor& tensor = part.as_tensor();
      if (tensor.dim() == 0 && tensor.dtype() == ScalarType::Bool) {
        result.view = unsqueeze_op(result.view, dim);
        result.record(dim, mask_of_bool(scalar_of_value(part).to_bool()), 1);
      } else if (tensor.dim() == 0 && is_integer_tensor(part) &&
                 tensor.dtype() != ScalarType::Byte && !tensor.is_meta()) {
        index_of_value(part, index);
        result.view = apply_select(result.view, dim, index, real_dim);
        real_dim++;
      } else {
        const bool mask = tensor.dtype() == ScalarType::Bool || tensor.dtype() == ScalarType::Byte;
        const int64_t dims = mask ? tensor.dim() : 1;
        result.record(dim, part, dims);
        real_dim += dims;
      }
    } else if (is_sequence(part)) {
      const IValue indices = index_tensor(part);
      const int64_t dims =
          tensor_of(indices).dtype() == ScalarType::Bool ? tensor_of(indices).dim() : 1;
      result.record(dim, indices, dims);
      real_dim += dims;
    } else if (index_of_value(part, index)) {
      result.view = apply_select(result.view, dim, index, real_dim);
      real_dim++;
    } else if (part.is_string()) {
      throw_error(ErrorKind::TypeError, "new(): invalid data type 'str'");
    } else if (is_object_of(part, kRangeType)) {
      std::vector<IValue> items;
      append_items(part, items);
      result.record(dim, index_tensor(make_list(std::move(items))), 1);
      real_dim++;
    } else {
      throw_error(ErrorKind::IndexError,
                  "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables "
                  "are valid indices (got {})",
                  python_type_name(part));
    }
  }
  return result;
}

IntArrayRef sizes_without_leading_ones(const Tensor& tensor) {
  const IntArrayRef sizes = tensor.sizes();
  size_t ones = 0;
  while (ones < sizes.size() && sizes[ones] == 1) {
    ones++;
  }
  return sizes.slice(ones);
}

// As in PyTorch, the value is viewed without its leading dimensions of size 1, also if it has none.
void copy_to(const IValue& target, const IValue& value) {
  const Tensor& destination = tensor_of(target);
  const Tensor& source = tensor_of(value);
  if (source.sizes() == destination.sizes()) {
    copy_op(target, value);
  } else if (source.dim() == 0 && source.is_cpu()) {
    fill_op(target, value);
  } else {
    const IValue shown = view_op(value, sizes_without_leading_ones(source));
    const bool fits = tensor_of(shown).sizes() == destination.sizes();
    copy_op(target, fits ? shown : expand_op(shown, destination.sizes(), false));
  }
}

// Assigning a number at a single index uses operators of its own. False for other subscripts.
bool assign_number(const Subscript& subscript, const IValue& value) {
  const auto is_none = [](const IValue& index) { return index.is_none(); };
  const auto& indices = subscript.indices;
  const auto found = std::find_if_not(indices.begin(), indices.end(), is_none);
  if (found + 1 != indices.end()) {
    return false;
  }
  const int64_t dim = found - indices.begin();
  const Tensor& index = tensor_of(*found);
  if (index.dtype() == ScalarType::Bool) {
    IValue mask = *found;
    for (int64_t i = dim + index.dim(); i < tensor_of(subscript.view).dim(); i++) {
      mask = unsqueeze_op(mask, -1);
    }
    masked_fill_op(subscript.view, mask, value);
    return true;
  }
  if (index.dtype() != ScalarType::Long || index.dim() != 1) {
    return false;
  }
  index_fill_op(subscript.view, dim, *found, value);
  return true;
}

// A Python number or sequence as a tensor of self's dtype.
IValue value_tensor(const Tensor& self, const IValue& value) {
  if (value.is_tensor()) {
    return value;
  }
  if (value.is_scalar()) {
    TSC_CHECK_TYPE(!value.is_complex() || self.is_complex(), "can't assign complex to {} tensor",
                   to_string(self.dtype()));
    return lift_fresh_op(make_tensor(value, self.dtype(), Device(), false));
  }
  throw_error(ErrorKind::TypeError, "can't assign a {} to a torch.{}Tensor",
              python_type_name(value), to_string(self.dtype()));
}

void assign(const IValue& target, const IValue& value) {
  if (value.is_scalar()) {
    fill_scalar_op(target, value);
  } else {
    copy_to(target, value_tensor(tensor_of(target), value));
  }
}

}  // namespace

IValue get_tensor_item(const IValue& self, const IValue& key) {
  if (key.is_int()) {
    return apply_select(self, 0, key.as_int(), 0);
  }
  if (key.is_none()) {
    return unsqueeze_op(self, 0);
  }
  if (is_ellipsis(key)) {
    return alias_op(self);
  }
  if (is_object_of(key, kSliceType)) {
    return apply_slice(self, 0, *key.as_object<SliceObject>(), true);
  }
  Subscript subscript = take_apart(self, parts_of(key));
  if (subscript.indices.empty()) {
    // x[:, :] and x[()] return new views, too.
    return subscript.view.is_same(self) ? alias_op(self) : subscript.view;
  }
  return index_op(subscript.view, make_list(std::move(subscript.indices)));
}

void set_tensor_item(const IValue& self, const IValue& key, const IValue& value) {
  TSC_CHECK_TYPE(tensor_of(self).layout() == Layout::Strided, "Cannot assign to a sparse tensor");
  if (key.is_bool() && !key.as_bool()) {
    return;
  }
  if (is_ellipsis(key)) {
    assign(self, value);
    return;
  }
  if (key.is_none() || key.is_bool()) {
    assign(unsqueeze_op(self, 0), value);
    return;
  }
  if (key.is_int()) {
    assign(apply_select(self, 0, key.as_int(), 0), value);
    return;
  }
  if (is_object_of(key, kSliceType)) {
    assign(apply_slice(self, 0, *key.as_object<SliceObject>()), value);
    return;
  }
  Subscript subscript = take_apart(self, parts_of(key));
  if (subscript.indices.empty()) {
    assign(subscript.view, value);
    return;
  }
  const bool is_number = value.is_scalar() && (!value.is_complex() || tensor_of(self).is_complex());
  if (is_number && assign_number(subscript, value)) {
    return;
  }
  const IValue source = value_tensor(tensor_of(self), value);
  const IntArrayRef shown = sizes_without_leading_ones(tensor_of(source));
  index_put_op(subscript.view, make_list(std::move(subscript.indices)),
               shown.size() == tensor_of(source).sizes().size() ? source : view_op(source, shown));
}

}  // namespace tsc::interp
