// Type: a class of the language's values: its name, and a slot for each operation on them.
//
//   IValue with tag Object or Function   object->type()     range, set, exceptions, modules, ...
//   IValue with any other tag            tag_types[tag]     None, bool, int, float, str, list, ...
//
// Every Type is constant data: none is built at start-up. An absent slot means that the values do
// not support the operation, and the caller in protocols.h or operators.h raises Python's error.
// The class that a script sees (`int`, `type(x)`) is a TypeObject, made when it is first needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dispatch/ivalue.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/syntax/operators.h"

namespace tsc {
class Stack;
}  // namespace tsc

namespace tsc::interp {

struct Type;

// A computed attribute: `z.real`, `f.__name__`.
struct AttributeDef {
  std::string_view name;
  IValue (*get)(const IValue& self);
};

struct Type {
  std::string_view name;
  std::string_view module = "builtins";
  // Absent: object.
  const Type* base = nullptr;
  // Each sorted by name.
  std::span<const BuiltinDef> methods = {};
  std::span<const AttributeDef> attributes = {};
  // Methods that the table does not have: operators, which are found by name. Null where there is
  // none; the same pointer each time.
  const BuiltinDef* (*find_dynamic_method)(std::string_view name) = nullptr;
  // Appends the names that it finds, for dir() and completion.
  void (*list_dynamic_methods)(std::vector<std::string>& names) = nullptr;
  // Functions that belong to the class and take no self: dict.fromkeys.
  std::span<const BuiltinDef> statics = {};
  // Further attributes of the class itself: DispatchKey.CPU.
  bool (*find_constant)(std::string_view name, IValue& result) = nullptr;
  // Called by calling the class.
  const BuiltinDef* constructor = nullptr;

  // These append to `out`. An absent str is repr; an absent repr is "<name object at 0x...>".
  void (*repr)(const IValue& self, std::string& out) = nullptr;
  void (*str)(const IValue& self, std::string& out) = nullptr;
  void (*format)(const IValue& self, std::string_view spec, std::string& out) = nullptr;

  // An absent hash is the identity's, unless the type says that it has none.
  int64_t (*hash)(const IValue& self) = nullptr;
  bool unhashable = false;
  // An absent truth uses the length; without a length every value is true.
  bool (*truth)(const IValue& self) = nullptr;
  int64_t (*length)(const IValue& self) = nullptr;

  // Conversions that Python asks for: __index__, __int__, __float__, __complex__.
  int64_t (*index)(const IValue& self) = nullptr;
  int64_t (*to_int)(const IValue& self) = nullptr;
  double (*to_float)(const IValue& self) = nullptr;
  std::complex<double> (*to_complex)(const IValue& self) = nullptr;

  // abs()
  IValue (*absolute)(const IValue& self) = nullptr;
  IValue (*iterate)(const IValue& self) = nullptr;
  // reversed(), where it does not go by index.
  IValue (*reverse)(const IValue& self) = nullptr;
  // False at the end: no StopIteration is thrown. `result` then is a generator's return value.
  bool (*next)(const IValue& self, IValue& result) = nullptr;

  IValue (*get_item)(const IValue& self, const IValue& key) = nullptr;
  void (*set_item)(const IValue& self, const IValue& key, IValue value) = nullptr;
  void (*delete_item)(const IValue& self, const IValue& key) = nullptr;
  bool (*contains)(const IValue& self, const IValue& item) = nullptr;

  // The operators return false for Python's NotImplemented; the caller then tries the other
  // operand's type, and `left` may be of another type than this one.
  bool (*binary)(BinaryOp op, const IValue& left, const IValue& right, IValue& result) = nullptr;
  // The same for two operands of this type that are the last on the stack: takes both off it, and
  // never declines.
  IValue (*binary_of_last)(BinaryOp op, Stack& stack) = nullptr;
  // `target op= value`, which may change the target's object or put another in its place.
  bool (*inplace)(BinaryOp op, IValue& target, const IValue& value) = nullptr;
  bool (*unary)(UnaryOp op, const IValue& operand, IValue& result) = nullptr;
  // `left` is of this type. Less to GreaterEqual only.
  bool (*compare)(CompareOp op, const IValue& left, const IValue& right, IValue& result) = nullptr;

  // Attributes that the tables do not have. `set_attribute` without a value deletes.
  bool (*get_attribute)(const IValue& self, std::string_view name, IValue& result) = nullptr;
  // The same, called where no table and no get_attribute has the name.
  bool (*get_rare_attribute)(const IValue& self, std::string_view name, IValue& result) = nullptr;
  bool (*set_attribute)(const IValue& self, std::string_view name, const IValue* value) = nullptr;
  // The names that get_attribute knows, for dir() and completion.
  void (*list_attributes)(const IValue& self, std::vector<std::string>& names) = nullptr;

  // The message for a missing attribute, where it is not "'range' object has no ...".
  void (*no_attribute)(const IValue& self, std::string_view name, std::string& out) = nullptr;

  IValue (*call)(Interpreter& interpreter, const IValue& self, Arguments& arguments) = nullptr;
};

// Values of the tags Object and Function.
class TSC_API Object : public ContainerObject {
 public:
  const Type& type() const { return *type_; }
  void traverse(ChildVisitor, void*) override {}
  void clear() noexcept override {}

 protected:
  explicit Object(const Type& type) : type_(&type) {}

 private:
  const Type* type_;
};

// Used by traverse() for each value that it owns. Strings and lists of numbers refer to nothing.
inline void visit_child(const IValue& value, ChildVisitor visit, void* context) {
  if (value.is_container()) {
    visit(value.as_heap_object(), context);
  }
}

// The class of the values of each tag; null for Object and Function.
extern TSC_API const Type* const tag_types[];

inline const Type& type_of(const IValue& value) {
  const Type* type = tag_types[static_cast<size_t>(value.tag())];
  return type != nullptr ? *type : value.as_object<Object>()->type();
}
inline bool is_object_of(const IValue& value, const Type& type) {
  return value.tag() == Tag::Object && &value.as_object<Object>()->type() == &type;
}
TSC_API bool is_subtype(const Type& type, const Type& base);

// The class as a value: the same object each time.
TSC_API IValue type_value(const Type& type);
// The Type behind a class; null where the value is not a class.
TSC_API const Type* as_type(const IValue& value);
// "int", "torch.Tensor": as in <class 'int'>.
TSC_API std::string qualified_name(const Type& type);
// "NoneType", "int", ...: the class's name in messages.
inline std::string_view type_name(const IValue& value) { return type_of(value).name; }

// isinstance() and issubclass(): the second is a class, or a tuple of them, nested at will.
TSC_API bool is_instance(const IValue& value, const IValue& classes);
TSC_API bool is_subclass(const IValue& value, const IValue& classes);

// A method or computed attribute by name, bases included; null where there is none.
TSC_API const BuiltinDef* find_method(const Type& type, std::string_view name);
TSC_API const AttributeDef* find_attribute(const Type& type, std::string_view name);

// clang-format off
#define TSC_FORALL_BUILTIN_TYPES(_) \
  _(Object)                         \
  _(None)                           \
  _(Bool)                           \
  _(Int)                            \
  _(Float)                          \
  _(Complex)                        \
  _(String)                         \
  _(Bytes)                          \
  _(List)                           \
  _(Tuple)                          \
  _(Dict)                           \
  _(Set)                            \
  _(FrozenSet)                      \
  _(Range)                          \
  _(Slice)                          \
  _(Type)                           \
  _(Ellipsis)                       \
  _(NotImplemented)                 \
  _(BuiltinFunction)                \
  _(BuiltinMethod)                  \
  _(MethodDescriptor)               \
  _(Module)                         \
  _(File)                           \
  _(TypedList)
// clang-format on
#define TSC_DECLARE_TYPE(name) extern const Type k##name##Type;
TSC_FORALL_BUILTIN_TYPES(TSC_DECLARE_TYPE)
#undef TSC_DECLARE_TYPE

// Singletons that have no tag.
TSC_API IValue ellipsis();
TSC_API IValue not_implemented();

}  // namespace tsc::interp
