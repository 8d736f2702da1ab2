// format(value, spec) for numbers and strings.
#include "interp/runtime/text/format.h"

#include <cmath>

#include "core/error.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format_spec.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

std::string_view sign_text(bool is_negative, char sign) {
  return is_negative ? "-" : sign == '+' ? "+" : sign == ' ' ? " " : "";
}

[[noreturn]] TSC_COLD void throw_not_allowed(std::string_view what, std::string_view kind) {
  throw_error(ErrorKind::ValueError, "{} not allowed in {} format specifier", what, kind);
}

bool is_float_type(char type) {
  return type != 0 && std::string_view("eEfFgG%").find(type) != std::string_view::npos;
}

void format_float_by(double value, const FormatSpec& spec, std::string& out) {
  char type = spec.type;
  bool add_dot_0 = false;
  if (type == 0) {
    add_dot_0 = true;
    type = spec.precision < 0 ? 'r' : 'g';
  } else if (type == 'n') {
    type = 'g';
  }
  const std::string text = float_digits(value, type, spec.precision, spec.alternate, add_dot_0);
  bool is_negative = std::signbit(value) && !std::isnan(value);
  if (spec.no_negative_zero && text.find_first_of("123456789infINF") == std::string::npos) {
    is_negative = false;
  }
  const size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view view = text;
  append_number({sign_text(is_negative, spec.sign), {}, view.substr(0, whole), view.substr(whole)},
                spec, out);
}

void format_character(int64_t value, const FormatSpec& spec, std::string& out) {
  if (spec.sign != 0) {
    throw_error(ErrorKind::ValueError, "Sign not allowed with integer format specifier 'c'");
  }
  if (spec.alternate) {
    throw_error(ErrorKind::ValueError,
                "Alternate form (#) not allowed with integer format specifier 'c'");
  }
  std::string character;
  append_character(value, character);
  append_padded(character, 1, spec, '>', out);
}

}  // namespace

void format_int(int64_t value, std::string_view text, std::string& out,
                std::string_view type_name) {
  const FormatSpec spec = parse_format_spec(text, '>', type_name);
  if (is_float_type(spec.type)) {
    format_float_by(static_cast<double>(value), spec, out);
    return;
  }
  if (spec.type != 0 && std::string_view("bcdnoxX").find(spec.type) == std::string_view::npos) {
    throw_unknown_code(spec, type_name);
  }
  if (spec.precision >= 0) {
    throw_error(ErrorKind::ValueError, "Precision not allowed in integer format specifier");
  }
  if (spec.no_negative_zero) {
    throw_not_allowed("Negative zero coercion (z)", "integer");
  }
  if (spec.type == 'c') {
    format_character(value, spec, out);
    return;
  }
  const uint64_t magnitude =
      value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const std::string digits = int_digits(magnitude, spec.type);
  std::string_view prefix;
  if (spec.alternate) {
    prefix = spec.type == 'b'   ? "0b"
             : spec.type == 'o' ? "0o"
             : spec.type == 'x' ? "0x"
             : spec.type == 'X' ? "0X"
                                : "";
  }
  append_number({sign_text(value < 0, spec.sign), prefix, digits, {}}, spec, out);
}

void format_float(double value, std::string_view text, std::string& out) {
  const FormatSpec spec = parse_format_spec(text, '>', "float");
  if (spec.type != 0 && spec.type != 'n' && !is_float_type(spec.type)) {
    throw_unknown_code(spec, "float");
  }
  format_float_by(value, spec, out);
}

void format_complex_number(std::complex<double> value, std::string_view text, std::string& out) {
  const FormatSpec spec = parse_format_spec(text, '>', "complex");
  if (spec.type != 0 && spec.type != 'n' && (!is_float_type(spec.type) || spec.type == '%')) {
    throw_unknown_code(spec, "complex");
  }
  if (spec.fill == "0") {
    throw_error(ErrorKind::ValueError, "Zero padding is not allowed in complex format specifier");
  }
  if (spec.align == '=') {
    throw_error(ErrorKind::ValueError,
                "'=' alignment flag is not allowed in complex format specifier");
  }
  const bool is_default = spec.type == 0;
  const bool show_real = !is_default || value.real() != 0 || std::signbit(value.real());
  FormatSpec part = spec;
  part.width = -1;
  const auto digits = [&](double number) {
    const char type = is_default ? (spec.precision < 0 ? 'r' : 'g') : spec.type;
    const std::string all =
        float_digits(number, type == 'n' ? 'g' : type, spec.precision, spec.alternate, false);
    const size_t whole = std::min(all.find_first_not_of("0123456789"), all.size());
    std::string laid_out;
    const std::string_view view = all;
    append_number({{}, {}, view.substr(0, whole), view.substr(whole)}, part, laid_out);
    return laid_out;
  };
  const auto is_negative = [](double number) {
    return std::signbit(number) && !std::isnan(number);
  };
  std::string whole;
  if (show_real) {
    whole.append(sign_text(is_negative(value.real()), spec.sign)).append(digits(value.real()));
  }
  whole.append(sign_text(is_negative(value.imag()), show_real ? '+' : spec.sign))
      .append(digits(value.imag()))
      .append("j");
  if (is_default && show_real) {
    whole = "(" + whole + ")";
  }
  append_padded(whole, whole.size(), spec, '>', out);
}

void format_string(std::string_view value, std::string_view text, std::string& out) {
  const FormatSpec spec = parse_format_spec(text, '<', "str");
  if (spec.type != 0 && spec.type != 's') {
    throw_unknown_code(spec, "str");
  }
  if (spec.sign == ' ') {
    throw_not_allowed("Space", "string");
  }
  if (spec.sign != 0) {
    throw_not_allowed("Sign", "string");
  }
  if (spec.no_negative_zero) {
    throw_not_allowed("Negative zero coercion (z)", "string");
  }
  if (spec.alternate) {
    throw_not_allowed("Alternate form (#)", "string");
  }
  if (spec.align == '=') {
    throw_not_allowed("'=' alignment", "string");
  }
  if (spec.grouping != 0) {
    throw_error(ErrorKind::ValueError, "Cannot specify '{}' with 's'.", spec.grouping);
  }
  size_t length = 0;
  Utf8Reader reader(value);
  while (!reader.at_end() && (spec.precision < 0 || length < static_cast<size_t>(spec.precision))) {
    reader.next();
    length++;
  }
  append_padded(value.substr(0, reader.position()), length, spec, '<', out);
}

void append_formatted(const IValue& value, char conversion, std::string_view spec,
                      std::string& out) {
  if (conversion == 0) {
    append_format(value, spec, out);
    return;
  }
  const std::string text = conversion == 's'   ? str(value)
                           : conversion == 'r' ? repr(value)
                                               : ascii(value);
  if (spec.empty()) {
    out += text;
  } else {
    format_string(text, spec, out);
  }
}

}  // namespace tsc::interp
