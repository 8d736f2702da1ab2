// Expressions with operators.
#include <array>
#include <cmath>

#include "core/system/stack_space.h"
#include "interp/compiler/compiler.h"
#include "interp/runtime/objects/bytes.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

using namespace ast;

namespace {

constexpr int kMaxDepth = 1500;  // of nested expressions, for the C stack's sake

bool fits_number(const IValue& value) {
  return value.is_int() && value.as_int() == static_cast<int16_t>(value.as_int());
}

int number_operand(const IValue& value) { return static_cast<uint16_t>(value.as_int()); }

struct BinaryOpcodes {
  Opcode registers;
  Opcode constant;
  Opcode number;  // Jump where there is none
};

constexpr BinaryOpcodes kBinaryOpcodes[] = {
    {Opcode::Add, Opcode::AddConstant, Opcode::AddNumber},
    {Opcode::Subtract, Opcode::SubtractConstant, Opcode::SubtractNumber},
    {Opcode::Multiply, Opcode::MultiplyConstant, Opcode::MultiplyNumber},
    {Opcode::MatMul, Opcode::MatMulConstant, Opcode::Jump},
    {Opcode::Divide, Opcode::DivideConstant, Opcode::Jump},
    {Opcode::FloorDivide, Opcode::FloorDivideConstant, Opcode::FloorDivideNumber},
    {Opcode::Modulo, Opcode::ModuloConstant, Opcode::ModuloNumber},
    {Opcode::Power, Opcode::PowerConstant, Opcode::Jump},
    {Opcode::LeftShift, Opcode::LeftShiftConstant, Opcode::Jump},
    {Opcode::RightShift, Opcode::RightShiftConstant, Opcode::Jump},
    {Opcode::And, Opcode::AndConstant, Opcode::Jump},
    {Opcode::Or, Opcode::OrConstant, Opcode::Jump},
    {Opcode::Xor, Opcode::XorConstant, Opcode::Jump},
};

struct CompareOpcodes {
  Opcode registers, constant, number;
  Opcode jump, jump_constant, jump_number;
};

constexpr CompareOpcodes kCompareOpcodes[] = {
#define TSC_COMPARE_ROW(name, op)                                              \
  {Opcode::name,         Opcode::name##Constant,         Opcode::name##Number, \
   Opcode::JumpIf##name, Opcode::JumpIf##name##Constant, Opcode::JumpIf##name##Number},
    TSC_FORALL_COMPARE_OPCODES(TSC_COMPARE_ROW)
#undef TSC_COMPARE_ROW
};

bool is_relational(CompareOp op) { return op <= CompareOp::GreaterEqual; }

}  // namespace

// --- Constants

// The value of a constant expression; nullopt for any other.
std::optional<IValue> FunctionCompiler::constant_of(const Expr& expr) {
  if (expr.kind == ExprKind::Constant) {
    const auto& constant = as<ConstantExpr>(expr);
    switch (constant.constant) {
      case ConstantKind::None: return IValue();
      case ConstantKind::True: return IValue(true);
      case ConstantKind::False: return IValue(false);
      case ConstantKind::Ellipsis: return ellipsis();
      case ConstantKind::Int:
        if (constant.too_large) return std::nullopt;
        return IValue(constant.integer);
      case ConstantKind::Float: return IValue(constant.number);
      case ConstantKind::Imaginary: return IValue(std::complex<double>(0, constant.number));
      case ConstantKind::String: return IValue::share(Tag::String, intern(constant.text));
      case ConstantKind::Bytes: return make_bytes(std::string(constant.text));
    }
  }
  if (expr.kind == ExprKind::Unary && as<UnaryExpr>(expr).op == UnaryOp::Negative) {
    const Expr& operand = *as<UnaryExpr>(expr).operand;
    if (operand.kind != ExprKind::Constant) return std::nullopt;
    const auto& constant = as<ConstantExpr>(operand);
    if (constant.constant == ConstantKind::Float) return IValue(-constant.number);
    if (constant.constant == ConstantKind::Imaginary)
      return IValue(std::complex<double>(-0.0, -constant.number));
    if (constant.constant != ConstantKind::Int) return std::nullopt;
    if (constant.too_large) {
      return constant.integer == INT64_MIN ? std::optional(IValue(INT64_MIN)) : std::nullopt;
    }
    return IValue(-constant.integer);
  }
  if (expr.kind == ExprKind::Tuple) {
    std::vector<IValue> items;
    for (const Expr* item : as<SequenceExpr>(expr).items) {
      std::optional<IValue> value = constant_of(*item);
      if (!value) return std::nullopt;
      items.push_back(std::move(*value));
    }
    return make_tuple(std::move(items));
  }
  return std::nullopt;
}

void FunctionCompiler::load_constant(const IValue& value, int dest) {
  if (value.is_int() && value.as_int() == static_cast<int32_t>(value.as_int())) {
    out_.emit_wide(Opcode::LoadInt, dest, value.as_int());
  } else {
    out_.emit_wide(Opcode::LoadConstant, dest, out_.constant(value));
  }
}

// --- The three ways to compile an expression

FunctionCompiler::Operand FunctionCompiler::value(const Expr& expr, int spare) {
  // A walrus could change the variable before its register is read.
  if (!function_scope_.has_walrus) {
    const int local = local_register(expr);
    if (local >= 0) return {local, false};
  }
  const int dest = spare >= 0 ? spare : out_.temporary();
  into(expr, dest);
  return {dest, true};
}

// Evaluates an expression for its effects only.
void FunctionCompiler::discard(const Expr& expr) {
  if (expr.kind == ExprKind::Constant && !as<ConstantExpr>(expr).too_large) return;
  const Temporaries temporaries(out_);
  const int dest = out_.temporary();
  into(expr, dest);
  out_.emit(Opcode::Clear, dest);
}

void FunctionCompiler::into(const Expr& expr, int dest) {
  const Temporaries temporaries(out_);
  if (++depth_ > kMaxDepth || stack_is_low()) {
    error(expr.span, "too many nested expressions");
    depth_--;
    return;
  }
  if (const std::optional<IValue> constant = constant_of(expr)) {
    out_.set_span(expr.span);
    load_constant(*constant, dest);
    depth_--;
    return;
  }
  switch (expr.kind) {
    case ExprKind::Name: load_name(as<NameExpr>(expr), dest); break;
    case ExprKind::Constant:
      out_.set_span(expr.span);
      out_.emit(Opcode::RaiseOverflow);
      break;
    case ExprKind::FString: f_string(as<FStringExpr>(expr), dest); break;
    case ExprKind::Unary: unary(as<UnaryExpr>(expr), dest); break;
    case ExprKind::Binary: binary(as<BinaryExpr>(expr), dest); break;
    case ExprKind::Bool: bool_operation(as<BoolExpr>(expr), dest); break;
    case ExprKind::Compare: compare(as<CompareExpr>(expr), dest); break;
    case ExprKind::Conditional: conditional(as<ConditionalExpr>(expr), dest); break;
    case ExprKind::Lambda: lambda(as<LambdaExpr>(expr), dest); break;
    case ExprKind::Call: call(as<CallExpr>(expr), dest); break;
    case ExprKind::Attribute: attribute(as<AttributeExpr>(expr), dest); break;
    case ExprKind::Subscript: subscript(as<SubscriptExpr>(expr), dest); break;
    case ExprKind::Slice: slice(as<SliceExpr>(expr), dest); break;
    case ExprKind::Starred: error(expr.span, "can't use starred expression here"); break;
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Set: sequence(as<SequenceExpr>(expr), dest); break;
    case ExprKind::Dict: dict_display(as<DictExpr>(expr), dest); break;
    case ExprKind::Comprehension: comprehension(as<ComprehensionExpr>(expr), dest); break;
    case ExprKind::Named: named(as<NamedExpr>(expr), dest); break;
    case ExprKind::Yield: yield(as<YieldExpr>(expr), dest); break;
    case ExprKind::YieldFrom: yield_from(as<YieldFromExpr>(expr), dest); break;
  }
  depth_--;
}

void FunctionCompiler::jump_if(const Expr& expr, Label& label, bool when) {
  const Temporaries temporaries(out_);
  if (const std::optional<IValue> constant = constant_of(expr)) {
    if (is_true(*constant) == when) out_.jump(Opcode::Jump, label);
    return;
  }
  if (expr.kind == ExprKind::Unary && as<UnaryExpr>(expr).op == UnaryOp::Not) {
    jump_if(*as<UnaryExpr>(expr).operand, label, !when);
    return;
  }
  if (expr.kind == ExprKind::Bool) {
    const auto& operation = as<BoolExpr>(expr);
    // `and` is decided by the first false operand, `or` by the first true one.
    const bool decides = !operation.is_and;
    const size_t last = operation.values.size() - 1;
    Label end;
    for (size_t i = 0; i <= last; i++) {
      const Expr& item = *operation.values[i];
      const Assigned before = assigned_;
      if (i == last) {
        jump_if(item, label, when);
      } else {
        jump_if(item, decides == when ? label : end, decides);
      }
      if (i > 0) assigned_ = before;
    }
    out_.bind(end);
    return;
  }
  if (expr.kind == ExprKind::Compare && as<CompareExpr>(expr).ops.size() == 1) {
    const auto& comparison = as<CompareExpr>(expr);
    const Operand left = value(*comparison.operands[0]);
    compare_jump(comparison.ops[0], left, *comparison.operands[1], label, when, expr.span);
    return;
  }
  const Operand condition = value(expr);
  out_.set_span(expr.span);
  out_.jump(when ? Opcode::JumpIfTrue : Opcode::JumpIfFalse, label, condition.reg,
            condition.drop(kDropA));
}

// --- Arithmetic

void FunctionCompiler::unary(const UnaryExpr& expr, int dest) {
  if (expr.op == UnaryOp::Negative && expr.operand->kind == ExprKind::Constant &&
      as<ConstantExpr>(*expr.operand).too_large) {
    out_.set_span(expr.span);
    out_.emit(Opcode::RaiseOverflow);
    return;
  }
  static constexpr Opcode kOpcodes[] = {Opcode::Negative, Opcode::Positive, Opcode::Invert,
                                        Opcode::Not};
  const Operand operand = value(*expr.operand, spare_for(dest));
  out_.set_span(expr.span);
  out_.emit(kOpcodes[static_cast<size_t>(expr.op)], dest, operand.reg, 0, operand.drop(kDropB));
}

// A register for an intermediate value on the way to `dest`: `dest` itself, unless it is a
// variable's.
int FunctionCompiler::spare_for(int dest) const {
  return dest >= code_->locals && dest + 1 == out_.next_register() ? dest : -1;
}

void FunctionCompiler::binary(const BinaryExpr& expr, int dest) {
  // A long sum is nested to the left, so it is compiled in a loop, not by recursion.
  std::vector<const BinaryExpr*> chain{&expr};
  while (chain.back()->left->kind == ExprKind::Binary) {
    chain.push_back(&as<BinaryExpr>(*chain.back()->left));
  }
  const int spare = spare_for(dest);
  Operand left = value(*chain.back()->left, spare);
  for (; !chain.empty(); chain.pop_back()) {
    const BinaryExpr& step = *chain.back();
    int result = dest;
    if (chain.size() > 1)
      result = left.is_temporary ? left.reg : spare >= 0 ? spare : out_.temporary();
    binary_operation(step.op, left, *step.right, result, step.span, 0);
    left = {result, true};
  }
}

void FunctionCompiler::binary_operation(BinaryOp op, Operand left, const Expr& right, int dest,
                                        SourceSpan span, int flags) {
  const BinaryOpcodes& opcodes = kBinaryOpcodes[static_cast<size_t>(op)];
  flags |= left.drop(kDropB);
  if (const std::optional<IValue> constant = constant_of(right)) {
    out_.set_span(span);
    if (opcodes.number != Opcode::Jump && fits_number(*constant)) {
      out_.emit(opcodes.number, dest, left.reg, number_operand(*constant), flags);
      return;
    }
    const int index = out_.constant(*constant);
    if (index <= UINT16_MAX) {
      out_.emit(opcodes.constant, dest, left.reg, index, flags);
      return;
    }
  }
  const Temporaries temporaries(out_);
  const Operand operand = value(right);
  out_.set_span(span);
  out_.emit(opcodes.registers, dest, left.reg, operand.reg, flags | operand.drop(kDropC));
}

// --- Comparisons and logic

void FunctionCompiler::bool_operation(const BoolExpr& expr, int dest) {
  // Values go to a register of their own where `dest` is a variable, which operands may read.
  Label end;
  const int result = spare_for(dest) >= 0 ? dest : out_.temporary();
  for (size_t i = 0; i < expr.values.size(); i++) {
    const Assigned before = assigned_;
    into(*expr.values[i], result);
    if (i > 0) assigned_ = before;
    if (i + 1 == expr.values.size()) break;
    out_.set_span(expr.values[i]->span);
    out_.jump(expr.is_and ? Opcode::JumpIfFalse : Opcode::JumpIfTrue, end, result);
    out_.emit(Opcode::Clear, result);
  }
  out_.bind(end);
  if (result != dest) out_.emit(Opcode::Take, dest, result);
}

void FunctionCompiler::compare(const CompareExpr& expr, int dest) {
  if (expr.ops.size() == 1) {
    compare_pair(expr.ops[0], value(*expr.operands[0], spare_for(dest)), *expr.operands[1], dest,
                 expr.span);
    return;
  }
  // `a < b < c`: b is evaluated once and compared twice.
  Label end;
  const int result = spare_for(dest) >= 0 ? dest : out_.temporary();
  const int held = out_.temporary();
  into(*expr.operands[0], held);
  Assigned after = assigned_;
  for (size_t i = 0; i < expr.ops.size(); i++) {
    const Temporaries temporaries(out_);
    const bool is_last = i + 1 == expr.ops.size();
    const Expr& right = *expr.operands[i + 1];
    if (is_last) {
      compare_pair(expr.ops[i], {held, true}, right, result, expr.span);
      break;
    }
    const int next = out_.temporary();
    into(right, next);
    if (i == 0) after = assigned_;  // those behind it are not always evaluated
    compare_registers(expr.ops[i], {held, true}, {next, false}, result, expr.span);
    out_.emit(Opcode::Take, held, next);
    Label goes_on;
    out_.jump(Opcode::JumpIfTrue, goes_on, result);
    out_.emit(Opcode::Clear, held);
    out_.jump(Opcode::Jump, end);
    out_.bind(goes_on);
    out_.emit(Opcode::Clear, result);
  }
  assigned_ = after;
  out_.bind(end);
  if (result != dest) out_.emit(Opcode::Take, dest, result);
}

void FunctionCompiler::compare_registers(CompareOp op, Operand left, Operand right, int dest,
                                         SourceSpan span) {
  out_.set_span(span);
  int flags = left.drop(kDropB) | right.drop(kDropC);
  Opcode opcode = Opcode::Is;
  if (is_relational(op)) {
    opcode = kCompareOpcodes[static_cast<size_t>(op)].registers;
  } else {
    opcode = op == CompareOp::In || op == CompareOp::NotIn ? Opcode::In : Opcode::Is;
    if (op == CompareOp::IsNot || op == CompareOp::NotIn) flags |= kNegate;
  }
  out_.emit(opcode, dest, left.reg, right.reg, flags);
}

void FunctionCompiler::compare_pair(CompareOp op, Operand left, const Expr& right, int dest,
                                    SourceSpan span) {
  if (is_relational(op)) {
    if (const std::optional<IValue> constant = constant_of(right)) {
      const CompareOpcodes& opcodes = kCompareOpcodes[static_cast<size_t>(op)];
      out_.set_span(span);
      if (fits_number(*constant)) {
        out_.emit(opcodes.number, dest, left.reg, number_operand(*constant), left.drop(kDropB));
        return;
      }
      const int index = out_.constant(*constant);
      if (index <= UINT16_MAX) {
        out_.emit(opcodes.constant, dest, left.reg, index, left.drop(kDropB));
        return;
      }
    }
  }
  const Temporaries temporaries(out_);
  compare_registers(op, left, value(right), dest, span);
}

void FunctionCompiler::compare_jump(CompareOp op, Operand left, const Expr& right, Label& label,
                                    bool when, SourceSpan span) {
  const std::optional<IValue> constant = constant_of(right);
  if (is_relational(op)) {
    const CompareOpcodes& opcodes = kCompareOpcodes[static_cast<size_t>(op)];
    int flags = left.drop(kDropB) | (when ? 0 : kNegate);
    if (constant && fits_number(*constant)) {
      out_.set_span(span);
      out_.compare_jump(opcodes.jump_number, label, left.reg, number_operand(*constant), flags);
      return;
    }
    if (constant) {
      const int index = out_.constant(*constant);
      if (index <= UINT16_MAX) {
        out_.set_span(span);
        out_.compare_jump(opcodes.jump_constant, label, left.reg, index, flags);
        return;
      }
    }
    const Operand operand = value(right);
    out_.set_span(span);
    out_.compare_jump(opcodes.jump, label, left.reg, operand.reg, flags | operand.drop(kDropC));
    return;
  }
  if (constant && constant->is_none() && (op == CompareOp::Is || op == CompareOp::IsNot)) {
    const bool is_none = (op == CompareOp::Is) == when;
    out_.set_span(span);
    out_.jump(Opcode::JumpIfNone, label, left.reg, left.drop(kDropA) | (is_none ? 0 : kNegate));
    return;
  }
  const int result = out_.temporary();
  compare_pair(op, left, right, result, span);
  out_.jump(when ? Opcode::JumpIfTrue : Opcode::JumpIfFalse, label, result, kDropA);
}

void FunctionCompiler::conditional(const ConditionalExpr& expr, int dest) {
  Label otherwise;
  Label end;
  jump_if(*expr.condition, otherwise, false);
  const Assigned before = assigned_;
  into(*expr.if_true, dest);
  out_.jump(Opcode::Jump, end);
  out_.bind(otherwise);
  assigned_ = before;
  into(*expr.if_false, dest);
  assigned_ = before;
  out_.bind(end);
}

void FunctionCompiler::named(const NamedExpr& expr, int dest) {
  const int result = spare_for(dest) >= 0 ? dest : out_.temporary();
  into(*expr.value, result);
  store_name(expr.target->name, {result, false}, expr.span);
  if (result != dest) out_.emit(Opcode::Take, dest, result);
}

// --- Attributes, subscripts, text

void FunctionCompiler::attribute(const AttributeExpr& expr, int dest) {
  const Operand object = value(*expr.object, spare_for(dest));
  const int site = out_.attribute_site(intern(expr.name));
  out_.set_span(expr.span);
  out_.emit(Opcode::GetAttribute, dest, object.reg, site, object.drop(kDropB));
}

void FunctionCompiler::subscript(const SubscriptExpr& expr, int dest) {
  const Operand object = value(*expr.object, spare_for(dest));
  if (const std::optional<IValue> constant = constant_of(*expr.index)) {
    out_.set_span(expr.span);
    if (fits_number(*constant)) {
      out_.emit(Opcode::GetItemNumber, dest, object.reg, number_operand(*constant),
                object.drop(kDropB));
      return;
    }
    const int index = out_.constant(*constant);
    if (index <= UINT16_MAX) {
      out_.emit(Opcode::GetItemConstant, dest, object.reg, index, object.drop(kDropB));
      return;
    }
  }
  const Operand index = value(*expr.index);
  out_.set_span(expr.span);
  out_.emit(Opcode::GetItem, dest, object.reg, index.reg, object.drop(kDropB) | index.drop(kDropC));
}

void FunctionCompiler::slice(const SliceExpr& expr, int dest) {
  const int first = out_.temporary(3);
  const std::array<const Expr*, 3> parts{expr.lower, expr.upper, expr.step};
  for (int i = 0; i < 3; i++) {
    const Expr* part = parts[static_cast<size_t>(i)];
    if (part != nullptr) {
      into(*part, first + i);
    } else {
      load_constant(IValue(), first + i);
    }
  }
  out_.set_span(expr.span);
  out_.emit(Opcode::BuildSlice, dest, first);
}

void FunctionCompiler::f_string(const FStringExpr& expr, int dest) {
  // In pieces, so that even a huge text needs few registers.
  constexpr size_t kPiece = 200;
  const size_t count = expr.parts.size();
  const int first = out_.next_register();
  size_t pending = 0;
  for (size_t i = 0; i < count; i++) {
    const FStringPart& part = expr.parts[i];
    const int reg = out_.temporary();
    if (part.value == nullptr) {
      load_constant(IValue::share(Tag::String, intern(part.text)), reg);
    } else {
      into(*part.value, reg);
      if (part.conversion != 0 || part.format != nullptr) {
        const Temporaries temporaries(out_);
        const int conversion = part.conversion == 's'   ? 1
                               : part.conversion == 'r' ? 2
                               : part.conversion == 'a' ? 3
                                                        : 0;
        const int format = out_.temporary();
        if (part.format != nullptr) {
          into(*part.format, format);
        } else {
          load_constant(IValue(), format);
        }
        out_.set_span(part.value->span);
        out_.emit(Opcode::FormatValue, reg, reg, format, conversion << 3 | kDropB | kDropC);
      }
    }
    if (++pending == kPiece && i + 1 < count) {
      out_.emit(Opcode::BuildString, first, first, static_cast<int>(pending));
      out_.release_to(first + 1);
      pending = 1;
    }
  }
  out_.set_span(expr.span);
  out_.emit(Opcode::BuildString, dest, first, static_cast<int>(pending));
}

// --- Generators

void FunctionCompiler::yield(const YieldExpr& expr, int dest) {
  const int result = spare_for(dest) >= 0 ? dest : out_.temporary();
  if (expr.value != nullptr) {
    into(*expr.value, result);
  } else {
    load_constant(IValue(), result);
  }
  out_.set_span(expr.span);
  out_.emit(Opcode::Yield, result, result);
  if (result != dest) out_.emit(Opcode::Take, dest, result);
}

void FunctionCompiler::yield_from(const YieldFromExpr& expr, int dest) {
  const int iterator = out_.temporary();
  const int step = out_.temporary();
  into(*expr.value, iterator);
  out_.set_span(expr.span);
  out_.emit(Opcode::GetIterator, iterator, iterator, 0, kDropB | kInPlace);
  load_constant(IValue(), step);
  Label again;
  Label end;
  out_.bind(again);
  out_.iterate_jump(Opcode::YieldFrom, end, step, iterator);
  out_.emit(Opcode::Yield, step, step);
  out_.jump(Opcode::Loop, again);
  out_.bind(end);
  out_.emit(Opcode::Take, dest, step);
}

}  // namespace tsc::interp
