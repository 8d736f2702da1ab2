// Functions that PyTorch writes in Python above its operators: torch.norm, F.cross_entropy,
// F.dropout, ...
#pragma once

#include <span>

#include "interp/runtime/objects/builtin.h"
#include "keys/tracer.h"

namespace tsc::interp {

// torch.norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None); the method has no out.
IValue norm_function(Interpreter& interpreter, Arguments& arguments);
IValue norm_method(Interpreter& interpreter, Arguments& arguments);

// torch.lu(A, pivot=True, get_infos=False); also the method.
IValue lu_function(Interpreter& interpreter, Arguments& arguments);

// torch.svd_lowrank(A, q=6, niter=2, M=None), torch.pca_lowrank(A, q=None, center=True, niter=2)
IValue svd_lowrank_function(Interpreter& interpreter, Arguments& arguments);
IValue pca_lowrank_function(Interpreter& interpreter, Arguments& arguments);

// torch.nonzero(input, *, as_tuple=False); also the method.
IValue nonzero_function(Interpreter& interpreter, Arguments& arguments);

// The dtype passed as argument `i`, or None. TypeError for anything else.
IValue dtype_argument(const Arguments& arguments, size_t i);

// --- Readers of arguments for torch.nn.functional's functions
IValue argument_or(const Arguments& arguments, size_t i, IValue otherwise);
double number_or(const Arguments& arguments, size_t i, double otherwise);
bool flag_or(const Arguments& arguments, size_t i, bool otherwise);
// TypeError in the words of PyTorch's operators.
void check_tensor(const Arguments& arguments, size_t i, std::string_view function,
                  std::string_view name);
// "none", "mean" or "sum" as the number in schemas; size_average and reduce are its deprecated
// forms.
int64_t reduction_number(const Arguments& arguments, size_t reduction, size_t size_average,
                         size_t reduce);

// Calls a function that PyTorch writes in Python: in a traced function, values are named as its
// parameters, `kFunction` of a table with the names.
IValue call_in_frame(NativeFunction function, Interpreter& interpreter, Arguments& arguments);
template <NativeFunction kFunction>
IValue in_frame(Interpreter& interpreter, Arguments& arguments) {
  return TSC_LIKELY(!keys::is_tracing_function())
             ? kFunction(interpreter, arguments)
             : call_in_frame(kFunction, interpreter, arguments);
}

// Activations, losses of margins and likelihoods, dropouts, normalizations, poolings and
// upsampling; each sorted by name.
std::span<const BuiltinDef> activations();
std::span<const BuiltinDef> margin_losses();
std::span<const BuiltinDef> dropouts();
std::span<const BuiltinDef> normalizations();
std::span<const BuiltinDef> poolings();
std::span<const BuiltinDef> upsamplings();

// A function of torch.nn.functional; null where there is none of that name. Plain operators are
// found elsewhere.
const BuiltinDef* find_functional(std::string_view name);
void list_functional_names(std::vector<std::string>& names);

}  // namespace tsc::interp
