// The operators that columns treat apart from the others.
#include "dispatch/static_operator.h"
#include "keys/autocast_lists.h"
#include "keys/math_bits.h"
#include "ops/quantized.h"
#include "ops/sparse.h"

namespace tsc {

ArrayRef<StaticColumn> static_columns() {
  static const StaticColumn columns[] = {
      {DispatchKey::QuantizedCPU, quantized_cpu_kernels()},
      {DispatchKey::SparseCPU, sparse_cpu_kernels()},
      {DispatchKey::SparseMeta, sparse_meta_kernels()},
      {DispatchKey::Conjugate, keys::conjugate_fallthroughs()},
      {DispatchKey::Negative, keys::negative_fallthroughs()},
      {DispatchKey::ZeroTensor, keys::zero_tensor_fallthroughs()},
      {DispatchKey::ZeroTensor, keys::zero_tensor_kernels()},
      {DispatchKey::AutocastCPU, keys::autocast_cpu_kernels()},
      {DispatchKey::AutocastCUDA, keys::autocast_cuda_kernels()},
  };
  return columns;
}

}  // namespace tsc
