// The instructions of the virtual machine.
//
// It is a register machine whose registers lie on the operand stack:
//
//         base[-1]  base[0] ...                                    base[frame_size]
//   ... | callee  | parameters | other locals | temporaries ... | free ...
//
// An instruction is 64 bits: an opcode, a small operand d and three operands of 16 bits, which
// mostly are registers.
//
//    0    8    16      32      48      64
//   +----+----+-------+-------+-------+
//   | op | d  |   a   |   b   |   c   |        bc: b and c as one number of 32 bits
//   +----+----+-------+-------+-------+
//
// Operands are read where they are: `x + y` of two locals is one Add with no copies. The arguments
// of a call are put into consecutive temporaries behind the callee, so that they become the
// callee's parameters, or the boxed arguments of an operator, without moving.
//
// Temporaries obey a discipline that makes errors cheap: each is written once and consumed once,
// and an unused one never holds anything counted. So unwinding needs no map of live registers: it
// releases every register above the handler's. An instruction that reads a temporary for the last
// time has its bit in d (kDropA, kDropB, kDropC); the fast paths for numbers ignore it, since there
// is nothing to release.
//
// Jumps are relative to the next instruction.
#pragma once

#include <cstdint>
#include <string_view>

namespace tsc::interp {

inline constexpr uint8_t kDropA = 1;
inline constexpr uint8_t kDropB = 2;
inline constexpr uint8_t kDropC = 4;
inline constexpr uint8_t kNegate = 8;    // a test jumps where it does not hold
inline constexpr uint8_t kInPlace = 16;  // `b op= c`: b may be changed in place; a is b

// For each operator: registers b and c; register b and constants[c]; register b and the number c.
#define TSC_FORALL_BINARY_OPCODES(_) \
  _(Add, "a = b + c")                \
  _(Subtract, "a = b - c")           \
  _(Multiply, "a = b * c")           \
  _(MatMul, "a = b @ c")             \
  _(Divide, "a = b / c")             \
  _(FloorDivide, "a = b // c")       \
  _(Modulo, "a = b % c")             \
  _(Power, "a = b ** c")             \
  _(LeftShift, "a = b << c")         \
  _(RightShift, "a = b >> c")        \
  _(And, "a = b & c")                \
  _(Or, "a = b | c")                 \
  _(Xor, "a = b ^ c")

// Forms with a number exist for the operators that loops use.
#define TSC_FORALL_BINARY_NUMBER_OPCODES(_) \
  _(Add)                                    \
  _(Subtract)                               \
  _(Multiply)                               \
  _(FloorDivide)                            \
  _(Modulo)

#define TSC_FORALL_COMPARE_OPCODES(_) \
  _(Less, <)                          \
  _(LessEqual, <=)                    \
  _(Equal, ==)                        \
  _(NotEqual, !=)                     \
  _(Greater, >)                       \
  _(GreaterEqual, >=)

#define TSC_FORALL_OTHER_OPCODES(_)                                                                  \
  /* values */                                                                                       \
  _(Move, "a = b")                                                                                   \
  _(Take, "a = b; b is empty")                                                                       \
  _(LoadConstant, "a = constants[bc]")                                                               \
  _(LoadInt, "a = bc as an int")                                                                     \
  _(Clear, "a is empty")                                                                             \
  _(Unbind, "a is unbound")                                                                          \
  _(CheckBound, "UnboundLocalError if a is unbound; its name is names[bc]")                          \
  _(LoadGlobal, "a = globals[bc], or the builtin of that name")                                      \
  _(StoreGlobal, "globals[bc] = a; kDropA in d: a is empty")                                         \
  _(DeleteGlobal, "globals[bc] is unbound")                                                          \
  _(AddGlobal, "globals[bc] += a, in place where it can; kDropA")                                    \
  _(MakeCell, "a = a new cell that holds a")                                                         \
  _(LoadCell, "a = what the cell b holds; NameError with names[c] if nothing")                       \
  _(StoreCell, "the cell b holds a; kDropA")                                                         \
  _(DeleteCell, "the cell b holds nothing; names[c]")                                                \
  _(LoadFree, "a = what captured cell b holds; NameError with names[c] if nothing")                  \
  _(StoreFree, "captured cell b holds a; kDropA")                                                    \
  _(DeleteFree, "captured cell b holds nothing; names[c]")                                           \
  /* operators */                                                                                    \
  _(Negative, "a = -b")                                                                              \
  _(Positive, "a = +b")                                                                              \
  _(Invert, "a = ~b")                                                                                \
  _(Not, "a = not b")                                                                                \
  _(Is, "a = b is c; kNegate: is not")                                                               \
  _(In, "a = b in c; kNegate: not in")                                                               \
  /* jumps */                                                                                        \
  _(Jump, "go on at bc")                                                                             \
  _(Loop, "go back to bc; stops where an interrupt is asked for")                                    \
  _(JumpIfTrue, "to bc if a is true; kDropA")                                                        \
  _(JumpIfFalse, "to bc if a is false; kDropA")                                                      \
  _(JumpIfNone, "to bc if a is None; kNegate: if it is not; kDropA")                                 \
  /* containers */                                                                                   \
  _(BuildList, "a = [b, b+1, ...], c of them; they are empty")                                       \
  _(BuildTuple, "a = (b, b+1, ...), c of them; they are empty")                                      \
  _(BuildSet, "a = {b, b+1, ...}, c of them; they are empty")                                        \
  _(BuildDict, "a = {b: b+1, ...}, c pairs; they are empty")                                         \
  _(BuildSlice, "a = slice(b, b+1, b+2); they are empty")                                            \
  _(BuildString, "a = the texts of b, b+1, ..., c of them; they are empty")                          \
  _(FormatValue,                                                                                     \
    "a = format(b, c), after conversion d >> 3 (0 none, 1 str, 2 repr, 3 ascii); kDropB, kDropC")    \
  _(ListAppend, "a.append(b); kDropB")                                                               \
  _(SetAdd, "a.add(b); kDropB")                                                                      \
  _(DictSet, "a[b] = c; kDropB, kDropC")                                                             \
  _(ListExtend, "a.extend(b), for a star in a display or a call; kDropB")                            \
  _(SetUpdate, "a.update(b); kDropB")                                                                \
  _(DictUpdate, "a.update(b), in a display; kDropB")                                                 \
  _(DictMerge, "a.update(b), in a call, where a name may come only once; kDropB; the callee is c")   \
  _(ListToTuple, "a = tuple(a)")                                                                     \
  _(Unpack, "a, a+1, ... = b, d of them; b is empty")                                                \
  _(UnpackStar, "a, ..., *a+b, ... = c: b before the star, d behind it; c is empty")                 \
  _(GetItem, "a = b[c]; kDropB, kDropC")                                                             \
  _(GetItemConstant, "a = b[constants[c]]; kDropB")                                                  \
  _(GetItemNumber, "a = b[c as a number]; kDropB")                                                   \
  _(SetItem, "a[b] = c; kDropA, kDropB, kDropC")                                                     \
  _(DeleteItem, "del a[b]; kDropA, kDropB")                                                          \
  /* attributes: sites hold the name and the inline cache */                                         \
  _(GetAttribute, "a = b.name of site c; kDropB")                                                    \
  _(SetAttribute, "a.name of site c = b; kDropA, kDropB")                                            \
  _(DeleteAttribute, "del a.name of site c; kDropA")                                                 \
  _(LoadMethod, "a, a+1 = the method and b, or b.name and unbound; site c; kDropB")                  \
  /* functions: the arguments and the callee are empty afterwards */                                 \
  _(MakeFunction, "a = function bc; defaults and annotations are in a, a+1, ...")                    \
  _(Call, "a = b(b+1, ...), d arguments; site c")                                                    \
  _(CallMethod, "a = b(b+1, b+2, ...), d arguments behind b+1, which is self or unbound; site c")    \
  _(CallKeywords, "as Call; the names of the last arguments are the site's")                         \
  _(CallMethodKeywords, "as CallMethod; the names of the last arguments are the site's")             \
  _(CallSpread, "a = b(*b+1, **b+2), a tuple and a dict or unbound; site c")                         \
  _(Return, "return a, which is empty")                                                              \
  _(ReturnCopy, "return a, a local")                                                                 \
  _(Yield, "yield b, which is empty; a = what is sent")                                              \
  _(YieldFrom,                                                                                       \
    "one step of `yield from`: b is the iterator, a what was sent and what is yielded; at its "      \
    "end a = its "                                                                                   \
    "value, and jump to c")                                                                          \
  _(Generator, "leave the call with a generator that goes on behind this instruction")               \
  /* iteration: an iterator takes a and a+1, and in a loop over range() also a+2 */                  \
  _(GetIterator, "a = something to iterate over b; kDropB; kInPlace: an iterator object")            \
  _(RangeIterator,                                                                                   \
    "a = iterator over a(a+1, ...), d arguments, with no range made if a is the builtin; site c")    \
  _(ForIter, "b = next of a, and jump to c; go on at the end, with a empty")                         \
  _(ForRange, "as ForIter, for RangeIterator")                                                       \
  /* exceptions: the handler's register is a and a+1 the exception that was being handled before   \
   */ \
  _(Raise, "raise a; kDropA")                                                                        \
  _(RaiseFrom, "raise a from b; kDropA, kDropB")                                                     \
  _(Reraise, "raise the exception that is being handled")                                            \
  _(RaiseAssertion, "raise AssertionError(a); kDropA; with kNegate no argument")                     \
  _(RaiseOverflow, "an integer literal is too large")                                                \
  _(MatchException, "a = the exception b is one of c; kDropC")                                       \
  _(LeaveHandler, "the exception of handler a is dealt with")                                        \
  _(Rethrow, "the exception of handler a goes on")                                                   \
  _(WithEnter, "a = b.__enter__(); b = b.__exit__")                                                  \
  _(WithExit, "call exit a(None, None, None); a is empty")                                           \
  _(WithExitError, "a = exit b(type, value, traceback) of the exception of handler c")               \
  /* modules and the prompt */                                                                       \
  _(Import, "a = the module names[bc]")                                                              \
  _(ImportFrom, "a = names[c] of module b")                                                          \
  _(ImportStar, "every name of module a; kDropA")                                                    \
  _(Annotate, "__annotations__[names[bc]] = a; kDropA")                                              \
  _(Display, "show a as the prompt does; kDropA")

enum class Opcode : uint8_t {
#define TSC_DEFINE_BINARY(name, effect) name, name##Constant,
  TSC_FORALL_BINARY_OPCODES(TSC_DEFINE_BINARY)
#undef TSC_DEFINE_BINARY
#define TSC_DEFINE_NUMBER(name) name##Number,
      TSC_FORALL_BINARY_NUMBER_OPCODES(TSC_DEFINE_NUMBER)
#undef TSC_DEFINE_NUMBER
// a = b op c; and jumps to a if b op c, which kNegate turns round
#define TSC_DEFINE_COMPARE(name, op) \
  name, name##Constant, name##Number, JumpIf##name, JumpIf##name##Constant, JumpIf##name##Number,
          TSC_FORALL_COMPARE_OPCODES(TSC_DEFINE_COMPARE)
#undef TSC_DEFINE_COMPARE
#define TSC_DEFINE_OTHER(name, effect) name,
              TSC_FORALL_OTHER_OPCODES(TSC_DEFINE_OTHER)
#undef TSC_DEFINE_OTHER
};

struct Instruction {
  Opcode op;
  uint8_t d = 0;
  uint16_t a = 0;
  uint16_t b = 0;
  uint16_t c = 0;

  int32_t bc() const {
    return static_cast<int32_t>(static_cast<uint32_t>(b) | static_cast<uint32_t>(c) << 16);
  }
  int16_t signed_a() const { return static_cast<int16_t>(a); }
  int16_t signed_c() const { return static_cast<int16_t>(c); }
};
static_assert(sizeof(Instruction) == 8);

std::string_view to_string(Opcode op);

}  // namespace tsc::interp
