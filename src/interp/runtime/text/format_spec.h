// A format specification in its parts, and the layout that all kinds of values share.
//
//   [[fill]align][sign][z][#][0][width][grouping][.precision][type]
#pragma once

#include <string>
#include <string_view>

#include "core/macros.h"

namespace tsc::interp {

struct FormatSpec {
  std::string_view fill = " ";  // one character
  char align = 0;               // < > = ^, or 0 for the kind's own
  char sign = 0;                // + - or a blank
  bool no_negative_zero = false;
  bool alternate = false;
  int width = -1;
  char grouping = 0;  // , or _
  int precision = -1;
  char type = 0;
};

// `default_align` is the alignment of this kind of value; `type_name` is for messages.
FormatSpec parse_format_spec(std::string_view text, char default_align, std::string_view type_name);
[[noreturn]] TSC_COLD void throw_too_many_digits();
// Appends a number as a character, for the format `c`.
void append_character(int64_t code_point, std::string& out);
[[noreturn]] TSC_COLD void throw_unknown_code(const FormatSpec& spec, std::string_view type_name);

// A number in its parts: "-0x" 12345 ".5e+10".
struct NumberParts {
  std::string_view sign;
  std::string_view prefix;
  std::string_view digits;  // of the whole part, which grouping separates
  std::string_view rest;
};
// `fill` so many times.
void append_fill(std::string_view fill, size_t count, std::string& out);
void append_number(const NumberParts& number, const FormatSpec& spec, std::string& out);
// `text` of `length` characters, padded to the width.
void append_padded(std::string_view text, size_t length, const FormatSpec& spec, char default_align,
                   std::string& out);

// The digits of |value| by type (e f g E F G % r, or n; 0 is Python's own default). With
// `add_dot_0`, a whole number gets ".0".
std::string float_digits(double value, char type, int precision, bool alternate, bool add_dot_0);
// In base 2, 8, 10 or 16, without sign.
std::string int_digits(uint64_t magnitude, char type);

}  // namespace tsc::interp
