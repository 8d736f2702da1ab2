#include "interp/vm/vm.h"

#include <sys/mman.h>

#include <mutex>
#include <new>
#include <stdexcept>

#include "core/system/stack_space.h"
#include "interp/runtime/objects/builtins.h"
#include "interp/runtime/objects/exception.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

namespace {

constexpr size_t kMaxFrames = size_t{1} << 18;

// Code that has run is never freed: source marks in tensors and graphs may outlive the interpreter.
void keep_for_source_marks(const Code& code) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<const Code>>();
  const std::lock_guard<std::mutex> lock(mutex);
  if (kept->empty() || kept->back().get() != &code) {
    kept->push_back(code.shared_from_this());
  }
}

// Restores the stack's height, even after an error.
class StackGuard {
 public:
  explicit StackGuard(Stack& stack) : stack_(stack), height_(stack.size()) {}
  StackGuard(const StackGuard&) = delete;
  StackGuard& operator=(const StackGuard&) = delete;
  ~StackGuard() { stack_.cut(height_); }

 private:
  Stack& stack_;
  size_t height_;
};

}  // namespace

Vm::Vm(Interpreter& interpreter) : interpreter_(interpreter), stack_(Stack::current()) {
  void* memory = mmap(nullptr, kMaxFrames * sizeof(Frame), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw_error_text(ErrorKind::MemoryError, "no address space for frames");
  frames_ = static_cast<Frame*>(memory);
  frame_ = frames_;
  set_recursion_limit(1000);
}

void Vm::clear_globals() {
  for (GlobalSlot& slot : globals_) slot.value = unbound();
}

Vm::~Vm() {
  // Functions and closures may refer to each other through globals: values are released before
  // names.
  globals_.clear();
  handled_.reset();
  pending_.reset();
  result_.reset();
  for (const auto& [text, object] : interned_) object->release();
  munmap(frames_, kMaxFrames * sizeof(Frame));
}

void Vm::set_recursion_limit(int limit) {
  const auto count = std::min(static_cast<size_t>(std::max(limit, 1)), kMaxFrames - 1);
  frames_limit_ = frames_ + count + 1;
}

// --- Names

StringObject* Vm::intern(std::string_view text) {
  const auto found = interned_.find(text);
  if (found != interned_.end()) return found->second;
  StringObject* object = StringObject::make(text);
  interned_.emplace(object->view(), object);
  return object;
}

uint32_t Vm::global_index(std::string_view name) {
  const auto found = global_indices_.find(name);
  if (found != global_indices_.end()) return found->second;
  StringObject* text = intern(name);
  const auto index = static_cast<uint32_t>(globals_.size());
  globals_.push_back({unbound(), unbound()});
  global_names_.push_back(text);
  global_indices_.emplace(text->view(), index);
  return index;
}

GlobalSlot* Vm::find_slot(std::string_view name) {
  const auto found = global_indices_.find(name);
  return found == global_indices_.end() ? nullptr : &globals_[found->second];
}

bool Vm::find_builtin_of(GlobalSlot& slot, std::string_view name) {
  if (!slot.builtin.is_mark()) return true;
  IValue value;
  if (!find_builtin(name, value) && !find_torch_name(name, value)) return false;
  slot.builtin = std::move(value);
  return true;
}

// --- Running

IValue Vm::run_module(const Code& code) {
  keep_for_source_marks(code);
  const StackGuard guard(stack_);
  IValue* const slot = stack_.top();
  stack_.push(IValue());
  push_frame(slot + 1, code, nullptr, Frame::Kind::Entry);
  return execute();
}

IValue Vm::call(const IValue& callee, std::span<const IValue> positional) {
  if (callee.tag() == Tag::Function) {
    FunctionObject& function = *as_function(callee);
    const Code& code = function.code();
    if (code.is_plain && code.parameters.positional == positional.size()) {
      IValue* const slot = stack_.top();
      stack_.check_room(positional.size() + 1);
      slot[0] = callee;
      for (size_t i = 0; i < positional.size(); i++) slot[1 + i] = positional[i];
      stack_.set_top(slot + 1 + positional.size());
      push_frame(slot + 1, code, &function, Frame::Kind::Entry);
      return execute();
    }
  }
  Arguments arguments;
  arguments.values = const_cast<IValue*>(positional.data());  // only copied from
  arguments.positional = static_cast<uint32_t>(positional.size());
  return call(callee, arguments);
}

IValue Vm::call(const IValue& callee, const Arguments& given) {
  const StackGuard guard(stack_);
  IValue* const slot = stack_.top();
  stack_.push(callee);
  for (size_t i = 0; i < given.size(); i++) stack_.push(given.values[i]);
  Arguments arguments = given;
  arguments.values = slot + 1;
  if (callee.tag() == Tag::Function) {
    begin_call(slot, arguments, Frame::Kind::Entry);
    return execute();
  }
  IValue result = call_value(*slot, arguments);
  if (result.is_mark()) throw RaisedError(std::move(pending_));
  return result;
}

// Runs until the frame on top, an Entry, has ended.
IValue Vm::execute() {
  if (stack_is_low()) {
    release_registers(frame_->base - 1);
    frame_--;
    throw_error_text(ErrorKind::RecursionError, "maximum recursion depth exceeded");
  }
  bool ended = false;
  while (true) {
    try {
      ended = run_loop();
      break;
    } catch (const Error& error) {
      set_pending_from_cpp(exception_value(error));
    } catch (const std::bad_alloc&) {
      set_pending_from_cpp(make_exception(ErrorKind::MemoryError, "out of memory"));
    } catch (const std::length_error&) {
      set_pending_from_cpp(make_exception(ErrorKind::MemoryError, "out of memory"));
    } catch (const std::exception& error) {  // of a plug-in, or a mistake of ours
      set_pending_from_cpp(make_exception(ErrorKind::RuntimeError, std::string_view(error.what())));
    }
    if (!unwind()) break;
  }
  if (!ended) throw RaisedError(std::move(pending_));
  return std::move(result_);
}

IValue Vm::set_pending(IValue exception) {
  pending_ = std::move(exception);
  return unbound();
}

std::vector<TracebackEntry> Vm::running_frames() const {
  std::vector<TracebackEntry> entries;
  for (const Frame* frame = frame_; frame != frames_; frame--) {
    entries.push_back({frame->code->shared_from_this(), frame->pc});
  }
  return entries;
}

std::string Vm::find_local(const Frame& frame, const std::function<bool(const IValue&)>& test) {
  const std::vector<StringObject*>& names = frame.code->local_names;
  for (size_t i = 0; i < names.size() && i < frame.code->locals; i++) {
    const IValue& value = frame.base[i];
    if (test(is_object_of(value, kCellType) ? as_cell(value)->value : value)) {
      return std::string(names[i]->view());
    }
  }
  return {};
}

std::string Vm::find_global(const std::function<bool(const IValue&)>& test) const {
  for (size_t i = 0; i < globals_.size(); i++) {
    if (test(globals_[i].value)) {
      return std::string(global_names_[i]->view());
    }
  }
  return {};
}

std::string Vm::find_variable(const std::function<bool(const IValue&)>& test) const {
  for (const Frame* frame = frame_; frame != frames_; frame--) {
    std::string name = find_local(*frame, test);
    if (!name.empty()) {
      return name;
    }
  }
  return find_global(test);
}

std::string Vm::find_visible_variable(const std::function<bool(const IValue&)>& test) const {
  const bool in_function = frame_ != frames_ && frame_->function != nullptr;
  return in_function ? find_local(*frame_, test) : find_global(test);
}

}  // namespace tsc::interp
