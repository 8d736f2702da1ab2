// `format % values`
#include <cmath>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/number.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format.h"
#include "interp/runtime/text/format_spec.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

class PercentFormatter {
 public:
  PercentFormatter(std::string_view format, const IValue& values)
      : format_(format), values_(values) {
    is_tuple_ = values.is_tuple();
    count_ = is_tuple_ ? values.as_tuple()->size() : 1;
    // A value that a name could be looked up in need not be used up.
    is_mapping_ = !is_tuple_ && !values.is_string() && type_of(values).get_item != nullptr;
  }

  std::string run() {
    while (at_ < format_.size()) {
      const size_t percent = format_.find('%', at_);
      out_ += format_.substr(at_, percent - at_);
      if (percent == std::string_view::npos) {
        break;
      }
      at_ = percent + 1;
      conversion();
    }
    if (used_ < count_ && !is_mapping_) {
      throw_error(ErrorKind::TypeError, "not all arguments converted during string formatting");
    }
    return std::move(out_);
  }

 private:
  char peek() const {
    if (at_ >= format_.size()) {
      throw_error_text(ErrorKind::ValueError, "incomplete format");
    }
    return format_[at_];
  }

  const IValue& next_value() {
    if (used_ >= count_) {
      throw_error(ErrorKind::TypeError, "not enough arguments for format string");
    }
    return is_tuple_ ? (*values_.as_tuple())[used_++] : (used_++, values_);
  }

  void read_key() {
    has_key_ = false;
    if (peek() != '(') {
      return;
    }
    if (!is_mapping_) {
      throw_error(ErrorKind::TypeError, "format requires a mapping");
    }
    const size_t start = ++at_;
    for (int depth = 1; depth > 0; at_++) {
      if (at_ >= format_.size()) {
        throw_error(ErrorKind::ValueError, "incomplete format key");
      }
      depth += format_[at_] == '(' ? 1 : format_[at_] == ')' ? -1 : 0;
    }
    key_value_ = get_item(values_, IValue(format_.substr(start, at_ - 1 - start)));
    has_key_ = true;
    // One look-up uses the mapping up.
    used_ = count_;
  }

  // A number, or `*` for the next value; -1 for none.
  int read_number() {
    if (peek() == '*') {
      at_++;
      const IValue& value = next_value();
      if (!value.is_int()) {
        throw_error(ErrorKind::TypeError, "* wants int");
      }
      return static_cast<int>(value.as_int());
    }
    int number = -1;
    while (peek() >= '0' && peek() <= '9') {
      number = std::max(number, 0) * 10 + (peek() - '0');
      if (number > 100'000'000) {
        throw_error(ErrorKind::ValueError, "width too big");
      }
      at_++;
    }
    return number;
  }

  void conversion() {
    spec_ = FormatSpec();
    left_ = zero_ = false;
    read_key();
    for (;; at_++) {
      const char c = peek();
      if (c == '-') {
        left_ = true;
      } else if (c == '+') {
        spec_.sign = '+';
      } else if (c == ' ') {
        spec_.sign = spec_.sign == '+' ? '+' : ' ';
      } else if (c == '#') {
        spec_.alternate = true;
      } else if (c == '0') {
        zero_ = true;
      } else {
        break;
      }
    }
    spec_.width = read_number();
    if (spec_.width < -1) {
      left_ = true;
      spec_.width = -spec_.width;
    }
    if (peek() == '.') {
      at_++;
      spec_.precision = std::max(0, read_number());
    }
    if (peek() == 'h' || peek() == 'l' || peek() == 'L') {
      at_++;
    }
    const size_t position = at_;
    const char type = peek();
    at_++;
    if (type == '%') {
      out_ += '%';
      return;
    }
    convert(type, position);
  }

  void convert(char type, size_t position) {
    constexpr std::string_view kTypes = "diuoxXeEfFgGcrsa";
    if (kTypes.find(type) == std::string_view::npos) {
      const uint32_t c = Utf8Reader(format_.substr(position)).next();
      std::string character;
      append_utf8(character, c);
      throw_error_text(ErrorKind::ValueError,
                       fmt::format("unsupported format character '{}' (0x{:x}) at index {}",
                                   c >= 32 && c < 127 ? character : "?", c,
                                   count_characters(format_.substr(0, position))));
    }
    const IValue& value = has_key_ ? key_value_ : next_value();
    spec_.align = left_ ? '<' : '>';
    if (type == 's' || type == 'r' || type == 'a') {
      add_text(type == 's' ? str(value) : type == 'r' ? repr(value) : ascii(value));
    } else if (type == 'c') {
      add_character(value);
    } else if (std::string_view("diuoxX").find(type) != std::string_view::npos) {
      add_integer(type, value);
    } else {
      add_float(type, value);
    }
  }

  void add_text(std::string_view text) {
    Utf8Reader reader(text);
    size_t length = 0;
    while (!reader.at_end() &&
           (spec_.precision < 0 || length < static_cast<size_t>(spec_.precision))) {
      reader.next();
      length++;
    }
    append_padded(text.substr(0, reader.position()), length, spec_, '>', out_);
  }

  void add_character(const IValue& value) {
    std::string text;
    if (value.is_string() && value.as_string_object()->length() == 1) {
      text = value.as_string();
    } else if (value.is_int() || value.is_bool()) {
      append_character(value.as_int(), text);
    } else {
      throw_error(ErrorKind::TypeError, "%c requires int or char");
    }
    append_padded(text, 1, spec_, '>', out_);
  }

  int64_t integer_of(char type, const IValue& value) const {
    if (value.is_int() || value.is_bool()) {
      return value.as_int();
    }
    const bool is_decimal = type == 'd' || type == 'i' || type == 'u';
    if (is_decimal && (value.is_double() || type_of(value).to_int != nullptr)) {
      return to_integer(value);
    }
    if (!is_decimal && type_of(value).index != nullptr) {
      return to_index(value);
    }
    throw_error(ErrorKind::TypeError, "%{} format: {} is required, not {}", type,
                is_decimal ? "a real number" : "an integer", type_name(value));
  }

  // Sign, prefix, zeros to the precision or the width, digits.
  void add_number(bool is_negative, std::string_view prefix, std::string digits, size_t zeros) {
    digits.insert(0, zeros, '0');
    if (zero_ && !left_) {
      spec_.fill = "0";
      spec_.align = '=';
    }
    const std::string_view sign = is_negative         ? "-"
                                  : spec_.sign == '+' ? "+"
                                  : spec_.sign == ' ' ? " "
                                                      : "";
    append_number({sign, prefix, digits, {}}, spec_, out_);
  }

  void add_integer(char type, const IValue& value) {
    const int64_t number = integer_of(type, value);
    const uint64_t magnitude =
        number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    std::string digits = int_digits(magnitude, type);
    const std::string_view prefix = !spec_.alternate ? ""
                                    : type == 'o'    ? "0o"
                                    : type == 'x'    ? "0x"
                                    : type == 'X'    ? "0X"
                                                     : "";
    const size_t wanted = static_cast<size_t>(std::max(0, spec_.precision));
    const size_t zeros = wanted > digits.size() ? wanted - digits.size() : 0;
    add_number(number < 0, prefix, std::move(digits), zeros);
  }

  void add_float(char type, const IValue& value) {
    const double number = to_double(value);
    std::string digits = float_digits(number, type, spec_.precision, spec_.alternate, false);
    add_number(std::signbit(number) && !std::isnan(number), "", std::move(digits), 0);
  }

  std::string_view format_;
  const IValue& values_;
  bool is_tuple_ = false;
  bool is_mapping_ = false;
  size_t count_ = 0;
  size_t used_ = 0;
  size_t at_ = 0;
  bool has_key_ = false;
  IValue key_value_;
  FormatSpec spec_;
  bool left_ = false;
  bool zero_ = false;
  std::string out_;
};

}  // namespace

std::string percent_format(std::string_view format, const IValue& values) {
  return PercentFormatter(format, values).run();
}

}  // namespace tsc::interp
