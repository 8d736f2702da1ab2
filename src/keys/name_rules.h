// What an operator makes of the names of its operands. An operator without a rule refuses named
// tensors.
#pragma once

#include <optional>

#include "core/dimname.h"
#include "dispatch/function_schema.h"

namespace tsc::keys {

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
using NameRule = std::optional<DimnameVector> (*)(const NamedCall& call);

// Null where the operator has none.
NameRule find_name_rule(const FunctionSchema& schema);

}  // namespace tsc::keys
