// Statements. The order of the checks is CPython's, since it decides which message comes first.
#include <algorithm>

#include "core/system/stack_space.h"
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

namespace {

struct AugmentedOp {
  TokenKind token;
  BinaryOp op;
};
constexpr AugmentedOp kAugmentedOps[] = {
    {TokenKind::PlusAssign, BinaryOp::Add},
    {TokenKind::MinusAssign, BinaryOp::Subtract},
    {TokenKind::StarAssign, BinaryOp::Multiply},
    {TokenKind::AtAssign, BinaryOp::MatMul},
    {TokenKind::SlashAssign, BinaryOp::Divide},
    {TokenKind::DoubleSlashAssign, BinaryOp::FloorDivide},
    {TokenKind::PercentAssign, BinaryOp::Modulo},
    {TokenKind::DoubleStarAssign, BinaryOp::Power},
    {TokenKind::LeftShiftAssign, BinaryOp::LeftShift},
    {TokenKind::RightShiftAssign, BinaryOp::RightShift},
    {TokenKind::AmpersandAssign, BinaryOp::And},
    {TokenKind::PipeAssign, BinaryOp::Or},
    {TokenKind::CaretAssign, BinaryOp::Xor},
};

constexpr int kMaxStatementDepth = 400;

}  // namespace

void Parser::statements(std::vector<Stmt*>& out, bool in_block) {
  while (!at(TokenKind::EndOfFile)) {
    if (at(TokenKind::Dedent)) {
      if (in_block) return;
      position_++;
      continue;
    }
    recovering_statement(out);
  }
}

void Parser::recovering_statement(std::vector<Stmt*>& out) {
  const size_t begin = position_;
  if (const auto failed = resume_after_.find(begin); failed != resume_after_.end()) {
    position_ = failed->second;
    return;
  }
  if (at(TokenKind::Indent)) {
    record(generic_error(peek()));
    position_++;
    statements(out, true);
    accept(TokenKind::Dedent);
    resume_after_[begin] = position_;
    return;
  }
  const size_t size = out.size();
  if (statement(out)) return;
  out.resize(size);
  SyntaxDiagnostic diagnostic = failure_of(begin);
  const bool diagnosing = std::exchange(diagnosing_, false);
  synchronise(begin, diagnostic);
  diagnosing_ = diagnosing;
  record(std::move(diagnostic));
}

bool Parser::statement(std::vector<Stmt*>& out) {
  const TokenKind kind = peek().kind;
  const bool is_compound =
      kind == TokenKind::KwIf || kind == TokenKind::KwFor || kind == TokenKind::KwWhile ||
      kind == TokenKind::KwDef || kind == TokenKind::KwWith || kind == TokenKind::KwTry ||
      kind == TokenKind::At || kind == TokenKind::KwClass || kind == TokenKind::KwAsync;
  if (!is_compound) return simple_statements(out);
  if (++depth_ > kMaxStatementDepth || stack_is_low()) {
    depth_--;
    raise_now(peek().span, "too many statically nested blocks");
    return false;
  }
  Stmt* result = compound_statement();
  depth_--;
  if (result == nullptr) return false;
  out.push_back(result);
  return true;
}

bool Parser::simple_statements(std::vector<Stmt*>& out) {
  do {
    Stmt* result = simple_statement();
    if (result == nullptr) return false;
    out.push_back(result);
  } while (accept(TokenKind::Semicolon) && !at(TokenKind::Newline));
  return expect(TokenKind::Newline);
}

Stmt* Parser::simple_statement() {
  const Token first = peek();
  const auto keyword_only = [&](StmtKind kind) -> Stmt* {
    position_++;
    return make<Stmt>(kind, first.span);
  };
  if (first.kind == TokenKind::KwReturn) return return_statement();
  if (first.kind == TokenKind::KwImport) return import_statement();
  if (first.kind == TokenKind::KwFrom) return import_from_statement();
  if (first.kind == TokenKind::KwRaise) return raise_statement();
  if (first.kind == TokenKind::KwPass) return keyword_only(StmtKind::Pass);
  if (first.kind == TokenKind::KwDel) return delete_statement();
  if (first.kind == TokenKind::KwAssert) return assert_statement();
  if (first.kind == TokenKind::KwBreak) return keyword_only(StmtKind::Break);
  if (first.kind == TokenKind::KwContinue) return keyword_only(StmtKind::Continue);
  if (first.kind == TokenKind::KwGlobal) return scope_statement(StmtKind::Global);
  if (first.kind == TokenKind::KwNonlocal) return scope_statement(StmtKind::Nonlocal);
  return expression_statement();
}

Stmt* Parser::compound_statement() {
  const Token first = peek();
  if (first.kind == TokenKind::KwIf) return if_statement();
  if (first.kind == TokenKind::KwFor) return for_statement();
  if (first.kind == TokenKind::KwWhile) return while_statement();
  if (first.kind == TokenKind::KwWith) return with_statement();
  if (first.kind == TokenKind::KwTry) return try_statement();
  if (first.kind == TokenKind::KwDef) return function_statement({}, first.span.begin);
  if (first.kind == TokenKind::At) return decorated();
  const char* const what =
      first.kind == TokenKind::KwClass ? "class statements" : "async functions";
  return raise_now(first.span, fmt::format("{} are not supported", what));
}

// --- Expressions and assignments ---

Stmt* Parser::expression_statement() {
  const size_t begin = position_;
  const uint32_t offset = peek().span.begin;
  if (at(TokenKind::KwYield)) {
    Expr* value = yield_expression();
    if (value == nullptr) return nullptr;
    if (at(TokenKind::Equal))
      return raise(value->span, "assignment to yield expression not possible");
    return make<ExpressionStmt>(Stmt{StmtKind::Expression, span_from(offset)}, value);
  }
  Expr* first = star_expressions();
  if (first == nullptr) return nullptr;
  if (at(TokenKind::Equal)) {
    Stmt* result = assignment(first);
    return result != nullptr ? result : diagnose_assignment(begin);
  }
  if (at(TokenKind::Colon)) {
    Stmt* result = annotated_assignment(first);
    return result != nullptr ? result : diagnose_assignment(begin);
  }
  for (const AugmentedOp& augmented : kAugmentedOps) {
    if (at(augmented.token)) return augmented_assignment(first, augmented.op);
  }
  if (diagnosing_ && !at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    diagnose_assignment_in_expression(first, begin);
  }
  return make<ExpressionStmt>(Stmt{StmtKind::Expression, span_from(offset)}, first);
}

Stmt* Parser::assignment(Expr* first) {
  std::vector<Expr*> targets{first};
  Expr* value = first;
  while (accept(TokenKind::Equal)) {
    value = at(TokenKind::KwYield) ? yield_expression() : star_expressions();
    if (value == nullptr) return nullptr;
    targets.push_back(value);
  }
  targets.pop_back();
  for (Expr* target : targets) {
    if (invalid_target(target, TargetUse::Assign) != nullptr) return nullptr;
  }
  return make<AssignStmt>(Stmt{StmtKind::Assign, span_from(first->span.begin)},
                          arena_->copy(targets), value);
}

Stmt* Parser::augmented_assignment(Expr* target, BinaryOp op) {
  const bool is_single = target->kind == ExprKind::Name || target->kind == ExprKind::Attribute ||
                         target->kind == ExprKind::Subscript;
  if (!is_single) {
    return raise(target->span, "'{}' is an illegal expression for augmented assignment",
                 describe(*target));
  }
  position_++;
  Expr* value = at(TokenKind::KwYield) ? yield_expression() : star_expressions();
  if (value == nullptr) return nullptr;
  return make<AugAssignStmt>(Stmt{StmtKind::AugAssign, span_from(target->span.begin)}, op, target,
                             value);
}

Stmt* Parser::annotated_assignment(Expr* target) {
  const bool is_single = target->kind == ExprKind::Name || target->kind == ExprKind::Attribute ||
                         target->kind == ExprKind::Subscript;
  if (!is_single) return nullptr;
  position_++;
  Expr* annotation = expression();
  if (annotation == nullptr) return nullptr;
  Expr* value = nullptr;
  if (accept(TokenKind::Equal)) {
    value = at(TokenKind::KwYield) ? yield_expression() : star_expressions();
    if (value == nullptr) return nullptr;
  }
  return make<AnnAssignStmt>(Stmt{StmtKind::AnnAssign, span_from(target->span.begin)}, target,
                             annotation, value);
}

// An assignment failed: CPython's invalid_assignment, rule by rule.
std::nullptr_t Parser::diagnose_assignment(size_t begin) {
  if (!diagnosing_ || error_) return nullptr;
  position_ = begin;
  Expr* first = star_named_expression();  // also diagnoses `f() = 1`
  if (error_ || first == nullptr) return nullptr;
  if (at(TokenKind::Colon) && (first->kind == ExprKind::List || first->kind == ExprKind::Tuple)) {
    return raise(first->span, "only single target (not {}) can be annotated", describe(*first));
  }
  bool is_tuple = false;
  while (accept(TokenKind::Comma)) {
    is_tuple = true;
    if (!starts_expression(peek()) && !at(TokenKind::Star)) break;
    if (star_named_expression() == nullptr || error_) return nullptr;
  }
  if (at(TokenKind::Colon)) {
    return is_tuple ? raise(first->span, "only single target (not tuple) can be annotated")
                    : raise(first->span, "illegal target for annotation");
  }
  position_ = begin;
  Expr* target = star_expressions();
  if (error_ || target == nullptr) return nullptr;
  while (at(TokenKind::Equal)) {
    if (!check_target(target, TargetUse::Assign)) return nullptr;
    position_++;
    if (at(TokenKind::KwYield)) {
      Expr* value = yield_expression();
      if (value != nullptr && at(TokenKind::Equal))
        raise(value->span, "assignment to yield expression not possible");
      return nullptr;
    }
    target = star_expressions();
    if (target == nullptr) return nullptr;
  }
  return nullptr;
}

Stmt* Parser::return_statement() {
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* value = nullptr;
  if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    value = star_expressions();
    if (value == nullptr) return nullptr;
  }
  return make<ReturnStmt>(Stmt{StmtKind::Return, span_from(begin)}, value);
}

Stmt* Parser::delete_statement() {
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* first = star_expressions();
  if (first == nullptr) return nullptr;
  if (!check_target(first, TargetUse::Delete)) return nullptr;
  std::vector<Expr*> targets;
  if (first->kind == ExprKind::Tuple && !first->parenthesized) {
    const ExprList items = as<SequenceExpr>(*first).items;
    targets.assign(items.begin(), items.end());
  } else {
    targets.push_back(first);
  }
  return make<DeleteStmt>(Stmt{StmtKind::Delete, span_from(begin)}, arena_->copy(targets));
}

Stmt* Parser::raise_statement() {
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* exception = nullptr;
  Expr* cause = nullptr;
  if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    exception = expression();
    if (exception == nullptr) return nullptr;
    if (accept(TokenKind::KwFrom)) {
      cause = expression();
      if (cause == nullptr) return nullptr;
    }
  }
  return make<RaiseStmt>(Stmt{StmtKind::Raise, span_from(begin)}, exception, cause);
}

Stmt* Parser::assert_statement() {
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* condition = expression();
  if (condition == nullptr) return nullptr;
  Expr* message = nullptr;
  if (accept(TokenKind::Comma)) {
    message = expression();
    if (message == nullptr) return nullptr;
  }
  return make<AssertStmt>(Stmt{StmtKind::Assert, span_from(begin)}, condition, message);
}

Stmt* Parser::scope_statement(StmtKind kind) {
  const uint32_t begin = peek().span.begin;
  position_++;
  std::vector<std::string_view> names;
  do {
    if (!expect(TokenKind::Name)) return nullptr;
    names.push_back(text(previous()));
  } while (accept(TokenKind::Comma));
  return make<ScopeStmt>(Stmt{kind, span_from(begin)}, arena_->copy(names));
}

// --- Imports ---

bool Parser::dotted_name(std::string_view& name) {
  if (!expect(TokenKind::Name)) return false;
  const uint32_t begin = previous().span.begin;
  while (at(TokenKind::Dot)) {
    position_++;
    if (!expect(TokenKind::Name)) return false;
  }
  name = source_->slice({begin, previous().span.end});
  return true;
}

Stmt* Parser::import_statement() {
  const uint32_t begin = peek().span.begin;
  position_++;
  std::vector<ImportedName> names;
  do {
    ImportedName item;
    if (!dotted_name(item.name)) return nullptr;
    if (accept(TokenKind::KwAs)) {
      if (!expect(TokenKind::Name)) return nullptr;
      item.as = text(previous());
    }
    names.push_back(item);
  } while (accept(TokenKind::Comma));
  return make<ImportStmt>(Stmt{StmtKind::Import, span_from(begin)}, arena_->copy(names));
}

Stmt* Parser::import_from_statement() {
  const uint32_t begin = peek().span.begin;
  position_++;
  int level = 0;
  while (at(TokenKind::Dot) || at(TokenKind::Ellipsis)) {
    level += at(TokenKind::Dot) ? 1 : 3;
    position_++;
  }
  std::string_view module;
  if (!(level > 0 && at(TokenKind::KwImport)) && !dotted_name(module)) return nullptr;
  if (!expect(TokenKind::KwImport)) return nullptr;
  std::vector<ImportedName> names;
  if (accept(TokenKind::Star)) {
    names.push_back({"*", {}});
  } else {
    const bool bracketed = accept(TokenKind::LeftParen);
    while (true) {
      ImportedName item;
      if (!expect(TokenKind::Name)) return nullptr;
      item.name = text(previous());
      if (accept(TokenKind::KwAs)) {
        if (!expect(TokenKind::Name)) return nullptr;
        item.as = text(previous());
      }
      names.push_back(item);
      if (!accept(TokenKind::Comma)) break;
      if (bracketed && at(TokenKind::RightParen)) break;
      if (!bracketed && at(TokenKind::Newline)) {
        return raise_here("trailing comma not allowed without surrounding parentheses");
      }
    }
    if (bracketed && !expect(TokenKind::RightParen)) return nullptr;
  }
  return make<ImportFromStmt>(Stmt{StmtKind::ImportFrom, span_from(begin)}, module, level,
                              arena_->copy(names));
}

}  // namespace tsc::interp
