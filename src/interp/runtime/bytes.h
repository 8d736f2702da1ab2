// bytes: what str.encode() gives. Small on purpose: the language reads and writes text.
#pragma once

#include <string>

#include "interp/call.h"
#include "interp/runtime/type.h"

namespace tsc::interp {

class BytesObject final : public Object {
 public:
  explicit BytesObject(std::string bytes) : Object(kBytesType), data(std::move(bytes)) {}
  std::string data;
};

inline IValue make_bytes(std::string data) {
  return IValue::adopt(Tag::Object, new BytesObject(std::move(data)));
}
// UnicodeDecodeError where the bytes are not UTF-8.
void check_utf8(std::string_view text);
// As UTF-8; UnicodeDecodeError with Python's message.
IValue decode_bytes(const IValue& bytes);
// str.encode(encoding, errors), self first.
std::string encode_text(const Arguments& arguments);

}  // namespace tsc::interp
