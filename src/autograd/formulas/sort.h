// What the formulas of sorting use.
#pragma once

#include "autograd/formulas/indexing.h"
