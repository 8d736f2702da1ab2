// Lists, tuples, sets, dicts, and the comprehensions that make them.
#include "core/system/stack_space.h"
#include "interp/compiler/compiler.h"

namespace tsc::interp {

using namespace ast;

namespace {

// Displays are built in pieces of this size, so that they need few registers.
constexpr size_t kPiece = 64;

bool has_star(std::span<Expr* const> items) {
  for (const Expr* item : items) {
    if (item->kind == ExprKind::Starred) return true;
  }
  return false;
}

}  // namespace

void FunctionCompiler::sequence(const SequenceExpr& expr, int dest) {
  const std::span<Expr* const> items = expr.items;
  if (expr.kind == ExprKind::Set) {
    const int set = out_.temporary();
    out_.set_span(expr.span);
    out_.emit(Opcode::BuildSet, set, 0, 0);
    for (const Expr* item : items) {
      const Temporaries temporaries(out_);
      const bool is_star = item->kind == ExprKind::Starred;
      const Operand operand = value(is_star ? *as<StarredExpr>(*item).value : *item);
      out_.set_span(expr.span);
      out_.emit(is_star ? Opcode::SetUpdate : Opcode::SetAdd, set, operand.reg, 0,
                operand.drop(kDropB));
    }
    out_.emit(Opcode::Take, dest, set);
    return;
  }
  const bool is_tuple = expr.kind == ExprKind::Tuple;
  if (items.size() <= kPiece && !has_star(items)) {
    const int first = out_.temporary(static_cast<int>(items.size()));
    for (size_t i = 0; i < items.size(); i++) into(*items[i], first + static_cast<int>(i));
    out_.set_span(expr.span);
    out_.emit(is_tuple ? Opcode::BuildTuple : Opcode::BuildList, dest, first,
              static_cast<int>(items.size()));
    return;
  }
  const int list = out_.temporary();
  out_.set_span(expr.span);
  build_list(items, list);
  out_.set_span(expr.span);
  if (is_tuple) out_.emit(Opcode::ListToTuple, list);
  out_.emit(Opcode::Take, dest, list);
}

// A list of any length, with stars.
void FunctionCompiler::build_list(std::span<Expr* const> items, int dest) {
  const SourceSpan span = out_.span();
  out_.emit(Opcode::BuildList, dest, 0, 0);
  for (const Expr* item : items) {
    const Temporaries temporaries(out_);
    const bool is_star = item->kind == ExprKind::Starred;
    const Operand operand = value(is_star ? *as<StarredExpr>(*item).value : *item);
    out_.set_span(is_star ? item->span : span);
    out_.emit(is_star ? Opcode::ListExtend : Opcode::ListAppend, dest, operand.reg, 0,
              operand.drop(kDropB));
  }
}

void FunctionCompiler::dict_display(const DictExpr& expr, int dest) {
  bool has_spread = false;
  for (const DictItem& item : expr.items) has_spread = has_spread || item.key == nullptr;
  if (!has_spread && expr.items.size() <= kPiece) {
    const auto count = static_cast<int>(expr.items.size());
    const int first = out_.temporary(2 * count);
    for (int i = 0; i < count; i++) {
      into(*expr.items[static_cast<size_t>(i)].key, first + 2 * i);
      into(*expr.items[static_cast<size_t>(i)].value, first + 2 * i + 1);
    }
    out_.set_span(expr.span);
    out_.emit(Opcode::BuildDict, dest, first, count);
    return;
  }
  const int dict = out_.temporary();
  out_.set_span(expr.span);
  out_.emit(Opcode::BuildDict, dict, 0, 0);
  for (const DictItem& item : expr.items) {
    const Temporaries temporaries(out_);
    if (item.key == nullptr) {
      const Operand other = value(*item.value);
      out_.set_span(item.value->span);
      out_.emit(Opcode::DictUpdate, dict, other.reg, 0, other.drop(kDropB));
      continue;
    }
    const Operand key = value(*item.key);
    const Operand operand = value(*item.value);
    out_.set_span(expr.span);
    out_.emit(Opcode::DictSet, dict, key.reg, operand.reg, key.drop(kDropB) | operand.drop(kDropC));
  }
  out_.emit(Opcode::Take, dest, dict);
}

// --- Loops

// `range(...)` by its plain name: the loop then needs no range object, if the name still means the
// builtin.
bool FunctionCompiler::is_range_call(const Expr& expr) {
  if (expr.kind != ExprKind::Call) return false;
  const auto& call = as<CallExpr>(expr);
  if (call.function->kind != ExprKind::Name || as<NameExpr>(*call.function).name != "range")
    return false;
  if (lookup("range").kind != VariableKind::Global) return false;
  if (call.arguments.empty() || call.arguments.size() > 3) return false;
  for (const Argument& argument : call.arguments) {
    if (argument.star || argument.double_star || argument.is_keyword) return false;
  }
  return true;
}

// Evaluates an iterable into `state` and the registers behind it.
void FunctionCompiler::prepare_loop(const Expr& iterable, SourceSpan span, int state,
                                    bool is_range) {
  const Temporaries temporaries(out_);
  if (!is_range) {
    const Operand source = value(iterable, state);
    out_.set_span(span);
    out_.emit(Opcode::GetIterator, state, source.reg, 0, source.drop(kDropB));
    return;
  }
  // The callee and its arguments, from `state` on; a loop over range() has three registers.
  const auto& call = as<CallExpr>(iterable);
  const auto count = static_cast<int>(call.arguments.size());
  if (count > 2) out_.temporary(count - 2);
  load_name(as<NameExpr>(*call.function), state);
  for (int i = 0; i < count; i++)
    into(*call.arguments[static_cast<size_t>(i)].value, state + 1 + i);
  out_.set_span(iterable.span);
  out_.emit(Opcode::RangeIterator, state, 0, out_.call_site(), count);
}

// Control continues behind the loop when the iterator has ended and is released.
void FunctionCompiler::run_loop(SourceSpan span, const Expr& target,
                                const std::function<void()>& body, Label& on_continue, int state,
                                bool is_range) {
  const Assigned before = assigned_;
  Label again;
  out_.jump(Opcode::Jump, on_continue);
  out_.bind(again);
  int item = -1;
  {
    const Temporaries temporaries(out_);
    if (is_local_target(target, item)) {
      if (!lookup(as<NameExpr>(target).name).is_deleted) assigned_.add(item);
    } else {
      item = out_.temporary();
      assign_to(target, {item, true});
    }
  }
  body();
  out_.bind(on_continue);
  out_.set_span(span);
  out_.iterate_jump(is_range ? Opcode::ForRange : Opcode::ForIter, again, state, item);
  assigned_ = before;
}

// --- Comprehensions

void FunctionCompiler::comprehension(const ComprehensionExpr& expr, int dest) {
  if (expr.comprehension == ComprehensionKind::Generator) {
    generator_expression(expr, dest);
    return;
  }
  const int result = out_.temporary();
  const auto element = [&] {
    const Temporaries temporaries(out_);
    const Operand item = value(*expr.element);
    if (expr.comprehension == ComprehensionKind::Dict) {
      const Operand operand = value(*expr.value);
      out_.set_span(expr.span);
      out_.emit(Opcode::DictSet, result, item.reg, operand.reg,
                item.drop(kDropB) | operand.drop(kDropC));
    } else {
      const bool is_list = expr.comprehension == ComprehensionKind::List;
      out_.set_span(expr.span);
      out_.emit(is_list ? Opcode::ListAppend : Opcode::SetAdd, result, item.reg, 0,
                item.drop(kDropB));
    }
  };
  const Opcode build = expr.comprehension == ComprehensionKind::List  ? Opcode::BuildList
                       : expr.comprehension == ComprehensionKind::Set ? Opcode::BuildSet
                                                                      : Opcode::BuildDict;
  out_.set_span(expr.span);
  out_.emit(build, result, 0, 0);
  comprehension_clause(expr, 0, element);
  out_.emit(Opcode::Take, dest, result);
}

// Compiles `for` clause number `index` and all after it, with `element` in the innermost loop.
void FunctionCompiler::comprehension_clause(const ComprehensionExpr& expr, size_t index,
                                            const std::function<void()>& element) {
  if (index == expr.clauses.size()) {
    element();
    return;
  }
  if (stack_is_low()) {
    error(expr.span, "too many statically nested blocks");
    return;
  }
  const ComprehensionClause& clause = expr.clauses[index];
  const Temporaries temporaries(out_);
  const bool is_function = expr.comprehension == ComprehensionKind::Generator;
  const bool is_range = !(is_function && index == 0) && is_range_call(*clause.iterable);
  const int state = out_.temporary(is_range ? 3 : 2);
  Label test;
  const auto body = [&] {
    for (const Expr* condition : clause.conditions) jump_if(*condition, test, false);
    comprehension_clause(expr, index + 1, element);
  };
  if (is_function && index == 0) {
    // The caller has evaluated the first iterable and made its iterator.
    out_.set_span(clause.iterable->span);
    out_.emit(Opcode::GetIterator, state, 0);
  } else {
    prepare_loop(*clause.iterable, expr.span, state, is_range);
  }
  if (is_function || index > 0) {
    run_loop(expr.span, *clause.target, body, test, state, is_range);
    return;
  }
  // The first iterable belongs to the outer scope; only now do the comprehension's variables exist.
  Scope& scope = unit_.scopes.of(&expr);
  enter_comprehension(scope, expr.clauses.size() > 1);
  run_loop(expr.span, *clause.target, body, test, state, is_range);
  leave_comprehension(scope);
}

// Gives the comprehension's own variables their registers.
void FunctionCompiler::enter_comprehension(Scope& scope, bool may_be_unbound) {
  scope_ = &scope;
  for (const std::string_view name : scope.order) {
    Symbol& symbol = *scope.find(name);
    if (!symbol.is_bound) continue;
    symbol.index = out_.temporary();
    assigned_.remove(symbol.index);
    const bool is_cell = symbol.kind == VariableKind::Cell;
    if (is_cell || may_be_unbound) out_.emit(Opcode::Unbind, symbol.index);
    if (is_cell) out_.emit(Opcode::MakeCell, symbol.index);
  }
}

void FunctionCompiler::leave_comprehension(Scope& scope) {
  for (const std::string_view name : scope.order) {
    const Symbol& symbol = *scope.find(name);
    if (!symbol.is_bound) continue;
    out_.emit(Opcode::Clear, symbol.index);
    assigned_.remove(symbol.index);
  }
  scope_ = scope.parent;
}

void FunctionCompiler::generator_expression(const ComprehensionExpr& expr, int dest) {
  std::shared_ptr<Code> code =
      compile_child(unit_.scopes.of(&expr),
                    [&](FunctionCompiler& compiler) { return compiler.compile_generator(expr); });
  const int function = out_.temporary(2);
  out_.set_span(expr.span);
  make_function(std::move(code), {}, nullptr, function);
  const Expr& iterable = *expr.clauses[0].iterable;
  into(iterable, function + 1);
  out_.set_span(iterable.span);
  out_.emit(Opcode::GetIterator, function + 1, function + 1, 0, kDropB | kInPlace);
  out_.set_span(expr.span);
  out_.emit(Opcode::Call, dest, function, out_.call_site(), 1);
}

}  // namespace tsc::interp
