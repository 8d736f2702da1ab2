#include "interp/vm/function.h"

#include <fmt/format.h>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/vm/vm.h"

namespace tsc::interp {

namespace {

void visit_value(const IValue& value, ChildVisitor visit, void* context) {
  if (value.is_heap_object()) visit(value.as_heap_object(), context);
}

void visit_values(const std::vector<IValue>& values, ChildVisitor visit, void* context) {
  for (const IValue& value : values) visit_value(value, visit, context);
}

// --- Functions

void repr_function(const IValue& self, std::string& out) {
  out += fmt::format("<function {} at {:#x}>", as_function(self)->code().qualified,
                     reinterpret_cast<uintptr_t>(self.as_heap_object()));
}

IValue function_doc(const Code& code) { return code.has_docstring ? code.constants[0] : IValue(); }

IValue function_defaults(const FunctionObject& function) {
  return function.defaults.empty() ? IValue() : make_tuple(function.defaults);
}

IValue function_keyword_defaults(const FunctionObject& function) {
  IValue result;
  const ParameterNames& names = function.code().parameters;
  for (size_t i = 0; i < function.keyword_defaults.size(); i++) {
    if (function.keyword_defaults[i].is_mark()) continue;
    if (result.is_none()) result = make_dict();
    as_dict(result)->set(IValue::share(Tag::String, names.names[names.positional + i]),
                         function.keyword_defaults[i]);
  }
  return result;
}

bool get_function_attribute(const IValue& self, std::string_view name, IValue& result) {
  FunctionObject& function = *as_function(self);
  if (!function.attributes.is_none()) {
    if (const IValue* found = as_dict(function.attributes)->find(name)) {
      result = *found;
      return true;
    }
  }
  const Code& code = function.code();
  if (name == "__name__") {
    result = IValue(code.name);
  } else if (name == "__qualname__") {
    result = IValue(code.qualified);
  } else if (name == "__doc__") {
    result = function_doc(code);
  } else if (name == "__module__") {
    result = IValue("__main__");
  } else if (name == "__defaults__") {
    result = function_defaults(function);
  } else if (name == "__kwdefaults__") {
    result = function_keyword_defaults(function);
  } else if (name == "__annotations__") {
    if (function.annotations.is_none()) function.annotations = make_dict();
    result = function.annotations;
  } else if (name == "__dict__") {
    if (function.attributes.is_none()) function.attributes = make_dict();
    result = function.attributes;
  } else {
    return false;
  }
  return true;
}

bool set_function_attribute(const IValue& self, std::string_view name, const IValue* value) {
  FunctionObject& function = *as_function(self);
  const IValue key(name);
  if (value == nullptr) {
    return !function.attributes.is_none() && as_dict(function.attributes)->remove(key);
  }
  if (function.attributes.is_none()) function.attributes = make_dict();
  as_dict(function.attributes)->set(key, *value);
  return true;
}

void list_function_attributes(const IValue& self, std::vector<std::string>& names) {
  for (const char* name : {"__annotations__", "__defaults__", "__dict__", "__doc__",
                           "__kwdefaults__", "__module__", "__name__", "__qualname__"}) {
    names.emplace_back(name);
  }
  const IValue& attributes = as_function(self)->attributes;
  if (attributes.is_none()) return;
  for (const DictObject::Entry& entry : as_dict(attributes)->entries()) {
    if (!entry.is_removed()) names.emplace_back(entry.key.as_string());
  }
}

IValue call_function(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  return interpreter.vm().call(self, arguments);
}

// --- Generators

const Code& generator_code(const IValue& self) {
  return as_function(as_generator(self)->function)->code();
}

void repr_generator(const IValue& self, std::string& out) {
  out += fmt::format("<generator object {} at {:#x}>", generator_code(self).qualified,
                     reinterpret_cast<uintptr_t>(self.as_heap_object()));
}

IValue iterate_generator(const IValue& self) { return self; }

bool next_of_generator(const IValue& self, IValue& result) {
  return Interpreter::current().vm().resume(self, IValue(), result);
}

IValue generator_next(Interpreter& interpreter, Arguments& arguments) {
  IValue result;
  if (interpreter.vm().resume(arguments[0], IValue(), result)) return result;
  return interpreter.vm().set_pending(stop_iteration(std::move(result)));
}

IValue generator_send(Interpreter& interpreter, Arguments& arguments) {
  IValue result;
  if (interpreter.vm().resume(arguments[0], arguments[1], result)) return result;
  return interpreter.vm().set_pending(stop_iteration(std::move(result)));
}

IValue generator_throw(Interpreter& interpreter, Arguments& arguments) {
  IValue result;
  IValue exception = exception_to_raise(arguments[1]);
  if (interpreter.vm().resume_with_error(arguments[0], std::move(exception), result)) return result;
  return interpreter.vm().set_pending(stop_iteration(std::move(result)));
}

IValue generator_close(Interpreter& interpreter, Arguments& arguments) {
  GeneratorObject& generator = *as_generator(arguments[0]);
  if (generator.state == GeneratorObject::State::Finished) return {};
  if (generator.state == GeneratorObject::State::Created) {
    generator.state = GeneratorObject::State::Finished;
    generator.drop_registers();
    return {};
  }
  IValue result;
  try {
    const IValue exit = make_exception(ErrorKind::GeneratorExit, std::vector<IValue>{});
    if (interpreter.vm().resume_with_error(arguments[0], exit, result)) {
      throw_error_text(ErrorKind::RuntimeError, "generator ignored GeneratorExit");
    }
  } catch (const RaisedError& error) {
    const ErrorKind kind = as_exception(error.exception())->kind();
    if (kind != ErrorKind::GeneratorExit && kind != ErrorKind::StopIteration) throw;
  }
  return {};
}

constexpr BuiltinDef kGeneratorMethods[] = {
    {.name = "__next__", .function = generator_next, .owner = "generator"},
    {.name = "close", .function = generator_close, .owner = "generator"},
    {.name = "send", .function = generator_send, .min = 1, .max = 1, .owner = "generator"},
    {.name = "throw", .function = generator_throw, .min = 1, .max = 1, .owner = "generator"},
};

IValue generator_name(const IValue& self) { return IValue(generator_code(self).name); }
IValue generator_qualified_name(const IValue& self) {
  return IValue(generator_code(self).qualified);
}

constexpr AttributeDef kGeneratorAttributes[] = {
    {"__name__", generator_name},
    {"__qualname__", generator_qualified_name},
};

IValue traceback_line(const IValue& self) {
  const TracebackEntry& entry = as_traceback(self)->entries.back();
  return IValue(entry.code->source->position(entry.code->span_of(entry.instruction).begin).line);
}

constexpr AttributeDef kTracebackAttributes[] = {{"tb_lineno", traceback_line}};

}  // namespace

constinit const Type kFunctionType = {
    .name = "function",
    .repr = repr_function,
    .get_attribute = get_function_attribute,
    .set_attribute = set_function_attribute,
    .list_attributes = list_function_attributes,
    .call = call_function,
};
constinit const Type kCellType = {.name = "cell"};
constinit const Type kGeneratorObjectType = {
    .name = "generator",
    .methods = kGeneratorMethods,
    .attributes = kGeneratorAttributes,
    .repr = repr_generator,
    .iterate = iterate_generator,
    .next = next_of_generator,
};
constinit const Type kTracebackType = {.name = "traceback", .attributes = kTracebackAttributes};

void CellObject::traverse(ChildVisitor visit, void* context) { visit_value(value, visit, context); }

FunctionObject::FunctionObject(std::shared_ptr<const Code> body)
    : Object(kFunctionType), shared_code_(std::move(body)), code_pointer_(shared_code_.get()) {}

void FunctionObject::traverse(ChildVisitor visit, void* context) {
  visit_values(cells, visit, context);
  visit_values(defaults, visit, context);
  visit_values(keyword_defaults, visit, context);
  visit_value(annotations, visit, context);
  visit_value(attributes, visit, context);
}

void FunctionObject::clear() noexcept {
  // The cells themselves stay, empty: the function may be running.
  for (IValue& cell : cells) as_cell(cell)->clear();
  defaults.clear();
  keyword_defaults.clear();
  annotations.reset();
  attributes.reset();
}

void GeneratorObject::traverse(ChildVisitor visit, void* context) {
  visit_value(function, visit, context);
  for (size_t i = 0; i < count_; i++) visit_value(registers()[i], visit, context);
  visit_value(handled, visit, context);
  visit_value(outer_handled, visit, context);
}

void GeneratorObject::clear() noexcept {
  state = State::Finished;
  drop_registers();
  handled.reset();
}

void GeneratorObject::save(IValue* from, size_t count) {
  if (capacity_ < count) {
    registers_ = std::make_unique_for_overwrite<Slot[]>(count);
    capacity_ = count;
  }
  std::memcpy(registers_.get(), static_cast<void*>(from), count * sizeof(IValue));
  for (size_t i = 0; i < count; i++) from[i].set_mark_unchecked(0);
  count_ = count;
}

void GeneratorObject::restore(IValue* to) {
  std::memcpy(static_cast<void*>(to), registers_.get(), count_ * sizeof(IValue));
  count_ = 0;
}

void GeneratorObject::drop_registers() noexcept {
  for (size_t i = std::exchange(count_, 0); i-- > 0;) registers()[i].reset();
}

void GeneratorObject::destroy() noexcept {
  if (state == State::Suspended && !as_function(function)->code().handlers.empty()) {
    retain();  // it lives again while it ends
    Interpreter::current().vm().close_abandoned(*this);
  }
  delete this;
}

TracebackObject::TracebackObject() : Object(kTracebackType) {}

}  // namespace tsc::interp
