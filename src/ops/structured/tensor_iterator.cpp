#include "ops/structured/tensor_iterator.h"

#include "core/interrupt.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/result_type.h"

namespace tsc {

void TensorIteratorBase::build_unary_op(const Tensor& a) { build({.same_dtype = true}, {&a}); }

void TensorIteratorBase::build_unary_float_op(const Tensor& a) {
  build({.promote_inputs = true, .promote_integers_to_float = true, .cast_outputs = true}, {&a});
}

void TensorIteratorBase::build_unary_bool_op(const Tensor& a) {
  build({.output_dtype = ScalarType::Bool}, {&a});
}

void TensorIteratorBase::build_binary_op(const Tensor& a, const Tensor& b) {
  build({.promote_inputs = true, .cast_outputs = true}, {&a, &b});
}

void TensorIteratorBase::build_binary_float_op(const Tensor& a, const Tensor& b) {
  build({.promote_inputs = true, .promote_integers_to_float = true, .cast_outputs = true},
        {&a, &b});
}

void TensorIteratorBase::build_comparison_op(const Tensor& a, const Tensor& b) {
  build({.promote_inputs = true, .output_dtype = ScalarType::Bool}, {&a, &b});
}

void TensorIteratorBase::build_ternary_op(const Tensor& a, const Tensor& b, const Tensor& c) {
  build({.promote_inputs = true, .cast_outputs = true}, {&a, &b, &c});
}

void TensorIteratorBase::build(const IteratorOptions& options,
                               std::initializer_list<const Tensor*> inputs, int num_outputs) {
  if (build_one_run(options, inputs.begin(), static_cast<int>(inputs.size()), num_outputs)) {
    return;
  }
  set_operands(inputs, num_outputs);
  if (!build_fast(options)) {
    build_general(options);
  }
  is_one_run_ = find_contiguity();
}

namespace {

// Like ==, but inline, since sizes are a few numbers.
inline bool same_sizes(IntArrayRef a, IntArrayRef b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); i++) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

// The most frequent case: inputs of one shape and dtype on the CPU, all contiguous, and one result
// that is allocated or replaces the first of them. Nothing is broadcast, promoted or ordered then;
// shape and strides are filled in only when they are read.
bool TensorIteratorBase::build_one_run(const IteratorOptions& options, const Tensor* const* inputs,
                                       int num_inputs, int num_outputs) {
  const TensorImpl& first = *inputs[0]->impl();
  const bool in_place = output_mode() == OutputMode::InPlace;
  if (in_place &&
      (!output(0).is_same(*inputs[0]) || options.output_dtype != ScalarType::Undefined)) {
    return false;
  }
  if (output_mode() == OutputMode::Out || options.is_reduction || num_outputs != 1 ||
      !first.is_contiguous() || first.is_wrapped_number() || device_type() != DeviceType::CPU) {
    return false;
  }
  const ScalarType dtype = first.dtype();
  operands_[1] = {inputs[0], dtype, false, false, false};
  for (int i = 1; i < num_inputs; i++) {
    const TensorImpl& other = *inputs[i]->impl();
    if (other.dtype() != dtype || !other.is_contiguous() || other.is_wrapped_number() ||
        other.device() != first.device() || !same_sizes(other.sizes(), first.sizes())) {
      return false;
    }
    // Different tensors that share memory may overlap in part.
    if (in_place && &other != &first && other.storage() == first.storage()) {
      return false;
    }
    operands_[i + 1] = {inputs[i], dtype, false, false, false};
  }
  common_dtype_ = options.common_dtype != ScalarType::Undefined ? options.common_dtype : dtype;
  if (options.promote_integers_to_float && is_integral(common_dtype_, true)) {
    common_dtype_ = default_dtype();
  }
  if (in_place) {
    if (common_dtype_ != dtype) {
      return false;
    }
    operands_[0] = {inputs[0], dtype, true, true, false};
  } else {
    const ScalarType result = allocated_dtype(options);
    operands_[0] = {&allocate_output(first.sizes(), result), result, true, false, false};
  }
  num_outputs_ = 1;
  num_operands_ = 1 + num_inputs;
  numel_ = first.numel();
  is_one_run_ = true;
  is_plain_run_ = common_dtype_ == dtype;
  return true;
}

void TensorIteratorBase::fill_run() const {
  shape_.resize(1);
  shape_[0] = numel_;
  strides_.resize(2 * static_cast<size_t>(num_operands_));
  for (int i = 0; i < num_operands_; i++) {
    strides_[static_cast<size_t>(i)] = static_cast<int64_t>(element_size(operands_[i].dtype));
  }
}

void TensorIteratorBase::set_operands(std::initializer_list<const Tensor*> inputs,
                                      int num_outputs) {
  TSC_ASSERT(inputs.size() + static_cast<size_t>(num_outputs) <= kMaxOperands);
  num_outputs_ = num_outputs;
  num_operands_ = num_outputs + static_cast<int>(inputs.size());
  const Tensor* const* input = inputs.begin();
  for (int i = 0; i < num_operands_; i++) {
    const Tensor* tensor = i < num_outputs ? &output(i) : *input++;
    const ScalarType dtype = tensor->defined() ? tensor->dtype() : ScalarType::Undefined;
    operands_[i] = {tensor, dtype, i < num_outputs, false, false};
  }
}

// A frequent case: every input is contiguous and of one shape, or has no dimensions, and so are the
// given outputs. Then one dimension suffices, and only the dtype is left to compute.
bool TensorIteratorBase::build_fast(const IteratorOptions& options) {
  if (options.is_reduction) {
    return false;
  }
  const Tensor* widest = operands_[num_outputs_].tensor;
  for (int i = num_outputs_ + 1; i < num_operands_; i++) {
    const Tensor* tensor = operands_[i].tensor;
    widest = tensor->dim() > widest->dim() ? tensor : widest;
  }
  const IntArrayRef sizes = widest->sizes();
  const bool is_one = widest->numel() == 1;
  strides_.resize(2 * static_cast<size_t>(num_operands_));
  for (int i = num_outputs_; i < num_operands_; i++) {
    const Tensor& tensor = *operands_[i].tensor;
    const bool whole = tensor.sizes() == sizes || (is_one && tensor.numel() == 1);
    // With a 0-dim operand, the strides of an empty result follow the other operand's.
    if (!tensor.is_contiguous() || !(whole || (tensor.dim() == 0 && widest->numel() != 0)) ||
        tensor.device() != widest->device()) {
      return false;
    }
    stride_at(i, 0) = whole ? static_cast<int64_t>(tensor.itemsize()) : 0;
  }
  const bool given = output_mode() != OutputMode::Functional;
  for (int i = 0; given && i < num_outputs_; i++) {
    const Tensor& tensor = *operands_[i].tensor;
    if (!tensor.is_contiguous() || tensor.sizes() != sizes || tensor.device() != widest->device()) {
      return false;
    }
  }
  if (given && options.check_memory_overlap) {
    check_overlap();
  }
  compute_common_dtype(options);
  for (int i = 0; i < num_outputs_; i++) {
    if (!given) {
      operands_[i].dtype = allocated_dtype(options);
      set_output(i, sizes, operands_[i].dtype);
    }
    stride_at(i, 0) = static_cast<int64_t>(element_size(operands_[i].dtype));
  }
  numel_ = widest->numel();
  shape_.resize(1);
  shape_[0] = numel_;
  return true;
}

void TensorIteratorBase::build_general(const IteratorOptions& options) {
  for (int i = 0; i < num_outputs_; i++) {
    for (int j = num_outputs_; j < num_operands_; j++) {
      operands_[i].is_read_write |= operands_[i].tensor->is_same(*operands_[j].tensor);
    }
  }
  if (options.check_memory_overlap) {
    check_overlap();
  }
  compute_shape(options);
  check_devices();
  compute_common_dtype(options);
  compute_strides();
  order_dimensions(options);
  make_outputs(options);
  permute_dimensions();
  coalesce_dimensions();
}

void TensorIteratorBase::compute_common_dtype(const IteratorOptions& options) {
  ScalarType common = operands_[num_outputs_].dtype;
  bool needs_promotion = operands_[num_outputs_].tensor->is_wrapped_number();
  bool inputs_agree = true;
  for (int i = num_outputs_ + 1; i < num_operands_; i++) {
    inputs_agree &= operands_[i].dtype == common;
    needs_promotion |= operands_[i].tensor->is_wrapped_number();
  }
  if (options.common_dtype != ScalarType::Undefined) {
    common = options.common_dtype;
  } else if (options.promote_inputs && (needs_promotion || !inputs_agree)) {
    ResultTypeState state;
    for (int i = num_outputs_; i < num_operands_; i++) {
      state.add(*operands_[i].tensor);
    }
    common = state.result();
  }
  if (options.promote_integers_to_float && is_integral(common, true)) {
    common = default_dtype();
  }
  common_dtype_ = common;
  if (options.same_dtype || output_mode() != OutputMode::Functional) {
    check_dtypes(options);
  }
}

void TensorIteratorBase::check_dtypes(const IteratorOptions& options) const {
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined()) {
      continue;
    }
    if (options.same_dtype && !options.promote_inputs) {
      TSC_CHECK(operand.dtype == common_dtype_, "Found dtype {} but expected {}", operand.dtype,
                common_dtype_);
    }
    if (options.cast_outputs && operand.is_output) {
      check_result_cast(common_dtype_, operand.dtype);
    }
  }
}

void TensorIteratorBase::check_devices() const {
  Device device = DeviceType::CPU;
  for (int i = 0; i < num_operands_ && device.is_cpu(); i++) {
    const Tensor& tensor = *operands_[i].tensor;
    device = tensor.defined() ? tensor.device() : device;
  }
  for (int i = 0; i < num_operands_; i++) {
    const Tensor& tensor = *operands_[i].tensor;
    // A 0-dim CPU tensor may be combined with tensors of another device.
    const bool is_number =
        tensor.defined() && !operands_[i].is_output && tensor.dim() == 0 && tensor.is_cpu();
    TSC_CHECK(
        !tensor.defined() || is_number || tensor.device() == device,
        "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
        device, tensor.device());
  }
}

void TensorIteratorBase::check_overlap() const {
  for (int i = 0; i < num_outputs_; i++) {
    const Tensor& written = *operands_[i].tensor;
    if (!written.defined()) {
      continue;
    }
    check_no_internal_overlap(written);
    for (int j = num_outputs_; j < num_operands_; j++) {
      check_no_partial_overlap(written, *operands_[j].tensor);
    }
  }
}

void TensorIteratorBase::compute_shape(const IteratorOptions& options) {
  bool first = true;
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined() ||
        (operand.is_output && (options.is_reduction || options.resize_outputs))) {
      continue;
    }
    const IntArrayRef sizes = operand.tensor->sizes();
    if (first) {
      shape_.assign(sizes);
      first = false;
    } else if (sizes != IntArrayRef(shape_)) {
      shape_ = broadcast_sizes(shape_, sizes);
    }
  }
  for (int i = 0; i < num_outputs_; i++) {
    Operand& operand = operands_[i];
    if (!operand.tensor->defined() || operand.tensor->sizes() == IntArrayRef(shape_)) {
      continue;
    }
    if (options.resize_outputs && !operand.is_read_write && output_mode() == OutputMode::Out) {
      operand.will_resize = true;
      continue;
    }
    TSC_CHECK(options.is_reduction, "output with shape {} doesn't match the broadcast shape {}",
              operand.tensor->sizes(), IntArrayRef(shape_));
  }
  numel_ = 1;
  for (const int64_t size : shape_) {
    numel_ *= size;
  }
}

// In the tensors' own order of dimensions; allocated outputs get their strides in make_outputs().
void TensorIteratorBase::compute_strides() {
  const size_t dims = shape_.size();
  strides_.clear();  // an operand of fewer dimensions has strides of 0
  strides_.resize(std::max<size_t>(dims, 2) * static_cast<size_t>(num_operands_));
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined() || operand.will_resize) {
      continue;
    }
    const IntArrayRef sizes = operand.tensor->sizes();
    const auto itemsize = static_cast<int64_t>(operand.tensor->itemsize());
    const size_t added = dims - sizes.size();
    for (size_t d = added; d < dims; d++) {
      const bool broadcast = sizes[d - added] == 1 && shape_[d] != 1;
      stride_at(i, d) = broadcast ? 0 : operand.tensor->strides()[d - added] * itemsize;
    }
  }
}

// Positive where dimension `a` should come after `b`, negative where before, 0 where no operand
// decides.
int TensorIteratorBase::compare_dimensions(const IteratorOptions& options, int64_t a,
                                           int64_t b) const {
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined() || operand.will_resize) {
      continue;
    }
    const int64_t stride_a = stride(i, static_cast<int>(a));
    const int64_t stride_b = stride(i, static_cast<int>(b));
    if (options.is_reduction && operand.is_output && (stride_a == 0) != (stride_b == 0)) {
      return stride_b == 0 ? 1 : -1;  // reduced dimensions first
    }
    if (stride_a == 0 || stride_b == 0) {
      continue;
    }
    if (stride_a != stride_b) {
      return stride_a < stride_b ? -1 : 1;
    }
    if (shape_[static_cast<size_t>(a)] > shape_[static_cast<size_t>(b)]) {
      return 1;
    }
  }
  return 0;
}

// An insertion sort, stable where no operand decides: the last dimension is the fastest by default.
void TensorIteratorBase::order_dimensions(const IteratorOptions& options) {
  const size_t dims = shape_.size();
  permutation_.resize(dims);
  for (size_t i = 0; i < dims; i++) {
    permutation_[i] = static_cast<int64_t>(dims - 1 - i);
  }
  for (size_t i = 1; i < dims; i++) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int order = compare_dimensions(options, permutation_[j], permutation_[moving]);
      if (order > 0) {
        std::swap(permutation_[j], permutation_[moving]);
        moving = j;
      } else if (order < 0) {
        break;
      }
    }
  }
}

void TensorIteratorBase::make_outputs(const IteratorOptions& options) {
  const size_t dims = shape_.size();
  for (int i = 0; i < num_outputs_; i++) {
    Operand& operand = operands_[i];
    if (operand.tensor->defined() && !operand.will_resize) {
      if (!options.is_reduction) {
        set_output(i, operand.tensor->sizes(), operand.dtype);
      }
      continue;
    }
    if (!operand.tensor->defined()) {
      operand.dtype = allocated_dtype(options);
    }
    DimVector strides(dims);
    int64_t run = 1;
    bool row_major = true;
    for (size_t d = 0; d < dims; d++) {
      const auto dim = static_cast<size_t>(permutation_[d]);
      row_major &= dim == dims - 1 - d;
      strides[dim] = run;
      run *= shape_[dim];
    }
    if (row_major) {
      set_output(i, shape_, operand.dtype);
    } else {
      set_output(i, shape_, strides, operand.dtype);
    }
    const auto itemsize = static_cast<int64_t>(element_size(operand.dtype));
    for (size_t d = 0; d < dims; d++) {
      stride_at(i, d) = strides[d] * itemsize;
    }
  }
}

void TensorIteratorBase::permute_dimensions() {
  const size_t dims = shape_.size();
  const DimVector old_shape = shape_;
  const SmallVector<int64_t, 24> old_strides = strides_;
  for (size_t d = 0; d < dims; d++) {
    const auto from = static_cast<size_t>(permutation_[d]);
    shape_[d] = old_shape[from];
    for (int i = 0; i < num_operands_; i++) {
      stride_at(i, d) =
          old_strides[from * static_cast<size_t>(num_operands_) + static_cast<size_t>(i)];
    }
  }
}

void TensorIteratorBase::coalesce_dimensions() {
  if (shape_.size() <= 1) {
    return;
  }
  const auto mergeable = [&](size_t inner, size_t outer) {
    if (shape_[inner] == 1 || shape_[outer] == 1) {
      return true;
    }
    for (int i = 0; i < num_operands_; i++) {
      if (shape_[inner] * stride_at(i, inner) != stride_at(i, outer)) {
        return false;
      }
    }
    return true;
  };
  const auto take_strides = [&](size_t to, size_t from) {
    for (int i = 0; i < num_operands_; i++) {
      stride_at(i, to) = stride_at(i, from);
    }
  };
  size_t last = 0;
  for (size_t d = 1; d < shape_.size(); d++) {
    if (mergeable(last, d)) {
      if (shape_[last] == 1) {
        take_strides(last, d);
      }
      shape_[last] *= shape_[d];
    } else {
      last++;
      if (last != d) {
        take_strides(last, d);
        shape_[last] = shape_[d];
      }
    }
  }
  shape_.resize(last + 1);
}

bool TensorIteratorBase::find_contiguity() const {
  if (shape_.size() != 1) {
    return false;
  }
  for (int i = 0; i < num_operands_; i++) {
    if (stride(i, 0) != static_cast<int64_t>(element_size(operands_[i].dtype))) {
      return false;
    }
  }
  return true;
}

void TensorIteratorBase::for_each(Loop2d loop, int64_t grain_size) const {
  if (numel_ <= grain_size) {
    serial_for_each(loop, 0, numel_);
    return;
  }
  strides();  // before there are several threads
  parallel_for(0, numel_, grain_size,
               [&](int64_t begin, int64_t end) { serial_for_each(loop, begin, end); });
}

namespace {
// A loop that transposes works best on blocks with several rows and columns.
constexpr int64_t kRowsTogether = 64;
}  // namespace

void TensorIteratorBase::serial_for_each(Loop2d loop, int64_t begin, int64_t end) const {
  if (begin >= end) {
    return;
  }
  char* data[kMaxOperands];
  const size_t dims = shape().size();
  if (dims <= 1) {
    for (int i = 0; i < num_operands_; i++) {
      data[i] = data_ptr(i) + (dims == 0 ? 0 : begin * stride(i, 0));
    }
    for (int64_t offset = begin; offset < end;) {
      const int64_t count = std::min(end - offset, kElementsBetweenPolls);
      loop(data, strides(), count, 1);
      offset += count;
      if (offset == end) break;
      throw_if_interrupted();
      for (int i = 0; i < num_operands_; i++) {
        data[i] = data_ptr(i) + offset * stride(i, 0);
      }
    }
    return;
  }
  // The position of `begin`, then as many rows, or as much of one, as there are before `end` in the
  // two inner dimensions.
  DimVector at(dims);
  int64_t rest = begin;
  for (size_t d = 0; d < dims; d++) {
    at[d] = rest % shape_[d];
    rest /= shape_[d];
  }
  for (int64_t offset = begin; offset < end;) {
    throw_if_interrupted();
    for (int i = 0; i < num_operands_; i++) {
      int64_t bytes = 0;
      for (size_t d = 0; d < dims; d++) {
        bytes += at[d] * stride(i, static_cast<int>(d));
      }
      data[i] = data_ptr(i) + bytes;
    }
    const int64_t size0 = std::min({shape_[0] - at[0], end - offset, kElementsBetweenPolls});
    int64_t size1 = 1;
    if (size0 == shape_[0]) {
      size1 = std::min({shape_[1] - at[1], (end - offset) / size0,
                        std::max(kElementsBetweenPolls / size0, kRowsTogether)});
    }
    loop(data, strides(), size0, size1);
    offset += size0 * size1;
    at[0] += size0;
    if (at[0] < shape_[0]) {  // the rest of a long row comes next
      continue;
    }
    at[0] = 0;
    at[1] += size1;
    for (size_t d = 1; d + 1 < dims && at[d] == shape_[d]; d++) {
      at[d] = 0;
      at[d + 1]++;
    }
  }
}

}  // namespace tsc
