#include "ops/structured/memory_overlap.h"

namespace tsc {
namespace {

// Unknown: deciding would mean solving a Diophantine equation; treated as no overlap, as in
// PyTorch.
enum class Overlap { None, Full, Partial, Unknown };

Overlap overlap_of(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) {
    return Overlap::Full;
  }
  if (a.numel() == 0 || b.numel() == 0 || !a.shares_storage_with(b)) {
    return Overlap::None;
  }
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) {
    return Overlap::Unknown;
  }
  const auto begin_a = a.storage_offset() * static_cast<int64_t>(a.itemsize());
  const auto begin_b = b.storage_offset() * static_cast<int64_t>(b.itemsize());
  const auto end_a = begin_a + static_cast<int64_t>(a.nbytes());
  const auto end_b = begin_b + static_cast<int64_t>(b.nbytes());
  if (begin_a == begin_b && end_a == end_b) {
    return a.strides() == b.strides() ? Overlap::Full : Overlap::Partial;
  }
  return begin_a < end_b && begin_b < end_a ? Overlap::Partial : Overlap::None;
}

[[noreturn]] TSC_COLD void throw_overlap() {
  throw_error(ErrorKind::RuntimeError,
              "unsupported operation: some elements of the input tensor and the written-to tensor "
              "refer to a single "
              "memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace

bool has_internal_overlap(const Tensor& tensor) {
  if (tensor.is_non_overlapping_and_dense()) {
    return false;
  }
  for (size_t i = 0; i < tensor.sizes().size(); i++) {
    if (tensor.strides()[i] == 0 && tensor.sizes()[i] > 1) {
      return true;
    }
  }
  return false;
}

void check_no_internal_overlap(const Tensor& tensor) {
  TSC_CHECK(!has_internal_overlap(tensor),
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation.");
}

void check_no_partial_overlap(const Tensor& output, const Tensor& input) {
  if (overlap_of(output, input) == Overlap::Partial) {
    throw_overlap();
  }
}

void check_no_overlap(const Tensor& output, const Tensor& input) {
  const Overlap overlap = overlap_of(output, input);
  if (overlap == Overlap::Partial || overlap == Overlap::Full) {
    throw_overlap();
  }
}

void check_no_overlap(const Tensor& output, TensorList inputs) {
  for (const Tensor& input : inputs) {
    if (input.defined()) {
      check_no_overlap(output, input);
    }
  }
}

}  // namespace tsc
