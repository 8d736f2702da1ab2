// Numbers as text, the way Python writes them: independent of the locale, correctly rounded.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "core/macros.h"

namespace tsc {

// repr(value): the shortest decimal that reads back as the same double ("1.0", "1e-05", "nan").
TSC_API std::string format_double(double value);
TSC_API void append_double(std::string& out, double value);

// repr(value): "1j", "(1-2j)", "(nan+infj)".
TSC_API std::string format_complex(std::complex<double> value);
TSC_API void append_complex(std::string& out, std::complex<double> value);

// f"{value:.{precision}f}", f"{value:.{precision}e}" and f"{value:.{precision}g}" (without '#');
// NaN has no sign.
TSC_API void append_fixed(std::string& out, double value, int precision);
TSC_API void append_scientific(std::string& out, double value, int precision);
TSC_API void append_general(std::string& out, double value, int precision);

// The number that `text`, all of it, is in Python's float(): decimal, "inf", "infinity" or "nan",
// in any case, with or without a sign; too large is infinity. No spaces or underscores.
TSC_API std::optional<double> parse_double(std::string_view text);

}  // namespace tsc
