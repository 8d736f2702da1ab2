#include "autograd/gradcheck.h"

#include <cmath>
#include <complex>

#include "autograd/autograd.h"
#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/mul.h"
#include "gen/calls/resolve_conj.h"
#include "gen/calls/sum.h"
#include "gen/calls/view_as_real.h"
#include "ops/layouts/math_bits.h"

namespace tsc::testing {

namespace {

constexpr double kStep = 1e-6;
constexpr double kTolerance = 2e-5;

// Numbers in [0, 1) that look random: the fractional parts of multiples of the golden ratio's
// inverse.
double irregular(int64_t i) {
  const double product = static_cast<double>(i + 1) * 0.6180339887498949;
  return product - std::floor(product);
}

double element(const Tensor& tensor, int64_t i) {
  const double* data = tensor.data_ptr<double>();
  return data[i];
}

// Doubles that a tensor consists of: two an element where it is complex.
int64_t num_parts(const Tensor& tensor) { return tensor.numel() * (tensor.is_complex() ? 2 : 1); }

// A real number made of all that `outputs` hold, each part with a weight of its own.
Tensor weighted_sum(const std::vector<Tensor>& outputs) {
  Tensor total;
  int64_t seed = 11;
  for (const Tensor& output : outputs) {
    if (!output.defined() || !(output.is_floating_point() || output.is_complex())) {
      continue;
    }
    const Tensor parts =
        output.is_complex() ? view_as_real(resolve_conj(contiguous(output))) : output;
    Tensor weights = empty_tensor(parts.sizes(), parts.dtype());
    for (int64_t i = 0; i < weights.numel(); i++) {
      weights.data_ptr<double>()[i] = 0.5 + irregular(seed++);
    }
    const Tensor sum_of_parts = sum(mul(parts, weights));
    total = total.defined() ? add(total, sum_of_parts) : sum_of_parts;
  }
  return total;
}

std::string compare(const Differentiable& function, const std::vector<Tensor>& inputs,
                    std::string_view what) {
  std::vector<Tensor> wanted;
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) {
      wanted.push_back(input);
    }
  }
  const Tensor loss = weighted_sum(function(inputs));
  if (!loss.defined() || !loss.requires_grad()) {
    return fmt::format("{}: the result requires no grad", what);
  }
  const std::vector<Tensor> grads = autograd::grad({loss}, wanted, {}, false, false, true);
  const AutoGradMode off(false);
  for (size_t which = 0; which < wanted.size(); which++) {
    const Tensor& input = wanted[which];
    const Tensor grad = grads[which].defined() ? contiguous(materialized(grads[which])) : Tensor();
    auto* data = input.data_ptr<double>();
    for (int64_t i = 0; i < num_parts(input); i++) {
      const double saved = data[i];
      data[i] = saved + kStep;
      const double above = element(weighted_sum(function(inputs)), 0);
      data[i] = saved - kStep;
      const double below = element(weighted_sum(function(inputs)), 0);
      data[i] = saved;
      const double expected = (above - below) / (2 * kStep);
      const double found = grad.defined() ? element(grad, i) : 0;
      if (!(std::abs(found - expected) <= kTolerance * std::max(1.0, std::abs(expected)))) {
        return fmt::format("{}: input {}, part {}: {} by formula, {} by difference", what, which, i,
                           found, expected);
      }
    }
  }
  return "";
}

}  // namespace

std::string gradcheck(const Differentiable& function, const std::vector<Tensor>& inputs,
                      int order) {
  std::string problem = compare(function, inputs, "first derivative");
  if (!problem.empty() || order < 2) {
    return problem;
  }
  const Differentiable derivative = [&](const std::vector<Tensor>& at) {
    // Differences are taken with grad mode off, but the derivative itself needs it.
    const AutoGradMode on(true);
    std::vector<Tensor> wanted;
    for (const Tensor& input : at) {
      if (input.requires_grad()) {
        wanted.push_back(input);
      }
    }
    const Tensor loss = weighted_sum(function(at));
    return autograd::grad({loss}, wanted, {}, true, true, true);
  };
  const std::vector<Tensor> first = derivative(inputs);
  const bool is_constant = std::none_of(first.begin(), first.end(), [](const Tensor& tensor) {
    return tensor.defined() && tensor.requires_grad();
  });
  return is_constant ? "" : compare(derivative, inputs, "second derivative");
}

Tensor values(IntArrayRef sizes, double low, double high, ScalarType dtype) {
  const Tensor tensor = empty_tensor(sizes, dtype);
  auto* data = tensor.data_ptr<double>();
  static int64_t seed = 0;
  for (int64_t i = 0; i < num_parts(tensor); i++) {
    data[i] = low + (high - low) * irregular(seed++);
  }
  return tensor;
}

Tensor leaf(IntArrayRef sizes, double low, double high, ScalarType dtype) {
  const Tensor tensor = values(sizes, low, high, dtype);
  autograd::set_requires_grad(tensor, true);
  return tensor;
}

Tensor integers(std::initializer_list<int64_t> numbers) {
  const Tensor tensor = empty_tensor({static_cast<int64_t>(numbers.size())}, ScalarType::Long);
  std::copy(numbers.begin(), numbers.end(), tensor.data_ptr<int64_t>());
  return tensor;
}

}  // namespace tsc::testing
