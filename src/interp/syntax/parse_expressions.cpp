// Expressions from the loosest binding to the tightest.
#include <array>

#include "core/system/stack_space.h"
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

namespace {

constexpr int kMaxExpressionDepth = 1000;

struct BinaryRow {
  TokenKind token;
  BinaryOp op;
  int precedence;
};
constexpr BinaryRow kBinaryRows[] = {
    {TokenKind::Pipe, BinaryOp::Or, 1},
    {TokenKind::Caret, BinaryOp::Xor, 2},
    {TokenKind::Ampersand, BinaryOp::And, 3},
    {TokenKind::LeftShift, BinaryOp::LeftShift, 4},
    {TokenKind::RightShift, BinaryOp::RightShift, 4},
    {TokenKind::Plus, BinaryOp::Add, 5},
    {TokenKind::Minus, BinaryOp::Subtract, 5},
    {TokenKind::Star, BinaryOp::Multiply, 6},
    {TokenKind::Slash, BinaryOp::Divide, 6},
    {TokenKind::DoubleSlash, BinaryOp::FloorDivide, 6},
    {TokenKind::Percent, BinaryOp::Modulo, 6},
    {TokenKind::At, BinaryOp::MatMul, 6},
};

constexpr auto kBinaryByToken = [] {
  std::array<const BinaryRow*, 256> table{};
  for (const BinaryRow& row : kBinaryRows) table[static_cast<size_t>(row.token)] = &row;
  return table;
}();

// Counts nesting while a rule runs.
class DepthGuard {
 public:
  explicit DepthGuard(int& depth) : depth_(++depth) {}
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  ~DepthGuard() { depth_--; }
  bool too_deep() const { return depth_ > kMaxExpressionDepth || stack_is_low(); }

 private:
  int& depth_;
};

bool is_display(const Expr& expr) {
  return expr.kind == ExprKind::List || expr.kind == ExprKind::Tuple ||
         (expr.kind == ExprKind::Comprehension &&
          as<ComprehensionExpr>(expr).comprehension == ComprehensionKind::Generator) ||
         (expr.kind == ExprKind::Constant &&
          as<ConstantExpr>(expr).constant <= ConstantKind::False);
}

// Whether the expression is one that `bitwise_or` could have read.
bool is_bitwise_or(const Expr& expr) {
  return expr.parenthesized ||
         !(expr.kind == ExprKind::Compare || expr.kind == ExprKind::Bool ||
           expr.kind == ExprKind::Conditional || expr.kind == ExprKind::Lambda ||
           expr.kind == ExprKind::Starred ||
           (expr.kind == ExprKind::Unary && as<UnaryExpr>(expr).op == UnaryOp::Not));
}

}  // namespace

bool Parser::starts_expression(const Token& t) const {
  static constexpr TokenKind kStarts[] = {
      TokenKind::Name,      TokenKind::Number,      TokenKind::String,    TokenKind::KwFalse,
      TokenKind::KwNone,    TokenKind::KwTrue,      TokenKind::KwLambda,  TokenKind::KwNot,
      TokenKind::LeftParen, TokenKind::LeftBracket, TokenKind::LeftBrace, TokenKind::Ellipsis,
      TokenKind::Plus,      TokenKind::Minus,       TokenKind::Tilde,
  };
  for (const TokenKind kind : kStarts) {
    if (t.kind == kind) return true;
  }
  return false;
}

// Reads the rest of `first, second, ...`; without a comma, it is `first` itself.
Expr* Parser::finish_tuple(Expr* first, Expr* (Parser::*item)(), uint32_t begin) {
  if (first == nullptr || !at(TokenKind::Comma)) return first;
  std::vector<Expr*> items{first};
  while (accept(TokenKind::Comma)) {
    if (!starts_expression(peek()) && !at(TokenKind::Star)) break;
    Expr* next = (this->*item)();
    if (next == nullptr) return nullptr;
    items.push_back(next);
  }
  return make<SequenceExpr>(Expr{ExprKind::Tuple, false, span_from(begin)}, arena_->copy(items));
}

Expr* Parser::star_expressions() {
  const uint32_t begin = peek().span.begin;
  return finish_tuple(star_expression(), &Parser::star_expression, begin);
}

Expr* Parser::star_expression() {
  if (!at(TokenKind::Star)) return expression();
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* value = bitwise_or();
  if (value == nullptr) return nullptr;
  return make<StarredExpr>(Expr{ExprKind::Starred, false, span_from(begin)}, value);
}

Expr* Parser::star_named_expression() {
  return at(TokenKind::Star) ? star_expression() : named_expression();
}

Expr* Parser::named_expression() {
  const size_t begin = position_;
  const Token first = peek();
  if (first.kind == TokenKind::Name && peek(1).kind == TokenKind::ColonEqual) {
    auto* target = make<NameExpr>(Expr{ExprKind::Name, false, first.span}, text(first));
    position_ += 2;
    Expr* value = expression();
    if (value == nullptr) return nullptr;
    return make<NamedExpr>(Expr{ExprKind::Named, false, span_from(first.span.begin)}, target,
                           value);
  }
  Expr* result = expression();
  if (result == nullptr) return nullptr;
  if (at(TokenKind::ColonEqual)) {
    return raise(result->span, "cannot use assignment expressions with {}", describe(*result));
  }
  if (diagnosing_) diagnose_assignment_in_expression(result, begin);
  return error_ ? nullptr : result;
}

// `if x = 3:`. `left` has been read, from the token `begin` on.
void Parser::diagnose_assignment_in_expression(Expr* left, size_t begin) {
  if (!at(TokenKind::Equal) || error_) return;
  const size_t equal = position_;
  const bool is_name = left->kind == ExprKind::Name && !left->parenthesized;
  Expr* right = nullptr;
  const bool single = would_match([&] {
    position_++;
    right = bitwise_or();
    return right != nullptr && !at(TokenKind::Equal) && !at(TokenKind::ColonEqual);
  });
  position_ = equal;
  if (!single) return;
  if (is_name) {
    raise(join(left->span, right->span),
          "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  } else if (is_bitwise_or(*left) && !is_display(*left)) {
    raise(left->span, "cannot assign to {} here. Maybe you meant '==' instead of '='?",
          describe(*left));
  }
  (void)begin;
}

// `print "hello"`, as Python 2 had it.
bool Parser::diagnose_print_statement(Expr* left) {
  if (left->kind != ExprKind::Name || at(TokenKind::LeftParen)) return false;
  const std::string_view name = as<NameExpr>(*left).name;
  if (name != "print" && name != "exec") return false;
  Expr* rest = nullptr;
  if (would_match([&] { return (rest = star_expressions()) != nullptr; })) {
    raise(join(left->span, rest->span),
          "Missing parentheses in call to '{}'. Did you mean {}(...)?", name, name);
  }
  return true;
}

// Two expressions with nothing between them, inside a bracket. `left` has been read, from the token
// `begin` on.
void Parser::diagnose_missing_comma(Expr* left, size_t begin) {
  if (error_ || !starts_expression(peek())) return;
  if (diagnose_print_statement(left)) return;
  const Token& first = tokens_[begin];
  const Token& second = token(begin + 1);
  if (first.kind == TokenKind::Name && second.kind == TokenKind::String) return;
  if (first.kind == TokenKind::Name &&
      (text(first) == "match" || text(first) == "case" || text(first) == "_"))
    return;
  Expr* right = nullptr;
  uint16_t level = 0;
  const bool follows = would_match([&] {
    right = expression();
    level = previous().level;
    return right != nullptr;
  });
  if (!follows) return;
  if (level > 0)
    raise(join(left->span, right->span), "invalid syntax. Perhaps you forgot a comma?");
}

Expr* Parser::expression() {
  const DepthGuard guard(depth_);
  if (guard.too_deep()) return raise_now(peek().span, "too many nested expressions");
  if (at(TokenKind::KwLambda)) return lambda();
  const size_t begin = position_;
  const uint32_t offset = peek().span.begin;
  Expr* value = disjunction();
  if (value == nullptr) return nullptr;
  if (diagnosing_) diagnose_missing_comma(value, begin);
  if (error_) return nullptr;
  if (!at(TokenKind::KwIf)) return value;
  const size_t keyword = position_;
  position_++;
  Expr* condition = disjunction();
  if (condition == nullptr) {
    // A comprehension's `if`, or a mistake that a later rule reports.
    position_ = keyword;
    return diagnosing_ && error_ ? nullptr : value;
  }
  if (!at(TokenKind::KwElse)) {
    if (!at(TokenKind::Colon)) {
      raise(join(value->span, condition->span), "expected 'else' after 'if' expression");
      if (error_) return nullptr;
    }
    position_ = keyword;
    return value;
  }
  position_++;
  Expr* otherwise = expression();
  if (otherwise == nullptr) {
    position_ = keyword;
    return error_ ? nullptr : value;
  }
  return make<ConditionalExpr>(Expr{ExprKind::Conditional, false, span_from(offset)}, condition,
                               value, otherwise);
}

Expr* Parser::yield_expression() {
  const uint32_t begin = peek().span.begin;
  position_++;
  if (accept(TokenKind::KwFrom)) {
    Expr* value = expression();
    if (value == nullptr) return nullptr;
    return make<YieldFromExpr>(Expr{ExprKind::YieldFrom, false, span_from(begin)}, value);
  }
  Expr* value = nullptr;
  if (starts_expression(peek()) || at(TokenKind::Star)) {
    value = star_expressions();
    if (value == nullptr) return nullptr;
  }
  return make<YieldExpr>(Expr{ExprKind::Yield, false, span_from(begin)}, value);
}

Expr* Parser::lambda() {
  const uint32_t begin = peek().span.begin;
  position_++;
  std::vector<Parameter> list;
  if (!parameters(list, TokenKind::Colon, false) || !colon()) return nullptr;
  Expr* body = expression();
  if (body == nullptr) return nullptr;
  if (at(TokenKind::ColonEqual)) {
    return raise(span_from(begin), "cannot use assignment expressions with lambda");
  }
  return make<LambdaExpr>(Expr{ExprKind::Lambda, false, span_from(begin)}, arena_->copy(list),
                          body);
}

Expr* Parser::disjunction() {
  const uint32_t begin = peek().span.begin;
  Expr* first = conjunction();
  if (first == nullptr || !at(TokenKind::KwOr)) return first;
  std::vector<Expr*> values{first};
  while (accept(TokenKind::KwOr)) {
    Expr* next = conjunction();
    if (next == nullptr) return nullptr;
    values.push_back(next);
  }
  return make<BoolExpr>(Expr{ExprKind::Bool, false, span_from(begin)}, false, arena_->copy(values));
}

Expr* Parser::conjunction() {
  const uint32_t begin = peek().span.begin;
  Expr* first = inversion();
  if (first == nullptr || !at(TokenKind::KwAnd)) return first;
  std::vector<Expr*> values{first};
  while (accept(TokenKind::KwAnd)) {
    Expr* next = inversion();
    if (next == nullptr) return nullptr;
    values.push_back(next);
  }
  return make<BoolExpr>(Expr{ExprKind::Bool, false, span_from(begin)}, true, arena_->copy(values));
}

Expr* Parser::inversion() {
  if (!at(TokenKind::KwNot)) return comparison();
  const DepthGuard guard(depth_);
  if (guard.too_deep()) return raise_now(peek().span, "too many nested expressions");
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* operand = inversion();
  if (operand == nullptr) return nullptr;
  return make<UnaryExpr>(Expr{ExprKind::Unary, false, span_from(begin)}, UnaryOp::Not, operand);
}

bool Parser::comparison_operator(CompareOp& op) {
  struct Row {
    TokenKind token;
    CompareOp op;
  };
  static constexpr Row kRows[] = {
      {TokenKind::Less, CompareOp::Less},        {TokenKind::LessEqual, CompareOp::LessEqual},
      {TokenKind::EqualEqual, CompareOp::Equal}, {TokenKind::NotEqual, CompareOp::NotEqual},
      {TokenKind::Greater, CompareOp::Greater},  {TokenKind::GreaterEqual, CompareOp::GreaterEqual},
      {TokenKind::KwIn, CompareOp::In},
  };
  for (const Row& row : kRows) {
    if (!at(row.token)) continue;
    position_++;
    op = row.op;
    return true;
  }
  if (at(TokenKind::KwIs)) {
    position_++;
    op = accept(TokenKind::KwNot) ? CompareOp::IsNot : CompareOp::Is;
    return true;
  }
  if (at(TokenKind::KwNot) && peek(1).kind == TokenKind::KwIn) {
    position_ += 2;
    op = CompareOp::NotIn;
    return true;
  }
  return false;
}

Expr* Parser::comparison() {
  const uint32_t begin = peek().span.begin;
  Expr* first = bitwise_or();
  CompareOp op{};
  if (first == nullptr || !comparison_operator(op)) return first;
  std::vector<Expr*> operands{first};
  std::vector<CompareOp> ops;
  do {
    ops.push_back(op);
    Expr* next = bitwise_or();
    if (next == nullptr) return nullptr;
    operands.push_back(next);
  } while (comparison_operator(op));
  return make<CompareExpr>(Expr{ExprKind::Compare, false, span_from(begin)}, arena_->copy(operands),
                           arena_->copy(ops));
}

// Precedence climbing over `|` to `*`.
Expr* Parser::binary(int min_precedence) {
  const uint32_t begin = peek().span.begin;
  Expr* left = factor();
  while (left != nullptr) {
    const BinaryRow* row = kBinaryByToken[static_cast<size_t>(peek().kind)];
    if (row == nullptr || row->precedence <= min_precedence) return left;
    position_++;
    Expr* right = binary(row->precedence);
    if (right == nullptr) return nullptr;
    left = make<BinaryExpr>(Expr{ExprKind::Binary, false, span_from(begin)}, row->op, left, right);
  }
  return nullptr;
}

Expr* Parser::factor() {
  UnaryOp op{};
  if (at(TokenKind::Minus)) {
    op = UnaryOp::Negative;
  } else if (at(TokenKind::Plus)) {
    op = UnaryOp::Positive;
  } else if (at(TokenKind::Tilde)) {
    op = UnaryOp::Invert;
  } else {
    return power();
  }
  const DepthGuard guard(depth_);
  if (guard.too_deep()) return raise_now(peek().span, "too many nested expressions");
  const uint32_t begin = peek().span.begin;
  position_++;
  Expr* operand = factor();
  if (operand == nullptr) return nullptr;
  return make<UnaryExpr>(Expr{ExprKind::Unary, false, span_from(begin)}, op, operand);
}

Expr* Parser::power() {
  const uint32_t begin = peek().span.begin;
  Expr* base = primary();
  if (base == nullptr || !at(TokenKind::DoubleStar)) return base;
  const DepthGuard guard(depth_);
  if (guard.too_deep()) return raise_now(peek().span, "too many nested expressions");
  position_++;
  Expr* exponent = factor();
  if (exponent == nullptr) return nullptr;
  return make<BinaryExpr>(Expr{ExprKind::Binary, false, span_from(begin)}, BinaryOp::Power, base,
                          exponent);
}

Expr* Parser::primary() {
  const uint32_t begin = peek().span.begin;
  Expr* value = atom();
  while (value != nullptr) {
    if (at(TokenKind::Dot)) {
      position_++;
      if (!expect(TokenKind::Name)) return nullptr;
      value = make<AttributeExpr>(Expr{ExprKind::Attribute, false, span_from(begin)}, value,
                                  text(previous()));
    } else if (at(TokenKind::LeftParen)) {
      value = call(value);
      if (value != nullptr) value->span.begin = begin;
    } else if (at(TokenKind::LeftBracket)) {
      value = subscript(value);
      if (value != nullptr) value->span.begin = begin;
    } else {
      return value;
    }
  }
  return nullptr;
}

}  // namespace tsc::interp
