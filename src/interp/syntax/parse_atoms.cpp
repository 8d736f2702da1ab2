// Atoms, displays and comprehensions.
#include <charconv>
#include <cstdlib>

#include "interp/syntax/characters.h"
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

Expr* Parser::atom() {
  const Token first = peek();
  const auto constant = [&](ConstantKind kind) -> Expr* {
    position_++;
    return make<ConstantExpr>(Expr{ExprKind::Constant, false, first.span}, kind);
  };
  if (first.kind == TokenKind::Name) {
    position_++;
    return make<NameExpr>(Expr{ExprKind::Name, false, first.span}, text(first));
  }
  if (first.kind == TokenKind::Number) return number();
  if (first.kind == TokenKind::String) return strings();
  if (first.kind == TokenKind::LeftParen) return parenthesised();
  if (first.kind == TokenKind::LeftBracket) return list_display();
  if (first.kind == TokenKind::LeftBrace) return brace_display();
  if (first.kind == TokenKind::KwNone) return constant(ConstantKind::None);
  if (first.kind == TokenKind::KwTrue) return constant(ConstantKind::True);
  if (first.kind == TokenKind::KwFalse) return constant(ConstantKind::False);
  if (first.kind == TokenKind::Ellipsis) return constant(ConstantKind::Ellipsis);
  return nullptr;
}

Expr* Parser::number() {
  const Token t = peek();
  position_++;
  std::string digits;
  for (const char c : text(t)) {
    if (c != '_') digits += c;
  }
  auto* result = make<ConstantExpr>(Expr{ExprKind::Constant, false, t.span}, ConstantKind::Int);
  const char last = digits.back();
  int base = 10;
  size_t prefix = 0;
  if (digits.size() > 1 && digits[0] == '0') {
    const char kind = static_cast<char>(digits[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    prefix = base == 10 ? 0 : 2;
  }
  const bool is_imaginary = base == 10 && (last == 'j' || last == 'J');
  if (is_imaginary || (base == 10 && digits.find_first_of(".eE") != std::string::npos)) {
    result->constant = is_imaginary ? ConstantKind::Imaginary : ConstantKind::Float;
    result->number = std::strtod(digits.c_str(), nullptr);
    return result;
  }
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data() + prefix, digits.data() + digits.size(), value, base);
  // 2**63 is kept, so that its negative has a value.
  result->too_large = error != std::errc{} || value > static_cast<uint64_t>(INT64_MAX);
  result->integer = static_cast<int64_t>(value);
  if (error != std::errc{}) result->integer = 0;
  return result;
}

Expr* Parser::parenthesised() {
  const uint32_t begin = peek().span.begin;
  position_++;
  const auto whole = [&](ExprKind kind) { return Expr{kind, true, span_from(begin)}; };
  if (accept(TokenKind::RightParen)) return make<SequenceExpr>(whole(ExprKind::Tuple), ExprList{});
  if (at(TokenKind::KwYield)) {
    Expr* value = yield_expression();
    if (value == nullptr || !expect(TokenKind::RightParen)) return nullptr;
    value->parenthesized = true;
    return value;
  }
  if (at(TokenKind::DoubleStar)) {
    const Token star = peek();
    position_++;
    if (would_match([&] { return expression() != nullptr && at(TokenKind::RightParen); })) {
      return raise(star.span, "cannot use double starred expression here");
    }
    return nullptr;
  }
  Expr* first = star_named_expression();
  if (first == nullptr) return nullptr;
  if (at(TokenKind::KwFor)) {
    if (first->kind == ExprKind::Starred) {
      return raise(first->span, "iterable unpacking cannot be used in comprehension");
    }
    Expr* result = comprehension(ComprehensionKind::Generator, first, nullptr, begin);
    if (result == nullptr || !expect(TokenKind::RightParen)) return nullptr;
    result->span = span_from(begin);
    result->parenthesized = true;
    return result;
  }
  if (!at(TokenKind::Comma)) {
    if (first->kind == ExprKind::Starred) {
      if (at(TokenKind::RightParen))
        return raise(first->span, "cannot use starred expression here");
      return nullptr;
    }
    if (!expect(TokenKind::RightParen)) return nullptr;
    first->parenthesized = true;
    return first;
  }
  std::vector<Expr*> items{first};
  while (accept(TokenKind::Comma)) {
    if (at(TokenKind::RightParen)) break;
    Expr* next = star_named_expression();
    if (next == nullptr) return nullptr;
    items.push_back(next);
  }
  if (!expect(TokenKind::RightParen)) return nullptr;
  return make<SequenceExpr>(whole(ExprKind::Tuple), arena_->copy(items));
}

// `[x, y for x, y in pairs]`
bool Parser::diagnose_comprehension_target(uint32_t begin, const std::vector<Expr*>& items) {
  if (!diagnosing_ || error_ || !at(TokenKind::KwFor)) return false;
  const uint32_t end = previous().span.end;
  std::vector<ComprehensionClause> clauses;
  if (!would_match([&] { return comprehension_clauses(clauses); })) return false;
  (void)items;
  raise({begin, end}, "did you forget parentheses around the comprehension target?");
  return true;
}

Expr* Parser::list_display() {
  const uint32_t begin = peek().span.begin;
  position_++;
  std::vector<Expr*> items;
  if (!at(TokenKind::RightBracket)) {
    Expr* first = star_named_expression();
    if (first == nullptr) return nullptr;
    if (at(TokenKind::KwFor)) {
      if (first->kind == ExprKind::Starred) {
        return raise(first->span, "iterable unpacking cannot be used in comprehension");
      }
      Expr* result = comprehension(ComprehensionKind::List, first, nullptr, begin);
      if (result == nullptr || !expect(TokenKind::RightBracket)) return nullptr;
      result->span = span_from(begin);
      return result;
    }
    items.push_back(first);
    while (accept(TokenKind::Comma)) {
      if (at(TokenKind::RightBracket)) break;
      if (diagnose_comprehension_target(first->span.begin, items)) return nullptr;
      Expr* next = star_named_expression();
      if (next == nullptr) return nullptr;
      items.push_back(next);
    }
    if (diagnose_comprehension_target(first->span.begin, items)) return nullptr;
  }
  if (!expect(TokenKind::RightBracket)) return nullptr;
  return make<SequenceExpr>(Expr{ExprKind::List, false, span_from(begin)}, arena_->copy(items));
}

// `{` begins a set, a dict or a comprehension of either.
Expr* Parser::brace_display() {
  const uint32_t begin = peek().span.begin;
  position_++;
  if (accept(TokenKind::RightBrace)) {
    return make<DictExpr>(Expr{ExprKind::Dict, false, span_from(begin)}, std::span<DictItem>{});
  }
  if (at(TokenKind::DoubleStar)) {
    const Token star = peek();
    DictItem item;
    if (!dict_item(item)) return nullptr;
    if (at(TokenKind::KwFor))
      return raise(star.span, "dict unpacking cannot be used in dict comprehension");
    return dict_display(begin, item);
  }
  Expr* first = star_named_expression();
  if (first == nullptr) return nullptr;
  if (at(TokenKind::Colon) && first->kind != ExprKind::Starred) {
    const size_t colon_index = position_;
    position_++;
    if (diagnose_dict_value(first)) return nullptr;
    position_ = colon_index + 1;
    Expr* value = expression();
    if (value == nullptr) return nullptr;
    if (at(TokenKind::KwFor)) {
      Expr* result = comprehension(ComprehensionKind::Dict, first, value, begin);
      if (result == nullptr || !expect(TokenKind::RightBrace)) return nullptr;
      result->span = span_from(begin);
      return result;
    }
    return dict_display(begin, {first, value});
  }
  if (at(TokenKind::KwFor)) {
    if (first->kind == ExprKind::Starred) {
      return raise(first->span, "iterable unpacking cannot be used in comprehension");
    }
    Expr* result = comprehension(ComprehensionKind::Set, first, nullptr, begin);
    if (result == nullptr || !expect(TokenKind::RightBrace)) return nullptr;
    result->span = span_from(begin);
    return result;
  }
  std::vector<Expr*> items{first};
  while (accept(TokenKind::Comma)) {
    if (at(TokenKind::RightBrace)) break;
    if (diagnose_comprehension_target(first->span.begin, items)) return nullptr;
    Expr* next = star_named_expression();
    if (next == nullptr) return nullptr;
    items.push_back(next);
  }
  if (diagnose_comprehension_target(first->span.begin, items)) return nullptr;
  if (!expect(TokenKind::RightBrace)) return nullptr;
  return make<SequenceExpr>(Expr{ExprKind::Set, false, span_from(begin)}, arena_->copy(items));
}

// Behind a key's colon: a value that is missing or starred.
bool Parser::diagnose_dict_value(Expr* key) {
  (void)key;
  if (!diagnosing_ || error_) return false;
  if (at(TokenKind::RightBrace) || at(TokenKind::Comma)) {
    raise(previous().span, "expression expected after dictionary key and ':'");
    return true;
  }
  if (at(TokenKind::Star)) {
    const Token star = peek();
    if (would_match([&] {
          position_++;
          return bitwise_or() != nullptr;
        })) {
      raise(join(star.span, last_token().span),
            "cannot use a starred expression in a dictionary value");
      return true;
    }
  }
  return false;
}

bool Parser::dict_item(DictItem& item) {
  if (accept(TokenKind::DoubleStar)) {
    item.value = bitwise_or();
    return item.value != nullptr;
  }
  item.key = expression();
  if (item.key == nullptr) return false;
  if (!accept(TokenKind::Colon)) {
    raise({item.key->span.end - 1, item.key->span.end}, "':' expected after dictionary key");
    return false;
  }
  if (diagnose_dict_value(item.key)) return false;
  item.value = expression();
  return item.value != nullptr;
}

Expr* Parser::dict_display(uint32_t begin, DictItem first) {
  std::vector<DictItem> items{first};
  while (accept(TokenKind::Comma)) {
    if (at(TokenKind::RightBrace)) break;
    if (!dict_item(items.emplace_back())) return nullptr;
  }
  if (!expect(TokenKind::RightBrace)) return nullptr;
  return make<DictExpr>(Expr{ExprKind::Dict, false, span_from(begin)}, arena_->copy(items));
}

bool Parser::comprehension_clauses(std::vector<ComprehensionClause>& clauses) {
  while (at(TokenKind::KwFor)) {
    position_++;
    ComprehensionClause clause;
    const Token keyword = previous();
    clause.target = targets(TargetUse::For);
    if (clause.target == nullptr) return false;
    if (!expect(TokenKind::KwIn)) return diagnose_for_target(keyword), false;
    clause.iterable = disjunction();
    if (clause.iterable == nullptr) return false;
    std::vector<Expr*> conditions;
    while (accept(TokenKind::KwIf)) {
      Expr* condition = disjunction();
      if (condition == nullptr) return false;
      conditions.push_back(condition);
    }
    clause.conditions = arena_->copy(conditions);
    clauses.push_back(clause);
  }
  return true;
}

Expr* Parser::comprehension(ComprehensionKind kind, Expr* element, Expr* value, uint32_t begin) {
  std::vector<ComprehensionClause> clauses;
  if (!comprehension_clauses(clauses)) return nullptr;
  return make<ComprehensionExpr>(Expr{ExprKind::Comprehension, false, span_from(begin)}, kind,
                                 element, value, arena_->copy(clauses));
}

}  // namespace tsc::interp
