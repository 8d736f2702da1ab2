#include "ops/names/name_rules.h"

#include <algorithm>

#include "dispatch/boxing.h"
#include "ops/names/names.h"

namespace tsc {

const IValue& NamedCall::operator[](std::string_view argument) const {
  const int index = schema_.argument_index(argument);
  TSC_ASSERT(index >= 0);
  return arguments_[index];
}

int64_t NamedCall::dim(std::string_view argument) const {
  return maybe_wrap_dim(detail::unbox_int((*this)[argument]), self().dim());
}

template <class Keep>
std::vector<Tensor> NamedCall::tensors(const Keep& keep) const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < schema_.arguments.size(); i++) {
    const Argument& argument = schema_.arguments[i];
    if (argument.type.kind != TypeKind::Tensor || arguments_[i].is_none() || !keep(argument)) {
      continue;
    }
    const std::vector<Tensor> found = argument.type.is_list
                                          ? detail::unbox_tensor_list(arguments_[i]).vec()
                                          : std::vector<Tensor>{arguments_[i].as_tensor()};
    std::copy_if(found.begin(), found.end(), std::back_inserter(tensors),
                 [](const Tensor& tensor) { return tensor.defined(); });
  }
  return tensors;
}

std::vector<Tensor> NamedCall::operands() const {
  return tensors([](const Argument& argument) { return !argument.is_out; });
}

std::vector<Tensor> NamedCall::written() const {
  return tensors([](const Argument& argument) { return argument.alias.is_write; });
}

bool NamedCall::has_names() const {
  const std::vector<Tensor> all = tensors([](const Argument&) { return true; });
  return std::any_of(all.begin(), all.end(),
                     [](const Tensor& tensor) { return !tensor.names().empty(); });
}

namespace name_rules {

namespace {

Names unified(const std::vector<Tensor>& tensors, std::string_view action) {
  DimnameVector names;
  for (const Tensor& tensor : tensors) {
    names = unified_from_right(names, names_of(tensor), action);
  }
  return names;
}

Names without(const Tensor& tensor, int64_t dim) {
  DimnameVector names = names_of(tensor);
  names.erase(names.begin() + dim);
  return names;
}

// Every dimension where none is given.
std::vector<bool> reduced_dims(const NamedCall& call) {
  const auto dims = static_cast<size_t>(call.self().dim());
  const IValue& value = call["dim"];
  std::vector<bool> reduced(dims, value.is_none());
  if (!value.is_none()) {
    const auto given = ArgumentTraits<IntArrayRef>::unbox(value);
    reduced.assign(dims, given.view.empty());
    for (const int64_t dim : given.view) {
      const auto place = static_cast<size_t>(maybe_wrap_dim(dim, call.self().dim()));
      if (place < dims) {
        reduced[place] = true;
      }
    }
  }
  return reduced;
}

}  // namespace

// --- Names as they are, or none ---

Names drop(const NamedCall&) { return std::nullopt; }

Names keep(const NamedCall& call) { return names_of(call.self()); }

Names broadcast(const NamedCall& call) { return unified(call.operands(), "broadcast"); }

Names concatenate(const NamedCall& call) { return unified(call.operands(), "cat"); }

// --- Dimensions that go ---

Names without_dim(const NamedCall& call) { return without(call.self(), call.dim("dim")); }

Names reduce(const NamedCall& call) {
  const DimnameVector names = names_of(call.self());
  if (call["keepdim"].as_bool()) {
    return names;
  }
  const std::vector<bool> reduced = reduced_dims(call);
  DimnameVector left;
  for (size_t i = 0; i < names.size(); i++) {
    if (!reduced[i]) {
      left.push_back(names[i]);
    }
  }
  return left;
}

Names squeeze(const NamedCall& call) {
  const DimnameVector names = names_of(call.self());
  DimnameVector left;
  for (size_t i = 0; i < names.size(); i++) {
    if (call.self().sizes()[i] != 1) {
      left.push_back(names[i]);
    }
  }
  return left;
}

// Where nothing is squeezed the names go, too: so they do in PyTorch.
Names squeeze_dim(const NamedCall& call) {
  const Tensor& self = call.self();
  const int64_t dim = call.dim("dim");
  return self.dim() == 0 || self.size(dim) != 1 ? std::nullopt : without(self, dim);
}

// --- Dimensions that move or come ---

Names transpose(const NamedCall& call) {
  DimnameVector names = names_of(call.self());
  if (!names.empty()) {
    std::swap(names[static_cast<size_t>(call.dim("dim0"))],
              names[static_cast<size_t>(call.dim("dim1"))]);
  }
  return names;
}

Names reverse(const NamedCall& call) {
  DimnameVector names = names_of(call.self());
  std::reverse(names.begin(), names.end());
  return names;
}

// The diagonal is the last dimension, without a name.
Names take_diagonal(const NamedCall& call) {
  const int64_t dims[] = {call.dim("dim1"), call.dim("dim2")};
  DimnameVector names = names_of(call.self());
  names.erase(names.begin() + std::max(dims[0], dims[1]));
  if (dims[0] != dims[1]) {
    names.erase(names.begin() + std::min(dims[0], dims[1]));
  }
  names.emplace_back();
  return names;
}

Names expand(const NamedCall& call) {
  DimnameVector names = names_of(call.self());
  const size_t dims = ArgumentTraits<IntArrayRef>::unbox(call["size"]).view.size();
  if (dims > names.size()) {
    names.insert(names.begin(), dims - names.size(), Dimname());
  }
  return names;
}

// --- Products ---

Names multiply(const NamedCall& call) {
  const std::vector<Tensor> operands = call.operands();
  return product_names(operands[0], operands[1]);
}

// addmm(self, mat1, mat2)
Names multiply_and_add(const NamedCall& call) {
  const std::vector<Tensor> operands = call.operands();
  return unified_from_right(product_names(operands[1], operands[2]), names_of(operands[0]),
                            "broadcast");
}

}  // namespace name_rules
}  // namespace tsc
