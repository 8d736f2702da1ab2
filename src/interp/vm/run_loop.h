// The run loop's fast paths and macros. Only run_loop.cpp and calls.cpp include this.
#pragma once

#include "interp/runtime/containers/iterators.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

TSC_ALWAYS_INLINE void set_int(IValue& dest, int64_t value) {
  if (TSC_UNLIKELY(dest.is_counted())) dest.reset();
  dest.set_int_unchecked(value);
}

TSC_ALWAYS_INLINE void set_double(IValue& dest, double value) {
  if (TSC_UNLIKELY(dest.is_counted())) dest.reset();
  dest.set_double_unchecked(value);
}

TSC_ALWAYS_INLINE void set_bool(IValue& dest, bool value) {
  if (TSC_UNLIKELY(dest.is_counted())) dest.reset();
  dest.set_bool_unchecked(value);
}

TSC_ALWAYS_INLINE bool both_int(const IValue& a, const IValue& b) {
  return a.is_int() && b.is_int();
}
TSC_ALWAYS_INLINE bool both_double(const IValue& a, const IValue& b) {
  return a.is_double() && b.is_double();
}

// Division and remainder round down, as in Python. The divisor is neither 0 nor -1.
TSC_ALWAYS_INLINE int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0 && (a ^ b) < 0) ? 1 : 0);
}
TSC_ALWAYS_INLINE int64_t floor_modulo(int64_t a, int64_t b) {
  const int64_t remainder = a % b;
  return remainder + ((remainder != 0 && (remainder ^ b) < 0) ? b : 0);
}
TSC_ALWAYS_INLINE bool may_divide(int64_t divisor) {
  return static_cast<uint64_t>(divisor) + 1 > 1;
}

// Truth without a call to the type: true if it is known.
TSC_ALWAYS_INLINE bool quick_truth(const IValue& value, bool& truth) {
  if (TSC_LIKELY(value.tag() <= Tag::Int)) {
    truth = value.payload_bits() != 0;
    return true;
  }
  return false;
}

// The item of a list or tuple; null for other types and where the index is out of range.
TSC_ALWAYS_INLINE const IValue* sequence_item(const IValue& object, int64_t index) {
  const IValue* items;
  int64_t size;
  if (TSC_LIKELY(object.is_list())) {
    const std::vector<IValue>& list = object.as_list()->items;
    items = list.data();
    size = static_cast<int64_t>(list.size());
  } else if (object.is_tuple()) {
    items = object.as_tuple()->items();
    size = static_cast<int64_t>(object.as_tuple()->size());
  } else {
    return nullptr;
  }
  if (index < 0) index += size;
  return TSC_LIKELY(static_cast<uint64_t>(index) < static_cast<uint64_t>(size)) ? items + index
                                                                                : nullptr;
}

// a = item, where b may be the last to hold it.
TSC_ALWAYS_INLINE void copy_item(IValue* base, const Instruction* pc, const IValue& item) {
  if (TSC_LIKELY((pc->d & kDropB) == 0)) {
    base[pc->a] = item;
    return;
  }
  IValue copy = item;
  base[pc->b].reset();
  base[pc->a] = std::move(copy);
}

inline void make_cell(IValue& value) {
  auto* cell = new CellObject();
  cell->value = std::move(value);
  value = IValue::adopt(Tag::Object, cell);
}

inline void Vm::push_frame(IValue* base, const Code& code, FunctionObject* function,
                           Frame::Kind kind) {
  Frame* const next = frame_ + 1;
  IValue* const top = base + code.frame_size;
  if (TSC_UNLIKELY(next >= frames_limit_ || top + 16 > stack_.end())) recursion_error();
  next->pc = code.instructions.data();
  next->base = base;
  next->code = &code;
  next->function = function;
  next->generator = nullptr;
  next->kind = kind;
  next->end = top;
  stack_.set_top(top);
  frame_ = next;
}

TSC_ALWAYS_INLINE void Vm::begin_plain_call(IValue* callee, uint32_t count) {
  FunctionObject* const function = as_function(*callee);
  const Code& code = function->code();
  if (TSC_LIKELY(code.is_plain && code.parameters.positional == count)) {
    push_frame(callee + 1, code, function, Frame::Kind::Call);
    return;
  }
  Arguments arguments;
  arguments.values = callee + 1;
  arguments.positional = count;
  begin_call(callee, arguments, Frame::Kind::Call);
}

#define TSC_CASE(name) op_##name
#define TSC_DISPATCH() goto* kLabels[static_cast<size_t>(pc->op)]
#define TSC_NEXT()  \
  do {              \
    pc++;           \
    TSC_DISPATCH(); \
  } while (false)
#define TSC_JUMP(offset) \
  do {                   \
    pc += 1 + (offset);  \
    TSC_DISPATCH();      \
  } while (false)
// A jump that may close a loop: checks the interrupt flag.
#define TSC_JUMP_AND_POLL(offset)                       \
  do {                                                  \
    if (TSC_UNLIKELY(interrupt_requested())) goto stop; \
    TSC_JUMP(offset);                                   \
  } while (false)
#define TSC_SAVE() frame->pc = pc

// a = b op right, for ints and for floats, else by binary_slow.
#define TSC_ARITHMETIC(op, right_value, on_int, on_double) \
  {                                                        \
    const IValue& left = base[pc->b];                      \
    const IValue& right = right_value;                     \
    if (TSC_LIKELY(both_int(left, right))) {               \
      const int64_t x = left.as_int();                     \
      const int64_t y = right.as_int();                    \
      on_int                                               \
    } else if (both_double(left, right)) {                 \
      const double x = left.as_double();                   \
      const double y = right.as_double();                  \
      on_double                                            \
    }                                                      \
    TSC_SAVE();                                            \
    binary_slow(pc, base, op, right);                      \
    TSC_NEXT();                                            \
  }
#define TSC_CHECKED_INT(function)               \
  {                                             \
    int64_t result;                             \
    if (TSC_LIKELY(!function(x, y, &result))) { \
      set_int(base[pc->a], result);             \
      TSC_NEXT();                               \
    }                                           \
  }
#define TSC_INT(expression)           \
  {                                   \
    set_int(base[pc->a], expression); \
    TSC_NEXT();                       \
  }
#define TSC_DOUBLE(expression)           \
  {                                      \
    set_double(base[pc->a], expression); \
    TSC_NEXT();                          \
  }
#define TSC_NOT_HERE      \
  {                       \
    static_cast<void>(x); \
    static_cast<void>(y); \
  }

// Both forms of an operator: with a register and with a constant.
#define TSC_BINARY(name, on_int, on_double)                                                     \
  TSC_CASE(name)                                                                                \
      : TSC_ARITHMETIC(BinaryOp::name, base[pc->c], on_int, on_double) TSC_CASE(name##Constant) \
      : TSC_ARITHMETIC(BinaryOp::name, constants[pc->c], on_int, on_double)

// With a number in the instruction.
#define TSC_BINARY_NUMBER(name, on_int)               \
  TSC_CASE(name##Number) : {                          \
    const IValue& left = base[pc->b];                 \
    const int64_t y = pc->signed_c();                 \
    if (TSC_LIKELY(left.is_int())) {                  \
      const int64_t x = left.as_int();                \
      on_int                                          \
    }                                                 \
    TSC_SAVE();                                       \
    binary_slow(pc, base, BinaryOp::name, IValue(y)); \
    TSC_NEXT();                                       \
  }

#define TSC_COMPARE(name, op, right_value)                          \
  {                                                                 \
    const IValue& left = base[pc->b];                               \
    const IValue& right = right_value;                              \
    if (TSC_LIKELY(both_int(left, right))) {                        \
      set_bool(base[pc->a], left.as_int() op right.as_int());       \
      TSC_NEXT();                                                   \
    }                                                               \
    if (both_double(left, right)) {                                 \
      set_bool(base[pc->a], left.as_double() op right.as_double()); \
      TSC_NEXT();                                                   \
    }                                                               \
    TSC_SAVE();                                                     \
    compare_slow(pc, base, CompareOp::name, right);                 \
    TSC_NEXT();                                                     \
  }
#define TSC_COMPARE_JUMP(name, op, right_value)                               \
  {                                                                           \
    const IValue& left = base[pc->b];                                         \
    const IValue& right = right_value;                                        \
    bool holds;                                                               \
    if (TSC_LIKELY(both_int(left, right))) {                                  \
      holds = left.as_int() op right.as_int();                                \
    } else if (both_double(left, right)) {                                    \
      holds = left.as_double() op right.as_double();                          \
    } else {                                                                  \
      TSC_SAVE();                                                             \
      holds = compare_jump_slow(pc, base, CompareOp::name, right);            \
    }                                                                         \
    if (holds != ((pc->d & kNegate) != 0)) TSC_JUMP_AND_POLL(pc->signed_a()); \
    TSC_NEXT();                                                               \
  }
#define TSC_COMPARISONS(name, op)                                                       \
  TSC_CASE(name)                                                                        \
      : TSC_COMPARE(name, op, base[pc->c]) TSC_CASE(name##Constant)                     \
      : TSC_COMPARE(name, op, constants[pc->c]) TSC_CASE(name##Number) : {              \
    const IValue& left = base[pc->b];                                                   \
    if (TSC_LIKELY(left.is_int())) {                                                    \
      set_bool(base[pc->a], left.as_int() op pc->signed_c());                           \
      TSC_NEXT();                                                                       \
    }                                                                                   \
    TSC_SAVE();                                                                         \
    compare_slow(pc, base, CompareOp::name, IValue(pc->signed_c()));                    \
    TSC_NEXT();                                                                         \
  }                                                                                     \
  TSC_CASE(JumpIf##name)                                                                \
      : TSC_COMPARE_JUMP(name, op, base[pc->c]) TSC_CASE(JumpIf##name##Constant)        \
      : TSC_COMPARE_JUMP(name, op, constants[pc->c]) TSC_CASE(JumpIf##name##Number) : { \
    const IValue& left = base[pc->b];                                                   \
    bool holds;                                                                         \
    if (TSC_LIKELY(left.is_int())) {                                                    \
      holds = left.as_int() op pc->signed_c();                                          \
    } else {                                                                            \
      TSC_SAVE();                                                                       \
      holds = compare_jump_slow(pc, base, CompareOp::name, IValue(pc->signed_c()));     \
    }                                                                                   \
    if (holds != ((pc->d & kNegate) != 0)) TSC_JUMP_AND_POLL(pc->signed_a());           \
    TSC_NEXT();                                                                         \
  }

}  // namespace tsc::interp
