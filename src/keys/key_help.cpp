#include "keys/key_help.h"

#include <algorithm>

#include "core/custom_key.h"
#include "dispatch/dispatcher.h"
#include "keys/switches.h"

namespace tsc::keys {

namespace {

// Of the columns that are not switched by name: `:keys` says what the others do.
std::string_view functionality_purpose(Functionality functionality) {
  switch (functionality) {
    case Functionality::Dense: return "computes, on the backend that it is named after";
    case Functionality::Quantized: return "computes with quantized tensors of the backend";
    case Functionality::Sparse: return "computes with sparse tensors of the backend, in COO layout";
    case Functionality::SparseCsr:
      return "computes with compressed sparse tensors of the backend (CSR, CSC, BSR, BSC)";
    case Functionality::BackendSelect: return "picks the backend of a factory";
    case Functionality::Custom1:
    case Functionality::Custom2:
    case Functionality::Custom3:
    case Functionality::Custom4:
    case Functionality::Custom5:
    case Functionality::Custom6:
    case Functionality::Custom7:
    case Functionality::Custom8: return "is free for a plug-in's column";
    case Functionality::Profiler: return "times what is below it";
    case Functionality::NaNCheck: return "stops at the first nan or infinity";
    case Functionality::SchemaCheck: return "holds every call to its schema";
    case Functionality::Python: return "gives calls to the functions of dispatch.mode()";
    case Functionality::Functionalize: return "writes by functions, whose results are copied back";
    case Functionality::Named: return "gives results the names of dimensions";
    case Functionality::Conjugate: return "conjugates the operands that wait for it";
    case Functionality::Negative: return "negates the operands that wait for it";
    case Functionality::ZeroTensor: return "makes the operands that are zero without memory real";
    case Functionality::ADInplaceOrView: return "counts versions and remembers what a view shows";
    case Functionality::AutogradOther:
      return "records the tape, for the backends without an Autograd key of their own";
    case Functionality::AutogradFunctionality:
      return "records the tape, for tensors of the backend";
    case Functionality::Tracer: return "appends each call to a graph";
    case Functionality::AutocastCPU:
    case Functionality::AutocastCUDA:
    case Functionality::AutocastPrivateUse1: return "casts operands by the lists of autocast";
    case Functionality::FuncTorchBatched:
    case Functionality::FuncTorchVmapMode:
    case Functionality::FuncTorchGradWrapper:
    case Functionality::FuncTorchDynamicLayerFrontMode:
      return "has its place in the order, and no kernels";
    case Functionality::TESTING_ONLY_GenericMode:
      return "is highest of all: a fallback here sees the outermost calls";
  }
  return "";
}

struct AliasPurpose {
  DispatchKey key;
  std::string_view text;
};

constexpr AliasPurpose kAliasPurposes[] = {
    {DispatchKey::Autograd, "the Autograd keys of all backends"},
    {DispatchKey::CompositeImplicitAutograd,
     "kernels made of other operators, which have the gradients: for every backend and its "
     "Autograd key"},
    {DispatchKey::CompositeExplicitAutograd,
     "kernels for every backend, of operators with a gradient of their own"},
    {DispatchKey::CompositeExplicitAutogradNonFunctional,
     "kernels for every backend, which call another form of the operator"},
    {DispatchKey::Common, "functional and in-place forms of a backend's out-kernel"},
};

std::string_view alias_purpose(DispatchKey key) {
  const auto* found = std::find_if(std::begin(kAliasPurposes), std::end(kAliasPurposes),
                                   [&](const AliasPurpose& row) { return row.key == key; });
  return found == std::end(kAliasPurposes) ? "" : found->text;
}

std::string switch_help(const KeyRow& row) {
  std::string text = fmt::format(
      "{}: {}\n  {} now; `:on {}` and `:off {}` switch it, for every "
      "later entry\n",
      row.name, row.purpose, row.on ? "on" : "off", row.name, row.name);
  if (row.keys.empty()) {
    return text + "  a flag of the thread, and no key: key sets stay as they are\n";
  }
  std::optional<DispatchKey> shown;  // the CPU's, where each backend has one
  std::string list;
  for (int i = 1; i < kNumRuntimeKeys; i++) {
    const auto key = static_cast<DispatchKey>(i);
    if (row.keys.has(functionality_of(key))) {
      shown = to_string(key).ends_with("CPU") ? key : shown.value_or(key);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", key);
    }
  }
  if (list != row.name) {
    text += fmt::format("  its keys: {}\n", list);
  }
  return text + fmt::format("  `:key {}` lists the operators with a kernel there\n", *shown);
}

std::string alias_help(DispatchKey key) {
  return fmt::format(
      "{}: {}\n  an alias: kernels are registered for it, and stand at the keys that it stands "
      "for\n",
      key, alias_purpose(key));
}

std::string runtime_key_help(DispatchKey key) {
  if (key == DispatchKey::Undefined) {
    return "Undefined: where a call without tensors goes\n";
  }
  return fmt::format("{}: {}\n  `:key {}` lists the operators with a kernel there\n", key,
                     functionality_purpose(functionality_of(key)), key);
}

}  // namespace

std::vector<std::string> key_names() {
  std::vector<std::string> names = switch_names();
  for (int i = 0; i < static_cast<int>(DispatchKey::EndOfKeys); i++) {
    const auto key = static_cast<DispatchKey>(i);
    if (!is_unclaimed(key)) {
      names.emplace_back(to_string(key));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<std::string> key_help(std::string_view name) {
  for (const KeyRow& row : key_rows()) {
    if (row.name == name) {
      return switch_help(row);
    }
  }
  const std::optional<DispatchKey> key = try_parse_dispatch_key(name);
  if (!key.has_value() || is_unclaimed(*key)) {
    return std::nullopt;
  }
  return is_alias_key(*key) ? alias_help(*key) : runtime_key_help(*key);
}

}  // namespace tsc::keys
