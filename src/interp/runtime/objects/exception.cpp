#include "interp/runtime/objects/exception.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/runtime/objects/type_object.h"
#include "interp/runtime/text/codecs.h"

namespace tsc::interp {

namespace {

constexpr std::string_view exception_name(ErrorKind kind, std::string_view name) {
  return kind == ErrorKind::LinAlgError ? "_LinAlgError" : name;
}

constexpr std::string_view exception_module(ErrorKind kind) {
  return kind == ErrorKind::LinAlgError        ? "torch._C"
         : kind == ErrorKind::OutOfMemoryError ? "torch"
         : kind == ErrorKind::TracerWarning || kind == ErrorKind::TracingCheckError
             ? "torch.jit._trace"
             : "builtins";
}

IValue construct(ErrorKind kind, const Arguments& arguments) {
  const bool takes_name = kind == ErrorKind::ImportError || kind == ErrorKind::ModuleNotFoundError;
  if (arguments.keywords > 0 && !takes_name) {
    throw_no_keywords(arguments.callee->name);
  }
  std::vector<IValue> args(arguments.values, arguments.values + arguments.positional);
  // OSError(2, "...") is a FileNotFoundError.
  if (kind == ErrorKind::OSError && args.size() >= 2 && args[0].is_int()) {
    kind = os_error_kind(static_cast<int>(args[0].as_int()));
  }
  IValue filename;
  if (is_subclass(kind, ErrorKind::OSError) && args.size() == 3) {
    filename = std::move(args[2]);
    args.pop_back();
  }
  IValue exception = make_exception(kind, std::move(args));
  if (!filename.is_none()) {
    set_attribute(exception, "filename", filename);
  }
  for (size_t i = 0; i < arguments.keywords; i++) {
    set_attribute(exception, arguments.names[i]->view(), arguments[arguments.positional + i]);
  }
  return exception;
}

IValue construct_exception(Interpreter&, Arguments& arguments);

constexpr BuiltinDef kConstructors[] = {
#define TSC_CONSTRUCTOR(kind, base_kind)           \
  {.name = exception_name(ErrorKind::kind, #kind), \
   .function = construct_exception,                \
   .max = BuiltinDef::kAny,                        \
   .raw = true},
    TSC_FORALL_ERROR_KINDS(TSC_CONSTRUCTOR)
#undef TSC_CONSTRUCTOR
};

IValue construct_exception(Interpreter&, Arguments& arguments) {
  return construct(static_cast<ErrorKind>(arguments.callee - kConstructors), arguments);
}

void repr_exception(const IValue& self, std::string& out) {
  const ExceptionObject& exception = *as_exception(self);
  const TupleObject& args = *exception.args.as_tuple();
  out += exception.type().name;
  if (args.size() == 1) {
    out += '(';
    append_repr(args[0], out);
    out += ')';
  } else {
    append_repr(exception.args, out);
  }
}

void str_exception(const IValue& self, std::string& out) {
  out += exception_text(*as_exception(self));
}

IValue get_args(const IValue& self) { return as_exception(self)->args; }
IValue get_cause(const IValue& self) { return as_exception(self)->cause; }
IValue get_context(const IValue& self) { return as_exception(self)->context; }
IValue get_suppress_context(const IValue& self) { return as_exception(self)->suppress_context; }
IValue get_traceback(const IValue& self) { return as_exception(self)->traceback; }

// Attributes that some kinds derive from their arguments.
bool special_attribute(const ExceptionObject& exception, std::string_view name, IValue& result) {
  const TupleObject& args = *exception.args.as_tuple();
  const auto argument = [&](size_t i) { return i < args.size() ? args[i] : IValue(); };
  if ((exception.kind() == ErrorKind::StopIteration && name == "value") ||
      (exception.kind() == ErrorKind::SystemExit && name == "code")) {
    result = argument(0);
    return true;
  }
  if (is_subclass(exception.kind(), ErrorKind::OSError)) {
    if (name == "errno" || name == "strerror") {
      result = args.size() == 2 ? argument(name == "errno" ? 0 : 1) : IValue();
      return true;
    }
    if (name == "filename") {
      result = IValue();
      return true;
    }
  }
  if (is_subclass(exception.kind(), ErrorKind::UnicodeError) && args.size() == 5) {
    constexpr std::string_view kParts[] = {"encoding", "object", "start", "end", "reason"};
    const auto* part = std::find(std::begin(kParts), std::end(kParts), name);
    if (part != std::end(kParts)) {
      result = args[static_cast<size_t>(part - kParts)];
      return true;
    }
  }
  if (is_subclass(exception.kind(), ErrorKind::ImportError) && (name == "name" || name == "path")) {
    result = IValue();
    return true;
  }
  return false;
}

bool get_exception_attribute(const IValue& self, std::string_view name, IValue& result) {
  const ExceptionObject& exception = *as_exception(self);
  if (!exception.attributes.is_none()) {
    if (const IValue* found = as_dict(exception.attributes)->find_text(name)) {
      result = *found;
      return true;
    }
  }
  return special_attribute(exception, name, result);
}

bool set_exception_attribute(const IValue& self, std::string_view name, const IValue* value) {
  ExceptionObject& exception = *as_exception(self);
  if (name == "args" && value != nullptr) {
    std::vector<IValue> items;
    append_items(*value, items);
    exception.args = make_tuple(std::move(items));
    return true;
  }
  if (name == "__cause__" && value != nullptr) {
    TSC_CHECK_TYPE(value->is_none() || is_exception(*value),
                   "exception cause must be None or derive from BaseException");
    exception.cause = *value;
    exception.suppress_context = true;
    return true;
  }
  if (name == "__context__" && value != nullptr) {
    TSC_CHECK_TYPE(value->is_none() || is_exception(*value),
                   "exception context must be None or derive from BaseException");
    exception.context = *value;
    return true;
  }
  if (name == "__suppress_context__" && value != nullptr) {
    exception.suppress_context = is_true(*value);
    return true;
  }
  if (exception.attributes.is_none()) {
    exception.attributes = make_dict();
  }
  DictObject& attributes = *as_dict(exception.attributes);
  if (value == nullptr) {
    return attributes.remove(IValue(name));
  }
  attributes.set(IValue(name), *value);
  return true;
}

IValue exception_with_traceback(Interpreter&, Arguments& arguments) { return arguments[0]; }

void add_note(const IValue& exception, IValue note) {
  IValue notes;
  if (!try_get_attribute(exception, "__notes__", notes)) {
    notes = make_list({});
    set_attribute(exception, "__notes__", notes);
  }
  TSC_CHECK_TYPE(notes.is_list(), "Cannot add note: __notes__ is not a list");
  notes.as_list()->items.push_back(std::move(note));
}

IValue exception_add_note(Interpreter&, Arguments& arguments) {
  if (!arguments[1].is_string()) {
    throw_error(ErrorKind::TypeError, "note must be a str, not '{}'", type_name(arguments[1]));
  }
  add_note(arguments[0], arguments[1]);
  return {};
}

constexpr BuiltinDef kMethods[] = {
    {"add_note", exception_add_note, 1, 1, {}, "BaseException"},
    {"with_traceback", exception_with_traceback, 1, 1, {}, "BaseException"},
};

constexpr AttributeDef kAttributes[] = {
    {"__cause__", get_cause},
    {"__context__", get_context},
    {"__suppress_context__", get_suppress_context},
    {"__traceback__", get_traceback},
    {"args", get_args},
};

constinit const Type kExceptionTypes[kNumErrorKinds] = {
#define TSC_EXCEPTION_TYPE(kind, base_kind)                                      \
  {                                                                              \
      .name = exception_name(ErrorKind::kind, #kind),                            \
      .module = exception_module(ErrorKind::kind),                               \
      .base = ErrorKind::kind == ErrorKind::BaseException                        \
                  ? nullptr                                                      \
                  : &kExceptionTypes[static_cast<size_t>(ErrorKind::base_kind)], \
      .methods = kMethods,                                                       \
      .attributes = kAttributes,                                                 \
      .constructor = &kConstructors[static_cast<size_t>(ErrorKind::kind)],       \
      .repr = repr_exception,                                                    \
      .str = str_exception,                                                      \
      .get_attribute = get_exception_attribute,                                  \
      .set_attribute = set_exception_attribute,                                  \
  },
    TSC_FORALL_ERROR_KINDS(TSC_EXCEPTION_TYPE)
#undef TSC_EXCEPTION_TYPE
};

}  // namespace

const Type& exception_type(ErrorKind kind) { return kExceptionTypes[static_cast<size_t>(kind)]; }

bool is_exception_type(const IValue& value, ErrorKind* kind) {
  const Type* type = as_type(value);
  if (type == nullptr || !is_subtype(*type, exception_type(ErrorKind::BaseException))) {
    return false;
  }
  if (kind != nullptr) {
    *kind = static_cast<ErrorKind>(type - kExceptionTypes);
  }
  return true;
}

ErrorKind os_error_kind(int error_number) {
  switch (error_number) {
    case ENOENT: return ErrorKind::FileNotFoundError;
    case EEXIST: return ErrorKind::FileExistsError;
    case EISDIR: return ErrorKind::IsADirectoryError;
    case EACCES:
    case EPERM: return ErrorKind::PermissionError;
    default: return ErrorKind::OSError;
  }
}

void throw_os_error(int error_number, std::string_view filename) {
  IValue exception = make_exception(os_error_kind(error_number),
                                    {IValue(error_number), IValue(std::strerror(error_number))});
  if (!filename.empty()) {
    set_attribute(exception, "filename", IValue(filename));
  }
  throw_exception(std::move(exception));
}

ExceptionObject::ExceptionObject(ErrorKind kind, IValue arguments)
    : Object(exception_type(kind)), args(std::move(arguments)), kind_(kind) {}

void ExceptionObject::traverse(ChildVisitor visit, void* context_argument) {
  for (const IValue* value : {&args, &cause, &context, &traceback, &attributes}) {
    visit_child(*value, visit, context_argument);
  }
}

void ExceptionObject::clear() noexcept {
  cause = context = traceback = attributes = IValue();
  args = make_tuple({});
}

IValue make_exception(ErrorKind kind, std::vector<IValue> args) {
  return IValue::adopt(Tag::Object, new ExceptionObject(kind, make_tuple(std::move(args))));
}

IValue stop_iteration(IValue value) {
  std::vector<IValue> arguments;
  if (!value.is_none()) {
    arguments.push_back(std::move(value));
  }
  return make_exception(ErrorKind::StopIteration, std::move(arguments));
}

IValue make_exception(ErrorKind kind, std::string_view message) {
  return make_exception(kind, std::vector<IValue>{IValue(message)});
}

std::string exception_text(const ExceptionObject& exception) {
  const TupleObject& args = *exception.args.as_tuple();
  if (is_subclass(exception.kind(), ErrorKind::OSError) && args.size() == 2) {
    std::string text = fmt::format("[Errno {}] {}", str(args[0]), str(args[1]));
    if (!exception.attributes.is_none()) {
      if (const IValue* filename = as_dict(exception.attributes)->find_text("filename")) {
        text += ": ";
        append_repr(*filename, text);
      }
    }
    return text;
  }
  const bool decodes = exception.kind() == ErrorKind::UnicodeDecodeError;
  std::string text;
  if ((decodes || exception.kind() == ErrorKind::UnicodeEncodeError) &&
      unicode_error_text(decodes, args, text)) {
    return text;
  }
  switch (args.size()) {
    case 0: return {};
    case 1: return exception.kind() == ErrorKind::KeyError ? repr(args[0]) : str(args[0]);
    default: return repr(exception.args);
  }
}

std::string printable_text(const ExceptionObject& exception) {
  try {
    return exception_text(exception);
  } catch (const Error&) {
    return "<exception str() failed>";
  }
}

std::string printable_note(const IValue& note) {
  try {
    return str(note);
  } catch (const Error&) {
    return "<note str() failed>";
  }
}

RaisedError::RaisedError(IValue exception)
    : Error(as_exception(exception)->kind(), printable_text(*as_exception(exception))),
      exception_(std::move(exception)) {}

void throw_exception(IValue exception) { throw RaisedError(std::move(exception)); }

void throw_import_error(ErrorKind kind, std::string_view message, std::string_view module) {
  IValue exception = make_exception(kind, {IValue(std::string(message))});
  set_attribute(exception, "name", IValue(std::string(module)));
  throw_exception(std::move(exception));
}

void throw_key_error(const IValue& key) {
  throw_exception(make_exception(ErrorKind::KeyError, std::vector<IValue>{key}));
}

IValue exception_value(const Error& error) {
  if (const auto* raised = dynamic_cast<const RaisedError*>(&error)) {
    return raised->exception();
  }
  IValue exception = make_exception(error.kind(), error.message());
  for (const std::string& note : error.notes()) {
    add_note(exception, IValue(note));
  }
  return exception;
}

IValue exception_to_raise(const IValue& value) {
  ErrorKind kind;
  if (is_exception_type(value, &kind)) {
    return make_exception(kind, std::vector<IValue>{});
  }
  TSC_CHECK_TYPE(is_exception(value), "exceptions must derive from BaseException");
  return value;
}

bool exception_matches(const ExceptionObject& exception, const IValue& classes) {
  const auto matches_one = [&](const IValue& type) {
    TSC_CHECK_TYPE(is_exception_type(type),
                   "catching classes that do not inherit from BaseException is not allowed");
    return is_subtype(exception.type(), *as_type(type));
  };
  if (!classes.is_tuple()) {
    return matches_one(classes);
  }
  // All of them are checked, as in CPython, before any is compared.
  bool matches = false;
  for (const IValue& item : *classes.as_tuple()) {
    matches |= matches_one(item);
  }
  return matches;
}

}  // namespace tsc::interp
