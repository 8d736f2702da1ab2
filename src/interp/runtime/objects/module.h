// Modules: `math`, `random`, ... as constant tables, and the object that stands for one.
#pragma once

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

// A constant or a computed attribute of a module; `get` is asked once for each look-up.
struct ModuleConstant {
  std::string_view name;
  IValue (*get)();
};

// Both tables are sorted by name.
struct ModuleInfo {
  std::string_view name;
  std::span<const BuiltinDef> functions;
  std::span<const ModuleConstant> constants = {};
  // Names that the tables do not have.
  bool (*get_attribute)(std::string_view name, IValue& result) = nullptr;
  void (*list_attributes)(std::vector<std::string>& names) = nullptr;
};

class TSC_API ModuleObject final : public Object {
 public:
  explicit ModuleObject(const ModuleInfo& info) : Object(kModuleType), info_(info) {}
  const ModuleInfo& info() const { return info_; }
  // Attributes that a script set on the module, or that were found in its tables before: a dict, or
  // None.
  IValue attributes;
  // False once a script has set an attribute; until then call sites may cache attributes.
  bool is_constant() const { return is_constant_; }
  bool get(std::string_view name, IValue& result);
  void set(std::string_view name, const IValue* value);

  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { attributes = IValue(); }

 private:
  const ModuleInfo& info_;
  bool is_constant_ = true;
};

inline ModuleObject* as_module(const IValue& value) { return value.as_object<ModuleObject>(); }

extern const ModuleInfo kMathModule;
extern const ModuleInfo kTimeModule;
extern const ModuleInfo kRandomModule;
extern const ModuleInfo kSysModule;
extern const ModuleInfo kTypingModule;
extern const ModuleInfo kWarningsModule;

// The module object of a table: the same each time.
TSC_API IValue module_value(const ModuleInfo& info);
// math, time, random, sys, typing, warnings; None where there is none of that name.
TSC_API IValue find_standard_module(std::string_view name);

}  // namespace tsc::interp
