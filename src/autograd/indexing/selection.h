// Functions of the formulas in autograd/indexing/selection.yaml.
#pragma once

#include "autograd/indexing/indexing.h"
