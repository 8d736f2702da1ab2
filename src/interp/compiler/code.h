// Code: a compiled module, function, lambda or generator expression.
//
// The instructions and constants never change; the sites, which are the inline caches of
// instructions, do, so a Code belongs to one interpreter's thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dispatch/ivalue.h"
#include "interp/compiler/opcode.h"
#include "interp/runtime/call.h"
#include "interp/syntax/source.h"

namespace tsc::interp {

// The inline cache of an attribute instruction, for values of one type or one module.
struct AttributeSite {
  StringObject* name = nullptr;
  const void* owner = nullptr;  // a Type, or a ModuleObject that was constant
  const void* found = nullptr;  // the method or attribute of the Type
  IValue value;                 // the module's attribute
};

struct CallSite {
  CallCache cache;
  std::vector<StringObject*> keywords;  // the names of the last arguments
};

// The handler of errors in a range of instructions.
struct HandlerRange {
  uint32_t begin;
  uint32_t end;
  uint32_t target;
  uint16_t reg;  // everything from here on is released; then the exception is put here
  // The range is a handler's own body, where leaving means that the exception in `reg` is no longer
  // being handled. There is no target.
  bool is_body;
};

// The source of a captured cell of a new function.
struct Capture {
  bool from_register;  // else one of the enclosing function's own captured cells
  uint16_t index;
};

struct ParameterNames {
  std::vector<StringObject*>
      names;  // in the order of the registers: positional, keyword-only, *args, **kwargs
  uint16_t positional_only = 0;
  uint16_t positional = 0;  // those that are positional only included
  uint16_t keyword_only = 0;
  bool has_var_args = false;
  bool has_var_keywords = false;
};

class Code : public std::enable_shared_from_this<Code> {
 public:
  std::string name;       // "f", "<lambda>", "<module>"
  std::string qualified;  // "outer.<locals>.f"
  SourcePtr source;
  SourceSpan span;  // of the definition
  bool is_generator = false;
  bool has_docstring = false;  // constants[0]

  ParameterNames parameters;
  // Takes its arguments where they lie when there are exactly `parameters.positional` of them.
  bool is_plain = false;
  uint16_t locals = 0;      // registers to be released at the end: parameters and other locals
  uint16_t frame_size = 0;  // with temporaries
  std::vector<Capture> captures;

  std::vector<Instruction> instructions;
  std::vector<SourceSpan> spans;       // one for each instruction
  std::vector<HandlerRange> handlers;  // inner ones first
  std::vector<IValue> constants;
  std::vector<StringObject*> names;        // interned, which live forever
  std::vector<StringObject*> local_names;  // of all variables in registers
  std::vector<std::shared_ptr<const Code>> functions;
  // The layout of a function's optional parts for MakeFunction.
  struct FunctionParts {
    uint16_t defaults = 0;               // of the last positional parameters
    std::vector<bool> keyword_defaults;  // which keyword-only parameters have one
    bool has_annotations = false;
  };
  std::vector<FunctionParts> function_parts;

  mutable std::vector<AttributeSite> attribute_sites;
  mutable std::vector<CallSite> call_sites;

  SourceSpan span_of(const Instruction* instruction) const {
    return spans[static_cast<size_t>(instruction - instructions.data())];
  }
};

// The instructions as text, for tests and debugging.
std::string disassemble(const Code& code);

}  // namespace tsc::interp
