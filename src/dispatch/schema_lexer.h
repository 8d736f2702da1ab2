// The words of schema text: the tokens that aten's own grammar has, with the names by which its
// messages call them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tsc {

struct SchemaToken {
  // Of tokens without a fixed text; all others are Symbol (their text is what they are) or Word.
  enum class Kind : uint8_t { Identifier, Number, String, Word, Symbol, Newline, Indent, End };
  Kind kind = Kind::End;
  std::string_view text;
};

// "ident", "number", "arrow", or the token itself.
std::string_view name_of(const SchemaToken& token);

class SchemaLexer {
 public:
  explicit SchemaLexer(std::string_view text) : text_(text) { next(); }

  const SchemaToken& current() const { return current_; }
  // The current token, which is left behind.
  SchemaToken next();
  // The one behind the current token.
  SchemaToken lookahead() const;

  bool is(std::string_view symbol) const { return is_symbol(current_, symbol); }
  bool next_if(std::string_view symbol);
  // RuntimeError where another one stands there.
  void expect(std::string_view symbol);
  SchemaToken expect(SchemaToken::Kind kind);
  // RuntimeError: "expected `what` but found 'ident' here:" and the place.
  [[noreturn]] void fail_expecting(std::string_view what) const;
  // RuntimeError with the place of the token behind the message.
  [[noreturn]] void fail(std::string_view message, const SchemaToken& at) const;
  [[noreturn]] void fail(std::string_view message) const { fail(message, current_); }

 private:
  static bool is_symbol(const SchemaToken& token, std::string_view symbol) {
    return (token.kind == SchemaToken::Kind::Symbol || token.kind == SchemaToken::Kind::Word) &&
           token.text == symbol;
  }
  SchemaToken token_at(size_t& at, int& depth) const;
  // The lines around the token, which is underlined.
  std::string place_of(const SchemaToken& token) const;

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;  // of brackets, within which lines may end
  SchemaToken current_;
};

}  // namespace tsc
