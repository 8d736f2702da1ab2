// Functions of the formulas in autograd/shape/copy.yaml.
#pragma once

#include "autograd/manual_kernels.h"
#include "autograd/operators.h"
