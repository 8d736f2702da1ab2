// Writes the instructions of one Code: constants, labels, registers, handler ranges.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interp/compiler/code.h"

namespace tsc::interp {

// A target of jumps. Jumps may be written before its position is known.
class Label {
 public:
  Label() = default;
  Label(const Label&) = delete;
  Label& operator=(const Label&) = delete;

 private:
  friend class Emitter;
  int64_t position_ = -1;
  std::vector<uint32_t> jumps_;
};

class Emitter {
 public:
  // `long_jumps`: for functions whose conditional jumps would not fit in 16 bits.
  Emitter(Code& code, bool long_jumps) : code_(code), long_jumps_(long_jumps) {}

  uint32_t position() const { return static_cast<uint32_t>(code_.instructions.size()); }
  void set_span(SourceSpan span) { span_ = span; }
  SourceSpan span() const { return span_; }

  void emit(Opcode op, int a = 0, int b = 0, int c = 0, int d = 0);
  void emit_wide(Opcode op, int a, int64_t bc, int d = 0);

  // Jump, Loop, JumpIfTrue, ...: the offset is bc.
  void jump(Opcode op, Label& label, int a = 0, int d = 0);
  // JumpIfLess, ...: the offset is a; b and c are compared.
  void compare_jump(Opcode op, Label& label, int b, int c, int d);
  // ForIter, ForRange, YieldFrom: the offset is c.
  void iterate_jump(Opcode op, Label& label, int a, int b);
  void bind(Label& label);

  int constant(const IValue& value);
  int string_constant(StringObject* text);
  int name(StringObject* text);
  int attribute_site(StringObject* name);
  int call_site(std::vector<StringObject*> keywords = {});

  // --- Registers: temporaries are taken and given back like a stack.
  void set_locals(int count) {
    next_register_ = count;
    note_register();
  }
  int temporary(int count = 1);
  int next_register() const { return next_register_; }
  void release_to(int reg) { next_register_ = reg; }

  void add_handler(uint32_t begin, uint32_t end, uint32_t target, int reg, bool is_body = false);

  // A 16-bit jump did not fit, or there were too many of something.
  bool jump_overflow() const { return jump_overflow_; }
  bool too_large() const { return too_large_; }

 private:
  void compare_jump_near(Opcode op, Label& label, int b, int c, int d);
  void note_register();
  void patch(uint32_t jump, int64_t target);
  uint16_t operand(int64_t value);

  Code& code_;
  bool long_jumps_;
  bool jump_overflow_ = false;
  bool too_large_ = false;
  SourceSpan span_;
  int next_register_ = 0;
  std::map<std::pair<int, uint64_t>, int> scalar_constants_;  // by tag and bits
  std::unordered_map<const StringObject*, int> string_constants_;
  std::unordered_map<const StringObject*, int> names_;
};

}  // namespace tsc::interp
