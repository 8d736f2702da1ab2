// Targets of assignment and deletion.
#include "interp/syntax/parser.h"

namespace tsc::interp {

using namespace ast;

std::string_view ast::describe(const Expr& expr) {
  if (expr.kind == ExprKind::Constant) {
    switch (as<ConstantExpr>(expr).constant) {
      case ConstantKind::None: return "None";
      case ConstantKind::True: return "True";
      case ConstantKind::False: return "False";
      case ConstantKind::Ellipsis: return "ellipsis";
      case ConstantKind::Int:
      case ConstantKind::Float:
      case ConstantKind::Imaginary:
      case ConstantKind::String:
      case ConstantKind::Bytes: return "literal";
    }
  }
  if (expr.kind == ExprKind::Comprehension) {
    switch (as<ComprehensionExpr>(expr).comprehension) {
      case ComprehensionKind::List: return "list comprehension";
      case ComprehensionKind::Set: return "set comprehension";
      case ComprehensionKind::Dict: return "dict comprehension";
      case ComprehensionKind::Generator: return "generator expression";
    }
  }
  static constexpr std::string_view kNames[] = {
#define TSC_EXPR_TEXT(name, text) text,
      TSC_FORALL_EXPRS(TSC_EXPR_TEXT)
#undef TSC_EXPR_TEXT
  };
  return kNames[static_cast<size_t>(expr.kind)];
}

// The part of `target` that cannot be assigned to; null where all is well.
const ast::Expr* Parser::invalid_target(const Expr* target, TargetUse use) const {
  if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
    for (const Expr* item : as<SequenceExpr>(*target).items) {
      if (const Expr* invalid = invalid_target(item, use)) return invalid;
    }
    return nullptr;
  }
  if (target->kind == ExprKind::Starred) {
    if (use == TargetUse::Delete) return target;
    return invalid_target(as<StarredExpr>(*target).value, use);
  }
  if (target->kind == ExprKind::Compare && use == TargetUse::For) {
    // `for f() in x`: the comparison is really a target and the loop's `in`.
    const auto& comparison = as<CompareExpr>(*target);
    return comparison.ops[0] == CompareOp::In ? invalid_target(comparison.operands[0], use)
                                              : nullptr;
  }
  const bool is_valid = target->kind == ExprKind::Name || target->kind == ExprKind::Attribute ||
                        target->kind == ExprKind::Subscript;
  return is_valid ? nullptr : target;
}

bool Parser::check_target(const Expr* target, TargetUse use) {
  const Expr* invalid = invalid_target(target, use);
  if (invalid == nullptr) return true;
  raise(invalid->span, "cannot {} {}", use == TargetUse::Delete ? "delete" : "assign to",
        describe(*invalid));
  return false;
}

// There is no `in` behind the targets of the `for` at `keyword`.
std::nullptr_t Parser::diagnose_for_target(const Token& keyword) {
  if (!diagnosing_ || error_) return nullptr;
  while (tokens_[position_ - 1].span.begin != keyword.span.begin) position_--;
  Expr* target = star_expressions();
  if (target != nullptr && !error_) check_target(target, TargetUse::For);
  return nullptr;
}

// The targets of a `for`, up to its `in`.
ast::Expr* Parser::targets(TargetUse use) {
  const uint32_t begin = peek().span.begin;
  const auto single = [&]() -> Expr* {
    if (!at(TokenKind::Star)) return bitwise_or();
    const uint32_t star = peek().span.begin;
    position_++;
    Expr* value = bitwise_or();
    if (value == nullptr) return nullptr;
    return make<StarredExpr>(Expr{ExprKind::Starred, false, span_from(star)}, value);
  };
  Expr* first = single();
  if (first == nullptr) return nullptr;
  if (at(TokenKind::Comma)) {
    std::vector<Expr*> items{first};
    while (accept(TokenKind::Comma)) {
      if (!starts_expression(peek()) && !at(TokenKind::Star)) break;
      Expr* next = single();
      if (next == nullptr) return nullptr;
      items.push_back(next);
    }
    first = make<SequenceExpr>(Expr{ExprKind::Tuple, false, span_from(begin)}, arena_->copy(items));
  }
  return first->kind != ExprKind::Compare && check_target(first, use) ? first : nullptr;
}

}  // namespace tsc::interp
