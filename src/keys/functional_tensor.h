// Functional tensors: the program writes and views, but below only functional operators run.
//
//   y = x[0]      y: value select_copy(x), steps [select 0]
//   y.add_(1)     y: value add(y's value, 1), noted as an update of the storage that x and y share
//   x * 2         x is older than its storage, so the update is applied first:
//                 base = select_scatter(base, add, 0), and x views the base anew
//
// A tensor's elements are those of its value, a plain tensor, which no call ever writes to. A write
// replaces the value and adds an update to the storage that all views of one base share; the next
// use of any of them applies the updates, by the inverse of each view, and views the base anew.
// PyTorch does it in the same order, so that the calls below are the same.
#pragma once

#include <vector>

#include "dispatch/operator_handle.h"
#include "ops/shape/view_inverses.h"

namespace tsc::keys {

class FunctionalStorage final : public RefCounted {
 public:
  explicit FunctionalStorage(Tensor base) : base_(std::move(base)) {}
  void add_update(Tensor value, std::vector<ViewStep> steps);
  void apply_updates();
  const Tensor& base() const { return base_; }
  uint64_t generation() const { return generation_; }

 private:
  struct Update {
    Tensor value;
    std::vector<ViewStep> steps;
  };
  Tensor base_;
  std::vector<Update> updates_;
  uint64_t generation_ = 0;
};

class FunctionalTensorImpl final : public TensorImpl {
 public:
  // A functional tensor of `value` itself, and of a view of another one.
  explicit FunctionalTensorImpl(const Tensor& value);
  FunctionalTensorImpl(const Tensor& value, const FunctionalTensorImpl& base, ViewStep step);
  TSC_USE_FREE_LIST(FunctionalTensorImpl)
  // Another tensor that shows the same part of the same storage.
  intrusive_ptr<TensorImpl> share() const override;

  // The value as of the last use; sync() brings it up to date.
  const Tensor& value() const { return value_; }
  void sync();
  void write(const Tensor& value);
  // For t_() and other in-place views: adds a step to the way in which the tensor views its memory.
  void add_step(ViewStep step);
  // For set_(): the tensor shares the storage of `other` from now on.
  void show_same_as(FunctionalTensorImpl& other);
  // For resize_() where memory is too small: `value` becomes the base of a new storage.
  void move_to(const Tensor& value);

 private:
  FunctionalTensorImpl(const Tensor& value, intrusive_ptr<FunctionalStorage> functional,
                       std::vector<ViewStep> steps);
  void show(Tensor value);

  Tensor value_;
  intrusive_ptr<FunctionalStorage> functional_;
  std::vector<ViewStep> steps_;
  uint64_t generation_ = 0;
};

// Null where the tensor is plain.
TSC_API FunctionalTensorImpl* as_functional(const Tensor& tensor);

}  // namespace tsc::keys
