// What the formulas of autograd/order.yaml use.
#pragma once

#include "autograd/formulas/reduce.h"
