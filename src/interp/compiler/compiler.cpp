#include "interp/compiler/compiler.h"

namespace tsc::interp {

using namespace ast;

void Assigned::add(int reg) {
  if (!reachable_) return;
  const auto index = static_cast<size_t>(reg);
  if (bits_.size() <= index) bits_.resize(index + 1);
  bits_[index] = true;
}

void Assigned::remove(int reg) {
  if (static_cast<size_t>(reg) < bits_.size()) bits_[static_cast<size_t>(reg)] = false;
}

void Assigned::merge(const Assigned& other) {
  if (!other.reachable_) return;
  if (!reachable_) {
    *this = other;
    return;
  }
  if (bits_.size() > other.bits_.size()) bits_.resize(other.bits_.size());
  for (size_t i = 0; i < bits_.size(); i++) bits_[i] = bits_[i] && other.bits_[i];
}

std::shared_ptr<const Code> compile_tree(const Tree& tree, CompileMode mode,
                                         CompileContext& context, SyntaxDiagnostics& diagnostics) {
  CompileUnit unit{tree, mode, context, diagnostics, ScopeTable(tree, diagnostics)};
  if (!diagnostics.empty()) return nullptr;
  std::shared_ptr<Code> code;
  for (const bool long_jumps : {false, true}) {
    FunctionCompiler compiler(unit, unit.scopes.module(), nullptr, long_jumps);
    code = compiler.compile_module();
    if (!compiler.needs_long_jumps()) break;
  }
  return diagnostics.empty() ? code : nullptr;
}

FunctionCompiler::FunctionCompiler(CompileUnit& unit, Scope& scope, const FunctionCompiler* outer,
                                   bool long_jumps)
    : unit_(unit),
      function_scope_(scope),
      scope_(&scope),
      outer_(outer),
      code_(std::make_shared<Code>()),
      out_(*code_, long_jumps) {}

void FunctionCompiler::error_text(SourceSpan span, std::string message) {
  SyntaxDiagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.span = span;
  unit_.diagnostics.push_back(std::move(diagnostic));
}

// --- Functions

void FunctionCompiler::begin(std::string_view name, SourceSpan span) {
  code_->name = name;
  const bool is_nested = outer_ != nullptr && outer_->outer_ != nullptr;
  code_->qualified =
      is_nested ? fmt::format("{}.<locals>.{}", outer_->code_->qualified, name) : std::string(name);
  code_->source = unit_.tree.source;
  code_->span = span;
  code_->is_generator = function_scope_.is_generator;
}

void FunctionCompiler::set_parameters(std::span<const Parameter> parameters) {
  ParameterNames& names = code_->parameters;
  const auto add = [&](ParameterKind kind) {
    uint16_t count = 0;
    for (const Parameter& parameter : parameters) {
      if (parameter.kind != kind) continue;
      names.names.push_back(intern(parameter.name));
      function_scope_.find(parameter.name)->index = static_cast<int>(names.names.size()) - 1;
      count++;
    }
    return count;
  };
  names.positional_only = add(ParameterKind::PositionalOnly);
  names.positional = static_cast<uint16_t>(names.positional_only + add(ParameterKind::Positional));
  names.keyword_only = add(ParameterKind::KeywordOnly);
  names.has_var_args = add(ParameterKind::VarArgs) > 0;
  names.has_var_keywords = add(ParameterKind::VarKeywords) > 0;
  code_->is_plain = names.keyword_only == 0 && !names.has_var_args && !names.has_var_keywords;
}

// Gives each variable its register, and begins the instructions.
void FunctionCompiler::enter_function() {
  int next = static_cast<int>(code_->parameters.names.size());
  for (int reg = 0; reg < next; reg++) assigned_.add(reg);
  for (const std::string_view name : function_scope_.order) {
    Symbol& symbol = *function_scope_.find(name);
    // A name that is deleted anywhere is looked at wherever it is read.
    if (symbol.is_parameter && symbol.is_deleted) assigned_.remove(symbol.index);
    const bool is_register =
        symbol.kind == VariableKind::Local || symbol.kind == VariableKind::Cell;
    if (is_register && !symbol.is_parameter) symbol.index = next++;
    if (is_register) code_->local_names.push_back(intern(name));
  }
  code_->locals = static_cast<uint16_t>(next);
  out_.set_locals(next);
  out_.set_span(code_->span);
  for (const std::string_view name : function_scope_.order) {
    const Symbol& symbol = *function_scope_.find(name);
    if (symbol.kind != VariableKind::Cell) continue;
    if (!symbol.is_parameter) out_.emit(Opcode::Unbind, symbol.index);
    out_.emit(Opcode::MakeCell, symbol.index);
  }
  for (const std::string_view name : function_scope_.captured) {
    const Symbol& outer = const_cast<FunctionCompiler*>(outer_)->lookup(name);
    code_->captures.push_back(
        {outer.kind == VariableKind::Cell, static_cast<uint16_t>(outer.index)});
  }
  if (code_->is_generator) out_.emit(Opcode::Generator);
}

std::shared_ptr<Code> FunctionCompiler::finish() {
  if (assigned_.reachable()) {
    const int none = out_.temporary();
    load_constant(IValue(), none);
    out_.emit(Opcode::Return, none);
    out_.release_to(none);
  }
  if (out_.too_large()) error(code_->span, "too many variables or values in one function");
  // Locals that may be read before they are set are marked as unbound first. All jumps are
  // relative, so instructions may be inserted in front.
  std::vector<Instruction> unbinds;
  for (size_t reg = 0; reg < needs_unbind_.size(); reg++) {
    if (needs_unbind_[reg])
      unbinds.push_back({Opcode::Unbind, 0, static_cast<uint16_t>(reg), 0, 0});
  }
  if (!unbinds.empty()) {
    const auto count = static_cast<uint32_t>(unbinds.size());
    code_->instructions.insert(code_->instructions.begin(), unbinds.begin(), unbinds.end());
    code_->spans.insert(code_->spans.begin(), count, code_->span);
    for (HandlerRange& range : code_->handlers) {
      range.begin += count;
      range.end += count;
      range.target += count;
    }
  }
  return std::move(code_);
}

std::string_view FunctionCompiler::docstring(StmtList body) const {
  if (body.empty() || body[0]->kind != StmtKind::Expression) return {};
  const Expr& first = *as<ExpressionStmt>(*body[0]).value;
  if (first.kind != ExprKind::Constant || as<ConstantExpr>(first).constant != ConstantKind::String)
    return {};
  return as<ConstantExpr>(first).text;
}

std::shared_ptr<Code> FunctionCompiler::compile_module() {
  begin("<module>", {0, 0});
  enter_function();
  if (unit_.mode == CompileMode::Expression) {
    const StmtList body = unit_.tree.body;
    if (body.size() != 1 || body[0]->kind != StmtKind::Expression) {
      error(body.empty() ? SourceSpan{} : body[0]->span, "invalid syntax");
      return std::move(code_);
    }
    const int result = out_.temporary();
    into(*as<ExpressionStmt>(*body[0]).value, result);
    out_.emit(Opcode::Return, result);
    assigned_.set_unreachable();
  } else {
    statements(unit_.tree.body);
  }
  return finish();
}

std::shared_ptr<Code> FunctionCompiler::compile_function(std::string_view name, SourceSpan span,
                                                         std::span<const Parameter> parameters,
                                                         StmtList body) {
  begin(name, span);
  const std::string_view doc = docstring(body);
  if (!doc.empty()) {
    out_.string_constant(intern(doc));
    code_->has_docstring = true;
  }
  set_parameters(parameters);
  enter_function();
  statements(body);
  return finish();
}

std::shared_ptr<Code> FunctionCompiler::compile_lambda(const LambdaExpr& lambda) {
  begin("<lambda>", lambda.span);
  set_parameters(lambda.parameters);
  enter_function();
  const int result = out_.temporary();
  into(*lambda.body, result);
  if (code_->is_generator) {
    out_.emit(Opcode::Clear, result);
    out_.release_to(result);
    return finish();
  }
  out_.set_span(lambda.body->span);
  out_.emit(Opcode::Return, result);
  assigned_.set_unreachable();
  return finish();
}

// A function of one parameter, the iterator over the first iterable.
std::shared_ptr<Code> FunctionCompiler::compile_generator(const ComprehensionExpr& expr) {
  begin("<genexpr>", expr.span);
  code_->parameters.names.push_back(intern(".0"));
  code_->parameters.positional = code_->parameters.positional_only = 1;
  code_->is_plain = true;
  enter_function();
  comprehension_clause(expr, 0, [&] {
    const int element = out_.temporary();
    into(*expr.element, element);
    out_.set_span(expr.element->span);
    out_.emit(Opcode::Yield, element, element);
    out_.emit(Opcode::Clear, element);
    out_.release_to(element);
  });
  return finish();
}

std::shared_ptr<Code> FunctionCompiler::compile_child(
    Scope& scope, const std::function<std::shared_ptr<Code>(FunctionCompiler&)>& run) {
  for (const bool long_jumps : {false, true}) {
    FunctionCompiler compiler(unit_, scope, this, long_jumps);
    std::shared_ptr<Code> code = run(compiler);
    if (!compiler.needs_long_jumps() || long_jumps) return code;
  }
  return nullptr;
}

// --- Names

// Resolves `name`: a comprehension's own variable, else the function's symbol.
Symbol& FunctionCompiler::lookup(std::string_view name) {
  Scope* scope = scope_;
  for (; !scope->has_frame(); scope = scope->parent) {
    Symbol* symbol = scope->find(name);
    if (symbol != nullptr && symbol->is_bound) return *symbol;
  }
  return scope->symbols[name];
}

void FunctionCompiler::check_bound(std::string_view name, int reg) {
  if (assigned_.has(reg)) return;
  out_.emit_wide(Opcode::CheckBound, reg, out_.name(intern(name)));
  const auto index = static_cast<size_t>(reg);
  if (index < code_->locals && index >= code_->parameters.names.size()) {
    if (needs_unbind_.size() <= index) needs_unbind_.resize(index + 1);
    needs_unbind_[index] = true;
  }
  if (!lookup(name).is_deleted) assigned_.add(reg);
}

// The register that a name's value can be read from, or -1.
int FunctionCompiler::local_register(const Expr& expr) {
  if (expr.kind != ExprKind::Name) return -1;
  const std::string_view name = as<NameExpr>(expr).name;
  const Symbol& symbol = lookup(name);
  if (symbol.kind != VariableKind::Local) return -1;
  out_.set_span(expr.span);
  check_bound(name, symbol.index);
  return symbol.index;
}

void FunctionCompiler::load_name(const NameExpr& expr, int dest) {
  const Symbol& symbol = lookup(expr.name);
  out_.set_span(expr.span);
  switch (symbol.kind) {
    case VariableKind::Local:
      check_bound(expr.name, symbol.index);
      if (symbol.index != dest) out_.emit(Opcode::Move, dest, symbol.index);
      return;
    case VariableKind::Cell:
      out_.emit(Opcode::LoadCell, dest, symbol.index, out_.name(intern(expr.name)));
      return;
    case VariableKind::Free:
      out_.emit(Opcode::LoadFree, dest, symbol.index, out_.name(intern(expr.name)));
      return;
    case VariableKind::Global:
      out_.emit_wide(Opcode::LoadGlobal, dest, unit_.context.global_index(expr.name));
      return;
  }
}

void FunctionCompiler::store_name(std::string_view name, Operand value, SourceSpan span) {
  const Symbol& symbol = lookup(name);
  out_.set_span(span);
  switch (symbol.kind) {
    case VariableKind::Local:
      if (symbol.index != value.reg) {
        out_.emit(value.is_temporary ? Opcode::Take : Opcode::Move, symbol.index, value.reg);
      }
      if (!symbol.is_deleted) assigned_.add(symbol.index);
      return;
    case VariableKind::Cell:
      out_.emit(Opcode::StoreCell, value.reg, symbol.index, 0, value.drop(kDropA));
      return;
    case VariableKind::Free:
      out_.emit(Opcode::StoreFree, value.reg, symbol.index, 0, value.drop(kDropA));
      return;
    case VariableKind::Global:
      out_.emit_wide(Opcode::StoreGlobal, value.reg, unit_.context.global_index(name),
                     value.drop(kDropA));
      return;
  }
}

void FunctionCompiler::delete_name(std::string_view name, SourceSpan span, bool must_exist) {
  const Symbol& symbol = lookup(name);
  out_.set_span(span);
  // The name of a handler's exception may have been deleted in its body.
  const int flags = must_exist ? 0 : kNegate;
  switch (symbol.kind) {
    case VariableKind::Local:
      if (must_exist) check_bound(name, symbol.index);
      out_.emit(Opcode::Unbind, symbol.index);
      assigned_.remove(symbol.index);
      return;
    case VariableKind::Cell:
      out_.emit(Opcode::DeleteCell, 0, symbol.index, out_.name(intern(name)), flags);
      return;
    case VariableKind::Free:
      out_.emit(Opcode::DeleteFree, 0, symbol.index, out_.name(intern(name)), flags);
      return;
    case VariableKind::Global:
      out_.emit_wide(Opcode::DeleteGlobal, 0, unit_.context.global_index(name), flags);
      return;
  }
}

// Whether a target is a local in a register, so that an assignment only writes that.
bool FunctionCompiler::is_local_target(const Expr& target, int& reg) {
  if (target.kind != ExprKind::Name) return false;
  const Symbol& symbol = lookup(as<NameExpr>(target).name);
  reg = symbol.index;
  return symbol.kind == VariableKind::Local;
}

}  // namespace tsc::interp
