// Compiles a syntax tree to Code.
//
// One FunctionCompiler compiles one function (or the module); comprehensions are compiled into the
// function around them. An expression is compiled by one of three functions:
//
//   into(expr, reg)          its value ends in `reg`
//   value(expr)              its value ends in any register: a local's own, or a new temporary
//   jump_if(expr, label)     it has no value: control goes one way or the other
//
// The compiler tracks which locals are certain to have a value (`Assigned`). Only the others are
// checked when they are read, and only those are marked as unbound when the function begins.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/compiler/code.h"
#include "interp/compiler/emitter.h"
#include "interp/compiler/scope.h"
#include "interp/runtime/interpreter.h"
#include "interp/syntax/ast.h"

namespace tsc::interp {

// The compiler's interface to its interpreter.
class CompileContext {
 public:
  virtual ~CompileContext() = default;
  virtual StringObject* intern(std::string_view text) = 0;
  // The slot of a global; a new one if the name is new.
  virtual uint32_t global_index(std::string_view name) = 0;
};

// Null where there are errors.
std::shared_ptr<const Code> compile_tree(const ast::Tree& tree, CompileMode mode,
                                         CompileContext& context, SyntaxDiagnostics& diagnostics);

// The registers that are certain to hold a value at the current instruction.
class Assigned {
 public:
  bool has(int reg) const {
    return !reachable_ ||
           (static_cast<size_t>(reg) < bits_.size() && bits_[static_cast<size_t>(reg)]);
  }
  void add(int reg);
  void remove(int reg);
  // The registers that hold a value on both of two paths that join.
  void merge(const Assigned& other);
  void set_unreachable() { reachable_ = false; }
  bool reachable() const { return reachable_; }

 private:
  std::vector<bool> bits_;
  bool reachable_ = true;
};

// Shared by all functions of one tree.
struct CompileUnit {
  const ast::Tree& tree;
  CompileMode mode;
  CompileContext& context;
  SyntaxDiagnostics& diagnostics;
  ScopeTable scopes;
};

class FunctionCompiler {
 public:
  FunctionCompiler(CompileUnit& unit, Scope& scope, const FunctionCompiler* outer, bool long_jumps);

  std::shared_ptr<Code> compile_module();
  std::shared_ptr<Code> compile_function(std::string_view name, SourceSpan span,
                                         std::span<const ast::Parameter> parameters,
                                         ast::StmtList body);
  std::shared_ptr<Code> compile_lambda(const ast::LambdaExpr& lambda);
  std::shared_ptr<Code> compile_generator(const ast::ComprehensionExpr& expr);
  bool needs_long_jumps() const { return out_.jump_overflow(); }

 private:
  using Expr = ast::Expr;
  using Stmt = ast::Stmt;

  // The register of a value. A temporary dies with its next use.
  struct Operand {
    int reg;
    bool is_temporary;
    int drop(int flag) const { return is_temporary ? flag : 0; }
  };

  // A block around a statement that `return`, `break` and `continue` must leave properly.
  struct Block {
    enum class Kind { Loop, Range, Finally, Handler, With } kind;
    Label* on_break = nullptr;
    Label* on_continue = nullptr;
    int reg = -1;                // Loop: the iterator; Handler: the exception; With: the exit
    ast::StmtList finally = {};  // Finally: compiled on every way out
    const ast::ExceptHandler* handler = nullptr;             // Handler: whose name is to be deleted
    int handler_reg = -1;                                    // Range: for add_handler()
    std::vector<std::pair<uint32_t, uint32_t>> pieces = {};  // Range, Handler: the covered code
    uint32_t begin = 0;                                      // Range, Handler: of the open piece
  };

  // --- Functions (compiler.cpp)
  void begin(std::string_view name, SourceSpan span);
  void set_parameters(std::span<const ast::Parameter> parameters);
  void enter_function();
  std::shared_ptr<Code> finish();
  std::string_view docstring(ast::StmtList body) const;
  StringObject* intern(std::string_view text) { return unit_.context.intern(text); }
  template <class... Args>
  void error(SourceSpan span, fmt::format_string<Args...> format, Args&&... args) {
    error_text(span, fmt::format(format, std::forward<Args>(args)...));
  }
  void error_text(SourceSpan span, std::string message);

  // --- Names (compiler.cpp)
  Symbol& lookup(std::string_view name);
  void load_name(const ast::NameExpr& expr, int dest);
  void check_bound(std::string_view name, int reg);
  void store_name(std::string_view name, Operand value, SourceSpan span);
  void delete_name(std::string_view name, SourceSpan span, bool must_exist);
  int local_register(const Expr& expr);

  // --- Statements (compile_statements.cpp)
  void statements(ast::StmtList list);
  void statement(const Stmt& stmt);
  void expression_statement(const ast::ExpressionStmt& stmt);
  void assign(const ast::AssignStmt& stmt);
  bool assign_pairwise(const ast::AssignStmt& stmt);
  void assign_to(const Expr& target, Operand value);
  void unpack_to(const ast::SequenceExpr& target, Operand value);
  void augmented_assign(const ast::AugAssignStmt& stmt);
  void annotated_assign(const ast::AnnAssignStmt& stmt);
  void delete_target(const Expr& target);
  void return_statement(const ast::ReturnStmt& stmt);
  void raise_statement(const ast::RaiseStmt& stmt);
  void assert_statement(const ast::AssertStmt& stmt);
  void import_statement(const ast::ImportStmt& stmt);
  void import_from(const ast::ImportFromStmt& stmt);
  void if_statement(const ast::IfStmt& stmt);
  void while_statement(const ast::WhileStmt& stmt);
  void for_statement(const ast::ForStmt& stmt);
  void function_statement(const ast::FunctionStmt& stmt);

  // --- Leaving blocks (compile_blocks.cpp)
  void try_statement(const ast::TryStmt& stmt);
  void try_except(const ast::TryStmt& stmt);
  void except_handlers(const ast::TryStmt& stmt, int reg, Label& end, const Assigned& before,
                       Assigned& after);
  void leave_handler(int reg, const ast::ExceptHandler* handler, Label& end, Assigned& after);
  void with_statement(const ast::WithStmt& stmt, size_t index);
  void break_or_continue(const Stmt& stmt);
  void return_from_blocks(SourceSpan span, Opcode op, int reg);
  void open_range(int reg);
  Block close_range();
  void bind_range(const Block& block);
  void open_handler(int reg, const ast::ExceptHandler* handler);
  void close_handler();
  void leave_blocks(size_t depth);
  void reenter_blocks();
  bool has_cleanup() const;

  // --- Expressions (compile_expressions.cpp)
  void into(const Expr& expr, int dest);
  Operand value(const Expr& expr, int spare = -1);
  void discard(const Expr& expr);
  int spare_for(int dest) const;
  void jump_if(const Expr& expr, Label& label, bool when);
  std::optional<IValue> constant_of(const Expr& expr);
  void load_constant(const IValue& value, int dest);
  void unary(const ast::UnaryExpr& expr, int dest);
  void binary(const ast::BinaryExpr& expr, int dest);
  void binary_operation(BinaryOp op, Operand left, const Expr& right, int dest, SourceSpan span,
                        int flags);
  void bool_operation(const ast::BoolExpr& expr, int dest);
  void compare(const ast::CompareExpr& expr, int dest);
  void compare_registers(CompareOp op, Operand left, Operand right, int dest, SourceSpan span);
  void compare_pair(CompareOp op, Operand left, const Expr& right, int dest, SourceSpan span);
  void compare_jump(CompareOp op, Operand left, const Expr& right, Label& label, bool when,
                    SourceSpan span);
  void conditional(const ast::ConditionalExpr& expr, int dest);
  void f_string(const ast::FStringExpr& expr, int dest);
  void attribute(const ast::AttributeExpr& expr, int dest);
  void subscript(const ast::SubscriptExpr& expr, int dest);
  void slice(const ast::SliceExpr& expr, int dest);
  void named(const ast::NamedExpr& expr, int dest);
  void yield(const ast::YieldExpr& expr, int dest);
  void yield_from(const ast::YieldFromExpr& expr, int dest);

  // --- Displays and comprehensions (compile_displays.cpp)
  void sequence(const ast::SequenceExpr& expr, int dest);
  void build_list(std::span<Expr* const> items, int dest);
  void dict_display(const ast::DictExpr& expr, int dest);
  void comprehension(const ast::ComprehensionExpr& expr, int dest);
  void comprehension_clause(const ast::ComprehensionExpr& expr, size_t index,
                            const std::function<void()>& element);
  void generator_expression(const ast::ComprehensionExpr& expr, int dest);
  void enter_comprehension(Scope& scope, bool may_be_unbound);
  void leave_comprehension(Scope& scope);
  void prepare_loop(const Expr& iterable, SourceSpan span, int state, bool is_range);
  void run_loop(SourceSpan span, const Expr& target, const std::function<void()>& body,
                Label& on_continue, int state, bool is_range);
  bool is_range_call(const Expr& expr);

  // --- Calls and functions (compile_calls.cpp)
  void call(const ast::CallExpr& expr, int dest);
  void call_spread(const ast::CallExpr& expr, int dest);
  void spread_positional(const ast::CallExpr& expr, int dest);
  void spread_keywords(const ast::CallExpr& expr, int callee, int dest);
  void make_function(std::shared_ptr<Code> code, std::span<const ast::Parameter> parameters,
                     const Expr* returns, int dest);
  void lambda(const ast::LambdaExpr& expr, int dest);
  std::shared_ptr<Code> compile_child(
      Scope& scope, const std::function<std::shared_ptr<Code>(FunctionCompiler&)>& run);

  bool is_local_target(const Expr& target, int& reg);
  // Releases the temporaries taken in its scope.
  class Temporaries {
   public:
    explicit Temporaries(Emitter& out) : out_(out), mark_(out.next_register()) {}
    Temporaries(const Temporaries&) = delete;
    Temporaries& operator=(const Temporaries&) = delete;
    ~Temporaries() { out_.release_to(mark_); }

   private:
    Emitter& out_;
    int mark_;
  };

  CompileUnit& unit_;
  Scope& function_scope_;
  Scope* scope_;  // of the comprehension being compiled, or function_scope_
  const FunctionCompiler* outer_;
  std::shared_ptr<Code> code_;
  Emitter out_;
  Assigned assigned_;
  std::vector<bool> needs_unbind_;  // by register
  std::vector<Block> blocks_;
  std::vector<std::vector<Block>> resume_;  // blocks that a jump out of them is just leaving
  int depth_ = 0;
};

}  // namespace tsc::interp
