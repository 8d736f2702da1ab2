// Functions of the formulas in autograd/layouts/math_bits.yaml.
#pragma once

#include "autograd/operators.h"
#include "gen/ops/math_bits.h"
