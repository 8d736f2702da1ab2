// The slow paths of names, operators and items.
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

namespace {

// Stores the value of an instruction that may read operands b and c for the last time.
void finish(const Instruction* pc, IValue* base, IValue result) {
  if ((pc->d & kDropB) != 0) base[pc->b].reset();
  if ((pc->d & kDropC) != 0) base[pc->c].reset();
  base[pc->a] = std::move(result);
}

// Arithmetic of an int and a float, and quotients of ints, for ints that a float holds exactly.
bool mixed_arithmetic(BinaryOp op, const IValue& left, const IValue& right, double& result) {
  constexpr int64_t kExact = int64_t{1} << 53;
  const auto number = [](const IValue& value, double& out) {
    if (value.is_double()) {
      out = value.as_double();
      return true;
    }
    out = static_cast<double>(value.as_int());
    return value.is_int() && value.as_int() <= kExact && value.as_int() >= -kExact;
  };
  double x;
  double y;
  if (!number(left, x) || !number(right, y)) return false;
  if (op == BinaryOp::Divide) {
    if (y == 0) return false;
    result = x / y;
    return true;
  }
  if (left.is_int() && right.is_int()) return false;
  if (op == BinaryOp::Multiply) {
    result = x * y;
  } else if (op == BinaryOp::Add) {
    result = x + y;
  } else if (op == BinaryOp::Subtract) {
    result = x - y;
  } else {
    return false;
  }
  return true;
}

}  // namespace

// --- Names

void Vm::load_builtin(size_t index, IValue& dest) {
  GlobalSlot& slot = globals_[index];
  if (!find_builtin_of(slot, global_name(index))) {
    throw_error(ErrorKind::NameError, "name '{}' is not defined", global_name(index));
  }
  dest = slot.builtin;
}

void Vm::delete_global(const Instruction* pc) {
  const auto index = static_cast<uint32_t>(pc->bc());
  GlobalSlot& slot = globals_[index];
  if (slot.value.is_mark() && (pc->d & kNegate) == 0) {
    throw_error(ErrorKind::NameError, "name '{}' is not defined", global_name(index));
  }
  slot.value = unbound();
}

void Vm::add_global(const Instruction* pc, IValue* base) {
  const auto index = static_cast<uint32_t>(pc->bc());
  if (globals_[index].value.is_mark()) {
    IValue value;
    load_builtin(index, value);
    globals_[index].value = std::move(value);
  }
  const IValue right = std::move(base[pc->a]);
  inplace_op(BinaryOp::Add, globals_[index].value, right);
}

void Vm::unbound_local(const Code& code, size_t name, bool is_free) {
  const std::string_view text = code.names[name]->view();
  if (is_free) {
    throw_error(ErrorKind::NameError,
                "cannot access free variable '{}' where it is not associated with a value in "
                "enclosing scope",
                text);
  }
  throw_error(ErrorKind::UnboundLocalError,
              "cannot access local variable '{}' where it is not associated with a value", text);
}

// --- Operators

void Vm::binary_slow(const Instruction* pc, IValue* base, BinaryOp op, const IValue& right) {
  IValue& left = base[pc->b];
  double number;
  if (mixed_arithmetic(op, left, right, number)) {
    base[pc->a] = number;
    return;
  }
  if ((pc->d & kInPlace) != 0) {
    if (&left == &right) {
      const IValue copy = right;  // NOLINT(performance-unnecessary-copy-initialization)
      inplace_op(op, left, copy);
    } else {
      inplace_op(op, left, right);
    }
    if ((pc->d & kDropC) != 0) base[pc->c].reset();
    return;
  }
  constexpr uint8_t kDropped = kDropB | kDropC;
  if ((pc->d & kDropped) == kDropped && pc->c == pc->b + 1 && &right == base + pc->c) {
    binary_of_temporaries(pc, base, op);
    return;
  }
  finish(pc, base, binary_op(op, left, right));
}

// Two temporaries next to each other lie where the arguments of a call would; behind them the stack
// is free.
void Vm::binary_of_temporaries(const Instruction* pc, IValue* base, BinaryOp op) {
  IValue* const operands = base + pc->b;
  const Type& type = type_of(operands[0]);
  if (type.binary_of_last == nullptr || &type_of(operands[1]) != &type) {
    finish(pc, base, binary_op(op, operands[0], operands[1]));
    return;
  }
  stack_.set_top(operands + 2);
  IValue result = type.binary_of_last(op, stack_);
  stack_.set_top(frame_->end);
  base[pc->a] = std::move(result);
}

void Vm::compare_slow(const Instruction* pc, IValue* base, CompareOp op, const IValue& right) {
  finish(pc, base, compare_op(op, base[pc->b], right));
}

bool Vm::compare_jump_slow(const Instruction* pc, IValue* base, CompareOp op, const IValue& right) {
  const bool holds = compare_is_true(op, base[pc->b], right);
  if ((pc->d & kDropB) != 0) base[pc->b].reset();
  if ((pc->d & kDropC) != 0) base[pc->c].reset();
  return holds;
}

void Vm::unary_slow(const Instruction* pc, IValue* base, UnaryOp op) {
  finish(pc, base, unary_op(op, base[pc->b]));
}

// --- Items

// False with a KeyError pending: a key missing from a dict is ordinary, and must not cost a C++
// throw.
bool Vm::get_item_slow(const Instruction* pc, IValue* base, const IValue& index) {
  const IValue& container = base[pc->b];
  if (container.tag() == Tag::Dict) {
    const IValue* found = as_dict(container)->find(index);
    if (found == nullptr) {
      pending_ = make_exception(ErrorKind::KeyError, std::vector<IValue>{index});
      set_context(pending_);
      return false;
    }
    finish(pc, base, *found);
    return true;
  }
  finish(pc, base, get_item(container, index));
  return true;
}

void Vm::set_item_slow(const Instruction* pc, IValue* base) {
  const bool takes = (pc->d & kDropC) != 0;
  set_item(base[pc->a], base[pc->b], takes ? std::move(base[pc->c]) : base[pc->c]);
  if ((pc->d & kDropA) != 0) base[pc->a].reset();
  if ((pc->d & kDropB) != 0) base[pc->b].reset();
}

void Vm::delete_item(const Instruction* pc, IValue* base) {
  tsc::interp::delete_item(base[pc->a], base[pc->b]);
  if ((pc->d & kDropA) != 0) base[pc->a].reset();
  if ((pc->d & kDropB) != 0) base[pc->b].reset();
}

// --- Iterators

// Lists, tuples, strings and dicts need no iterator object: the next register holds the position.
void Vm::get_iterator(const Instruction* pc, IValue* base) {
  IValue& source = base[pc->b];
  const Tag tag = source.tag();
  const bool as_object = (pc->d & kInPlace) != 0;
  if (!as_object &&
      (tag == Tag::List || tag == Tag::Tuple || tag == Tag::String || tag == Tag::Dict)) {
    const int64_t place = tag == Tag::Dict ? as_dict(source)->version() : 0;
    if ((pc->d & kDropB) == 0) {
      base[pc->a] = source;
    } else if (pc->a != pc->b) {
      base[pc->a] = std::move(source);
    }
    base[pc->a + 1].set_int_unchecked(place);
    return;
  }
  IValue iterator = tsc::interp::get_iterator(source);
  if ((pc->d & kDropB) != 0) source.reset();
  base[pc->a] = std::move(iterator);
}

// `for i in range(...)`: the callee is in register a, the arguments behind it.
bool Vm::range_iterator(Frame& frame) {
  const Instruction* const pc = frame.pc;
  IValue* const state = frame.base + pc->a;
  const size_t count = pc->d;
  bool quick = as_type(*state) == &kRangeType;
  for (size_t i = 1; i <= count; i++) quick = quick && state[i].is_int();
  if (quick) {
    const int64_t start = count > 1 ? state[1].as_int() : 0;
    const int64_t stop = count > 1 ? state[2].as_int() : state[1].as_int();
    const int64_t step = count > 2 ? state[3].as_int() : 1;
    if (step == 0) throw_error_text(ErrorKind::ValueError, "range() arg 3 must not be zero");
    uint64_t length = 0;
    if (step > 0 ? start < stop : start > stop) {
      const uint64_t distance = step > 0
                                    ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                    : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
      const uint64_t stride =
          step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
      length = (distance - 1) / stride + 1;
    }
    *state = IValue::mark(length + 1);
    state[1].set_int_unchecked(start);
    state[2].set_int_unchecked(step);
    return true;
  }
  Arguments arguments;
  arguments.values = state + 1;
  arguments.positional = static_cast<uint32_t>(count);
  stack_.set_top(state + 1 + count);
  if (state->tag() == Tag::Function) {
    // Rare: the script has rebound the name `range`.
    const IValue callee = *state;
    if (!finish_native(frame, state, frame.end, call(callee, arguments))) return false;
  } else if (!finish_native(frame, state, frame.end, call_value(*state, arguments))) {
    return false;
  }
  Instruction iterate{Opcode::GetIterator, kDropB, pc->a, pc->a, 0};
  get_iterator(&iterate, frame.base);
  return true;
}

}  // namespace tsc::interp
