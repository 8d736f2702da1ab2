// Numbers from text and from one another.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>

#include "dispatch/ivalue.h"

namespace tsc::interp {

// int(value) of a number: cut towards zero; OverflowError beyond 64 bits.
int64_t to_integer(const IValue& value);
int64_t double_to_int(double value);
// int(text, base); "invalid literal for int() with base 10: 'x'".
int64_t parse_int(std::string_view text, int64_t base);
// float(text); "could not convert string to float: 'x'".
double parse_float(std::string_view text);
// complex(text); "complex() arg is a malformed string".
std::complex<double> parse_complex(std::string_view text);
std::complex<double> to_complex_number(const IValue& value);

// CPython's hashes: numbers that are equal have the same.
int64_t hash_double(double value);

}  // namespace tsc::interp
