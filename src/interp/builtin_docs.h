// Sentences about Python's builtin functions, classes and methods, and about functions of torch
// that are not operators.
#pragma once

#include <string_view>

namespace tsc::interp {

struct BuiltinDoc {
  std::string_view name;       // "len", "list.append", "torch.tensor"
  std::string_view signature;  // "(obj)"
  std::string_view sentence;
};

// Null where there is none of that name.
const BuiltinDoc* find_builtin_doc(std::string_view name);

}  // namespace tsc::interp
