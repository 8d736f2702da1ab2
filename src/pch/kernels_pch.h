// The precompiled header of the CPU kernels, one for each instruction set.

#include "pch/no_special_functions.h"

#include <sleef.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/scalar_type.h"
#include "ops/cpu/isa.h"
