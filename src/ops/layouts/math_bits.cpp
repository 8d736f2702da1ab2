// Conjugation and negation, lazy and computed; tensors of zeros without memory.
#include "ops/layouts/math_bits.h"
#include "ops/cpu/pointwise/arithmetic_list.h"

#include "core/dispatch_types.h"
#include "core/keys/thread_local_state.h"
#include "core/sparse_tensor_impl.h"
#include "core/tensor_factory.h"
#include "gen/calls/clone.h"
#include "gen/calls/copy.h"
#include "gen/ops/math_bits.h"
#include "gen/ops/math_bits_native.h"
#include "ops/factory/factory_options.h"
#include "ops/layouts/sparse.h"
#include "ops/shape/strided_views.h"
#include "ops/structured/elementwise.h"
#include "ops/structured/resize.h"

namespace tsc {

namespace {

// A view of the whole tensor.
Tensor whole_view(const Tensor& self) {
  return view_tensor(self, self.sizes(), self.strides(), self.storage_offset());
}

// The elements in memory, without regard to the bits.
Tensor memory_of(const Tensor& tensor) {
  Tensor view = whole_view(tensor);
  view.impl()->set_key_set(view.key_set() - kMathBits);
  return view;
}

// Toggles the key.
Tensor toggled(const Tensor& self, DispatchKey key) {
  Tensor view = whole_view(self);
  const DispatchKeySet keys = view.key_set();
  view.impl()->set_key_set(keys.has(key) ? keys.remove(key) : keys.add(key));
  return view;
}

enum class Part : int64_t { Real = 0, Imaginary = 1 };

// Without a call: copies resolve bits even where no call would reach a kernel.
void negate_elements(const Tensor& memory) {
  TensorIterator iterator(memory);
  iterator.build_unary_op(memory);
  run_elementwise(iterator, cpu::ufuncs::neg, "neg_cpu");
}

void negate_part(const Tensor& complex_memory, Part part) {
  const Tensor parts = view_as_real_parts(complex_memory);
  const size_t dim = parts.sizes().size() - 1;
  negate_elements(
      view_tensor(parts, parts.sizes().slice(0, dim), parts.strides().slice(0, dim),
                  parts.storage_offset() + static_cast<int64_t>(part) * parts.strides()[dim]));
}

}  // namespace

Tensor materialized(const Tensor& tensor) {
  if (!has_math_bits(tensor)) {
    return tensor;
  }
  const AutoDispatchBelowADInplaceOrView below;
  return clone(tensor);
}

Tensor on_host(const Tensor& tensor) {
  if (tensor.is_cpu() || tensor.is_meta()) {
    return materialized(tensor);
  }
  const AutoDispatchBelowADInplaceOrView below;
  const Tensor copy = empty_tensor(tensor.sizes(), tensor.dtype());
  copy_(copy, tensor);
  return copy;
}

Tensor readable(const Tensor& tensor) {
  check_has_storage(tensor);
  return materialized(tensor);
}

void settle_math_bits(const Tensor& to, const Tensor& from) {
  const bool conjugates = to.is_complex() && from.is_complex() && to.is_conj() != from.is_conj();
  const bool negates = to.is_neg() != from.is_neg();
  if (!conjugates && !negates) {
    return;
  }
  if (to.dtype() == ScalarType::Bool) {
    throw_dtype_not_implemented("neg_cpu", to.dtype());
  }
  const Tensor memory = memory_of(to);
  if (!conjugates) {
    negate_elements(memory);
  } else {
    negate_part(memory, negates ? Part::Real : Part::Imaginary);
  }
}

bool is_conjugate_of(const Tensor& to, const Tensor& from) {
  return to.is_complex() && to.dtype() == from.dtype() && to.is_conj() != from.is_conj() &&
         to.is_neg() == from.is_neg() && to.is_cpu() && from.is_cpu();
}

void copy_conjugated(TensorIterator& iterator) {
  run_elementwise(iterator, cpu::ufuncs::conj, "conj_cpu");
}

namespace native {

Tensor _conj(const Tensor& self) {
  TSC_CHECK(self.is_complex(), "only complex tensors are conjugated, but got {}", self.dtype());
  return toggled(self, DispatchKey::Conjugate);
}

Tensor conj(const Tensor& self) {
  if (!self.is_complex()) {
    return self;
  }
  return self.layout() == Layout::Strided ? tsc::_conj(self) : tsc::conj_physical(self);
}

Tensor _conj_physical(const Tensor& self) {
  if (self.is_conj()) {
    return clone(tsc::_conj(self));
  }
  if (self.is_sparse()) {
    return with_values(self, tsc::_conj_physical(sparse_impl(self).values()));
  }
  if (self.is_complex() && self.is_cpu() && self.layout() == Layout::Strided && !self.is_neg()) {
    Tensor conjugate;
    TensorIterator iterator;
    iterator.allocate_outputs(self.device().type, conjugate);
    iterator.build_unary_op(self);
    copy_conjugated(iterator);
    return conjugate;
  }
  const Tensor result = clone(self);
  if (self.is_complex() && !self.is_meta()) {
    negate_part(result, Part::Imaginary);
  }
  return result;
}

Tensor conj_physical(const Tensor& self) {
  if (!self.is_complex()) {
    return self;
  }
  return self.is_conj() ? clone(tsc::conj(self)) : tsc::_conj_physical(self);
}

const Tensor& conj_physical_(const Tensor& self) {
  if (self.is_complex() && !self.is_meta()) {
    negate_part(memory_of(self), Part::Imaginary);
  }
  return self;
}

const Tensor& conj_physical_out(const Tensor& self, const Tensor& out) {
  resize_output(out, self.sizes());
  copy_(out, self);
  return native::conj_physical_(out);
}

Tensor resolve_conj(const Tensor& self) { return self.is_conj() ? clone(self) : self; }
Tensor resolve_neg(const Tensor& self) { return self.is_neg() ? clone(self) : self; }
Tensor _neg_view(const Tensor& self) { return toggled(self, DispatchKey::Negative); }

bool is_conj(const Tensor& self) { return self.is_conj(); }
bool is_neg(const Tensor& self) { return self.is_neg(); }
bool _is_zerotensor(const Tensor& self) { return self.is_zero_tensor(); }

Tensor _efficientzerotensor(IntArrayRef size, std::optional<ScalarType> dtype,
                            std::optional<Layout> layout, std::optional<Device> device,
                            std::optional<bool> pin_memory) {
  const TensorOptions options(dtype, layout, device, pin_memory);
  const size_t bytes = computed_storage_bytes(size, element_size(options.dtype()));
  auto impl = make_intrusive<TensorImpl>(
      make_intrusive<StorageImpl>(nullptr, bytes, options.device(), nullptr), options.dtype(),
      options.device());
  impl->set_sizes_contiguous(size);
  impl->set_zero_tensor(true);
  return Tensor(std::move(impl));
}

}  // namespace native
}  // namespace tsc
