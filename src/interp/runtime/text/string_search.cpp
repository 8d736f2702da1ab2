// Finding text in text.
#include <algorithm>

#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/string_methods.h"
#include "interp/runtime/text/unicode.h"

namespace tsc::interp {

namespace {

// The part of a string that `start` and `end` arguments leave.
struct Part {
  std::string_view text;
  size_t offset;   // of the part's first byte
  bool is_beyond;  // start lies beyond the end, where not even the empty text is found
};

Part part_of(const Arguments& arguments, size_t first) {
  const StringObject& whole = self_string(arguments);
  if (arguments.size() <= first) {
    return {whole.view(), 0, false};
  }
  const bool is_beyond = has_value(arguments, first) &&
                         to_index(arguments[first]) > static_cast<int64_t>(whole.length());
  const Window window = window_of(arguments, first, whole.length());
  if (window.start > window.stop) {
    return {{}, 0, true};
  }
  const size_t start = byte_offset(whole, window.start);
  const size_t stop = byte_offset(whole, window.stop);
  return {whole.view().substr(start, stop - start), start, is_beyond};
}

std::string_view needle_of(const Arguments& arguments) { return to_text(arguments[1]); }

// The code point index of the needle, or -1.
int64_t find_in(const Arguments& arguments, bool from_right) {
  const std::string_view needle = needle_of(arguments);
  const Part part = part_of(arguments, 2);
  if (part.is_beyond) {
    return -1;
  }
  const size_t at = needle.empty() ? (from_right ? part.text.size() : 0)
                    : from_right   ? find_text_from_right(part.text, needle)
                                   : find_text(part.text, needle);
  return at == std::string_view::npos
             ? -1
             : static_cast<int64_t>(character_index(self_string(arguments), part.offset + at));
}

IValue index_in(const Arguments& arguments, bool from_right) {
  const int64_t found = find_in(arguments, from_right);
  if (found < 0) {
    throw_error(ErrorKind::ValueError, "substring not found");
  }
  return found;
}

// startswith() and endswith(), of one text or of any in a tuple.
IValue is_at_end(const Arguments& arguments, std::string_view name,
                 bool (*matches)(std::string_view text, std::string_view affix)) {
  const Part part = part_of(arguments, 2);
  if (arguments[1].is_string()) {
    return !part.is_beyond && matches(part.text, arguments[1].as_string());
  }
  if (!arguments[1].is_tuple()) {
    throw_error(ErrorKind::TypeError, "{} first arg must be str or a tuple of str, not {}", name,
                type_name(arguments[1]));
  }
  for (const IValue& affix : *arguments[1].as_tuple()) {
    if (!affix.is_string()) {
      throw_error(ErrorKind::TypeError, "tuple for {} must only contain str, not {}", name,
                  type_name(affix));
    }
    if (!part.is_beyond && matches(part.text, affix.as_string())) {
      return true;
    }
  }
  return false;
}

size_t count_in(std::string_view text, std::string_view needle) {
  size_t count = 0;
  for (size_t at = find_text(text, needle); at != std::string_view::npos;
       at = find_text(text, needle, at + needle.size())) {
    count++;
  }
  return count;
}

// Puts `fresh` before every character and at the end, as replacing the empty text does.
std::string interleave(std::string_view text, std::string_view fresh, size_t limit) {
  std::string out;
  size_t done = 0;
  size_t at = 0;
  while (at < text.size() && done < limit) {
    throw_if_interrupted();
    out += fresh;
    done++;
    const size_t start = at++;
    while (at < text.size() && is_continuation_byte(text[at])) {
      at++;
    }
    out += text.substr(start, at - start);
  }
  if (done < limit) {
    out += fresh;
  }
  return out += text.substr(at);
}

}  // namespace

IValue str_count(Interpreter&, Arguments& arguments) {
  const std::string_view needle = needle_of(arguments);
  const Part part = part_of(arguments, 2);
  if (part.is_beyond) {
    return 0;
  }
  return needle.empty() ? count_characters(part.text) + 1 : count_in(part.text, needle);
}

IValue str_find(Interpreter&, Arguments& arguments) { return find_in(arguments, false); }
IValue str_rfind(Interpreter&, Arguments& arguments) { return find_in(arguments, true); }
IValue str_index(Interpreter&, Arguments& arguments) { return index_in(arguments, false); }
IValue str_rindex(Interpreter&, Arguments& arguments) { return index_in(arguments, true); }

IValue str_startswith(Interpreter&, Arguments& arguments) {
  return is_at_end(arguments, "startswith", [](std::string_view text, std::string_view affix) {
    return text.starts_with(affix);
  });
}

IValue str_endswith(Interpreter&, Arguments& arguments) {
  return is_at_end(arguments, "endswith", [](std::string_view text, std::string_view affix) {
    return text.ends_with(affix);
  });
}

IValue str_removeprefix(Interpreter&, Arguments& arguments) {
  const std::string_view text = self_text(arguments);
  const std::string_view prefix = to_text(arguments[1], "removeprefix", 0);
  return text.starts_with(prefix) && !prefix.empty() ? make_string(text.substr(prefix.size()))
                                                     : arguments[0];
}

IValue str_removesuffix(Interpreter&, Arguments& arguments) {
  const std::string_view text = self_text(arguments);
  const std::string_view suffix = to_text(arguments[1], "removesuffix", 0);
  return text.ends_with(suffix) && !suffix.empty()
             ? make_string(text.substr(0, text.size() - suffix.size()))
             : arguments[0];
}

IValue str_replace(Interpreter&, Arguments& arguments) {
  const std::string_view text = self_text(arguments);
  const std::string_view old = to_text(arguments[1], "replace", 1);
  const std::string_view fresh = to_text(arguments[2], "replace", 2);
  const int64_t count = arguments.size() > 3 ? to_index(arguments[3]) : -1;
  const size_t limit = count < 0 ? SIZE_MAX : static_cast<size_t>(count);
  if (old.empty()) {
    return make_string(interleave(text, fresh, limit));
  }
  size_t at = limit == 0 ? std::string_view::npos : find_text(text, old);
  if (at == std::string_view::npos) {
    return arguments[0];
  }
  if (old.size() == 1 && fresh.size() == 1 && limit == SIZE_MAX) {
    StringObject* out = StringObject::make_uninitialized(text.size());
    std::replace_copy(text.begin(), text.end(), out->data(), old[0], fresh[0]);
    out->finish(self_string(arguments).length());
    return IValue::adopt(Tag::String, out);
  }
  const size_t times = std::min(limit, count_in(text.substr(at), old));
  const size_t size = text.size() - times * old.size() + times * fresh.size();
  StringObject* out = StringObject::make_uninitialized(size);
  IValue result = IValue::adopt(Tag::String, out);
  char* to = out->data();
  size_t from = 0;
  for (size_t i = 0; i < times; i++, at = find_text(text, old, from)) {
    to = std::copy(text.begin() + from, text.begin() + at, to);
    to = std::copy(fresh.begin(), fresh.end(), to);
    from = at + old.size();
  }
  std::copy(text.begin() + from, text.end(), to);
  out->finish();
  return result;
}

}  // namespace tsc::interp
