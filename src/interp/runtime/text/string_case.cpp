// Upper and lower case, and tests of a text's characters.
#include <algorithm>

#include "core/system/interrupt.h"
#include "interp/runtime/text/string_methods.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

template <class Convert>
IValue map_ascii(const StringObject& text, const Convert& convert) {
  StringObject* mapped = StringObject::make_uninitialized(text.size());
  IValue result = IValue::adopt(Tag::String, mapped);
  const std::string_view from = text.view();
  for_pieces(static_cast<int64_t>(from.size()), [&](int64_t begin, int64_t end) {
    std::transform(from.begin() + begin, from.begin() + end, mapped->data() + begin, convert);
  });
  mapped->finish(text.size());
  return result;
}

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

// `append(characters, i, out)` for each character.
template <class Append>
IValue map_characters(std::string_view text, const Append& append) {
  const std::vector<uint32_t> characters = characters_of(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < characters.size(); i++) {
    throw_if_interrupted();
    append(characters, i, out);
  }
  return make_string(out);
}

using Characters = std::vector<uint32_t>;

// Whether there are characters, and the test holds for each of them.
template <class Test>
IValue all_characters(const Arguments& arguments, const Test& test) {
  const std::string_view text = self_text(arguments);
  for (Utf8Reader reader(text); !reader.at_end();) {
    if (!test(reader.next())) {
      return false;
    }
  }
  return !text.empty();
}

}  // namespace

IValue str_lower(Interpreter&, Arguments& arguments) {
  const StringObject& text = self_string(arguments);
  return text.is_ascii() ? map_ascii(text, ascii_lower)
                         : map_characters(text.view(), append_lower_at);
}

IValue str_upper(Interpreter&, Arguments& arguments) {
  const StringObject& text = self_string(arguments);
  return text.is_ascii()
             ? map_ascii(text, ascii_upper)
             : map_characters(text.view(), [](const Characters& from, size_t i, std::string& out) {
                 append_upper(from[i], out);
               });
}

IValue str_casefold(Interpreter&, Arguments& arguments) {
  return map_characters(
      self_text(arguments),
      [](const Characters& from, size_t i, std::string& out) { append_folded(from[i], out); });
}

IValue str_swapcase(Interpreter&, Arguments& arguments) {
  return map_characters(self_text(arguments),
                        [](const Characters& from, size_t i, std::string& out) {
                          if (is_uppercase(from[i])) {
                            append_lower_at(from, i, out);
                          } else if (is_lowercase(from[i])) {
                            append_upper(from[i], out);
                          } else {
                            append_utf8(out, from[i]);
                          }
                        });
}

IValue str_capitalize(Interpreter&, Arguments& arguments) {
  return map_characters(self_text(arguments),
                        [](const Characters& from, size_t i, std::string& out) {
                          if (i == 0) {
                            append_title(from[i], out);
                          } else {
                            append_lower_at(from, i, out);
                          }
                        });
}

IValue str_title(Interpreter&, Arguments& arguments) {
  bool is_inside = false;
  return map_characters(
      self_text(arguments), [&](const Characters& from, size_t i, std::string& out) {
        if (is_inside) {
          append_lower_at(from, i, out);
        } else {
          append_title(from[i], out);
        }
        is_inside = is_lowercase(from[i]) || is_uppercase(from[i]) || is_titlecase(from[i]);
      });
}

IValue str_isalnum(Interpreter&, Arguments& arguments) {
  return all_characters(arguments, [](uint32_t c) { return is_alphabetic(c) || is_numeric(c); });
}

IValue str_isalpha(Interpreter&, Arguments& arguments) {
  return all_characters(arguments, is_alphabetic);
}

IValue str_isascii(Interpreter&, Arguments& arguments) { return self_string(arguments).is_ascii(); }

IValue str_isdecimal(Interpreter&, Arguments& arguments) {
  return all_characters(arguments, is_decimal);
}

IValue str_isdigit(Interpreter&, Arguments& arguments) {
  return all_characters(arguments, is_digit_character);
}

IValue str_isnumeric(Interpreter&, Arguments& arguments) {
  return all_characters(arguments, is_numeric);
}

IValue str_isspace(Interpreter&, Arguments& arguments) {
  return all_characters(arguments, is_space);
}

IValue str_isprintable(Interpreter&, Arguments& arguments) {
  const bool is_empty = self_text(arguments).empty();
  return is_empty ? IValue(true) : all_characters(arguments, [](uint32_t c) {
    return c < 0x80 ? c >= 0x20 && c != 0x7f : is_printable(c);
  });
}

IValue str_isidentifier(Interpreter&, Arguments& arguments) {
  bool is_first = true;
  return all_characters(arguments, [&](uint32_t c) {
    const bool fits = is_first ? is_name_start(c) : is_name_continue(c);
    is_first = false;
    return fits;
  });
}

IValue str_islower(Interpreter&, Arguments& arguments) {
  bool has_cased = false;
  for (Utf8Reader reader(self_text(arguments)); !reader.at_end();) {
    const uint32_t c = reader.next();
    if (is_uppercase(c) || is_titlecase(c)) {
      return false;
    }
    has_cased |= is_lowercase(c);
  }
  return has_cased;
}

IValue str_isupper(Interpreter&, Arguments& arguments) {
  bool has_cased = false;
  for (Utf8Reader reader(self_text(arguments)); !reader.at_end();) {
    const uint32_t c = reader.next();
    if (is_lowercase(c) || is_titlecase(c)) {
      return false;
    }
    has_cased |= is_uppercase(c);
  }
  return has_cased;
}

IValue str_istitle(Interpreter&, Arguments& arguments) {
  bool has_cased = false;
  bool is_inside = false;
  for (Utf8Reader reader(self_text(arguments)); !reader.at_end();) {
    const uint32_t c = reader.next();
    const bool begins = is_uppercase(c) || is_titlecase(c);
    if (begins ? is_inside : is_lowercase(c) && !is_inside) {
      return false;
    }
    is_inside = begins || is_lowercase(c);
    has_cased |= is_inside;
  }
  return has_cased;
}

}  // namespace tsc::interp
