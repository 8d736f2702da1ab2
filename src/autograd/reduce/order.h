// Functions of the formulas in autograd/reduce/order.yaml.
#pragma once

#include "autograd/reduce/reduce.h"
