#include "keys/name_rules.h"

#include <algorithm>

#include "dispatch/boxing.h"
#include "ops/names.h"

namespace tsc::keys {

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

namespace {

using Names = std::optional<DimnameVector>;

// --- Names as they are, or none ---

Names drop(const NamedCall&) { return std::nullopt; }

Names keep(const NamedCall& call) { return names_of(call.self()); }

Names unified(const std::vector<Tensor>& tensors, std::string_view action) {
  DimnameVector names;
  for (const Tensor& tensor : tensors) {
    names = unified_from_right(names, names_of(tensor), action);
  }
  return names;
}

Names broadcast(const NamedCall& call) { return unified(call.operands(), "broadcast"); }

Names concatenate(const NamedCall& call) { return unified(call.operands(), "cat"); }

// --- Dimensions that go ---

Names without(const Tensor& tensor, int64_t dim) {
  DimnameVector names = names_of(tensor);
  names.erase(names.begin() + dim);
  return names;
}

Names without_dim(const NamedCall& call) { return without(call.self(), call.dim("dim")); }

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

// --- Which operator has which ---

struct OperatorRule {
  std::string_view op;
  NameRule rule;
};
constexpr OperatorRule kOwnRules[] = {
    {"addmm", &multiply_and_add},
    {"addmm.out", &multiply_and_add},
    {"addmm_", &multiply_and_add},
    {"addmv", &multiply_and_add},
    {"addmv.out", &multiply_and_add},
    {"addmv_", &multiply_and_add},
    {"bmm", &multiply},
    {"bmm.out", &multiply},
    {"cat", &concatenate},
    {"cat.out", &concatenate},
    {"diagonal", &take_diagonal},
    {"dot", &drop},
    {"dot.out", &drop},
    {"expand", &expand},
    {"mm", &multiply},
    {"mm.out", &multiply},
    {"mv", &multiply},
    {"mv.out", &multiply},
    {"select.int", &without_dim},
    {"squeeze", &squeeze},
    {"squeeze.dim", &squeeze_dim},
    {"t", &reverse},
    {"transpose.int", &transpose},
    {"unbind.int", &without_dim},
};

// The operators for which PyTorch 1.13 knows what becomes of names, sorted: it refuses the others.
constexpr std::string_view kDropping[] = {"_local_scalar_dense",
                                          "all",
                                          "any",
                                          "as_strided",
                                          "equal",
                                          "is_coalesced",
                                          "is_same_size",
                                          "masked_select",
                                          "masked_select.out",
                                          "max",
                                          "mean",
                                          "median",
                                          "min",
                                          "nanmedian",
                                          "prod",
                                          "sum"};

constexpr std::string_view kReducing[] = {
    "kthvalue",       "kthvalue.values",     "logsumexp",       "logsumexp.out",
    "max.dim",        "max.dim_max",         "mean.dim",        "mean.out",
    "median.dim",     "median.dim_values",   "min.dim",         "min.dim_min",
    "mode",           "mode.values",         "nanmedian.dim",   "nanmedian.dim_values",
    "prod.dim_int",   "prod.int_out",        "std.correction",  "std.correction_out",
    "std.out",        "std_mean.correction", "sum.IntList_out", "sum.dim_IntList",
    "var.correction", "var.correction_out",  "var.out",         "var_mean.correction"};

constexpr std::string_view kKeeping[] = {"_log_softmax",
                                         "_softmax",
                                         "_to_copy",
                                         "alias",
                                         "clone",
                                         "cummax",
                                         "cummax.out",
                                         "cummin",
                                         "cummin.out",
                                         "cumprod",
                                         "cumprod.out",
                                         "cumsum",
                                         "cumsum.out",
                                         "detach",
                                         "detach_",
                                         "empty_like",
                                         "full_like",
                                         "index_fill.int_Scalar",
                                         "index_fill.int_Tensor",
                                         "index_fill_.int_Scalar",
                                         "index_fill_.int_Tensor",
                                         "lift_fresh",
                                         "logcumsumexp",
                                         "logcumsumexp.out",
                                         "native_dropout",
                                         "ones_like",
                                         "rand_like",
                                         "randn_like",
                                         "resize_",
                                         "slice.Tensor",
                                         "split.Tensor",
                                         "split_with_sizes",
                                         "zeros_like"};

constexpr std::string_view kBroadcasting[] = {
    "bernoulli",     "bernoulli.out", "bernoulli_.Tensor", "bernoulli_.float",
    "cauchy_",       "copy_",         "div.Scalar",        "div.Tensor",
    "div.out",       "div_.Scalar",   "div_.Tensor",       "eq.Scalar",
    "eq.Scalar_out", "eq.Tensor",     "eq.Tensor_out",     "exponential_",
    "fill_.Scalar",  "fill_.Tensor",  "ge.Scalar",         "ge.Scalar_out",
    "ge.Tensor",     "ge.Tensor_out", "geometric_",        "gt.Scalar",
    "gt.Scalar_out", "gt.Tensor",     "gt.Tensor_out",     "le.Scalar",
    "le.Scalar_out", "le.Tensor",     "le.Tensor_out",     "log_normal_",
    "lt.Scalar",     "lt.Scalar_out", "lt.Tensor",         "lt.Tensor_out",
    "mul.Tensor",    "mul.out",       "mul_.Tensor",       "ne.Scalar",
    "ne.Scalar_out", "ne.Tensor",     "ne.Tensor_out",     "normal_",
    "random_",       "random_.from",  "random_.to",        "round",
    "round.out",     "round_",        "uniform_",          "zero_"};

// With every overload, in place and out= too.
constexpr std::string_view kElementwise[] = {
    "abs",         "absolute",    "acos",        "acosh",       "add",         "addcdiv",
    "addcmul",     "angle",       "arccosh",     "asin",        "asinh",       "atan",
    "atan2",       "atanh",       "bitwise_not", "ceil",        "clamp",       "clamp_max",
    "clamp_min",   "cos",         "cosh",        "deg2rad",     "digamma",     "erf",
    "erfc",        "erfinv",      "exp",         "expm1",       "floor",       "floor_divide",
    "frac",        "hypot",       "i0",          "isinf",       "isnan",       "lgamma",
    "log",         "log10",       "log1p",       "log2",        "logaddexp",   "logaddexp2",
    "logical_and", "logical_not", "logical_or",  "logical_xor", "masked_fill", "neg",
    "nextafter",   "polygamma",   "pow",         "rad2deg",     "reciprocal",  "relu",
    "rsqrt",       "rsub",        "sigmoid",     "sign",        "signbit",     "sin",
    "sinh",        "sqrt",        "sub",         "tan",         "tanh",        "threshold",
    "true_divide", "trunc"};

template <size_t N>
bool is_listed(const std::string_view (&ops)[N], std::string_view op) {
  return std::binary_search(std::begin(ops), std::end(ops), op);
}

// "add" of add.Tensor, add_.Tensor and add.out.
std::string_view without_underscore(std::string_view name) {
  name.remove_suffix(name.ends_with('_') ? 1 : 0);
  return name;
}

}  // namespace

NameRule find_name_rule(const FunctionSchema& schema) {
  if (schema.namespace_name() != "aten") {
    return nullptr;
  }
  const std::string whole = qualified_name(schema);
  const std::string_view name = std::string_view(whole).substr(std::string_view("aten::").size());
  if (is_listed(kElementwise, without_underscore(schema.base_name())) ||
      is_listed(kBroadcasting, name)) {
    return &broadcast;
  }
  if (is_listed(kKeeping, name)) {
    return &keep;
  }
  if (is_listed(kReducing, name)) {
    return &reduce;
  }
  if (is_listed(kDropping, name)) {
    return &drop;
  }
  const auto* own = std::find_if(std::begin(kOwnRules), std::end(kOwnRules),
                                 [&](const OperatorRule& row) { return row.op == name; });
  return own == std::end(kOwnRules) ? nullptr : own->rule;
}

}  // namespace tsc::keys
