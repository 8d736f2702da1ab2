// TextFormatter makes a type of ours usable as an argument of a message: fmt::formatter<T> derives
// from TextFormatter<T> and writes the result of to_string(), without a format specification.
//
// fmt's own string formatter would do, but compiles fmt's whole formatting engine into each file
// that uses it.
#pragma once

#include <string_view>

#include <fmt/core.h>

#include "core/macros.h"

namespace tsc {

TSC_API fmt::appender append_text(std::string_view text, fmt::appender out);

template <class T>
struct TextFormatter {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const T& value, fmt::format_context& context) const {
    return append_text(to_string(value), context.out());
  }
};

}  // namespace tsc
