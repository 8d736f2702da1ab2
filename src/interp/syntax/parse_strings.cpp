// String literals: prefixes, escapes, concatenation, and f-strings with their fields.
//
// As in CPython 3.11, an f-string is one token. Its fields are found here, character by character,
// and each field's expression is lexed and parsed in place, so that its spans are positions in the
// source.
#include <algorithm>

#include "interp/syntax/characters.h"
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

namespace {

struct Literal {
  bool raw = false;
  bool is_fstring = false;
  bool bytes = false;
  SourceSpan body;  // between the quotes
};

Literal take_apart(std::string_view token, uint32_t offset) {
  Literal literal;
  size_t i = 0;
  for (; token[i] != '"' && token[i] != '\''; i++) {
    const char c = static_cast<char>(token[i] | 0x20);
    if (c == 'r') literal.raw = true;
    if (c == 'f') literal.is_fstring = true;
    if (c == 'b') literal.bytes = true;
  }
  const size_t quotes =
      token.size() >= i + 6 && token[i + 1] == token[i] && token[i + 2] == token[i] ? 3 : 1;
  literal.body = {offset + static_cast<uint32_t>(i + quotes),
                  offset + static_cast<uint32_t>(token.size() - quotes)};
  return literal;
}

uint32_t hex_value(char c) {
  if (is_digit(c)) return static_cast<uint32_t>(c - '0');
  return static_cast<uint32_t>((c | 0x20) - 'a' + 10);
}

struct SimpleEscape {
  char letter;
  char value;
};
constexpr SimpleEscape kSimpleEscapes[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'a', '\a'},
                                           {'b', '\b'},  {'f', '\f'},  {'n', '\n'}, {'r', '\r'},
                                           {'t', '\t'},  {'v', '\v'}};

}  // namespace

// Replaces the escapes of `raw`, the text at `offset`. Unknown ones stay as they are.
bool Parser::decode_escapes(std::string_view raw, uint32_t offset, std::string& out) {
  const auto fail = [&](size_t begin, size_t end, std::string_view what) {
    raise_now({offset + static_cast<uint32_t>(begin), offset + static_cast<uint32_t>(end)},
              fmt::format(
                  "(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: {}",
                  begin, end - 1, what));
    return false;
  };
  for (size_t i = 0; i < raw.size(); i++) {
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      out += raw[i];
      continue;
    }
    const size_t begin = i;
    const char c = raw[++i];
    if (c == '\n') continue;
    bool simple = false;
    for (const SimpleEscape& escape : kSimpleEscapes) {
      if (escape.letter != c) continue;
      out += escape.value;
      simple = true;
    }
    if (simple) continue;
    if (is_octal_digit(c)) {
      uint32_t value = 0;
      size_t end = i;
      while (end < raw.size() && end < i + 3 && is_octal_digit(raw[end]))
        value = value * 8 + hex_value(raw[end++]);
      append_utf8(out, value);
      i = end - 1;
      continue;
    }
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
      uint32_t value = 0;
      size_t end = i + 1;
      while (end < raw.size() && end <= i + digits && is_hex_digit(raw[end]))
        value = value * 16 + hex_value(raw[end++]);
      if (end != i + 1 + digits) {
        return fail(begin, end,
                    fmt::format("truncated \\{}{} escape", c, std::string(digits, 'X')));
      }
      if (value > 0x10FFFF) return fail(begin, end, "illegal Unicode character");
      if (value >= 0xD800 && value <= 0xDFFF)
        return fail(begin, end, "surrogates are not supported");
      append_utf8(out, value);
      i = end - 1;
      continue;
    }
    if (c == 'N') return fail(begin, i + 1, "character names are not supported");
    out += '\\';
    out += c;
  }
  return true;
}

// The same for a bytes literal, where an escape is a byte and there are none of characters.
bool Parser::decode_byte_escapes(std::string_view raw, std::string& out) {
  for (size_t i = 0; i < raw.size(); i++) {
    if (raw[i] != '\\' || i + 1 >= raw.size()) {
      out += raw[i];
      continue;
    }
    const size_t begin = i;
    const char c = raw[++i];
    const auto* escape = std::ranges::find(kSimpleEscapes, c, &SimpleEscape::letter);
    if (c == '\n') continue;
    if (escape != std::end(kSimpleEscapes)) {
      out += escape->value;
    } else if (is_octal_digit(c)) {
      uint32_t value = 0;
      size_t end = i;
      while (end < raw.size() && end < i + 3 && is_octal_digit(raw[end]))
        value = value * 8 + hex_value(raw[end++]);
      out += static_cast<char>(value);
      i = end - 1;
    } else if (c == 'x') {
      if (i + 2 >= raw.size() || !is_hex_digit(raw[i + 1]) || !is_hex_digit(raw[i + 2])) {
        raise_now(peek().span,
                  fmt::format("(value error) invalid \\x escape at position {}", begin));
        return false;
      }
      out += static_cast<char>(hex_value(raw[i + 1]) * 16 + hex_value(raw[i + 2]));
      i += 2;
    } else {
      out += '\\';
      out += c;
    }
  }
  return true;
}

void Parser::flush_text(std::string& pending, std::vector<FStringPart>& parts) {
  if (pending.empty()) return;
  FStringPart part;
  part.text = arena_->copy(pending);
  parts.push_back(part);
  pending.clear();
}

// One or more literals next to each other.
Expr* Parser::strings() {
  const uint32_t begin = peek().span.begin;
  std::string pending;
  std::vector<FStringPart> parts;
  bool is_fstring = false;
  const bool is_bytes = take_apart(text(peek()), begin).bytes;
  while (at(TokenKind::String)) {
    const Token t = peek();
    position_++;
    if (take_apart(text(t), t.span.begin).bytes != is_bytes) {
      raise_now(peek().span, "cannot mix bytes and nonbytes literals");
      return nullptr;
    }
    if (!(is_bytes ? add_bytes(t, pending) : add_string(t, pending, parts, is_fstring)))
      return nullptr;
  }
  if (!is_fstring || parts.empty()) {
    auto* result = make<ConstantExpr>(Expr{ExprKind::Constant, false, span_from(begin)},
                                      is_bytes ? ConstantKind::Bytes : ConstantKind::String);
    result->text = arena_->copy(pending);
    if (is_fstring) {
      // `f"text"` is no docstring and no literal, but it is a constant.
      return make<FStringExpr>(Expr{ExprKind::FString, false, result->span},
                               arena_->copy(std::vector<FStringPart>{
                                   {result->text, nullptr, 0, nullptr, result->span}}));
    }
    return result;
  }
  flush_text(pending, parts);
  return make<FStringExpr>(Expr{ExprKind::FString, false, span_from(begin)}, arena_->copy(parts));
}

bool Parser::add_string(const Token& t, std::string& pending, std::vector<FStringPart>& parts,
                        bool& is_fstring) {
  const Literal literal = take_apart(text(t), t.span.begin);
  if (literal.is_fstring) {
    is_fstring = true;
    uint32_t end = literal.body.begin;
    return fstring_parts(literal.body, literal.raw, 0, t.span, pending, parts, end);
  }
  const std::string_view raw = source_->slice(literal.body);
  if (literal.raw) {
    pending += raw;
    return true;
  }
  return decode_escapes(raw, literal.body.begin, pending);
}

bool Parser::add_bytes(const Token& t, std::string& pending) {
  const Literal literal = take_apart(text(t), t.span.begin);
  const std::string_view raw = source_->slice(literal.body);
  if (std::ranges::any_of(raw, [](char c) { return (c & 0x80) != 0; })) {
    raise_now(t.span, "bytes can only contain ASCII literal characters");
    return false;
  }
  if (!literal.raw) return decode_byte_escapes(raw, pending);
  pending += raw;
  return true;
}

// Text and fields of `span`. At depth 0 up to its end; inside a format, up to the closing brace.
// `end` is where it stopped.
bool Parser::fstring_parts(SourceSpan span, bool raw, int depth, SourceSpan whole,
                           std::string& pending, std::vector<FStringPart>& parts, uint32_t& end) {
  const std::string_view source = source_->text();
  uint32_t position = span.begin;
  uint32_t text_begin = position;
  const auto take_text = [&](uint32_t text_end) {
    const std::string_view piece = source.substr(text_begin, text_end - text_begin);
    if (!raw) return decode_escapes(piece, text_begin, pending);
    pending += piece;
    return true;
  };
  while (position < span.end) {
    const char c = source[position];
    if (c == '\\' && !raw && position + 1 < span.end) {
      // `\{` is a backslash and a field.
      position += source[position + 1] == '{' || source[position + 1] == '}' ? 1 : 2;
      continue;
    }
    if (c != '{' && c != '}') {
      position++;
      continue;
    }
    const bool doubled = depth == 0 && position + 1 < span.end && source[position + 1] == c;
    if (doubled) {
      if (!take_text(position + 1)) return false;
      position += 2;
      text_begin = position;
      continue;
    }
    if (!take_text(position)) return false;
    if (c == '}') {
      if (depth > 0) {
        end = position;
        return true;
      }
      return raise_now(whole, "f-string: single '}' is not allowed"), false;
    }
    if (!fstring_field(position, span, raw, depth, whole, pending, parts)) return false;
    text_begin = position;
  }
  end = position;
  return take_text(std::min(position, span.end));
}

// Finds the end of the expression that begins at `position`: a `!`, `:`, `=` or `}` that is not
// inside anything.
bool Parser::fstring_expression_end(uint32_t& position, uint32_t end, SourceSpan whole) {
  const std::string_view source = source_->text();
  const auto fail = [&](std::string_view message) {
    return raise_now(whole, fmt::format("f-string: {}", message)), false;
  };
  const auto cannot_include = [&](std::string_view what) {
    return raise_now(whole, fmt::format("f-string expression part cannot include {}", what)), false;
  };
  std::string brackets;
  char quote = 0;
  bool triple = false;
  for (; position < end; position++) {
    const char c = source[position];
    if (c == '\\') return cannot_include("a backslash");
    if (quote != 0) {
      if (c != quote) continue;
      if (!triple) {
        quote = 0;
      } else if (position + 2 < end && source[position + 1] == c && source[position + 2] == c) {
        position += 2;
        quote = 0;
      }
      continue;
    }
    if (c == '\'' || c == '"') {
      triple = position + 2 < end && source[position + 1] == c && source[position + 2] == c;
      if (triple) position += 2;
      quote = c;
      continue;
    }
    if (c == '[' || c == '{' || c == '(') {
      if (brackets.size() >= 200) return fail("too many nested parenthesis");
      brackets += c;
      continue;
    }
    if (c == '#') return cannot_include("'#'");
    if (brackets.empty() &&
        (c == '!' || c == ':' || c == '}' || c == '=' || c == '>' || c == '<')) {
      const char next = position + 1 < end ? source[position + 1] : '\0';
      if (next == '=' && (c == '!' || c == '=' || c == '<' || c == '>')) {
        position++;
        continue;
      }
      if (c == '>' || c == '<') continue;
      return true;
    }
    if (c == ']' || c == '}' || c == ')') {
      if (brackets.empty()) return fail(fmt::format("unmatched '{}'", c));
      const char open = brackets.back();
      brackets.pop_back();
      if ((open == '(' && c != ')') || (open == '[' && c != ']') || (open == '{' && c != '}')) {
        return fail(fmt::format("closing parenthesis '{}' does not match opening parenthesis '{}'",
                                c, open));
      }
    }
  }
  if (quote != 0) return fail("unterminated string");
  if (!brackets.empty()) return fail(fmt::format("unmatched '{}'", brackets.back()));
  return fail("expecting '}'");
}

// `{expression=!r:format}`; `position` is at the brace and goes behind the closing one.
bool Parser::fstring_field(uint32_t& position, SourceSpan span, bool raw, int depth,
                           SourceSpan whole, std::string& pending,
                           std::vector<FStringPart>& parts) {
  const std::string_view source = source_->text();
  const auto fail = [&](std::string_view message) {
    return raise_now(whole, fmt::format("f-string: {}", message)), false;
  };
  if (depth >= 2) return fail("expressions nested too deeply");
  const uint32_t field_begin = position++;
  const uint32_t expression_begin = position;
  if (!fstring_expression_end(position, span.end, whole)) return false;
  FStringPart part;
  const SourceSpan expression_span{expression_begin, position};
  part.value = fstring_expression(expression_span, whole);
  if (part.value == nullptr) return false;

  bool self_documenting = false;
  if (source[position] == '=') {
    self_documenting = true;
    position++;
    while (position < span.end &&
           (source[position] == ' ' || source[position] == '\t' || source[position] == '\n')) {
      position++;
    }
    pending += source.substr(expression_begin, position - expression_begin);
  }
  if (position < span.end && source[position] == '!') {
    position++;
    const uint32_t begin = position;
    while (position < span.end && may_be_in_name(source[position])) position++;
    if (position >= span.end) return fail("expecting '}'");
    const std::string_view letter = source.substr(begin, position - begin);
    if (letter != "s" && letter != "r" && letter != "a") {
      return fail("invalid conversion character: expected 's', 'r', or 'a'");
    }
    part.conversion = letter[0];
  }
  if (position < span.end && source[position] == ':') {
    position++;
    const uint32_t begin = position;
    std::string format_text;
    std::vector<FStringPart> format_parts;
    if (!fstring_parts({position, span.end}, raw, depth + 1, whole, format_text, format_parts,
                       position))
      return false;
    if (format_parts.empty()) {
      auto* format = make<ConstantExpr>(Expr{ExprKind::Constant, false, {begin, position}},
                                        ConstantKind::String);
      format->text = arena_->copy(format_text);
      part.format = format;
    } else {
      flush_text(format_text, format_parts);
      part.format = make<FStringExpr>(Expr{ExprKind::FString, false, {begin, position}},
                                      arena_->copy(format_parts));
    }
  } else if (self_documenting && part.conversion == 0) {
    part.conversion = 'r';
  }
  if (position >= span.end || source[position] != '}') return fail("expecting '}'");
  position++;
  part.span = {field_begin, position};
  flush_text(pending, parts);
  parts.push_back(part);
  return true;
}

Expr* Parser::fstring_expression(SourceSpan span, SourceSpan whole) {
  if (source_->slice(span).find_first_not_of(" \t\n\f") == std::string_view::npos) {
    return raise_now(whole, "f-string: empty expression not allowed");
  }
  // A parser of its own over the same source and arena.
  auto outer_lexer = std::exchange(lexer_, std::make_unique<Lexer>(*source_, span));
  auto outer_tokens = std::exchange(tokens_, {});
  const size_t outer_position = std::exchange(position_, 0);
  const bool outer_diagnosing = diagnosing_;
  const auto read = [&]() -> Expr* {
    position_ = 0;
    const uint32_t begin = peek().span.begin;
    Expr* value = at(TokenKind::KwYield) ? yield_expression()
                                         : finish_tuple(star_named_expression(),
                                                        &Parser::star_named_expression, begin);
    return value != nullptr && at(TokenKind::EndOfFile) ? value : nullptr;
  };
  diagnosing_ = false;
  Expr* value = read();
  if (value == nullptr) {
    const Token last = last_token();
    SyntaxDiagnostic diagnostic = generic_error(last);
    if (last.kind != TokenKind::Error && !error_) {
      diagnosing_ = true;
      read();
    }
    if (last.kind != TokenKind::Error && error_) diagnostic = std::move(*error_);
    error_.reset();
    const bool is_nested = diagnostic.message.starts_with("f-string: ");
    raise_now(diagnostic.span, is_nested ? diagnostic.message : "f-string: " + diagnostic.message);
  }
  lexer_ = std::move(outer_lexer);
  tokens_ = std::move(outer_tokens);
  position_ = outer_position;
  diagnosing_ = outer_diagnosing;
  return value;
}

}  // namespace tsc::interp
