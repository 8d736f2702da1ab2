// str.format and str.format_map.
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format.h"
#include "interp/runtime/text/format_spec.h"

namespace tsc::interp {

namespace {

// Where replacement fields find their values.
class Fields {
 public:
  virtual IValue positional(size_t index) = 0;
  virtual IValue named(std::string_view name) = 0;

 protected:
  ~Fields() = default;
};

class ArgumentFields final : public Fields {
 public:
  explicit ArgumentFields(const Arguments& arguments) : arguments_(arguments) {}
  IValue positional(size_t index) override {
    if (index >= arguments_.positional) {
      throw_error(ErrorKind::IndexError,
                  "Replacement index {} out of range for positional args tuple", index);
    }
    return arguments_[index];
  }
  IValue named(std::string_view name) override {
    for (size_t i = 0; i < arguments_.keywords; i++) {
      if (arguments_.names[i]->view() == name) {
        return arguments_[arguments_.positional + i];
      }
    }
    throw_key_error(IValue(name));
  }

 private:
  const Arguments& arguments_;
};

class MappingFields final : public Fields {
 public:
  explicit MappingFields(const IValue& mapping) : mapping_(mapping) {}
  IValue positional(size_t) override {
    throw_error(ErrorKind::ValueError, "Format string contains positional fields");
  }
  IValue named(std::string_view name) override { return get_item(mapping_, IValue(name)); }

 private:
  const IValue& mapping_;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

size_t parse_index(std::string_view text) {
  size_t index = 0;
  for (const char c : text) {
    index = index * 10 + static_cast<size_t>(c - '0');
    if (index > INT32_MAX) {
      throw_too_many_digits();
    }
  }
  return index;
}

class Formatter {
 public:
  explicit Formatter(Fields& fields) : fields_(fields) {}

  // `depth` is how far fields may still nest: a spec may hold fields, theirs may not.
  std::string format(std::string_view text, int depth) {
    if (depth < 0) {
      throw_error(ErrorKind::ValueError, "Max string recursion exceeded");
    }
    std::string out;
    size_t at = 0;
    while (at < text.size()) {
      const size_t brace = text.find_first_of("{}", at);
      out += text.substr(at, brace - at);
      if (brace == std::string_view::npos) {
        break;
      }
      const bool is_double = brace + 1 < text.size() && text[brace + 1] == text[brace];
      if (is_double) {
        out += text[brace];
        at = brace + 2;
      } else if (text[brace] == '}') {
        throw_single_brace('}');
      } else {
        at = format_field(text, brace + 1, depth, out);
      }
    }
    return out;
  }

 private:
  [[noreturn]] static void throw_single_brace(char brace) {
    throw_error(ErrorKind::ValueError, "Single '{}' encountered in format string", brace);
  }
  [[noreturn]] static void throw_no_end() {
    throw_error(ErrorKind::ValueError, "expected '}}' before end of string");
  }
  [[noreturn]] static void throw_unmatched() {
    throw_error(ErrorKind::ValueError, "unmatched '{{' in format spec");
  }

  // The field that begins at `at`, behind its brace; returns where the text goes on.
  size_t format_field(std::string_view text, size_t at, int depth, std::string& out) {
    if (at >= text.size()) {
      throw_single_brace('{');
    }
    const size_t name_end = find_name_end(text, at);
    const std::string_view name = text.substr(at, name_end - at);
    char conversion = 0;
    size_t end = name_end;
    if (text[end] == '!') {
      if (end + 2 >= text.size()) {
        throw_unmatched();
      }
      conversion = text[end + 1];
      end += 2;
      if (text[end] != ':' && text[end] != '}') {
        throw_error(ErrorKind::ValueError, "expected ':' after conversion specifier");
      }
    }
    std::string_view spec;
    if (text[end] == ':') {
      const size_t start = end + 1;
      end = find_spec_end(text, start);
      spec = text.substr(start, end - start);
    }
    const IValue value = look_up(name);
    if (conversion != 0 && conversion != 's' && conversion != 'r' && conversion != 'a') {
      throw_error(ErrorKind::ValueError, "Unknown conversion specifier {}", conversion);
    }
    const std::string expanded = spec.find_first_of("{}") != std::string_view::npos
                                     ? format(spec, depth - 1)
                                     : std::string(spec);
    append_formatted(value, conversion, expanded, out);
    return end + 1;
  }

  // Names end at `!`, `:` or the brace; inside brackets anything goes.
  static size_t find_name_end(std::string_view text, size_t at) {
    bool in_brackets = false;
    for (; at < text.size(); at++) {
      const char c = text[at];
      if (c == '[') {
        in_brackets = true;
      } else if (c == ']') {
        in_brackets = false;
      } else if (!in_brackets && (c == '!' || c == ':' || c == '}')) {
        return at;
      } else if (!in_brackets && c == '{') {
        throw_error(ErrorKind::ValueError, "unexpected '{{' in field name");
      }
    }
    throw_no_end();
  }

  static size_t find_spec_end(std::string_view text, size_t at) {
    int depth = 0;
    for (; at < text.size(); at++) {
      if (text[at] == '{') {
        depth++;
      } else if (text[at] == '}' && depth-- == 0) {
        return at;
      }
    }
    throw_unmatched();
  }

  IValue look_up(std::string_view name) {
    const size_t first_end = std::min(name.find_first_of(".["), name.size());
    const std::string_view first = name.substr(0, first_end);
    IValue value;
    if (first.empty()) {
      switch_numbering(true);
      value = fields_.positional(next_index_++);
    } else if (is_number(first)) {
      switch_numbering(false);
      value = fields_.positional(parse_index(first));
    } else {
      value = fields_.named(first);
    }
    return follow(value, name.substr(first_end));
  }

  static IValue follow(IValue value, std::string_view path) {
    const auto check_not_empty = [](std::string_view part) {
      if (part.empty()) {
        throw_error(ErrorKind::ValueError, "Empty attribute in format string");
      }
    };
    while (!path.empty()) {
      if (path[0] == '.') {
        const size_t end = std::min(path.find_first_of(".[", 1), path.size());
        const std::string_view name = path.substr(1, end - 1);
        check_not_empty(name);
        value = get_attribute(value, name);
        path.remove_prefix(end);
      } else if (path[0] == '[') {
        const size_t end = path.find(']');
        if (end == std::string_view::npos) {
          throw_error(ErrorKind::ValueError, "Missing ']' in format string");
        }
        const std::string_view key = path.substr(1, end - 1);
        check_not_empty(key);
        value = get_item(value, is_number(key) ? IValue(parse_index(key)) : IValue(key));
        path.remove_prefix(end + 1);
      } else {
        throw_error(ErrorKind::ValueError,
                    "Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }

  void switch_numbering(bool automatic) {
    const Numbering wanted = automatic ? Numbering::Automatic : Numbering::Manual;
    if (numbering_ != Numbering::None && numbering_ != wanted) {
      constexpr std::string_view kManual = "manual field specification";
      constexpr std::string_view kAutomatic = "automatic field numbering";
      throw_error(ErrorKind::ValueError, "cannot switch from {} to {}",
                  automatic ? kManual : kAutomatic, automatic ? kAutomatic : kManual);
    }
    numbering_ = wanted;
  }

  enum class Numbering { None, Automatic, Manual };
  Fields& fields_;
  size_t next_index_ = 0;
  Numbering numbering_ = Numbering::None;
};

}  // namespace

std::string string_format(std::string_view format, const Arguments& arguments) {
  ArgumentFields fields(arguments);
  return Formatter(fields).format(format, 1);
}

std::string string_format_map(std::string_view format, const IValue& mapping) {
  MappingFields fields(mapping);
  return Formatter(fields).format(format, 1);
}

}  // namespace tsc::interp
