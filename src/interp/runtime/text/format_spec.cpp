#include "interp/runtime/text/format_spec.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/system/interrupt.h"
#include "core/text/number_format.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

class SpecReader {
 public:
  SpecReader(std::string_view text, std::string_view type_name)
      : text_(text), left_(text), type_name_(type_name) {}

  FormatSpec read(char default_align) {
    read_fill_and_align();
    if (next_is("+") || next_is("-") || next_is(" ")) {
      spec_.sign = take();
    }
    spec_.no_negative_zero = take_if('z');
    spec_.alternate = take_if('#');
    if (!has_fill_ && take_if('0')) {
      spec_.fill = "0";
      if (spec_.align == 0 && default_align == '>') {
        spec_.align = '=';
      }
    }
    spec_.width = read_number();
    read_grouping();
    if (take_if('.')) {
      spec_.precision = read_number();
      if (spec_.precision < 0) {
        throw_error_text(ErrorKind::ValueError, "Format specifier missing precision");
      }
    }
    if (left_.size() > 1) {
      throw_error(ErrorKind::ValueError, "Invalid format specifier '{}' for object of type '{}'",
                  text_, type_name_);
    }
    if (!left_.empty()) {
      spec_.type = take();
    }
    check_grouping();
    return spec_;
  }

 private:
  bool next_is(std::string_view c) const { return left_.starts_with(c); }
  char take() {
    const char c = left_[0];
    left_.remove_prefix(1);
    return c;
  }
  bool take_if(char c) {
    if (left_.empty() || left_[0] != c) {
      return false;
    }
    left_.remove_prefix(1);
    return true;
  }

  void read_fill_and_align() {
    if (left_.empty()) {
      return;
    }
    Utf8Reader reader(left_);
    reader.next();
    const size_t fill_size = reader.position();
    if (fill_size < left_.size() && is_align(left_[fill_size])) {
      spec_.fill = left_.substr(0, fill_size);
      has_fill_ = true;
      spec_.align = left_[fill_size];
      left_.remove_prefix(fill_size + 1);
    } else if (is_align(left_[0])) {
      spec_.align = take();
    }
  }

  // -1 where there are no digits.
  int read_number() {
    if (left_.empty() || !is_ascii_digit(left_[0])) {
      return -1;
    }
    int64_t number = 0;
    while (!left_.empty() && is_ascii_digit(left_[0])) {
      number = number * 10 + (take() - '0');
      if (number > INT32_MAX) {
        throw_too_many_digits();
      }
    }
    return static_cast<int>(number);
  }

  void read_grouping() {
    if (next_is(",") || next_is("_")) {
      spec_.grouping = take();
      if ((spec_.grouping == ',' && next_is("_")) || (spec_.grouping == '_' && next_is(","))) {
        throw_error(ErrorKind::ValueError, "Cannot specify both ',' and '_'.");
      }
    }
  }

  void check_grouping() const {
    constexpr std::string_view kAny("defgEG%F\0", 9);
    if (spec_.grouping == 0 || kAny.find(spec_.type) != std::string_view::npos) {
      return;
    }
    if (spec_.grouping == '_' &&
        std::string_view("boxX").find(spec_.type) != std::string_view::npos) {
      return;
    }
    throw_error(ErrorKind::ValueError, "Cannot specify '{}' with '{}'.", spec_.grouping,
                spec_.type);
  }

  std::string_view text_;
  std::string_view left_;
  std::string_view type_name_;
  FormatSpec spec_;
  bool has_fill_ = false;
};

}  // namespace

void append_fill(std::string_view fill, size_t count, std::string& out) {
  for (size_t i = 0; i < count; i++) {
    throw_if_interrupted();
    out += fill;
  }
}

namespace {

// The digits with separators, and with zeros before them up to `width` characters; a separator is
// never the first.
std::string group_digits(std::string_view digits, char separator, size_t group, int64_t width) {
  std::string reversed;
  auto left = static_cast<int64_t>(digits.size());
  const auto group_size = static_cast<int64_t>(group);
  bool is_first = true;
  while (true) {
    const int64_t length = std::min(group_size, std::max<int64_t>(std::max(left, width), 1));
    if (!is_first) {
      reversed += separator;
    }
    is_first = false;
    const int64_t taken = std::min(left, length);
    for (int64_t i = 0; i < taken; i++) {
      reversed += digits[static_cast<size_t>(--left)];
    }
    reversed.append(static_cast<size_t>(length - taken), '0');
    width -= length;
    if (left <= 0 && width <= 0) {
      break;
    }
    width--;
  }
  return {reversed.rbegin(), reversed.rend()};
}

}  // namespace

void throw_too_many_digits() {
  throw_error(ErrorKind::ValueError, "Too many decimal digits in format string");
}

void append_character(int64_t code_point, std::string& out) {
  if (code_point < 0 || code_point > 0x10ffff) {
    throw_error(ErrorKind::OverflowError, "%c arg not in range(0x110000)");
  }
  append_utf8(out, static_cast<uint32_t>(code_point));
}

FormatSpec parse_format_spec(std::string_view text, char default_align,
                             std::string_view type_name) {
  return SpecReader(text, type_name).read(default_align);
}

void throw_unknown_code(const FormatSpec& spec, std::string_view type_name) {
  if (spec.type > 32 && spec.type < 127) {
    throw_error(ErrorKind::ValueError, "Unknown format code '{}' for object of type '{}'",
                spec.type, type_name);
  }
  throw_error(ErrorKind::ValueError, "Unknown format code '\\x{:x}' for object of type '{}'",
              static_cast<unsigned char>(spec.type), type_name);
}

void append_padded(std::string_view text, size_t length, const FormatSpec& spec, char default_align,
                   std::string& out) {
  const size_t width = spec.width < 0 ? 0 : static_cast<size_t>(spec.width);
  const size_t padding = width > length ? width - length : 0;
  const char align = spec.align == 0 ? default_align : spec.align;
  const size_t left = align == '>' ? padding : align == '^' ? padding / 2 : 0;
  append_fill(spec.fill, left, out);
  out += text;
  append_fill(spec.fill, padding - left, out);
}

void append_number(const NumberParts& number, const FormatSpec& spec, std::string& out) {
  const size_t others = number.sign.size() + number.prefix.size() + number.rest.size();
  const char align = spec.align == 0 ? '>' : spec.align;
  std::string grouped(number.digits);
  if (spec.grouping != 0 && !number.digits.empty()) {
    const bool is_power_of_two =
        spec.type == 'b' || spec.type == 'o' || spec.type == 'x' || spec.type == 'X';
    // Zeros that fill the width are grouped, too.
    const int64_t width = spec.fill == "0" && align == '='
                              ? static_cast<int64_t>(spec.width) - static_cast<int64_t>(others)
                              : 0;
    grouped = group_digits(number.digits, spec.grouping, is_power_of_two ? 4 : 3, width);
  }
  const size_t length = others + grouped.size();
  const size_t width = spec.width < 0 ? 0 : static_cast<size_t>(spec.width);
  const size_t padding = width > length ? width - length : 0;
  const size_t left = align == '>' ? padding : align == '^' ? padding / 2 : 0;
  const size_t inside = align == '=' ? padding : 0;
  append_fill(spec.fill, left, out);
  out.append(number.sign).append(number.prefix);
  append_fill(spec.fill, inside, out);
  out.append(grouped).append(number.rest);
  append_fill(spec.fill, padding - left - inside, out);
}

namespace {

// Significant digits as "g" lays them out: `count` of them, zeros at the end dropped.
std::string general_digits(double value, int count, bool alternate, bool add_dot_0) {
  count = std::max(count, 1);
  std::string text;
  append_scientific(text, value, count - 1);
  const size_t e = text.find('e');
  int exponent = 0;
  const char* first = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(first, text.data() + text.size(), exponent);
  std::string digits = text.substr(0, e);
  std::erase(digits, '.');
  if (!alternate) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.empty()) {
      digits = "0";
    }
  }
  if (exponent < -4 || exponent + 1 > count - (add_dot_0 ? 1 : 0)) {
    std::string out = digits.substr(0, 1);
    if (digits.size() > 1 || alternate) {
      out.append(".").append(digits, 1);
    }
    return out + text.substr(e);
  }
  std::string out;
  if (exponent < 0) {
    out = "0.";
    out.append(static_cast<size_t>(-exponent - 1), '0').append(digits);
    return out;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    out = digits.append(whole - digits.size(), '0');
    return out.append(alternate ? "." : add_dot_0 ? ".0" : "");
  }
  return out.append(digits, 0, whole).append(".").append(digits, whole);
}

// "1e+16" with '#' is "1.e+16".
void ensure_point(std::string& text) {
  if (text.find('.') == std::string::npos) {
    text.insert(std::min(text.find('e'), text.size()), ".");
  }
}

}  // namespace

std::string float_digits(double value, char type, int precision, bool alternate, bool add_dot_0) {
  const bool is_upper = type == 'E' || type == 'F' || type == 'G';
  const char kind = is_upper ? static_cast<char>(type + 32) : type;
  value = std::fabs(value);
  if (kind == '%') {
    value *= 100;
  }
  std::string out;
  if (!std::isfinite(value)) {
    out = std::isnan(value) ? "nan" : "inf";
  } else if (kind == 'r') {
    append_double(out, value);
    if (!add_dot_0 && out.ends_with(".0")) {
      out.resize(out.size() - 2);
    }
    if (alternate) {
      ensure_point(out);
    }
  } else if (kind == 'e') {
    append_scientific(out, value, precision < 0 ? 6 : precision);
    if (alternate) {
      ensure_point(out);
    }
  } else if (kind == 'f' || kind == '%') {
    append_fixed(out, value, precision < 0 ? 6 : precision);
    if (alternate) {
      ensure_point(out);
    }
  } else {
    out = general_digits(value, precision < 0 ? 6 : precision, alternate, add_dot_0);
  }
  if (is_upper) {
    for (char& c : out) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    }
  }
  if (kind == '%') {
    out += '%';
  }
  return out;
}

std::string int_digits(uint64_t magnitude, char type) {
  const int base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), magnitude, base).ptr;
  std::string out(buffer, end);
  if (type == 'X') {
    for (char& c : out) {
      c = c >= 'a' ? static_cast<char>(c - 32) : c;
    }
  }
  return out;
}

}  // namespace tsc::interp
