// Calls, subscripts and parameter lists.
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

Expr* Parser::call(Expr* function) {
  const uint32_t open = peek().span.begin;
  position_++;
  std::vector<Argument> arguments;
  while (!at(TokenKind::RightParen)) {
    if (!argument(arguments)) return nullptr;
    if (at(TokenKind::KwFor)) {
      // A generator expression needs no parentheses of its own where it is the only argument.
      Argument& last = arguments.back();
      if (last.star || last.double_star) return nullptr;
      if (last.is_keyword) {
        return raise({last.span.begin, last.value->span.begin},
                     "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
      }
      const bool alone = arguments.size() == 1;
      Expr* generator =
          comprehension(ComprehensionKind::Generator, last.value, nullptr, last.value->span.begin);
      if (generator == nullptr) return nullptr;
      const bool trailing_comma = at(TokenKind::Comma) && peek(1).kind == TokenKind::RightParen;
      if (!alone || (at(TokenKind::Comma) && !trailing_comma) || trailing_comma) {
        return raise(generator->span, "Generator expression must be parenthesized");
      }
      if (!at(TokenKind::RightParen)) return nullptr;
      generator->span = {open, peek().span.end};
      last.value = generator;
      last.span = generator->span;
    }
    if (!accept(TokenKind::Comma)) break;
  }
  if (!expect(TokenKind::RightParen)) return nullptr;
  if (!check_argument_order(arguments)) return nullptr;
  return make<CallExpr>(Expr{ExprKind::Call, false, span_from(function->span.begin)}, function,
                        arena_->copy(arguments));
}

bool Parser::argument(std::vector<Argument>& arguments) {
  const Token first = peek();
  Argument item;
  if (accept(TokenKind::Star)) {
    item.star = true;
    item.value = expression();
  } else if (accept(TokenKind::DoubleStar)) {
    item.double_star = true;
    item.value = expression();
  } else if (first.kind == TokenKind::Name && peek(1).kind == TokenKind::Equal) {
    position_ += 2;
    item.is_keyword = true;
    item.name = text(first);
    item.value = expression();
  } else if (first.kind == TokenKind::Name && peek(1).kind == TokenKind::ColonEqual) {
    item.value = named_expression();
  } else {
    item.value = expression();
    if (item.value != nullptr && at(TokenKind::Equal)) {
      const SourceSpan span = join(item.value->span, peek().span);
      if (item.value->kind == ExprKind::Constant &&
          as<ConstantExpr>(*item.value).constant <= ConstantKind::False) {
        raise(span, "cannot assign to {}", describe(*item.value));
      } else {
        raise(span, "expression cannot contain assignment, perhaps you meant \"==\"?");
      }
      return false;
    }
  }
  if (item.value == nullptr) return false;
  item.span = span_from(first.span.begin);
  arguments.push_back(item);
  if (diagnosing_ && arguments.size() > 1) return check_argument_order(arguments);
  return true;
}

bool Parser::check_argument_order(const std::vector<Argument>& arguments) {
  bool keyword = false;
  bool unpacking = false;
  for (const Argument& item : arguments) {
    if (item.double_star) {
      unpacking = true;
    } else if (item.is_keyword) {
      keyword = true;
    } else if (item.star) {
      if (unpacking) {
        raise({item.span.begin, item.span.begin + 1},
              "iterable argument unpacking follows keyword argument unpacking");
        return false;
      }
    } else if (keyword || unpacking) {
      raise_here("positional argument follows keyword argument{}", unpacking ? " unpacking" : "");
      return false;
    }
  }
  return true;
}

Expr* Parser::subscript(Expr* object) {
  position_++;
  const uint32_t begin = peek().span.begin;
  Expr* index = slice();
  if (index == nullptr) return nullptr;
  if (at(TokenKind::Comma)) {
    std::vector<Expr*> items{index};
    while (accept(TokenKind::Comma)) {
      if (at(TokenKind::RightBracket)) break;
      Expr* next = slice();
      if (next == nullptr) return nullptr;
      items.push_back(next);
    }
    index = make<SequenceExpr>(Expr{ExprKind::Tuple, false, span_from(begin)}, arena_->copy(items));
  } else if (index->kind == ExprKind::Starred) {
    std::vector<Expr*> items{index};
    index = make<SequenceExpr>(Expr{ExprKind::Tuple, false, span_from(begin)}, arena_->copy(items));
  }
  if (!expect(TokenKind::RightBracket)) return nullptr;
  return make<SubscriptExpr>(Expr{ExprKind::Subscript, false, span_from(object->span.begin)},
                             object, index);
}

Expr* Parser::slice() {
  const uint32_t begin = peek().span.begin;
  Expr* lower = nullptr;
  if (!at(TokenKind::Colon)) {
    lower = star_named_expression();
    if (lower == nullptr || !at(TokenKind::Colon) || lower->kind == ExprKind::Starred) return lower;
  }
  position_++;
  const auto part = [&](Expr*& out) {
    if (!starts_expression(peek())) return true;
    out = expression();
    return out != nullptr;
  };
  Expr* upper = nullptr;
  Expr* step = nullptr;
  if (!part(upper)) return nullptr;
  if (accept(TokenKind::Colon) && !part(step)) return nullptr;
  return make<SliceExpr>(Expr{ExprKind::Slice, false, span_from(begin)}, lower, upper, step);
}

bool Parser::parameter(Parameter& item, bool annotations) {
  const Token name = peek();
  if (!expect(TokenKind::Name)) return false;
  item.name = text(name);
  item.span = name.span;
  if (annotations && accept(TokenKind::Colon)) {
    item.annotation = item.kind == ParameterKind::VarArgs ? star_expression() : expression();
    if (item.annotation == nullptr) return false;
    item.span = span_from(name.span.begin);
  }
  return true;
}

// Everything up to `end`, which is not consumed.
bool Parser::parameters(std::vector<Parameter>& list, TokenKind end, bool annotations) {
  const char* const what = annotations ? "Function" : "Lambda expression";
  bool seen_slash = false;
  bool seen_star = false;
  bool seen_default = false;
  while (!at(end)) {
    const Token first = peek();
    if (first.kind == TokenKind::Slash) {
      if (list.empty()) {
        if (peek(1).kind == TokenKind::Comma)
          raise(first.span, "at least one argument must precede /");
        return false;
      }
      if (seen_slash) return raise(first.span, "/ may appear only once"), false;
      if (seen_star) return raise(first.span, "/ must be ahead of *"), false;
      seen_slash = true;
      position_++;
      for (Parameter& item : list) item.kind = ParameterKind::PositionalOnly;
      if (at(TokenKind::Star)) return raise(peek().span, "expected comma between / and *"), false;
    } else if (first.kind == TokenKind::Star) {
      if (seen_star) return raise(first.span, "* argument may appear only once"), false;
      seen_star = true;
      position_++;
      if (at(TokenKind::Name)) {
        Parameter item;
        item.kind = ParameterKind::VarArgs;
        if (!parameter(item, annotations)) return false;
        if (at(TokenKind::Equal)) {
          return raise(peek().span, "var-positional argument cannot have default value"), false;
        }
        list.push_back(item);
      } else {
        const bool nothing_follows =
            at(end) || (at(TokenKind::Comma) &&
                        (peek(1).kind == end || peek(1).kind == TokenKind::DoubleStar));
        if (nothing_follows) {
          return raise(annotations ? first.span : last_token().span,
                       "named arguments must follow bare *"),
                 false;
        }
        if (!at(TokenKind::Comma)) return false;
      }
    } else if (first.kind == TokenKind::DoubleStar) {
      position_++;
      Parameter item;
      item.kind = ParameterKind::VarKeywords;
      if (!parameter(item, annotations)) return false;
      if (at(TokenKind::Equal))
        return raise(peek().span, "var-keyword argument cannot have default value"), false;
      list.push_back(item);
      if (!accept(TokenKind::Comma) || at(end)) return true;
      const TokenKind next = peek().kind;
      if (next == TokenKind::Name || next == TokenKind::Star || next == TokenKind::DoubleStar ||
          next == TokenKind::Slash) {
        Parameter after;
        const Token t = peek();
        if (next == TokenKind::Name) parameter(after, annotations);
        return raise(next == TokenKind::Name ? after.span : t.span,
                     "arguments cannot follow var-keyword argument"),
               false;
      }
      return false;
    } else if (first.kind == TokenKind::LeftParen) {
      const size_t begin = position_;
      position_++;
      bool names = at(TokenKind::Name);
      while (accept(TokenKind::Name) && accept(TokenKind::Comma)) {
      }
      names = names && at(TokenKind::RightParen);
      if (names)
        raise(join(first.span, peek().span), "{} parameters cannot be parenthesized", what);
      position_ = begin;
      return false;
    } else {
      Parameter item;
      item.kind = seen_star ? ParameterKind::KeywordOnly : ParameterKind::Positional;
      if (!parameter(item, annotations)) return false;
      if (at(TokenKind::Equal)) {
        const Token equal = peek();
        position_++;
        if (at(end) || at(TokenKind::Comma))
          return raise(equal.span, "expected default value expression"), false;
        item.default_value = expression();
        if (item.default_value == nullptr) return false;
        seen_default = seen_default || !seen_star;
      } else if (seen_default && !seen_star) {
        return raise(item.span, "non-default argument follows default argument"), false;
      }
      list.push_back(item);
    }
    if (!accept(TokenKind::Comma)) break;
  }
  return at(end);
}

}  // namespace tsc::interp
