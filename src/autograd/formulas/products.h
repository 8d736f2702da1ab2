// What the formulas of autograd/products.yaml use.
#pragma once

#include "autograd/formulas/linalg.h"
#include "gen/ops/linalg.h"
#include "gen/ops/view.h"
