#include "core/text/number_format.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace tsc {

namespace {

// Python's names of the values that have no digits; a NaN's sign is not shown.
bool append_non_finite(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "nan";
    return true;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return true;
  }
  return false;
}

void append_with_format(std::string& out, double value, std::chars_format format, int precision) {
  if (append_non_finite(out, value)) {
    return;
  }
  // Room for the sign, the 309 digits of the largest double, the point and the precision; or the
  // exponent.
  const size_t start = out.size();
  out.resize(start + 320 + static_cast<size_t>(precision));
  const auto result =
      std::to_chars(out.data() + start, out.data() + out.size(), value, format, precision);
  out.resize(static_cast<size_t>(result.ptr - out.data()));
}

// The digits that repr shows, without the ".0" that marks a float.
void append_shortest(std::string& out, double value) {
  if (append_non_finite(out, value)) {
    return;
  }
  // "-d.ddde-nnn": 17 digits at most.
  char buffer[32];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<size_t>(result.ptr - buffer));
  if (text.front() == '-') {
    out += '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  int exponent = 0;
  // from_chars takes a minus sign, but no plus.
  const size_t first = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + first, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    out += text;
    return;
  }
  char digits[32];
  size_t count = 0;
  for (const char c : text.substr(0, e)) {
    if (c != '.') {
      digits[count++] = c;
    }
  }
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<size_t>(-exponent - 1), '0');
    out.append(digits, count);
    return;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (count <= whole) {
    out.append(digits, count);
    out.append(whole - count, '0');
    return;
  }
  out.append(digits, whole);
  out += '.';
  out.append(digits + whole, count - whole);
}

// Whether a decimal outside of a double's range is too small rather than too large: by its exponent
// and the position of its first nonzero digit.
bool is_tiny(std::string_view text) {
  int64_t exponent = 0;
  const size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    const std::string_view written = text.substr(e + 1);
    const char* const first = written.data() + (written.starts_with('+') ? 1 : 0);
    const char* const end = written.data() + written.size();
    if (std::from_chars(first, end, exponent).ec == std::errc::result_out_of_range) {
      return written.starts_with('-');
    }
    text = text.substr(0, e);
  }
  const size_t point = std::min(text.find('.'), text.size());
  const size_t digit = text.find_first_not_of("0.");
  return exponent + static_cast<int64_t>(point) - static_cast<int64_t>(digit) < 0;
}

}  // namespace

void append_double(std::string& out, double value) {
  const size_t start = out.size();
  append_shortest(out, value);
  if (std::isfinite(value) && out.find_first_of(".e", start) == std::string::npos) {
    out += ".0";
  }
}

std::string format_double(double value) {
  std::string out;
  append_double(out, value);
  return out;
}

void append_complex(std::string& out, std::complex<double> value) {
  // A real part of +0 is omitted; one of -0 is not, so that the value reads back.
  const bool show_real = value.real() != 0 || std::signbit(value.real());
  if (show_real) {
    out += '(';
    append_shortest(out, value.real());
    if (std::isnan(value.imag()) || !std::signbit(value.imag())) {
      out += '+';
    }
  }
  append_shortest(out, value.imag());
  out += show_real ? "j)" : "j";
}

std::string format_complex(std::complex<double> value) {
  std::string out;
  append_complex(out, value);
  return out;
}

void append_fixed(std::string& out, double value, int precision) {
  append_with_format(out, value, std::chars_format::fixed, precision);
}

void append_scientific(std::string& out, double value, int precision) {
  append_with_format(out, value, std::chars_format::scientific, precision);
}

void append_general(std::string& out, double value, int precision) {
  append_with_format(out, value, std::chars_format::general, precision);
}

std::optional<double> parse_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) {
    text.remove_prefix(1);
  }
  // from_chars would take a second sign, and text in parentheses behind "nan".
  if (text.empty() || text.front() == '-' || text.back() == ')') {
    return std::nullopt;
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (result.ec == std::errc::result_out_of_range) {
    value = is_tiny(text) ? 0 : std::numeric_limits<double>::infinity();
  }
  return negative ? -value : value;
}

}  // namespace tsc
