// `raise`, `except`, `with`.
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

void Vm::raise_statement(const Instruction* pc, IValue* base) {
  IValue exception = exception_to_raise(base[pc->a]);
  if (pc->op == Opcode::RaiseFrom) {
    const IValue& cause = base[pc->b];
    ExceptionObject& raised = *as_exception(exception);
    if (!cause.is_none()) {
      if (!is_exception(cause) && !is_exception_type(cause)) {
        throw_error_text(ErrorKind::TypeError, "exception causes must derive from BaseException");
      }
      raised.cause = exception_to_raise(cause);
    } else {
      raised.cause = IValue();
    }
    raised.suppress_context = true;
    if ((pc->d & kDropB) != 0) base[pc->b].reset();
  }
  if ((pc->d & kDropA) != 0) base[pc->a].reset();
  set_context(exception);
  pending_ = std::move(exception);
}

void Vm::reraise() {
  if (handled_.is_none()) {
    throw_error_text(ErrorKind::RuntimeError, "No active exception to reraise");
  }
  pending_ = handled_;
  pending_is_rethrown_ = true;
}

void Vm::raise_assertion(const Instruction* pc, IValue* base) {
  std::vector<IValue> arguments;
  if ((pc->d & kNegate) == 0) arguments.push_back(std::move(base[pc->a]));
  pending_ = make_exception(ErrorKind::AssertionError, std::move(arguments));
  set_context(pending_);
}

void Vm::match_exception(const Instruction* pc, IValue* base) {
  const bool matches = exception_matches(*as_exception(base[pc->b]), base[pc->c]);
  base[pc->c].reset();
  base[pc->a] = IValue(matches);
}

void Vm::with_enter(const Instruction* pc, IValue* base) {
  const IValue& manager = base[pc->b];
  IValue enter;
  IValue exit;
  if (!try_get_attribute(manager, "__enter__", enter)) {
    throw_error(ErrorKind::TypeError, "'{}' object does not support the context manager protocol",
                type_name(manager));
  }
  if (!try_get_attribute(manager, "__exit__", exit)) {
    throw_error(
        ErrorKind::TypeError,
        "'{}' object does not support the context manager protocol (missed __exit__ method)",
        type_name(manager));
  }
  IValue entered = call(enter, std::span<const IValue>());
  base[pc->b] = std::move(exit);
  base[pc->a] = std::move(entered);
}

void Vm::with_exit(const Instruction* pc, IValue* base) {
  const IValue exit = std::move(base[pc->a]);
  const IValue nothing[3];
  call(exit, nothing);
}

void Vm::with_exit_error(const Instruction* pc, IValue* base) {
  const IValue exit = std::move(base[pc->b]);
  const IValue& exception = base[pc->c];
  const IValue arguments[] = {type_value(type_of(exception)), exception,
                              as_exception(exception)->traceback};
  const IValue suppresses = call(exit, arguments);
  base[pc->a] = IValue(is_true(suppresses));
}

}  // namespace tsc::interp
