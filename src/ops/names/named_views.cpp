// The operators that give, take or look up names.
#include <algorithm>

#include "core/keys/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "gen/calls/alias.h"
#include "gen/calls/as_strided.h"
#include "gen/calls/diagonal.h"
#include "gen/calls/flatten.h"
#include "gen/calls/unflatten.h"
#include "gen/calls/view.h"
#include "gen/ops/names_native.h"
#include "ops/names/names.h"

namespace tsc {

namespace {

constexpr DispatchKeySet kNamed(DispatchKey::Named);

}  // namespace

// --- Arguments ---

namespace {

Dimname name_of_value(const IValue& value) {
  TSC_CHECK_TYPE(value.is_none() || value.is_string(),
                 "expected None or string for Dimname but got {}", type_name_for_messages(value));
  return value.is_none() ? Dimname() : Dimname(value.as_string());
}

DimnameVector names_of_value(const IValue& value) {
  DimnameVector names;
  const auto append = [&](const IValue& item) { names.push_back(name_of_value(item)); };
  if (value.is_list()) {
    const auto& items = value.as_list()->items;
    std::for_each(items.begin(), items.end(), append);
  } else if (value.is_tuple()) {
    std::for_each(value.as_tuple()->begin(), value.as_tuple()->end(), append);
  } else {
    append(value);
  }
  return names;
}

// `Dimname[]? names`: None stands for a wildcard for each dimension.
DimnameVector names_or_wildcards(const IValue& value, const Tensor& tensor) {
  return value.is_none() ? DimnameVector(static_cast<size_t>(tensor.dim())) : names_of_value(value);
}

const IValue* arguments_of(const OperatorHandle& op, const Stack& stack) {
  return stack.last(op.schema().arguments.size());
}

// Replaces the arguments on the stack by the result.
void give(const OperatorHandle& op, Stack& stack, Tensor result) {
  stack.drop(op.schema().arguments.size());
  stack.push(IValue(std::move(result)));
}

bool is_same_but_for_names(const SchemaType& type, const SchemaType& named) {
  return named.kind == TypeKind::Dimname
             ? type.kind == TypeKind::Int && type.is_list == named.is_list
             : type.kind == named.kind && type.is_list == named.is_list;
}

// The overload with the same arguments that takes dimensions by position, without `left_out`.
OperatorHandle unnamed_overload(const OperatorHandle& op, std::string_view left_out) {
  std::vector<Argument> wanted;
  for (const Argument& argument : op.schema().arguments) {
    if (argument.name != left_out) {
      wanted.push_back(argument);
    }
  }
  for (const OperatorHandle& other : Dispatcher::singleton().overloads(op.schema().name)) {
    const ArrayRef<Argument> found = other.schema().arguments;
    if (other != op && std::equal(found.begin(), found.end(), wanted.begin(), wanted.end(),
                                  [](const Argument& a, const Argument& b) {
                                    return a.name == b.name &&
                                           is_same_but_for_names(a.type, b.type);
                                  })) {
      return other;
    }
  }
  throw_error(ErrorKind::RuntimeError, "{} has no overload without names", op.qualified_name());
}

const Tensor& first_tensor(const IValue& value) {
  if (value.is_tensor()) {
    return value.as_tensor();
  }
  const TensorList tensors = detail::unbox_tensor_list(value);
  TSC_CHECK(!tensors.empty(), "expected a non-empty list of Tensors");
  return tensors.front();
}

}  // namespace

namespace native {

void by_position(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const ArrayRef<Argument> declared = op.schema().arguments;
  IValue* arguments = stack->last(declared.size());
  const Tensor first = first_tensor(arguments[0]);
  for (size_t i = 0; i < declared.size(); i++) {
    if (declared[i].type.kind != TypeKind::Dimname) {
      continue;
    }
    DimVector positions;
    for (const Dimname& name : names_of_value(arguments[i])) {
      positions.push_back(position_of_name(first, name));
    }
    arguments[i] = declared[i].type.is_list ? IValue(IntArrayRef(positions)) : IValue(positions[0]);
  }
  unnamed_overload(op, "").call_boxed(*stack);
}

void made_with_names(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const ArrayRef<Argument> declared = op.schema().arguments;
  const IValue* arguments = stack->last(declared.size());
  const auto at = static_cast<size_t>(op.schema().argument_index("names"));
  std::optional<DimnameVector> names;
  if (!arguments[at].is_none()) {
    names = names_of_value(arguments[at]);
  }
  for (size_t i = 0; i < declared.size(); i++) {
    if (i != at) {
      stack->push(arguments[i]);
    }
  }
  unnamed_overload(op, "names").call_boxed(*stack);
  Tensor result = stack->pop().take_tensor();
  if (names.has_value()) {
    assign_names(result, std::move(*names));
  }
  give(op, *stack, std::move(result));
}

// --- Giving names ---

void rename(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  Tensor result = alias(arguments[0].as_tensor());
  assign_names(result, names_or_wildcards(arguments[1], result));
  give(op, *stack, std::move(result));
}

void rename_in_place(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor self = arguments[0].as_tensor();
  assign_names(self, names_or_wildcards(arguments[1], self));
  give(op, *stack, self);
}

void refine_names(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor& self = arguments[0].as_tensor();
  const DimnameVector names = names_of(self);
  DimnameVector refined = names_of_value(arguments[1]);
  const auto check = [&](bool is_finer, const auto& why) {
    TSC_CHECK(is_finer, "refine_names: cannot coerce {} to {} because {}", named_dims(names),
              named_dims(refined), why());
  };
  check(names.size() == refined.size(), [&] {
    return fmt::format("they have a different number of dims ({} and {} respectively).",
                       names.size(), refined.size());
  });
  for (size_t i = 0; i < names.size(); i++) {
    check(names[i].is_wildcard() || names[i] == refined[i], [&] {
      return fmt::format("{} is {} {} at index {}", names[i],
                         refined[i].is_wildcard() ? "more specific than" : "different from",
                         refined[i], i);
    });
  }
  Tensor result = alias(self);
  assign_names(result, std::move(refined));
  give(op, *stack, std::move(result));
}

// --- Aligning ---

namespace {

// A view with the dimensions at `places`; -1 is a new dimension of size 1.
Tensor aligned(const Tensor& self, IntArrayRef places, DimnameVector names) {
  DimVector sizes;
  DimVector strides;
  for (const int64_t place : places) {
    sizes.push_back(place < 0 ? 1 : self.size(place));
    strides.push_back(place < 0 ? 0 : self.stride(place));
  }
  // The strides that the new dimensions would have had from the beginning.
  for (size_t i = sizes.size(); i-- > 0;) {
    if (places[i] < 0) {
      strides[i] = i + 1 == sizes.size() ? 1 : sizes[i + 1] * strides[i + 1];
    }
  }
  Tensor result = as_strided(self, sizes, strides, self.storage_offset());
  assign_names(result, std::move(names));
  return result;
}

Tensor align_by_name(const Tensor& self, const DimnameVector& order) {
  const DimnameVector names = names_of(self);
  DimVector places(order.size(), -1);
  for (size_t i = 0; i < names.size(); i++) {
    TSC_CHECK(!names[i].is_wildcard(),
              "align_to: All input dims must be named. Found unnamed dim at index {} of {}", i,
              named_dims(names));
    const auto place = std::find(order.begin(), order.end(), names[i]);
    TSC_CHECK(place != order.end(), "align_to: Cannot find dim {} from {} in desired alignment {}.",
              names[i], named_dims(order), to_string(order));
    places[static_cast<size_t>(place - order.begin())] = static_cast<int64_t>(i);
  }
  return aligned(self, places, order);
}

}  // namespace

void align_to(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  give(op, *stack, align_by_name(arguments[0].as_tensor(), names_of_value(arguments[1])));
}

Tensor align_as(const Tensor& self, const Tensor& other) {
  return align_by_name(self, names_of(other));
}

// Dimensions that the order does not name take the place of its ellipsis, in their own order.
void align_to_ellipsis_idx(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor& self = arguments[0].as_tensor();
  const DimnameVector order = names_of_value(arguments[1]);
  const int64_t ellipsis = arguments[2].as_int();
  const DimnameVector names = names_of(self);
  DimnameVector aligned_names(order.begin(), order.begin() + ellipsis);
  DimVector places(aligned_names.size(), -1);
  for (size_t i = 0; i < names.size(); i++) {
    const bool is_placed =
        !names[i].is_wildcard() && std::find(order.begin(), order.end(), names[i]) != order.end();
    if (!is_placed) {
      aligned_names.push_back(names[i]);
      places.push_back(static_cast<int64_t>(i));
    }
  }
  aligned_names.insert(aligned_names.end(), order.begin() + ellipsis, order.end());
  places.resize(aligned_names.size(), -1);
  for (size_t i = 0; i < aligned_names.size(); i++) {
    const auto found = std::find(names.begin(), names.end(), aligned_names[i]);
    if (places[i] < 0 && !aligned_names[i].is_wildcard() && found != names.end()) {
      places[i] = found - names.begin();
    }
  }
  give(op, *stack, aligned(self, places, std::move(aligned_names)));
}

// --- Views whose dimensions get new names ---

namespace {

// The result of `view` on the tensor without names, with the names that `name` computes for it.
template <class View, class Name>
Tensor renamed_view(const Tensor& self, const View& view, const Name& name) {
  const ExcludeDispatchKeyGuard unnamed(kNamed);
  Tensor result = view();
  if (result.is_same(self)) {
    result = alias(self);
  }
  DimnameVector names = names_of(self);
  name(names);
  assign_names(result, std::move(names));
  return result;
}

Tensor flatten_to(const Tensor& self, int64_t start, int64_t end, const Dimname& name) {
  return renamed_view(
      self, [&] { return flatten(self, start, end); },
      [&](DimnameVector& names) {
        if (!names.empty()) {
          names.erase(names.begin() + maybe_wrap_dim(start, self.dim()),
                      names.begin() + maybe_wrap_dim(end, self.dim()) + 1);
        }
        names.insert(names.begin() + maybe_wrap_dim(start, self.dim()), name);
      });
}

}  // namespace

void flatten_named_out_dim(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  give(op, *stack,
       flatten_to(arguments[0].as_tensor(), arguments[1].as_int(), arguments[2].as_int(),
                  name_of_value(arguments[3])));
}

void flatten_using_names(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor& self = arguments[0].as_tensor();
  const int64_t start = position_of_name(self, name_of_value(arguments[1]));
  const int64_t end = position_of_name(self, name_of_value(arguments[2]));
  give(op, *stack, flatten_to(self, start, end, name_of_value(arguments[3])));
}

void flatten_DimnameList(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor& self = arguments[0].as_tensor();
  const DimnameVector dims = names_of_value(arguments[1]);
  TSC_CHECK(!dims.empty(), "flatten(tensor, dims, out_dim): dims cannot be empty");
  const int64_t start = position_of_name(self, dims[0]);
  for (size_t i = 1; i < dims.size(); i++) {
    TSC_CHECK(position_of_name(self, dims[i]) == start + static_cast<int64_t>(i),
              "flatten(tensor, dims, out_dim): dims {} must be consecutive in {}", to_string(dims),
              named_dims(names_of(self)));
  }
  const int64_t end = start + static_cast<int64_t>(dims.size()) - 1;
  give(op, *stack, flatten_to(self, start, end, name_of_value(arguments[2])));
}

namespace {

// One of the sizes may be -1.
bool multiply_up_to(IntArrayRef sizes, int64_t size) {
  int64_t product = 1;
  bool has_free = false;
  for (const int64_t part : sizes) {
    product *= part == -1 && !has_free ? 1 : part;
    has_free = has_free || part == -1;
  }
  return has_free ? product != 0 && size % product == 0 : product == size;
}

}  // namespace

void unflatten_Dimname(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor& self = arguments[0].as_tensor();
  const Dimname dim = name_of_value(arguments[1]);
  const int64_t position = position_of_name(self, dim);
  const auto sizes = ArgumentTraits<IntArrayRef>::unbox(arguments[2]);
  const DimnameVector parts = names_of_value(arguments[3]);
  TSC_CHECK(sizes.view.size() == parts.size(),
            "unflatten: Expected {} names for the {} sizes, got names {}", sizes.view.size(),
            sizes.view.size(), to_string(parts));
  TSC_CHECK(parts.empty() || multiply_up_to(sizes.view, self.size(position)),
            "unflatten: Provided sizes {} don't multiply up to the size of dim {} ({}: {}) in {}",
            sizes.view, position, dim, self.size(position), named_dims(names_of(self)));
  give(op, *stack,
       renamed_view(
           self, [&] { return unflatten(self, position, sizes.view); },
           [&](DimnameVector& names) {
             const auto place = names.erase(names.begin() + position);
             names.insert(place, parts.begin(), parts.end());
           }));
}

// Tensor(a) self, *, Dimname outdim, Dimname dim1, Dimname dim2, int offset=0
void diagonal_Dimname(const OperatorHandle& op, DispatchKeySet, Stack* stack) {
  const IValue* arguments = arguments_of(op, *stack);
  const Tensor& self = arguments[0].as_tensor();
  const int64_t dim1 = position_of_name(self, name_of_value(arguments[2]));
  const int64_t dim2 = position_of_name(self, name_of_value(arguments[3]));
  Tensor result = diagonal(self, arguments[4].as_int(), dim1, dim2);
  DimnameVector names = names_of(result);
  names.back() = name_of_value(arguments[1]);
  assign_names(result, std::move(names));
  give(op, *stack, std::move(result));
}

}  // namespace native

}  // namespace tsc
