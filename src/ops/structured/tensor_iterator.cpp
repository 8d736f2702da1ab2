#include "ops/structured/tensor_iterator.h"

#include <algorithm>
#include <numeric>

#include "core/memory_format.h"
#include "core/system/interrupt.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/device_check.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/result_type.h"
#include "ops/structured/type_names.h"

namespace tsc {

namespace {

// Like ==, but inline, since sizes are a few numbers.
inline bool same_sizes(IntArrayRef a, IntArrayRef b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

// Of one kind, and of the same sizes.
inline bool is_alike(const TensorImpl& a, const TensorImpl& b) {
  return a.kind() == b.kind() && same_sizes(a.sizes(), b.sizes());
}

// Whether every element of the result reads the same one of `tensor`, or both have one. Beside a
// 0-dim operand, the strides of an empty result follow the other operand's.
bool is_lone(const TensorImpl& tensor, const TensorImpl& widest) {
  return (tensor.dim() == 0 && widest.numel() != 0) || (tensor.numel() == 1 && widest.numel() == 1);
}

// Whether the strides are those of contiguous_format, at dimensions of size 1, too: beside an operand
// of other sizes these order the result's dimensions.
bool has_plain_strides(const TensorImpl& tensor) {
  int64_t run = 1;
  for (size_t i = tensor.sizes().size(); i-- > 0;) {
    if (tensor.strides()[i] != run) {
      return false;
    }
    run *= std::max<int64_t>(tensor.sizes()[i], 1);
  }
  return true;
}

}  // namespace

// Inlined where the options and the number of inputs are known.
TSC_ALWAYS_INLINE bool TensorIteratorBase::inputs_are_alike(const IteratorOptions& options,
                                                            ArrayRef<const Tensor*> inputs) const {
  const TensorImpl& first = *(*inputs.begin())->impl();
  if (options.is_reduction || options.common_dtype != ScalarType::Undefined ||
      overrides_outputs() || !first.is_contiguous() || first.is_wrapped_number() ||
      (options.promote_integers_to_float && is_integral(first.dtype(), true))) {
    return false;
  }
#pragma GCC unroll 3
  for (const Tensor* input : inputs) {
    if (input->impl() != &first && !is_alike(*input->impl(), first)) {
      return false;
    }
  }
  return true;
}

TSC_ALWAYS_INLINE bool TensorIteratorBase::output_is_alike(const IteratorOptions& options,
                                                           ArrayRef<const Tensor*> inputs) const {
  const TensorImpl& first = *(*inputs.begin())->impl();
  const TensorImpl* const given = output(0).impl();
  if (TSC_UNLIKELY(given == nullptr) || !is_alike(*given, first) ||
      (options.output_dtype != ScalarType::Undefined && options.output_dtype != first.dtype())) {
    return false;
  }
#pragma GCC unroll 3
  for (const Tensor* input : inputs) {
    if (input->impl() != given && input->impl()->storage() == given->storage()) {
      return false;
    }
  }
  return true;
}

TSC_ALWAYS_INLINE void TensorIteratorBase::set_run(ArrayRef<const Tensor*> inputs,
                                                   ScalarType made) {
  const TensorImpl& first = *(*inputs.begin())->impl();
  num_outputs_ = 1;
  num_operands_ = 1 + static_cast<int>(inputs.size());
  has_walk_ = false;
  numel_ = first.numel();
  common_dtype_ = first.dtype();
  is_one_run_ = true;
  is_plain_run_ = device_type() == DeviceType::CPU;
  operands_[0] = {&output(0), made};
  for (size_t i = 0; i < inputs.size(); i++) {
    operands_[1 + i] = {inputs[i], first.dtype()};
  }
}

// Most calls have operands that are alike: nothing is broadcast, promoted or ordered then, and shape
// and strides are filled in when they are read. False, and nothing done, for others.
TSC_ALWAYS_INLINE bool TensorIteratorBase::build_run(const IteratorOptions& options,
                                                     ArrayRef<const Tensor*> inputs) {
  if (!inputs_are_alike(options, inputs)) {
    return false;
  }
  const TensorImpl& first = *(*inputs.begin())->impl();
  if (output_mode() == OutputMode::Functional) {
    const ScalarType made =
        options.output_dtype == ScalarType::Undefined ? first.dtype() : options.output_dtype;
    set_run(inputs, made);
    set_output(0, first.sizes(), made);
    return true;
  }
  if (!output_is_alike(options, inputs)) {
    return false;
  }
  set_run(inputs, first.dtype());
  return true;
}

void TensorIteratorBase::build(const IteratorOptions& options, ArrayRef<const Tensor*> inputs,
                               int num_outputs) {
  TSC_ASSERT(num_outputs + static_cast<int>(inputs.size()) <= kMaxOperands);
  if (num_outputs != 1 || !build_run(options, inputs)) {
    build_any(options, inputs, num_outputs);
  }
}

template <IteratorOptions kOptions, class... Tensors>
TSC_NOINLINE void TensorIteratorBase::build_any_from(const Tensors&... inputs) {
  build_any(kOptions, {&inputs...}, 1);
}

template <IteratorOptions kOptions, class... Tensors>
TSC_ALWAYS_INLINE void TensorIteratorBase::build_from(const Tensors&... inputs) {
  const Tensor* const pointers[] = {&inputs...};
  if (!build_run(kOptions, pointers)) {
    build_any_from<kOptions>(inputs...);
  }
}

void TensorIteratorBase::build_unary_op(const Tensor& a) {
  build_from<IteratorOptions{.same_dtype = true}>(a);
}

void TensorIteratorBase::build_unary_float_op(const Tensor& a) {
  build_from<IteratorOptions{
      .promote_inputs = true, .promote_integers_to_float = true, .cast_outputs = true}>(a);
}

void TensorIteratorBase::build_unary_bool_op(const Tensor& a) {
  build_from<IteratorOptions{.output_dtype = ScalarType::Bool}>(a);
}

void TensorIteratorBase::build_binary_op(const Tensor& a, const Tensor& b) {
  build_from<IteratorOptions{.promote_inputs = true, .cast_outputs = true}>(a, b);
}

void TensorIteratorBase::build_binary_float_op(const Tensor& a, const Tensor& b) {
  build_from<IteratorOptions{
      .promote_inputs = true, .promote_integers_to_float = true, .cast_outputs = true}>(a, b);
}

void TensorIteratorBase::build_comparison_op(const Tensor& a, const Tensor& b) {
  build_from<IteratorOptions{.promote_inputs = true, .output_dtype = ScalarType::Bool}>(a, b);
}

void TensorIteratorBase::build_ternary_op(const Tensor& a, const Tensor& b, const Tensor& c) {
  build_from<IteratorOptions{.promote_inputs = true, .cast_outputs = true}>(a, b, c);
}

// Each step is taken only where the operands need it.
TSC_NOINLINE void TensorIteratorBase::build_any(const IteratorOptions& options,
                                                ArrayRef<const Tensor*> inputs, int num_outputs) {
  const bool given = output_mode() != OutputMode::Functional;
  num_outputs_ = num_outputs;
  num_operands_ = num_outputs;
  for (const Tensor* input : inputs) {
    operands_[num_operands_++] = {input, input->dtype()};
  }
  has_walk_ = false;
  will_resize_ = 0;
  Agreement agreement = agreement_of(inputs);
  numel_ = agreement.widest->numel();
  is_plain_run_ = false;
  if (TSC_UNLIKELY(overrides_outputs())) {
    agreement.is_flat = false;
  }
  if (given || options.is_reduction || !agreement.is_flat) {
    agreement.is_flat &= set_outputs(options, inputs, *agreement.widest);
  }
  if (!agreement.is_flat) {
    begin_walk();
    compute_shape(options);
    if (output_mode() != OutputMode::Unchecked) {
      check_devices();
    }
  }
  const ScalarType dtype = (*inputs.begin())->dtype();
  common_dtype_ = common_dtype_of(options, dtype, agreement.one_dtype);
  const bool one_dtype = agreement.one_dtype && common_dtype_ == dtype && num_outputs_ == 1 &&
                         (!given || operands_[0].dtype == dtype);
  if (!one_dtype && (given || options.same_dtype) && output_mode() != OutputMode::Unchecked) {
    check_dtypes(options);
  }
  if (!agreement.is_flat) {
    compute_strides();
    const DimVector order = ordered_dimensions(options);
    make_outputs(options, order);
    permute_dimensions(order);
    coalesce_dimensions();
    if (!options.is_reduction && !options.keep_order) {
      pair_dimensions();
    }
    is_one_run_ = find_contiguity();
    return;
  }
  is_one_run_ = agreement.one_length;
  is_plain_run_ = agreement.one_length && one_dtype && device_type() == DeviceType::CPU &&
                  (!given || options.output_dtype == ScalarType::Undefined);
  if (given) {
    return;
  }
  const ScalarType allocated = allocated_dtype(options);
  for (int i = 0; i < num_outputs_; i++) {
    operands_[i] = {&output(i), allocated};
    set_output(i, agreement.widest->sizes(), allocated);
  }
}

TensorIteratorBase::Agreement TensorIteratorBase::agreement_of(ArrayRef<const Tensor*> inputs) {
  const TensorImpl* const first = (*inputs.begin())->impl();
  Agreement agreement = {first, true, true, true};
  bool one_shape = true;
  for (const Tensor* input : inputs) {
    const TensorImpl* const tensor = input->impl();
    const TensorImpl* const widest = agreement.widest;
    agreement.one_dtype &= tensor->dtype() == first->dtype() && !tensor->is_wrapped_number();
    agreement.is_flat &= tensor->is_contiguous() && tensor->device() == first->device();
    agreement.one_length &= tensor->numel() == widest->numel();
    if (!same_sizes(tensor->sizes(), widest->sizes())) {
      one_shape = false;
      agreement.widest = tensor->dim() > widest->dim() ? tensor : widest;
      agreement.is_flat &=
          is_lone(agreement.widest == widest ? *tensor : *widest, *agreement.widest);
    }
  }
  agreement.is_flat &= one_shape || has_plain_strides(*agreement.widest);
  return agreement;
}

// True where outputs are given, and each is one run of the widest input's sizes.
bool TensorIteratorBase::set_outputs(const IteratorOptions& options, ArrayRef<const Tensor*> inputs,
                                     const TensorImpl& widest) {
  bool fit = !options.is_reduction;
  const bool check_overlap = options.check_memory_overlap && output_mode() != OutputMode::Unchecked;
  for (int i = 0; i < num_outputs_; i++) {
    const Tensor& tensor = output(i);
    operands_[i] = {&tensor, ScalarType::Undefined};
    if (!tensor.defined()) {
      fit = false;
      continue;
    }
    const TensorImpl& given = *tensor.impl();
    operands_[i].dtype = given.dtype();
    fit &= &given == &widest || (given.is_contiguous() && given.device() == widest.device() &&
                                 same_sizes(given.sizes(), widest.sizes()));
    if (check_overlap && !given.is_non_overlapping_and_dense()) {
      check_no_internal_overlap(tensor);
    }
    for (const Tensor* input : inputs) {
      if (check_overlap && input->impl() != &given && input->shares_storage_with(tensor)) {
        check_no_partial_overlap(tensor, *input);
      }
    }
  }
  return fit;
}

void TensorIteratorBase::drop_extra() { extra_.~Extra(); }

void TensorIteratorBase::fill_run() const {
  begin_walk();
  extra_.walk.shape.resize(1);
  extra_.walk.shape[0] = numel_;
  extra_.walk.strides.resize(2 * static_cast<size_t>(num_operands_));
  for (int i = 0; i < num_operands_; i++) {
    const bool is_lone = numel_ != 1 && operands_[i].tensor->numel() == 1;
    extra_.walk.strides[static_cast<size_t>(i)] =
        is_lone ? 0 : static_cast<int64_t>(element_size(operands_[i].dtype));
  }
}

TSC_ALWAYS_INLINE ScalarType TensorIteratorBase::common_dtype_of(const IteratorOptions& options,
                                                                 ScalarType first,
                                                                 bool one_dtype) const {
  ScalarType common = first;
  if (options.common_dtype != ScalarType::Undefined) {
    common = options.common_dtype;
  } else if (options.promote_inputs && !one_dtype) {
    common = promoted_inputs();
  }
  if (options.promote_integers_to_float && is_integral(common, true)) {
    common = default_dtype();
  }
  return common;
}

ScalarType TensorIteratorBase::promoted_inputs() const {
  ResultTypeState state;
  for (int i = num_outputs_; i < num_operands_; i++) {
    state.add(*operands_[i].tensor);
  }
  return state.result();
}

void TensorIteratorBase::check_dtypes(const IteratorOptions& options) const {
  const bool allocated = output_mode() == OutputMode::Functional && !options.is_reduction;
  for (int i = allocated ? num_outputs_ : 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined()) {
      continue;
    }
    if (options.same_dtype && !options.promote_inputs) {
      check_found_dtype(operand.dtype, common_dtype_);
    }
    if (options.cast_outputs && i < num_outputs_ && operand.dtype != common_dtype_) {
      check_result_cast(common_dtype_, operand.dtype);
    }
  }
}

void TensorIteratorBase::check_devices() const {
  // A 0-dim CPU tensor may be combined with tensors of another device.
  const auto is_number = [](const Tensor& tensor) { return tensor.dim() == 0 && tensor.is_cpu(); };
  const Tensor* first = nullptr;
  for (int i = num_outputs_; i < num_operands_; i++) {
    const Tensor* tensor = operands_[i].tensor;
    if (tensor->defined() && (first == nullptr || is_number(*first))) {
      first = tensor;
    }
  }
  if (first == nullptr) {
    return;
  }
  const Device device = first->device();
  for (int i = num_operands_ - 1; i >= 0; i--) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined()) {
      continue;
    }
    const bool is_output = i < num_outputs_;
    if (is_output && output_mode() == OutputMode::Out) {
      check_out_device(device, *operand.tensor);
    }
    TSC_CHECK(
        operand.tensor->device() == device || (!is_output && is_number(*operand.tensor)),
        "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
        device, operand.tensor->device());
  }
}

bool TensorIteratorBase::is_input(const Tensor& output) const {
  for (int i = num_outputs_; i < num_operands_; i++) {
    if (operands_[i].tensor->is_same(output)) {
      return true;
    }
  }
  return false;
}

void TensorIteratorBase::compute_shape(const IteratorOptions& options) {
  bool first = true;
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined() ||
        (i < num_outputs_ && (options.is_reduction || options.resize_outputs))) {
      continue;
    }
    const IntArrayRef sizes = operand.tensor->sizes();
    if (first) {
      extra_.walk.shape.assign(sizes);
      first = false;
    } else if (sizes != IntArrayRef(extra_.walk.shape)) {
      extra_.walk.shape = broadcast_sizes(extra_.walk.shape, sizes);
    }
  }
  for (int i = 0; i < num_outputs_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined() || operand.tensor->sizes() == IntArrayRef(extra_.walk.shape)) {
      continue;
    }
    if (options.resize_outputs && !is_input(*operand.tensor) && output_mode() == OutputMode::Out) {
      will_resize_ |= static_cast<uint8_t>(1 << i);
      continue;
    }
    TSC_CHECK(options.is_reduction, "output with shape {} doesn't match the broadcast shape {}",
              operand.tensor->sizes(), IntArrayRef(extra_.walk.shape));
  }
  numel_ = 1;
  for (const int64_t size : extra_.walk.shape) {
    // A product that does not fit is refused where the result is allocated.
    (void)__builtin_mul_overflow(numel_, size, &numel_);
  }
}

// In the tensors' own order of dimensions; allocated outputs get their strides in make_outputs().
void TensorIteratorBase::compute_strides() {
  const size_t dims = extra_.walk.shape.size();
  extra_.walk.strides.clear();  // an operand of fewer dimensions has strides of 0
  extra_.walk.strides.resize(std::max<size_t>(dims, 2) * static_cast<size_t>(num_operands_));
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = operands_[i];
    if (!operand.tensor->defined() || will_resize(i)) {
      continue;
    }
    const IntArrayRef sizes = operand.tensor->sizes();
    const auto itemsize = static_cast<int64_t>(operand.tensor->itemsize());
    const size_t added = dims - sizes.size();
    for (size_t d = added; d < dims; d++) {
      const bool broadcast = sizes[d - added] == 1 && extra_.walk.shape[d] != 1;
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
    if (!operand.tensor->defined() || will_resize(i)) {
      continue;
    }
    const int64_t stride_a = stride(i, static_cast<int>(a));
    const int64_t stride_b = stride(i, static_cast<int>(b));
    if (options.is_reduction && i < num_outputs_ && (stride_a == 0) != (stride_b == 0)) {
      return stride_b == 0 ? 1 : -1;  // reduced dimensions first
    }
    if (stride_a == 0 || stride_b == 0) {
      continue;
    }
    if (stride_a != stride_b) {
      return stride_a < stride_b ? -1 : 1;
    }
    if (extra_.walk.shape[static_cast<size_t>(a)] > extra_.walk.shape[static_cast<size_t>(b)]) {
      return 1;
    }
  }
  return 0;
}

// An insertion sort, stable where no operand decides: the last dimension is the fastest by default.
DimVector TensorIteratorBase::ordered_dimensions(const IteratorOptions& options) const {
  const size_t dims = extra_.walk.shape.size();
  DimVector order(dims);
  for (size_t i = 0; i < dims; i++) {
    order[i] = static_cast<int64_t>(dims - 1 - i);
  }
  for (size_t i = 1; i < dims; i++) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int sign = compare_dimensions(options, order[j], order[moving]);
      if (sign > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      } else if (sign < 0) {
        break;
      }
    }
  }
  return order;
}

// Strides of dimensions of size 1 cannot be told from the order of the others: they are those of
// the inputs' common format, or of the inputs where all agree. Empty where they do not.
DimVector TensorIteratorBase::common_strides(const IteratorOptions& options) const {
  const TensorImpl& first = *operands_[num_outputs_].tensor->impl();
  bool contiguous = true;
  bool channels_last = true;
  bool alike = true;
  if (options.is_reduction) {
    return {};
  }
  for (int i = num_outputs_; i < num_operands_; i++) {
    const TensorImpl& input = *operands_[i].tensor->impl();
    if (!same_sizes(input.sizes(), extra_.walk.shape)) {
      return {};
    }
    contiguous &= input.is_contiguous();
    channels_last &=
        is_channels_last_contiguous(MemoryFormat::ChannelsLast, input.sizes(), input.strides());
    alike &= input.is_non_overlapping_and_dense() && same_sizes(input.strides(), first.strides());
  }
  return contiguous      ? strides_in(MemoryFormat::Contiguous, extra_.walk.shape)
         : channels_last ? strides_in(MemoryFormat::ChannelsLast, extra_.walk.shape)
         : alike         ? DimVector(first.strides())
                         : DimVector();
}

void TensorIteratorBase::make_outputs(const IteratorOptions& options, const DimVector& order) {
  const size_t dims = extra_.walk.shape.size();
  const DimVector common = common_strides(options);
  for (int i = 0; i < num_outputs_; i++) {
    Operand& operand = operands_[i];
    if (operand.tensor->defined() && !will_resize(i)) {
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
      const auto dim = static_cast<size_t>(order[d]);
      row_major &= dim == dims - 1 - d;
      strides[dim] = run;
      (void)__builtin_mul_overflow(run, extra_.walk.shape[dim], &run);
    }
    if (!common.empty()) {
      strides = common;
      row_major = false;
    }
    if (row_major) {
      set_output(i, extra_.walk.shape, operand.dtype);
    } else {
      set_output(i, extra_.walk.shape, strides, operand.dtype);
    }
    if (overrides_outputs()) {
      operand.dtype = operand.tensor->dtype();
      TSC_CHECK(operand.tensor->sizes() == IntArrayRef(extra_.walk.shape),
                "set_output_raw_strided() made an output of sizes {} where {} were asked for",
                operand.tensor->sizes(), IntArrayRef(extra_.walk.shape));
      strides = DimVector(operand.tensor->strides());
    }
    const auto itemsize = static_cast<int64_t>(element_size(operand.dtype));
    for (size_t d = 0; d < dims; d++) {
      stride_at(i, d) = strides[d] * itemsize;
    }
  }
}

void TensorIteratorBase::permute_dimensions(const DimVector& order) {
  const size_t dims = extra_.walk.shape.size();
  const DimVector old_shape = extra_.walk.shape;
  const SmallVector<int64_t, 24> old_strides = extra_.walk.strides;
  for (size_t d = 0; d < dims; d++) {
    const auto from = static_cast<size_t>(order[d]);
    extra_.walk.shape[d] = old_shape[from];
    for (int i = 0; i < num_operands_; i++) {
      stride_at(i, d) =
          old_strides[from * static_cast<size_t>(num_operands_) + static_cast<size_t>(i)];
    }
  }
}

void TensorIteratorBase::coalesce_dimensions() {
  if (extra_.walk.shape.size() <= 1) {
    return;
  }
  const auto mergeable = [&](size_t inner, size_t outer) {
    if (extra_.walk.shape[inner] == 1 || extra_.walk.shape[outer] == 1) {
      return true;
    }
    for (int i = 0; i < num_operands_; i++) {
      if (extra_.walk.shape[inner] * stride_at(i, inner) != stride_at(i, outer)) {
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
  for (size_t d = 1; d < extra_.walk.shape.size(); d++) {
    if (mergeable(last, d)) {
      if (extra_.walk.shape[last] == 1) {
        take_strides(last, d);
      }
      extra_.walk.shape[last] *= extra_.walk.shape[d];
    } else {
      last++;
      if (last != d) {
        take_strides(last, d);
        extra_.walk.shape[last] = extra_.walk.shape[d];
      }
    }
  }
  extra_.walk.shape.resize(last + 1);
}

// An input that is dense along another dimension than the first, as a permuted tensor's copy has it,
// is walked along both at once: loops get that dimension as their second one. A short one is not
// worth it for so few elements that all stay in the cache.
void TensorIteratorBase::pair_dimensions() {
  const size_t dims = extra_.walk.shape.size();
  const int64_t least = numel_ > kParallelGrain ? 2 : 8;
  for (int i = num_outputs_; i < num_operands_ && dims > 2; i++) {
    const auto itemsize = static_cast<int64_t>(element_size(operands_[i].dtype));
    if (stride(i, 0) <= itemsize) {
      continue;
    }
    for (size_t d = 1; d < dims; d++) {
      if (stride(i, static_cast<int>(d)) == itemsize && extra_.walk.shape[d] >= least) {
        DimVector order(dims);
        std::iota(order.begin(), order.end(), 0);
        std::rotate(order.begin() + 1, order.begin() + static_cast<int64_t>(d),
                    order.begin() + static_cast<int64_t>(d) + 1);
        permute_dimensions(order);
        return;
      }
    }
  }
}

bool TensorIteratorBase::find_contiguity() const {
  if (extra_.walk.shape.size() != 1) {
    return false;
  }
  for (int i = 0; i < num_operands_; i++) {
    if (stride(i, 0) != static_cast<int64_t>(element_size(operands_[i].dtype))) {
      return false;
    }
  }
  return true;
}

namespace {
// A loop that transposes works best on blocks with several rows and columns.
constexpr int64_t kRowsTogether = 64;
}  // namespace

void TensorIteratorBase::for_each(Loop2d loop, int64_t grain_size) const {
  if (numel_ <= grain_size) {
    serial_for_each(loop, 0, numel_);
    return;
  }
  strides();  // before there are several threads
  if (is_turned() && extra_.walk.shape[0] > grain_size / kRowsTogether) {
    for_each_block(loop, grain_size);
    return;
  }
  parallel_for(0, numel_, grain_size,
               [&](int64_t begin, int64_t end) { serial_for_each(loop, begin, end); });
}

// Whether an operand is walked in larger steps along the first dimension than along the second.
bool TensorIteratorBase::is_turned() const {
  for (int i = 0; i < num_operands_ && extra_.walk.shape.size() > 1; i++) {
    if (stride(i, 1) != 0 && std::abs(stride(i, 1)) < std::abs(stride(i, 0))) {
      return true;
    }
  }
  return false;
}

// Long rows: a chunk of one row alone would leave the loop nothing to transpose, so chunks are some
// columns of some rows.
void TensorIteratorBase::for_each_block(Loop2d loop, int64_t grain_size) const {
  constexpr int64_t kColumns = 512;
  const DimVector& shape = extra_.walk.shape;
  const int64_t across = (shape[0] + kColumns - 1) / kColumns;
  const int64_t down = (shape[1] + kRowsTogether - 1) / kRowsTogether;
  const int64_t blocks = across * down * (numel_ / (shape[0] * shape[1]));
  const int64_t work = kColumns * std::min(shape[1], kRowsTogether);
  parallel_for(0, blocks, std::max<int64_t>(1, grain_size / work), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; block++) {
      throw_if_interrupted();
      DimVector at = {block % across * kColumns, block / across % down * kRowsTogether};
      int64_t rest = block / across / down;
      for (size_t d = 2; d < shape.size(); d++) {
        at.push_back(rest % shape[d]);
        rest /= shape[d];
      }
      char* data[kMaxOperands];
      place_at(at, data);
      loop(data, strides(), std::min(kColumns, shape[0] - at[0]),
           std::min(kRowsTogether, shape[1] - at[1]));
    }
  });
}

void TensorIteratorBase::place_at(const DimVector& at, char** data) const {
  for (int i = 0; i < num_operands_; i++) {
    int64_t bytes = 0;
    for (size_t d = 0; d < at.size(); d++) {
      bytes += at[d] * stride(i, static_cast<int>(d));
    }
    data[i] = data_ptr(i) + bytes;
  }
}

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
    at[d] = rest % extra_.walk.shape[d];
    rest /= extra_.walk.shape[d];
  }
  for (int64_t offset = begin; offset < end;) {
    throw_if_interrupted();
    place_at(at, data);
    const int64_t size0 =
        std::min({extra_.walk.shape[0] - at[0], end - offset, kElementsBetweenPolls});
    int64_t size1 = 1;
    if (size0 == extra_.walk.shape[0]) {
      size1 = std::min({extra_.walk.shape[1] - at[1], (end - offset) / size0,
                        std::max(kElementsBetweenPolls / size0, kRowsTogether)});
    }
    loop(data, strides(), size0, size1);
    offset += size0 * size1;
    at[0] += size0;
    if (at[0] < extra_.walk.shape[0]) {  // the rest of a long row comes next
      continue;
    }
    at[0] = 0;
    at[1] += size1;
    for (size_t d = 1; d + 1 < dims && at[d] == extra_.walk.shape[d]; d++) {
      at[d] = 0;
      at[d + 1]++;
    }
  }
}

}  // namespace tsc
