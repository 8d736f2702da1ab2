// The forms of every structured operator agree: functional, in-place, out= and Meta, over dtypes
// and layouts; run plainly, watched, profiled and held to their schemas. Every kernel of a backend
// refuses tensors of two devices.
#include <cstring>
#include <set>

#include <doctest/doctest.h>

#include "core/tensor_factory.h"
#include "dispatch/dispatcher.h"
#include "dispatch/route.h"
#include "dispatch/static_operator.h"
#include "ops/structured/fill.h"

namespace tsc {
namespace {

enum class TensorLayout { Contiguous, Transposed, Strided, Expanded };
constexpr TensorLayout kLayouts[] = {TensorLayout::Contiguous, TensorLayout::Transposed,
                                     TensorLayout::Strided, TensorLayout::Expanded};
constexpr ScalarType kTypes[] = {
    ScalarType::Float, ScalarType::Double,       ScalarType::Long, ScalarType::Int,
    ScalarType::Byte,  ScalarType::Bool,         ScalarType::Half, ScalarType::BFloat16,
    ScalarType::Short, ScalarType::ComplexFloat, ScalarType::Char, ScalarType::ComplexDouble};
const std::vector<DimVector> kShapes = {{4, 4}, {3, 3}, {4}, {2, 4, 4}, {2, 4, 4, 4}, {}, {0, 4}};

// Small positive numbers, in a pattern that differs from call to call; indices stay below 4.
Tensor sample(IntArrayRef sizes, ScalarType dtype, TensorLayout layout, int seed) {
  DimVector outer(sizes);
  const auto dims = static_cast<int64_t>(outer.size());
  if (layout == TensorLayout::Transposed && dims >= 2) {
    std::swap(outer[outer.size() - 1], outer[outer.size() - 2]);
  } else if (layout == TensorLayout::Strided && dims >= 1) {
    outer.back() *= 2;
  } else if (layout == TensorLayout::Expanded && dims >= 1) {
    outer.front() = std::min<int64_t>(outer.front(), 1);
  }
  Tensor longs = empty_tensor(outer, ScalarType::Long);
  for (int64_t i = 0; i < longs.numel(); i++) {
    longs.data_ptr<int64_t>()[i] = (i * 7 + seed) % 4;
  }
  Tensor values = contiguous_as(longs, dtype);
  DimVector strides(values.strides());
  if (layout == TensorLayout::Transposed && dims >= 2) {
    std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  } else if (layout == TensorLayout::Strided && dims >= 1) {
    strides.back() = 2;
  } else if (layout == TensorLayout::Expanded && dims >= 1) {
    strides.front() = 0;
  }
  return view_tensor(values, sizes, strides, 0);
}

bool is_pivots(std::string_view name) { return name == "pivots" || name == "LU_pivots"; }

bool is_index(std::string_view name) {
  return name == "index" || name == "indices" || name == "target";
}

struct Sample {
  ScalarType dtype;
  TensorLayout layout;
  DimVector sizes;
};

// The number of last dimensions that the operator pools; 0 for others.
size_t pooled_dims(const FunctionSchema& schema) {
  return schema.name.find("pool2d") != std::string_view::npos   ? 2
         : schema.name.find("pool3d") != std::string_view::npos ? 3
                                                                : 0;
}

// A batch of channels, `extent` long in each of the dimensions that get `output_size`; of the
// sample's batch and length.
DimVector batch_sizes(const FunctionSchema& schema, const DimVector& sample_sizes, int64_t extent) {
  int64_t dims = 0;
  if (pooled_dims(schema) > 0) {
    return {};
  }
  for (const Argument& argument : schema.arguments) {
    dims = argument.name == "output_size" ? argument.type.list_size : dims;
  }
  DimVector sizes;
  if (dims > 0) {
    sizes = {sample_sizes.empty() ? 1 : sample_sizes.front(), 2};
    for (int64_t i = 0; i < dims; i++) {
      sizes.push_back((sample_sizes.empty() ? 1 : sample_sizes.back()) + extent);
    }
  }
  return sizes;
}

// nll_loss has one target, and one gradient, for each row of scores. What is pooled by windows of 2
// has half the size, and random windows a sample for each dimension. Factorisations have a pivot for
// each row, addmv a vector.
DimVector sizes_of(const FunctionSchema& schema, std::string_view name, const DimVector& sizes) {
  DimVector result = batch_sizes(schema, sizes, name == "grad_output" ? 1 : 0);
  if (!result.empty()) {
    return result;
  }
  result = sizes;
  if (name == "total_weight") {
    result.clear();
  } else if (is_pivots(name) || name == "vec" || (schema.name == "aten::addmv" && name == "self")) {
    result.resize(result.empty() ? 0 : result.size() - 1);
  } else if (!sizes.empty() && schema.name.starts_with("aten::nll_loss") &&
             (name == "target" || name == "grad_output")) {
    result.pop_back();
  } else if (const size_t dims = pooled_dims(schema); dims > 0 && result.size() > dims) {
    const size_t batch = result.size() - dims;
    if (name == "random_samples") {
      result = {batch == 2 ? result[0] : 1, result[batch - 1], static_cast<int64_t>(dims)};
    } else if (name == "grad_output" || name == "indices") {
      for (size_t i = batch; i < result.size(); i++) {
        result[i] /= 2;
      }
    }
  }
  return result;
}

ScalarType dtype_of(const Argument& argument, ScalarType sampled) {
  return is_index(argument.name)        ? ScalarType::Long
         : is_pivots(argument.name)     ? ScalarType::Int
         : argument.name == "condition" ? ScalarType::Bool
                                        : sampled;
}

// Each row stays where it is.
Tensor pivots(IntArrayRef sizes) {
  const Tensor result = empty_tensor(sizes, ScalarType::Int);
  const int64_t rows = sizes.empty() ? 1 : sizes.back();
  for (int64_t i = 0; i < result.numel(); i++) {
    result.data_ptr<int32_t>()[i] = static_cast<int32_t>(i % rows + 1);
  }
  return result;
}

IValue make_tensors(const FunctionSchema& schema, const Argument& argument, const Sample& sample_of,
                    int position) {
  const Tensor tensor = sample(sizes_of(schema, argument.name, sample_of.sizes),
                               dtype_of(argument, sample_of.dtype), sample_of.layout, position + 1);
  if (is_pivots(argument.name)) {
    return IValue(pivots(tensor.sizes()));
  }
  if (argument.type.is_list) {
    return IValue(std::vector<Tensor>{tensor, tensor});
  }
  const bool is_bound = argument.name == "min" || argument.name == "max";
  return argument.type.is_optional && !is_bound ? IValue() : IValue(tensor);
}

IValue make_argument(const FunctionSchema& schema, const Argument& argument,
                     const Sample& sample_of, int position) {
  const TypeKind kind = argument.type.kind;
  if (kind == TypeKind::Tensor) {
    return make_tensors(schema, argument, sample_of, position);
  }
  if (argument.has_default() && !(kind == TypeKind::Scalar && argument.type.is_optional)) {
    return default_ivalue(argument);
  }
  const bool is_output = argument.name == "output_size";
  const DimVector batch = batch_sizes(schema, sample_of.sizes, is_output ? 1 : 0);
  if (!batch.empty() && (is_output || argument.name == "input_size")) {
    return IValue(IntArrayRef(batch).slice(is_output ? 2 : 0));
  }
  if (argument.type.is_list && argument.type.list_size > 1) {
    // A padding, a dilation, or the size of a kernel or of a result.
    const int64_t value = argument.name == "padding" ? 0 : argument.name == "dilation" ? 1 : 2;
    return IValue(IntArrayRef(DimVector(static_cast<size_t>(argument.type.list_size), value)));
  }
  if (argument.type.is_list) {
    return argument.type.is_optional ? IValue() : IValue(IntArrayRef({0}));
  }
  if (kind == TypeKind::Scalar || kind == TypeKind::Float) {
    return IValue(2.0);
  }
  if (kind == TypeKind::Bool) {
    return IValue(argument.type.is_optional);
  }
  if (kind == TypeKind::String && !argument.type.is_optional) {
    // A reduction, which scatter has other names for.
    return IValue(std::string(schema.name == "aten::scatter" ? "add" : "prod"));
  }
  if (kind == TypeKind::ScalarType) {
    return argument.type.is_optional ? IValue() : IValue(sample_of.dtype);
  }
  return argument.type.is_optional ? IValue() : IValue(0);
}

// The results, or none where the operator refuses.
std::vector<Tensor> call(const OperatorHandle& op, const std::vector<IValue>& arguments) {
  Stack& stack = Stack::current();
  const size_t height = stack.size();
  for (const IValue& argument : arguments) {
    stack.push(argument);
  }
  try {
    op.call_boxed(stack);
  } catch (const Error&) {
    stack.cut(height);
    return {};
  }
  std::vector<Tensor> results;
  for (size_t i = height; i < stack.size(); i++) {
    results.push_back(stack.base()[i].as_tensor());
  }
  stack.cut(height);
  return results;
}

bool same_elements(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype()) {
    return false;
  }
  const Tensor x = contiguous_as(a, a.dtype());
  const Tensor y = contiguous_as(b, b.dtype());
  return x.numel() == 0 || std::memcmp(x.data(), y.data(), x.nbytes()) == 0;
}

IValue on_meta(const IValue& value) {
  if (value.is_tensor()) {
    const Tensor& tensor = value.as_tensor();
    return IValue(
        empty_strided_tensor(tensor.sizes(), tensor.strides(), tensor.dtype(), DeviceType::Meta));
  }
  if (value.tag() == Tag::TensorList) {
    std::vector<Tensor> tensors;
    for (const Tensor& tensor : value.as_tensor_list()->values) {
      tensors.push_back(on_meta(IValue(tensor)).as_tensor());
    }
    return IValue(std::move(tensors));
  }
  return value;
}

Tensor copy_of(const Tensor& tensor) {
  const Tensor copy = empty_tensor(tensor.sizes(), tensor.dtype());
  copy_elements(copy, tensor);
  return copy;
}

// The row of the same group that writes its first argument.
const StaticOperator* in_place_form(const StaticOperator& functional) {
  for (const StaticOperator& row : static_operators()) {
    if (std::string_view(row.structured_out) == functional.structured_out &&
        row.schema->name == std::string(functional.schema->name) + "_" &&
        row.schema->arguments.size() == functional.schema->arguments.size()) {
      return &row;
    }
  }
  return nullptr;
}

class Watched : RouteListener {
 public:
  Watched() { add_route_listener(this); }
  ~Watched() override { remove_route_listener(this); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  void on_enter(const RouteHop&) override {}
  void on_leave(const RouteHop&, const IValue*, size_t, int64_t) override {}
};

class Group {
 public:
  explicit Group(const StaticOperator& row)
      : functional_(row),
        in_place_(in_place_form(row)),
        op_(find(row)),
        out_(Dispatcher::singleton().find_or_throw(row.schema->name, row.structured_out)) {}

  // Whether the operator takes such a sample. Whoever looks on, all is as it is without.
  bool check(const Sample& sample_of) const {
    const std::vector<Tensor> plain = check_forms(sample_of);
    const auto check_same = [&](const std::vector<Tensor>& seen) {
      REQUIRE(seen.size() == plain.size());
      for (size_t i = 0; i < seen.size(); i++) {
        CHECK(same_elements(seen[i], plain[i]));
        CHECK(seen[i].strides() == plain[i].strides());
        CHECK(seen[i].storage()->nbytes() == plain[i].storage()->nbytes());
        CHECK(seen[i].version() == plain[i].version());
      }
    };
    {
      const Watched watched;
      check_same(check_forms(sample_of));
    }
    for (const DispatchKey column : {DispatchKey::Profiler, DispatchKey::SchemaCheck}) {
      const IncludeDispatchKeyGuard switched_on{DispatchKeySet(column)};
      check_same(check_forms(sample_of));
    }
    return !plain.empty();
  }

 private:
  // What the functional form gives, after the others were compared with it.
  std::vector<Tensor> check_forms(const Sample& sample_of) const {
    std::vector<IValue> arguments;
    for (size_t i = 0; i < functional_.schema->arguments.size(); i++) {
      arguments.push_back(make_argument(*functional_.schema, functional_.schema->arguments[i],
                                        sample_of, static_cast<int>(i)));
    }
    const std::vector<Tensor> expected = call(op_, arguments);
    if (expected.empty()) {
      return {};
    }
    check_out(arguments, expected);
    check_meta(arguments, expected);
    if (in_place_ != nullptr) {
      check_in_place(arguments, expected[0]);
    }
    return expected;
  }

  static OperatorHandle find(const StaticOperator& row) {
    return Dispatcher::singleton().find_or_throw(row.schema->name, row.schema->overload_name);
  }

  // The out= row's own order of arguments: its inputs are the functional row's, by name.
  void check_out(const std::vector<IValue>& arguments, const std::vector<Tensor>& expected) const {
    std::vector<IValue> with_outputs;
    std::vector<Tensor> outputs;
    for (const Argument& argument : out_.schema().arguments) {
      if (argument.is_out) {
        outputs.push_back(empty_tensor({0}, expected[outputs.size()].dtype()));
        with_outputs.emplace_back(outputs.back());
      } else {
        with_outputs.push_back(
            arguments[static_cast<size_t>(functional_.schema->argument_index(argument.name))]);
      }
    }
    const std::vector<Tensor> results = call(out_, with_outputs);
    REQUIRE(results.size() == expected.size());
    for (size_t i = 0; i < results.size(); i++) {
      CHECK(results[i].is_same(outputs[i]));
      CHECK(same_elements(results[i], expected[i]));
    }
  }

  void check_meta(const std::vector<IValue>& arguments, const std::vector<Tensor>& expected) const {
    std::vector<IValue> shapes;
    shapes.reserve(arguments.size());
    for (const IValue& argument : arguments) {
      shapes.push_back(on_meta(argument));
    }
    const std::vector<Tensor> results = call(op_, shapes);
    REQUIRE(results.size() == expected.size());
    for (size_t i = 0; i < results.size(); i++) {
      CHECK(results[i].is_meta());
      CHECK(results[i].sizes() == expected[i].sizes());
      CHECK(results[i].strides() == expected[i].strides());
      CHECK(results[i].dtype() == expected[i].dtype());
    }
  }

  // Where the result fits, the tensor becomes it, and its version counts one write.
  void check_in_place(std::vector<IValue> arguments, const Tensor& expected) const {
    const Tensor self = copy_of(arguments[0].as_tensor());
    const uint32_t version = self.version();
    arguments[0] = IValue(self);
    const std::vector<Tensor> results = call(find(*in_place_), arguments);
    if (results.empty()) {
      return;
    }
    CHECK(results[0].is_same(self));
    CHECK(self.version() == version + 1);
    CHECK(self.sizes() == expected.sizes());
    CHECK(same_elements(self, contiguous_as(expected, self.dtype())));
  }

  const StaticOperator& functional_;
  const StaticOperator* in_place_;
  OperatorHandle op_;
  OperatorHandle out_;
};

// What the operator says to arguments of which the one at `place` is on Meta; "" where it takes them.
std::string refusal(const OperatorHandle& op, std::vector<IValue> arguments, size_t place) {
  arguments[place] = on_meta(arguments[place]);
  Stack& stack = Stack::current();
  const size_t height = stack.size();
  for (const IValue& argument : arguments) {
    stack.push(argument);
  }
  std::string message;
  try {
    op.call_boxed(stack);
  } catch (const Error& error) {
    message = error.message();
  }
  stack.cut(height);
  return message;
}

bool has_cpu_kernel(const StaticOperator& row) {
  return std::any_of(row.kernels.begin(), row.kernels.end(), [](const StaticKernel& kernel) {
    return kernel.key == DispatchKey::CPU && !kernel.kernel.is_fallthrough;
  });
}

TEST_CASE("tensors of two devices are refused, whichever is on the other one") {
  std::string taken;
  for (const StaticOperator& row : static_operators()) {
    const FunctionSchema& schema = *row.schema;
    std::vector<IValue> arguments;
    std::vector<size_t> tensors;
    for (const Argument& argument : schema.arguments) {
      // Optional ones, too, so not make_argument().
      if (argument.type.kind == TypeKind::Tensor && !argument.type.is_list) {
        tensors.push_back(arguments.size());
        arguments.emplace_back(
            sample({4, 4}, dtype_of(argument, ScalarType::Float), TensorLayout::Contiguous, 0));
      } else {
        arguments.push_back(make_argument(schema, argument, {}, 0));
      }
    }
    const auto is_tensor = [](const Argument& result) {
      return result.type.kind == TypeKind::Tensor;
    };
    const bool makes_tensors = schema.returns.empty() ||
                               std::any_of(schema.returns.begin(), schema.returns.end(), is_tensor);
    if (!has_cpu_kernel(row) || tensors.size() < 2 || !makes_tensors) {
      continue;
    }
    const OperatorHandle op =
        Dispatcher::singleton().find_or_throw(schema.name, schema.overload_name);
    for (const size_t place : tensors) {
      const std::string message = refusal(op, arguments, place);
      if (message.empty()) {
        taken += fmt::format("{}: {}\n", qualified_name(schema), schema.arguments[place].name);
      }
    }
  }
  CHECK(taken == "");
}

TEST_CASE("structured operators: functional, in-place, out= and Meta agree") {
  std::string never;
  for (const StaticOperator& row : static_operators()) {
    if (row.structured_out[0] == '\0' || row.schema->name.ends_with('_')) {
      continue;
    }
    CAPTURE(qualified_name(*row.schema));
    const Group group(row);
    int taken = 0;
    for (const DimVector& sizes : kShapes) {
      for (const ScalarType dtype : kTypes) {
        for (const TensorLayout layout : kLayouts) {
          CAPTURE(to_string(IntArrayRef(sizes)));
          CAPTURE(to_string(dtype));
          CAPTURE(static_cast<int>(layout));
          taken += group.check({dtype, layout, sizes}) ? 1 : 0;
        }
      }
    }
    if (taken == 0) {
      never += qualified_name(*row.schema) + "\n";
    }
  }
  // Every operator took some sample.
  CHECK(never == "");
}

}  // namespace
}  // namespace tsc
