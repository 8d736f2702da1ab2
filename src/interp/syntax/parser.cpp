#include "interp/syntax/parser.h"

#include <algorithm>

#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

constexpr size_t kMaxDiagnostics = 10;

// Words that begin a statement: after an unclosed bracket, a line that begins with one is taken to
// be the next statement.
bool begins_statement(std::string_view line) {
  static constexpr std::string_view kWords[] = {
      "def",    "if",    "for",    "while",    "with",  "try",  "return", "import",   "from", "del",
      "assert", "raise", "global", "nonlocal", "class", "pass", "break",  "continue", "@"};
  size_t end = 0;
  while (end < line.size() && may_be_in_name(line[end])) end++;
  const std::string_view word = line.substr(0, end);
  if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords)) return true;
  if (word.empty() || is_digit(word[0])) return line.starts_with("@");
  // `name =`, but not `name=`, which is how a keyword argument is written
  const std::string_view rest = line.substr(end);
  return rest.starts_with(" = ");
}

}  // namespace

ParseResult parse(SourcePtr source) { return Parser(std::move(source)).run(); }

Parser::Parser(SourcePtr source)
    : source_(std::move(source)),
      tree_(std::make_unique<ast::Tree>()),
      arena_(&tree_->arena),
      lexer_(std::make_unique<Lexer>(*source_)) {
  tree_->source = source_;
}

ParseResult Parser::run() {
  ParseResult result;
  const size_t null_byte = source_->text().find('\0');
  if (null_byte != std::string_view::npos) {
    SyntaxDiagnostic diagnostic;
    diagnostic.message = "source code cannot contain null bytes";
    diagnostic.span = {static_cast<uint32_t>(null_byte), static_cast<uint32_t>(null_byte)};
    result.diagnostics.push_back(std::move(diagnostic));
    return result;
  }
  std::vector<Stmt*> body;
  statements(body, false);
  if (diagnostics_.empty()) {
    tree_->body = arena_->copy(body);
    result.tree = std::move(tree_);
  }
  result.diagnostics = std::move(diagnostics_);
  return result;
}

const Token& Parser::token(size_t index) {
  while (tokens_.size() <= index) {
    if (!tokens_.empty() && tokens_.back().kind == TokenKind::EndOfFile) return tokens_.back();
    tokens_.push_back(lexer_->next());
  }
  return tokens_[index];
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  position_++;
  return true;
}

bool Parser::expect(TokenKind kind) { return accept(kind); }

void Parser::raise_text(SourceSpan span, std::string message, ErrorKind kind) {
  if (error_) return;
  error_.emplace();
  error_->kind = kind;
  error_->message = std::move(message);
  error_->span = span;
}

std::nullptr_t Parser::raise_now(SourceSpan span, std::string message) {
  raise_text(span, std::move(message));
  return nullptr;
}

SyntaxDiagnostic Parser::generic_error(const Token& last) const {
  SyntaxDiagnostic diagnostic;
  diagnostic.span = last.span;
  diagnostic.message = "invalid syntax";
  if (last.kind == TokenKind::Error) return lexer_->error(last);
  if (last.kind == TokenKind::Indent || last.kind == TokenKind::Dedent) {
    diagnostic.kind = ErrorKind::IndentationError;
    diagnostic.message =
        last.kind == TokenKind::Indent ? "unexpected indent" : "unexpected unindent";
  }
  return diagnostic;
}

// Whether nothing follows the token; open blocks are closed at the end of the text.
bool Parser::is_at_end(const Token& token) const {
  return token.kind == TokenKind::EndOfFile ||
         (token.kind == TokenKind::Dedent &&
          source_->text().find_first_not_of(" \t\f\n", token.span.begin) == std::string_view::npos);
}

// Diagnoses the statement that begins at `statement_begin`, which the first pass has just refused.
SyntaxDiagnostic Parser::failure_of(size_t statement_begin) {
  const Token last = last_token();
  const bool at_end = is_at_end(last);
  if (last.kind == TokenKind::Error) {
    error_.reset();
    return lexer_->error(last);
  }
  if (!error_) {
    position_ = statement_begin;
    diagnosing_ = true;
    std::vector<Stmt*> ignored;
    statement(ignored);
    diagnosing_ = false;
  }
  if (error_) {
    SyntaxDiagnostic diagnostic = std::move(*error_);
    error_.reset();
    diagnostic.at_end = at_end;
    return diagnostic;
  }
  SyntaxDiagnostic diagnostic = generic_error(last);
  diagnostic.at_end = at_end;
  return diagnostic;
}

void Parser::record(SyntaxDiagnostic diagnostic) {
  if (diagnostics_.size() < kMaxDiagnostics) diagnostics_.push_back(std::move(diagnostic));
}

// Lexes again from the first line behind `offset` that looks like a new statement and is indented
// no deeper than the broken one.
void Parser::restart_after(uint32_t offset) {
  const std::string_view source = source_->text();
  const auto max_column = static_cast<size_t>(lexer_->indentation_column());
  size_t restart = source.size();
  for (size_t line = source.find('\n', offset); line != std::string_view::npos;) {
    line++;
    const size_t content = source.find_first_not_of(" \t\f", line);
    if (content == std::string_view::npos) break;
    if (content - line <= max_column && begins_statement(source.substr(content))) {
      restart = line;
      break;
    }
    line = source.find('\n', line);
  }
  while (!tokens_.empty() && tokens_.back().span.begin >= restart) tokens_.pop_back();
  if (!tokens_.empty() && tokens_.back().kind == TokenKind::EndOfFile) tokens_.pop_back();
  lexer_->restart(static_cast<uint32_t>(restart));
  position_ = tokens_.size();
}

// Goes to the first token behind the broken statement. Where that leads to the end of the text
// inside a bracket, and the bracket is older than the error, the bracket is the likelier mistake
// and becomes the message.
void Parser::synchronise(size_t statement_begin, SyntaxDiagnostic& diagnostic) {
  const Token last = last_token();
  if (resume_hint_) {
    position_ = *resume_hint_;
    resume_hint_.reset();
  } else {
    position_ = tokens_.size() - 1;
    while (!at(TokenKind::Newline) && !at(TokenKind::EndOfFile)) position_++;
    if (at(TokenKind::EndOfFile) && lexer_->in_bracket()) {
      const uint32_t bracket = lexer_->bracket_offset();
      const bool at_end = last.kind == TokenKind::EndOfFile;
      if (last.kind != TokenKind::Error &&
          (at_end || source_->position(bracket).line < source_->position(last.span.begin).line)) {
        diagnostic.kind = ErrorKind::SyntaxError;
        diagnostic.message = fmt::format("'{}' was never closed", source_->text()[bracket]);
        diagnostic.span = {bracket, bracket + 1};
        diagnostic.at_end = at_end;
      }
      restart_after(bracket);
    } else {
      accept(TokenKind::Newline);
      skip_block();
    }
  }
  if (position_ == statement_begin) position_++;
  resume_after_[statement_begin] = position_;
}

// The body of a compound statement whose first line was wrong goes with it.
void Parser::skip_block() {
  if (!at(TokenKind::Indent)) return;
  int depth = 0;
  do {
    if (at(TokenKind::Indent)) depth++;
    if (at(TokenKind::Dedent)) depth--;
    position_++;
  } while (depth > 0 && !at(TokenKind::EndOfFile));
}

}  // namespace tsc::interp
