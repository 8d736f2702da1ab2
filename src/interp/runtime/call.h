// The calling convention of the language: the run loop, native functions that call back and the
// command line all call by it.
//
// The arguments of a call lie next to each other at the top of the operand stack, in the order in
// which they were written: first the positional ones, then the values of the keyword arguments.
//
//   ... | callee | p0 | p1 | k0 | k1 |    Arguments{.values = &p0, .positional = 2, .keywords = 2,
//                                    ^              .names = {"dim", "keepdim"}}
//                                    top of Stack::current()
//
// A callee may take its arguments where they lie: it may move out of them, push more behind them
// (defaults) and let an operator's boxed kernel consume them all, so that calling an operator moves
// nothing. When it returns, the caller releases those that are left and sets the stack's top back.
// A callee must not keep `values` after it returns.
//
// A callee reports an error by throwing tsc::Error, or, where errors are ordinary and throwing is
// too slow (`next()` at the end), by `return interpreter.raise(kind, message)`.
#pragma once

#include <cstdint>

#include "dispatch/ivalue.h"

namespace tsc::interp {

class Interpreter;
struct BuiltinDef;

// The inline cache of one call instruction, kept between its runs. Its words belong to the callee
// that wrote `owner` (an address that identifies that callee); a callee that finds another owner
// starts afresh. All zero at first.
struct CallCache {
  const void* owner = nullptr;
  uint64_t words[2] = {0, 0};
};

struct Arguments {
  IValue* values = nullptr;
  uint32_t positional = 0;
  uint32_t keywords = 0;
  StringObject* const* names = nullptr;  // of the keyword arguments; interned
  CallCache* cache = nullptr;            // may be absent
  const BuiltinDef* callee = nullptr;    // the builtin that a raw function is called as

  uint32_t size() const { return positional + keywords; }
  IValue& operator[](size_t i) const { return values[i]; }
};

using NativeFunction = IValue (*)(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
