// The operators of the language, shared by the parser, the compiler and the runtime.
#pragma once

#include <cstdint>
#include <string_view>

namespace tsc::interp {

// name, symbol, the method's name without underscores and prefix (`__add__`, `__radd__`,
// `__iadd__`)
#define TSC_FORALL_BINARY_OPS(_)   \
  _(Add, "+", "add")               \
  _(Subtract, "-", "sub")          \
  _(Multiply, "*", "mul")          \
  _(MatMul, "@", "matmul")         \
  _(Divide, "/", "truediv")        \
  _(FloorDivide, "//", "floordiv") \
  _(Modulo, "%", "mod")            \
  _(Power, "**", "pow")            \
  _(LeftShift, "<<", "lshift")     \
  _(RightShift, ">>", "rshift")    \
  _(And, "&", "and")               \
  _(Or, "|", "or")                 \
  _(Xor, "^", "xor")

#define TSC_FORALL_COMPARE_OPS(_) \
  _(Less, "<")                    \
  _(LessEqual, "<=")              \
  _(Equal, "==")                  \
  _(NotEqual, "!=")               \
  _(Greater, ">")                 \
  _(GreaterEqual, ">=")           \
  _(Is, "is")                     \
  _(IsNot, "is not")              \
  _(In, "in")                     \
  _(NotIn, "not in")

#define TSC_FORALL_UNARY_OPS(_) \
  _(Negative, "-")              \
  _(Positive, "+")              \
  _(Invert, "~")                \
  _(Not, "not ")

enum class BinaryOp : uint8_t {
#define TSC_DEFINE_OP(name, ...) name,
  TSC_FORALL_BINARY_OPS(TSC_DEFINE_OP)
};

enum class CompareOp : uint8_t { TSC_FORALL_COMPARE_OPS(TSC_DEFINE_OP) };

enum class UnaryOp : uint8_t {
  TSC_FORALL_UNARY_OPS(TSC_DEFINE_OP)
#undef TSC_DEFINE_OP
};

inline std::string_view symbol(BinaryOp op) {
  constexpr std::string_view kSymbols[] = {
#define TSC_OP_SYMBOL(name, symbol, ...) symbol,
      TSC_FORALL_BINARY_OPS(TSC_OP_SYMBOL)};
  return kSymbols[static_cast<size_t>(op)];
}

inline std::string_view symbol(CompareOp op) {
  constexpr std::string_view kSymbols[] = {TSC_FORALL_COMPARE_OPS(TSC_OP_SYMBOL)};
  return kSymbols[static_cast<size_t>(op)];
}

inline std::string_view symbol(UnaryOp op) {
  constexpr std::string_view kSymbols[] = {TSC_FORALL_UNARY_OPS(TSC_OP_SYMBOL)
#undef TSC_OP_SYMBOL
  };
  return kSymbols[static_cast<size_t>(op)];
}

}  // namespace tsc::interp
