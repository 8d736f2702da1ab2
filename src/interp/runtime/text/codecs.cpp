#include "interp/runtime/text/codecs.h"

#include <algorithm>

#include "interp/runtime/objects/bytes.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/text/text.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

constexpr uint32_t kReplacement = 0xfffd;
constexpr uint32_t kFirstSurrogate = 0xd800;
constexpr uint32_t kLowSurrogate = 0xdc00;
constexpr uint32_t kBehindSurrogates = 0xe000;
constexpr uint32_t kBehindCharacters = 0x110000;
// The byte 0x80 is this surrogate under "surrogateescape".
constexpr uint32_t kEscapedByte = 0xdc00;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

// --- Names

struct EncodingName {
  std::string_view name;
  Encoding encoding;
};

// As CPython normalizes them, with its aliases.
constexpr EncodingName kNames[] = {
    {"646", Encoding::Ascii},
    {"8859", Encoding::Latin1},
    {"ansi_x3.4_1968", Encoding::Ascii},
    {"ansi_x3.4_1986", Encoding::Ascii},
    {"ansi_x3_4_1968", Encoding::Ascii},
    {"ascii", Encoding::Ascii},
    {"cp367", Encoding::Ascii},
    {"cp65001", Encoding::Utf8},
    {"cp819", Encoding::Latin1},
    {"csascii", Encoding::Ascii},
    {"csisolatin1", Encoding::Latin1},
    {"ibm367", Encoding::Ascii},
    {"ibm819", Encoding::Latin1},
    {"iso646_us", Encoding::Ascii},
    {"iso8859", Encoding::Latin1},
    {"iso8859_1", Encoding::Latin1},
    {"iso_646.irv_1991", Encoding::Ascii},
    {"iso_8859_1", Encoding::Latin1},
    {"iso_8859_1_1987", Encoding::Latin1},
    {"iso_ir_100", Encoding::Latin1},
    {"iso_ir_6", Encoding::Ascii},
    {"l1", Encoding::Latin1},
    {"latin", Encoding::Latin1},
    {"latin1", Encoding::Latin1},
    {"latin_1", Encoding::Latin1},
    {"u16", Encoding::Utf16},
    {"u32", Encoding::Utf32},
    {"u8", Encoding::Utf8},
    {"unicodebigunmarked", Encoding::Utf16Be},
    {"unicodelittleunmarked", Encoding::Utf16Le},
    {"us", Encoding::Ascii},
    {"us_ascii", Encoding::Ascii},
    {"utf", Encoding::Utf8},
    {"utf16", Encoding::Utf16},
    {"utf32", Encoding::Utf32},
    {"utf8", Encoding::Utf8},
    {"utf8_ucs2", Encoding::Utf8},
    {"utf8_ucs4", Encoding::Utf8},
    {"utf_16", Encoding::Utf16},
    {"utf_16_be", Encoding::Utf16Be},
    {"utf_16_le", Encoding::Utf16Le},
    {"utf_16be", Encoding::Utf16Be},
    {"utf_16le", Encoding::Utf16Le},
    {"utf_32", Encoding::Utf32},
    {"utf_32_be", Encoding::Utf32Be},
    {"utf_32_le", Encoding::Utf32Le},
    {"utf_32be", Encoding::Utf32Be},
    {"utf_32le", Encoding::Utf32Le},
    {"utf_8", Encoding::Utf8},
    {"utf_8_sig", Encoding::Utf8Sig},
};

// Lower case, with an underscore for each run of characters other than letters, digits and dots.
std::string normalized(std::string_view name) {
  std::string text;
  bool is_apart = false;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (!is_upper && !(c >= 'a' && c <= 'z') && !is_digit(c) && c != '.') {
      is_apart = true;
      continue;
    }
    text += is_apart && !text.empty() ? "_" : "";
    text += is_upper ? static_cast<char>(c + ('a' - 'A')) : c;
    is_apart = false;
  }
  return text;
}

// The name in messages.
std::string_view codec_name(Encoding encoding) {
  switch (encoding) {
    case Encoding::Utf8:
    case Encoding::Utf8Sig: return "utf-8";
    case Encoding::Ascii: return "ascii";
    case Encoding::Latin1: return "latin-1";
    case Encoding::Utf16: return "utf-16";
    case Encoding::Utf16Le: return "utf-16-le";
    case Encoding::Utf16Be: return "utf-16-be";
    case Encoding::Utf32: return "utf-32";
    case Encoding::Utf32Le: return "utf-32-le";
    case Encoding::Utf32Be: return "utf-32-be";
  }
  return "";
}

// --- Errors

bool is_surrogate(uint32_t c) { return c >= kFirstSurrogate && c < kBehindSurrogates; }

[[noreturn]] void throw_unicode_error(ErrorKind kind, Encoding encoding, IValue object,
                                      size_t begin, size_t end, std::string_view reason) {
  throw_exception(make_exception(
      kind, {IValue(codec_name(encoding)), std::move(object), IValue(static_cast<int64_t>(begin)),
             IValue(static_cast<int64_t>(end)), IValue(reason)}));
}

[[noreturn]] void throw_unknown_handler(std::string_view errors) {
  throw_error(ErrorKind::LookupError, "unknown error handler name '{}'", errors);
}

// \xe9, \u20ac or \U0001f600
std::string escaped(uint32_t c) {
  return c < 0x100     ? fmt::format("\\x{:02x}", c)
         : c < 0x10000 ? fmt::format("\\u{:04x}", c)
                       : fmt::format("\\U{:08x}", c);
}

// --- Decoding

// A decoded character, or the error of `size` bytes.
struct Decoded {
  uint32_t value = 0;
  size_t size = 1;
  const char* error = nullptr;
};

Decoded wrong(size_t size, const char* error) { return {0, size, error}; }

// The bytes behind a lead byte that may follow it are part of the error.
Decoded next_utf8(std::string_view bytes) {
  const CodePoint c = decode_utf8(bytes, 0);
  if (c.value != kInvalidCodePoint) {
    return {c.value, c.size};
  }
  const auto lead = static_cast<unsigned char>(bytes[0]);
  if (lead < 0xc2 || lead > 0xf4) {
    return wrong(1, "invalid start byte");
  }
  const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < length; i++) {
    if (i == bytes.size()) {
      return wrong(i, "unexpected end of data");
    }
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const unsigned char least = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte < least || byte > most) {
      return wrong(i, "invalid continuation byte");
    }
  }
  return wrong(1, "invalid start byte");
}

uint32_t read_unit(std::string_view bytes, size_t size, bool is_big) {
  uint32_t unit = 0;
  for (size_t i = 0; i < size; i++) {
    unit = unit << 8 | static_cast<unsigned char>(bytes[is_big ? i : size - 1 - i]);
  }
  return unit;
}

Decoded next_utf16(std::string_view bytes, bool is_big) {
  if (bytes.size() < 2) {
    return wrong(bytes.size(), "truncated data");
  }
  const uint32_t first = read_unit(bytes, 2, is_big);
  if (!is_surrogate(first)) {
    return {first, 2};
  }
  if (first >= kLowSurrogate) {
    return wrong(2, "illegal encoding");
  }
  if (bytes.size() < 4) {
    return wrong(bytes.size(), "unexpected end of data");
  }
  const uint32_t second = read_unit(bytes.substr(2), 2, is_big);
  if (second < kLowSurrogate || second >= kBehindSurrogates) {
    return wrong(2, "illegal UTF-16 surrogate");
  }
  return {0x10000 + ((first - kFirstSurrogate) << 10) + (second - kLowSurrogate), 4};
}

Decoded next_utf32(std::string_view bytes, bool is_big) {
  if (bytes.size() < 4) {
    return wrong(bytes.size(), "truncated data");
  }
  const uint32_t c = read_unit(bytes, 4, is_big);
  if (is_surrogate(c)) {
    return wrong(4, "code point in surrogate code point range(0xd800, 0xe000)");
  }
  return c < kBehindCharacters ? Decoded{c, 4} : wrong(4, "code point not in range(0x110000)");
}

Decoded next_character(std::string_view bytes, Encoding encoding) {
  const auto byte = static_cast<unsigned char>(bytes[0]);
  switch (encoding) {
    case Encoding::Ascii:
      return byte < 0x80 ? Decoded{byte, 1} : wrong(1, "ordinal not in range(128)");
    case Encoding::Latin1: return {byte, 1};
    case Encoding::Utf16:
    case Encoding::Utf16Le: return next_utf16(bytes, false);
    case Encoding::Utf16Be: return next_utf16(bytes, true);
    case Encoding::Utf32:
    case Encoding::Utf32Le: return next_utf32(bytes, false);
    case Encoding::Utf32Be: return next_utf32(bytes, true);
    case Encoding::Utf8:
    case Encoding::Utf8Sig: break;
  }
  return next_utf8(bytes);
}

// How many bytes are UTF-8, up to the first that is not.
size_t right_utf8(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const CodePoint c = decode_utf8(bytes, at);
    if (c.value == kInvalidCodePoint) {
      break;
    }
    at += c.size;
  }
  return at;
}

// Where the text begins, behind a mark; the mark says which way round units are.
size_t take_mark(std::string_view bytes, Encoding& encoding) {
  const auto has = [&](std::string_view mark) { return bytes.starts_with(mark); };
  using namespace std::string_view_literals;
  if (encoding == Encoding::Utf8Sig) {
    return has(kUtf8Mark) ? kUtf8Mark.size() : 0;
  }
  if (encoding == Encoding::Utf16) {
    encoding = has("\xfe\xff"sv) ? Encoding::Utf16Be : Encoding::Utf16Le;
    return has("\xfe\xff"sv) || has("\xff\xfe"sv) ? 2 : 0;
  }
  if (encoding == Encoding::Utf32) {
    encoding = has("\0\0\xfe\xff"sv) ? Encoding::Utf32Be : Encoding::Utf32Le;
    return has("\0\0\xfe\xff"sv) || has("\xff\xfe\0\0"sv) ? 4 : 0;
  }
  return 0;
}

// Appends the replacement of undecodable bytes, and returns how many bytes it replaces; 0 under
// "strict". Only bytes beyond ASCII can be escaped.
size_t decode_wrong(std::string_view bytes, std::string_view errors, std::string& text) {
  if (errors == "surrogateescape") {
    size_t count = 0;
    for (; count < bytes.size() && !is_ascii(bytes[count]); count++) {
      append_utf8(text, kEscapedByte + static_cast<unsigned char>(bytes[count]));
    }
    return count;
  }
  if (errors == "strict") {
    return 0;
  }
  if (errors == "replace") {
    append_utf8(text, kReplacement);
  } else if (errors == "backslashreplace") {
    for (const char c : bytes) {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  } else if (errors != "ignore") {
    throw_unknown_handler(errors);
  }
  return bytes.size();
}

// --- Encoding

void append_unit(uint32_t unit, size_t size, bool is_big, std::string& bytes) {
  for (size_t i = 0; i < size; i++) {
    bytes += static_cast<char>(unit >> 8 * (is_big ? size - 1 - i : i) & 0xff);
  }
}

// False where the encoding does not have the character.
bool append_encoded(uint32_t c, Encoding encoding, std::string& bytes) {
  const auto append_utf16 = [&](bool is_big) {
    if (c >= 0x10000) {
      append_unit(kFirstSurrogate + ((c - 0x10000) >> 10), 2, is_big, bytes);
      append_unit(kLowSurrogate + ((c - 0x10000) & 0x3ff), 2, is_big, bytes);
    } else {
      append_unit(c, 2, is_big, bytes);
    }
  };
  switch (encoding) {
    case Encoding::Ascii:
    case Encoding::Latin1:
      if (c >= (encoding == Encoding::Ascii ? 0x80U : 0x100U)) {
        return false;
      }
      bytes += static_cast<char>(c);
      return true;
    case Encoding::Utf8:
    case Encoding::Utf8Sig:
      if (!is_surrogate(c)) {
        append_utf8(bytes, c);
      }
      break;
    case Encoding::Utf16:
    case Encoding::Utf16Le:
      if (!is_surrogate(c)) {
        append_utf16(false);
      }
      break;
    case Encoding::Utf16Be:
      if (!is_surrogate(c)) {
        append_utf16(true);
      }
      break;
    case Encoding::Utf32:
    case Encoding::Utf32Le:
      if (!is_surrogate(c)) {
        append_unit(c, 4, false, bytes);
      }
      break;
    case Encoding::Utf32Be:
      if (!is_surrogate(c)) {
        append_unit(c, 4, true, bytes);
      }
      break;
  }
  return !is_surrogate(c);
}

void append_mark(Encoding encoding, std::string& bytes) {
  if (encoding == Encoding::Utf8Sig) {
    bytes += kUtf8Mark;
  } else if (encoding == Encoding::Utf16) {
    append_unit(0xfeff, 2, false, bytes);
  } else if (encoding == Encoding::Utf32) {
    append_unit(0xfeff, 4, false, bytes);
  }
}

std::string_view encode_reason(Encoding encoding) {
  return encoding == Encoding::Ascii    ? "ordinal not in range(128)"
         : encoding == Encoding::Latin1 ? "ordinal not in range(256)"
                                        : "surrogates not allowed";
}

// Appends the replacement of a character that the encoding does not have; false under "strict".
bool encode_wrong(uint32_t c, Encoding encoding, std::string_view errors, std::string& bytes) {
  std::string instead;
  if (errors == "strict") {
    return false;
  }
  if (errors == "surrogateescape") {
    if (c < kEscapedByte + 0x80 || c >= kEscapedByte + 0x100) {
      return false;
    }
    bytes += static_cast<char>(c - kEscapedByte);
    return true;
  }
  if (errors == "replace") {
    instead = "?";
  } else if (errors == "backslashreplace") {
    instead = escaped(c);
  } else if (errors == "xmlcharrefreplace") {
    instead = fmt::format("&#{};", c);
  } else if (errors != "ignore") {
    throw_unknown_handler(errors);
  }
  for (const char digit : instead) {
    append_encoded(static_cast<unsigned char>(digit), encoding, bytes);
  }
  return true;
}

// All characters in a row that the encoding does not have are one error; those of more than a byte
// report each.
[[noreturn]] void throw_encode_error(std::string_view text, Encoding encoding, size_t begin) {
  const std::vector<uint32_t> characters = characters_of(text);
  const bool joins = extends_ascii(encoding) || encoding == Encoding::Utf8Sig;
  size_t end = begin + 1;
  std::string unused;
  while (joins && end < characters.size() && !append_encoded(characters[end], encoding, unused)) {
    end++;
  }
  throw_unicode_error(ErrorKind::UnicodeEncodeError, encoding, make_string(text), begin, end,
                      encode_reason(encoding));
}

}  // namespace

Encoding find_encoding(std::string_view name) {
  const std::string wanted = normalized(name);
  const auto* found = std::lower_bound(
      std::begin(kNames), std::end(kNames), wanted,
      [](const EncodingName& row, const std::string& text) { return row.name < text; });
  if (found == std::end(kNames) || found->name != wanted) {
    throw_error(ErrorKind::LookupError, "unknown encoding: {}", name);
  }
  return found->encoding;
}

bool extends_ascii(Encoding encoding) {
  return encoding == Encoding::Utf8 || encoding == Encoding::Ascii || encoding == Encoding::Latin1;
}

std::string decode_text(std::string_view bytes, Encoding encoding, std::string_view errors) {
  // The longest prefix of valid UTF-8 is copied as it is.
  const size_t begin = encoding == Encoding::Utf8 ? right_utf8(bytes) : take_mark(bytes, encoding);
  std::string text(encoding == Encoding::Utf8 ? bytes.substr(0, begin) : std::string_view());
  for (size_t at = begin; at < bytes.size();) {
    const Decoded next = next_character(bytes.substr(at), encoding);
    size_t used = next.size;
    if (next.error == nullptr) {
      append_utf8(text, next.value);
    } else {
      used = decode_wrong(bytes.substr(at, next.size), errors, text);
    }
    if (used == 0) {
      throw_unicode_error(ErrorKind::UnicodeDecodeError, encoding, make_bytes(std::string(bytes)),
                          at, at + next.size, next.error);
    }
    at += used;
  }
  return text;
}

std::string encode_text(std::string_view text, Encoding encoding, std::string_view errors) {
  if (encoding == Encoding::Utf8 && right_utf8(text) == text.size()) {
    return std::string(text);
  }
  std::string bytes;
  append_mark(encoding, bytes);
  size_t position = 0;
  for (Utf8Reader reader(text); !reader.at_end(); position++) {
    const uint32_t c = reader.next();
    if (!append_encoded(c, encoding, bytes) && !encode_wrong(c, encoding, errors, bytes)) {
      throw_encode_error(text, encoding, position);
    }
  }
  return bytes;
}

bool unicode_error_text(bool decodes, const TupleObject& args, std::string& text) {
  if (args.size() != 5 || !args[0].is_string() || !args[2].is_int() || !args[3].is_int() ||
      !args[4].is_string()) {
    return false;
  }
  const int64_t begin = args[2].as_int();
  const int64_t end = args[3].as_int();
  const std::string_view verb = decodes ? "decode" : "encode";
  std::string what =
      fmt::format("{} in position {}-{}", decodes ? "bytes" : "characters", begin, end - 1);
  if (end == begin + 1 && decodes && is_object_of(args[1], kBytesType)) {
    const std::string& bytes = args[1].as_object<BytesObject>()->data;
    if (begin >= 0 && static_cast<size_t>(begin) < bytes.size()) {
      what = fmt::format("byte 0x{:02x} in position {}",
                         static_cast<unsigned char>(bytes[static_cast<size_t>(begin)]), begin);
    }
  } else if (end == begin + 1 && !decodes && args[1].is_string()) {
    const std::vector<uint32_t> characters = characters_of(args[1].as_string());
    if (begin >= 0 && static_cast<size_t>(begin) < characters.size()) {
      what = fmt::format("character '{}' in position {}",
                         escaped(characters[static_cast<size_t>(begin)]), begin);
    }
  }
  text = fmt::format("'{}' codec can't {} {}: {}", args[0].as_string(), verb, what,
                     args[4].as_string());
  return true;
}

}  // namespace tsc::interp
