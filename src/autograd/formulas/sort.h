// What the formulas of sorting use.
#pragma once

#include "gen/ops/shape.h"
