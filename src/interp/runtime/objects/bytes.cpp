#include "interp/runtime/objects/bytes.h"

#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/string_methods.h"

namespace tsc::interp {

namespace {

const std::string& data_of(const IValue& value) { return value.as_object<BytesObject>()->data; }

char byte_of(const IValue& value) {
  const int64_t byte = to_index(value);
  if (byte < 0 || byte > 255) {
    throw_error(ErrorKind::ValueError, "bytes must be in range(0, 256)");
  }
  return static_cast<char>(byte);
}

IValue construct_bytes(Interpreter&, Arguments& arguments) {
  if (!given(arguments, 0)) {
    return make_bytes({});
  }
  const IValue& source = arguments[0];
  if (source.is_string()) {
    if (!given(arguments, 1)) {
      throw_error(ErrorKind::TypeError, "string argument without an encoding");
    }
    return make_bytes(encode_argument(arguments, "bytes"));
  }
  TSC_CHECK_TYPE(arguments.size() == 1, "encoding without a string argument");
  if (is_object_of(source, kBytesType)) {
    return source;
  }
  if (source.is_int() || source.is_bool()) {
    if (source.as_int() < 0) {
      throw_error(ErrorKind::ValueError, "negative count");
    }
    return make_bytes(std::string(repeat_count(source.as_int(), 1), '\0'));
  }
  if (type_of(source).iterate == nullptr) {
    throw_error(ErrorKind::TypeError, "cannot convert '{}' object to bytes", type_name(source));
  }
  std::string data;
  for_each_item(source, [&](const IValue& item) {
    data += byte_of(item);
    return true;
  });
  return make_bytes(std::move(data));
}

IValue bytes_decode(Interpreter&, Arguments& arguments) {
  return decode_argument(arguments, "decode");
}

IValue bytes_hex(Interpreter&, Arguments& arguments) {
  std::string out;
  for (const char c : data_of(arguments[0])) {
    throw_if_interrupted();
    out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return out;
}

void repr_bytes(const IValue& self, std::string& out) {
  const std::string& data = data_of(self);
  const bool use_double =
      data.find('\'') != std::string::npos && data.find('"') == std::string::npos;
  const char quote = use_double ? '"' : '\'';
  out += 'b';
  out += quote;
  for (const char c : data) {
    throw_if_interrupted();
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c >= 32 && c < 127) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  out += quote;
}

int64_t hash_bytes(const IValue& self) { return hash_of(IValue(std::string_view(data_of(self)))); }
int64_t bytes_length(const IValue& self) { return static_cast<int64_t>(data_of(self).size()); }

IValue bytes_get_item(const IValue& self, const IValue& key) {
  const std::string& data = data_of(self);
  if (!is_slice(key)) {
    return static_cast<unsigned char>(data[sequence_index(key, data.size(), "byte")]);
  }
  const SliceBounds bounds = bounds_of(key, data.size());
  std::string taken;
  for (int64_t i = 0; i < bounds.count; i++) {
    throw_if_interrupted();
    taken += data[static_cast<size_t>(bounds.start + i * bounds.step)];
  }
  return make_bytes(std::move(taken));
}

bool bytes_contains(const IValue& self, const IValue& item) {
  if (is_object_of(item, kBytesType)) {
    return data_of(item).empty() ||
           find_text(data_of(self), data_of(item)) != std::string_view::npos;
  }
  return data_of(self).find(byte_of(item)) != std::string::npos;
}

bool bytes_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op == BinaryOp::Add && is_object_of(left, kBytesType) && is_object_of(right, kBytesType)) {
    result = make_bytes(data_of(left) + data_of(right));
    return true;
  }
  if (op == BinaryOp::Multiply) {
    const bool is_left = is_object_of(left, kBytesType);
    const IValue& count = is_left ? right : left;
    const std::string& data = data_of(is_left ? left : right);
    if (!count.is_int() && !count.is_bool()) {
      return false;
    }
    std::string repeated;
    for (size_t i = repeat_count(to_index(count), data.size()); i > 0; i--) {
      throw_if_interrupted();
      repeated += data;
    }
    result = make_bytes(std::move(repeated));
    return true;
  }
  return false;
}

bool compare_bytes(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_object_of(right, kBytesType)) {
    return false;
  }
  result = compare_op(op, IValue(data_of(left).compare(data_of(right))), IValue(0));
  return true;
}

std::string_view codec_argument(const IValue& value, std::string_view function,
                                std::string_view name) {
  TSC_CHECK_TYPE(value.is_string(), "{}() argument '{}' must be str, not {}", function, name,
                 value.is_none() ? "None" : type_name(value));
  return value.as_string();
}

constexpr BuiltinDef kConstructor = {"bytes", construct_bytes, 0, 3, "source encoding errors"};
constexpr BuiltinDef kMethods[] = {
    {"decode", bytes_decode, 0, 2, "encoding errors", "bytes"},
    {"hex", bytes_hex, 0, 0, {}, "bytes"},
};

std::string_view errors_argument(const Arguments& arguments, std::string_view function) {
  return given(arguments, 2) ? codec_argument(arguments[2], function, "errors") : "strict";
}

}  // namespace

Encoding encoding_argument(const Arguments& arguments, std::string_view function) {
  return given(arguments, 1) ? find_encoding(codec_argument(arguments[1], function, "encoding"))
                             : Encoding::Utf8;
}

IValue decode_argument(const Arguments& arguments, std::string_view function) {
  const Encoding encoding = encoding_argument(arguments, function);
  return make_string(
      decode_text(data_of(arguments[0]), encoding, errors_argument(arguments, function)));
}

std::string encode_argument(const Arguments& arguments, std::string_view function) {
  const Encoding encoding = encoding_argument(arguments, function);
  return encode_text(arguments[0].as_string(), encoding, errors_argument(arguments, function));
}

constinit const Type kBytesType = {
    .name = "bytes",
    .methods = kMethods,
    .constructor = &kConstructor,
    .repr = repr_bytes,
    .hash = hash_bytes,
    .length = bytes_length,
    .iterate = iterate_by_number,
    .get_item = bytes_get_item,
    .contains = bytes_contains,
    .binary = bytes_binary,
    .compare = compare_bytes,
};

}  // namespace tsc::interp
