// Builtins as constant data, and access to their arguments.
//
// A BuiltinDef says how many arguments a native function takes and their names, so that a wrong
// call is refused before the function runs, and with CPython's message:
//
//   {"pop", list_pop, 0, 1, {}, "list"}             list.pop([index])
//   {"sorted", sorted, 1, 1, "/ key reverse"}       sorted(iterable, /, *, key, reverse)
//   {"round", round, 1, 2, "number ndigits"}        by position or by keyword
//
// The function sees every argument in its place, those by keyword too, and the absent ones between
// them as absent_argument(); given() asks. For a method, values[0] is self, and min, max and names
// count from the argument after it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "dispatch/ivalue.h"
#include "interp/runtime/call.h"

namespace tsc::interp {

struct BuiltinDef {
  // No limit to the positional arguments.
  static constexpr int8_t kAny = -1;

  std::string_view name;
  NativeFunction function;
  // How many arguments there may be by position.
  int8_t min = 0;
  int8_t max = 0;
  // The names of the parameters in their order, "/" for one without. Those beyond `max` come by
  // keyword only; the first `min` must be there. Empty: no keyword arguments.
  std::string_view names = {};
  // The class of a method, for messages: "list" in "list.append() takes exactly one argument".
  std::string_view owner = {};
  // The function reads Arguments::names itself and checks everything.
  bool raw = false;
  // The module of a function whose messages name it: "math" in "math.sqrt() takes ...". Those of
  // "torch" are worded as PyTorch words them.
  std::string_view module = {};

  bool is_method() const { return !owner.empty(); }
};

// Stands for an argument that was not given while a later one was.
TSC_API const IValue& absent_argument();
inline bool given(const Arguments& arguments, size_t i) {
  return i < arguments.size() && !arguments[i].is_same(absent_argument());
}
// The argument, or null where it was not given.
inline const IValue* find_argument(const Arguments& arguments, size_t i) {
  return given(arguments, i) ? &arguments[i] : nullptr;
}
// Given and not None.
inline bool has_value(const Arguments& arguments, size_t i) {
  return given(arguments, i) && !arguments[i].is_none();
}

// Checks the arguments, sorts those by keyword into their places, and calls.
TSC_API IValue call_builtin(Interpreter& interpreter, const BuiltinDef& def, Arguments& arguments);
// Whether a call with this many positional arguments (self among them) and no keywords needs no
// further check: a call site asks once and then calls def.function itself.
inline bool accepts_positional(const BuiltinDef& def, size_t count) {
  const auto given_count = static_cast<int64_t>(count) - (def.is_method() ? 1 : 0);
  return !def.raw && given_count >= def.min &&
         (def.max == BuiltinDef::kAny || given_count <= def.max);
}

// A builtin function as a value; and `self.method`, to be called later.
TSC_API IValue make_builtin(const BuiltinDef& def);
TSC_API IValue make_bound_method(const BuiltinDef& def, const IValue& self);
// The constant behind a builtin function's value, for call sites; null for others.
TSC_API const BuiltinDef* builtin_def(const IValue& callee);

// "len() takes no keyword arguments"
[[noreturn]] TSC_API TSC_COLD void throw_no_keywords(std::string_view function);
// "'x' is an invalid keyword argument for zip()"
[[noreturn]] TSC_API TSC_COLD void throw_invalid_keyword(std::string_view name,
                                                         std::string_view function);

// Reading arguments, with CPython's messages.
// "'float' object cannot be interpreted as an integer"
[[noreturn]] TSC_API TSC_COLD void throw_not_integer(std::string_view type);
// int or bool; "'float' object cannot be interpreted as an integer".
TSC_API int64_t to_index(const IValue& value);
// int, bool or float; "must be real number, not str".
TSC_API double to_double(const IValue& value);
// str; "replace() argument 1 must be str, not int", without a number for position 0.
TSC_API std::string_view to_text(const IValue& value, std::string_view function, int position);
// str; "must be str, not int".
TSC_API std::string_view to_text(const IValue& value);

}  // namespace tsc::interp
