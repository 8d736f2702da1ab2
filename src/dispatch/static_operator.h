// The in-tree rows, as the generator writes them: read-only data, sorted by name. None of it runs
// at start-up; an operator's entry is made from its row at the first look-up.
#pragma once

#include <optional>

#include "core/dimname.h"
#include "dispatch/boxing.h"
#include "dispatch/operator_tag.h"

namespace tsc {

struct StaticKernel {
  DispatchKey key;  // alias keys included
  KernelFunction kernel;
  // It checks nothing: Common's forms call it.
  bool is_below_common = false;
};

// The Python module that has a function of the operator's name.
enum class PythonModule : uint8_t { Torch, Functional, Linalg, Fft, Special, None };
inline constexpr uint8_t kFunctionVariant = 1;
inline constexpr uint8_t kMethodVariant = 2;

// How autocast changes a call: keys/autocast_policies.h.
enum class AutocastPolicy : uint8_t {
  None,
  LowerPrecision,
  Float32,
  Float32Dtype,
  Float32LastDtype,
  Widest,
  Refused,
};

// Where results and arguments share memory otherwise than the schema says.
enum class Aliasing : uint8_t {
  AsDeclared,
  Undeclared,  // they do, and the schema is silent
  Untracked,   // a view that autograd does not look through
  None,        // nothing is written or viewed that anybody can see
  Lifted,      // as None, and a functional tensor is made of the result
};

class NamedCall;
struct ViewStep;
// The names of each tensor that a call returns; nullopt for none: ops/names/name_rules.h.
using NameRule = std::optional<DimnameVector> (*)(const NamedCall& call);
// `base` with `view` where the step shows it: ops/shape/view_inverses.h.
using ViewInverse = Tensor (*)(const ViewStep& step, const Tensor& base, const Tensor& view);

// All that is true of an operator, from its yaml row (codegen/fields.py says what each field is).
struct StaticOperator {
  const FunctionSchema* schema;
  ArrayRef<StaticKernel> kernels;
  const char* doc;
  // The overload name of the structured group's out= form ("out"), which Common calls; "" where
  // there is none.
  const char* structured_out = "";
  // An out= form that Common has, too: it stands before the kernels that backends register.
  bool has_common_out = false;
  // kFunctionVariant: a function of `module`; kMethodVariant: a method of Tensor.
  uint8_t variants = kFunctionVariant | kMethodVariant;
  PythonModule module = PythonModule::Torch;
  Aliasing aliasing = Aliasing::AsDeclared;
  AutocastPolicy autocast_cpu = AutocastPolicy::None;
  AutocastPolicy autocast_cuda = AutocastPolicy::None;
  // The result's memory is not written: it may hold anything.
  bool uninitialized = false;
  // Python may give numbers where the schema has tensors.
  bool numbers_as_tensors = false;
  // PyTorch's Python function has an older signature, which no message shows.
  bool deprecated_signature = false;
  OperatorTags tags = 0;
  // Null for an operator that refuses tensors with names.
  NameRule names = nullptr;
  // Null for what is no view.
  ViewInverse inverse = nullptr;

  bool has_tag(OperatorTag tag) const { return (tags & tag_bit(tag)) != 0; }
};

// Kernels that a layer above ops/ adds to rows: those of autograd formulas, at
// DispatchKey::Autograd.
struct StaticKernels {
  std::string_view name;
  std::string_view overload_name;
  ArrayRef<StaticKernel> kernels;
};

// A column whose kernel for an operator follows from a fact of the operator's row. `kernel_for` is
// null where it has none.
struct StaticColumn {
  DispatchKey key;
  const KernelFunction* (*kernel_for)(const StaticOperator& row);
};

// A name in a Python module for an operator that has another there, or in torch.
struct PythonAlias {
  PythonModule module;
  std::string_view name;
  std::string_view of;  // the operator's function in `of_module`
  PythonModule of_module;
};

struct StaticFallback {
  DispatchKey key;
  KernelFunction kernel;
  // It checks nothing: Common's forms call it.
  bool is_below_common = false;
};

// Sorted by (name, overload name). Defined by generated code.
ArrayRef<StaticOperator> static_operators();
// Null where there is no such row. `name` is with the namespace.
TSC_API const StaticOperator* find_static_operator(std::string_view name,
                                                   std::string_view overload_name);
ArrayRef<StaticKernels> static_autograd_kernels();
// At most one a key. Defined in keys/.
ArrayRef<StaticFallback> static_fallbacks();
// Second names in Python's modules, sorted by module and name. Defined by generated code.
ArrayRef<PythonAlias> python_aliases();
// Defined in keys/.
ArrayRef<StaticColumn> static_columns();

}  // namespace tsc
