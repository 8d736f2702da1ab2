// Padding, stripping, tabs, and translation by a table.
#include <algorithm>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format_spec.h"
#include "interp/runtime/text/string_methods.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

// --- Padding ---

std::string_view fill_of(const Arguments& arguments) {
  if (arguments.size() <= 2) {
    return " ";
  }
  if (!arguments[2].is_string()) {
    throw_error(ErrorKind::TypeError, "The fill character must be a unicode character, not {}",
                type_name(arguments[2]));
  }
  if (arguments[2].as_string_object()->length() != 1) {
    throw_error(ErrorKind::TypeError, "The fill character must be exactly one character long");
  }
  return arguments[2].as_string();
}

// How many characters are missing to the width that is the first argument.
size_t missing(const Arguments& arguments) {
  const int64_t width = to_index(arguments[1]);
  const auto length = static_cast<int64_t>(self_string(arguments).length());
  return width > length ? static_cast<size_t>(width - length) : 0;
}

IValue pad(const Arguments& arguments, size_t left, size_t right) {
  const std::string_view fill = fill_of(arguments);
  if (left + right == 0) {
    return arguments[0];
  }
  std::string out;
  check_room(left + right, fill.size());
  append_fill(fill, left, out);
  out += self_text(arguments);
  append_fill(fill, right, out);
  return make_string(out);
}

// --- Stripping ---

class StripSet {
 public:
  // None or absent: spaces.
  StripSet(const Arguments& arguments, std::string_view name) {
    if (!has_value(arguments, 1)) {
      return;
    }
    if (!arguments[1].is_string()) {
      throw_error(ErrorKind::TypeError, "{} arg must be None or str", name);
    }
    has_characters_ = true;
    characters_ = arguments[1].as_string();
  }
  bool contains(uint32_t c) const {
    if (!has_characters_) {
      return is_space(c);
    }
    for (Utf8Reader reader(characters_); !reader.at_end();) {
      if (reader.next() == c) {
        return true;
      }
    }
    return false;
  }

 private:
  bool has_characters_ = false;
  std::string_view characters_;
};

IValue strip(const Arguments& arguments, std::string_view name, bool left, bool right) {
  const StripSet set(arguments, name);
  const std::string_view text = self_text(arguments);
  size_t start = 0;
  size_t end = text.size();
  while (left && start < end) {
    throw_if_interrupted();
    Utf8Reader reader(text.substr(start));
    if (!set.contains(reader.next())) {
      break;
    }
    start += reader.position();
  }
  while (right && end > start) {
    throw_if_interrupted();
    size_t at = end - 1;
    while (is_continuation_byte(text[at])) {
      at--;
    }
    if (!set.contains(Utf8Reader(text.substr(at)).next())) {
      break;
    }
    end = at;
  }
  return end - start == text.size() ? arguments[0] : make_string(text.substr(start, end - start));
}

}  // namespace

// The odd one goes to the left where the width is odd, as in CPython.
IValue str_center(Interpreter&, Arguments& arguments) {
  const size_t count = missing(arguments);
  const auto width = static_cast<size_t>(std::max<int64_t>(0, to_index(arguments[1])));
  const size_t left = count / 2 + (count & width & 1);
  return pad(arguments, left, count - left);
}

IValue str_ljust(Interpreter&, Arguments& arguments) {
  return pad(arguments, 0, missing(arguments));
}
IValue str_rjust(Interpreter&, Arguments& arguments) {
  return pad(arguments, missing(arguments), 0);
}

IValue str_zfill(Interpreter&, Arguments& arguments) {
  const size_t count = missing(arguments);
  if (count == 0) {
    return arguments[0];
  }
  check_room(count, 1);
  std::string_view text = self_text(arguments);
  std::string out;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    out += text[0];
    text.remove_prefix(1);
  }
  return make_string(out.append(count, '0').append(text));
}

IValue str_strip(Interpreter&, Arguments& arguments) {
  return strip(arguments, "strip", true, true);
}
IValue str_lstrip(Interpreter&, Arguments& arguments) {
  return strip(arguments, "lstrip", true, false);
}
IValue str_rstrip(Interpreter&, Arguments& arguments) {
  return strip(arguments, "rstrip", false, true);
}

IValue str_expandtabs(Interpreter&, Arguments& arguments) {
  const int64_t size = given(arguments, 1) ? to_index(arguments[1]) : 8;
  std::string out;
  int64_t column = 0;
  for (Utf8Reader reader(self_text(arguments)); !reader.at_end();) {
    const uint32_t c = reader.next();
    if (c == '\t') {
      if (size > 0) {
        const int64_t count = size - column % size;
        check_room(static_cast<size_t>(count), 1);
        out.append(static_cast<size_t>(count), ' ');
        column += count;
      }
      continue;
    }
    column = c == '\n' || c == '\r' ? 0 : column + 1;
    append_utf8(out, c);
  }
  return make_string(out);
}

namespace {

[[noreturn]] void throw_table_item() {
  throw_error(ErrorKind::TypeError, "character mapping must return integer, None or str");
}

void append_translated(const IValue& mapped, std::string& out) {
  if (mapped.is_none()) {
    return;
  }
  if (mapped.is_string()) {
    out += mapped.as_string();
    return;
  }
  if (!mapped.is_int()) {
    throw_table_item();
  }
  if (mapped.as_int() < 0 || mapped.as_int() > 0x10ffff) {
    throw_error(ErrorKind::TypeError, "character mapping must be in range(0x110000)");
  }
  append_utf8(out, static_cast<uint32_t>(mapped.as_int()));
}

}  // namespace

IValue str_translate(Interpreter&, Arguments& arguments) {
  const IValue& table = arguments[1];
  std::string out;
  for (Utf8Reader reader(self_text(arguments)); !reader.at_end();) {
    const uint32_t c = reader.next();
    if (table.tag() == Tag::Dict) {
      if (const IValue* found = as_dict(table)->find(IValue(c))) {
        append_translated(*found, out);
      } else {
        append_utf8(out, c);
      }
      continue;
    }
    if (table.is_string() || table.is_list() || table.is_tuple()) {
      if (static_cast<int64_t>(c) < length_of(table)) {
        append_translated(get_item(table, IValue(c)), out);
      } else {
        append_utf8(out, c);
      }
      continue;
    }
    throw_not_subscriptable(table);
  }
  return make_string(out);
}

IValue str_maketrans(Interpreter&, Arguments& arguments) {
  IValue table = make_dict();
  DictObject& dict = *as_dict(table);
  if (arguments.size() == 1) {
    if (arguments[0].tag() != Tag::Dict) {
      throw_error(ErrorKind::TypeError,
                  "if you give only one argument to maketrans it must be a dict");
    }
    for (const DictObject::Entry& entry : as_dict(arguments[0])->entries()) {
      if (entry.is_removed()) {
        continue;
      }
      if (!entry.key.is_string()) {
        dict.set(entry.key, entry.value);
        continue;
      }
      if (entry.key.as_string_object()->length() != 1) {
        throw_error(ErrorKind::ValueError, "string keys in translate table must be of length 1");
      }
      dict.set(IValue(Utf8Reader(entry.key.as_string()).next()), entry.value);
    }
    return table;
  }
  const std::string_view from = to_text(arguments[0], "maketrans", 1);
  const std::string_view to = to_text(arguments[1], "maketrans", 2);
  if (count_characters(from) != count_characters(to)) {
    throw_error(ErrorKind::ValueError, "the first two maketrans arguments must have equal length");
  }
  Utf8Reader to_reader(to);
  for (Utf8Reader reader(from); !reader.at_end();) {
    const uint32_t c = reader.next();
    dict.set(IValue(c), IValue(to_reader.next()));
  }
  if (arguments.size() > 2) {
    for (Utf8Reader reader(to_text(arguments[2], "maketrans", 3)); !reader.at_end();) {
      dict.set(IValue(reader.next()), IValue());
    }
  }
  return table;
}

}  // namespace tsc::interp
