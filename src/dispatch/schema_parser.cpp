#include "dispatch/schema_parser.h"

#include <charconv>
#include <deque>
#include <vector>

namespace tsc {

// Deques do not move their elements, so views into them stay valid.
struct ParsedSchema::Arena {
  std::string text;
  std::deque<std::string> strings;
  std::deque<std::vector<Argument>> arguments;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::vector<double>> reals;
  std::deque<std::unique_ptr<bool[]>> bools;
};

ParsedSchema::ParsedSchema() : arena_(std::make_unique<Arena>()) {}
ParsedSchema::~ParsedSchema() = default;
ParsedSchema::ParsedSchema(ParsedSchema&&) noexcept = default;
ParsedSchema& ParsedSchema::operator=(ParsedSchema&&) noexcept = default;

namespace {

bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier(char c) { return is_identifier_start(c) || is_digit(c); }

constexpr std::string_view kPythonKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

}  // namespace

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) {
    parsed_.arena_->text = std::string(text);
    text_ = parsed_.arena_->text;
  }

  ParsedSchema parse() {
    FunctionSchema& schema = parsed_.schema_;
    parse_name(schema);
    skip_space();
    TSC_CHECK(at_ != text_.size(),
              "Tried to parse a function schema but only the operator name was given");
    expect('(');
    schema.arguments = parse_arguments(schema.is_vararg);
    skip_space();
    if (!try_consume("->")) {
      fail("expected '->'");
    }
    parse_returns(schema);
    skip_space();
    if (at_ != text_.size()) {
      fail("unexpected text behind the schema");
    }
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw_error(ErrorKind::RuntimeError, "{} at column {} of the schema:\n{}\n{:>{}}", what,
                at_ + 1, text_, "^", at_ + 1);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || (in_arguments_ && peek() == '\n')) {
      at_++;
    }
  }
  bool try_consume(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) {
      return false;
    }
    at_ += token.size();
    return true;
  }
  void expect(char c) {
    if (!try_consume(std::string_view(&c, 1))) {
      fail(fmt::format("expected '{}'", c));
    }
  }
  std::string_view identifier(std::string_view what) {
    skip_space();
    const size_t start = at_;
    if (!is_identifier_start(peek())) {
      fail(fmt::format("expected {}", what));
    }
    while (is_identifier(peek())) {
      at_++;
    }
    return text_.substr(start, at_ - start);
  }

  void parse_name(FunctionSchema& schema) {
    skip_space();
    const size_t start = at_;
    identifier("an operator name");
    while (try_consume("::")) {
      identifier("a name behind '::'");
    }
    schema.name = text_.substr(start, at_ - start);
    if (peek() == '.') {
      at_++;
      schema.overload_name = identifier("an overload name");
      if (schema.overload_name == "default") {
        at_ -= schema.overload_name.size();
        fail("default is not a legal overload name for aten operators");
      }
    }
  }

  ArrayRef<Argument> parse_arguments(bool& is_vararg) {
    auto& arguments = parsed_.arena_->arguments.emplace_back();
    bool kwarg_only = false;
    in_arguments_ = true;
    if (!try_consume(")")) {
      do {
        if (try_consume("...")) {
          is_vararg = true;
          break;
        }
        if (try_consume("*")) {
          kwarg_only = true;
          continue;
        }
        arguments.push_back(parse_argument(kwarg_only));
      } while (try_consume(","));
      expect(')');
    }
    in_arguments_ = false;
    return arguments;
  }

  Argument parse_argument(bool kwarg_only) {
    Argument argument;
    parse_type(argument);
    argument.name = identifier("an argument name");
    for (const std::string_view keyword : kPythonKeywords) {
      if (argument.name == keyword) {
        at_ -= keyword.size();
        fail(fmt::format("expected ident but found '{}'", keyword));
      }
    }
    argument.kwarg_only = kwarg_only;
    argument.is_out = kwarg_only && argument.alias.is_write;
    if (try_consume("=")) {
      parse_default(argument);
    }
    return argument;
  }

  void parse_returns(FunctionSchema& schema) {
    auto& returns = parsed_.arena_->arguments.emplace_back();
    if (!try_consume("(")) {
      parse_return(returns.emplace_back());
    } else if (!try_consume(")")) {
      do {
        if (try_consume("...")) {
          schema.is_varret = true;
          break;
        }
        parse_return(returns.emplace_back());
      } while (try_consume(","));
      expect(')');
    }
    schema.returns = returns;
  }

  void parse_return(Argument& result) {
    parse_type(result);
    skip_space();
    if (is_identifier_start(peek())) {
      result.name = identifier("a name");
    }
  }

  void parse_type(Argument& argument) {
    const std::string_view base = identifier("a type");
    argument.type.kind = type_kind(base);
    if (peek() == '(') {
      parse_alias(argument.alias);
    }
    for (;;) {
      if (peek() == '?') {
        at_++;
        argument.type.is_optional = true;
      } else if (peek() == '[') {
        at_++;
        if (argument.type.is_list) {
          fail("lists of lists are not supported");
        }
        argument.type.is_list = true;
        argument.type.element_is_optional = std::exchange(argument.type.is_optional, false);
        skip_space();
        if (is_digit(peek())) {
          argument.type.list_size = static_cast<int32_t>(integer());
        }
        expect(']');
        if (peek() == '(') {
          parse_alias(argument.alias);
        }
      } else {
        return;
      }
    }
  }

  TypeKind type_kind(std::string_view name) {
#define TSC_MATCH(kind, text) \
  if (name == #text) {        \
    return TypeKind::kind;    \
  }
    TSC_FORALL_SCHEMA_TYPES(TSC_MATCH)
#undef TSC_MATCH
    if (name == "Number") {
      return TypeKind::Scalar;
    }
    at_ -= name.size();
    fail(fmt::format("unknown type specifier '{}'", name));
  }

  void parse_alias(AliasInfo& alias) {
    expect('(');
    alias.is_present = true;
    alias.before = alias_letters();
    if (try_consume("!")) {
      alias.is_write = true;
    }
    alias.after = alias.before;
    if (try_consume("->")) {
      alias.after = alias_letters();
    }
    expect(')');
  }
  std::string_view alias_letters() {
    skip_space();
    const size_t start = at_;
    while (is_identifier(peek()) || peek() == '|' || peek() == '*') {
      at_++;
    }
    if (at_ == start) {
      fail("expected an alias set");
    }
    return text_.substr(start, at_ - start);
  }

  int64_t integer() {
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      fail("expected an integer");
    }
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  // An int, or a double where there is a point or an exponent.
  void parse_number(DefaultValue& value) {
    skip_space();
    size_t end = at_;
    bool is_real = false;
    while (end < text_.size() &&
           (is_digit(text_[end]) || text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E' ||
            ((text_[end] == '-' || text_[end] == '+') &&
             (end == at_ || text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
      is_real = is_real || text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E';
      end++;
    }
    if (end == at_) {
      fail("expected a default value");
    }
    if (!is_real) {
      value.kind = DefaultValue::Kind::Int;
      value.integer = integer();
      // PyTorch reads "0x10" as 0 and ignores the rest.
      while (is_identifier(peek())) {
        at_++;
      }
      return;
    }
    value.kind = DefaultValue::Kind::Double;
    const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + end, value.real);
    if (error != std::errc()) {
      fail("expected a number");
    }
    at_ = static_cast<size_t>(stop - text_.data());
  }

  void parse_default(Argument& argument) {
    DefaultValue& value = argument.default_value;
    skip_space();
    if (peek() == '[') {
      parse_default_list(argument);
    } else if (peek() == '"' || peek() == '\'') {
      value.kind = DefaultValue::Kind::String;
      value.text = quoted_text();
    } else if (is_identifier_start(peek())) {
      parse_default_name(argument);
    } else {
      parse_number(value);
      if (argument.type.kind == TypeKind::Float && value.kind == DefaultValue::Kind::Int) {
        value.kind = DefaultValue::Kind::Double;
        value.real = static_cast<double>(value.integer);
      } else if ((argument.type.kind == TypeKind::Int || argument.type.kind == TypeKind::SymInt) &&
                 value.kind == DefaultValue::Kind::Double) {
        value.kind = DefaultValue::Kind::Int;
        value.integer = static_cast<int64_t>(value.real);
      }
    }
  }

  void parse_default_name(Argument& argument) {
    DefaultValue& value = argument.default_value;
    const std::string_view name = identifier("a default value");
    if (name == "None") {
      value.kind = DefaultValue::Kind::None;
    } else if (name == "True" || name == "False") {
      value.kind = DefaultValue::Kind::Bool;
      value.integer = name == "True" ? 1 : 0;
    } else if (name == "Mean" || name == "Sum") {
      value.kind = DefaultValue::Kind::Int;
      value.integer = name == "Mean" ? 1 : 2;
    } else if (name == "contiguous_format") {
      value.kind = DefaultValue::Kind::Int;
      value.integer = 0;
    } else if (name == "strided") {
      value.kind = DefaultValue::Kind::Int;
      value.integer = 0;
    } else if (argument.type.kind == TypeKind::ScalarType &&
               scalar_type_of_name(name) != ScalarType::Undefined) {
      value.kind = DefaultValue::Kind::Int;
      value.integer = static_cast<int64_t>(scalar_type_of_name(name));
    } else {
      at_ -= name.size();
      fail("expected a default value");
    }
  }

  static ScalarType scalar_type_of_name(std::string_view name) {
    if (name == "long") {
      return ScalarType::Long;
    }
    if (name == "float") {
      return ScalarType::Float;
    }
#define TSC_MATCH(cpp_type, cpp_name, script_name, short_name, number) \
  if (name == #script_name) {                                          \
    return ScalarType::cpp_name;                                       \
  }
    TSC_FORALL_SCALAR_TYPES(TSC_MATCH)
#undef TSC_MATCH
    return ScalarType::Undefined;
  }

  void parse_default_list(const Argument& argument) {
    auto& value = const_cast<DefaultValue&>(argument.default_value);
    expect('[');
    std::vector<DefaultValue> items;
    if (!try_consume("]")) {
      do {
        DefaultValue item;
        skip_space();
        if (is_identifier_start(peek())) {
          const std::string_view name = identifier("a value");
          if (name != "True" && name != "False") {
            fail("expected a number, True or False");
          }
          item.kind = DefaultValue::Kind::Bool;
          item.integer = name == "True" ? 1 : 0;
        } else {
          parse_number(item);
        }
        items.push_back(item);
      } while (try_consume(","));
      expect(']');
    }
    auto& arena = *parsed_.arena_;
    if (argument.type.kind == TypeKind::Bool) {
      auto& list = arena.bools.emplace_back(std::make_unique<bool[]>(items.size() + 1));
      for (size_t i = 0; i < items.size(); i++) {
        list[i] = items[i].integer != 0;
      }
      value.kind = DefaultValue::Kind::BoolList;
      value.bools = ArrayRef<bool>(list.get(), items.size());
    } else if (argument.type.kind == TypeKind::Float || argument.type.kind == TypeKind::Scalar) {
      auto& list = arena.reals.emplace_back();
      for (const DefaultValue& item : items) {
        list.push_back(item.kind == DefaultValue::Kind::Int ? static_cast<double>(item.integer)
                                                            : item.real);
      }
      value.kind = DefaultValue::Kind::DoubleList;
      value.reals = list;
    } else {
      auto& list = arena.integers.emplace_back();
      for (const DefaultValue& item : items) {
        list.push_back(item.integer);
      }
      value.kind = DefaultValue::Kind::IntList;
      value.integers = list;
    }
  }

  std::string_view quoted_text() {
    const char quote = peek();
    at_++;
    std::string text;
    while (peek() != quote) {
      if (at_ >= text_.size()) {
        fail("unterminated string");
      }
      if (peek() == '\\') {
        at_++;
      }
      text += peek();
      at_++;
    }
    at_++;
    return parsed_.arena_->strings.emplace_back(std::move(text));
  }

  ParsedSchema parsed_;
  std::string_view text_;
  size_t at_ = 0;
  bool in_arguments_ = false;  // where a line may end
};

ParsedSchema parse_schema(std::string_view text) { return SchemaParser(text).parse(); }

std::pair<std::string, std::string> parse_operator_name(std::string_view text) {
  const size_t scope = text.rfind("::");
  const size_t dot = text.find('.', scope == text.npos ? 0 : scope);
  const auto valid = [](std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](char c) { return is_identifier(c) || c == ':'; });
  };
  const std::string_view name = text.substr(0, dot);
  const std::string_view overload = dot == text.npos ? std::string_view() : text.substr(dot + 1);
  TSC_CHECK(valid(name) && !name.ends_with(':') && (dot == text.npos || valid(overload)),
            "'{}' is not an operator's name", text);
  return {std::string(name), std::string(overload)};
}

}  // namespace tsc
