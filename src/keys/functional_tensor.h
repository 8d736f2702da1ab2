// Functional tensors: what a program that writes and views sees, while below it only functions run.
//
//   y = x[0]          y: value select_copy(x), steps [select 0]          \  one storage: base, and
//   y.add_(1)         y: value add(y's), noted as an update              /  updates that came since
//   x * 2             x: is behind its storage: base = select_scatter(base, add, 0), and on
//
// A tensor's elements are those of its value, a plain tensor, which no call ever writes to. A write
// puts another value in its place, and notes it with the storage that all views of one base share;
// whoever is used next applies what was noted, by the inverse of each view, and views the base
// anew. PyTorch does it in the same order, so that the calls below are the same.
#pragma once

#include <vector>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

// A view that was taken: of `op`, with all its arguments but the first.
struct ViewStep {
  OperatorHandle op;
  std::vector<IValue> arguments;
  // Which of several results, or -1.
  int64_t index = -1;
  // The view itself, and not the operator that copies.
  bool keeps_views = false;

  Tensor forward(const Tensor& base) const;
  // `base` with `view` where this shows it. NotImplementedError for a view that has no inverse.
  Tensor reverse(const Tensor& base, const Tensor& view) const;
};

// NAME_copy of a view; the view itself where there is none.
OperatorHandle copying_form(const OperatorHandle& view);

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
  // Of `value` itself, and of a view of another one.
  explicit FunctionalTensorImpl(const Tensor& value);
  FunctionalTensorImpl(const Tensor& value, const FunctionalTensorImpl& base, ViewStep step);
  TSC_USE_FREE_LIST(FunctionalTensorImpl)
  // Another tensor that shows the same part of the same storage.
  intrusive_ptr<TensorImpl> share() const override;

  // The value as of the last use; sync() brings it up to date.
  const Tensor& value() const { return value_; }
  void sync();
  void write(const Tensor& value);
  // What t_() and its like do: the tensor shows its memory in another way from now on.
  void add_step(ViewStep step);
  // What set_() does: `other` is shown, and what is written here is written there.
  void show_same_as(FunctionalTensorImpl& other);
  // What resize_() does where memory is too small: `value` is a storage of its own.
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
