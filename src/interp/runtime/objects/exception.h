// Exceptions as objects, and how they travel through C++.
//
// Kernels and builtins throw Error (a kind and a text). Where the exception's own value matters (a
// KeyError's key, a `raise X from Y`) it travels as RaisedError, which is an Error too. The VM
// turns either into an ExceptionObject with exception_value(), and raises inside its run loop
// without a C++ throw.
#pragma once

#include <string>

#include "core/error.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

class TSC_API ExceptionObject final : public Object {
 public:
  ExceptionObject(ErrorKind kind, IValue args);
  ErrorKind kind() const { return kind_; }

  IValue args;                    // a tuple
  IValue cause;                   // `raise ... from cause`, or None
  IValue context;                 // the exception that was being handled, or None
  bool suppress_context = false;  // after `from`
  IValue traceback;               // the VM's: where it passed; None before it is raised
  IValue attributes;              // a dict of attributes that a script set, or None

  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override;

 private:
  ErrorKind kind_;
};

const Type& exception_type(ErrorKind kind);
// Whether the class is an exception's; its kind goes to `kind`.
TSC_API bool is_exception_type(const IValue& value, ErrorKind* kind = nullptr);
inline bool is_exception(const IValue& value);
inline ExceptionObject* as_exception(const IValue& value) {
  return value.as_object<ExceptionObject>();
}
TSC_API IValue make_exception(ErrorKind kind, std::string_view message);
TSC_API IValue make_exception(ErrorKind kind, std::vector<IValue> args);
// StopIteration with a generator's return value, if that is not None.
TSC_API IValue stop_iteration(IValue value);

// str(exception): the text after "ValueError: ".
TSC_API std::string exception_text(const ExceptionObject& exception);
// The same for printing an error, which must not raise another one: as in Python, an exception
// without a text is "<exception str() failed>".
TSC_API std::string printable_text(const ExceptionObject& exception);
TSC_API std::string printable_note(const IValue& note);

class TSC_API RaisedError final : public Error {
 public:
  explicit RaisedError(IValue exception);
  const IValue& exception() const { return exception_; }

 private:
  IValue exception_;
};

// Throws an ExceptionObject.
[[noreturn]] TSC_API TSC_COLD void throw_exception(IValue exception);
// An ImportError or ModuleNotFoundError, whose `name` is the module's.
[[noreturn]] TSC_API TSC_COLD void throw_import_error(ErrorKind kind, std::string_view message,
                                                      std::string_view module);
[[noreturn]] TSC_API TSC_COLD void throw_key_error(const IValue& key);
// "[Errno 2] No such file or directory: 'x'", of the kind that the number means; without a name
// where that is empty, as for an error of writing.
[[noreturn]] TSC_API TSC_COLD void throw_os_error(int error_number, std::string_view filename);
TSC_API ErrorKind os_error_kind(int error_number);
// The exception object of a caught Error.
TSC_API IValue exception_value(const Error& error);
// The exception that `raise value` raises: `value` itself, or an instance of the exception class.
// "exceptions must derive from BaseException" otherwise.
TSC_API IValue exception_to_raise(const IValue& value);
// `except classes:`; "catching classes that do not inherit from BaseException is not allowed".
TSC_API bool exception_matches(const ExceptionObject& exception, const IValue& classes);

bool is_exception(const IValue& value) {
  return value.tag() == Tag::Object &&
         is_subtype(type_of(value), exception_type(ErrorKind::BaseException));
}

}  // namespace tsc::interp
