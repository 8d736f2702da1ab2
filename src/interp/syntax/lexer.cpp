#include "interp/syntax/lexer.h"

#include <fmt/format.h>

#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

constexpr size_t kMaxBrackets = 200;  // CPython's limits
constexpr size_t kMaxIndents = 100;

struct Spelling {
  TokenKind kind;
  std::string_view text;
};

constexpr Spelling kKeywords[] = {
#define TSC_SPELLING(name, text) {TokenKind::name, text},
    TSC_FORALL_KEYWORDS(TSC_SPELLING)};
constexpr Spelling kPunctuation[] = {TSC_FORALL_PUNCTUATION(TSC_SPELLING)
#undef TSC_SPELLING
};

bool is_decimal_digit(char c) { return is_digit(c); }

char closing_of(char opening) {
  if (opening == '(') return ')';
  return opening == '[' ? ']' : '}';
}

// Keywords may follow a number with no space between: `0if x else 1`.
bool keyword_may_follow_number(std::string_view rest) {
  for (const std::string_view word : {"and", "else", "for", "if", "in", "is", "or", "not"}) {
    if (rest.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

Lexer::Lexer(const Source& source)
    : source_(source), text_(source.text()), end_(static_cast<uint32_t>(source.text().size())) {}

Lexer::Lexer(const Source& source, SourceSpan span)
    : source_(source),
      text_(source.text()),
      position_(span.begin),
      end_(span.end),
      at_line_start_(false),
      fragment_(true) {
  // The bracket represents the field's brace, so that line ends are ignored.
  brackets_.push_back({'{', span.begin});
}

Token Lexer::make(TokenKind kind, uint32_t begin, uint32_t end) const {
  return {kind, static_cast<uint16_t>(brackets_.size()), {begin, end}};
}

Token Lexer::fail(std::string message, uint32_t begin, uint32_t end, ErrorKind kind) {
  SyntaxDiagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  diagnostic.span = {begin, end};
  diagnostic.at_end = false;
  errors_.push_back(std::move(diagnostic));
  after_newline_ = false;
  return {TokenKind::Error, static_cast<uint16_t>(errors_.size() - 1), {begin, end}};
}

void Lexer::restart(uint32_t offset) {
  position_ = offset;
  brackets_.clear();
  pending_dedents_ = 0;
  at_line_start_ = true;
  after_newline_ = true;
}

// Measures the white space at the beginning of a line. True where that made a token: an Indent, the
// first of some Dedents, or an error. Blank lines and lines with only a comment are skipped.
bool Lexer::read_indentation(Token& token) {
  Indent indent{0, 0};
  uint32_t start = position_;
  while (true) {
    const char c = at(position_);
    if (c == ' ') {
      indent.column++;
      indent.tab_is_one++;
    } else if (c == '\t') {
      indent.column = (indent.column / 8 + 1) * 8;
      indent.tab_is_one++;
    } else if (c == '\f') {
      indent = {0, 0};
    } else if (c == '#') {
      while (position_ < end_ && text_[position_] != '\n') position_++;
      continue;
    } else if (c == '\n' && position_ < end_) {
      position_++;
      start = position_;
      indent = {0, 0};
      continue;
    } else {
      break;
    }
    position_++;
  }
  at_line_start_ = false;
  if (position_ >= end_) return false;  // end_of_text closes open blocks

  const auto line_end = [&] {
    const size_t end = text_.find('\n', position_);
    return end == std::string_view::npos ? end_ : static_cast<uint32_t>(end);
  };
  const char* const tab_error = "inconsistent use of tabs and spaces in indentation";
  const Indent& current = indents_.back();
  if (indent.column == current.column) {
    if (indent.tab_is_one == current.tab_is_one) return false;
    token = fail(tab_error, start, line_end(), ErrorKind::TabError);
    return true;
  }
  if (indent.column > current.column) {
    if (indent.tab_is_one <= current.tab_is_one) {
      token = fail(tab_error, start, line_end(), ErrorKind::TabError);
    } else if (indents_.size() >= kMaxIndents) {
      token =
          fail("too many levels of indentation", start, line_end(), ErrorKind::IndentationError);
    } else {
      indents_.push_back(indent);
      token = make(TokenKind::Indent, start, position_);
    }
    return true;
  }
  Indent left = indents_.back();
  while (indents_.size() > 1 && indent.column < indents_.back().column) {
    left = indents_.back();
    indents_.pop_back();
    pending_dedents_++;
  }
  if (indent.column != indents_.back().column) {
    // The line is treated as one of the nearest block, so that the blocks around it stay intact.
    left.column = indent.column;
    left.tab_is_one = indent.tab_is_one;
    indents_.push_back(left);
    pending_dedents_--;
    token = fail("unindent does not match any outer indentation level", line_end(), line_end(),
                 ErrorKind::IndentationError);
    return true;
  }
  if (indent.tab_is_one != indents_.back().tab_is_one) {
    token = fail(tab_error, start, line_end(), ErrorKind::TabError);
    return true;
  }
  pending_dedents_--;
  token = make(TokenKind::Dedent, position_, position_);
  return true;
}

Token Lexer::end_of_text() {
  // Placed at the end of the last line rather than on the empty one behind it.
  const uint32_t end = end_ > 0 && text_[end_ - 1] == '\n' ? end_ - 1 : end_;
  if (!fragment_) {
    if (!brackets_.empty()) return make(TokenKind::EndOfFile, end, end);
    if (!after_newline_) {
      after_newline_ = true;
      return make(TokenKind::Newline, end, end);
    }
    if (indents_.size() > 1) {
      indents_.pop_back();
      return make(TokenKind::Dedent, end, end);
    }
  }
  return make(TokenKind::EndOfFile, end, end);
}

Token Lexer::next() {
  if (pending_dedents_ > 0) {
    pending_dedents_--;
    return make(TokenKind::Dedent, position_, position_);
  }
  while (true) {
    Token token;
    if (at_line_start_ && read_indentation(token)) return token;
    char c = at(position_);
    while (c == ' ' || c == '\t' || c == '\f') c = at(++position_);
    if (c == '#') {
      while (position_ < end_ && text_[position_] != '\n') position_++;
      c = at(position_);
    }
    if (position_ >= end_) return end_of_text();
    if (c == '\n') {
      const uint32_t begin = position_++;
      if (in_bracket()) continue;
      at_line_start_ = true;
      if (after_newline_) continue;
      after_newline_ = true;
      return make(TokenKind::Newline, begin, begin);
    }
    if (c == '\\') {
      if (position_ + 1 >= end_) {
        position_ = end_;
        token = fail("unexpected EOF while parsing", end_, end_);
        errors_.back().at_end = true;
        return token;
      }
      if (text_[position_ + 1] != '\n') {
        const uint32_t begin = position_++;
        while (position_ < end_ && text_[position_] != '\n') position_++;
        return fail("unexpected character after line continuation character", begin, begin + 1);
      }
      position_ += 2;
      if (position_ >= end_) {
        token = fail("unexpected EOF while parsing", end_, end_);
        errors_.back().at_end = true;
        return token;
      }
      continue;
    }
    after_newline_ = false;
    if (may_be_in_name(c) && !is_digit(c)) return read_name();
    if (is_digit(c) || (c == '.' && is_digit(at(position_ + 1)))) return read_number();
    if (c == '"' || c == '\'') return read_string(position_);
    return read_punctuation();
  }
}

Token Lexer::read_name() {
  const uint32_t begin = position_;
  bool ascii = true;
  while (position_ < end_ && may_be_in_name(text_[position_])) {
    ascii = ascii && is_ascii(text_[position_]);
    position_++;
  }
  const std::string_view name = text_.substr(begin, position_ - begin);
  const char quote = at(position_);
  if ((quote == '"' || quote == '\'') && name.size() <= 2) {
    bool is_prefix = true;
    int raw = 0;
    int kind = 0;
    for (const char c : name) {
      if (c == 'r' || c == 'R')
        raw++;
      else if (c == 'b' || c == 'B' || c == 'f' || c == 'F')
        kind++;
      else if ((c == 'u' || c == 'U') && name.size() == 1)
        kind++;
      else
        is_prefix = false;
    }
    if (is_prefix && raw <= 1 && kind <= 1) return read_string(begin);
  }
  if (ascii) {
    for (const Spelling& keyword : kKeywords) {
      if (keyword.text == name) return make(keyword.kind, begin, position_);
    }
    return make(TokenKind::Name, begin, position_);
  }
  for (uint32_t i = begin; i < position_;) {
    const CodePoint point = decode_utf8(text_, i);
    if (point.value == kInvalidCodePoint) {
      position_ = i + 1;
      return fail(
          fmt::format("(unicode error) 'utf-8' codec can't decode byte 0x{:02x} in position {}: "
                      "invalid start byte",
                      static_cast<unsigned char>(text_[i]), i),
          i, i + 1);
    }
    if (!(i == begin ? is_name_start(point.value) : is_name_continue(point.value))) {
      position_ = i + point.size;
      if (!is_printable(point.value)) {
        return fail(fmt::format("invalid non-printable character U+{:04X}", point.value), i,
                    position_);
      }
      return fail(fmt::format("invalid character '{}' (U+{:04X})", text_.substr(i, point.size),
                              point.value),
                  i, position_);
    }
    i += point.size;
  }
  return make(TokenKind::Name, begin, position_);
}

// Digits with single underscores between them. False where an underscore is out of place.
bool Lexer::read_digits(bool (*is_wanted)(char)) {
  while (true) {
    while (is_wanted(at(position_))) position_++;
    if (at(position_) != '_') return true;
    position_++;
    if (!is_wanted(at(position_))) return false;
  }
}

Token Lexer::finish_number(uint32_t begin, const char* what) {
  const char c = at(position_);
  if (may_be_in_name(c) && !keyword_may_follow_number(text_.substr(position_, end_ - position_))) {
    const uint32_t bad = position_;
    while (position_ < end_ && may_be_in_name(text_[position_])) position_++;
    return fail(fmt::format("invalid {} literal", what), bad - 1, bad);
  }
  return make(TokenKind::Number, begin, position_);
}

Token Lexer::read_number() {
  const uint32_t begin = position_;
  const auto bad_literal = [&](const char* what) {
    const uint32_t bad = position_;
    while (position_ < end_ && may_be_in_name(text_[position_])) position_++;
    return fail(fmt::format("invalid {} literal", what), bad - 1, bad);
  };
  if (at(position_) == '0') {
    struct Base {
      char lower;
      bool (*is_digit)(char);
      const char* what;
    };
    static constexpr Base kBases[] = {{'x', is_hex_digit, "hexadecimal"},
                                      {'o', is_octal_digit, "octal"},
                                      {'b', is_binary_digit, "binary"}};
    for (const Base& base : kBases) {
      if ((at(position_ + 1) | 0x20) != base.lower) continue;
      position_ += 2;
      if (at(position_) == '_') position_++;
      const bool some = base.is_digit(at(position_));
      if (!some || !read_digits(base.is_digit) || is_digit(at(position_))) {
        if (is_digit(at(position_))) {
          const char digit = at(position_);
          position_++;
          const uint32_t bad = position_;
          while (position_ < end_ && may_be_in_name(text_[position_])) position_++;
          return fail(fmt::format("invalid digit '{}' in {} literal", digit, base.what), bad - 1,
                      bad);
        }
        return bad_literal(base.what);
      }
      return finish_number(begin, base.what);
    }
  }
  bool is_integer = true;
  if (at(position_) != '.' && !read_digits(is_decimal_digit)) return bad_literal("decimal");
  const uint32_t integer_end = position_;
  if (at(position_) == '.') {
    is_integer = false;
    position_++;
    if (is_digit(at(position_)) && !read_digits(is_decimal_digit)) return bad_literal("decimal");
  }
  if ((at(position_) | 0x20) == 'e') {
    const bool has_sign = at(position_ + 1) == '+' || at(position_ + 1) == '-';
    if (is_digit(at(position_ + (has_sign ? 2 : 1)))) {
      is_integer = false;
      position_ += has_sign ? 2 : 1;
      if (!read_digits(is_decimal_digit)) return bad_literal("decimal");
    } else if (has_sign) {
      position_ += 2;
      return bad_literal("decimal");
    }
  }
  if ((at(position_) | 0x20) == 'j') {
    position_++;
    return finish_number(begin, "imaginary");
  }
  if (is_integer && at(begin) == '0') {
    const std::string_view digits = text_.substr(begin, integer_end - begin);
    const size_t nonzero = digits.find_first_not_of("0_");
    if (nonzero != std::string_view::npos) {
      return fail(
          "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal "
          "integers",
          begin, begin + static_cast<uint32_t>(nonzero));
    }
  }
  return finish_number(begin, "decimal");
}

Token Lexer::read_string(uint32_t prefix_begin) {
  const uint32_t open = position_;
  const char quote = at(open);
  const bool triple = at(open + 1) == quote && at(open + 2) == quote;
  position_ += triple ? 3 : 1;
  while (position_ < end_) {
    const char c = text_[position_];
    if (c == '\\') {
      position_ += 2;
      continue;
    }
    if (c == '\n' && !triple) break;
    if (c == quote && (!triple || (at(position_ + 1) == quote && at(position_ + 2) == quote))) {
      position_ += triple ? 3 : 1;
      return make(TokenKind::String, prefix_begin, position_);
    }
    position_++;
  }
  const bool runs_off = position_ >= end_;
  position_ = std::min(position_, end_);
  int last_line = source_.position(position_).line;
  if (triple && end_ > 0 && text_[end_ - 1] == '\n' && runs_off) last_line--;
  const uint32_t line_end = static_cast<uint32_t>(std::min<size_t>(text_.find('\n', open), end_));
  Token token = fail(fmt::format("unterminated {}string literal (detected at line {})",
                                 triple ? "triple-quoted " : "", last_line),
                     prefix_begin, triple ? line_end : prefix_begin + 1);
  errors_.back().at_end = triple;
  return token;
}

Token Lexer::read_punctuation() {
  const uint32_t begin = position_;
  const std::string_view rest = text_.substr(begin, end_ - begin);
  for (const Spelling& candidate : kPunctuation) {
    if (!rest.starts_with(candidate.text)) continue;
    position_ += static_cast<uint32_t>(candidate.text.size());
    const char c = candidate.text[0];
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= kMaxBrackets)
        return fail("too many nested parentheses", begin, position_);
      brackets_.push_back({c, begin});
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets_.size() <= (fragment_ ? 1U : 0U))
        return fail(fmt::format("unmatched '{}'", c), begin, position_);
      const Bracket open = brackets_.back();
      brackets_.pop_back();
      if (closing_of(open.character) != c) {
        const int open_line = source_.position(open.offset).line;
        const std::string where =
            open_line == source_.position(begin).line ? "" : fmt::format(" on line {}", open_line);
        return fail(
            fmt::format("closing parenthesis '{}' does not match opening parenthesis '{}'{}", c,
                        open.character, where),
            begin, position_);
      }
    }
    return make(candidate.kind, begin, position_);
  }
  return read_other_character();
}

Token Lexer::read_other_character() {
  const uint32_t begin = position_++;
  const char c = text_[begin];
  if (!is_printable(static_cast<unsigned char>(c))) {
    return fail(
        fmt::format("invalid non-printable character U+{:04X}", static_cast<unsigned char>(c)),
        begin, position_);
  }
  return fail("invalid syntax", begin, position_);
}

}  // namespace tsc::interp
