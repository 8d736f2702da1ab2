// The module typing: names for annotations. `Optional[X]` is `X | None`, `List[X]` is `list[X]`.
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"

namespace tsc::interp {

namespace {

class SpecialForm final : public Object {
 public:
  using Make = IValue (*)(const IValue& parameters);
  SpecialForm(const Type& type, std::string_view text, Make function)
      : Object(type), name(text), make(function) {}
  std::string_view name;
  Make make;
};

IValue union_of(std::vector<IValue> members) {
  return IValue::adopt(Tag::Object, new UnionObject(make_tuple(std::move(members))));
}

IValue make_optional(const IValue& parameter) { return union_of({parameter, IValue()}); }

IValue make_union(const IValue& parameters) {
  return parameters.is_tuple() ? union_of(items_of(parameters)) : parameters;
}

IValue make_list_alias(const IValue& parameter) {
  return get_item(type_value(kListType), parameter);
}
IValue make_tuple_alias(const IValue& parameters) {
  return get_item(type_value(kTupleType), parameters);
}
IValue make_dict_alias(const IValue& parameters) {
  return get_item(type_value(kDictType), parameters);
}

constexpr Type make_special_form_type() {
  Type type;
  type.name = "_SpecialForm";
  type.module = "typing";
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("typing.{}", self.as_object<SpecialForm>()->name);
  };
  type.get_item = [](const IValue& self, const IValue& parameters) {
    return self.as_object<SpecialForm>()->make(parameters);
  };
  return type;
}
constinit const Type special_form_type = make_special_form_type();

IValue special_form(std::string_view name, SpecialForm::Make make) {
  return IValue::adopt(Tag::Object, new SpecialForm(special_form_type, name, make));
}

constexpr ModuleConstant kTypingConstants[] = {
    {"Any", [] { return type_value(kObjectType); }},
    {"Dict", [] { return special_form("Dict", &make_dict_alias); }},
    {"List", [] { return special_form("List", &make_list_alias); }},
    {"Optional", [] { return special_form("Optional", &make_optional); }},
    {"Sequence", [] { return special_form("Sequence", &make_list_alias); }},
    {"Tuple", [] { return special_form("Tuple", &make_tuple_alias); }},
    {"Union", [] { return special_form("Union", &make_union); }},
};

}  // namespace

const ModuleInfo kTypingModule{.name = "typing", .functions = {}, .constants = kTypingConstants};

}  // namespace tsc::interp
