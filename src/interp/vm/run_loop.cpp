// The run loop: one label an opcode, each ending in a jump to the next one's.
//
// Rules for the code here:
//   - The fast paths are for numbers, lists, tuples and calls of the script's functions; everything
//     else is a function call.
//   - An instruction that can fail first saves `pc` in its frame, where execute() reads it if a C++
//     exception leaves the loop.
//   - No object with a destructor is alive where control goes to another label.
#include "interp/vm/run_loop.h"
#include "core/system/interrupt.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/list.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

bool Vm::run_loop() {
  static const void* const kLabels[] = {
#define TSC_BINARY_LABELS(name, effect) &&op_##name, &&op_##name##Constant,
      TSC_FORALL_BINARY_OPCODES(TSC_BINARY_LABELS)
#define TSC_NUMBER_LABEL(name) &&op_##name##Number,
          TSC_FORALL_BINARY_NUMBER_OPCODES(TSC_NUMBER_LABEL)
#define TSC_COMPARE_LABELS(name, op)                                          \
  &&op_##name, &&op_##name##Constant, &&op_##name##Number, &&op_JumpIf##name, \
      &&op_JumpIf##name##Constant, &&op_JumpIf##name##Number,
              TSC_FORALL_COMPARE_OPCODES(TSC_COMPARE_LABELS)
#define TSC_OTHER_LABEL(name, effect) &&op_##name,
                  TSC_FORALL_OTHER_OPCODES(TSC_OTHER_LABEL)};
  Frame* frame = frame_;
  const Instruction* pc = frame->pc;
  IValue* base = frame->base;
  const IValue* constants = frame->code->constants.data();
  IValue* locals_end = nullptr;  // of the frame that is ending
  TSC_DISPATCH();

// --- Control that several instructions share

// A frame was pushed or resumed: continue at its pc.
enter_frame:
  frame = frame_;
  pc = frame->pc;
  base = frame->base;
  constants = frame->code->constants.data();
  if (TSC_UNLIKELY(interrupt_requested())) goto stop;
  TSC_DISPATCH();

// The frame above has ended, and its value is stored.
leave_frame:
  frame = frame_;
  pc = frame->pc;
  base = frame->base;
  constants = frame->code->constants.data();
  TSC_NEXT();

// pending_ is set.
raise:
  if (!unwind()) return false;
  goto enter_frame;

stop:
  TSC_SAVE();
  throw_if_interrupted();
  TSC_DISPATCH();

  // --- Values

  TSC_CASE(Move) : {
    base[pc->a] = base[pc->b];
    TSC_NEXT();
  }
  TSC_CASE(Take) : {
    base[pc->a] = std::move(base[pc->b]);
    TSC_NEXT();
  }
  TSC_CASE(LoadConstant) : {
    base[pc->a] = constants[static_cast<uint32_t>(pc->bc())];
    TSC_NEXT();
  }
  TSC_CASE(LoadInt) : {
    set_int(base[pc->a], pc->bc());
    TSC_NEXT();
  }
  TSC_CASE(Clear) : {
    IValue& value = base[pc->a];
    if (value.is_counted()) value.reset();
    TSC_NEXT();
  }
  TSC_CASE(Unbind) : {
    base[pc->a] = unbound();
    TSC_NEXT();
  }
  TSC_CASE(CheckBound) : {
    if (TSC_UNLIKELY(base[pc->a].is_mark())) {
      TSC_SAVE();
      unbound_local(*frame->code, static_cast<size_t>(pc->bc()), false);
    }
    TSC_NEXT();
  }
  TSC_CASE(LoadGlobal) : {
    GlobalSlot& slot = globals_[static_cast<uint32_t>(pc->bc())];
    if (TSC_LIKELY(!slot.value.is_mark())) {
      base[pc->a] = slot.value;
    } else if (TSC_LIKELY(!slot.builtin.is_mark())) {
      base[pc->a] = slot.builtin;
    } else {
      TSC_SAVE();
      load_builtin(static_cast<uint32_t>(pc->bc()), base[pc->a]);
    }
    TSC_NEXT();
  }
  TSC_CASE(StoreGlobal) : {
    IValue& value = globals_[static_cast<uint32_t>(pc->bc())].value;
    if ((pc->d & kDropA) != 0) {
      value = std::move(base[pc->a]);
    } else {
      value = base[pc->a];
    }
    TSC_NEXT();
  }
  TSC_CASE(DeleteGlobal) : {
    TSC_SAVE();
    delete_global(pc);
    TSC_NEXT();
  }
  TSC_CASE(AddGlobal) : {
    IValue& target = globals_[static_cast<uint32_t>(pc->bc())].value;
    const IValue& right = base[pc->a];
    if (TSC_LIKELY(both_int(target, right))) {
      int64_t result;
      if (TSC_LIKELY(!__builtin_add_overflow(target.as_int(), right.as_int(), &result))) {
        target.set_int_unchecked(result);
        TSC_NEXT();
      }
    } else if (both_double(target, right)) {
      target.set_double_unchecked(target.as_double() + right.as_double());
      TSC_NEXT();
    }
    TSC_SAVE();
    add_global(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(MakeCell) : {
    make_cell(base[pc->a]);
    TSC_NEXT();
  }
  TSC_CASE(LoadCell) : {
    const IValue& value = as_cell(base[pc->b])->value;
    if (TSC_UNLIKELY(value.is_mark())) {
      TSC_SAVE();
      unbound_local(*frame->code, pc->c, false);
    }
    base[pc->a] = value;
    TSC_NEXT();
  }
  TSC_CASE(StoreCell) : {
    IValue& value = as_cell(base[pc->b])->value;
    if ((pc->d & kDropA) != 0) {
      value = std::move(base[pc->a]);
    } else {
      value = base[pc->a];
    }
    TSC_NEXT();
  }
  TSC_CASE(DeleteCell) : {
    IValue& value = as_cell(base[pc->b])->value;
    if (value.is_mark() && (pc->d & kNegate) == 0) {
      TSC_SAVE();
      unbound_local(*frame->code, pc->c, false);
    }
    value = unbound();
    TSC_NEXT();
  }
  TSC_CASE(LoadFree) : {
    const IValue& value = as_cell(frame->function->cells[pc->b])->value;
    if (TSC_UNLIKELY(value.is_mark())) {
      TSC_SAVE();
      unbound_local(*frame->code, pc->c, true);
    }
    base[pc->a] = value;
    TSC_NEXT();
  }
  TSC_CASE(StoreFree) : {
    IValue& value = as_cell(frame->function->cells[pc->b])->value;
    if ((pc->d & kDropA) != 0) {
      value = std::move(base[pc->a]);
    } else {
      value = base[pc->a];
    }
    TSC_NEXT();
  }
  TSC_CASE(DeleteFree) : {
    IValue& value = as_cell(frame->function->cells[pc->b])->value;
    if (value.is_mark() && (pc->d & kNegate) == 0) {
      TSC_SAVE();
      unbound_local(*frame->code, pc->c, true);
    }
    value = unbound();
    TSC_NEXT();
  }

  // --- Operators

  TSC_BINARY(Add, TSC_CHECKED_INT(__builtin_add_overflow), TSC_DOUBLE(x + y))
  TSC_BINARY(Subtract, TSC_CHECKED_INT(__builtin_sub_overflow), TSC_DOUBLE(x - y))
  TSC_BINARY(Multiply, TSC_CHECKED_INT(__builtin_mul_overflow), TSC_DOUBLE(x * y))
  TSC_BINARY(MatMul, TSC_NOT_HERE, TSC_NOT_HERE)
  TSC_BINARY(Divide, TSC_NOT_HERE, if (TSC_LIKELY(y != 0)) TSC_DOUBLE(x / y))
  TSC_BINARY(FloorDivide, if (TSC_LIKELY(may_divide(y))) TSC_INT(floor_divide(x, y)), TSC_NOT_HERE)
  TSC_BINARY(Modulo, if (TSC_LIKELY(may_divide(y))) TSC_INT(floor_modulo(x, y)), TSC_NOT_HERE)
  TSC_BINARY(Power, TSC_NOT_HERE, TSC_NOT_HERE)
  TSC_BINARY(LeftShift, TSC_NOT_HERE, TSC_NOT_HERE)
  TSC_BINARY(RightShift, if (TSC_LIKELY(static_cast<uint64_t>(y) < 64)) TSC_INT(x >> y),
             TSC_NOT_HERE)
  TSC_BINARY(And, TSC_INT(x & y), TSC_NOT_HERE)
  TSC_BINARY(Or, TSC_INT(x | y), TSC_NOT_HERE)
  TSC_BINARY(Xor, TSC_INT(x ^ y), TSC_NOT_HERE)
  TSC_BINARY_NUMBER(Add, TSC_CHECKED_INT(__builtin_add_overflow))
  TSC_BINARY_NUMBER(Subtract, TSC_CHECKED_INT(__builtin_sub_overflow))
  TSC_BINARY_NUMBER(Multiply, TSC_CHECKED_INT(__builtin_mul_overflow))
  TSC_BINARY_NUMBER(FloorDivide, if (TSC_LIKELY(may_divide(y))) TSC_INT(floor_divide(x, y)))
  TSC_BINARY_NUMBER(Modulo, if (TSC_LIKELY(may_divide(y))) TSC_INT(floor_modulo(x, y)))

  TSC_FORALL_COMPARE_OPCODES(TSC_COMPARISONS)

  TSC_CASE(Negative) : {
    const IValue& operand = base[pc->b];
    if (operand.is_double()) {
      set_double(base[pc->a], -operand.as_double());
      TSC_NEXT();
    }
    TSC_SAVE();
    unary_slow(pc, base, UnaryOp::Negative);
    TSC_NEXT();
  }
  TSC_CASE(Positive) : {
    TSC_SAVE();
    unary_slow(pc, base, UnaryOp::Positive);
    TSC_NEXT();
  }
  TSC_CASE(Invert) : {
    TSC_SAVE();
    unary_slow(pc, base, UnaryOp::Invert);
    TSC_NEXT();
  }
  TSC_CASE(Not) : {
    bool truth;
    if (!quick_truth(base[pc->b], truth)) {
      TSC_SAVE();
      truth = is_true(base[pc->b]);
      if ((pc->d & kDropB) != 0) base[pc->b].reset();
    }
    set_bool(base[pc->a], !truth);
    TSC_NEXT();
  }
  TSC_CASE(Is) : {
    const bool same = is_identical(base[pc->b], base[pc->c]);
    if ((pc->d & kDropB) != 0 && base[pc->b].is_counted()) base[pc->b].reset();
    if ((pc->d & kDropC) != 0 && base[pc->c].is_counted()) base[pc->c].reset();
    set_bool(base[pc->a], same != ((pc->d & kNegate) != 0));
    TSC_NEXT();
  }
  TSC_CASE(In) : {
    TSC_SAVE();
    const bool found = contains(base[pc->c], base[pc->b]);
    if ((pc->d & kDropB) != 0 && base[pc->b].is_counted()) base[pc->b].reset();
    if ((pc->d & kDropC) != 0 && base[pc->c].is_counted()) base[pc->c].reset();
    set_bool(base[pc->a], found != ((pc->d & kNegate) != 0));
    TSC_NEXT();
  }

  // --- Jumps

  TSC_CASE(Jump) : TSC_JUMP(pc->bc());
  TSC_CASE(Loop) : TSC_JUMP_AND_POLL(pc->bc());
  TSC_CASE(JumpIfTrue) : {
    bool truth;
    if (!quick_truth(base[pc->a], truth)) {
      TSC_SAVE();
      truth = is_true(base[pc->a]);
      if ((pc->d & kDropA) != 0 && base[pc->a].is_counted()) base[pc->a].reset();
    }
    if (truth) TSC_JUMP_AND_POLL(pc->bc());
    TSC_NEXT();
  }
  TSC_CASE(JumpIfFalse) : {
    bool truth;
    if (!quick_truth(base[pc->a], truth)) {
      TSC_SAVE();
      truth = is_true(base[pc->a]);
      if ((pc->d & kDropA) != 0 && base[pc->a].is_counted()) base[pc->a].reset();
    }
    if (!truth) TSC_JUMP_AND_POLL(pc->bc());
    TSC_NEXT();
  }
  TSC_CASE(JumpIfNone) : {
    const bool is_none = base[pc->a].is_none();
    if ((pc->d & kDropA) != 0 && base[pc->a].is_counted()) base[pc->a].reset();
    if (is_none != ((pc->d & kNegate) != 0)) TSC_JUMP_AND_POLL(pc->bc());
    TSC_NEXT();
  }

  // --- Containers

  TSC_CASE(BuildList)
      : TSC_CASE(BuildTuple) : TSC_CASE(BuildSet) : TSC_CASE(BuildDict) : TSC_CASE(BuildSlice) : {
    TSC_SAVE();
    build(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(BuildString) : {
    TSC_SAVE();
    build_string(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(FormatValue) : {
    TSC_SAVE();
    format_value(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(ListAppend) : {
    std::vector<IValue>& items = base[pc->a].as_list()->items;
    if ((pc->d & kDropB) != 0) {
      items.push_back(std::move(base[pc->b]));
    } else {
      items.push_back(base[pc->b]);
    }
    TSC_NEXT();
  }
  TSC_CASE(SetAdd)
      : TSC_CASE(DictSet)
      : TSC_CASE(ListExtend)
      : TSC_CASE(SetUpdate) : TSC_CASE(DictUpdate) : TSC_CASE(DictMerge) : TSC_CASE(ListToTuple) : {
    TSC_SAVE();
    extend(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(Unpack) : {
    TSC_SAVE();
    unpack(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(UnpackStar) : {
    TSC_SAVE();
    unpack_star(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(GetItem) : {
    const IValue& object = base[pc->b];
    const IValue& index = base[pc->c];
    if (TSC_LIKELY(index.is_int())) {
      const IValue* item = sequence_item(object, index.as_int());
      if (TSC_LIKELY(item != nullptr)) {
        copy_item(base, pc, *item);
        TSC_NEXT();
      }
    }
    TSC_SAVE();
    if (TSC_UNLIKELY(!get_item_slow(pc, base, index))) goto raise;
    TSC_NEXT();
  }
  TSC_CASE(GetItemConstant) : {
    TSC_SAVE();
    if (TSC_UNLIKELY(!get_item_slow(pc, base, constants[pc->c]))) goto raise;
    TSC_NEXT();
  }
  TSC_CASE(GetItemNumber) : {
    const IValue* item = sequence_item(base[pc->b], pc->signed_c());
    if (TSC_LIKELY(item != nullptr)) {
      copy_item(base, pc, *item);
      TSC_NEXT();
    }
    TSC_SAVE();
    if (TSC_UNLIKELY(!get_item_slow(pc, base, IValue(pc->signed_c())))) goto raise;
    TSC_NEXT();
  }
  TSC_CASE(SetItem) : {
    const IValue& object = base[pc->a];
    const IValue& index = base[pc->b];
    if (TSC_LIKELY(object.is_list() && index.is_int() && (pc->d & kDropA) == 0)) {
      std::vector<IValue>& items = object.as_list()->items;
      int64_t i = index.as_int();
      if (i < 0) i += static_cast<int64_t>(items.size());
      if (TSC_LIKELY(static_cast<uint64_t>(i) < items.size())) {
        if ((pc->d & kDropC) != 0) {
          items[static_cast<size_t>(i)] = std::move(base[pc->c]);
        } else {
          items[static_cast<size_t>(i)] = base[pc->c];
        }
        TSC_NEXT();
      }
    }
    TSC_SAVE();
    set_item_slow(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(DeleteItem) : {
    TSC_SAVE();
    delete_item(pc, base);
    TSC_NEXT();
  }

  // --- Attributes

  TSC_CASE(GetAttribute) : {
    TSC_SAVE();
    get_attribute(pc, base, frame->code->attribute_sites[pc->c]);
    TSC_NEXT();
  }
  TSC_CASE(SetAttribute) : {
    TSC_SAVE();
    set_attribute(pc, base, frame->code->attribute_sites[pc->c]);
    TSC_NEXT();
  }
  TSC_CASE(DeleteAttribute) : {
    TSC_SAVE();
    delete_attribute(pc, base, frame->code->attribute_sites[pc->c]);
    TSC_NEXT();
  }
  TSC_CASE(LoadMethod) : {
    AttributeSite& site = frame->code->attribute_sites[pc->c];
    const IValue& object = base[pc->b];
    const Type* type = tag_types[static_cast<size_t>(object.tag())];
    if (TSC_LIKELY(type != nullptr && site.owner == type)) {
      if ((pc->d & kDropB) == 0) {
        base[pc->a + 1] = object;
      } else if (pc->b != pc->a + 1) {
        base[pc->a + 1] = std::move(base[pc->b]);
      }
      base[pc->a] = IValue::mark(reinterpret_cast<uint64_t>(site.found));
      TSC_NEXT();
    }
    TSC_SAVE();
    load_method(pc, base, site);
    TSC_NEXT();
  }

  // --- Calls

  TSC_CASE(MakeFunction) : {
    TSC_SAVE();
    make_function(*frame, static_cast<size_t>(pc->bc()), base + pc->a);
    TSC_NEXT();
  }
  TSC_CASE(Call) : {
    TSC_SAVE();
    IValue* callee = base + pc->b;
    if (TSC_LIKELY(callee->tag() == Tag::Function)) {
      begin_plain_call(callee, pc->d);
      goto enter_frame;
    }
    if (TSC_LIKELY(call_native(*frame, callee, pc->d))) TSC_NEXT();
    goto raise;
  }
  TSC_CASE(CallMethod) : {
    TSC_SAVE();
    IValue* callee = base + pc->b;
    if (TSC_LIKELY(callee->is_mark())) {
      const auto& def = *reinterpret_cast<const BuiltinDef*>(callee->payload_bits());
      if (def.function == list_append && pc->d == 1 && callee[1].is_list()) {
        callee[1].as_list()->items.push_back(std::move(callee[2]));
        callee[1].reset();
        base[pc->a].reset();
        TSC_NEXT();
      }
      if (TSC_LIKELY(call_method(*frame, callee, pc->d))) TSC_NEXT();
      goto raise;
    }
    // Not a method, but an attribute's value, which takes no object.
    callee[1] = std::move(callee[0]);
    callee++;
    if (callee->tag() == Tag::Function) {
      begin_plain_call(callee, pc->d);
      goto enter_frame;
    }
    if (TSC_LIKELY(call_native(*frame, callee, pc->d))) TSC_NEXT();
    goto raise;
  }
  TSC_CASE(CallKeywords) : TSC_CASE(CallMethodKeywords) : {
    TSC_SAVE();
    const Outcome outcome = call_keywords(*frame);
    if (outcome == Outcome::Entered) goto enter_frame;
    if (TSC_UNLIKELY(outcome == Outcome::Raised)) goto raise;
    TSC_NEXT();
  }
  TSC_CASE(CallSpread) : {
    TSC_SAVE();
    const Outcome outcome = call_spread(*frame);
    if (outcome == Outcome::Entered) goto enter_frame;
    if (TSC_UNLIKELY(outcome == Outcome::Raised)) goto raise;
    TSC_NEXT();
  }
  TSC_CASE(Return) : {
    // The value goes to the callee's register, where the caller expects it. Read before the callee
    // is released, which may own this code.
    IValue* const value = base + pc->a;
    locals_end = base + frame->code->locals;
    base[-1].swap(*value);
    value->reset();
    goto end_call;
  }
  TSC_CASE(ReturnCopy) : {
    locals_end = base + frame->code->locals;
    base[-1] = base[pc->a];
    goto end_call;
  }

end_call:
  for (IValue* local = base; local != locals_end; local++) {
    if (local->is_counted()) local->reset();
  }
  if (TSC_LIKELY(frame->kind == Frame::Kind::Call)) {
    frame_ = frame - 1;
    IValue* const dest = frame_->base + frame_->pc->a;
    if (dest != base - 1) *dest = std::move(base[-1]);
    stack_.set_top(frame_->end);
    goto leave_frame;
  }
  if (!end_special_frame()) return true;
  goto leave_frame;

  TSC_CASE(Generator) : {
    TSC_SAVE();
    if (!make_generator()) return true;
    goto leave_frame;
  }
  TSC_CASE(Yield) : {
    TSC_SAVE();
    if (!suspend()) return true;
    goto leave_frame;
  }
  TSC_CASE(YieldFrom) : {
    TSC_SAVE();
    switch (yield_from(*frame)) {
      case Outcome::Done: TSC_NEXT();
      case Outcome::Entered: goto enter_frame;
      case Outcome::Raised: goto raise;
      case Outcome::Ended: TSC_JUMP(pc->signed_c());
    }
    TSC_NEXT();
  }

  // --- Iteration

  TSC_CASE(GetIterator) : {
    TSC_SAVE();
    get_iterator(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(RangeIterator) : {
    TSC_SAVE();
    if (TSC_LIKELY(range_iterator(*frame))) TSC_NEXT();
    goto raise;
  }
  TSC_CASE(ForRange) : {
    IValue* const state = base + pc->a;
    if (TSC_LIKELY(state->is_none())) {
      // The mark holds the number of items left, plus one, so that it never equals a plain None.
      const uint64_t left = state->payload_bits();
      if (TSC_LIKELY(left > 1)) {
        const int64_t item = state[1].as_int();
        state->set_mark_unchecked(left - 1);
        state[1].set_int_unchecked(static_cast<int64_t>(static_cast<uint64_t>(item) +
                                                        static_cast<uint64_t>(state[2].as_int())));
        set_int(base[pc->b], item);
        TSC_JUMP_AND_POLL(pc->signed_c());
      }
      TSC_NEXT();
    }
    goto op_ForIter;
  }
  TSC_CASE(ForIter) : {
    IValue* const state = base + pc->a;
    if (TSC_LIKELY(state->is_list())) {
      const std::vector<IValue>& items = state->as_list()->items;
      const auto i = static_cast<size_t>(state[1].as_int());
      if (TSC_LIKELY(i < items.size())) {
        state[1].set_int_unchecked(static_cast<int64_t>(i) + 1);
        base[pc->b] = items[i];
        TSC_JUMP_AND_POLL(pc->signed_c());
      }
      state->reset();
      TSC_NEXT();
    }
    TSC_SAVE();
    switch (iterate(*frame)) {
      case Outcome::Done: TSC_JUMP_AND_POLL(pc->signed_c());
      case Outcome::Entered: goto enter_frame;
      case Outcome::Raised: goto raise;
      case Outcome::Ended: TSC_NEXT();
    }
    TSC_NEXT();
  }

  // --- Errors

  TSC_CASE(Raise) : TSC_CASE(RaiseFrom) : {
    TSC_SAVE();
    raise_statement(pc, base);
    goto raise;
  }
  TSC_CASE(Reraise) : {
    TSC_SAVE();
    reraise();
    goto raise;
  }
  TSC_CASE(RaiseAssertion) : {
    TSC_SAVE();
    raise_assertion(pc, base);
    goto raise;
  }
  TSC_CASE(RaiseOverflow) : {
    TSC_SAVE();
    throw_integer_overflow();
  }
  TSC_CASE(MatchException) : {
    TSC_SAVE();
    match_exception(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(LeaveHandler) : {
    handled_ = std::move(base[pc->a + 1]);
    base[pc->a].reset();
    TSC_NEXT();
  }
  TSC_CASE(Rethrow) : {
    TSC_SAVE();
    pending_ = base[pc->a];
    pending_is_rethrown_ = true;
    goto raise;
  }
  TSC_CASE(WithEnter) : {
    TSC_SAVE();
    with_enter(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(WithExit) : {
    TSC_SAVE();
    with_exit(pc, base);
    TSC_NEXT();
  }
  TSC_CASE(WithExitError) : {
    TSC_SAVE();
    with_exit_error(pc, base);
    TSC_NEXT();
  }

  // --- Modules and the prompt

  TSC_CASE(Import)
      : TSC_CASE(ImportFrom) : TSC_CASE(ImportStar) : TSC_CASE(Annotate) : TSC_CASE(Display) : {
    TSC_SAVE();
    module_instruction(*frame);
    TSC_NEXT();
  }
}

}  // namespace tsc::interp
