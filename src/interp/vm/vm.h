// The virtual machine: frames on the operand stack, globals, and the run loop.
//
// A frame is a window on the stack (compiler/opcode.h). Calling a function of the script pushes a
// frame and stays in the same run loop; C++ recursion happens only where a native function calls
// back (`sorted(key=...)`, a generator in `sum()`), which enters a run loop of its own.
//
// An error is a pending exception. Inside the run loop, `raise` and the end of an iterator set it
// and unwind without a C++ throw. Kernels and native functions throw; the throw ends the run loop,
// execute() catches it, unwinds in the same way, and enters the run loop again at the handler.
// Where no frame of this run loop has a handler, execute() throws RaisedError to its caller.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/source_mark.h"
#include "dispatch/stack.h"
#include "interp/compiler/compiler.h"
#include "interp/runtime/interpreter.h"
#include "interp/vm/function.h"

namespace tsc::interp {

struct Frame {
  // The destination of a frame's value.
  enum class Kind : uint8_t {
    Call,       // to the register of the caller's call instruction
    Entry,      // out of the run loop
    ForIter,    // a generator, resumed by the caller's ForIter or ForRange
    YieldFrom,  // a generator, resumed by the caller's YieldFrom
  };

  const Instruction* pc;  // of the instruction that runs, or that called
  IValue* base;
  const Code* code;
  FunctionObject* function;    // held by base[-1]; null for a module
  GeneratorObject* generator;  // held by base[-1] then; null for an ordinary call
  IValue* end;                 // behind the registers
  Kind kind;
};

struct GlobalSlot {
  IValue value;    // unbound where the script has not set it
  IValue builtin;  // the builtin of that name; unbound until it was looked up
};

class DictObject;

class Vm final : public CompileContext {
 public:
  explicit Vm(Interpreter& interpreter);
  ~Vm() override;
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  // --- Names
  StringObject* intern(std::string_view text) override;
  uint32_t global_index(std::string_view name) override;
  const std::vector<GlobalSlot>& globals() const { return globals_; }
  std::string_view global_name(size_t index) const { return global_names_[index]->view(); }
  GlobalSlot* find_slot(std::string_view name);
  // The builtin of a slot's name; false where there is none.
  bool find_builtin_of(GlobalSlot& slot, std::string_view name);

  // Called before the end of the interpreter, while destruction may still run code (a generator's
  // `finally`).
  void clear_globals();

  // --- Running
  IValue run_module(const Code& code);
  IValue call(const IValue& callee, std::span<const IValue> positional);
  IValue call(const IValue& callee, const Arguments& arguments);
  // next() of a generator from C++. False at its end, with its return value in `result`.
  bool resume(const IValue& generator, IValue sent, IValue& result);
  // Raises `exception` where the generator stopped.
  bool resume_with_error(const IValue& generator, IValue exception, IValue& result);

  // Returns the value that tells the run loop to raise `exception`.
  IValue set_pending(IValue exception);
  void close_abandoned(GeneratorObject& generator) noexcept;
  void set_recursion_limit(int limit);
  // The frames that are running, innermost first, as a traceback has them.
  std::vector<TracebackEntry> running_frames() const;
  // The current instruction of the innermost frame.
  SourceMark here() const {
    return frame_ == frames_ ? SourceMark() : SourceMark{frame_->code, frame_->pc};
  }
  // A local or global variable for which `test` holds, the innermost first; "" where there is none.
  std::string find_variable(const std::function<bool(const IValue&)>& test) const;
  // The same for the innermost frame only: its locals, or the globals where a module runs.
  std::string find_visible_variable(const std::function<bool(const IValue&)>& test) const;
  Interpreter& interpreter() { return interpreter_; }

 private:
  enum class Outcome : uint8_t {
    Done,     // the instruction is over
    Entered,  // a frame was pushed that will finish it
    Raised,   // pending_ is set
    Ended,    // an iterator has no more
  };

  // --- The run loop (run_loop.cpp). True: its entry frame has ended, with result_. False: pending_
  // is set.
  bool run_loop();
  // Runs the frame that was just pushed, and throws the exceptions that it does not catch.
  IValue execute();

  // --- Frames and unwinding (frames.cpp)
  void push_frame(IValue* base, const Code& code, FunctionObject* function, Frame::Kind kind);
  [[noreturn]] TSC_COLD void recursion_error();
  void release_registers(IValue* from);
  bool unwind();
  bool enter_handler(Frame& frame);
  void leave_by_error(Frame& frame);
  void add_traceback(const Frame& frame);
  void set_pending_from_cpp(IValue exception);
  void set_context(const IValue& exception);
  bool end_special_frame();

  static std::string find_local(const Frame& frame, const std::function<bool(const IValue&)>& test);
  std::string find_global(const std::function<bool(const IValue&)>& test) const;

  // --- Calls (calls.cpp): `callee` is a register, with the arguments behind it.
  void begin_plain_call(IValue* callee, uint32_t count);
  void begin_call(IValue* callee, Arguments& arguments, Frame::Kind kind);
  bool call_native(Frame& frame, IValue* callee, uint32_t count);
  bool call_method(Frame& frame, IValue* callee, uint32_t count);
  Outcome call_keywords(Frame& frame);
  Outcome call_spread(Frame& frame);
  bool finish_native(Frame& frame, IValue* first, IValue* end, IValue&& result);
  IValue call_value(const IValue& callee, Arguments& arguments);
  void bind_arguments(FunctionObject& function, Arguments& arguments);
  void bind_keyword(FunctionObject& function, IValue* base, const Arguments& arguments,
                    size_t index, IValue value, DictObject* others);
  void make_function(Frame& frame, size_t index, IValue* parts);

  // --- Generators (generators.cpp)
  bool make_generator();
  bool suspend();
  void begin_resume(const IValue& generator, IValue sent, Frame::Kind kind);
  void finish_generator(Frame& frame);
  Outcome iterate(Frame& frame);
  Outcome yield_from(Frame& frame);
  bool run_generator(IValue& result);

  // --- Out-of-line parts of the run loop (slow_paths.cpp)
  void binary_slow(const Instruction* pc, IValue* base, BinaryOp op, const IValue& right);
  void binary_of_temporaries(const Instruction* pc, IValue* base, BinaryOp op);
  void compare_slow(const Instruction* pc, IValue* base, CompareOp op, const IValue& right);
  bool compare_jump_slow(const Instruction* pc, IValue* base, CompareOp op, const IValue& right);
  void unary_slow(const Instruction* pc, IValue* base, UnaryOp op);
  void load_builtin(size_t index, IValue& dest);
  void delete_global(const Instruction* pc);
  void add_global(const Instruction* pc, IValue* base);
  [[noreturn]] TSC_COLD void unbound_local(const Code& code, size_t name, bool is_free);
  bool get_item_slow(const Instruction* pc, IValue* base, const IValue& index);
  void set_item_slow(const Instruction* pc, IValue* base);
  void delete_item(const Instruction* pc, IValue* base);
  void get_iterator(const Instruction* pc, IValue* base);
  bool range_iterator(Frame& frame);

  // --- Containers and text (containers.cpp)
  void build(const Instruction* pc, IValue* base);
  void build_string(const Instruction* pc, IValue* base);
  void format_value(const Instruction* pc, IValue* base);
  void extend(const Instruction* pc, IValue* base);
  void merge_dict(const Instruction* pc, IValue* base);
  [[noreturn]] TSC_COLD static void throw_repeated_keyword(const IValue& callee,
                                                           const IValue& name);
  static std::string callable_name(const IValue& callee);
  void unpack(const Instruction* pc, IValue* base);
  void unpack_star(const Instruction* pc, IValue* base);

  // --- Attributes and modules (attributes.cpp)
  void get_attribute(const Instruction* pc, IValue* base, AttributeSite& site);
  void set_attribute(const Instruction* pc, IValue* base, AttributeSite& site);
  void delete_attribute(const Instruction* pc, IValue* base, AttributeSite& site);
  void load_method(const Instruction* pc, IValue* base, AttributeSite& site);
  void module_instruction(Frame& frame);

  // --- Errors and contexts (errors.cpp). These set pending_.
  void raise_statement(const Instruction* pc, IValue* base);
  void reraise();
  void raise_assertion(const Instruction* pc, IValue* base);
  void match_exception(const Instruction* pc, IValue* base);
  void with_enter(const Instruction* pc, IValue* base);
  void with_exit(const Instruction* pc, IValue* base);
  void with_exit_error(const Instruction* pc, IValue* base);

  Interpreter& interpreter_;
  Stack& stack_;
  std::unordered_map<std::string_view, StringObject*> interned_;
  std::vector<GlobalSlot> globals_;
  std::vector<StringObject*> global_names_;
  std::unordered_map<std::string_view, uint32_t> global_indices_;

  // Frames lie in a mapping of their own and never move. The first one is a sentinel.
  Frame* frames_ = nullptr;
  Frame* frame_ = nullptr;  // the one that runs
  Frame* frames_limit_ = nullptr;

  IValue result_;                     // of the entry frame that has just ended
  bool yielded_ = false;              // and whether it stopped at a yield
  IValue pending_;                    // the exception that is being raised
  bool pending_is_rethrown_ = false;  // its traceback already has the frame
  IValue handled_;                    // the exception of the innermost running handler
};

}  // namespace tsc::interp
