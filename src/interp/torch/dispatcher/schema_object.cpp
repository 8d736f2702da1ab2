#include "interp/torch/dispatcher/schema_object.h"

#include "dispatch/schema_parser.h"
#include "interp/runtime/containers/set.h"
#include "interp/torch/call/operator_call.h"

namespace tsc::interp {

namespace {

class SchemaObject final : public Object {
 public:
  explicit SchemaObject(const FunctionSchema& of) : Object(kFunctionSchemaType), schema(of) {}
  explicit SchemaObject(std::shared_ptr<const ParsedSchema> parsed)
      : Object(kFunctionSchemaType), owner(std::move(parsed)), schema(**owner) {}
  std::shared_ptr<const ParsedSchema> owner;
  const FunctionSchema& schema;
};

// A part of a schema; the schema object keeps its memory.
template <class Part, const Type& kType>
class PartObject final : public Object {
 public:
  PartObject(const Part& of, IValue its_schema)
      : Object(kType), part(of), schema(std::move(its_schema)) {}
  void traverse(ChildVisitor visit, void* context) override { visit_child(schema, visit, context); }
  const Part& part;
  IValue schema;
};
using ArgumentObject = PartObject<Argument, kArgumentType>;
using AliasObject = PartObject<AliasInfo, kAliasInfoType>;

const FunctionSchema& schema_of(const IValue& self) {
  return self.as_object<SchemaObject>()->schema;
}
const Argument& argument_of(const IValue& self) { return self.as_object<ArgumentObject>()->part; }

IValue list_of(ArrayRef<Argument> arguments, const IValue& schema) {
  std::vector<IValue> items;
  for (const Argument& argument : arguments) {
    items.push_back(IValue::adopt(Tag::Object, new ArgumentObject(argument, schema)));
  }
  return make_list(std::move(items));
}

// A number where PyTorch keeps one in schemas.
IValue default_of(const Argument& argument) {
  return argument.has_default() ? as_script_value(default_ivalue(argument)) : IValue();
}

// The alias annotation: `(a!)`, `(a|b)` or `(a -> *)`.
const AliasInfo& alias_of(const IValue& self) { return self.as_object<AliasObject>()->part; }

IValue alias_info(const IValue& argument) {
  const AliasInfo& alias = argument_of(argument).alias;
  return alias.is_present
             ? IValue::adopt(Tag::Object,
                             new AliasObject(alias, argument.as_object<ArgumentObject>()->schema))
             : IValue();
}

// {"a", "b"} of "a|b".
IValue letters(std::string_view text) {
  std::vector<IValue> items;
  while (!text.empty()) {
    const size_t bar = std::min(text.find('|'), text.size());
    items.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return make_set_from(make_list(std::move(items)));
}

constexpr AttributeDef kAliasAttributes[] = {
    {"after_set",
     [](const IValue& self) {
       const AliasInfo& alias = alias_of(self);
       return letters(alias.after.empty() ? alias.before : alias.after);
     }},
    {"before_set", [](const IValue& self) { return letters(alias_of(self).before); }},
    {"is_write", [](const IValue& self) { return IValue(alias_of(self).is_write); }},
};

constexpr AttributeDef kSchemaAttributes[] = {
    {"arguments", [](const IValue& self) { return list_of(schema_of(self).arguments, self); }},
    {"is_mutable", [](const IValue& self) { return IValue(schema_of(self).is_mutable()); }},
    {"name", [](const IValue& self) { return IValue(schema_of(self).name); }},
    {"overload_name", [](const IValue& self) { return IValue(schema_of(self).overload_name); }},
    {"returns", [](const IValue& self) { return list_of(schema_of(self).returns, self); }},
};

constexpr AttributeDef kArgumentAttributes[] = {
    {"N",
     [](const IValue& self) {
       const int32_t size = argument_of(self).type.list_size;
       return size < 0 ? IValue() : IValue(size);
     }},
    {"alias_info", &alias_info},
    {"default_value", [](const IValue& self) { return default_of(argument_of(self)); }},
    {"is_out", [](const IValue& self) { return IValue(argument_of(self).is_out); }},
    {"is_write", [](const IValue& self) { return IValue(argument_of(self).alias.is_write); }},
    {"kwarg_only", [](const IValue& self) { return IValue(argument_of(self).kwarg_only); }},
    {"name", [](const IValue& self) { return IValue(argument_of(self).name); }},
    {"type", [](const IValue& self) { return IValue(matcher_type_text(argument_of(self).type)); }},
};

IValue has_default_value(Interpreter&, Arguments& arguments) {
  return argument_of(arguments[0]).has_default();
}
constexpr BuiltinDef kArgumentMethods[] = {
    {"has_default_value", &has_default_value, 0, 0, {}, "Argument"},
};

constexpr Type make_schema_type() {
  Type type;
  type.name = "FunctionSchema";
  type.module = "torch._C";
  type.attributes = kSchemaAttributes;
  type.repr = [](const IValue& self, std::string& out) { out += to_string(schema_of(self)); };
  type.compare = [](CompareOp op, const IValue& left, const IValue& right, IValue& result) {
    if ((op != CompareOp::Equal && op != CompareOp::NotEqual) ||
        !is_object_of(right, kFunctionSchemaType)) {
      return false;
    }
    const bool same = to_string(schema_of(left)) == to_string(schema_of(right));
    result = IValue(same == (op == CompareOp::Equal));
    return true;
  };
  return type;
}

constexpr Type make_alias_type() {
  Type type;
  type.name = "_AliasInfo";
  type.module = "torch._C";
  type.attributes = kAliasAttributes;
  return type;
}

constexpr Type make_argument_type() {
  Type type;
  type.name = "Argument";
  type.module = "torch._C";
  type.attributes = kArgumentAttributes;
  type.methods = kArgumentMethods;
  return type;
}

}  // namespace

constinit const Type kFunctionSchemaType = make_schema_type();
constinit const Type kArgumentType = make_argument_type();
constinit const Type kAliasInfoType = make_alias_type();

IValue make_schema(const FunctionSchema& schema) {
  return IValue::adopt(Tag::Object, new SchemaObject(schema));
}

IValue parse_schema_value(std::string_view text) {
  return IValue::adopt(Tag::Object,
                       new SchemaObject(std::make_shared<const ParsedSchema>(parse_schema(text))));
}

}  // namespace tsc::interp
