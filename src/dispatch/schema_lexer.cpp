#include "dispatch/schema_lexer.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/text/text_formatter.h"

namespace tsc {

namespace {

using Kind = SchemaToken::Kind;

// Words that cannot be names.
constexpr std::string_view kWords[] = {
    "False",    "None", "NoneType", "True", "and",  "as",    "assert", "break", "class",
    "continue", "def",  "del",      "elif", "else", "for",   "global", "if",    "import",
    "in",       "is",   "not",      "or",   "pass", "raise", "return", "while", "with"};

// The longest first.
constexpr std::string_view kSymbols[] = {
    "...", "**=", "<<=", ">>=", "->", "==", "!=", "<=", ">=", "<<", ">>", "**", "//", "+=", "-=",
    "*=",  "/=",  "%=",  "&=",  "|=", "^=", "+",  "-",  "*",  "/",  "%",  "@",  "(",  ")",  "[",
    "]",   ":",   ",",   "{",   "}",  ">",  "<",  ".",  "?",  "!",  "&",  "^",  "|",  "~",  "="};
// Those that messages call otherwise, and how.
constexpr std::string_view kNames =
    "\n... dots\n-> arrow\n== eq\n!= ne\n<= le\n>= ge\n** pow operator\n// floordiv\n";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of a number in C's notation at the beginning of `text`; 0 where there is none. A
// trailing j makes it imaginary.
size_t number_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  size_t i = 0;
  const auto digits = [&] {
    const size_t start = i;
    while (is_digit(at(i))) {
      i++;
    }
    return i > start;
  };
  if (at(0) == '0' && (at(1) == 'x' || at(1) == 'X') && std::isxdigit(at(2)) != 0) {
    i = 2;
    while (std::isxdigit(static_cast<unsigned char>(at(i))) != 0) {
      i++;
    }
    return i;
  }
  bool found = digits();
  if (at(i) == '.') {
    i++;
    found = digits() || found;
  }
  if (!found) {
    return 0;
  }
  if (at(i) == 'e' || at(i) == 'E') {
    const size_t end = i;
    i += at(i + 1) == '+' || at(i + 1) == '-' ? 2 : 1;
    if (!digits()) {
      i = end;
    }
  }
  return i + (at(i) == 'j' ? 1 : 0);
}

// Of a string with its quotes, which may be tripled; 0 where it does not end.
size_t string_length(std::string_view text) {
  const size_t width = text.size() >= 3 && text[1] == text[0] && text[2] == text[0] ? 3 : 1;
  const std::string_view quotes = text.substr(0, width);
  for (size_t i = width; i < text.size(); i++) {
    if (width == 1 && text[i] == '\n') {
      return 0;
    }
    if (text[i] == '\\') {
      i++;
    } else if (text.substr(i, width) == quotes) {
      return i + width;
    }
  }
  return 0;
}

}  // namespace

std::string_view name_of(const SchemaToken& token) {
  switch (token.kind) {
    case Kind::Identifier: return "ident";
    case Kind::Number: return "number";
    case Kind::String: return "string_literal";
    case Kind::Newline: return "newline";
    case Kind::Indent: return "indent";
    case Kind::End: return "eof";
    case Kind::Word: return token.text;
    case Kind::Symbol: break;
  }
  const size_t begin = kNames.find(fmt::format("\n{} ", token.text));
  if (begin == kNames.npos) {
    return token.text;
  }
  const size_t name = begin + token.text.size() + 2;
  return kNames.substr(name, kNames.find('\n', name) - name);
}

SchemaToken SchemaLexer::token_at(size_t& at, int& depth) const {
  const size_t begin = at;
  bool ended_line = false;
  size_t indent = 0;
  while (at < text_.size()) {
    const char c = text_[at];
    if (c == '#') {
      at = std::min(text_.find('\n', at), text_.size());
      continue;
    }
    if (c == '\n') {
      // What comes before the first token is no line.
      ended_line = ended_line || (depth == 0 && !current_.text.empty());
      indent = 0;
    } else if (c == ' ' || c == '\t') {
      indent++;
    } else {
      break;
    }
    at++;
  }
  const std::string_view rest = text_.substr(at);
  if (rest.empty()) {
    return {Kind::End, rest};
  }
  if (ended_line) {
    return {indent > 0 ? Kind::Indent : Kind::Newline, rest.substr(0, 0)};
  }
  size_t length = 0;
  SchemaToken token;
  if (is_letter(rest[0])) {
    while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) {
      length++;
    }
    const std::string_view word = rest.substr(0, length);
    const bool is_word = std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
    token = {is_word ? Kind::Word : Kind::Identifier, word};
  } else if (const size_t number = number_length(rest); number > 0) {
    length = number;
    token = {Kind::Number, rest.substr(0, length)};
  } else if (rest[0] == '\'' || rest[0] == '"') {
    length = string_length(rest);
    token = {Kind::String, rest.substr(0, length)};
  } else {
    for (const std::string_view symbol : kSymbols) {
      if (rest.starts_with(symbol)) {
        length = symbol.size();
        token = {Kind::Symbol, rest.substr(0, length)};
        break;
      }
    }
  }
  if (length == 0) {
    // What it is called is what stands behind the last token, be that a space.
    throw_error(ErrorKind::RuntimeError, "expected a valid token but found '{}' here:\n{}",
                text_.substr(begin, 1), place_of({Kind::Symbol, rest.substr(0, 1)}));
  }
  at += length;
  if (token.kind == Kind::Symbol) {
    depth += token.text == "(" || token.text == "[" || token.text == "{"   ? 1
             : token.text == ")" || token.text == "]" || token.text == "}" ? -1
                                                                           : 0;
  }
  return token;
}

SchemaToken SchemaLexer::next() {
  const SchemaToken token = current_;
  current_ = token_at(at_, depth_);
  return token;
}

SchemaToken SchemaLexer::lookahead() const {
  size_t at = at_;
  int depth = depth_;
  return token_at(at, depth);
}

bool SchemaLexer::next_if(std::string_view symbol) {
  if (!is(symbol)) {
    return false;
  }
  next();
  return true;
}

void SchemaLexer::expect(std::string_view symbol) {
  if (!next_if(symbol)) {
    fail_expecting(name_of({Kind::Symbol, symbol}));
  }
}

SchemaToken SchemaLexer::expect(SchemaToken::Kind kind) {
  if (current_.kind != kind) {
    fail_expecting(name_of({kind, {}}));
  }
  return next();
}

void SchemaLexer::fail_expecting(std::string_view what) const {
  throw_error(ErrorKind::RuntimeError, "expected {} but found '{}' here:\n{}", what,
              name_of(current_), place_of(current_));
}

void SchemaLexer::fail(std::string_view message, const SchemaToken& at) const {
  throw_error(ErrorKind::RuntimeError, "\n{}:\n{}", message, place_of(at));
}

std::string SchemaLexer::place_of(const SchemaToken& token) const {
  constexpr size_t kLinesAround = 2;
  if (token.text.empty()) {
    return std::string(text_) + (token.kind == Kind::End ? "" : "\n");
  }
  const auto offset = static_cast<size_t>(token.text.data() - text_.data());
  // Where the lines around it begin and end.
  size_t begin = offset;
  for (size_t i = 0; i <= kLinesAround && begin != 0; i++) {
    const size_t line = text_.rfind('\n', begin - 1);
    begin = line == text_.npos ? 0 : i == kLinesAround ? line + 1 : line;
  }
  const size_t line_begin = text_.rfind('\n', offset) + 1;
  const size_t line_end = std::min(text_.find('\n', offset), text_.size());
  size_t end = line_end;
  for (size_t i = 0; i < kLinesAround && end < text_.size(); i++) {
    end = std::min(text_.find('\n', end + 1), text_.size());
  }
  const size_t width = std::min(token.text.size(), line_end - offset);
  std::string text = fmt::format("{}\n{}{} <--- HERE\n", text_.substr(begin, line_end - begin),
                                 std::string(offset - line_begin, ' '), std::string(width, '~'));
  if (line_end < end) {
    text += fmt::format("{}\n", text_.substr(line_end + 1, end - line_end - 1));
  }
  return text;
}

}  // namespace tsc
