// Documentation of names and values: `NAME?` and `:help` at the prompt, help() and `__doc__` in
// scripts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interp/runtime/interpreter.h"

namespace tsc::interp {

// The value's `__doc__`: a str, or None.
IValue documentation(const IValue& value);
// A few lines about a value with the name `name`: an operator's sentence and schemas, a function's
// signature and docstring, a value's type and repr.
TSC_API std::string describe(const IValue& value, std::string_view name);
// The same for a name: "x.sum", "F.relu", "torch.nn.functional.relu", "aten::mm", a dispatch key.
// nullopt where nothing has it.
TSC_API std::optional<std::string> describe_name(Interpreter& interpreter, std::string_view name);
// "nothing is called 'x.sahpe'; did you mean 'x.shape'?"; `more` are further candidates.
TSC_API std::string unknown_name_text(Interpreter& interpreter, std::string_view name,
                                      std::vector<std::string> more = {});

// Resolves a dotted name by attributes and submodules. Nothing is called. `F`, `nn` and `np` are
// the modules that programs import under these names.
TSC_API std::optional<IValue> find_path(Interpreter& interpreter, std::string_view dotted);

// help([name or value])
IValue builtin_help(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
