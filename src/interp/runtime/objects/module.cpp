#include "interp/runtime/objects/module.h"

#include <algorithm>
#include <unordered_map>

#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

bool ModuleObject::get(std::string_view name, IValue& result) {
  if (!attributes.is_none()) {
    if (const IValue* found = as_dict(attributes)->find_text(name)) {
      result = *found;
      return true;
    }
  }
  const auto find_row = [name](const auto& rows) {
    const auto found = std::lower_bound(
        rows.begin(), rows.end(), name,
        [](const auto& row, std::string_view wanted) { return row.name < wanted; });
    return found != rows.end() && found->name == name ? &*found : nullptr;
  };
  if (const BuiltinDef* function = find_row(info_.functions)) {
    result = make_builtin(*function);
    return true;
  }
  if (const ModuleConstant* constant = find_row(info_.constants)) {
    result = constant->get();
    return true;
  }
  if (name == "__name__") {
    result = info_.name;
    return true;
  }
  return info_.get_attribute != nullptr && info_.get_attribute(name, result);
}

void ModuleObject::set(std::string_view name, const IValue* value) {
  is_constant_ = false;
  if (attributes.is_none()) {
    attributes = make_dict();
  }
  if (value != nullptr) {
    as_dict(attributes)->set(IValue(name), *value);
  } else if (!as_dict(attributes)->remove(IValue(name))) {
    throw_error(ErrorKind::AttributeError, "{}", name);
  }
}

void ModuleObject::traverse(ChildVisitor visit, void* context) {
  visit_child(attributes, visit, context);
}

namespace {

bool get_module_attribute(const IValue& self, std::string_view name, IValue& result) {
  return as_module(self)->get(name, result);
}

bool set_module_attribute(const IValue& self, std::string_view name, const IValue* value) {
  as_module(self)->set(name, value);
  return true;
}

void list_module_attributes(const IValue& self, std::vector<std::string>& names) {
  const ModuleObject& module = *as_module(self);
  for (const BuiltinDef& function : module.info().functions) names.emplace_back(function.name);
  for (const ModuleConstant& constant : module.info().constants) names.emplace_back(constant.name);
  if (module.info().list_attributes != nullptr) {
    module.info().list_attributes(names);
  }
  if (!module.attributes.is_none()) {
    for (const DictObject::Entry& entry : as_dict(module.attributes)->entries()) {
      if (!entry.is_removed()) {
        names.emplace_back(entry.key.as_string());
      }
    }
  }
}

void repr_module(const IValue& self, std::string& out) {
  out += fmt::format("<module '{}' (built-in)>", as_module(self)->info().name);
}

void say_no_attribute(const IValue& self, std::string_view name, std::string& out) {
  out += fmt::format("module '{}' has no attribute '{}'", as_module(self)->info().name, name);
}

}  // namespace

constinit const Type kModuleType = {
    .name = "module",
    .repr = repr_module,
    .get_attribute = get_module_attribute,
    .set_attribute = set_module_attribute,
    .list_attributes = list_module_attributes,
    .no_attribute = say_no_attribute,
};

IValue module_value(const ModuleInfo& info) {
  static auto* modules = new std::unordered_map<const ModuleInfo*, IValue>();
  IValue& value = (*modules)[&info];
  if (value.is_none()) {
    value = IValue::adopt(Tag::Object, new ModuleObject(info));
  }
  return value;
}

IValue find_standard_module(std::string_view name) {
  for (const ModuleInfo* info : {&kMathModule, &kRandomModule, &kSysModule, &kTimeModule,
                                 &kTypingModule, &kWarningsModule}) {
    if (info->name == name) {
      return module_value(*info);
    }
  }
  return {};
}

}  // namespace tsc::interp
