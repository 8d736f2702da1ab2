// The syntax tree.
//
// A node is a plain struct in the tree's arena: a kind, the bytes of source it was read from, and
// pointers to its parts. Nothing in a tree is owned, counted or virtual; walking it is a switch
// over the kind and a downcast with as(). Names and text are string_views into the source or the
// arena, so a Tree keeps both alive.
//
//   Tree
//    +- source                     the text, for spans
//    +- arena                      every node, every list of nodes
//    +- body: span<Stmt*>
//         AssignStmt "y = relu(x @ w)"
//          +- targets: [NameExpr y]
//          +- value: CallExpr
//               +- function: NameExpr relu
//               +- arguments: [{value: BinaryExpr MatMul (NameExpr x, NameExpr w)}]
//
// The parser makes only trees that are grammatical: targets of assignments are names, attributes,
// subscripts, starred targets, or tuples and lists of these, and so on. Rules about scopes
// ('return' outside a function, names) are checked by the compiler.
//
// A span covers the expression without parentheses around it, as in CPython, whose carets we match.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interp/syntax/arena.h"
#include "interp/syntax/operators.h"
#include "interp/syntax/source.h"

namespace tsc::interp::ast {

// One row a kind of expression: the struct is NAME with "Expr" behind it. The second column is its
// name in messages, as in "cannot assign to function call".
#define TSC_FORALL_EXPRS(_)                \
  _(Name, "name")                          \
  _(Constant, "literal")                   \
  _(FString, "f-string expression")        \
  _(Unary, "expression")                   \
  _(Binary, "expression")                  \
  _(Bool, "expression")                    \
  _(Compare, "comparison")                 \
  _(Conditional, "conditional expression") \
  _(Lambda, "lambda")                      \
  _(Call, "function call")                 \
  _(Attribute, "attribute")                \
  _(Subscript, "subscript")                \
  _(Slice, "slice")                        \
  _(Starred, "starred")                    \
  _(Tuple, "tuple")                        \
  _(List, "list")                          \
  _(Set, "set display")                    \
  _(Dict, "dict literal")                  \
  _(Comprehension, "comprehension")        \
  _(Named, "named expression")             \
  _(Yield, "yield expression")             \
  _(YieldFrom, "yield expression")

#define TSC_FORALL_STMTS(_) \
  _(Expression)             \
  _(Assign)                 \
  _(AugAssign)              \
  _(AnnAssign)              \
  _(Return)                 \
  _(Delete)                 \
  _(Pass)                   \
  _(Break)                  \
  _(Continue)               \
  _(If)                     \
  _(While)                  \
  _(For)                    \
  _(With)                   \
  _(Try)                    \
  _(Raise)                  \
  _(Assert)                 \
  _(Function)               \
  _(Import)                 \
  _(ImportFrom)             \
  _(Global)                 \
  _(Nonlocal)

enum class ExprKind : uint8_t {
#define TSC_DEFINE_EXPR(name, text) name,
  TSC_FORALL_EXPRS(TSC_DEFINE_EXPR)
#undef TSC_DEFINE_EXPR
};

enum class StmtKind : uint8_t {
#define TSC_DEFINE_STMT(name) name,
  TSC_FORALL_STMTS(TSC_DEFINE_STMT)
#undef TSC_DEFINE_STMT
};

struct Expr {
  ExprKind kind;
  bool parenthesized = false;
  SourceSpan span;
};

struct Stmt {
  StmtKind kind;
  SourceSpan span;
};

using ExprList = std::span<Expr*>;
using StmtList = std::span<Stmt*>;

template <class Node>
const Node& as(const Expr& expr) {
  return static_cast<const Node&>(expr);
}
template <class Node>
const Node& as(const Stmt& stmt) {
  return static_cast<const Node&>(stmt);
}

// An expression's name in messages: "function call", "True".
std::string_view describe(const Expr& expr);

// --- Expressions ---

struct NameExpr : Expr {
  std::string_view name;
};

enum class ConstantKind : uint8_t {
  None,
  True,
  False,
  Ellipsis,
  Int,
  Float,
  Imaginary,
  String,
  Bytes,
};

struct ConstantExpr : Expr {
  ConstantKind constant;
  // An Int that does not fit: only the negative of 2**63 has a value, anything else overflows when
  // it is evaluated.
  bool too_large = false;
  int64_t integer = 0;
  double number = 0;  // Float, Imaginary
  std::string_view text{};
};

// A part of an f-string: either text, or a value with how to convert and format it.
struct FStringPart {
  std::string_view text;
  Expr* value = nullptr;
  char conversion = 0;     // 's', 'r', 'a' or none
  Expr* format = nullptr;  // an FStringExpr or a ConstantExpr, or none
  SourceSpan span;
};

struct FStringExpr : Expr {
  std::span<FStringPart> parts;
};

struct UnaryExpr : Expr {
  UnaryOp op;
  Expr* operand;
};

struct BinaryExpr : Expr {
  BinaryOp op;
  Expr* left;
  Expr* right;
};

// `a and b and c`: one node.
struct BoolExpr : Expr {
  bool is_and;
  ExprList values;
};

// `a < b <= c`: operands[0] ops[0] operands[1] ops[1] operands[2].
struct CompareExpr : Expr {
  ExprList operands;
  std::span<CompareOp> ops;
};

struct ConditionalExpr : Expr {
  Expr* condition;
  Expr* if_true;
  Expr* if_false;
};

enum class ParameterKind : uint8_t {
  PositionalOnly,
  Positional,
  VarArgs,
  KeywordOnly,
  VarKeywords
};

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::Positional;
  Expr* annotation = nullptr;
  Expr* default_value = nullptr;
  SourceSpan span;
};

struct LambdaExpr : Expr {
  std::span<Parameter> parameters;
  Expr* body;
};

// An argument of a call: `x`, `*x`, `name=x` or `**x`.
struct Argument {
  Expr* value = nullptr;
  std::string_view name;
  bool is_keyword = false;
  bool star = false;
  bool double_star = false;
  SourceSpan span;
};

struct CallExpr : Expr {
  Expr* function;
  std::span<Argument> arguments;
};

struct AttributeExpr : Expr {
  Expr* object;
  std::string_view name;
};

struct SubscriptExpr : Expr {
  Expr* object;
  Expr* index;  // `x[1:2, 3]` has a TupleExpr of a SliceExpr and a ConstantExpr
};

struct SliceExpr : Expr {
  Expr* lower;  // each may be absent
  Expr* upper;
  Expr* step;
};

struct StarredExpr : Expr {
  Expr* value;
};

// TupleExpr, ListExpr and SetExpr.
struct SequenceExpr : Expr {
  ExprList items;
};

struct DictItem {
  Expr* key = nullptr;  // absent for `**value`
  Expr* value = nullptr;
};

struct DictExpr : Expr {
  std::span<DictItem> items;
};

struct ComprehensionClause {
  Expr* target = nullptr;
  Expr* iterable = nullptr;
  ExprList conditions;
};

enum class ComprehensionKind : uint8_t { List, Set, Dict, Generator };

struct ComprehensionExpr : Expr {
  ComprehensionKind comprehension;
  Expr* element;  // a Dict's key
  Expr* value;    // only a Dict's
  std::span<ComprehensionClause> clauses;
};

struct NamedExpr : Expr {
  NameExpr* target;
  Expr* value;
};

struct YieldExpr : Expr {
  Expr* value;  // may be absent
};

struct YieldFromExpr : Expr {
  Expr* value;
};

// --- Statements ---

struct ExpressionStmt : Stmt {
  Expr* value;
};

struct AssignStmt : Stmt {
  ExprList targets;  // `a = b = value` has two
  Expr* value;
};

struct AugAssignStmt : Stmt {
  BinaryOp op;
  Expr* target;
  Expr* value;
};

struct AnnAssignStmt : Stmt {
  Expr* target;
  Expr* annotation;
  Expr* value;  // may be absent
};

struct ReturnStmt : Stmt {
  Expr* value;  // may be absent
};

struct DeleteStmt : Stmt {
  ExprList targets;
};

// `elif` is an IfStmt in `otherwise`.
struct IfStmt : Stmt {
  Expr* condition;
  StmtList body;
  StmtList otherwise;
  // The next branch of the chain; null where there is none.
  const IfStmt* elif () const {
    const bool is_chain = otherwise.size() == 1 && otherwise[0]->kind == StmtKind::If;
    return is_chain ? static_cast<const IfStmt*>(otherwise[0]) : nullptr;
  }
};

struct WhileStmt : Stmt {
  Expr* condition;
  StmtList body;
  StmtList otherwise;
};

struct ForStmt : Stmt {
  Expr* target;
  Expr* iterable;
  StmtList body;
  StmtList otherwise;
};

struct WithItem {
  Expr* context = nullptr;
  Expr* target = nullptr;  // may be absent
};

struct WithStmt : Stmt {
  std::span<WithItem> items;
  StmtList body;
};

struct ExceptHandler {
  Expr* type = nullptr;   // absent for `except:`
  std::string_view name;  // empty without `as`
  StmtList body;
  SourceSpan span;
};

struct TryStmt : Stmt {
  StmtList body;
  std::span<ExceptHandler> handlers;
  StmtList otherwise;
  StmtList finally;
};

struct RaiseStmt : Stmt {
  Expr* exception;  // absent for a bare `raise`
  Expr* cause;
};

struct AssertStmt : Stmt {
  Expr* condition;
  Expr* message;  // may be absent
};

struct FunctionStmt : Stmt {
  std::string_view name;
  ExprList decorators;
  std::span<Parameter> parameters;
  Expr* returns;  // the annotation, may be absent
  StmtList body;
};

struct ImportedName {
  std::string_view name;  // dotted in `import a.b.c`; "*" in `from m import *`
  std::string_view as;    // empty without `as`
};

struct ImportStmt : Stmt {
  std::span<ImportedName> names;
};

struct ImportFromStmt : Stmt {
  std::string_view module;
  int level;  // leading dots
  std::span<ImportedName> names;
};

// GlobalStmt and NonlocalStmt.
struct ScopeStmt : Stmt {
  std::span<std::string_view> names;
};

// A whole source: owns all of the above.
struct Tree {
  SourcePtr source;
  Arena arena;
  StmtList body;
};

}  // namespace tsc::interp::ast
