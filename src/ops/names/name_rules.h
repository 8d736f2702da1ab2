// What an operator makes of the names of its operands: the functions that a row's field `names` may
// name. An operator without one refuses named tensors.
#pragma once

#include <optional>

#include "core/dimname.h"
#include "dispatch/function_schema.h"

namespace tsc {

// A call's arguments, by the names that the schema gives them.
class NamedCall {
 public:
  NamedCall(const FunctionSchema& schema, const IValue* arguments)
      : schema_(schema), arguments_(arguments) {}

  const FunctionSchema& schema() const { return schema_; }
  const IValue& operator[](std::string_view argument) const;
  const Tensor& tensor(std::string_view argument) const { return (*this)[argument].as_tensor(); }
  // The first argument, a tensor.
  const Tensor& self() const { return arguments_[0].as_tensor(); }
  int64_t dim(std::string_view argument) const;
  // Every tensor that is read, those of lists too.
  std::vector<Tensor> operands() const;
  std::vector<Tensor> written() const;
  // Whether any tensor does.
  bool has_names() const;

 private:
  template <class Keep>
  std::vector<Tensor> tensors(const Keep& keep) const;

  const FunctionSchema& schema_;
  const IValue* arguments_;
};

// The names of each tensor that the call returns; nullopt where they have none. RuntimeError where
// the names of the operands do not go together.
namespace name_rules {

using Names = std::optional<DimnameVector>;

// The result has no names.
Names drop(const NamedCall& call);
// The first argument's.
Names keep(const NamedCall& call);
// Those of all operands, joined from the right.
Names broadcast(const NamedCall& call);
// Those of all tensors of the list.
Names concatenate(const NamedCall& call);
// The first argument's without that of `dim`.
Names without_dim(const NamedCall& call);
// The first argument's without those of `dim`, where `keepdim` is false.
Names reduce(const NamedCall& call);
// Without those of the dimensions of size 1.
Names squeeze(const NamedCall& call);
// Without that of `dim`, if its size is 1.
Names squeeze_dim(const NamedCall& call);
// Those of `dim0` and `dim1` change places.
Names transpose(const NamedCall& call);
// In the opposite order.
Names reverse(const NamedCall& call);
// Without those of `dim1` and `dim2`, and one dimension more at the end.
Names take_diagonal(const NamedCall& call);
// New dimensions at the left have none.
Names expand(const NamedCall& call);
// Of the product of two matrices, or of batches of them.
Names multiply(const NamedCall& call);
// Of a matrix and the product of two others.
Names multiply_and_add(const NamedCall& call);

}  // namespace name_rules
}  // namespace tsc
