// Tokens: one table with each token's text, which is also its name in messages.
#pragma once

#include <cstdint>
#include <string_view>

#include "interp/syntax/source.h"

namespace tsc::interp {

#define TSC_FORALL_SPECIAL_TOKENS(_)                                       \
  _(EndOfFile, "")                                                         \
  _(Newline, "newline") /* the end of a logical line */                    \
  _(Indent, "indent")                                                      \
  _(Dedent, "dedent")                                                      \
  _(Error, "") /* unreadable text, and the error message with the token */ \
  _(Name, "name")                                                          \
  _(Number, "number")                                                      \
  _(String, "string")

#define TSC_FORALL_KEYWORDS(_) \
  _(KwFalse, "False")          \
  _(KwNone, "None")            \
  _(KwTrue, "True")            \
  _(KwAnd, "and")              \
  _(KwAs, "as")                \
  _(KwAssert, "assert")        \
  _(KwAsync, "async")          \
  _(KwAwait, "await")          \
  _(KwBreak, "break")          \
  _(KwClass, "class")          \
  _(KwContinue, "continue")    \
  _(KwDef, "def")              \
  _(KwDel, "del")              \
  _(KwElif, "elif")            \
  _(KwElse, "else")            \
  _(KwExcept, "except")        \
  _(KwFinally, "finally")      \
  _(KwFor, "for")              \
  _(KwFrom, "from")            \
  _(KwGlobal, "global")        \
  _(KwIf, "if")                \
  _(KwImport, "import")        \
  _(KwIn, "in")                \
  _(KwIs, "is")                \
  _(KwLambda, "lambda")        \
  _(KwNonlocal, "nonlocal")    \
  _(KwNot, "not")              \
  _(KwOr, "or")                \
  _(KwPass, "pass")            \
  _(KwRaise, "raise")          \
  _(KwReturn, "return")        \
  _(KwTry, "try")              \
  _(KwWhile, "while")          \
  _(KwWith, "with")            \
  _(KwYield, "yield")

// A longer token comes before its beginning: the lexer takes the first row that fits.
#define TSC_FORALL_PUNCTUATION(_) \
  _(DoubleStarAssign, "**=")      \
  _(DoubleSlashAssign, "//=")     \
  _(LeftShiftAssign, "<<=")       \
  _(RightShiftAssign, ">>=")      \
  _(Ellipsis, "...")              \
  _(DoubleStar, "**")             \
  _(DoubleSlash, "//")            \
  _(LeftShift, "<<")              \
  _(RightShift, ">>")             \
  _(LessEqual, "<=")              \
  _(GreaterEqual, ">=")           \
  _(EqualEqual, "==")             \
  _(NotEqual, "!=")               \
  _(Arrow, "->")                  \
  _(PlusAssign, "+=")             \
  _(MinusAssign, "-=")            \
  _(StarAssign, "*=")             \
  _(SlashAssign, "/=")            \
  _(PercentAssign, "%=")          \
  _(AtAssign, "@=")               \
  _(AmpersandAssign, "&=")        \
  _(PipeAssign, "|=")             \
  _(CaretAssign, "^=")            \
  _(ColonEqual, ":=")             \
  _(LeftParen, "(")               \
  _(RightParen, ")")              \
  _(LeftBracket, "[")             \
  _(RightBracket, "]")            \
  _(LeftBrace, "{")               \
  _(RightBrace, "}")              \
  _(Plus, "+")                    \
  _(Minus, "-")                   \
  _(Star, "*")                    \
  _(Slash, "/")                   \
  _(Percent, "%")                 \
  _(At, "@")                      \
  _(Ampersand, "&")               \
  _(Pipe, "|")                    \
  _(Caret, "^")                   \
  _(Tilde, "~")                   \
  _(Less, "<")                    \
  _(Greater, ">")                 \
  _(Comma, ",")                   \
  _(Colon, ":")                   \
  _(Dot, ".")                     \
  _(Semicolon, ";")               \
  _(Equal, "=")

#define TSC_FORALL_TOKENS(_)   \
  TSC_FORALL_SPECIAL_TOKENS(_) \
  TSC_FORALL_KEYWORDS(_)       \
  TSC_FORALL_PUNCTUATION(_)

enum class TokenKind : uint8_t {
#define TSC_DEFINE_TOKEN(name, text) name,
  TSC_FORALL_TOKENS(TSC_DEFINE_TOKEN)
#undef TSC_DEFINE_TOKEN
};

std::string_view to_string(TokenKind kind);

inline bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::KwFalse && kind <= TokenKind::KwYield;
}

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  uint16_t level = 0;  // brackets that are open after this token
  SourceSpan span;
};

}  // namespace tsc::interp
