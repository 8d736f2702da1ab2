// The class str.
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/bytes.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format.h"
#include "interp/runtime/text/string_methods.h"
#include "interp/runtime/text/unicode.h"

namespace tsc::interp {

namespace {

IValue construct_str(Interpreter&, Arguments& arguments) {
  if (!given(arguments, 0)) {
    return empty_string();
  }
  if (is_object_of(arguments[0], kBytesType) && arguments.size() > 1) {
    return decode_argument(arguments, "str");
  }
  if (arguments.size() > 1) {
    TSC_CHECK_TYPE(!arguments[0].is_string(), "decoding str is not supported");
    throw_error(ErrorKind::TypeError, "decoding to str: need a bytes-like object, {} found",
                type_name(arguments[0]));
  }
  return str_value(arguments[0]);
}

IValue str_format_method(Interpreter&, Arguments& arguments) {
  Arguments values = arguments;
  values.values++;
  values.positional--;
  return make_string(string_format(self_text(arguments), values));
}

IValue str_format_map_method(Interpreter&, Arguments& arguments) {
  return make_string(string_format_map(self_text(arguments), arguments[1]));
}

IValue str_encode(Interpreter&, Arguments& arguments) {
  return make_bytes(encode_argument(arguments, "encode"));
}

void repr_string(const IValue& self, std::string& out) {
  append_string_repr(self.as_string(), out);
}

void str_of_string(const IValue& self, std::string& out) { out += self.as_string(); }

void format_string_value(const IValue& self, std::string_view spec, std::string& out) {
  format_string(self.as_string(), spec, out);
}

int64_t string_length(const IValue& self) {
  return static_cast<int64_t>(self.as_string_object()->length());
}

// The characters from start on, `step` apart, `count` of them.
IValue slice_string(const StringObject& text, const SliceBounds& bounds) {
  const auto start = static_cast<size_t>(bounds.start);
  const auto count = static_cast<size_t>(bounds.count);
  if (count == 0) {
    return empty_string();
  }
  if (bounds.step == 1) {
    const size_t first = byte_offset(text, start);
    const std::string_view tail = text.view().substr(first);
    if (text.is_ascii()) {
      return make_string(tail.substr(0, count));
    }
    const size_t last = byte_offset(text, start + count);
    return make_string(text.view().substr(first, last - first));
  }
  std::string out;
  if (text.is_ascii()) {
    out.reserve(count);
    for (int64_t i = 0; i < bounds.count; i++) {
      throw_if_interrupted();
      out += text.view()[static_cast<size_t>(bounds.start + i * bounds.step)];
    }
    return make_string(out);
  }
  std::vector<size_t> offsets;
  offsets.reserve(text.length() + 1);
  for (Utf8Reader reader(text.view()); !reader.at_end(); reader.next()) {
    offsets.push_back(reader.position());
  }
  offsets.push_back(text.size());
  for (int64_t i = 0; i < bounds.count; i++) {
    throw_if_interrupted();
    const auto at = static_cast<size_t>(bounds.start + i * bounds.step);
    out += text.view().substr(offsets[at], offsets[at + 1] - offsets[at]);
  }
  return make_string(out);
}

IValue string_get_item(const IValue& self, const IValue& key) {
  const StringObject& text = *self.as_string_object();
  if (!is_slice(key)) {
    return string_item(text, sequence_index(key, text.length(), "string"));
  }
  const SliceBounds bounds = bounds_of(key, text.length());
  return bounds.step == 1 && bounds.count == static_cast<int64_t>(text.length())
             ? self
             : slice_string(text, bounds);
}

bool string_contains(const IValue& self, const IValue& item) {
  if (!item.is_string()) {
    throw_error(ErrorKind::TypeError, "'in <string>' requires string as left operand, not {}",
                type_name(item));
  }
  const std::string_view text = self.as_string();
  const std::string_view part = item.as_string();
  return part.empty() || (part.size() == 1 && text.size() <= size_t{1} << 20
                              ? text.find(part[0])
                              : find_text(text, part)) != std::string_view::npos;
}

IValue repeat_string(const IValue& value, int64_t count) {
  const StringObject& text = *value.as_string_object();
  const size_t times = repeat_count(count, text.size());
  if (times == 0 || text.size() == 0) {
    return empty_string();
  }
  if (times == 1) {
    return value;
  }
  StringObject* repeated = StringObject::make_uninitialized(text.size() * times);
  IValue result = IValue::adopt(Tag::String, repeated);
  if (text.size() == 1) {
    for_pieces(static_cast<int64_t>(times), [&](int64_t begin, int64_t end) {
      std::memset(repeated->data() + begin, text.view()[0], static_cast<size_t>(end - begin));
    });
  } else {
    for (size_t i = 0; i < times; i++) {
      throw_if_interrupted();
      std::memcpy(repeated->data() + i * text.size(), text.view().data(), text.size());
    }
  }
  repeated->finish(text.length() * times);
  return result;
}

bool string_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op == BinaryOp::Add && left.is_string() && right.is_string()) {
    result = concatenate(left, right);
    return true;
  }
  if (op == BinaryOp::Multiply) {
    const IValue& count = left.is_string() ? right : left;
    if (!count.is_int() && !count.is_bool()) {
      return false;
    }
    result = repeat_string(left.is_string() ? left : right, count.as_int());
    return true;
  }
  if (op == BinaryOp::Modulo && left.is_string()) {
    result = make_string(percent_format(left.as_string(), right));
    return true;
  }
  return false;
}

bool string_inplace(BinaryOp op, IValue& target, const IValue& value) {
  if (op != BinaryOp::Add || !value.is_string()) {
    return false;
  }
  append_in_place(target, value);
  return true;
}

class StringIterator final : public Object {
 public:
  explicit StringIterator(IValue string) : Object(kStringIteratorType), text(std::move(string)) {}
  TSC_USE_FREE_LIST(StringIterator)
  IValue text;
  size_t position = 0;
};

IValue iterate_string(const IValue& self) {
  return IValue::adopt(Tag::Object, new StringIterator(self));
}

bool next_character(const IValue& self, IValue& result) {
  auto& iterator = *self.as_object<StringIterator>();
  const std::string_view text = iterator.text.as_string();
  if (iterator.position >= text.size()) {
    return false;
  }
  Utf8Reader reader(text.substr(iterator.position));
  result = character_string(reader.next());
  iterator.position += reader.position();
  return true;
}

constexpr BuiltinDef kConstructor = {"str", construct_str, 0, 3, "object encoding errors"};

constexpr BuiltinDef kMethods[] = {
    {"capitalize", str_capitalize, 0, 0, {}, "str"},
    {"casefold", str_casefold, 0, 0, {}, "str"},
    {"center", str_center, 1, 2, {}, "str"},
    {"count", str_count, 1, 3, {}, "str"},
    {"encode", str_encode, 0, 2, "encoding errors", "str"},
    {"endswith", str_endswith, 1, 3, {}, "str"},
    {"expandtabs", str_expandtabs, 0, 1, "tabsize", "str"},
    {"find", str_find, 1, 3, {}, "str"},
    {"format", str_format_method, 0, BuiltinDef::kAny, {}, "str", true},
    {"format_map", str_format_map_method, 1, 1, {}, "str"},
    {"index", str_index, 1, 3, {}, "str"},
    {"isalnum", str_isalnum, 0, 0, {}, "str"},
    {"isalpha", str_isalpha, 0, 0, {}, "str"},
    {"isascii", str_isascii, 0, 0, {}, "str"},
    {"isdecimal", str_isdecimal, 0, 0, {}, "str"},
    {"isdigit", str_isdigit, 0, 0, {}, "str"},
    {"isidentifier", str_isidentifier, 0, 0, {}, "str"},
    {"islower", str_islower, 0, 0, {}, "str"},
    {"isnumeric", str_isnumeric, 0, 0, {}, "str"},
    {"isprintable", str_isprintable, 0, 0, {}, "str"},
    {"isspace", str_isspace, 0, 0, {}, "str"},
    {"istitle", str_istitle, 0, 0, {}, "str"},
    {"isupper", str_isupper, 0, 0, {}, "str"},
    {"join", str_join, 1, 1, {}, "str"},
    {"ljust", str_ljust, 1, 2, {}, "str"},
    {"lower", str_lower, 0, 0, {}, "str"},
    {"lstrip", str_lstrip, 0, 1, {}, "str"},
    {"partition", str_partition, 1, 1, {}, "str"},
    {"removeprefix", str_removeprefix, 1, 1, {}, "str"},
    {"removesuffix", str_removesuffix, 1, 1, {}, "str"},
    {"replace", str_replace, 2, 3, {}, "str"},
    {"rfind", str_rfind, 1, 3, {}, "str"},
    {"rindex", str_rindex, 1, 3, {}, "str"},
    {"rjust", str_rjust, 1, 2, {}, "str"},
    {"rpartition", str_rpartition, 1, 1, {}, "str"},
    {"rsplit", str_rsplit, 0, 2, "sep maxsplit", "str"},
    {"rstrip", str_rstrip, 0, 1, {}, "str"},
    {"split", str_split, 0, 2, "sep maxsplit", "str"},
    {"splitlines", str_splitlines, 0, 1, "keepends", "str"},
    {"startswith", str_startswith, 1, 3, {}, "str"},
    {"strip", str_strip, 0, 1, {}, "str"},
    {"swapcase", str_swapcase, 0, 0, {}, "str"},
    {"title", str_title, 0, 0, {}, "str"},
    {"translate", str_translate, 1, 1, {}, "str"},
    {"upper", str_upper, 0, 0, {}, "str"},
    {"zfill", str_zfill, 1, 1, {}, "str"},
};

constexpr BuiltinDef kStatics[] = {{"maketrans", str_maketrans, 1, 3}};

}  // namespace

constinit const Type kStringType = {
    .name = "str",
    .methods = kMethods,
    .statics = kStatics,
    .constructor = &kConstructor,
    .repr = repr_string,
    .str = str_of_string,
    .format = format_string_value,
    .hash = hash_of,
    .length = string_length,
    .iterate = iterate_string,
    .get_item = string_get_item,
    .contains = string_contains,
    .binary = string_binary,
    .inplace = string_inplace,
};
constinit const Type kStringIteratorType = {
    .name = "str_iterator", .iterate = iterator_itself, .next = next_character};

}  // namespace tsc::interp
