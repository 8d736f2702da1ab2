#include "interp/torch/call/variadic_functions.h"

#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {
namespace {

constinit OperatorRef meshgrid_indexing_op("aten::meshgrid", "indexing");
constinit OperatorRef tensordot_op("aten::tensordot", "");
constinit OperatorRef tensordot_out_op("aten::tensordot", "out");

// Calls an operator by its own name, which need not be a Python name.
IValue call_function(std::string_view name, std::vector<IValue> arguments) {
  return call_set(make_operator_set(name), std::move(arguments));
}

// The positional arguments as a list, or the list that is the only one.
IValue tensors_of(const Arguments& arguments) {
  std::vector<IValue> tensors(arguments.values, arguments.values + arguments.positional);
  const bool is_list = tensors.size() == 1 && (tensors[0].is_list() || tensors[0].is_tuple());
  return is_list ? tensors[0] : make_list(std::move(tensors));
}

IValue as_tuple(const IValue& tensors) {
  std::vector<IValue> items;
  for (const Tensor& tensor : detail::unbox_tensor_list(tensors)) {
    items.emplace_back(tensor);
  }
  return make_tuple(std::move(items));
}

bool flag(const Arguments& arguments, size_t i, bool otherwise) {
  return given(arguments, i) ? is_true(arguments[i]) : otherwise;
}

const IValue& tensor_input(const Arguments& arguments, std::string_view function) {
  TSC_CHECK_TYPE(arguments[0].is_tensor(),
                 "{}(): argument 'input' (position 1) must be Tensor, not {}", function,
                 python_type_name(arguments[0]));
  return arguments[0];
}

// Of the elements, where they stand, and how often each does: those that were asked for.
IValue chosen_results(const IValue& results, bool inverse, bool counts) {
  const auto& all = *results.as_tuple();
  if (!inverse && !counts) {
    return all[0];
  }
  std::vector<IValue> chosen{all[0]};
  if (inverse) {
    chosen.push_back(all[1]);
  }
  if (counts) {
    chosen.push_back(all[2]);
  }
  return make_tuple(std::move(chosen));
}

// The last dimensions of one tensor and the first of another: [-n, ..., -1] and [0, ..., n - 1].
DimVector dimensions_from(int64_t first, int64_t count) {
  DimVector dims;
  for (int64_t i = 0; i < count; i++) {
    dims.push_back(first + i);
  }
  return dims;
}

}  // namespace

IValue unique_function(Interpreter&, Arguments& arguments) {
  const IValue& input = tensor_input(arguments, "unique");
  const bool sorted = flag(arguments, 1, true);
  const bool inverse = flag(arguments, 2, false);
  const bool counts = flag(arguments, 3, false);
  const IValue results =
      has_value(arguments, 4)
          ? call_function("aten::unique_dim",
                          {input, arguments[4], IValue(sorted), IValue(inverse), IValue(counts)})
          : call_function("aten::_unique2",
                          {input, IValue(sorted), IValue(inverse), IValue(counts)});
  return chosen_results(results, inverse, counts);
}

IValue unique_consecutive_function(Interpreter&, Arguments& arguments) {
  const IValue& input = tensor_input(arguments, "unique_consecutive");
  const bool inverse = flag(arguments, 1, false);
  const bool counts = flag(arguments, 2, false);
  const IValue dim = has_value(arguments, 3) ? arguments[3] : IValue();
  return chosen_results(
      call_function("aten::unique_consecutive", {input, IValue(inverse), IValue(counts), dim}),
      inverse, counts);
}

IValue tensordot_function(Interpreter&, Arguments& arguments) {
  const auto contracted = [&](const auto& first, const auto& second) {
    return has_value(arguments, 3)
               ? tensordot_out_op(arguments[0], arguments[1], IntArrayRef(first),
                                  IntArrayRef(second), arguments[3])
               : tensordot_op(arguments[0], arguments[1], IntArrayRef(first), IntArrayRef(second));
  };
  const IValue dims = given(arguments, 2) ? arguments[2] : IValue(2);
  if (dims.is_list() || dims.is_tuple()) {
    const IValue first = get_item(dims, IValue(0));
    const IValue second = get_item(dims, IValue(1));
    return contracted(ints_of_value(first, "tensordot", "dims"),
                      ints_of_value(second, "tensordot", "dims"));
  }
  const int64_t count = scalar_of_value(dims).to_int();
  TSC_CHECK(count >= 0, "tensordot expects dims >= 0, but got dims={}", count);
  return contracted(dimensions_from(-count, count), dimensions_from(0, count));
}

IValue tensors_function(Interpreter&, Arguments& arguments) {
  return call_function(fmt::format("aten::{}", arguments.callee->name), {tensors_of(arguments)});
}

IValue each_of_tensors_function(Interpreter&, Arguments& arguments) {
  const std::string name = fmt::format("aten::{}", arguments.callee->name);
  if (arguments.positional == 1 && arguments[0].is_tensor()) {
    return call_function(name, {arguments[0]});
  }
  return as_tuple(call_function(name, {tensors_of(arguments)}));
}

// einsum(equation, *operands), or the operands as one list.
IValue einsum_function(Interpreter&, Arguments& arguments) {
  const IValue equation = arguments[0];
  Arguments operands = arguments;
  operands.values++;
  operands.positional--;
  return call_function("aten::einsum", {equation, tensors_of(operands)});
}

IValue meshgrid_function(Interpreter&, Arguments& arguments) {
  if (arguments.keywords == 0) {
    return as_tuple(call_function("aten::meshgrid", {tensors_of(arguments)}));
  }
  TSC_CHECK_TYPE(arguments.keywords == 1 && arguments.names[0]->view() == "indexing",
                 "meshgrid() got an unexpected keyword argument '{}'",
                 arguments.names[arguments.keywords - 1]->view());
  return as_tuple(meshgrid_indexing_op(tensors_of(arguments), arguments[arguments.positional]));
}

}  // namespace tsc::interp
