// Seeds of random numbers: 64 bits without a sign, where the language's integers have one.
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// An int; beyond 2 ** 63 an object that prints, compares and seeds as that int does, and cannot be
// computed with.
IValue seed_value(uint64_t seed);
// The seed that torch.manual_seed takes: int(value), negative ones from 2 ** 64 downwards.
uint64_t seed_of_value(const IValue& value);
// The seed that Generator.manual_seed takes: an int and nothing else.
uint64_t seed_of_int(const IValue& value);

}  // namespace tsc::interp
