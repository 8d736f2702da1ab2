// Compound statements and their blocks.
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

bool Parser::colon() {
  if (accept(TokenKind::Colon)) return true;
  raise_here("expected ':'");
  return false;
}

bool Parser::block(StmtList& body, std::string_view what, const Token& keyword) {
  std::vector<Stmt*> list;
  if (!accept(TokenKind::Newline)) {
    if (!simple_statements(list)) return false;
    body = arena_->copy(list);
    return true;
  }
  if (!accept(TokenKind::Indent)) {
    if (peek().kind != TokenKind::Error) resume_hint_ = position_;
    if (diagnosing_) {
      raise_text(peek().span,
                 fmt::format("expected an indented block after {} on line {}", what,
                             source_->position(keyword.span.begin).line),
                 ErrorKind::IndentationError);
    }
    return false;
  }
  statements(list, true);
  accept(TokenKind::Dedent);
  body = arena_->copy(list);
  return true;
}

bool Parser::else_block(StmtList& body) {
  if (!at(TokenKind::KwElse)) return true;
  const Token keyword = peek();
  position_++;
  return colon() && block(body, "'else' statement", keyword);
}

Stmt* Parser::if_statement() {
  // A chain of `elif`s nests to the right; it is read in a loop and tied together from its end.
  struct Branch {
    uint32_t begin;
    Expr* condition;
    StmtList body;
    uint32_t end;
  };
  std::vector<Branch> branches;
  do {
    const Token keyword = peek();
    position_++;
    Branch branch{keyword.span.begin, named_expression(), {}, 0};
    if (branch.condition == nullptr) return nullptr;
    if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) return nullptr;
    const std::string_view what =
        keyword.kind == TokenKind::KwIf ? "'if' statement" : "'elif' statement";
    if (!colon() || !block(branch.body, what, keyword)) return nullptr;
    branch.end = previous().span.begin;
    branches.push_back(branch);
  } while (at(TokenKind::KwElif));
  StmtList otherwise;
  if (!else_block(otherwise)) return nullptr;
  for (size_t i = branches.size(); i-- > 1;) {
    const Branch& branch = branches[i];
    std::vector<Stmt*> nested{make<IfStmt>(Stmt{StmtKind::If, {branch.begin, branch.end}},
                                           branch.condition, branch.body, otherwise)};
    otherwise = arena_->copy(nested);
  }
  const Branch& first = branches[0];
  return make<IfStmt>(Stmt{StmtKind::If, span_from(first.begin)}, first.condition, first.body,
                      otherwise);
}

Stmt* Parser::while_statement() {
  const Token keyword = peek();
  position_++;
  Expr* condition = named_expression();
  if (condition == nullptr) return nullptr;
  if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) return nullptr;
  StmtList body;
  StmtList otherwise;
  if (!colon() || !block(body, "'while' statement", keyword) || !else_block(otherwise))
    return nullptr;
  return make<WhileStmt>(Stmt{StmtKind::While, span_from(keyword.span.begin)}, condition, body,
                         otherwise);
}

Stmt* Parser::for_statement() {
  const Token keyword = peek();
  position_++;
  Expr* target = targets(TargetUse::For);
  if (target == nullptr) return nullptr;
  if (!expect(TokenKind::KwIn)) return diagnose_for_target(keyword);
  Expr* iterable = star_expressions();
  if (iterable == nullptr) return nullptr;
  StmtList body;
  StmtList otherwise;
  if (!colon() || !block(body, "'for' statement", keyword) || !else_block(otherwise))
    return nullptr;
  return make<ForStmt>(Stmt{StmtKind::For, span_from(keyword.span.begin)}, target, iterable, body,
                       otherwise);
}

bool Parser::with_item(WithItem& item) {
  item.context = expression();
  if (item.context == nullptr) return false;
  if (!accept(TokenKind::KwAs)) return true;
  item.target = star_expression();
  if (item.target == nullptr) return false;
  return check_target(item.target, TargetUse::Assign);
}

bool Parser::with_items(std::vector<WithItem>& items) {
  // `with (a as b, c):` is tried first; if the parentheses turn out to hold an expression, they are
  // parsed as one.
  if (at(TokenKind::LeftParen)) {
    const size_t begin = position_;
    const bool bracketed = would_match([&] {
      position_++;
      do {
        WithItem item;
        if (at(TokenKind::RightParen) || !with_item(item)) break;
      } while (accept(TokenKind::Comma));
      return accept(TokenKind::RightParen) && (at(TokenKind::Colon) || at(TokenKind::Newline));
    });
    if (bracketed) {
      position_++;
      do {
        if (at(TokenKind::RightParen)) break;
        if (!with_item(items.emplace_back())) return false;
      } while (accept(TokenKind::Comma));
      return !items.empty() && expect(TokenKind::RightParen);
    }
    position_ = begin;
  }
  do {
    if (!with_item(items.emplace_back())) return false;
  } while (accept(TokenKind::Comma));
  return true;
}

Stmt* Parser::with_statement() {
  const Token keyword = peek();
  position_++;
  std::vector<WithItem> items;
  if (!with_items(items)) return nullptr;
  if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) return nullptr;
  StmtList body;
  if (!colon() || !block(body, "'with' statement", keyword)) return nullptr;
  return make<WithStmt>(Stmt{StmtKind::With, span_from(keyword.span.begin)}, arena_->copy(items),
                        body);
}

bool Parser::except_handler(ExceptHandler& handler) {
  const Token keyword = peek();
  position_++;
  if (at(TokenKind::Star)) {
    raise_now(peek().span, "exception groups are not supported");
    return false;
  }
  if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) {
    handler.type = expression();
    if (handler.type == nullptr) return false;
    if (at(TokenKind::Comma)) {
      const SourceSpan first = handler.type->span;
      position_++;
      Expr* rest = star_expressions();
      if (rest == nullptr) return false;
      if (accept(TokenKind::KwAs) && !expect(TokenKind::Name)) return false;
      if (at(TokenKind::Colon))
        raise(join(first, rest->span), "multiple exception types must be parenthesized");
      return false;
    }
    if (accept(TokenKind::KwAs)) {
      if (!expect(TokenKind::Name)) return false;
      handler.name = text(previous());
    }
    if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) return false;
  }
  if (!colon() || !block(handler.body, "'except' statement", keyword)) return false;
  handler.span = span_from(keyword.span.begin);
  return true;
}

Stmt* Parser::try_statement() {
  const Token keyword = peek();
  position_++;
  StmtList body;
  if (!colon() || !block(body, "'try' statement", keyword)) return nullptr;
  std::vector<ExceptHandler> handlers;
  while (at(TokenKind::KwExcept)) {
    if (!except_handler(handlers.emplace_back())) return nullptr;
  }
  StmtList otherwise;
  StmtList finally;
  if (!handlers.empty() && !else_block(otherwise)) return nullptr;
  if (at(TokenKind::KwFinally)) {
    const Token finally_keyword = peek();
    position_++;
    if (!colon() || !block(finally, "'finally' statement", finally_keyword)) return nullptr;
  } else if (handlers.empty()) {
    resume_hint_ = position_;
    return raise_here("expected 'except' or 'finally' block");
  }
  return make<TryStmt>(Stmt{StmtKind::Try, span_from(keyword.span.begin)}, body,
                       arena_->copy(handlers), otherwise, finally);
}

Stmt* Parser::decorated() {
  const uint32_t begin = peek().span.begin;
  std::vector<Expr*> decorators;
  while (accept(TokenKind::At)) {
    Expr* decorator = named_expression();
    if (decorator == nullptr) return nullptr;
    decorators.push_back(decorator);
    if (!expect(TokenKind::Newline)) return nullptr;
  }
  if (at(TokenKind::KwClass) || at(TokenKind::KwAsync)) return compound_statement();
  if (!at(TokenKind::KwDef)) return nullptr;
  return function_statement(std::move(decorators), begin);
}

Stmt* Parser::function_statement(std::vector<Expr*> decorators, uint32_t begin) {
  const Token keyword = peek();
  position_++;
  if (!expect(TokenKind::Name)) return nullptr;
  const std::string_view name = text(previous());
  if (!accept(TokenKind::LeftParen)) return raise_here("expected '('");
  std::vector<Parameter> list;
  if (!parameters(list, TokenKind::RightParen, true) || !expect(TokenKind::RightParen))
    return nullptr;
  Expr* returns = nullptr;
  if (accept(TokenKind::Arrow)) {
    const size_t arrow = position_ - 1;
    returns = expression();
    if (returns == nullptr) {
      position_ = arrow;
      return raise(peek().span, "expected ':'");
    }
  }
  StmtList body;
  if (!colon() || !block(body, "function definition", keyword)) return nullptr;
  return make<FunctionStmt>(Stmt{StmtKind::Function, span_from(begin)}, name,
                            arena_->copy(decorators), arena_->copy(list), returns, body);
}

}  // namespace tsc::interp
