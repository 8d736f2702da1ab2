// The objects behind classes, unions of them and builtin functions.
#pragma once

#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/type.h"

namespace tsc::interp {

extern const Type kUnionType;
extern const Type kGenericAliasType;

class TypeObject final : public Object {
 public:
  explicit TypeObject(const Type& instance_type)
      : Object(kTypeType), instance_type_(&instance_type) {}
  const Type& instance_type() const { return *instance_type_; }

 private:
  const Type* instance_type_;
};

// object()
class PlainObject final : public Object {
 public:
  PlainObject() : Object(kObjectType) {}
};

// `int | str`
class UnionObject final : public Object {
 public:
  explicit UnionObject(IValue tuple) : Object(kUnionType), members(std::move(tuple)) {}
  IValue members;
};

// `list[int]`
class GenericAliasObject final : public Object {
 public:
  GenericAliasObject(IValue type, IValue arguments)
      : Object(kGenericAliasType), origin(std::move(type)), parameters(std::move(arguments)) {}
  IValue origin;
  IValue parameters;
};

// `len`
class BuiltinFunctionObject final : public Object {
 public:
  explicit BuiltinFunctionObject(const BuiltinDef& row) : Object(kBuiltinFunctionType), def(&row) {}
  const BuiltinDef* def;
};

// `[].append`
class BuiltinMethodObject final : public Object {
 public:
  BuiltinMethodObject(const BuiltinDef& row, IValue bound)
      : Object(kBuiltinMethodType), def(&row), self(std::move(bound)) {}
  TSC_USE_FREE_LIST(BuiltinMethodObject)
  void traverse(ChildVisitor visit, void* context) override;
  void clear() noexcept override { self = IValue(); }
  const BuiltinDef* def;
  IValue self;
};

// `list.append`
class MethodDescriptorObject final : public Object {
 public:
  MethodDescriptorObject(const BuiltinDef& row, const Type& type)
      : Object(kMethodDescriptorType), def(&row), owner(&type) {}
  const BuiltinDef* def;
  const Type* owner;
};

// The same object each time.
IValue make_method_descriptor(const BuiltinDef& def, const Type& owner);
const BuiltinDef* find_static_method(const Type& type, std::string_view name);

// `x.__len__`: the slots of a type under their Python names.
bool find_dunder_method(const IValue& object, std::string_view name, IValue& result);
// `int.__add__`
bool find_dunder_function(const Type& type, std::string_view name, IValue& result);
void append_dunder_names(const Type& type, std::vector<std::string>& names);

}  // namespace tsc::interp
