// GCC's <cmath> without the special functions of C++17, which nothing here calls: each file that
// includes it would instantiate them all again, whether or not it has a precompiled header.
#pragma once

#include <version>

#ifdef _GLIBCXX_USE_STD_SPEC_FUNCS
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif
