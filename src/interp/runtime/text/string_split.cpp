// Taking text apart and putting it together.
#include <algorithm>

#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/string_methods.h"
#include "interp/runtime/text/unicode.h"

namespace tsc::interp {

namespace {

using Items = std::vector<IValue>;

// Skips characters from `at` on for which is_space() is `space`.
size_t skip(std::string_view text, size_t at, bool space) {
  while (at < text.size()) {
    throw_if_interrupted();
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) {
      if (is_ascii_space(c) != space) {
        return at;
      }
      at++;
    } else {
      Utf8Reader reader(text.substr(at));
      if (is_space(reader.next()) != space) {
        return at;
      }
      at += reader.position();
    }
  }
  return at;
}

// The same from the right: the byte behind the last character that is not skipped.
size_t skip_back(std::string_view text, size_t end, bool space) {
  while (end > 0) {
    throw_if_interrupted();
    size_t at = end - 1;
    while (at > 0 && is_continuation_byte(text[at])) {
      at--;
    }
    if (is_space(Utf8Reader(text.substr(at)).next()) != space) {
      return end;
    }
    end = at;
  }
  return 0;
}

// Room for the parts of most texts; more grows as vectors do.
constexpr size_t kUsualParts = 12;

Items split_at_spaces(std::string_view text, size_t limit) {
  Items items;
  items.reserve(kUsualParts);
  size_t at = skip(text, 0, true);
  while (at < text.size()) {
    if (items.size() == limit) {
      items.push_back(make_string(text.substr(at)));
      break;
    }
    const size_t end = skip(text, at, false);
    items.push_back(make_string(text.substr(at, end - at)));
    at = skip(text, end, true);
  }
  return items;
}

Items rsplit_at_spaces(std::string_view text, size_t limit) {
  Items items;
  size_t end = skip_back(text, text.size(), true);
  while (end > 0) {
    if (items.size() == limit) {
      items.push_back(make_string(text.substr(0, end)));
      break;
    }
    const size_t start = skip_back(text, end, false);
    items.push_back(make_string(text.substr(start, end - start)));
    end = skip_back(text, start, true);
  }
  std::reverse(items.begin(), items.end());
  return items;
}

Items split_at(std::string_view text, std::string_view separator, size_t limit) {
  Items items;
  items.reserve(kUsualParts);
  size_t at = 0;
  while (items.size() < limit) {
    const size_t found = find_text(text, separator, at);
    if (found == std::string_view::npos) {
      break;
    }
    items.push_back(make_string(text.substr(at, found - at)));
    at = found + separator.size();
  }
  items.push_back(make_string(text.substr(at)));
  return items;
}

Items rsplit_at(std::string_view text, std::string_view separator, size_t limit) {
  Items items;
  while (items.size() < limit) {
    const size_t found = find_text_from_right(text, separator);
    if (found == std::string_view::npos) {
      break;
    }
    items.push_back(make_string(text.substr(found + separator.size())));
    text = text.substr(0, found);
  }
  items.push_back(make_string(text));
  std::reverse(items.begin(), items.end());
  return items;
}

std::string_view checked_separator(const IValue& value) {
  if (!value.is_string()) {
    throw_error(ErrorKind::TypeError, "must be str or None, not {}", type_name(value));
  }
  if (value.as_string().empty()) {
    throw_error(ErrorKind::ValueError, "empty separator");
  }
  return value.as_string();
}

IValue split(const Arguments& arguments, Items (*at_spaces)(std::string_view, size_t),
             Items (*at_text)(std::string_view, std::string_view, size_t)) {
  const int64_t most = given(arguments, 2) ? to_index(arguments[2]) : -1;
  const size_t limit = most < 0 ? SIZE_MAX : static_cast<size_t>(most);
  if (!has_value(arguments, 1)) {
    return make_list(at_spaces(self_text(arguments), limit));
  }
  return make_list(at_text(self_text(arguments), checked_separator(arguments[1]), limit));
}

IValue partition(const Arguments& arguments, bool from_right) {
  const std::string_view text = self_text(arguments);
  to_text(arguments[1]);
  const std::string_view separator = checked_separator(arguments[1]);
  const size_t found =
      from_right ? find_text_from_right(text, separator) : find_text(text, separator);
  if (found == std::string_view::npos) {
    return from_right ? make_tuple({empty_string(), empty_string(), arguments[0]})
                      : make_tuple({arguments[0], empty_string(), empty_string()});
  }
  return make_tuple({make_string(text.substr(0, found)), arguments[1],
                     make_string(text.substr(found + separator.size()))});
}

}  // namespace

IValue str_split(Interpreter&, Arguments& arguments) {
  return split(arguments, split_at_spaces, split_at);
}

IValue str_rsplit(Interpreter&, Arguments& arguments) {
  return split(arguments, rsplit_at_spaces, rsplit_at);
}

IValue str_partition(Interpreter&, Arguments& arguments) { return partition(arguments, false); }
IValue str_rpartition(Interpreter&, Arguments& arguments) { return partition(arguments, true); }

IValue str_splitlines(Interpreter&, Arguments& arguments) {
  const std::string_view text = self_text(arguments);
  const bool keep_ends = given(arguments, 1) && is_true(arguments[1]);
  Items lines;
  size_t start = 0;
  for (Utf8Reader reader(text); !reader.at_end();) {
    const size_t end = reader.position();
    const uint32_t c = reader.next();
    if (!is_line_end(c)) {
      continue;
    }
    if (c == '\r' && !reader.at_end() && text[reader.position()] == '\n') {
      reader.next();
    }
    lines.push_back(make_string(text.substr(start, (keep_ends ? reader.position() : end) - start)));
    start = reader.position();
  }
  if (start < text.size()) {
    lines.push_back(make_string(text.substr(start)));
  }
  return make_list(std::move(lines));
}

IValue str_join(Interpreter&, Arguments& arguments) {
  const IValue& iterable = arguments[1];
  if (type_of(iterable).iterate == nullptr) {
    throw_error(ErrorKind::TypeError, "can only join an iterable");
  }
  Items storage;
  std::span<const IValue> items;
  if (iterable.is_list()) {
    items = iterable.as_list()->items;
  } else if (iterable.is_tuple()) {
    items = {iterable.as_tuple()->items(), iterable.as_tuple()->size()};
  } else {
    storage = items_of(iterable);
    items = storage;
  }
  const StringObject& separator = self_string(arguments);
  size_t size = 0;
  size_t length = 0;
  for (size_t i = 0; i < items.size(); i++) {
    throw_if_interrupted();
    if (!items[i].is_string()) {
      throw_error(ErrorKind::TypeError, "sequence item {}: expected str instance, {} found", i,
                  type_name(items[i]));
    }
    size += items[i].as_string_object()->size();
    length += items[i].as_string_object()->length();
  }
  if (items.size() <= 1) {
    return items.empty() ? empty_string() : items[0];
  }
  size += separator.size() * (items.size() - 1);
  length += separator.length() * (items.size() - 1);
  StringObject* joined = StringObject::make_uninitialized(size);
  IValue result = IValue::adopt(Tag::String, joined);
  char* to = joined->data();
  for (size_t i = 0; i < items.size(); i++) {
    throw_if_interrupted();
    if (i > 0) {
      std::memcpy(to, separator.view().data(), separator.size());
      to += separator.size();
    }
    const std::string_view text = items[i].as_string();
    std::memcpy(to, text.data(), text.size());
    to += text.size();
  }
  joined->finish(length);
  return result;
}

}  // namespace tsc::interp
