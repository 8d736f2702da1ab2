// Statements other than try and with.
#include "core/system/stack_space.h"
#include "interp/compiler/compiler.h"

namespace tsc::interp {

using namespace ast;

namespace {

// An expression whose value is written by its last instruction only, so that it may read the
// variable that it is assigned to.
bool writes_once(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Name:
    case ExprKind::Constant:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Call:
    case ExprKind::Attribute:
    case ExprKind::Subscript:
    case ExprKind::FString: return true;
    case ExprKind::Compare: return as<CompareExpr>(expr).ops.size() == 1;
    case ExprKind::Bool:
    case ExprKind::Conditional:
    case ExprKind::Lambda:
    case ExprKind::Slice:
    case ExprKind::Starred:
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Set:
    case ExprKind::Dict:
    case ExprKind::Comprehension:
    case ExprKind::Named:
    case ExprKind::Yield:
    case ExprKind::YieldFrom: return false;
  }
  return false;
}

// An expression that runs no code of the script, and so cannot rebind a global.
bool is_simple(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Name:
    case ExprKind::Constant: return true;
    case ExprKind::Unary: return is_simple(*as<UnaryExpr>(expr).operand);
    case ExprKind::Binary:
      return is_simple(*as<BinaryExpr>(expr).left) && is_simple(*as<BinaryExpr>(expr).right);
    case ExprKind::Subscript:
      return is_simple(*as<SubscriptExpr>(expr).object) &&
             is_simple(*as<SubscriptExpr>(expr).index);
    case ExprKind::FString:
      for (const FStringPart& part : as<FStringExpr>(expr).parts) {
        if (part.value != nullptr && !is_simple(*part.value)) return false;
        if (part.format != nullptr && !is_simple(*part.format)) return false;
      }
      return true;
    case ExprKind::Bool:
    case ExprKind::Compare:
    case ExprKind::Conditional:
    case ExprKind::Lambda:
    case ExprKind::Call:
    case ExprKind::Attribute:
    case ExprKind::Slice:
    case ExprKind::Starred:
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Set:
    case ExprKind::Dict:
    case ExprKind::Comprehension:
    case ExprKind::Named:
    case ExprKind::Yield:
    case ExprKind::YieldFrom: return false;
  }
  return false;
}

}  // namespace

void FunctionCompiler::statements(StmtList list) {
  for (const Stmt* stmt : list) statement(*stmt);
}

void FunctionCompiler::statement(const Stmt& stmt) {
  if (stack_is_low()) {
    error(stmt.span, "too many statically nested blocks");
    return;
  }
  const Temporaries temporaries(out_);
  out_.set_span(stmt.span);
  switch (stmt.kind) {
    case StmtKind::Expression: expression_statement(as<ExpressionStmt>(stmt)); return;
    case StmtKind::Assign: assign(as<AssignStmt>(stmt)); return;
    case StmtKind::AugAssign: augmented_assign(as<AugAssignStmt>(stmt)); return;
    case StmtKind::AnnAssign: annotated_assign(as<AnnAssignStmt>(stmt)); return;
    case StmtKind::Return: return_statement(as<ReturnStmt>(stmt)); return;
    case StmtKind::Delete:
      for (const Expr* target : as<DeleteStmt>(stmt).targets) delete_target(*target);
      return;
    case StmtKind::Pass: return;
    case StmtKind::Break:
    case StmtKind::Continue: break_or_continue(stmt); return;
    case StmtKind::If: if_statement(as<IfStmt>(stmt)); return;
    case StmtKind::While: while_statement(as<WhileStmt>(stmt)); return;
    case StmtKind::For: for_statement(as<ForStmt>(stmt)); return;
    case StmtKind::With: with_statement(as<WithStmt>(stmt), 0); return;
    case StmtKind::Try: try_statement(as<TryStmt>(stmt)); return;
    case StmtKind::Raise: raise_statement(as<RaiseStmt>(stmt)); return;
    case StmtKind::Assert: assert_statement(as<AssertStmt>(stmt)); return;
    case StmtKind::Function: function_statement(as<FunctionStmt>(stmt)); return;
    case StmtKind::Import: import_statement(as<ImportStmt>(stmt)); return;
    case StmtKind::ImportFrom: import_from(as<ImportFromStmt>(stmt)); return;
    case StmtKind::Global:
    case StmtKind::Nonlocal: return;
  }
}

void FunctionCompiler::expression_statement(const ExpressionStmt& stmt) {
  const bool shown = unit_.mode == CompileMode::Interactive && outer_ == nullptr;
  if (!shown) {
    discard(*stmt.value);
    return;
  }
  const int value = out_.temporary();
  into(*stmt.value, value);
  out_.set_span(stmt.value->span);
  out_.emit(Opcode::Display, value, 0, 0, kDropA);
}

// --- Assignments

void FunctionCompiler::assign(const AssignStmt& stmt) {
  if (stmt.targets.size() == 1) {
    int reg = -1;
    if (is_local_target(*stmt.targets[0], reg) && writes_once(*stmt.value)) {
      into(*stmt.value, reg);
      if (!lookup(as<NameExpr>(*stmt.targets[0]).name).is_deleted) assigned_.add(reg);
      return;
    }
    if (assign_pairwise(stmt)) return;
    assign_to(*stmt.targets[0], value(*stmt.value));
    return;
  }
  const int copy = out_.temporary();
  into(*stmt.value, copy);
  for (size_t i = 0; i < stmt.targets.size(); i++) {
    assign_to(*stmt.targets[i], {copy, i + 1 == stmt.targets.size()});
  }
}

// `a, b = b, a` without making a tuple.
bool FunctionCompiler::assign_pairwise(const AssignStmt& stmt) {
  const auto is_plain_tuple = [](const Expr& expr) {
    if (expr.kind != ExprKind::Tuple && expr.kind != ExprKind::List) return false;
    for (const Expr* item : as<SequenceExpr>(expr).items) {
      if (item->kind == ExprKind::Starred) return false;
    }
    return true;
  };
  const Expr& target = *stmt.targets[0];
  if (!is_plain_tuple(target) || !is_plain_tuple(*stmt.value)) return false;
  const ExprList targets = as<SequenceExpr>(target).items;
  const ExprList values = as<SequenceExpr>(*stmt.value).items;
  if (targets.size() != values.size() || values.empty() || values.size() > 100) return false;
  std::vector<int> registers;
  for (const Expr* item : values) {
    registers.push_back(out_.temporary());
    into(*item, registers.back());
  }
  for (size_t i = 0; i < targets.size(); i++) assign_to(*targets[i], {registers[i], true});
  return true;
}

void FunctionCompiler::assign_to(const Expr& target, Operand operand) {
  const Temporaries temporaries(out_);
  if (target.kind == ExprKind::Name) {
    store_name(as<NameExpr>(target).name, operand, target.span);
  } else if (target.kind == ExprKind::Attribute) {
    const auto& attribute = as<AttributeExpr>(target);
    const Operand object = value(*attribute.object);
    const int site = out_.attribute_site(intern(attribute.name));
    out_.set_span(target.span);
    out_.emit(Opcode::SetAttribute, object.reg, operand.reg, site,
              object.drop(kDropA) | operand.drop(kDropB));
  } else if (target.kind == ExprKind::Subscript) {
    const auto& subscript = as<SubscriptExpr>(target);
    const Operand object = value(*subscript.object);
    const Operand index = value(*subscript.index);
    out_.set_span(target.span);
    out_.emit(Opcode::SetItem, object.reg, index.reg, operand.reg,
              object.drop(kDropA) | index.drop(kDropB) | operand.drop(kDropC));
  } else if (target.kind == ExprKind::Starred) {
    error(target.span, "starred assignment target must be in a list or tuple");
  } else {
    unpack_to(as<SequenceExpr>(target), operand);
  }
}

void FunctionCompiler::unpack_to(const SequenceExpr& target, Operand operand) {
  const auto count = static_cast<int>(target.items.size());
  int star = -1;
  for (int i = 0; i < count; i++) {
    if (target.items[static_cast<size_t>(i)]->kind != ExprKind::Starred) continue;
    if (star >= 0) {
      error(target.span, "multiple starred expressions in assignment");
      return;
    }
    star = i;
  }
  if (count > 255) {
    error(target.span, "too many targets in one assignment");
    return;
  }
  // Unpacking empties its source, so a variable's value is copied first.
  int source = operand.reg;
  if (!operand.is_temporary) {
    source = out_.temporary();
    out_.emit(Opcode::Move, source, operand.reg);
  }
  const int first = out_.temporary(std::max(count, 1));
  out_.set_span(target.span);
  if (star < 0) {
    out_.emit(Opcode::Unpack, first, source, 0, count);
  } else {
    out_.emit(Opcode::UnpackStar, first, star, source, count - star - 1);
  }
  for (int i = 0; i < count; i++) {
    const Expr& item = *target.items[static_cast<size_t>(i)];
    assign_to(i == star ? *as<StarredExpr>(item).value : item, {first + i, true});
  }
}

void FunctionCompiler::augmented_assign(const AugAssignStmt& stmt) {
  const Expr& target = *stmt.target;
  if (target.kind == ExprKind::Name) {
    const std::string_view name = as<NameExpr>(target).name;
    const Symbol& symbol = lookup(name);
    if (symbol.kind == VariableKind::Local && !function_scope_.has_walrus) {
      out_.set_span(target.span);
      check_bound(name, symbol.index);
      binary_operation(stmt.op, {symbol.index, false}, *stmt.value, symbol.index, stmt.span,
                       kInPlace);
      return;
    }
    if (symbol.kind == VariableKind::Global && stmt.op == BinaryOp::Add && is_simple(*stmt.value)) {
      const int right = out_.temporary();
      into(*stmt.value, right);
      out_.set_span(stmt.span);
      out_.emit_wide(Opcode::AddGlobal, right, unit_.context.global_index(name), kDropA);
      return;
    }
    const int left = out_.temporary();
    load_name(as<NameExpr>(target), left);
    binary_operation(stmt.op, {left, true}, *stmt.value, left, stmt.span, kInPlace);
    store_name(name, {left, true}, target.span);
    return;
  }
  if (target.kind == ExprKind::Attribute) {
    const auto& attribute = as<AttributeExpr>(target);
    const Operand object = value(*attribute.object);
    const int left = out_.temporary();
    out_.set_span(target.span);
    out_.emit(Opcode::GetAttribute, left, object.reg, out_.attribute_site(intern(attribute.name)));
    binary_operation(stmt.op, {left, true}, *stmt.value, left, stmt.span, kInPlace);
    out_.set_span(target.span);
    out_.emit(Opcode::SetAttribute, object.reg, left, out_.attribute_site(intern(attribute.name)),
              object.drop(kDropA) | kDropB);
    return;
  }
  const auto& subscript = as<SubscriptExpr>(target);
  const Operand object = value(*subscript.object);
  const Operand index = value(*subscript.index);
  const int left = out_.temporary();
  out_.set_span(target.span);
  out_.emit(Opcode::GetItem, left, object.reg, index.reg);
  binary_operation(stmt.op, {left, true}, *stmt.value, left, stmt.span, kInPlace);
  out_.set_span(target.span);
  out_.emit(Opcode::SetItem, object.reg, index.reg, left,
            object.drop(kDropA) | index.drop(kDropB) | kDropC);
}

void FunctionCompiler::annotated_assign(const AnnAssignStmt& stmt) {
  if (stmt.value != nullptr) {
    const Temporaries temporaries(out_);
    assign_to(*stmt.target, value(*stmt.value));
  } else if (stmt.target->kind != ExprKind::Name) {
    discard(*stmt.target);
  }
  // Only a module's annotations are evaluated.
  if (function_scope_.kind != ScopeKind::Module) return;
  const int annotation = out_.temporary();
  into(*stmt.annotation, annotation);
  out_.set_span(stmt.annotation->span);
  if (stmt.target->kind == ExprKind::Name && !stmt.target->parenthesized) {
    out_.emit_wide(Opcode::Annotate, annotation, out_.name(intern(as<NameExpr>(*stmt.target).name)),
                   kDropA);
  } else {
    out_.emit(Opcode::Clear, annotation);
  }
}

void FunctionCompiler::delete_target(const Expr& target) {
  const Temporaries temporaries(out_);
  if (target.kind == ExprKind::Name) {
    delete_name(as<NameExpr>(target).name, target.span, true);
  } else if (target.kind == ExprKind::Attribute) {
    const auto& attribute = as<AttributeExpr>(target);
    const Operand object = value(*attribute.object);
    out_.set_span(target.span);
    out_.emit(Opcode::DeleteAttribute, object.reg, 0, out_.attribute_site(intern(attribute.name)),
              object.drop(kDropA));
  } else if (target.kind == ExprKind::Subscript) {
    const auto& subscript = as<SubscriptExpr>(target);
    const Operand object = value(*subscript.object);
    const Operand index = value(*subscript.index);
    out_.set_span(target.span);
    out_.emit(Opcode::DeleteItem, object.reg, index.reg, 0,
              object.drop(kDropA) | index.drop(kDropB));
  } else {
    for (const Expr* item : as<SequenceExpr>(target).items) delete_target(*item);
  }
}

// --- Simple statements

void FunctionCompiler::raise_statement(const RaiseStmt& stmt) {
  if (stmt.exception == nullptr) {
    out_.emit(Opcode::Reraise);
  } else {
    const Operand exception = value(*stmt.exception);
    if (stmt.cause == nullptr) {
      out_.set_span(stmt.span);
      out_.emit(Opcode::Raise, exception.reg, 0, 0, exception.drop(kDropA));
    } else {
      const Operand cause = value(*stmt.cause);
      out_.set_span(stmt.span);
      out_.emit(Opcode::RaiseFrom, exception.reg, cause.reg, 0,
                exception.drop(kDropA) | cause.drop(kDropB));
    }
  }
  assigned_.set_unreachable();
}

void FunctionCompiler::assert_statement(const AssertStmt& stmt) {
  Label holds;
  jump_if(*stmt.condition, holds, true);
  const Assigned after = assigned_;
  if (stmt.message != nullptr) {
    const int message = out_.temporary();
    into(*stmt.message, message);
    out_.set_span(stmt.condition->span);
    out_.emit(Opcode::RaiseAssertion, message, 0, 0, kDropA);
  } else {
    out_.set_span(stmt.condition->span);
    out_.emit(Opcode::RaiseAssertion, 0, 0, 0, kNegate);
  }
  assigned_ = after;
  out_.bind(holds);
}

void FunctionCompiler::import_statement(const ImportStmt& stmt) {
  for (const ImportedName& item : stmt.names) {
    const Temporaries temporaries(out_);
    const size_t dot = item.name.find('.');
    const int module = out_.temporary();
    out_.set_span(stmt.span);
    out_.emit_wide(Opcode::Import, module, out_.name(intern(item.name)));
    if (!item.as.empty()) {
      store_name(item.as, {module, true}, stmt.span);
      continue;
    }
    // `import a.b` binds `a`.
    if (dot != std::string_view::npos) {
      out_.emit_wide(Opcode::Import, module, out_.name(intern(item.name.substr(0, dot))));
    }
    store_name(item.name.substr(0, dot), {module, true}, stmt.span);
  }
}

void FunctionCompiler::import_from(const ImportFromStmt& stmt) {
  if (stmt.module == "__future__") return;
  const int module = out_.temporary();
  const std::string name =
      std::string(static_cast<size_t>(stmt.level), '.') + std::string(stmt.module);
  out_.emit_wide(Opcode::Import, module, out_.name(intern(name)));
  for (const ImportedName& item : stmt.names) {
    const Temporaries temporaries(out_);
    out_.set_span(stmt.span);
    if (item.name == "*") {
      out_.emit(Opcode::ImportStar, module, 0, 0, kDropA);
      return;
    }
    const int imported = out_.temporary();
    out_.emit(Opcode::ImportFrom, imported, module, out_.name(intern(item.name)));
    store_name(item.as.empty() ? item.name : item.as, {imported, true}, stmt.span);
  }
  out_.emit(Opcode::Clear, module);
}

void FunctionCompiler::function_statement(const FunctionStmt& stmt) {
  const int first = out_.next_register();
  for (const Expr* decorator : stmt.decorators) into(*decorator, out_.temporary());
  std::shared_ptr<Code> code =
      compile_child(unit_.scopes.of(&stmt), [&](FunctionCompiler& compiler) {
        return compiler.compile_function(stmt.name, stmt.span, stmt.parameters, stmt.body);
      });
  const int function = out_.temporary();
  out_.set_span(stmt.span);
  make_function(std::move(code), stmt.parameters, stmt.returns, function);
  for (int decorator = function - 1; decorator >= first; decorator--) {
    out_.set_span(stmt.decorators[static_cast<size_t>(decorator - first)]->span);
    out_.emit(Opcode::Call, decorator, decorator, out_.call_site(), 1);
  }
  store_name(stmt.name, {first, true}, stmt.span);
}

// --- Control flow

void FunctionCompiler::if_statement(const IfStmt& stmt) {
  Label end;
  // A chain of `elif`s is compiled in a loop, not by recursion.
  const IfStmt* branch = &stmt;
  Assigned after;
  after.set_unreachable();
  while (true) {
    Label otherwise;
    jump_if(*branch->condition, otherwise, false);
    const Assigned before = assigned_;
    statements(branch->body);
    after.merge(assigned_);
    if (!branch->otherwise.empty() && assigned_.reachable()) out_.jump(Opcode::Jump, end);
    assigned_ = before;
    out_.bind(otherwise);
    const IfStmt* const next = branch->elif ();
    if (next == nullptr) break;
    branch = next;
    out_.set_span(branch->span);
  }
  statements(branch->otherwise);
  after.merge(assigned_);
  assigned_ = after;
  out_.bind(end);
}

void FunctionCompiler::while_statement(const WhileStmt& stmt) {
  Label body;
  Label test;
  Label otherwise;
  Label end;
  const std::optional<IValue> constant = constant_of(*stmt.condition);
  const bool is_endless = constant && constant->is_bool() && constant->as_bool();
  // The condition is tested once before the loop and then at its end, so that an iteration has one
  // jump.
  if (!is_endless) jump_if(*stmt.condition, otherwise, false);
  const Assigned before = assigned_;
  Block block{Block::Kind::Loop};
  block.on_break = &end;
  block.on_continue = &test;
  blocks_.push_back(std::move(block));
  out_.bind(body);
  statements(stmt.body);
  blocks_.pop_back();
  out_.bind(test);
  out_.set_span(stmt.condition->span);
  if (is_endless) {
    out_.jump(Opcode::Loop, body);
  } else {
    assigned_ = before;
    jump_if(*stmt.condition, body, true);
  }
  out_.bind(otherwise);
  assigned_ = before;
  if (is_endless) {
    // Only `break` leads here; all locals assigned before the loop are still assigned.
    out_.bind(end);
    return;
  }
  statements(stmt.otherwise);
  assigned_ = before;
  out_.bind(end);
}

void FunctionCompiler::for_statement(const ForStmt& stmt) {
  const bool is_range = is_range_call(*stmt.iterable);
  const int state = out_.temporary(is_range ? 3 : 2);
  Label test;
  Label end;
  const auto body = [&] {
    Block block{Block::Kind::Loop};
    block.on_break = &end;
    block.on_continue = &test;
    block.reg = state;
    blocks_.push_back(std::move(block));
    statements(stmt.body);
    blocks_.pop_back();
  };
  prepare_loop(*stmt.iterable, stmt.span, state, is_range);
  run_loop(stmt.span, *stmt.target, body, test, state, is_range);
  const Assigned after = assigned_;
  statements(stmt.otherwise);
  assigned_ = after;
  out_.bind(end);
}

void FunctionCompiler::return_statement(const ReturnStmt& stmt) {
  if (function_scope_.kind == ScopeKind::Module) {
    error(stmt.span, "'return' outside function");
    return;
  }
  if (stmt.value != nullptr && !has_cleanup()) {
    const int local = local_register(*stmt.value);
    if (local >= 0) {
      return_from_blocks(stmt.span, local < code_->locals ? Opcode::Return : Opcode::ReturnCopy,
                         local);
      return;
    }
  }
  const int result = out_.temporary();
  if (stmt.value != nullptr) {
    into(*stmt.value, result);
  } else {
    load_constant(IValue(), result);
  }
  return_from_blocks(stmt.span, Opcode::Return, result);
}

}  // namespace tsc::interp
