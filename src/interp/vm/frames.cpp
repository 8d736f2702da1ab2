// The end of frames: by a return to C++ or to a loop, or by an error.
#include "interp/runtime/objects/exception.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

void Vm::recursion_error() {
  throw_error_text(ErrorKind::RecursionError, "maximum recursion depth exceeded");
}

// Releases all registers from `from` up to the top, and lowers the top to it.
void Vm::release_registers(IValue* from) {
  for (IValue *slot = from, *const top = stack_.top(); slot < top; slot++) {
    if (slot->is_counted()) slot->reset();
  }
  stack_.set_top(from);
}

// Ends a frame that C++ or an iteration began, with its value in the callee's place. False where
// the run loop ends with it.
bool Vm::end_special_frame() {
  Frame& frame = *frame_;
  IValue& value = frame.base[-1];
  if (frame.generator != nullptr) finish_generator(frame);
  frame_--;
  if (frame.kind == Frame::Kind::Entry) {
    result_ = std::move(value);
    yielded_ = false;
    stack_.set_top(&value);
    return false;
  }
  // A generator has returned.
  const Instruction& resumed = *frame_->pc;
  if (frame.kind == Frame::Kind::ForIter) {
    value.reset();
    frame_->base[resumed.a].reset();
  } else {
    frame_->base[resumed.b].reset();
    frame_->base[resumed.a] = std::move(value);
    frame_->pc += resumed.signed_c();
  }
  stack_.set_top(frame_->end);
  return true;
}

void Vm::add_traceback(const Frame& frame) {
  ExceptionObject& exception = *as_exception(pending_);
  if (exception.traceback.is_none())
    exception.traceback = IValue::adopt(Tag::Object, new TracebackObject());
  as_traceback(exception.traceback)->entries.push_back({frame.code->shared_from_this(), frame.pc});
}

// Unwinds to the innermost handler of pending_. False where no frame of this run loop has one; its
// frames are then released.
bool Vm::unwind() {
  bool has_entry = std::exchange(pending_is_rethrown_, false);
  while (true) {
    Frame& frame = *frame_;
    if (!has_entry) add_traceback(frame);
    has_entry = false;
    if (enter_handler(frame)) return true;
    leave_by_error(frame);
    if (frame.kind == Frame::Kind::Entry) return false;
    stack_.set_top(frame_->end);
  }
}

bool Vm::enter_handler(Frame& frame) {
  const Code& code = *frame.code;
  const auto at = static_cast<uint32_t>(frame.pc - code.instructions.data());
  for (const HandlerRange& range : code.handlers) {
    if (at < range.begin || at >= range.end) continue;
    IValue* const slot = frame.base + range.reg;
    if (range.is_body) {
      handled_ = std::move(slot[1]);
      slot->reset();
      continue;
    }
    release_registers(slot);
    stack_.set_top(frame.end);
    slot[0] = pending_;
    slot[1] = std::move(handled_);
    handled_ = std::move(pending_);
    frame.pc = code.instructions.data() + range.target;
    return true;
  }
  return false;
}

void Vm::leave_by_error(Frame& frame) {
  if (frame.generator != nullptr) {
    finish_generator(frame);
    if (as_exception(pending_)->kind() == ErrorKind::StopIteration) {
      // A StopIteration would silently end the loop that reads the generator.
      IValue error = make_exception(ErrorKind::RuntimeError, "generator raised StopIteration");
      as_exception(error)->cause = pending_;
      as_exception(error)->context = pending_;
      as_exception(error)->suppress_context = true;
      pending_ = std::move(error);
      add_traceback(frame);
    }
  }
  frame_--;
  release_registers(frame.base - 1);
}

// `exception` came out of a C++ function.
void Vm::set_pending_from_cpp(IValue exception) {
  pending_is_rethrown_ = false;
  if (as_exception(exception)->traceback.is_none()) set_context(exception);
  pending_ = std::move(exception);
}

// Sets `__context__` of a raised exception to the one that is being handled.
void Vm::set_context(const IValue& exception) {
  ExceptionObject& raised = *as_exception(exception);
  if (handled_.is_none() || handled_.is_same(exception)) return;
  // The chain must not become a ring: an occurrence of `raised` in it is cut out. Rings that a
  // script made of other exceptions are detected by a second walker at half the speed.
  ExceptionObject* slow = as_exception(handled_);
  bool slow_moves = false;
  for (ExceptionObject* link = slow; !link->context.is_none(); link = as_exception(link->context)) {
    if (link->context.is_same(exception)) {
      link->context = IValue();
      break;
    }
    if (slow_moves) slow = as_exception(slow->context);
    slow_moves = !slow_moves;
    if (as_exception(link->context) == slow) break;
  }
  raised.context = handled_;
}

}  // namespace tsc::interp
