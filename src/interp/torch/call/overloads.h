// Overload sets: the operators that a Python name of PyTorch's calls, and the choice between them.
//
//   torch.add(x, 2, alpha=3)
//        |  look up      name -> overloads of aten::add that are functions; those with Tensor
//        |               parameters before those with Scalar parameters
//        v
//   overloads
//        |  match        each argument to a parameter, by position, keyword or default; its value
//        |               must be convertible to the parameter's type
//        v
//   arguments on the stack, in schema order
//        |  call         OperatorHandle::call_boxed
//        v
//   result, as a Python value
//
// A call site remembers the overload that its argument tags led to, and the conversions that were
// needed; where the arguments already lie in schema order, the next call only pushes the defaults
// behind them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dispatch/dispatcher.h"
#include "dispatch/static_operator.h"
#include "interp/runtime/objects/builtin.h"

namespace tsc::interp {

// The conversion of an argument's value to its parameter's type.
enum class Conversion : uint8_t {
  Refused,
  None,        // as it is
  WrapNumber,  // a number for a Tensor
  ReadScalar,  // a 0-dim tensor for a Scalar, float or int
  IntToFloat,
  ParseDevice,  // "cuda:1", or an int
  TypeToDtype,  // float for torch.float64, ...
  RepeatInt,    // one int for `int[2]`
  ListToInts,   // a list with 0-dim tensors among its ints
};

struct Overload {
  OperatorHandle op;
  std::vector<IValue> defaults;  // one for each argument; None where there is none
  size_t num_positional = 0;     // arguments that may come by position
  size_t num_out = 0;            // trailing keyword-only arguments that are written
  bool takes_varargs =
      false;  // x.view(2, 3): its only positional parameter besides self is an int list
  bool is_factory = false;  // takes dtype, layout, device, pin_memory: also requires_grad
  // The out= form of a factory, which takes the factory's options, too: they have to agree with
  // out.
  bool is_factory_out = false;
  // Of a factory that makes tensors of nothing: where its device stands, which has a default; else -1.
  int8_t device_parameter = -1;
};

struct OverloadSet : BuiltinDef {
  std::string python_name;
  bool method = false;
  bool numbers_as_tensors = false;    // a number will do for any tensor
  bool deprecated_signature = false;  // there is an older one, which is not shown
  std::vector<Overload> overloads;
};

// `method`: the first argument is self.
Overload make_overload(OperatorHandle op, bool method);

// torch.NAME, F.NAME, torch.linalg.NAME, ... ; null where no operator has that name there.
const OverloadSet* find_function_set(PythonModule module, std::string_view name);
// Tensor.NAME
const OverloadSet* find_method_set(std::string_view name);
// torch.ops.NS.NAME: every overload of "ns::name", or one of "ns::name.overload", with the schema's
// own names. Made at each call, because out-of-tree overloads come and go; empty where there is
// none.
OverloadSet make_operator_set(std::string_view qualified_name);
// Names for completion and dir().
void list_function_names(PythonModule module, std::vector<std::string>& names);
void list_method_names(std::vector<std::string>& names);

// Calls the overload that matches the arguments. TypeError in PyTorch's words where none does.
IValue call_overloads(const OverloadSet& set, Arguments& arguments);
// The same through the builtin calling convention: `arguments.callee` is the set.
IValue call_overload_set(Interpreter& interpreter, Arguments& arguments);
// For native functions.
IValue call_set(const OverloadSet& set, std::vector<IValue> positional);

// Takes the returns of an operator off the stack as one Python value: a tuple for several (with
// names, where the schema has them) and for a list of tensors.
IValue take_results(const OperatorEntry& entry, Stack& stack, size_t height);

// The value's type in messages about wrong arguments: "Tensor", "int", "tuple".
std::string python_type_name(const IValue& value);
// TypeError: "add(): argument 'other' (position 2) must be Tensor, not str". Position 0: by
// keyword.
[[noreturn]] void throw_wrong_type(std::string_view function, std::string_view parameter,
                                   size_t position, const SchemaType& type, const IValue& value);

}  // namespace tsc::interp
