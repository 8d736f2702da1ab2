// Parses tokens to a syntax tree, by recursive descent, with CPython 3.11's messages and recovery
// after an error.
//
// Like CPython, it makes two passes, which give good messages without slowing down correct
// programs. The first pass only accepts or refuses. Where it refuses a statement, the statement is
// parsed again with `diagnosing_` set, and now each rule looks for the mistakes that it knows: the
// first one found is the message, otherwise "invalid syntax" at the last token that the first pass
// had read. Then parsing goes on behind the broken statement, so that one run reports all errors.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "interp/syntax/ast.h"
#include "interp/syntax/diagnostic.h"
#include "interp/syntax/lexer.h"

namespace tsc::interp {

struct ParseResult {
  std::unique_ptr<ast::Tree> tree;  // absent where there are diagnostics
  SyntaxDiagnostics diagnostics;    // in the order of the text
};

ParseResult parse(SourcePtr source);

class Parser {
 public:
  explicit Parser(SourcePtr source);
  ParseResult run();

 private:
  using Expr = ast::Expr;
  using Stmt = ast::Stmt;
  enum class TargetUse { Assign, For, Delete };

  // --- Tokens (parser.cpp). A rule that fails returns null and leaves the position anywhere.
  const Token& token(size_t index);
  const Token& peek(size_t ahead = 0) { return token(position_ + ahead); }
  bool at(TokenKind kind) { return peek().kind == kind; }
  bool accept(TokenKind kind);
  bool expect(TokenKind kind);
  const Token& previous() const { return tokens_[position_ - 1]; }
  const Token& last_token() const { return tokens_.back(); }
  std::string_view text(const Token& t) const { return source_->slice(t.span); }
  SourceSpan span_from(uint32_t begin) const { return {begin, previous().span.end}; }

  // --- Errors (parser.cpp). All return null, so that a rule can return them.
  // Only in the second pass; `raise_now` at once.
  template <class... Args>
  std::nullptr_t raise(SourceSpan span, fmt::format_string<Args...> format, Args&&... args) {
    if (diagnosing_) raise_text(span, fmt::format(format, std::forward<Args>(args)...));
    return nullptr;
  }
  // At the last token that was read.
  template <class... Args>
  std::nullptr_t raise_here(fmt::format_string<Args...> format, Args&&... args) {
    if (diagnosing_)
      raise_text(last_token().span, fmt::format(format, std::forward<Args>(args)...));
    return nullptr;
  }
  std::nullptr_t raise_now(SourceSpan span, std::string message);
  void raise_text(SourceSpan span, std::string message, ErrorKind kind = ErrorKind::SyntaxError);
  SyntaxDiagnostic generic_error(const Token& last) const;
  bool is_at_end(const Token& token) const;
  SyntaxDiagnostic failure_of(size_t statement_begin);
  void record(SyntaxDiagnostic diagnostic);
  void synchronise(size_t statement_begin, SyntaxDiagnostic& diagnostic);
  void skip_block();
  void restart_after(uint32_t offset);

  // Tries `rule` without messages and goes back to its beginning; returns whether it matched.
  template <class Rule>
  bool would_match(Rule rule);

  // --- Statements (parse_statements.cpp)
  void statements(std::vector<Stmt*>& out, bool in_block);
  void recovering_statement(std::vector<Stmt*>& out);
  bool statement(std::vector<Stmt*>& out);
  bool simple_statements(std::vector<Stmt*>& out);
  Stmt* simple_statement();
  Stmt* compound_statement();
  Stmt* expression_statement();
  Stmt* assignment(Expr* first);
  Stmt* augmented_assignment(Expr* target, BinaryOp op);
  Stmt* annotated_assignment(Expr* target);
  std::nullptr_t diagnose_assignment(size_t begin);
  Stmt* return_statement();
  Stmt* delete_statement();
  Stmt* raise_statement();
  Stmt* assert_statement();
  Stmt* import_statement();
  Stmt* import_from_statement();
  bool dotted_name(std::string_view& name);
  Stmt* scope_statement(ast::StmtKind kind);
  Stmt* if_statement();
  Stmt* while_statement();
  Stmt* for_statement();
  Stmt* with_statement();
  bool with_items(std::vector<ast::WithItem>& items);
  bool with_item(ast::WithItem& item);
  Stmt* try_statement();
  bool except_handler(ast::ExceptHandler& handler);
  Stmt* decorated();
  Stmt* function_statement(std::vector<Expr*> decorators, uint32_t begin);
  // `what` and `keyword` are for "expected an indented block after 'if' statement on line 3".
  bool block(ast::StmtList& body, std::string_view what, const Token& keyword);
  bool else_block(ast::StmtList& body);
  bool colon();

  // --- Expressions (parse_expressions.cpp)
  Expr* star_expressions();
  Expr* star_expression();
  Expr* star_named_expression();
  Expr* named_expression();
  Expr* expression();
  Expr* yield_expression();
  Expr* lambda();
  Expr* disjunction();
  Expr* conjunction();
  Expr* inversion();
  Expr* comparison();
  bool comparison_operator(CompareOp& op);
  Expr* binary(int min_precedence);
  Expr* bitwise_or() { return binary(0); }
  Expr* factor();
  Expr* power();
  Expr* primary();
  Expr* finish_tuple(Expr* first, Expr* (Parser::*item)(), uint32_t begin);
  bool diagnose_print_statement(Expr* left);
  void diagnose_missing_comma(Expr* left, size_t begin);
  void diagnose_assignment_in_expression(Expr* left, size_t begin);
  bool starts_expression(const Token& t) const;

  // --- Atoms and calls (parse_atoms.cpp)
  Expr* atom();
  Expr* number();
  Expr* parenthesised();
  Expr* list_display();
  Expr* brace_display();
  Expr* dict_display(uint32_t begin, ast::DictItem first);
  bool dict_item(ast::DictItem& item);
  bool diagnose_dict_value(Expr* key);
  Expr* comprehension(ast::ComprehensionKind kind, Expr* element, Expr* value, uint32_t begin);
  bool comprehension_clauses(std::vector<ast::ComprehensionClause>& clauses);
  bool diagnose_comprehension_target(uint32_t begin, const std::vector<Expr*>& items);
  Expr* call(Expr* function);
  bool argument(std::vector<ast::Argument>& arguments);
  bool check_argument_order(const std::vector<ast::Argument>& arguments);
  Expr* subscript(Expr* object);
  Expr* slice();
  bool parameters(std::vector<ast::Parameter>& parameters, TokenKind end, bool annotations);
  bool parameter(ast::Parameter& parameter, bool annotations);

  // --- Targets (parse_targets.cpp)
  Expr* targets(TargetUse use);
  std::nullptr_t diagnose_for_target(const Token& keyword);
  bool check_target(const Expr* target, TargetUse use);
  const Expr* invalid_target(const Expr* target, TargetUse use) const;

  // --- Strings (parse_strings.cpp)
  Expr* strings();
  bool add_string(const Token& t, std::string& pending, std::vector<ast::FStringPart>& parts,
                  bool& is_fstring);
  bool decode_escapes(std::string_view raw, uint32_t offset, std::string& out);
  bool decode_byte_escapes(std::string_view raw, std::string& out);
  bool add_bytes(const Token& t, std::string& pending);
  bool fstring_parts(SourceSpan span, bool raw, int depth, SourceSpan whole, std::string& pending,
                     std::vector<ast::FStringPart>& parts, uint32_t& end);
  bool fstring_field(uint32_t& position, SourceSpan span, bool raw, int depth, SourceSpan whole,
                     std::string& pending, std::vector<ast::FStringPart>& parts);
  bool fstring_expression_end(uint32_t& position, uint32_t end, SourceSpan whole);
  Expr* fstring_expression(SourceSpan span, SourceSpan whole);
  void flush_text(std::string& pending, std::vector<ast::FStringPart>& parts);

  template <class Node, class... Args>
  Node* make(Args&&... args) {
    return arena_->make<Node>(std::forward<Args>(args)...);
  }

  SourcePtr source_;
  std::unique_ptr<ast::Tree> tree_;
  Arena* arena_;
  std::unique_ptr<Lexer> lexer_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  bool diagnosing_ = false;
  int depth_ = 0;  // nesting of rules, so that the C stack has an end
  std::optional<SyntaxDiagnostic> error_;
  SyntaxDiagnostics diagnostics_;
  std::optional<size_t>
      resume_hint_;  // where to go on, if the error knows better than synchronise()
  std::map<size_t, size_t>
      resume_after_;  // statements that failed already, and where parsing went on
};

template <class Rule>
bool Parser::would_match(Rule rule) {
  const size_t position = position_;
  const bool diagnosing = std::exchange(diagnosing_, false);
  std::optional<SyntaxDiagnostic> error = std::move(error_);
  error_.reset();
  const bool matched = rule();
  position_ = position;
  diagnosing_ = diagnosing;
  error_ = std::move(error);
  return matched;
}

}  // namespace tsc::interp
