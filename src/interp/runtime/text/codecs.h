// Text as bytes, and bytes as text: the encodings of str.encode(), bytes.decode() and open(), with
// CPython's errors.
//
// Texts are UTF-8 inside. A lone surrogate, as chr(0xd800) or errors="surrogateescape" gives it, is
// the three bytes that UTF-8 would have for it.
#pragma once

#include <string>
#include <string_view>

#include "dispatch/ivalue.h"

namespace tsc::interp {

enum class Encoding : uint8_t {
  Utf8,
  Utf8Sig,  // with a mark at the beginning
  Ascii,
  Latin1,
  Utf16,  // with a mark that says which way round
  Utf16Le,
  Utf16Be,
  Utf32,
  Utf32Le,
  Utf32Be,
};

// Finds an encoding by any of Python's names; LookupError where there is none.
Encoding find_encoding(std::string_view name);
// Whether a byte below 0x80 always stands for the ASCII character.
bool extends_ascii(Encoding encoding);

// UnicodeDecodeError, UnicodeEncodeError, or the handling named by `errors`: strict, ignore,
// replace, backslashreplace, surrogateescape, and xmlcharrefreplace for encoding. LookupError for
// another name, when it is needed.
std::string decode_text(std::string_view bytes, Encoding encoding, std::string_view errors);
std::string encode_text(std::string_view text, Encoding encoding, std::string_view errors);

// str() of an error with Python's five arguments; false for other arguments.
bool unicode_error_text(bool decodes, const TupleObject& args, std::string& text);

}  // namespace tsc::interp
