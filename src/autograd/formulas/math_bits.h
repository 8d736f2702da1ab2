// What the formulas of autograd/math_bits.yaml use.
#pragma once

#include "autograd/formulas/operators.h"
#include "gen/ops/math_bits.h"
