#include "interp/runtime/text/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

const IValue& empty_string() {
  static const auto* value = new IValue(std::string_view());
  return *value;
}

IValue character_string(uint32_t code_point) {
  static auto* characters = new std::array<IValue, 128>();
  if (code_point < 128) {
    IValue& value = (*characters)[code_point];
    if (value.is_none()) {
      const char c = static_cast<char>(code_point);
      value = IValue(std::string_view(&c, 1));
    }
    return value;
  }
  std::string text;
  append_utf8(text, code_point);
  return IValue(std::string_view(text));
}

IValue make_string(std::string_view text) {
  if (text.empty()) {
    return empty_string();
  }
  if (text.size() == 1) {
    return character_string(static_cast<unsigned char>(text[0]));
  }
  return IValue(text);
}

IValue concatenate(const IValue& left, const IValue& right) {
  const StringObject& a = *left.as_string_object();
  const StringObject& b = *right.as_string_object();
  if (a.size() == 0) {
    return right;
  }
  if (b.size() == 0) {
    return left;
  }
  StringObject* joined = StringObject::make_uninitialized(a.size() + b.size());
  std::memcpy(joined->data(), a.view().data(), a.size());
  std::memcpy(joined->data() + a.size(), b.view().data(), b.size());
  joined->finish(a.length() + b.length());
  return IValue::adopt(Tag::String, joined);
}

void append_in_place(IValue& left, const IValue& right) {
  StringObject* text = left.as_string_object();
  if (text->use_count() > 1 || text->size() == 0) {
    left = concatenate(left, right);
    return;
  }
  const std::string_view tail = right.as_string();
  // append() takes over the reference that `left` held, and gives it back.
  new (&left) IValue();
  left = IValue::adopt(Tag::String, StringObject::append(text, tail));
}

namespace {

// How many of the eight bytes at `bytes` begin a character.
size_t characters_in_word(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  const uint64_t begins = (~word >> 7 | word >> 6) & 0x0101010101010101;
  return static_cast<size_t>(std::popcount(begins));
}

}  // namespace

size_t byte_offset(const StringObject& text, size_t index) {
  if (text.is_ascii()) {
    return index;
  }
  const std::string_view bytes = text.view();
  size_t at = 0;
  size_t left = index;
  while (at + 8 <= bytes.size()) {
    const size_t count = characters_in_word(bytes.data() + at);
    // The character searched for may begin behind this word's last one, but not in it.
    if (count > left) {
      break;
    }
    left -= count;
    at += 8;
  }
  // The word may have ended inside a character.
  while (at < bytes.size() && is_continuation_byte(bytes[at])) {
    at++;
  }
  for (; left > 0; left--) {
    at++;
    while (at < bytes.size() && is_continuation_byte(bytes[at])) {
      at++;
    }
  }
  return at;
}

size_t character_index(const StringObject& text, size_t byte) {
  return text.is_ascii() ? byte : count_characters(text.view().substr(0, byte));
}

IValue string_item(const StringObject& text, size_t index) {
  if (text.is_ascii()) {
    return character_string(static_cast<unsigned char>(text.view()[index]));
  }
  return character_string(Utf8Reader(text.view().substr(byte_offset(text, index))).next());
}

namespace {

// A text this short is searched at once.
constexpr size_t kShortText = size_t{1} << 14;
constexpr size_t kBytesBetweenPolls = size_t{1} << 20;

size_t find_in_piece(std::string_view piece, std::string_view part) {
  // memmem() is slower, but its time does not grow with the part's length.
  constexpr size_t kShortPart = 32;
  if (part.size() <= kShortPart) {
    return piece.find(part);
  }
  const void* const found = memmem(piece.data(), piece.size(), part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<size_t>(static_cast<const char*>(found) - piece.data());
}

}  // namespace

size_t find_text(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size() || text.size() - from <= kShortText) {
    return text.find(part, from);
  }
  // Pieces overlap by part.size() - 1, for a part that begins in one and ends in the next.
  const size_t step = std::max(kBytesBetweenPolls, part.size());
  for (; text.size() - from >= part.size(); from += std::min(step, text.size() - from)) {
    throw_if_interrupted();
    const size_t found = find_in_piece(text.substr(from, step + part.size() - 1), part);
    if (found != std::string_view::npos) {
      return from + found;
    }
    if (text.size() - from <= step) {
      break;
    }
  }
  return std::string_view::npos;
}

size_t find_text_from_right(std::string_view text, std::string_view part) {
  // Behind the last place where it could begin.
  size_t at = text.size() >= part.size() ? text.size() - part.size() + 1 : 0;
  while (at > 0) {
    throw_if_interrupted();
    const size_t low = at - std::min(at, kBytesBetweenPolls);
    const void* const found = memrchr(text.data() + low, part[0], at - low);
    if (found == nullptr) {
      at = low;
      continue;
    }
    at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    if (text.substr(at, part.size()) == part) {
      return at;
    }
  }
  return std::string_view::npos;
}

namespace {

void append_escape(uint32_t c, std::string& out) {
  if (c < 0x100) {
    out += fmt::format("\\x{:02x}", c);
  } else if (c < 0x10000) {
    out += fmt::format("\\u{:04x}", c);
  } else {
    out += fmt::format("\\U{:08x}", c);
  }
}

}  // namespace

std::string escape_non_ascii(std::string_view text) {
  std::string out;
  for (Utf8Reader reader(text); !reader.at_end();) {
    const uint32_t c = reader.next();
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else {
      append_escape(c, out);
    }
  }
  return out;
}

void append_string_repr(std::string_view text, std::string& out) {
  const bool has_single = find_text(text, "'") != std::string_view::npos;
  const bool has_double = find_text(text, "\"") != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  out += quote;
  for (Utf8Reader reader(text); !reader.at_end();) {
    const size_t start = reader.position();
    const uint32_t c = reader.next();
    if (c == '\\' || c == static_cast<uint32_t>(quote)) {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !is_printable(c))) {
      append_escape(c, out);
    } else {
      out += text.substr(start, reader.position() - start);
    }
  }
  out += quote;
}

}  // namespace tsc::interp
