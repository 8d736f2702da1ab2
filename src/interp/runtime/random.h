// random.Random: a stream of CPython's random numbers.
#pragma once

#include <optional>

#include "interp/runtime/mersenne_twister.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

class RandomObject final : public Object {
 public:
  // Seeded by the time.
  RandomObject();
  MersenneTwister twister;
  // gauss() draws two at a time.
  std::optional<double> next_gauss;
};

IValue make_random();

}  // namespace tsc::interp
