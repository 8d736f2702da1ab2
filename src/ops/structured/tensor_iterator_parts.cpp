// Iterators that hold their tensors, and iterations taken apart.
#include <cstdlib>

#include "ops/structured/tensor_iterator.h"

namespace tsc {

TensorIterator::TensorIterator(const IteratorOptions& options, std::vector<Tensor> outputs,
                               std::vector<Tensor> inputs)
    : held_(std::make_unique<std::vector<Tensor>>(std::move(outputs))) {
  const size_t num_outputs = held_->size();
  TSC_CHECK(num_outputs >= 1 && num_outputs <= kMaxOutputs,
            "an iterator has 1 to {} outputs, not {}", kMaxOutputs, num_outputs);
  // An iteration over outputs alone reads the shape from the first of them.
  const bool is_alone = inputs.empty();
  TSC_CHECK(!is_alone || held_->front().defined(),
            "an iterator without inputs needs an output that is given");
  held_->insert(held_->end(), std::make_move_iterator(inputs.begin()),
                std::make_move_iterator(inputs.end()));
  TSC_CHECK(held_->size() <= kMaxOperands, "an iterator has at most {} operands, not {}",
            kMaxOperands, held_->size());
  size_t num_given = 0;
  for (size_t i = 0; i < num_outputs; i++) {
    num_given += (*held_)[i].defined() ? 1 : 0;
  }
  TSC_CHECK(num_given == 0 || num_given == num_outputs,
            "an iterator's outputs are all given, or all undefined");
  std::vector<const Tensor*> pointers;
  for (size_t i = num_outputs; i < held_->size(); i++) {
    TSC_CHECK((*held_)[i].defined(), "an iterator's input {} is undefined", i - num_outputs);
    pointers.push_back(&(*held_)[i]);
  }
  if (is_alone) {
    pointers.push_back(&held_->front());
  }
  // The device of the input that is no number.
  const Tensor* first = pointers.front();
  for (const Tensor* input : pointers) {
    first = first->dim() == 0 && input->dim() != 0 ? input : first;
  }
  bind_one_by_one(num_given == 0 ? OutputMode::Functional : OutputMode::Out, /*overrides=*/false,
                  first->device().type);
  for (size_t i = 0; i < num_outputs; i++) {
    set_output_tensor(static_cast<int>(i), (*held_)[i]);
  }
  build(options, pointers, static_cast<int>(num_outputs));
}

TensorIterator::TensorIterator(const TensorIteratorBase& whole, size_t dim, int64_t start,
                               int64_t count)
    : held_(std::make_unique<std::vector<Tensor>>()) {
  begin_walk() = whole.walk();
  extra_.walk.shape[dim] = count;
  num_operands_ = whole.num_operands_;
  num_outputs_ = whole.num_outputs_;
  common_dtype_ = whole.common_dtype_;
  numel_ = 1;
  for (const int64_t size : extra_.walk.shape) {
    numel_ *= size;
  }
  bind_one_by_one(OutputMode::Out, /*overrides=*/false, whole.device_type());
  held_->reserve(static_cast<size_t>(num_operands_));
  for (int i = 0; i < num_operands_; i++) {
    const Operand& operand = whole.operands_[i];
    const int64_t moved = start * whole.stride(i, static_cast<int>(dim)) /
                          static_cast<int64_t>(element_size(operand.dtype));
    // Where it begins is all that is read of it.
    held_->push_back(
        view_tensor(*operand.tensor, {}, {}, operand.tensor->storage_offset() + moved));
    operands_[i] = {&held_->back(), operand.dtype};
    if (i < num_outputs_) {
      set_output_tensor(i, held_->back());
    }
  }
  is_one_run_ = find_contiguity();
  is_plain_run_ = false;
}

bool TensorIteratorBase::can_use_32bit_indexing(int64_t largest) const {
  if (numel_ > largest) {
    return false;
  }
  const IntArrayRef sizes = shape();
  for (int i = 0; i < num_operands_; i++) {
    int64_t last = 1;
    for (size_t d = 0; d < sizes.size(); d++) {
      last += (sizes[d] - 1) * stride(i, static_cast<int>(d));
    }
    if (last > largest) {
      return false;
    }
  }
  return true;
}

TensorIteratorBase::Parts TensorIteratorBase::with_32bit_indexing(int64_t largest) const {
  Parts parts;
  if (numel_ != 0) {
    parts.add(*this, largest);
  }
  return parts;
}

// Halves the dimension along which an operand reaches farthest, until all parts are small.
void TensorIteratorBase::Parts::add(const TensorIteratorBase& whole, int64_t largest) {
  if (whole.can_use_32bit_indexing(largest)) {
    parts_.push_back(&whole);
    return;
  }
  const IntArrayRef sizes = whole.shape();
  size_t chosen = 0;
  int64_t farthest = -1;
  for (size_t d = sizes.size(); d-- > 0;) {
    for (int i = 0; sizes[d] > 1 && i < whole.ntensors(); i++) {
      const int64_t reach = (sizes[d] - 1) * std::abs(whole.stride(i, static_cast<int>(d)));
      if (reach > farthest) {
        farthest = reach;
        chosen = d;
      }
    }
  }
  TSC_ASSERT(farthest >= 0);
  const int64_t half = sizes[chosen] / 2;
  for (const auto& [start, count] :
       {std::pair(int64_t{0}, half), std::pair(half, sizes[chosen] - half)}) {
    made_.push_back(
        std::unique_ptr<TensorIterator>(new TensorIterator(whole, chosen, start, count)));
    const TensorIterator& part = *made_.back();
    add(part, largest);
  }
}

}  // namespace tsc
