// random.Random: a stream of CPython's random numbers.
#pragma once

#include <optional>

#include "interp/runtime/modules/mersenne_twister.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

class RandomObject final : public Object {
 public:
  // Seeded by the time.
  RandomObject();
  MersenneTwister twister;
  // The second number of the pair that gauss() draws.
  std::optional<double> next_gauss;
};

IValue make_random();

}  // namespace tsc::interp
