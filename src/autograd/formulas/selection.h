// What the formulas of autograd/selection.yaml use.
#pragma once

#include "autograd/formulas/indexing.h"
#include "gen/ops/indexing.h"
#include "gen/ops/view.h"
