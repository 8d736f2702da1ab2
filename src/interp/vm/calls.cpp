// Calls: arguments to parameters, natives, functions as values.
#include <algorithm>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/type_object.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

namespace {

// "'a'", "'a' and 'b'", "'a', 'b', and 'c'"
std::string quoted_list(const std::vector<StringObject*>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); i++) {
    if (i > 0) text += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    text += fmt::format("'{}'", names[i]->view());
  }
  return text;
}

[[noreturn]] TSC_COLD void throw_missing(const Code& code, const std::vector<StringObject*>& names,
                                         std::string_view kind) {
  throw_error(ErrorKind::TypeError, "{}() missing {} required {} argument{}: {}", code.qualified,
              names.size(), kind, names.size() == 1 ? "" : "s", quoted_list(names));
}

[[noreturn]] TSC_COLD void throw_too_many(const FunctionObject& function, size_t given,
                                          size_t keyword_only_given) {
  const ParameterNames& names = function.code().parameters;
  const size_t defaults = function.defaults.size();
  const size_t limit = names.positional;
  const bool plural = defaults > 0 ? true : limit != 1;
  const std::string takes = defaults > 0 ? fmt::format("from {} to {}", limit - defaults, limit)
                                         : fmt::format("{}", limit);
  std::string extra;
  if (keyword_only_given > 0) {
    extra =
        fmt::format(" positional argument{} (and {} keyword-only argument{})",
                    given == 1 ? "" : "s", keyword_only_given, keyword_only_given == 1 ? "" : "s");
  }
  throw_error(ErrorKind::TypeError, "{}() takes {} positional argument{} but {}{} {} given",
              function.code().qualified, takes, plural ? "s" : "", given, extra,
              given == 1 && keyword_only_given == 0 ? "was" : "were");
}

}  // namespace

// --- Functions of the script

// Pushes the frame of a call, with the arguments brought into the order of the parameters.
void Vm::begin_call(IValue* callee, Arguments& arguments, Frame::Kind kind) {
  FunctionObject& function = *as_function(*callee);
  const Code& code = function.code();
  const ParameterNames& names = code.parameters;
  const size_t count = arguments.positional;
  const size_t first_default = names.positional - function.defaults.size();
  if (code.is_plain && arguments.keywords == 0 && count <= names.positional &&
      count >= first_default) {
    for (size_t i = count; i < names.positional; i++) {
      arguments.values[i] = function.defaults[i - first_default];
    }
  } else {
    bind_arguments(function, arguments);
  }
  push_frame(callee + 1, code, &function, kind);
}

void Vm::bind_arguments(FunctionObject& function, Arguments& arguments) {
  const Code& code = function.code();
  const ParameterNames& names = code.parameters;
  IValue* const base = arguments.values;
  const size_t named = names.positional + names.keyword_only;
  const size_t given = arguments.positional;
  if (base + std::max(names.names.size(), size_t{arguments.size()}) + arguments.keywords + 16 >
      stack_.end())
    recursion_error();

  // The values of keyword arguments go above all parameters, surplus positional ones into a tuple.
  IValue* const keyword_values = base + std::max(names.names.size(), size_t{arguments.size()});
  for (size_t i = 0; i < arguments.keywords; i++) {
    keyword_values[i] = std::move(base[given + i]);
  }
  stack_.set_top(std::max(stack_.top(), keyword_values + arguments.keywords));
  IValue var_args;
  if (names.has_var_args) {
    const size_t extra = given > names.positional ? given - names.positional : 0;
    TupleObject* tuple = TupleObject::make(extra);
    for (size_t i = 0; i < extra; i++) (*tuple)[i] = std::move(base[names.positional + i]);
    var_args = IValue::adopt(Tag::Tuple, tuple);
  }
  for (size_t i = std::min<size_t>(given, names.positional); i < named; i++) base[i] = unbound();

  IValue var_keywords;
  DictObject* others = nullptr;
  if (names.has_var_keywords) {
    var_keywords = make_dict();
    others = as_dict(var_keywords);
  }
  for (size_t i = 0; i < arguments.keywords; i++) {
    bind_keyword(function, base, arguments, i, std::move(keyword_values[i]), others);
  }
  if (given > names.positional && !names.has_var_args) {
    const auto keyword_only_given =
        std::count_if(base + names.positional, base + named,
                      [](const IValue& value) { return !value.is_mark(); });
    throw_too_many(function, given, static_cast<size_t>(keyword_only_given));
  }

  std::vector<StringObject*> missing;
  const size_t first_default = names.positional - function.defaults.size();
  for (size_t i = 0; i < names.positional; i++) {
    if (!base[i].is_mark()) continue;
    if (i >= first_default) {
      base[i] = function.defaults[i - first_default];
    } else {
      missing.push_back(names.names[i]);
    }
  }
  if (!missing.empty()) throw_missing(code, missing, "positional");
  for (size_t i = names.positional; i < named; i++) {
    if (!base[i].is_mark()) continue;
    base[i] = function.keyword_defaults[i - names.positional];
    if (base[i].is_mark()) missing.push_back(names.names[i]);
  }
  if (!missing.empty()) throw_missing(code, missing, "keyword-only");
  size_t next = named;
  if (names.has_var_args) base[next++] = std::move(var_args);
  if (names.has_var_keywords) base[next] = std::move(var_keywords);
}

void Vm::bind_keyword(FunctionObject& function, IValue* base, const Arguments& arguments,
                      size_t index, IValue value, DictObject* others) {
  StringObject* const name = arguments.names[index];
  const Code& code = function.code();
  const ParameterNames& names = code.parameters;
  const auto first = names.names.begin() + names.positional_only;
  const auto last = names.names.begin() + names.positional + names.keyword_only;
  // Nearly always both are the same interned constant.
  auto found = std::find(first, last, name);
  if (found == last) {
    found = std::find_if(first, last, [name](const StringObject* parameter) {
      return parameter->view() == name->view();
    });
  }
  if (found != last) {
    IValue& parameter = base[found - names.names.begin()];
    if (!parameter.is_mark()) {
      throw_error(ErrorKind::TypeError, "{}() got multiple values for argument '{}'",
                  code.qualified, name->view());
    }
    parameter = std::move(value);
    return;
  }
  if (others != nullptr) {
    others->set(IValue::share(Tag::String, name), std::move(value));
    return;
  }
  std::string positional_only;
  for (size_t i = 0; i < names.positional_only; i++) {
    const bool is_given =
        std::any_of(arguments.names, arguments.names + arguments.keywords,
                    [&](const StringObject* g) { return g->view() == names.names[i]->view(); });
    if (is_given) {
      positional_only += positional_only.empty() ? "" : ", ";
      positional_only += names.names[i]->view();
    }
  }
  if (!positional_only.empty()) {
    throw_error(ErrorKind::TypeError,
                "{}() got some positional-only arguments passed as keyword arguments: '{}'",
                code.qualified, positional_only);
  }
  throw_error(ErrorKind::TypeError, "{}() got an unexpected keyword argument '{}'", code.qualified,
              name->view());
}

// --- Everything else that can be called

IValue Vm::call_value(const IValue& callee, Arguments& arguments) {
  const auto call = type_of(callee).call;
  if (call == nullptr) {
    // Like CPython's classes written in C: with their module, unless they are Python's own.
    throw_error(ErrorKind::TypeError, "'{}' object is not callable",
                callee.is_tensor() ? type_name(callee) : qualified_name(type_of(callee)));
  }
  return call(interpreter_, callee, arguments);
}

// Stores the value of a native call and releases its remaining arguments, from `first` on.
bool Vm::finish_native(Frame& frame, IValue* first, IValue* end, IValue&& result) {
  for (IValue* slot = first; slot < end; slot++) {
    if (slot->is_counted()) slot->reset();
  }
  stack_.set_top(frame.end);
  if (TSC_UNLIKELY(result.is_mark())) return false;
  frame.base[frame.pc->a] = std::move(result);
  return true;
}

// The native function behind a builtin function or a type; null for what has none.
static TSC_ALWAYS_INLINE const BuiltinDef* builtin_of(const IValue& callee) {
  if (TSC_UNLIKELY(callee.tag() != Tag::Object)) return nullptr;
  const Object& object = *callee.as_object<Object>();
  if (TSC_LIKELY(&object.type() == &kBuiltinFunctionType)) {
    return static_cast<const BuiltinFunctionObject&>(object).def;
  }
  return &object.type() == &kTypeType
             ? static_cast<const TypeObject&>(object).instance_type().constructor
             : nullptr;
}

bool Vm::call_native(Frame& frame, IValue* callee, uint32_t count) {
  IValue* const end = callee + 1 + count;
  Arguments arguments;
  arguments.values = callee + 1;
  arguments.positional = count;
  arguments.cache = &frame.code->call_sites[frame.pc->c].cache;
  stack_.set_top(end);
  const BuiltinDef* const def = builtin_of(*callee);
  if (TSC_UNLIKELY(def == nullptr))
    return finish_native(frame, callee, end, call_value(*callee, arguments));
  arguments.callee = def;
  if (TSC_LIKELY(def->raw || accepts_positional(*def, count))) {
    return finish_native(frame, callee, end, def->function(interpreter_, arguments));
  }
  return finish_native(frame, callee, end, call_builtin(interpreter_, *def, arguments));
}

// The callee's register holds the mark of a method; its object is in the next one.
bool Vm::call_method(Frame& frame, IValue* callee, uint32_t count) {
  const auto& def = *reinterpret_cast<const BuiltinDef*>(callee->payload_bits());
  IValue* const end = callee + 2 + count;
  Arguments arguments;
  arguments.values = callee + 1;
  arguments.positional = count + 1;
  arguments.cache = &frame.code->call_sites[frame.pc->c].cache;
  arguments.callee = &def;
  stack_.set_top(end);
  callee->set_mark_unchecked(0);
  if (TSC_LIKELY(def.raw || accepts_positional(def, count + 1))) {
    return finish_native(frame, callee + 1, end, def.function(interpreter_, arguments));
  }
  return finish_native(frame, callee + 1, end, call_builtin(interpreter_, def, arguments));
}

Vm::Outcome Vm::call_keywords(Frame& frame) {
  const Instruction& instruction = *frame.pc;
  IValue* callee = frame.base + instruction.b;
  CallSite& site = frame.code->call_sites[instruction.c];
  const BuiltinDef* method = nullptr;
  Arguments arguments;
  arguments.keywords = static_cast<uint32_t>(site.keywords.size());
  arguments.positional = instruction.d - arguments.keywords;
  arguments.names = site.keywords.data();
  arguments.cache = &site.cache;
  if (instruction.op == Opcode::CallMethodKeywords) {
    if (callee->is_mark()) {
      method = reinterpret_cast<const BuiltinDef*>(callee->payload_bits());
      *callee = IValue();
      arguments.positional++;
    } else {
      callee[1] = std::move(callee[0]);
      callee++;
    }
  }
  arguments.values = callee + 1;
  stack_.set_top(arguments.values + arguments.size());
  IValue* const end = stack_.top();
  if (method == nullptr) {
    if (callee->tag() == Tag::Function) {
      begin_call(callee, arguments, Frame::Kind::Call);
      return Outcome::Entered;
    }
    method = builtin_of(*callee);
  }
  IValue result;
  if (TSC_UNLIKELY(method == nullptr)) {
    result = call_value(*callee, arguments);
  } else {
    arguments.callee = method;
    result = method->raw ? method->function(interpreter_, arguments)
                         : call_builtin(interpreter_, *method, arguments);
  }
  return finish_native(frame, callee, end, std::move(result)) ? Outcome::Done : Outcome::Raised;
}

// `callee`, a tuple of arguments, and a dict of keyword arguments or nothing: spread out behind the
// frame.
Vm::Outcome Vm::call_spread(Frame& frame) {
  IValue* const callee = frame.base + frame.pc->b;
  std::vector<StringObject*> names;
  const IValue positional = std::move(callee[1]);
  const IValue keywords = callee[2].is_mark() ? IValue() : std::move(callee[2]);
  callee[2] = IValue();
  const TupleObject& tuple = *positional.as_tuple();
  stack_.set_top(callee + 1);
  stack_.check_room(tuple.size() + 64);
  for (const IValue& value : tuple) stack_.push(value);
  Arguments arguments;
  arguments.values = callee + 1;
  arguments.positional = static_cast<uint32_t>(tuple.size());
  if (!keywords.is_none()) {
    for (const DictObject::Entry& entry : as_dict(keywords)->entries()) {
      if (entry.is_removed()) continue;
      names.push_back(entry.key.as_string_object());
      stack_.push(entry.value);
    }
    arguments.keywords = static_cast<uint32_t>(names.size());
    arguments.names = names.data();
  }
  arguments.cache = &frame.code->call_sites[frame.pc->c].cache;
  if (callee->tag() == Tag::Function) {
    begin_call(callee, arguments, Frame::Kind::Call);
    return Outcome::Entered;
  }
  IValue* const end = stack_.top();
  IValue result = call_value(*callee, arguments);
  // The arguments may extend beyond the frame's own registers.
  for (IValue* slot = callee; slot < end; slot++) {
    if (slot->is_counted()) slot->reset();
  }
  return finish_native(frame, callee, frame.end, std::move(result)) ? Outcome::Done
                                                                    : Outcome::Raised;
}

// --- Functions as values

// Makes the function `index` of the frame's code in parts[0]; its defaults and annotations are in
// `parts`.
void Vm::make_function(Frame& frame, size_t index, IValue* parts) {
  const Code& outer = *frame.code;
  const std::shared_ptr<const Code>& code = outer.functions[index];
  const Code::FunctionParts& layout = outer.function_parts[index];
  auto* function = new FunctionObject(code);
  IValue value = IValue::adopt(Tag::Function, function);
  IValue* part = parts;
  for (size_t i = 0; i < layout.defaults; i++) function->defaults.push_back(std::move(*part++));
  for (const bool has_default : layout.keyword_defaults) {
    function->keyword_defaults.push_back(has_default ? std::move(*part++) : unbound());
  }
  if (layout.has_annotations) function->annotations = std::move(*part);
  for (const Capture& capture : code->captures) {
    function->cells.push_back(capture.from_register ? frame.base[capture.index]
                                                    : frame.function->cells[capture.index]);
  }
  parts[0] = std::move(value);
}

}  // namespace tsc::interp
