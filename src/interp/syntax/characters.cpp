#include "interp/syntax/characters.h"

#include <algorithm>
#include <span>

#include "gen/unicode_tables.h"

namespace tsc::interp {

namespace {

bool contains(std::span<const gen::CodePointRange> ranges, uint32_t code_point) {
  const auto next = std::upper_bound(
      ranges.begin(), ranges.end(), code_point,
      [](uint32_t value, const gen::CodePointRange& range) { return value < range.first; });
  return next != ranges.begin() && code_point <= (next - 1)->last;
}

}  // namespace

CodePoint decode_utf8(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) -> uint32_t {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0;
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const auto is_tail = [](uint32_t b) { return (b & 0xC0) == 0x80; };
  if (lead >= 0xC2 && lead <= 0xDF && is_tail(byte(1))) {
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  }
  if (lead >= 0xE0 && lead <= 0xEF && is_tail(byte(1)) && is_tail(byte(2))) {
    const uint32_t value = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value >= 0x800 && !is_surrogate) return {value, 3};
  }
  if (lead >= 0xF0 && lead <= 0xF4 && is_tail(byte(1)) && is_tail(byte(2)) && is_tail(byte(3))) {
    const uint32_t value =
        (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (value >= 0x10000 && value <= 0x10FFFF) return {value, 4};
  }
  return {};
}

void append_utf8(std::string& text, uint32_t code_point) {
  const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xC0 | code_point >> 6);
    add(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    add(0xE0 | code_point >> 12);
    add(0x80 | (code_point >> 6 & 0x3F));
    add(0x80 | (code_point & 0x3F));
  } else {
    add(0xF0 | code_point >> 18);
    add(0x80 | (code_point >> 12 & 0x3F));
    add(0x80 | (code_point >> 6 & 0x3F));
    add(0x80 | (code_point & 0x3F));
  }
}

bool is_name_start(uint32_t code_point) {
  if (code_point < 0x80) return is_ascii_name_start(static_cast<char>(code_point));
  return contains(gen::kNameStart, code_point);
}

bool is_name_continue(uint32_t code_point) {
  if (code_point < 0x80) return may_be_in_name(static_cast<char>(code_point));
  return contains(gen::kNameStart, code_point) || contains(gen::kNameContinueOnly, code_point);
}

bool is_printable(uint32_t code_point) {
  if (code_point < 0x80) return code_point >= 0x20 && code_point < 0x7F;
  return !contains(gen::kNotPrintable, code_point);
}

}  // namespace tsc::interp
