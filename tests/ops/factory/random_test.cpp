// The random operators through the dispatcher. That the numbers are the right ones is tested in
// random_kernels_test.cpp.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "core/random/cpu_generator.h"
#include "core/tensor_factory.h"
#include "core/text/tensor_format.h"
#include "gen/calls/bernoulli.h"
#include "gen/calls/cauchy.h"
#include "gen/calls/dropout.h"
#include "gen/calls/exponential.h"
#include "gen/calls/feature_dropout.h"
#include "gen/calls/geometric.h"
#include "gen/calls/multinomial.h"
#include "gen/calls/native_dropout.h"
#include "gen/calls/normal.h"
#include "gen/calls/rand.h"
#include "gen/calls/rand_like.h"
#include "gen/calls/randint.h"
#include "gen/calls/randn.h"
#include "gen/calls/random.h"
#include "gen/calls/randperm.h"
#include "gen/calls/scalar_tensor.h"
#include "gen/calls/uniform.h"
#include "gen/calls/zeros.h"

namespace {

using namespace tsc;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Device kMeta = DeviceType::Meta;

Generator seeded(uint64_t seed) { return Generator(make_intrusive<CPUGeneratorImpl>(seed)); }

Tensor tensor_of(std::vector<float> values) {
  Tensor tensor = empty_tensor(static_cast<int64_t>(values.size()), ScalarType::Float);
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor;
}

Tensor of_type(ScalarType dtype, int64_t size = 2, Device device = DeviceType::CPU) {
  return empty_tensor(size, dtype, device);
}

std::string printed(const Tensor& tensor) { return tensor_to_string(tensor); }

}  // namespace

TEST_CASE("factories print what PyTorch prints for a seed") {
  CHECK(printed(rand({3}, seeded(0))) == "tensor([0.4963, 0.7682, 0.0885])");
  CHECK(printed(randn({2, 2}, seeded(0))) ==
        "tensor([[ 1.5410, -0.2934],\n        [-2.1788,  0.5684]])");
  CHECK(printed(randint(10, {5}, seeded(0), ScalarType::Long)) == "tensor([4, 9, 3, 0, 3])");
  CHECK(printed(randint(-3, 3, {4}, seeded(1), ScalarType::Float)) ==
        "tensor([-2.,  2., -3., -1.])");
  CHECK(printed(randperm(5, seeded(0))) == "tensor([4, 0, 1, 3, 2])");
  CHECK(printed(rand({2}, seeded(0), ScalarType::ComplexFloat)) ==
        "tensor([0.4963+0.7682j, 0.0885+0.1320j])");
  CHECK(printed(randn({2}, seeded(0), ScalarType::ComplexFloat)) ==
        "tensor([ 1.0896-0.2075j, -1.5406+0.4019j])");
  CHECK(printed(multinomial(tensor_of({0, 10, 3, 0}), 2, false, seeded(0))) == "tensor([1, 2])");
  CHECK(printed(multinomial(tensor_of({0, 10, 3, 0}), 4, true, seeded(0))) ==
        "tensor([2, 1, 1, 2])");
  CHECK(printed(multinomial(tensor_of({0, 10, 3, 0, 0, 0}), 5, false, seeded(0))) ==
        "tensor([1, 2, 5, 0, 4])");
  CHECK(printed(normal(0, 1, {2}, seeded(0))) == "tensor([ 1.5410, -0.2934])");
  CHECK(printed(normal(tensor_of({10, 20}), tensor_of({1, 0.5f}), seeded(0))) ==
        "tensor([11.5410, 19.8533])");
  CHECK(printed(bernoulli(tensor_of({0, 1, 0.5f, 0.5f}), seeded(0))) == "tensor([0., 1., 1., 1.])");
}

TEST_CASE("the default generator follows its seed") {
  const Generator& generator = default_cpu_generator();
  generator->set_seed(0);
  const std::string first = printed(rand({3}));
  CHECK(first == "tensor([0.4963, 0.7682, 0.0885])");
  CHECK(printed(rand({3})) != first);
  generator->set_seed(0);
  CHECK(printed(rand_like(tensor_of({1, 2, 3}))) == first);
  generator->set_seed(0);
  const Tensor dropped = dropout(tensor_of({1, 1, 1, 1, 1, 1}), 0.5, true);
  CHECK(printed(dropped) == "tensor([0., 0., 2., 0., 0., 0.])");
}

TEST_CASE("what cannot be drawn is refused in PyTorch's words") {
  const std::pair<std::function<void()>, std::string_view> cases[] = {
      {[] { randperm(300, ScalarType::Byte); },
       "value cannot be converted to type uint8_t without overflow"},
      {[] { randperm(3, ScalarType::Bool); }, "\"randperm\" not implemented for 'Bool'"},
      {[] { randperm(3000, ScalarType::Half); }, "n cannot be greater than 2049 for Half type."},
      {[] { randperm(3, ScalarType::ComplexFloat); },
       "\"randperm\" not implemented for 'ComplexFloat'"},
      {[] { randint(0, {2}); },
       "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"},
      {[] { randint(-1, 3, {2}, ScalarType::Byte); }, "from is out of bounds for unsigned char"},
      {[] { randint(0, 3, {2}, ScalarType::Bool); }, "to - 1 is out of bounds for bool"},
      {[] { randint(0, 3, {2}, ScalarType::ComplexFloat); },
       "check_random_bounds handles only integral, floating-point and boolean types"},
      {[] { randint(0, 70000, {2}, ScalarType::Half); }, "to - 1 is out of bounds for c10::Half"},
      {[] { random_(of_type(ScalarType::Half), 2048, std::nullopt); },
       "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
       "dtype, but got from=2048 > to_inc=2048"},
      {[] { random_(of_type(ScalarType::Int), INT64_MIN, std::nullopt); },
       "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"},
      {[] { random_(of_type(ScalarType::ComplexFloat)); },
       "\"random_kernel_cpu\" not implemented for 'ComplexFloat'"},
      {[] { rand({2}, ScalarType::Long); }, "\"check_uniform_bounds\" not implemented for 'Long'"},
      {[] { randn({2}, ScalarType::Long); }, "\"normal_kernel_cpu\" not implemented for 'Long'"},
      {[] { uniform_(of_type(ScalarType::Float), 1, 0); },
       "uniform_ expects to return a [from, to) range, but found from=1 > to=0"},
      {[] { uniform_(of_type(ScalarType::Float), kNaN, 1); }, "from is out of bounds for float"},
      {[] { uniform_(of_type(ScalarType::Half), 0, 70000); }, "to is out of bounds for c10::Half"},
      {[] { uniform_(of_type(ScalarType::Half), -60000, 60000); },
       "uniform_ expects to-from <= std::numeric_limits<Half>::max(), but found to=60000 and "
       "from=-60000 which result in to-from to exceed the limit"},
      {[] { normal_(of_type(ScalarType::Float), 0, -1); },
       "normal expects std >= 0.0, but found std -1"},
      {[] { exponential_(of_type(ScalarType::Float), 0); },
       "exponential_ expects lambda > 0.0, but found lambda=0"},
      {[] { exponential_(of_type(ScalarType::Long)); },
       "Exponential distribution is a continuous probability distribution. dtype must be a "
       "floating point but you specified Long"},
      {[] { cauchy_(of_type(ScalarType::Long)); },
       "Cauchy distribution is a continuous probability distribution. dtype must be a floating "
       "point but you specified long int"},
      {[] { geometric_(of_type(ScalarType::Float), 1); },
       "geometric_ expects p to be in (0, 1), but got p=1"},
      {[] { geometric_(of_type(ScalarType::Bool), 0.5); },
       "\"geometric_cpu\" not implemented for 'Bool'"},
      {[] { bernoulli_(of_type(ScalarType::Float), -0.5); },
       "bernoulli_ expects p to be in [0, 1], but got p=-0.5"},
      {[] { bernoulli(of_type(ScalarType::Long)); },
       "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'"},
      {[] {
         bernoulli(tensor_of({0.5f, 1.5f}));
       },
       "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
       "improved?  If so, please report an enhancement request to PyTorch.)"},
      {[] { uniform_(view_tensor(tensor_of({1}), {3}, {0}, 0)); },
       "unsupported operation: more than one element of the written-to tensor refers to a single "
       "memory location. Please clone() the tensor before performing the operation."},
      {[] {
         multinomial(tensor_of({1, 2}), 3);
       },
       "cannot sample n_sample > prob_dist.size(-1) samples without replacement"},
      {[] {
         multinomial(tensor_of({1, 2}), 0);
       },
       "cannot sample n_sample <= 0 samples"},
      {[] {
         multinomial(tensor_of({1, -2}), 1, true);
       },
       "probability tensor contains either `inf`, `nan` or element < 0"},
      {[] {
         multinomial(tensor_of({0, 0}), 1);
       },
       "invalid multinomial distribution (sum of probabilities <= 0)"},
      {[] { multinomial(of_type(ScalarType::Long), 1); },
       "multinomial only supports floating-point dtypes for input, got: Long"},
      {[] { multinomial(scalar_tensor(1.0), 1); }, "prob_dist must be 1 or 2 dim"},
      {[] {
         normal(tensor_of({0, 0}), tensor_of({1, -1}));
       },
       "normal expects all elements of std >= 0.0"},
      {[] { normal(of_type(ScalarType::Float), of_type(ScalarType::ComplexFloat)); },
       "normal expects standard deviation to be non-complex"},
      {[] { dropout(tensor_of({1}), 1.5, true); },
       "dropout probability has to be between 0 and 1, but got 1.5"},
      {[] { feature_dropout(tensor_of({1}), 0.5, true); },
       "Feature dropout requires at least 2 dimensions in the input"},
      {[] { native_dropout(tensor_of({1}), 1.5, true); },
       "bernoulli_ expects p to be in [0, 1], but got p=-0.5"},
  };
  for (const auto& [call, expected] : cases) {
    std::string message;
    try {
      call();
    } catch (const Error& error) {
      message = error.message();
    }
    CHECK(message == expected);
  }
}

TEST_CASE("integers that a float does not hold are warned of") {
  static std::string warned;
  const WarningHandler before =
      set_warning_handler([](ErrorKind, const std::string& message) { warned = message; });
  const Tensor drawn = randint(0, 5000, {2}, ScalarType::Half);
  set_warning_handler(before);
  CHECK(warned ==
        "to - 1 is out of bounds [-(2^11), 2^11]. Due to precision limitations c10::Half can "
        "support discrete uniform distribution only within this range. This warning will become "
        "an error in version 1.7 release, please fix the code in advance");
  CHECK(drawn.dtype() == ScalarType::Half);
}

TEST_CASE("on Meta there are shapes only") {
  const TensorOptions meta(std::nullopt, std::nullopt, kMeta);
  CHECK(printed(rand({2, 3}, meta)) == "tensor(..., device='meta', size=(2, 3))");
  CHECK(printed(randperm(4, meta)) == "tensor(..., device='meta', size=(4,), dtype=torch.int64)");
  CHECK(printed(multinomial(of_type(ScalarType::Float, 4, kMeta), 3)) ==
        "tensor(..., device='meta', size=(3,), dtype=torch.int64)");
  CHECK(printed(dropout(of_type(ScalarType::Float, 4, kMeta), 0.5, true)) ==
        "tensor(..., device='meta', size=(4,))");
  CHECK(std::get<1>(native_dropout(of_type(ScalarType::Float, 4, kMeta), 0.5, true)).dtype() ==
        ScalarType::Bool);
  CHECK(normal(empty_tensor({2, 1}, ScalarType::Float, kMeta), of_type(ScalarType::Float, 3, kMeta))
            .sizes() == IntArrayRef({2, 3}));
  for (const auto& fill :
       {+[](const Tensor& t) { cauchy_(t); }, +[](const Tensor& t) { random_(t); },
        +[](const Tensor& t) { bernoulli_(t, t); }}) {
    CHECK_NOTHROW(fill(of_type(ScalarType::Float, 2, kMeta)));
  }
}

TEST_CASE("a result tensor is resized, and written where it is") {
  const Tensor out = empty_tensor(0, ScalarType::Float);
  CHECK(rand_out(out, {3}, seeded(0)).is_same(out));
  CHECK(printed(out) == "tensor([0.4963, 0.7682, 0.0885])");
  const Tensor places = tsc::zeros({10}, ScalarType::Long);
  const Tensor column = view_tensor(places, {5}, {2}, 1);
  randperm_out(column, 5, seeded(0));
  CHECK(printed(places) == "tensor([0, 4, 0, 0, 0, 1, 0, 3, 0, 2])");
}

TEST_CASE("what keeps everything is the tensor itself, what drops everything is zero") {
  const Tensor input = tensor_of({1, 2});
  CHECK(dropout(input, 0, true).is_same(input));
  CHECK(dropout(input, 0.5, false).is_same(input));
  CHECK(printed(dropout(input, 1, true)) == "tensor([0., 0.])");
  CHECK(dropout_(input, 1, true).is_same(input));
  CHECK(printed(input) == "tensor([0., 0.])");
}
