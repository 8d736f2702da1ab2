// SavedVariable: a tensor that a node keeps for its formula, with the version it had. A tensor that
// was written since is an error at unpack().
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "core/text/source_mark.h"
#include "dispatch/ivalue.h"

namespace tsc::autograd {

class SavedTensorHooks;

class TSC_API SavedVariable {
 public:
  SavedVariable() = default;
  // `is_output`: the tensor is a result of the node that saves it. Saving the tensor itself would
  // be a cycle of references, so another tensor on the same memory, without history, is saved. An
  // output must have its history already.
  explicit SavedVariable(const Tensor& tensor, bool is_output = false);

  // The tensor, undefined where that was saved. `owner` is the node that holds this. RuntimeError
  // after release() and where the tensor has been written.
  Tensor unpack(Node& owner) const;
  void release();
  // Sets the hooks of this tensor. RuntimeError where it was released, is undefined, or has hooks
  // already.
  void register_hooks(intrusive_ptr<SavedTensorHooks> hooks);
  bool is_released() const { return kind_ == Kind::Released; }

 private:
  // Packed: tensor_ is a PackedTensor.
  enum class Kind : uint8_t { Nothing, Original, Output, Packed, Released };

  // `tensor` is the argument of pack().
  TSC_COLD void pack(intrusive_ptr<SavedTensorHooks> hooks, const Tensor& tensor);
  TSC_COLD Tensor unpack_packed(Node& owner) const;

  // `made_by`: the node whose output the tensor is, or null.
  [[noreturn]] TSC_COLD void throw_modified(Node& owner, const Node* made_by) const;

  Tensor tensor_;
  SourceMark saved_at_;
  uint32_t version_ = 0;
  uint32_t output_nr_ = 0;
  Kind kind_ = Kind::Nothing;
  // The output of an in-place operator on a view: its grad_fn is the CopySlices node that contains
  // the owner.
  bool is_view_ = false;
};

using SavedVariableList = std::vector<SavedVariable>;

// The error of a node that was applied, or read, after release_variables().
[[noreturn]] TSC_API TSC_COLD void throw_released();

// Sizes of an argument that may be None.
using OptionalDims = std::optional<DimVector>;

// Visits a node's saved values. By its constructor it releases the tensors, collects names and
// values, or searches.
class TSC_API SavedVisitor {
 public:
  using Values = std::vector<std::pair<std::string, IValue>>;

  SavedVisitor() = default;
  SavedVisitor(Node& owner, Values& values) : owner_(&owner), values_(&values) {}
  // Searches for the name of a saved tensor.
  explicit SavedVisitor(const SavedVariable& wanted) : wanted_(&wanted) {}
  std::string_view found_name() const { return found_name_; }
  // Searches for a saved tensor by name.
  explicit SavedVisitor(std::string_view name) : wanted_name_(name) {}
  SavedVariable* found() const { return found_; }

  void operator()(std::string_view name, SavedVariable& variable);
  void operator()(std::string_view name, SavedVariableList& variables);
  template <class T>
  void operator()(std::string_view name, const T& value) {
    if (values_ != nullptr) {
      add(name, to_value(value));
    }
  }

 private:
  void add(std::string_view name, IValue value);
  static IValue to_value(const DimVector& dims);
  template <class T>
  static IValue to_value(const T& value) {
    return IValue(value);
  }
  template <class T>
  static IValue to_value(const std::optional<T>& value) {
    return value.has_value() ? to_value(*value) : IValue();
  }

  void look_at(std::string_view name, const SavedVariable& variable);

  Node* owner_ = nullptr;
  Values* values_ = nullptr;
  const SavedVariable* wanted_ = nullptr;
  std::string_view found_name_;
  std::string_view wanted_name_;
  SavedVariable* found_ = nullptr;
};

// "self", "dim", ... with their values, as `grad_fn._saved_self` shows them.
TSC_API SavedVisitor::Values saved_values(Node& node);
// Null where the node saves no tensor of that name.
TSC_API SavedVariable* find_saved(Node& node, std::string_view name);

}  // namespace tsc::autograd
