// CUDA's part of ops/structured/device_kernels.h: formulas, copies, fills and reads.
#include "ops/structured/device_kernels.h"

#include "core/device_guard.h"
#include "core/tensor_factory.h"
#include "cuda/device.h"
#include "cuda/jit/script_function.h"
#include "cuda/ops/elementwise.h"
#include "cuda/ops/indexed.h"
#include "cuda/ops/line_kernels.h"
#include "cuda/ops/map_kernel.h"
#include "cuda/ops/random.h"
#include "cuda/ops/reduce.h"
#include "cuda/pinned_memory.h"
#include "cuda/stream.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/fill.h"

namespace tsc::cuda {

namespace {

DevicePointer pointer(const Tensor& tensor) {
  return reinterpret_cast<DevicePointer>(tensor.data());
}

// Both are one run of the same elements in the same order.
bool are_alike(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.is_non_overlapping_and_dense();
}

// `tensor` as `like` lies in memory: the same dtype, sizes and, where they leave no gaps, strides.
Tensor arranged(const Tensor& tensor, const Tensor& like) {
  if (are_alike(like, tensor)) return tensor;
  const Tensor copy =
      like.is_non_overlapping_and_dense()
          ? empty_strided_tensor(like.sizes(), like.strides(), like.dtype(), tensor.device())
          : empty_tensor(like.sizes(), like.dtype(), tensor.device());
  copy_elements(copy, tensor);
  return copy;
}

class Kernels final : public DeviceKernels {
 public:
  void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                       const void* parameters, bool exact_scalars) override {
    cuda::run_elementwise(iterator, formula, name, parameters, exact_scalars);
  }

  void run_jitted(const TensorIteratorBase& iterator, const JittedFormula& formula,
                  ArrayRef<Scalar> numbers) override {
    run_users_formula(iterator,
                      {std::string(formula.name), std::string(formula.code), formula.inputs,
                       iterator.noutputs() > 1, cpu::compute_type(formula.compute), formula.result},
                      numbers);
  }

  void reduce(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
              const Tensor& out, const Tensor& second) override {
    cuda::reduce(request, self, mask, out, second);
  }

  void gemm(const GemmCall& call) override { cuda::gemm(call); }
  void softmax(const SoftmaxCall& call) override { cuda::softmax(call); }
  void map(const MapCall& call) override { run_map(call); }
  void normalize(const NormalizeCall& call) override { cuda::normalize(call); }

  void sort(const SortCall& call) override { cuda::sort(call); }
  void draw(const RandomDraw& call) override { cuda::draw(call); }
  void scan(const ScanCall& call) override { cuda::scan(call); }
  void write_coordinates(const Tensor& flags, const Tensor& running,
                         const Tensor& columns) override {
    cuda::write_coordinates(flags, running, columns);
  }
  void move_indexed(const IndexedMove& move) override { cuda::move_indexed(move); }

  void copy(const TensorIteratorBase& iterator) override {
    const Tensor& to = iterator.tensor(0);
    const Tensor& from = iterator.tensor(1);
    const DeviceGuard guard(to.device());
    if (from.device() == to.device() && are_alike(to, from)) {
      if (to.numel() == 0) return;
      enter_device();
      TSC_CUDA_CHECK(
          copy_on_device(pointer(to), pointer(from), to.nbytes(), current_stream().handle));
      return;
    }
    run_copy(iterator);
  }

  // The elements are brought into the target's dtype and order on the side that they come from.
  void copy_between(const Tensor& to, const Tensor& from, bool non_blocking) override {
    if (to.numel() == 0) return;
    const Tensor source = arranged(from, to);
    const Tensor target =
        are_alike(to, source) ? to : empty_tensor(to.sizes(), to.dtype(), to.device());
    const Tensor& on_device = to.is_cpu() ? source : target;
    const DeviceGuard guard(on_device.device());
    enter_device();
    const StreamHandle stream = current_stream().handle;
    const size_t bytes = target.nbytes();
    if (target.is_cpu()) {
      TSC_CUDA_CHECK(copy_to_host(target.data(), pointer(source), bytes, stream));
      // To page-locked memory the copy goes on by itself, and whoever reads it waits for the stream.
      if (non_blocking && target.is_same(to) && is_pinned(target.data())) return;
      TSC_CUDA_CHECK(synchronize_stream(stream));
      throw_if_out_of_range();
    } else if (source.is_cpu()) {
      TSC_CUDA_CHECK(copy_to_device(pointer(target), source.data(), bytes, stream));
      if (!non_blocking || !source.is_same(from)) TSC_CUDA_CHECK(synchronize_stream(stream));
    } else {
      synchronize_device(source.device().index);
      TSC_CUDA_CHECK(copy_between_devices(pointer(target), context_of(target.device().index),
                                          pointer(source), context_of(source.device().index), bytes,
                                          stream));
      TSC_CUDA_CHECK(synchronize_stream(stream));
    }
    if (!target.is_same(to)) copy_elements(to, target);
  }

  void zero(const Tensor& tensor) override {
    const DeviceGuard guard(tensor.device());
    enter_device();
    TSC_CUDA_CHECK(set_bytes(pointer(tensor), 0, tensor.nbytes(), current_stream().handle));
  }

  void read(const Tensor& tensor, void* to) override {
    const DeviceGuard guard(tensor.device());
    enter_device();
    const StreamHandle stream = current_stream().handle;
    TSC_CUDA_CHECK(copy_to_host(to, pointer(tensor), tensor.itemsize(), stream));
    TSC_CUDA_CHECK(synchronize_stream(stream));
    throw_if_out_of_range();
  }
};

Kernels kernels;
[[maybe_unused]] const bool registered =
    (register_device_kernels(DeviceType::CUDA, &kernels), true);

}  // namespace

}  // namespace tsc::cuda
