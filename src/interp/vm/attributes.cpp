// Attributes, with their inline caches, and modules.
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/vm/run_loop.h"

namespace tsc::interp {

// --- Attributes

void Vm::get_attribute(const Instruction* pc, IValue* base, AttributeSite& site) {
  const IValue& object = base[pc->b];
  IValue result;
  const Type& type = type_of(object);
  if (&type == &kModuleType) {
    ModuleObject* const module = as_module(object);
    if (site.owner == module && module->is_constant()) {
      result = site.value;
    } else {
      result = tsc::interp::get_attribute(object, site.name->view());
      site.owner = module->is_constant() ? module : nullptr;
      site.value = result;
    }
  } else if (site.owner == &type) {
    result = static_cast<const AttributeDef*>(site.found)->get(object);
  } else {
    const AttributeDef* attribute = find_attribute(type, site.name->view());
    if (attribute != nullptr) {
      site.owner = &type;
      site.found = attribute;
      result = attribute->get(object);
    } else {
      result = tsc::interp::get_attribute(object, site.name->view());
    }
  }
  if ((pc->d & kDropB) != 0) base[pc->b].reset();
  base[pc->a] = std::move(result);
}

void Vm::set_attribute(const Instruction* pc, IValue* base, AttributeSite& site) {
  tsc::interp::set_attribute(base[pc->a], site.name->view(), base[pc->b]);
  if ((pc->d & kDropA) != 0) base[pc->a].reset();
  if ((pc->d & kDropB) != 0) base[pc->b].reset();
}

void Vm::delete_attribute(const Instruction* pc, IValue* base, AttributeSite& site) {
  tsc::interp::delete_attribute(base[pc->a], site.name->view());
  if ((pc->d & kDropA) != 0) base[pc->a].reset();
}

// A method and its object; for any other attribute, its value and no object.
void Vm::load_method(const Instruction* pc, IValue* base, AttributeSite& site) {
  IValue& object = base[pc->b];
  const Type& type = type_of(object);
  IValue* const place = base + pc->a;
  const auto put_method = [&](const BuiltinDef* method) {
    if ((pc->d & kDropB) == 0) {
      place[1] = object;
    } else if (&object != place + 1) {
      place[1] = std::move(object);
    }
    place[0] = IValue::mark(reinterpret_cast<uint64_t>(method));
  };
  const auto put_value = [&](IValue value) {
    if ((pc->d & kDropB) != 0) object.reset();
    place[0] = std::move(value);
    place[1] = unbound();
  };
  if (site.owner == &type) {
    put_method(static_cast<const BuiltinDef*>(site.found));
    return;
  }
  if (&type == &kModuleType) {
    ModuleObject* const module = as_module(object);
    if (TSC_UNLIKELY(site.owner != module || !module->is_constant())) {
      site.value = tsc::interp::get_attribute(object, site.name->view());
      site.owner = module->is_constant() ? module : nullptr;
    }
    if ((pc->d & kDropB) != 0) object.reset();
    place[0] = site.value;
    place[1] = unbound();
    return;
  }
  const std::string_view name = site.name->view();
  if (find_attribute(type, name) == nullptr) {
    IValue value;
    if (type.get_attribute != nullptr && type.get_attribute(object, name, value)) {
      put_value(std::move(value));
      return;
    }
    if (const BuiltinDef* method = find_method(type, name)) {
      // Attributes of values with a get_attribute slot are not cached.
      if (type.get_attribute == nullptr) {
        site.owner = &type;
        site.found = method;
      }
      put_method(method);
      return;
    }
  }
  put_value(tsc::interp::get_attribute(object, name));
}

// --- Modules and the prompt

void Vm::module_instruction(Frame& frame) {
  const Instruction* const pc = frame.pc;
  IValue* const base = frame.base;
  const auto name = [&](size_t index) { return frame.code->names[index]; };
  if (pc->op == Opcode::Import) {
    base[pc->a] = interpreter_.import_module(name(static_cast<size_t>(pc->bc()))->view());
  } else if (pc->op == Opcode::ImportFrom) {
    const std::string_view wanted = name(pc->c)->view();
    const IValue& module = base[pc->b];
    IValue value;
    if (!try_get_attribute(module, wanted, value)) {
      const std::string_view module_name = as_module(module)->info().name;
      value = Interpreter::find_module(fmt::format("{}.{}", module_name, wanted));
      if (value.is_none()) {
        throw_import_error(ErrorKind::ImportError,
                           fmt::format("cannot import name '{}' from '{}' (unknown location)",
                                       wanted, module_name),
                           module_name);
      }
    }
    base[pc->a] = std::move(value);
  } else if (pc->op == Opcode::ImportStar) {
    const IValue module = std::move(base[pc->a]);
    for (const std::string& attribute : list_attributes(module)) {
      if (attribute.starts_with("_")) continue;
      const uint32_t index = global_index(attribute);
      globals_[index].value = tsc::interp::get_attribute(module, attribute);
    }
  } else if (pc->op == Opcode::Annotate) {
    GlobalSlot& slot = globals_[global_index("__annotations__")];
    if (slot.value.tag() != Tag::Dict) slot.value = make_dict();
    as_dict(slot.value)
        ->set(IValue::share(Tag::String, name(static_cast<size_t>(pc->bc()))),
              std::move(base[pc->a]));
  } else {
    const IValue value = std::move(base[pc->a]);
    interpreter_.display(value);
  }
}

}  // namespace tsc::interp
