// Text to tokens, one at a time, as CPython's tokenizer does it: logical lines, indentation,
// brackets that join lines.
#pragma once

#include <string>
#include <vector>

#include "interp/syntax/diagnostic.h"
#include "interp/syntax/source.h"
#include "interp/syntax/token.h"

namespace tsc::interp {

class Lexer {
 public:
  explicit Lexer(const Source& source);
  // Reads only `span`, as the inside of a bracket: for the expressions of an f-string.
  Lexer(const Source& source, SourceSpan span);

  // Never fails: unreadable text becomes an Error token, and lexing goes on behind it. After the
  // end it keeps returning EndOfFile.
  Token next();

  // The message of an Error token.
  const SyntaxDiagnostic& error(const Token& token) const { return errors_[token.level]; }

  // Resumes at `offset`, the beginning of a line, with all brackets closed. For recovery from an
  // error.
  void restart(uint32_t offset);
  int indentation_column() const { return indents_.back().column; }

  bool in_bracket() const { return !brackets_.empty(); }
  // The offset of the innermost open bracket.
  uint32_t bracket_offset() const { return brackets_.back().offset; }

 private:
  struct Indent {
    int column;      // tabs go to the next multiple of 8
    int tab_is_one;  // the same, with tabs counted as one: both orders must agree
  };
  struct Bracket {
    char character;
    uint32_t offset;
  };

  char at(uint32_t offset) const { return offset < end_ ? text_[offset] : '\0'; }
  Token make(TokenKind kind, uint32_t begin, uint32_t end) const;
  Token fail(std::string message, uint32_t begin, uint32_t end,
             ErrorKind kind = ErrorKind::SyntaxError);
  bool read_indentation(Token& token);
  Token read_name();
  Token read_number();
  Token read_string(uint32_t prefix_begin);
  Token read_punctuation();
  Token read_other_character();
  Token finish_number(uint32_t begin, const char* what);
  bool read_digits(bool (*is_digit)(char));
  Token end_of_text();

  const Source& source_;
  std::string_view text_;
  uint32_t position_ = 0;
  uint32_t end_;
  bool at_line_start_ = true;
  bool after_newline_ = true;  // no token yet on this logical line
  bool fragment_ = false;
  int pending_dedents_ = 0;
  std::vector<Indent> indents_{{0, 0}};
  std::vector<Bracket> brackets_;
  std::vector<SyntaxDiagnostic> errors_;
};

}  // namespace tsc::interp
