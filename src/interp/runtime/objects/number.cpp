#include "interp/runtime/objects/number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/text.h"
#include "interp/runtime/text/unicode.h"

namespace tsc::interp {

int64_t double_to_int(double value) {
  if (std::isnan(value)) {
    throw_error_text(ErrorKind::ValueError, "cannot convert float NaN to integer");
  }
  if (std::isinf(value)) {
    throw_error_text(ErrorKind::OverflowError, "cannot convert float infinity to integer");
  }
  const double whole = std::trunc(value);
  if (whole >= 0x1p63 || whole < -0x1p63) {
    throw_integer_overflow();
  }
  return static_cast<int64_t>(whole);
}

int64_t to_integer(const IValue& value) {
  if (value.is_int() || value.is_bool()) {
    return value.as_int();
  }
  if (value.is_double()) {
    return double_to_int(value.as_double());
  }
  const Type& type = type_of(value);
  if (type.to_int != nullptr) {
    return type.to_int(value);
  }
  if (type.index != nullptr) {
    return type.index(value);
  }
  throw_error(ErrorKind::TypeError,
              "int() argument must be a string, a bytes-like object or a real number, not '{}'",
              type.name);
}

std::complex<double> to_complex_number(const IValue& value) {
  if (value.is_complex()) {
    return value.as_complex();
  }
  if (const auto to_complex = type_of(value).to_complex) {
    return to_complex(value);
  }
  return {to_double(value), 0};
}

namespace {

// Without spaces around, and with any script's digits as ASCII's.
std::string plain_digits(std::string_view text) {
  std::string out;
  for (Utf8Reader reader(text); !reader.at_end();) {
    const size_t start = reader.position();
    const uint32_t c = reader.next();
    const int digit = decimal_value(c);
    if (digit >= 0) {
      out += static_cast<char>('0' + digit);
    } else if (c >= 0x80 && is_space(c)) {
      out += ' ';
    } else {
      out += text.substr(start, reader.position() - start);
    }
  }
  const auto is_blank = [](char c) { return is_space(static_cast<unsigned char>(c)); };
  while (!out.empty() && is_blank(out.back())) out.pop_back();
  const auto first = std::find_if_not(out.begin(), out.end(), is_blank);
  out.erase(out.begin(), first);
  return out;
}

int digit_value(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'z' ? c - 'a' + 10
         : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                : 99;
}

[[noreturn]] TSC_COLD void throw_not_an_int(std::string_view text, int64_t base) {
  std::string quoted;
  append_string_repr(text, quoted);
  throw_error(ErrorKind::ValueError, "invalid literal for int() with base {}: {}", base, quoted);
}

}  // namespace

int64_t parse_int(std::string_view text, int64_t base) {
  const int64_t asked_base = base;
  if (base != 0 && (base < 2 || base > 36)) {
    throw_error(ErrorKind::ValueError, "int() base must be >= 2 and <= 36, or 0");
  }
  const std::string plain = plain_digits(text);
  std::string_view left = plain;
  bool is_negative = false;
  if (!left.empty() && (left[0] == '+' || left[0] == '-')) {
    is_negative = left[0] == '-';
    left.remove_prefix(1);
  }
  if (left.size() >= 2 && left[0] == '0') {
    const char mark = static_cast<char>(left[1] | 0x20);
    const int64_t marked = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    if (marked != 0 && (base == 0 || base == marked)) {
      base = marked;
      left.remove_prefix(2);
      // `0x_1` is a number, `_1` is none.
      if (!left.empty() && left[0] == '_') {
        left.remove_prefix(1);
      }
    }
  }
  const bool was_zero_based = base == 0;
  base = base == 0 ? 10 : base;
  int64_t value = 0;
  bool overflows = false;
  bool after_digit = false;
  bool has_digits = false;
  for (const char c : left) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    const int digit = digit_value(c);
    if (digit >= base) {
      throw_not_an_int(text, asked_base);
    }
    after_digit = has_digits = true;
    int64_t next = 0;
    // Downwards, because the least integer has no positive counterpart.
    overflows |= __builtin_mul_overflow(value, base, &next) ||
                 __builtin_sub_overflow(next, int64_t{digit}, &value);
  }
  const bool has_leading_zero = was_zero_based && left.size() > 1 && left[0] == '0' && value != 0;
  if (!has_digits || !after_digit || has_leading_zero) {
    throw_not_an_int(text, asked_base);
  }
  if (overflows || (!is_negative && value == std::numeric_limits<int64_t>::min())) {
    throw_integer_overflow();
  }
  return is_negative ? value : -value;
}

namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

// Takes underscores between digits out; false where one stands elsewhere.
bool remove_underscores(std::string& text) {
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] == '_' && (i == 0 || i + 1 == text.size() || !is_ascii_digit(text[i - 1]) ||
                           !is_ascii_digit(text[i + 1]))) {
      return false;
    }
  }
  std::erase(text, '_');
  return true;
}

bool starts_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) {
    return false;
  }
  for (size_t i = 0; i < word.size(); i++) {
    if ((text[i] | 0x20) != word[i]) {
      return false;
    }
  }
  return true;
}

// Reads a number that `text` begins with; returns how many bytes it takes, 0 for none.
size_t read_double(std::string_view text, double& value) {
  size_t start = 0;
  double sign = 1;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    sign = text[0] == '-' ? -1 : 1;
    start = 1;
  }
  const std::string_view unsigned_text = text.substr(start);
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (starts_with_word(unsigned_text, word)) {
      value = std::copysign(word == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                          : std::numeric_limits<double>::infinity(),
                            sign);
      return start + word.size();
    }
  }
  if (unsigned_text.empty() || !(is_ascii_digit(unsigned_text[0]) || unsigned_text[0] == '.')) {
    return 0;
  }
  const char* first = unsigned_text.data();
  const auto result = std::from_chars(first, first + unsigned_text.size(), value);
  if (result.ec == std::errc::invalid_argument) {
    return 0;
  }
  const auto size = static_cast<size_t>(result.ptr - first);
  if (result.ec == std::errc::result_out_of_range) {
    // from_chars does not say which: too large or too small.
    value = std::strtod(std::string(unsigned_text.substr(0, size)).c_str(), nullptr);
  }
  value *= sign;
  return start + size;
}

}  // namespace

double parse_float(std::string_view text) {
  std::string plain = plain_digits(text);
  double value = 0;
  const bool fits =
      remove_underscores(plain) && !plain.empty() && read_double(plain, value) == plain.size();
  if (!fits) {
    std::string quoted;
    append_string_repr(text, quoted);
    throw_error(ErrorKind::ValueError, "could not convert string to float: {}", quoted);
  }
  return value;
}

// <float>, <float>j, <float><signed float>j, with or without brackets around.
std::complex<double> parse_complex(std::string_view text) {
  std::string plain = plain_digits(text);
  const auto fail = []() {
    throw_error(ErrorKind::ValueError, "complex() arg is a malformed string");
  };
  if (plain.size() >= 2 && plain.front() == '(' && plain.back() == ')') {
    plain = plain_digits(std::string_view(plain).substr(1, plain.size() - 2));
  }
  if (!remove_underscores(plain) || plain.empty()) {
    fail();
  }
  std::string_view left = plain;
  // A sign alone before the j stands for one.
  const auto read_part = [&](double& value) {
    size_t size = read_double(left, value);
    if (size == 0 && !left.empty()) {
      const bool has_sign = left[0] == '+' || left[0] == '-';
      const size_t at = has_sign ? 1 : 0;
      if (at + 1 == left.size() && (left[at] | 0x20) == 'j') {
        value = left[0] == '-' ? -1 : 1;
        size = at;
        left.remove_prefix(size);
        return true;
      }
      return false;
    }
    left.remove_prefix(size);
    return size > 0;
  };
  double first = 0;
  double second = 0;
  if (!read_part(first)) {
    fail();
  }
  if (left.empty()) {
    return {first, 0};
  }
  if (left.size() == 1 && (left[0] | 0x20) == 'j') {
    return {0, first};
  }
  if ((left[0] != '+' && left[0] != '-') || !read_part(second) || left.size() != 1 ||
      (left[0] | 0x20) != 'j') {
    fail();
  }
  return {first, second};
}

int64_t hash_double(double value) {
  constexpr int kBits = 61;
  constexpr uint64_t kModulus = (uint64_t{1} << kBits) - 1;
  if (value >= -0x1p60 && value <= 0x1p60 && value == std::trunc(value)) {
    return hash_int(static_cast<int64_t>(value));
  }
  if (!std::isfinite(value)) {
    return std::isnan(value) ? 0 : value > 0 ? 314159 : -314159;
  }
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(value), &exponent);
  // 28 bits at a time, into the remainder by the modulus.
  uint64_t hash = 0;
  while (mantissa != 0) {
    hash = ((hash << 28) & kModulus) | hash >> (kBits - 28);
    mantissa *= 268435456.0;
    exponent -= 28;
    const auto part = static_cast<uint64_t>(mantissa);
    mantissa -= static_cast<double>(part);
    hash += part;
    if (hash >= kModulus) {
      hash -= kModulus;
    }
  }
  const int shift = exponent >= 0 ? exponent % kBits : kBits - 1 - ((-1 - exponent) % kBits);
  hash = ((hash << shift) & kModulus) | hash >> (kBits - shift);
  const int64_t result = value < 0 ? -static_cast<int64_t>(hash) : static_cast<int64_t>(hash);
  return result == -1 ? -2 : result;
}

}  // namespace tsc::interp
