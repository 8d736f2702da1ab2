#include "interp/runtime/text/unicode.h"

#include <algorithm>
#include <span>

#include "gen/unicode_cases.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

template <class Row>
const Row* last_row_before(std::span<const Row> rows, uint32_t c) {
  const auto next =
      std::upper_bound(rows.begin(), rows.end(), c,
                       [](uint32_t value, const Row& row) { return value < row.first; });
  return next == rows.begin() ? nullptr : &*(next - 1);
}

bool in_ranges(std::span<const gen::CodePointRange> ranges, uint32_t c) {
  const auto* range = last_row_before(ranges, c);
  return range != nullptr && c <= range->last;
}

struct CaseTable {
  std::span<const gen::CaseRun> runs;
  std::span<const gen::CaseSpecial> specials;
};

void append_mapped(const CaseTable& table, uint32_t c, std::string& out) {
  const auto* run = last_row_before(table.runs, c);
  if (run != nullptr && c <= run->last && (c - run->first) % run->stride == 0) {
    append_utf8(out, static_cast<uint32_t>(static_cast<int32_t>(c) + run->delta));
    return;
  }
  const auto special = std::lower_bound(
      table.specials.begin(), table.specials.end(), c,
      [](const gen::CaseSpecial& row, uint32_t value) { return row.code_point < value; });
  if (special != table.specials.end() && special->code_point == c) {
    for (const uint32_t* mapped = special->mapped; *mapped != 0; mapped++) {
      append_utf8(out, *mapped);
    }
    return;
  }
  append_utf8(out, c);
}

bool is_ascii_lower(uint32_t c) { return c >= 'a' && c <= 'z'; }
bool is_ascii_upper(uint32_t c) { return c >= 'A' && c <= 'Z'; }
bool is_ascii_letter(uint32_t c) { return is_ascii_lower(c) || is_ascii_upper(c); }
bool is_ascii_digit(uint32_t c) { return c >= '0' && c <= '9'; }

bool is_cased(uint32_t c) { return c < 0x80 ? is_ascii_letter(c) : in_ranges(gen::kCased, c); }
bool is_case_ignorable(uint32_t c) {
  return c < 0x80 ? c == '\'' || c == '.' || c == ':' || c == '^' || c == '`'
                  : in_ranges(gen::kCaseIgnorable, c);
}

constexpr uint32_t kCapitalSigma = 0x3a3;
constexpr uint32_t kSmallSigma = 0x3c3;
constexpr uint32_t kFinalSigma = 0x3c2;

// Whether the sigma at `at` ends a word: a letter before it, none behind, ignorable ones aside.
bool is_final(const std::vector<uint32_t>& characters, size_t at) {
  size_t before = at;
  while (before > 0 && is_case_ignorable(characters[before - 1])) {
    before--;
  }
  if (before == 0 || !is_cased(characters[before - 1])) {
    return false;
  }
  size_t behind = at + 1;
  while (behind < characters.size() && is_case_ignorable(characters[behind])) {
    behind++;
  }
  return behind == characters.size() || !is_cased(characters[behind]);
}

}  // namespace

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation_byte(c); }));
}

bool is_alphabetic(uint32_t c) {
  return c < 0x80 ? is_ascii_letter(c) : in_ranges(gen::kAlphabetic, c);
}

bool is_decimal(uint32_t c) { return c < 0x80 ? is_ascii_digit(c) : in_ranges(gen::kDecimal, c); }

bool is_digit_character(uint32_t c) {
  return is_decimal(c) || (c >= 0x80 && in_ranges(gen::kDigitOnly, c));
}

bool is_numeric(uint32_t c) {
  return is_digit_character(c) || (c >= 0x80 && in_ranges(gen::kNumericOnly, c));
}

bool is_space(uint32_t c) { return c < 0x80 ? is_ascii_space(c) : in_ranges(gen::kSpace, c); }

bool is_lowercase(uint32_t c) {
  return c < 0x80 ? is_ascii_lower(c) : in_ranges(gen::kLowercase, c);
}

bool is_uppercase(uint32_t c) {
  return c < 0x80 ? is_ascii_upper(c) : in_ranges(gen::kUppercase, c);
}

bool is_titlecase(uint32_t c) { return c >= 0x80 && in_ranges(gen::kTitlecase, c); }

int decimal_value(uint32_t c) {
  if (c < 0x80) {
    return is_ascii_digit(c) ? static_cast<int>(c - '0') : -1;
  }
  const auto* range = last_row_before(std::span<const gen::CodePointRange>(gen::kDecimal), c);
  return range != nullptr && c <= range->last ? static_cast<int>((c - range->first) % 10) : -1;
}

void append_lower(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(is_ascii_upper(c) ? c + 32 : c);
  } else {
    append_mapped({gen::kLowerRuns, gen::kLowerSpecials}, c, out);
  }
}

void append_upper(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(is_ascii_lower(c) ? c - 32 : c);
  } else {
    append_mapped({gen::kUpperRuns, gen::kUpperSpecials}, c, out);
  }
}

void append_title(uint32_t c, std::string& out) {
  if (c < 0x80) {
    append_upper(c, out);
  } else {
    append_mapped({gen::kTitleRuns, gen::kTitleSpecials}, c, out);
  }
}

void append_folded(uint32_t c, std::string& out) {
  if (c < 0x80) {
    append_lower(c, out);
  } else {
    append_mapped({gen::kFoldRuns, gen::kFoldSpecials}, c, out);
  }
}

std::vector<uint32_t> characters_of(std::string_view text) {
  std::vector<uint32_t> characters;
  characters.reserve(text.size());
  for (Utf8Reader reader(text); !reader.at_end();) {
    characters.push_back(reader.next());
  }
  return characters;
}

void append_lower_at(const std::vector<uint32_t>& text, size_t at, std::string& out) {
  if (text[at] == kCapitalSigma) {
    append_utf8(out, is_final(text, at) ? kFinalSigma : kSmallSigma);
  } else {
    append_lower(text[at], out);
  }
}

bool is_line_end(uint32_t c) {
  return (c >= 10 && c <= 13) || (c >= 28 && c <= 30) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

}  // namespace tsc::interp
