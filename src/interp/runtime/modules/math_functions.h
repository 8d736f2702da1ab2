// Functions of math that the C library lacks, or computes with other results than CPython.
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.h"

namespace tsc::interp {

[[noreturn]] TSC_COLD void throw_domain_error();
[[noreturn]] TSC_COLD void throw_range_error();

// Lanczos' approximation with the coefficients that CPython uses.
double gamma_function(double x);
double log_gamma(double x);
// Rounded once (Shewchuk's partial sums).
double exact_sum(const std::vector<double>& values);
// sqrt of the sum of squares, without overflow on the way.
double euclidean_norm(std::vector<double> coordinates);

// Each raises OverflowError where the result has more than 64 bits.
int64_t greatest_common_divisor(int64_t a, int64_t b);
int64_t least_common_multiple(int64_t a, int64_t b);
int64_t factorial(int64_t n);
int64_t binomial(int64_t n, int64_t k);
int64_t permutations(int64_t n, int64_t k);
int64_t integer_square_root(int64_t n);

}  // namespace tsc::interp
