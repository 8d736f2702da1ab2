// The in-tree rows, as the generator writes them: read-only data, sorted by name. Nothing of it
// runs at start-up; an operator's entry is made from its row at the first look-up.
#pragma once

#include "dispatch/boxing.h"

namespace tsc {

struct StaticKernel {
  DispatchKey key;  // alias keys included
  KernelFunction kernel;
};

// Where an operator shows up under a Python name.
enum class PythonModule : uint8_t { Torch, Functional, Linalg, Fft, Special, None };
inline constexpr uint8_t kFunctionVariant = 1;
inline constexpr uint8_t kMethodVariant = 2;

struct StaticOperator {
  const FunctionSchema* schema;
  ArrayRef<StaticKernel> kernels;
  const char* doc;
  // The overload name of the structured group's out= form ("out"), which Common calls; "" where
  // there is none.
  const char* structured_out;
  // kFunctionVariant: a function of `module`; kMethodVariant: a method of Tensor.
  uint8_t variants = kFunctionVariant | kMethodVariant;
  PythonModule module = PythonModule::Torch;
};

// Kernels that a layer above ops/ adds to rows: autograd formulas, written at
// DispatchKey::Autograd.
struct StaticKernels {
  std::string_view name;
  std::string_view overload_name;
  ArrayRef<StaticKernel> kernels;
};

// A kernel that a column has for one operator, by its full name without the namespace
// ("mul.Tensor").
struct ColumnKernel {
  std::string_view op;
  KernelFunction kernel;
};
// The operators that one column treats apart from the others, sorted by name.
struct StaticColumn {
  DispatchKey key;
  ArrayRef<ColumnKernel> kernels;
};

struct StaticFallback {
  DispatchKey key;
  KernelFunction kernel;
};

// Sorted by (name, overload name). Defined by generated code.
ArrayRef<StaticOperator> static_operators();
ArrayRef<StaticKernels> static_autograd_kernels();
// One a key at the most. Defined in keys/.
ArrayRef<StaticFallback> static_fallbacks();
// Defined in keys/.
ArrayRef<StaticColumn> static_columns();

}  // namespace tsc
