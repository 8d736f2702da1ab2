// Scopes: the variable that each name of a program refers to.
//
//   def f(a):                 Function f: a Cell (captured), b Local
//       b = [x * a for x in y]  Comprehension: x Local, held in f's frame; y Global
//       return lambda: a        Lambda: a Free
//
// List, set and dict comprehensions have a scope but no frame: their variables live in the frame
// around them. A generator expression is a function. Names of the module are Global wherever they
// are used.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interp/syntax/ast.h"
#include "interp/syntax/diagnostic.h"

namespace tsc::interp {

enum class ScopeKind : uint8_t { Module, Function, Lambda, GeneratorExpression, Comprehension };

enum class VariableKind : uint8_t {
  Local,   // a register of the frame
  Cell,    // a register that holds a cell, because an inner function captures the variable
  Free,    // a cell of an outer function
  Global,  // a global of the module, or a builtin
};

struct Symbol {
  bool is_bound = false;  // assigned, imported, deleted, a parameter, ...
  bool is_parameter = false;
  bool is_global = false;    // declared so
  bool is_nonlocal = false;  // declared so
  bool is_used = false;
  bool is_deleted = false;
  VariableKind kind = VariableKind::Global;
  int index = -1;        // register of a Local or Cell, place among the captured cells of a Free
  SourceSpan span = {};  // the first use, binding or declaration
};

struct Scope {
  ScopeKind kind = ScopeKind::Module;
  Scope* parent = nullptr;
  std::unordered_map<std::string_view, Symbol> symbols;
  std::vector<std::string_view> order;     // of the symbols' first appearance
  std::vector<std::string_view> captured;  // names of the Free variables, by their index
  bool is_generator = false;
  bool has_walrus = false;  // a name may be bound in the middle of an expression

  bool has_frame() const { return kind != ScopeKind::Comprehension; }
  // The scope whose frame holds this one's variables.
  Scope& frame_scope() { return has_frame() ? *this : parent->frame_scope(); }
  Symbol* find(std::string_view name);
};

class ScopeTable {
 public:
  // Errors in scoping go to `diagnostics`.
  ScopeTable(const ast::Tree& tree, SyntaxDiagnostics& diagnostics);

  Scope& module() { return *scopes_.front(); }
  // The scope that a FunctionStmt, LambdaExpr or ComprehensionExpr opens.
  Scope& of(const void* node) { return *by_node_.at(node); }

 private:
  friend class ScopeBuilder;
  void resolve(Scope& scope, SyntaxDiagnostics& diagnostics);
  bool capture(Scope& scope, std::string_view name);

  std::vector<std::unique_ptr<Scope>> scopes_;  // outer ones first
  std::unordered_map<const void*, Scope*> by_node_;
};

}  // namespace tsc::interp
