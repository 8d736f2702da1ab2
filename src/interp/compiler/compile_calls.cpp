// Calls, and functions as values.
#include <unordered_set>

#include "interp/compiler/compiler.h"

namespace tsc::interp {

using namespace ast;

namespace {

// With more arguments than this, a call passes a tuple.
constexpr size_t kMaxArguments = 200;

}  // namespace

void FunctionCompiler::call(const CallExpr& expr, int dest) {
  bool has_spread = expr.arguments.size() > kMaxArguments;
  bool has_keywords = false;
  std::unordered_set<std::string_view> seen;
  for (const Argument& argument : expr.arguments) {
    has_spread = has_spread || argument.star || argument.double_star;
    has_keywords = has_keywords || argument.is_keyword;
    if (argument.is_keyword && !seen.insert(argument.name).second) {
      error(argument.span, "keyword argument repeated: {}", argument.name);
    }
  }
  if (has_spread) {
    call_spread(expr, dest);
    return;
  }
  // A method is looked up first and called with its object, without a bound method in between.
  const bool is_method =
      expr.function->kind == ExprKind::Attribute && !expr.function->parenthesized;
  // The callee is evaluated in the result's register, if that is free.
  const bool in_place = spare_for(dest) >= 0;
  const int callee = in_place ? dest : out_.temporary();
  if (is_method) {
    out_.temporary();
    const auto& attribute = as<AttributeExpr>(*expr.function);
    const Operand object = value(*attribute.object, callee + 1);
    const int site = out_.attribute_site(intern(attribute.name));
    out_.set_span(expr.function->span);
    out_.emit(Opcode::LoadMethod, callee, object.reg, site, object.drop(kDropB));
  } else {
    into(*expr.function, callee);
  }
  std::vector<StringObject*> keywords;
  for (const Argument& argument : expr.arguments) {
    if (!argument.is_keyword) into(*argument.value, out_.temporary());
  }
  // Keyword arguments follow; a positional argument after them can only be a starred one.
  for (const Argument& argument : expr.arguments) {
    if (!argument.is_keyword) continue;
    into(*argument.value, out_.temporary());
    keywords.push_back(intern(argument.name));
  }
  const auto count = static_cast<int>(expr.arguments.size());
  const Opcode op = is_method ? (has_keywords ? Opcode::CallMethodKeywords : Opcode::CallMethod)
                              : (has_keywords ? Opcode::CallKeywords : Opcode::Call);
  out_.set_span(expr.span);
  out_.emit(op, dest, callee, out_.call_site(std::move(keywords)), count);
}

// `f(*a, **b)`: the arguments become a tuple and a dict.
void FunctionCompiler::call_spread(const CallExpr& expr, int dest) {
  const int callee = out_.temporary(3);
  into(*expr.function, callee);
  spread_positional(expr, callee + 1);
  spread_keywords(expr, callee, callee + 2);
  out_.set_span(expr.span);
  out_.emit(Opcode::CallSpread, dest, callee, out_.call_site());
}

void FunctionCompiler::spread_positional(const CallExpr& expr, int dest) {
  std::vector<const Argument*> positional;
  for (const Argument& argument : expr.arguments) {
    if (!argument.is_keyword && !argument.double_star) positional.push_back(&argument);
  }
  out_.set_span(expr.span);
  out_.emit(Opcode::BuildList, dest, 0, 0);
  for (const Argument* argument : positional) {
    const Temporaries temporaries(out_);
    const Operand operand = value(*argument->value);
    out_.set_span(argument->star ? argument->value->span : expr.span);
    out_.emit(argument->star ? Opcode::ListExtend : Opcode::ListAppend, dest, operand.reg, 0,
              operand.drop(kDropB) | (positional.size() == 1 ? kInPlace : 0));
  }
  out_.emit(Opcode::ListToTuple, dest);
}

void FunctionCompiler::spread_keywords(const CallExpr& expr, int callee, int dest) {
  bool has_keywords = false;
  for (const Argument& argument : expr.arguments) {
    has_keywords = has_keywords || argument.is_keyword || argument.double_star;
  }
  if (!has_keywords) {
    out_.emit(Opcode::Unbind, dest);
    return;
  }
  out_.emit(Opcode::BuildDict, dest, 0, 0);
  for (const Argument& argument : expr.arguments) {
    if (!argument.is_keyword && !argument.double_star) continue;
    const Temporaries temporaries(out_);
    if (argument.double_star) {
      const Operand other = value(*argument.value);
      out_.set_span(expr.span);
      out_.emit(Opcode::DictMerge, dest, other.reg, callee, other.drop(kDropB));
      continue;
    }
    const int key = out_.temporary();
    load_constant(IValue::share(Tag::String, intern(argument.name)), key);
    const Operand operand = value(*argument.value);
    out_.set_span(expr.span);
    // `f(**{"a": 1}, a=2)` is an error: two values for one name.
    out_.emit(Opcode::DictSet, dest, key, operand.reg, kDropB | operand.drop(kDropC) | kInPlace);
  }
}

// The function `code` into `dest`, with the expressions of its definition: defaults and
// annotations.
void FunctionCompiler::make_function(std::shared_ptr<Code> code,
                                     std::span<const Parameter> parameters, const Expr* returns,
                                     int dest) {
  const SourceSpan span = out_.span();
  const Temporaries temporaries(out_);
  Code::FunctionParts parts;
  const int first = out_.temporary();
  int next = first;
  const auto slot = [&] {
    if (next >= out_.next_register()) out_.temporary();
    return next++;
  };
  for (const Parameter& parameter : parameters) {
    const bool is_positional = parameter.kind == ParameterKind::Positional ||
                               parameter.kind == ParameterKind::PositionalOnly;
    if (!is_positional || parameter.default_value == nullptr) continue;
    into(*parameter.default_value, slot());
    parts.defaults++;
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.kind != ParameterKind::KeywordOnly) continue;
    parts.keyword_defaults.push_back(parameter.default_value != nullptr);
    if (parameter.default_value != nullptr) into(*parameter.default_value, slot());
  }
  int annotations = 0;
  const int dict = slot();
  const auto annotate = [&](std::string_view name, const Expr& annotation) {
    const Temporaries inner(out_);
    if (annotations++ == 0) out_.emit(Opcode::BuildDict, dict, 0, 0);
    const int key = out_.temporary();
    load_constant(IValue::share(Tag::String, intern(name)), key);
    const Operand operand = value(annotation);
    out_.emit(Opcode::DictSet, dict, key, operand.reg, kDropB | operand.drop(kDropC));
  };
  for (const Parameter& parameter : parameters) {
    if (parameter.annotation != nullptr) annotate(parameter.name, *parameter.annotation);
  }
  if (returns != nullptr) annotate("return", *returns);
  parts.has_annotations = annotations > 0;
  code_->functions.push_back(std::move(code));
  code_->function_parts.push_back(std::move(parts));
  out_.set_span(span);
  out_.emit_wide(Opcode::MakeFunction, first, static_cast<int64_t>(code_->functions.size()) - 1);
  out_.emit(Opcode::Take, dest, first);
}

void FunctionCompiler::lambda(const LambdaExpr& expr, int dest) {
  std::shared_ptr<Code> code =
      compile_child(unit_.scopes.of(&expr),
                    [&](FunctionCompiler& compiler) { return compiler.compile_lambda(expr); });
  out_.set_span(expr.span);
  make_function(std::move(code), expr.parameters, nullptr, dest);
}

}  // namespace tsc::interp
