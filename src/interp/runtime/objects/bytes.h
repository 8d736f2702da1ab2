// bytes: the result of str.encode(). Few operations, since the language reads and writes text.
#pragma once

#include <string>

#include "interp/runtime/call.h"
#include "interp/runtime/objects/type.h"
#include "interp/runtime/text/codecs.h"

namespace tsc::interp {

class BytesObject final : public Object {
 public:
  explicit BytesObject(std::string bytes) : Object(kBytesType), data(std::move(bytes)) {}
  std::string data;
};

inline IValue make_bytes(std::string data) {
  return IValue::adopt(Tag::Object, new BytesObject(std::move(data)));
}
// decode(encoding, errors) and encode(encoding, errors) with self first, which is a bytes or a str;
// `function` is the name in messages.
IValue decode_argument(const Arguments& arguments, std::string_view function);
std::string encode_argument(const Arguments& arguments, std::string_view function);
// The encoding behind self; UTF-8 where it was not given.
Encoding encoding_argument(const Arguments& arguments, std::string_view function);

}  // namespace tsc::interp
