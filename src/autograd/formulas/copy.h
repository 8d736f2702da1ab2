// What autograd/copy.yaml needs.
#pragma once

#include "autograd/formulas/operators.h"
#include "autograd/manual_kernels.h"
#include "gen/ops/factory.h"
