// Kernels that fill CPU tensors with random numbers.
//
// Each draws from the generator in one order, that of memory (the smallest stride fastest, as
// TensorIterator orders dimensions), on one thread, so that a seed always gives the same numbers;
// they are PyTorch's, bit for bit. The generator is locked meanwhile. Arguments have been checked.
#pragma once

#include "core/random/cpu_generator.h"

namespace tsc::random_kernels {

// [from, to), of a floating-point tensor.
void fill_uniform(const Tensor& self, double from, double to, CPUGeneratorImpl& generator);
// Contiguous tensors of 16 elements and more are filled by another method than smaller ones.
void fill_normal(const Tensor& self, double mean, double deviation, CPUGeneratorImpl& generator);

// Integers [base, base + range), in any real dtype.
void fill_integers(const Tensor& self, uint64_t range, int64_t base, CPUGeneratorImpl& generator);
// All 64 bits of int64, or their conversion to a float.
void fill_all_bits(const Tensor& self, CPUGeneratorImpl& generator);
// [0, the dtype's largest], for floats up to the last integer before there are gaps.
void fill_natural_range(const Tensor& self, CPUGeneratorImpl& generator);

// 1 with probability p, else 0.
void fill_bernoulli(const Tensor& self, double p, CPUGeneratorImpl& generator);
// A probability for each element; `p` is of a floating-point dtype and broadcasts to `self`.
void fill_bernoulli(const Tensor& self, const Tensor& p, CPUGeneratorImpl& generator);

void fill_exponential(const Tensor& self, double rate, CPUGeneratorImpl& generator);
void fill_cauchy(const Tensor& self, double median, double scale, CPUGeneratorImpl& generator);
void fill_log_normal(const Tensor& self, double mean, double deviation,
                     CPUGeneratorImpl& generator);
// How many trials until the first success, in any real dtype but bool.
void fill_geometric(const Tensor& self, double p, CPUGeneratorImpl& generator);

// A permutation of 0 .. n-1 into a vector of n elements of any real dtype but bool.
void fill_permutation(const Tensor& self, CPUGeneratorImpl& generator);

// Draws columns of `weights` (a vector, or one row a distribution) with replacement: `result` is
// contiguous int64, as many columns as draws.
void draw_categories(const Tensor& result, const Tensor& weights, CPUGeneratorImpl& generator);

// RuntimeError for weights that are no distributions: negative, infinite or NaN, or all zero.
void check_weights(const Tensor& weights);
// False also where there is a NaN.
bool is_non_negative(const Tensor& tensor);

}  // namespace tsc::random_kernels
