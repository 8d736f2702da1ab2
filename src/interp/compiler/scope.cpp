#include "interp/compiler/scope.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/system/stack_space.h"

namespace tsc::interp {

using namespace ast;

Symbol* Scope::find(std::string_view name) {
  const auto found = symbols.find(name);
  return found == symbols.end() ? nullptr : &found->second;
}

namespace {

bool is_string(const Stmt& stmt) {
  if (stmt.kind != StmtKind::Expression) return false;
  const Expr& expr = *as<ExpressionStmt>(stmt).value;
  return expr.kind == ExprKind::Constant && as<ConstantExpr>(expr).constant == ConstantKind::String;
}

bool is_future_import(const Stmt& stmt) {
  return stmt.kind == StmtKind::ImportFrom && as<ImportFromStmt>(stmt).level == 0 &&
         as<ImportFromStmt>(stmt).module == "__future__";
}

// What CPython 3.11 knows; all but annotations are long part of the language.
constexpr std::string_view kFutureFeatures[] = {
    "nested_scopes",  "generators",       "division",       "absolute_import", "with_statement",
    "print_function", "unicode_literals", "barry_as_FLUFL", "generator_stop",  "annotations",
};

}  // namespace

// Walks the tree once, opens the scopes and notes how each uses its names.
class ScopeBuilder {
 public:
  ScopeBuilder(ScopeTable& table, SyntaxDiagnostics& diagnostics)
      : table_(table), diagnostics_(diagnostics) {}

  void run(const Tree& tree) {
    open(ScopeKind::Module, nullptr);
    for (const Stmt* stmt : tree.body) {
      const bool is_docstring = stmt == tree.body.front() && is_string(*stmt);
      futures_may_follow_ &= is_docstring || is_future_import(*stmt);
      statement(*stmt);
    }
  }

 private:
  Scope& open(ScopeKind kind, const void* node) {
    auto scope = std::make_unique<Scope>();
    scope->kind = kind;
    scope->parent = scope_;
    scope_ = scope.get();
    table_.scopes_.push_back(std::move(scope));
    if (node != nullptr) table_.by_node_[node] = scope_;
    return *scope_;
  }
  void close() { scope_ = scope_->parent; }

  template <class... Args>
  void error(SourceSpan span, fmt::format_string<Args...> format, Args&&... args) {
    SyntaxDiagnostic diagnostic;
    diagnostic.message = fmt::format(format, std::forward<Args>(args)...);
    diagnostic.span = span;
    diagnostics_.push_back(std::move(diagnostic));
  }

  static Symbol& symbol(Scope& scope, std::string_view name, SourceSpan span) {
    const auto [place, is_new] = scope.symbols.try_emplace(name);
    if (is_new) {
      place->second.span = span;
      scope.order.push_back(name);
    }
    return place->second;
  }

  void use(std::string_view name, SourceSpan span) { symbol(*scope_, name, span).is_used = true; }

  // `__debug__` is a constant.
  void check_writable(std::string_view name, SourceSpan span,
                      std::string_view doing = "assign to") {
    if (name == "__debug__") error(span, "cannot {} __debug__", doing);
  }

  void bind(std::string_view name, SourceSpan span) {
    check_writable(name, span);
    symbol(*scope_, name, span).is_bound = true;
  }

  // `name := value` binds in the scope around all comprehensions.
  void bind_named(const NamedExpr& expr) {
    check_writable(expr.target->name, expr.target->span);
    Scope* scope = scope_;
    for (; !scope->has_frame() || scope->kind == ScopeKind::GeneratorExpression;
         scope = scope->parent) {
      const Symbol* variable = scope->find(expr.target->name);
      if (variable != nullptr && variable->is_bound) {
        error(expr.target->span,
              "assignment expression cannot rebind comprehension iteration variable '{}'",
              expr.target->name);
        return;
      }
      scope->has_walrus = true;
      if (scope->kind == ScopeKind::GeneratorExpression) {
        symbol(*scope, expr.target->name, expr.target->span).is_used = true;
        symbol(*scope, expr.target->name, expr.target->span).is_nonlocal = true;
      }
    }
    scope->has_walrus = true;
    symbol(*scope, expr.target->name, expr.target->span).is_bound = true;
    if (scope->kind == ScopeKind::Module) {
      // In a generator expression at module level, the name is the module's.
      for (Scope* inner = scope_; inner != scope; inner = inner->parent) {
        if (Symbol* variable = inner->find(expr.target->name)) {
          variable->is_nonlocal = false;
          variable->is_global = true;
        }
      }
    }
  }

  void statements(StmtList list) {
    for (const Stmt* stmt : list) statement(*stmt);
  }
  void expressions(ExprList list) {
    for (const Expr* expr : list) expression(expr);
  }

  void statement(const Stmt& stmt);
  void expression(const Expr* expr);
  void target(const Expr& expr);
  void deletion(const Expr& expr);
  void future_features(const ImportFromStmt& stmt);
  void function(const FunctionStmt& stmt);
  void bind_parameters(std::span<Parameter> parameters);
  void parameter_values(std::span<Parameter> parameters);
  void comprehension(const ComprehensionExpr& expr);
  void comprehension_iterable(const Expr* expr);
  void declare(const ScopeStmt& stmt);
  void yield(const Expr& expr);

  ScopeTable& table_;
  SyntaxDiagnostics& diagnostics_;
  Scope* scope_ = nullptr;
  bool futures_may_follow_ = true;
  int iterable_depth_ = 0;  // inside the iterable of a comprehension, where := is refused
};

void ScopeBuilder::declare(const ScopeStmt& stmt) {
  const bool is_global = stmt.kind == StmtKind::Global;
  const char* const word = is_global ? "global" : "nonlocal";
  if (!is_global && scope_->kind == ScopeKind::Module) {
    error(stmt.span, "nonlocal declaration not allowed at module level");
    return;
  }
  for (const std::string_view name : stmt.names) {
    const Symbol* known = scope_->find(name);
    if (known != nullptr) {
      if (known->is_parameter) {
        error(stmt.span, "name '{}' is parameter and {}", name, word);
        continue;
      }
      if (is_global ? known->is_nonlocal : known->is_global) {
        error(stmt.span, "name '{}' is nonlocal and global", name);
        continue;
      }
      if (known->is_used) {
        error(stmt.span, "name '{}' is used prior to {} declaration", name, word);
        continue;
      }
      if (known->is_bound) {
        error(stmt.span, "name '{}' is assigned to before {} declaration", name, word);
        continue;
      }
    }
    Symbol& variable = symbol(*scope_, name, stmt.span);
    (is_global ? variable.is_global : variable.is_nonlocal) = true;
  }
}

void ScopeBuilder::target(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Name: bind(as<NameExpr>(expr).name, expr.span); return;
    case ExprKind::Tuple:
    case ExprKind::List:
      for (const Expr* item : as<SequenceExpr>(expr).items) target(*item);
      return;
    case ExprKind::Starred: target(*as<StarredExpr>(expr).value); return;
    case ExprKind::Attribute:
      check_writable(as<AttributeExpr>(expr).name, expr.span);
      expression(&expr);
      return;
    case ExprKind::Subscript:
    case ExprKind::Constant:
    case ExprKind::FString:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Bool:
    case ExprKind::Compare:
    case ExprKind::Conditional:
    case ExprKind::Lambda:
    case ExprKind::Call:
    case ExprKind::Slice:
    case ExprKind::Set:
    case ExprKind::Dict:
    case ExprKind::Comprehension:
    case ExprKind::Named:
    case ExprKind::Yield:
    case ExprKind::YieldFrom: expression(&expr); return;
  }
}

void ScopeBuilder::future_features(const ImportFromStmt& stmt) {
  if (!is_future_import(stmt)) return;
  if (!futures_may_follow_) {
    error(stmt.span, "from __future__ imports must occur at the beginning of the file");
    return;
  }
  for (const ImportedName& item : stmt.names) {
    if (item.name == "braces") {
      error(stmt.span, "not a chance");
    } else if (std::find(std::begin(kFutureFeatures), std::end(kFutureFeatures), item.name) ==
               std::end(kFutureFeatures)) {
      error(stmt.span, "future feature {} is not defined", item.name);
    }
  }
}

void ScopeBuilder::deletion(const Expr& expr) {
  if (expr.kind == ExprKind::Name) {
    const std::string_view name = as<NameExpr>(expr).name;
    check_writable(name, expr.span, "delete");
    Symbol& variable = symbol(*scope_, name, expr.span);
    variable.is_bound = true;
    variable.is_deleted = true;
  } else if (expr.kind == ExprKind::Tuple || expr.kind == ExprKind::List) {
    for (const Expr* item : as<SequenceExpr>(expr).items) deletion(*item);
  } else {
    expression(&expr);
  }
}

void ScopeBuilder::parameter_values(std::span<Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    if (parameter.default_value != nullptr) expression(parameter.default_value);
    if (parameter.annotation != nullptr) expression(parameter.annotation);
  }
}

void ScopeBuilder::bind_parameters(std::span<Parameter> parameters) {
  for (const Parameter& parameter : parameters) {
    check_writable(parameter.name, parameter.span);
    Symbol& variable = symbol(*scope_, parameter.name, parameter.span);
    if (variable.is_parameter) {
      error(parameter.span, "duplicate argument '{}' in function definition", parameter.name);
    }
    variable.is_parameter = true;
    variable.is_bound = true;
  }
}

void ScopeBuilder::function(const FunctionStmt& stmt) {
  expressions(stmt.decorators);
  parameter_values(stmt.parameters);
  expression(stmt.returns);
  bind(stmt.name, stmt.span);
  open(ScopeKind::Function, &stmt);
  bind_parameters(stmt.parameters);
  statements(stmt.body);
  close();
}

void ScopeBuilder::yield(const Expr& expr) {
  if (!scope_->has_frame() || scope_->kind == ScopeKind::GeneratorExpression) {
    error(
        expr.span, "'yield' inside {}",
        scope_->kind == ScopeKind::GeneratorExpression ? "generator expression" : "comprehension");
  } else if (scope_->kind == ScopeKind::Module) {
    error(expr.span, "'yield' outside function");
  } else {
    scope_->is_generator = true;
  }
}

void ScopeBuilder::comprehension_iterable(const Expr* expr) {
  iterable_depth_++;
  expression(expr);
  iterable_depth_--;
}

void ScopeBuilder::comprehension(const ComprehensionExpr& expr) {
  // The first iterable is evaluated in the outer scope.
  comprehension_iterable(expr.clauses[0].iterable);
  const bool is_generator = expr.comprehension == ComprehensionKind::Generator;
  open(is_generator ? ScopeKind::GeneratorExpression : ScopeKind::Comprehension, &expr);
  scope_->is_generator = is_generator;
  for (const ComprehensionClause& clause : expr.clauses) {
    if (&clause != &expr.clauses[0]) comprehension_iterable(clause.iterable);
    target(*clause.target);
    expressions(clause.conditions);
  }
  expression(expr.element);
  expression(expr.value);
  close();
}

void ScopeBuilder::expression(const Expr* expr) {
  if (expr == nullptr) return;
  if (stack_is_low()) {
    error(expr->span, "too many nested expressions");
    return;
  }
  switch (expr->kind) {
    case ExprKind::Name: use(as<NameExpr>(*expr).name, expr->span); return;
    case ExprKind::Constant: return;
    case ExprKind::FString:
      for (const FStringPart& part : as<FStringExpr>(*expr).parts) {
        expression(part.value);
        expression(part.format);
      }
      return;
    case ExprKind::Unary: expression(as<UnaryExpr>(*expr).operand); return;
    case ExprKind::Binary: {
      // A long sum is nested to the left, so it is walked in a loop, not by recursion.
      const Expr* left = expr;
      std::vector<const Expr*> rights;
      for (; left->kind == ExprKind::Binary; left = as<BinaryExpr>(*left).left) {
        rights.push_back(as<BinaryExpr>(*left).right);
      }
      expression(left);
      for (size_t i = rights.size(); i-- > 0;) expression(rights[i]);
      return;
    }
    case ExprKind::Bool: expressions(as<BoolExpr>(*expr).values); return;
    case ExprKind::Compare: expressions(as<CompareExpr>(*expr).operands); return;
    case ExprKind::Conditional: {
      const auto& conditional = as<ConditionalExpr>(*expr);
      expression(conditional.condition);
      expression(conditional.if_true);
      expression(conditional.if_false);
      return;
    }
    case ExprKind::Lambda: {
      const auto& lambda = as<LambdaExpr>(*expr);
      parameter_values(lambda.parameters);
      open(ScopeKind::Lambda, expr);
      bind_parameters(lambda.parameters);
      expression(lambda.body);
      close();
      return;
    }
    case ExprKind::Call:
      expression(as<CallExpr>(*expr).function);
      for (const Argument& argument : as<CallExpr>(*expr).arguments) {
        check_writable(argument.name, expr->span);
        expression(argument.value);
      }
      return;
    case ExprKind::Attribute: expression(as<AttributeExpr>(*expr).object); return;
    case ExprKind::Subscript:
      expression(as<SubscriptExpr>(*expr).object);
      expression(as<SubscriptExpr>(*expr).index);
      return;
    case ExprKind::Slice:
      expression(as<SliceExpr>(*expr).lower);
      expression(as<SliceExpr>(*expr).upper);
      expression(as<SliceExpr>(*expr).step);
      return;
    case ExprKind::Starred: expression(as<StarredExpr>(*expr).value); return;
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Set: expressions(as<SequenceExpr>(*expr).items); return;
    case ExprKind::Dict:
      for (const DictItem& item : as<DictExpr>(*expr).items) {
        expression(item.key);
        expression(item.value);
      }
      return;
    case ExprKind::Comprehension: comprehension(as<ComprehensionExpr>(*expr)); return;
    case ExprKind::Named:
      if (iterable_depth_ > 0) {
        error(expr->span,
              "assignment expression cannot be used in a comprehension iterable expression");
      }
      bind_named(as<NamedExpr>(*expr));
      expression(as<NamedExpr>(*expr).value);
      return;
    case ExprKind::Yield:
      yield(*expr);
      expression(as<YieldExpr>(*expr).value);
      return;
    case ExprKind::YieldFrom:
      yield(*expr);
      expression(as<YieldFromExpr>(*expr).value);
      return;
  }
}

void ScopeBuilder::statement(const Stmt& stmt) {
  if (stack_is_low()) {
    error(stmt.span, "too many statically nested blocks");
    return;
  }
  switch (stmt.kind) {
    case StmtKind::Expression: expression(as<ExpressionStmt>(stmt).value); return;
    case StmtKind::Assign:
      expression(as<AssignStmt>(stmt).value);
      for (const Expr* item : as<AssignStmt>(stmt).targets) target(*item);
      return;
    case StmtKind::AugAssign:
      target(*as<AugAssignStmt>(stmt).target);
      expression(as<AugAssignStmt>(stmt).value);
      return;
    case StmtKind::AnnAssign: {
      const auto& assign = as<AnnAssignStmt>(stmt);
      if (assign.target->kind == ExprKind::Name) {
        const std::string_view name = as<NameExpr>(*assign.target).name;
        const Symbol* known = scope_->find(name);
        if (known != nullptr && (known->is_global || known->is_nonlocal)) {
          error(stmt.span, "annotated name '{}' can't be {}", name,
                known->is_global ? "global" : "nonlocal");
          return;
        }
      }
      target(*assign.target);
      expression(assign.annotation);
      expression(assign.value);
      return;
    }
    case StmtKind::Return: expression(as<ReturnStmt>(stmt).value); return;
    case StmtKind::Delete:
      for (const Expr* item : as<DeleteStmt>(stmt).targets) deletion(*item);
      return;
    case StmtKind::Pass:
    case StmtKind::Break:
    case StmtKind::Continue: return;
    case StmtKind::If: {
      // A chain of `elif`s is walked in a loop, not by recursion.
      const IfStmt* branch = &as<IfStmt>(stmt);
      while (true) {
        expression(branch->condition);
        statements(branch->body);
        const IfStmt* const next = branch->elif ();
        if (next == nullptr) break;
        branch = next;
      }
      statements(branch->otherwise);
      return;
    }
    case StmtKind::While:
      expression(as<WhileStmt>(stmt).condition);
      statements(as<WhileStmt>(stmt).body);
      statements(as<WhileStmt>(stmt).otherwise);
      return;
    case StmtKind::For: {
      const auto& loop = as<ForStmt>(stmt);
      expression(loop.iterable);
      target(*loop.target);
      statements(loop.body);
      statements(loop.otherwise);
      return;
    }
    case StmtKind::With:
      for (const WithItem& item : as<WithStmt>(stmt).items) {
        expression(item.context);
        if (item.target != nullptr) target(*item.target);
      }
      statements(as<WithStmt>(stmt).body);
      return;
    case StmtKind::Try:
      statements(as<TryStmt>(stmt).body);
      for (const ExceptHandler& handler : as<TryStmt>(stmt).handlers) {
        expression(handler.type);
        if (!handler.name.empty()) {
          bind(handler.name, handler.span);
          scope_->find(handler.name)->is_deleted = true;  // at the handler's end
        }
        statements(handler.body);
      }
      statements(as<TryStmt>(stmt).otherwise);
      statements(as<TryStmt>(stmt).finally);
      return;
    case StmtKind::Raise:
      expression(as<RaiseStmt>(stmt).exception);
      expression(as<RaiseStmt>(stmt).cause);
      return;
    case StmtKind::Assert:
      expression(as<AssertStmt>(stmt).condition);
      expression(as<AssertStmt>(stmt).message);
      return;
    case StmtKind::Function: function(as<FunctionStmt>(stmt)); return;
    case StmtKind::Import:
      for (const ImportedName& name : as<ImportStmt>(stmt).names) {
        bind(name.as.empty() ? name.name.substr(0, name.name.find('.')) : name.as, stmt.span);
      }
      return;
    case StmtKind::ImportFrom:
      future_features(as<ImportFromStmt>(stmt));
      for (const ImportedName& name : as<ImportFromStmt>(stmt).names) {
        if (name.name != "*") {
          bind(name.as.empty() ? name.name : name.as, stmt.span);
        } else if (scope_->kind != ScopeKind::Module) {
          error(stmt.span, "import * only allowed at module level");
        }
      }
      return;
    case StmtKind::Global:
    case StmtKind::Nonlocal: declare(as<ScopeStmt>(stmt)); return;
  }
}

ScopeTable::ScopeTable(const Tree& tree, SyntaxDiagnostics& diagnostics) {
  ScopeBuilder(*this, diagnostics).run(tree);
  for (const auto& scope : scopes_) resolve(*scope, diagnostics);
}

// Makes `name` of an outer function a free variable of `scope`, and of the functions in between.
// False where no outer function has the name.
bool ScopeTable::capture(Scope& scope, std::string_view name) {
  std::vector<Scope*> between;
  Scope* frame = &scope.frame_scope();
  for (Scope* outer = &scope; outer != nullptr; outer = outer->parent) {
    if (outer->kind == ScopeKind::Module) return false;
    Symbol* variable = outer == &scope ? nullptr : outer->find(name);
    if (variable != nullptr && variable->is_global) return false;
    if (variable != nullptr && variable->is_bound && !variable->is_nonlocal) {
      if (&outer->frame_scope() == frame) {
        // A comprehension's name that the function around it owns.
        scope.find(name)->kind =
            variable->kind == VariableKind::Cell ? VariableKind::Cell : VariableKind::Local;
        return true;
      }
      variable->kind = VariableKind::Cell;
      for (Scope* function : between) {
        Symbol& free = function->symbols[name];
        if (free.kind == VariableKind::Free) continue;
        free.kind = VariableKind::Free;
        free.index = static_cast<int>(function->captured.size());
        function->captured.push_back(name);
      }
      return true;
    }
    if (outer->has_frame()) between.push_back(outer);
  }
  return false;
}

void ScopeTable::resolve(Scope& scope, SyntaxDiagnostics& diagnostics) {
  for (const std::string_view name : scope.order) {
    Symbol& variable = scope.symbols[name];
    if (scope.kind == ScopeKind::Module || variable.is_global) {
      variable.kind = VariableKind::Global;
    } else if (variable.is_nonlocal) {
      if (!capture(scope, name)) {
        SyntaxDiagnostic diagnostic;
        diagnostic.message = fmt::format("no binding for nonlocal '{}' found", name);
        diagnostic.span = variable.span;
        diagnostics.push_back(std::move(diagnostic));
      }
    } else if (variable.is_bound) {
      // May have become a Cell already.
      if (variable.kind == VariableKind::Global) variable.kind = VariableKind::Local;
    } else {
      capture(scope, name);
    }
  }
}

}  // namespace tsc::interp
