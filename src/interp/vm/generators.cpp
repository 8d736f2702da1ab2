// Generators: calls that are suspended and resumed.
//
// While a generator runs, its frame is like any other, above its caller's. When it yields, its
// registers move into the GeneratorObject; when it is resumed, they move back, to the stack's top
// at that time.
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/text.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

// Ends the running call with a generator that will resume after this instruction. False where the
// run loop ends, too.
bool Vm::make_generator() {
  Frame& frame = *frame_;
  auto* generator = new GeneratorObject();
  IValue value = IValue::adopt(Tag::Object, generator);
  generator->pc = frame.pc;
  generator->save(frame.base, frame.code->frame_size);
  generator->function = std::move(frame.base[-1]);
  frame.base[-1] = std::move(value);
  if (frame.kind != Frame::Kind::Call) return end_special_frame();
  frame_--;
  IValue* const dest = frame_->base + frame_->pc->a;
  if (dest != frame.base - 1) *dest = std::move(frame.base[-1]);
  stack_.set_top(frame_->end);
  return true;
}

void Vm::begin_resume(const IValue& value, IValue sent, Frame::Kind kind) {
  GeneratorObject& generator = *as_generator(value);
  FunctionObject& function = *as_function(generator.function);
  IValue* const slot = stack_.top();
  stack_.push(value);
  push_frame(slot + 1, function.code(), &function, kind);
  generator.restore(slot + 1);
  frame_->generator = &generator;
  frame_->pc = generator.pc + 1;
  if (generator.state == GeneratorObject::State::Suspended)
    slot[1 + generator.pc->a] = std::move(sent);
  generator.state = GeneratorObject::State::Running;
  generator.outer_handled = handled_;
  if (!generator.handled.is_none()) handled_ = std::move(generator.handled);
}

// `yield`: removes the frame and keeps its registers. False where the run loop ends with the value.
bool Vm::suspend() {
  Frame& frame = *frame_;
  GeneratorObject& generator = *frame.generator;
  IValue value = std::move(frame.base[frame.pc->b]);
  generator.save(frame.base, frame.code->frame_size);
  generator.pc = frame.pc;
  generator.state = GeneratorObject::State::Suspended;
  if (!handled_.is_same(generator.outer_handled)) generator.handled = handled_;
  handled_ = std::move(generator.outer_handled);
  const Frame::Kind kind = frame.kind;
  frame_--;
  stack_.set_top(frame.base - 1);
  frame.base[-1].reset();  // its caller holds it, too
  if (kind == Frame::Kind::Entry) {
    result_ = std::move(value);
    yielded_ = true;
    return false;
  }
  const Instruction& resumed = *frame_->pc;
  stack_.set_top(frame_->end);
  if (kind == Frame::Kind::ForIter) {
    frame_->base[resumed.b] = std::move(value);
    frame_->pc += resumed.signed_c();
  } else {
    frame_->base[resumed.a] = std::move(value);
  }
  return true;
}

void Vm::finish_generator(Frame& frame) {
  GeneratorObject& generator = *frame.generator;
  generator.state = GeneratorObject::State::Finished;
  generator.drop_registers();
  handled_ = std::move(generator.outer_handled);
}

// --- From the run loop

// ForIter for everything but lists: the next item goes to register b.
Vm::Outcome Vm::iterate(Frame& frame) {
  IValue& state = frame.base[frame.pc->a];
  IValue& place = frame.base[frame.pc->a + 1];
  IValue& item = frame.base[frame.pc->b];
  if (state.tag() == Tag::Object) {
    const Type& type = state.as_object<Object>()->type();
    if (&type == &kGeneratorObjectType) {
      GeneratorObject& generator = *as_generator(state);
      if (generator.state == GeneratorObject::State::Finished) {
        state.reset();
        return Outcome::Ended;
      }
      if (generator.state == GeneratorObject::State::Running) {
        throw_error_text(ErrorKind::ValueError, "generator already executing");
      }
      begin_resume(state, IValue(), Frame::Kind::ForIter);
      return Outcome::Entered;
    }
    if (type.next(state, item)) return Outcome::Done;
    state.reset();
    return Outcome::Ended;
  }
  if (state.is_tuple()) {
    const TupleObject& tuple = *state.as_tuple();
    const auto i = static_cast<size_t>(place.as_int());
    if (i < tuple.size()) {
      place.set_int_unchecked(static_cast<int64_t>(i) + 1);
      item = tuple[i];
      return Outcome::Done;
    }
  } else if (state.is_string()) {
    const std::string_view text = state.as_string();
    const auto i = static_cast<size_t>(place.as_int());
    if (i < text.size()) {
      const auto lead = static_cast<unsigned char>(text[i]);
      const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      place.set_int_unchecked(static_cast<int64_t>(i + size));
      item = make_string(text.substr(i, size));
      return Outcome::Done;
    }
  } else {
    DictObject& dict = *as_dict(state);
    // The position is in the upper half, and the dict's version in the lower.
    const auto packed = static_cast<uint64_t>(place.as_int());
    size_t i = packed >> 32;
    const auto entries = std::as_const(dict).entries();
    if (static_cast<uint32_t>(packed) != dict.version()) {
      throw_error_text(ErrorKind::RuntimeError, "dictionary changed size during iteration");
    }
    while (i < entries.size() && entries[i].is_removed()) i++;
    if (i < entries.size()) {
      place.set_int_unchecked(static_cast<int64_t>((uint64_t{i} + 1) << 32 | dict.version()));
      item = entries[i].key;
      return Outcome::Done;
    }
  }
  state.reset();
  return Outcome::Ended;
}

Vm::Outcome Vm::yield_from(Frame& frame) {
  IValue& value = frame.base[frame.pc->a];
  IValue& iterator = frame.base[frame.pc->b];
  if (is_object_of(iterator, kGeneratorObjectType)) {
    GeneratorObject& generator = *as_generator(iterator);
    if (generator.state == GeneratorObject::State::Running) {
      throw_error_text(ErrorKind::ValueError, "generator already executing");
    }
    if (generator.state != GeneratorObject::State::Finished) {
      begin_resume(iterator, std::move(value), Frame::Kind::YieldFrom);
      return Outcome::Entered;
    }
  } else if (value.is_none()) {
    if (type_of(iterator).next(iterator, value)) return Outcome::Done;
  } else {
    value = call(tsc::interp::get_attribute(iterator, "send"), std::span(&value, 1));
    return Outcome::Done;
  }
  value = IValue();
  iterator.reset();
  return Outcome::Ended;
}

// --- From C++

// Runs the generator's frame, which has just been pushed. True: it yielded `result`.
bool Vm::run_generator(IValue& result) {
  result = execute();
  return std::exchange(yielded_, false);
}

bool Vm::resume(const IValue& value, IValue sent, IValue& result) {
  GeneratorObject& generator = *as_generator(value);
  if (generator.state == GeneratorObject::State::Running) {
    throw_error_text(ErrorKind::ValueError, "generator already executing");
  }
  if (generator.state == GeneratorObject::State::Finished) {
    result = IValue();
    return false;
  }
  if (generator.state == GeneratorObject::State::Created && !sent.is_none()) {
    throw_error_text(ErrorKind::TypeError, "can't send non-None value to a just-started generator");
  }
  begin_resume(value, std::move(sent), Frame::Kind::Entry);
  return run_generator(result);
}

bool Vm::resume_with_error(const IValue& value, IValue exception, IValue& result) {
  GeneratorObject& generator = *as_generator(value);
  if (generator.state == GeneratorObject::State::Running) {
    throw_error_text(ErrorKind::ValueError, "generator already executing");
  }
  if (generator.state == GeneratorObject::State::Finished) throw RaisedError(std::move(exception));
  // A generator suspended in `yield from` passes the error to the inner one.
  const Instruction* const step = generator.pc - 1;
  if (generator.state == GeneratorObject::State::Suspended && step->op == Opcode::YieldFrom &&
      is_object_of(generator.registers()[step->b], kGeneratorObjectType)) {
    const IValue inner = generator.registers()[step->b];
    generator.state = GeneratorObject::State::Running;
    IValue inner_result;
    bool yielded = false;
    std::optional<IValue> error;
    try {
      yielded = resume_with_error(inner, exception, inner_result);
    } catch (const RaisedError& raised) {
      error = raised.exception();
    }
    generator.state = GeneratorObject::State::Suspended;
    if (yielded) {
      result = std::move(inner_result);
      return true;
    }
    if (!error) {
      generator.registers()[step->b].reset();
      begin_resume(value, IValue(), Frame::Kind::Entry);
      frame_->base[step->a] = std::move(inner_result);
      frame_->pc = step + 1 + step->signed_c();
      return run_generator(result);
    }
    exception = std::move(*error);
  }
  begin_resume(value, IValue(), Frame::Kind::Entry);
  frame_->pc = generator.pc;
  set_context(exception);
  pending_ = std::move(exception);
  if (!unwind()) throw RaisedError(std::move(pending_));
  return run_generator(result);
}

// For a generator without references: its `finally` blocks still run.
void Vm::close_abandoned(GeneratorObject& generator) noexcept {
  IValue pending = std::move(pending_);
  IValue held_result = std::move(result_);
  const bool rethrown = std::exchange(pending_is_rethrown_, false);
  const bool yielded = yielded_;
  try {
    const IValue self = IValue::share(Tag::Object, &generator);
    IValue ignored;
    resume_with_error(self, make_exception(ErrorKind::GeneratorExit, std::vector<IValue>{}),
                      ignored);
  } catch (...) {
    // There is no caller to report the error to.
  }
  pending_ = std::move(pending);
  result_ = std::move(held_result);
  pending_is_rethrown_ = rethrown;
  yielded_ = yielded;
}

}  // namespace tsc::interp
