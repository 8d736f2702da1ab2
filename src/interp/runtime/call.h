// How builtins are called, and how they read their arguments.
//
// A builtin is a function over a row of values that lie on the operand stack (or anywhere else in a
// row): for a method the first of them is self. Its BuiltinDef says how many arguments it takes and
// their names, in constant data, so that a wrong call is refused before the function runs and with
// CPython's message.
//
//   {"pop", list_pop, 0, 1}                       list.pop([index])
//   {"sorted", sorted, 1, 1, "key reverse"}       sorted(iterable, *, key, reverse)
//   {"round", round, 1, 2, "number ndigits"}      by position or by keyword
//
// `names` are the names of the arguments from the first one that has a name: the last `min..max`
// positional parameters where `named_from` says so, then those that come by keyword only.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dispatch/ivalue.h"

namespace tsc::interp {

class DictObject;

// What a call hands over. The names are those of the last arguments, which came by keyword; a
// builtin that has a BuiltinDef never sees them (they are sorted into their places before).
struct Arguments {
  IValue* values;
  size_t count;
  // Tuple of strings, or null.
  const TupleObject* names = nullptr;

  size_t keyword_count() const { return names == nullptr ? 0 : names->size(); }
  size_t positional_count() const { return count - keyword_count(); }
  IValue& operator[](size_t i) const { return values[i]; }
  // Whether argument `i` was given (by position or by name).
  inline bool has(size_t i) const;
  // The argument, or null.
  const IValue* get(size_t i) const { return has(i) ? &values[i] : nullptr; }
  // Given and not None.
  bool has_value(size_t i) const { return has(i) && !values[i].is_none(); }
};

using BuiltinFunction = IValue (*)(const Arguments& arguments);

struct BuiltinDef {
  std::string_view name;
  BuiltinFunction function;
  // How many arguments by position, self not counted; kAny: no limit.
  int8_t min = 0;
  int8_t max = 0;
  // The names of the parameters, "iterable key reverse", self not counted; "/" before the first
  // name means that what comes before has no name. Empty: nothing can be given by keyword.
  std::string_view names = {};
  // Class for messages: "list" in "list.append() takes ...". Empty: a function.
  std::string_view owner = {};
  // The function takes names that it reads itself from Arguments::names.
  bool raw = false;

  static constexpr int8_t kAny = -1;
  bool is_method() const { return !owner.empty(); }
};

// Stands for an argument that was not given while a later one was.
TSC_API extern const IValue& absent_argument();
TSC_API bool is_absent(const IValue& value);
inline bool Arguments::has(size_t i) const {
  return i < count && !(values[i].tag() == Tag::Object && is_absent(values[i]));
}

// Checks the arguments, sorts those by keyword into their places and calls. For a method, values[0]
// is self.
TSC_API IValue call_builtin(const BuiltinDef& def, const Arguments& arguments);
// The same where nothing is by keyword and the VM has compared count with min and max.
inline IValue call_unchecked(const BuiltinDef& def, IValue* values, size_t count) {
  return def.function(Arguments{values, count});
}

// Calls anything callable: functions, methods, classes. TypeError "'int' object is not callable".
TSC_API IValue call(const IValue& callee, const Arguments& arguments);
TSC_API IValue call(const IValue& callee, std::span<IValue> arguments = {});
TSC_API IValue call1(const IValue& callee, const IValue& argument);
TSC_API bool is_callable(const IValue& value);

// A builtin function or class method as a value.
TSC_API IValue make_builtin(const BuiltinDef& def);
// `self.method`, to be called later.
TSC_API IValue make_bound_method(const BuiltinDef& def, const IValue& self);
// The same with any callable: self is put before its arguments.
TSC_API IValue make_bound_method(const IValue& callee, const IValue& self);
// The constant behind a builtin function's value, for the VM's call sites; null for others.
TSC_API const BuiltinDef* builtin_def(const IValue& callee);

// Reading arguments, with CPython's messages.
// An index: int or bool; "'float' object cannot be interpreted as an integer".
TSC_API int64_t to_index(const IValue& value);
// int or bool or float; "must be real number, not str".
TSC_API double to_double(const IValue& value);

}  // namespace tsc::interp
