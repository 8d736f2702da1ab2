// The files of src/cuda/kernels/ and src/ops/ as text (embed.py).
#pragma once

#include <string_view>

namespace tsc::cuda::text {

extern const std::string_view prelude;
extern const std::string_view complex_number;  // ufunc/complex.h
extern const std::string_view complex;
extern const std::string_view math;
extern const std::string_view ufunc_arithmetic;
extern const std::string_view ufunc_ordering;
extern const std::string_view ufunc_division;
extern const std::string_view ufunc_special;
extern const std::string_view ufunc_activation;
extern const std::string_view formulas;
extern const std::string_view ufunc_series;
extern const std::string_view lane;
extern const std::string_view gamma_math;             // ops/cpu/
extern const std::string_view bessel_math;            // ops/cpu/
extern const std::string_view incomplete_gamma_math;  // ops/cpu/
extern const std::string_view special;
extern const std::string_view reductions;
extern const std::string_view reduce;
extern const std::string_view gemm;
extern const std::string_view scan;
extern const std::string_view sort;
extern const std::string_view random;
extern const std::string_view coordinates;
extern const std::string_view indexed;
extern const std::string_view softmax;
extern const std::string_view map;
extern const std::string_view losses;
extern const std::string_view searches;
extern const std::string_view pools;
extern const std::string_view edges;
extern const std::string_view blocks;
extern const std::string_view vectors;
extern const std::string_view resizing;
extern const std::string_view grids;
extern const std::string_view normalize;
extern const std::string_view elementwise;
extern const std::string_view elementwise_vectors;
extern const std::string_view elementwise_single;

}  // namespace tsc::cuda::text
