#include "interp/runtime/objects/builtin.h"

#include <array>
#include <unordered_map>

#include "dispatch/stack.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/type_object.h"

namespace tsc::interp {

namespace {

constexpr size_t kMaxParameters = 16;

std::string_view plural(int64_t count) { return count == 1 ? "" : "s"; }

// "len", "list.append" or "math.sqrt"
std::string full_name(const BuiltinDef& def) {
  const std::string_view where = def.is_method() ? def.owner : def.module;
  return where.empty() ? std::string(def.name) : fmt::format("{}.{}", where, def.name);
}

// CPython words this in four ways, by how a builtin declares its parameters.
[[noreturn]] TSC_COLD void throw_wrong_count(const BuiltinDef& def, int64_t count) {
  if (def.names.empty() && def.min == 0 && def.max == 0) {
    throw_error(ErrorKind::TypeError, "{}() takes no arguments ({} given)", full_name(def), count);
  }
  if (def.names.empty() && def.min == 1 && def.max == 1) {
    throw_error(ErrorKind::TypeError, "{}() takes exactly one argument ({} given)", full_name(def),
                count);
  }
  const bool too_few = count < def.min;
  const int64_t limit = too_few ? def.min : def.max;
  // str.find, str.index, ..., which take a text and the bounds to search within.
  if (def.names.empty() && def.owner == "str" && def.min == 1 && def.max == 3) {
    throw_error(ErrorKind::TypeError, "{}() takes {} {} argument{} ({} given)", def.name,
                too_few ? "at least" : "at most", limit, plural(limit), count);
  }
  if (def.names.empty()) {
    const std::string_view bound = def.min == def.max ? "" : too_few ? "at least " : "at most ";
    throw_error(ErrorKind::TypeError, "{} expected {}{} argument{}, got {}", def.name, bound, limit,
                plural(limit), count);
  }
  if (limit == 0) {
    throw_error(ErrorKind::TypeError, "{}() takes no positional arguments", def.name);
  }
  const std::string_view bound = def.min == def.max ? "exactly" : too_few ? "at least" : "at most";
  throw_error(ErrorKind::TypeError, "{}() takes {} {} positional argument{} ({} given)", def.name,
              bound, limit, plural(limit), count);
}

size_t split_names(std::string_view names, std::array<std::string_view, kMaxParameters>& out) {
  size_t count = 0;
  while (!names.empty()) {
    const size_t space = names.find(' ');
    TSC_ASSERT(count < kMaxParameters);
    out[count++] = names.substr(0, space);
    names.remove_prefix(space == std::string_view::npos ? names.size() : space + 1);
  }
  return count;
}

// The positional arguments, then each keyword's value in the place of its name.
class Placement {
 public:
  Placement(const BuiltinDef& def, const Arguments& arguments) : def_(def), arguments_(arguments) {
    parameter_count_ = split_names(def.names, parameters_);
    self_ = def.is_method() ? 1 : 0;
    check();
    fill();
  }
  // Every place up to the last that was given.
  Arguments arguments() {
    Arguments placed;
    placed.values = values_.data();
    placed.positional = static_cast<uint32_t>(self_ + last_ + 1);
    return placed;
  }

 private:
  void check() const {
    if (arguments_.keywords > 0 && def_.names.empty()) {
      throw_no_keywords(full_name(def_));
    }
    const size_t positional = arguments_.positional - self_;
    const size_t total = positional + arguments_.keywords;
    if (is_torch() && static_cast<int64_t>(positional) > def_.max) {
      throw_error(ErrorKind::TypeError, "{}() takes {} positional argument{} but {} were given",
                  def_.name, def_.max, plural(def_.max), positional);
    }
    if (total > parameter_count_) {
      const auto limit = static_cast<int64_t>(parameter_count_);
      const bool is_exact = static_cast<int64_t>(def_.min) == limit;
      throw_error(ErrorKind::TypeError, "{}() takes {} {} {}argument{} ({} given)", def_.name,
                  is_exact ? "exactly" : "at most", limit, positional == 0 ? "keyword " : "",
                  plural(limit), total);
    }
    if (static_cast<int64_t>(positional) > def_.max) {
      throw_wrong_count(def_, static_cast<int64_t>(positional));
    }
  }

  void fill() {
    const size_t positional = arguments_.positional - self_;
    for (size_t i = 0; i < arguments_.positional; i++) {
      values_[i] = arguments_[i];
    }
    for (size_t i = positional; i < parameter_count_; i++) {
      values_[self_ + i] = absent_argument();
    }
    last_ = static_cast<int64_t>(positional) - 1;
    for (size_t i = 0; i < arguments_.keywords; i++) {
      place(arguments_.names[i]->view(), arguments_[arguments_.positional + i], positional);
    }
    for (size_t i = 0; i < static_cast<size_t>(def_.min); i++) {
      if (values_[self_ + i].is_same(absent_argument())) {
        throw_missing(i, positional);
      }
    }
  }

  void place(std::string_view name, const IValue& value, size_t positional) {
    for (size_t i = 0; i < parameter_count_; i++) {
      if (parameters_[i] == name) {
        if (i < positional) {
          TSC_CHECK_TYPE(!is_torch(), "{}() got multiple values for argument '{}'", def_.name,
                         name);
          throw_error(ErrorKind::TypeError,
                      "argument for {}() given by name ('{}') and position ({})", def_.name, name,
                      i + 1);
        }
        values_[self_ + i] = value;
        last_ = std::max(last_, static_cast<int64_t>(i));
        return;
      }
    }
    TSC_CHECK_TYPE(!is_torch(), "{}() got an unexpected keyword argument '{}'", def_.name, name);
    throw_invalid_keyword(name, def_.name);
  }

  [[noreturn]] void throw_missing(size_t i, size_t positional) const {
    if (parameters_[i] == "/") {
      throw_wrong_count(def_, static_cast<int64_t>(positional));
    }
    TSC_CHECK_TYPE(!is_torch(), "{}() missing 1 required positional arguments: \"{}\"", def_.name,
                   parameters_[i]);
    throw_error(ErrorKind::TypeError, "{}() missing required argument '{}' (pos {})", def_.name,
                parameters_[i], i + 1);
  }

  bool is_torch() const { return def_.module == "torch"; }

  const BuiltinDef& def_;
  const Arguments& arguments_;
  std::array<std::string_view, kMaxParameters> parameters_;
  size_t parameter_count_ = 0;
  size_t self_ = 0;
  int64_t last_ = -1;
  std::array<IValue, kMaxParameters + 1> values_;
};

IValue call_placed(Interpreter& interpreter, const BuiltinDef& def, const Arguments& arguments) {
  if (def.is_method() && arguments.positional == 0) {
    throw_error(ErrorKind::TypeError, "unbound method {}() needs an argument", full_name(def));
  }
  if (def.names.empty() && arguments.keywords == 0) {
    throw_wrong_count(def, static_cast<int64_t>(arguments.positional) - (def.is_method() ? 1 : 0));
  }
  Placement placement(def, arguments);
  Arguments placed = placement.arguments();
  placed.callee = &def;
  return def.function(interpreter, placed);
}

class AbsentObject final : public Object {
 public:
  AbsentObject() : Object(kObjectType) {}
};

// The objects for constants: one for each, for the life of the process.
std::unordered_map<const void*, IValue>& constant_objects() {
  static auto* objects = new std::unordered_map<const void*, IValue>();
  return *objects;
}

}  // namespace

const IValue& absent_argument() {
  static const auto* value = new IValue(IValue::adopt(Tag::Object, new AbsentObject()));
  return *value;
}

IValue call_builtin(Interpreter& interpreter, const BuiltinDef& def, Arguments& arguments) {
  arguments.callee = &def;
  if (def.raw || (arguments.keywords == 0 && accepts_positional(def, arguments.positional))) {
    return def.function(interpreter, arguments);
  }
  return call_placed(interpreter, def, arguments);
}

IValue make_builtin(const BuiltinDef& def) {
  IValue& value = constant_objects()[&def];
  if (value.is_none()) {
    value = IValue::adopt(Tag::Object, new BuiltinFunctionObject(def));
  }
  return value;
}

IValue make_method_descriptor(const BuiltinDef& def, const Type& owner) {
  IValue& value = constant_objects()[&def];
  if (value.is_none()) {
    value = IValue::adopt(Tag::Object, new MethodDescriptorObject(def, owner));
  }
  return value;
}

IValue make_bound_method(const BuiltinDef& def, const IValue& self) {
  return IValue::adopt(Tag::Object, new BuiltinMethodObject(def, self));
}

const BuiltinDef* builtin_def(const IValue& callee) {
  return is_object_of(callee, kBuiltinFunctionType) ? callee.as_object<BuiltinFunctionObject>()->def
                                                    : nullptr;
}

void throw_no_keywords(std::string_view function) {
  throw_error(ErrorKind::TypeError, "{}() takes no keyword arguments", function);
}

void throw_invalid_keyword(std::string_view name, std::string_view function) {
  throw_error(ErrorKind::TypeError, "'{}' is an invalid keyword argument for {}()", name, function);
}

void throw_not_integer(std::string_view type) {
  throw_error(ErrorKind::TypeError, "'{}' object cannot be interpreted as an integer", type);
}

int64_t to_index(const IValue& value) {
  if (value.is_int() || value.is_bool()) {
    return value.as_int();
  }
  if (const auto index = type_of(value).index) {
    return index(value);
  }
  throw_not_integer(type_name(value));
}

double to_double(const IValue& value) {
  if (value.is_double()) {
    return value.as_double();
  }
  if (value.is_int() || value.is_bool()) {
    return static_cast<double>(value.as_int());
  }
  if (const auto to_float = type_of(value).to_float) {
    return to_float(value);
  }
  throw_error(ErrorKind::TypeError, "must be real number, not {}", type_name(value));
}

std::string_view to_text(const IValue& value) {
  if (!value.is_string()) {
    throw_error(ErrorKind::TypeError, "must be str, not {}", type_name(value));
  }
  return value.as_string();
}

std::string_view to_text(const IValue& value, std::string_view function, int position) {
  if (!value.is_string()) {
    throw_error(ErrorKind::TypeError, "{}() argument{} must be str, not {}", function,
                position == 0 ? "" : fmt::format(" {}", position),
                value.is_none() ? "None" : type_name(value));
  }
  return value.as_string();
}

// --- The types of builtin functions -------------------------------------------------------------

namespace {

const BuiltinDef& def_of(const IValue& self) {
  if (is_object_of(self, kBuiltinFunctionType)) {
    return *self.as_object<BuiltinFunctionObject>()->def;
  }
  if (is_object_of(self, kBuiltinMethodType)) {
    return *self.as_object<BuiltinMethodObject>()->def;
  }
  return *self.as_object<MethodDescriptorObject>()->def;
}

void repr_builtin_function(const IValue& self, std::string& out) {
  out += fmt::format("<built-in function {}>", def_of(self).name);
}

void repr_builtin_method(const IValue& self, std::string& out) {
  const IValue& owner = self.as_object<BuiltinMethodObject>()->self;
  out += fmt::format("<built-in method {} of {} object at {:#x}>", def_of(self).name,
                     type_name(owner), owner.payload_bits());
}

void repr_method_descriptor(const IValue& self, std::string& out) {
  out += fmt::format("<method '{}' of '{}' objects>", def_of(self).name, def_of(self).owner);
}

IValue call_builtin_function(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  return call_builtin(interpreter, def_of(self), arguments);
}

// Puts self before the arguments, which lie on the operand stack: in a row of our own, on top.
IValue call_builtin_method(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  Stack& stack = Stack::current();
  const size_t height = stack.size();
  stack.push(self.as_object<BuiltinMethodObject>()->self);
  for (size_t i = 0; i < arguments.size(); i++) {
    stack.push(arguments[i]);
  }
  Arguments with_self = arguments;
  with_self.values = stack.base() + height;
  with_self.positional++;
  IValue result = call_builtin(interpreter, def_of(self), with_self);
  stack.cut(height);
  return result;
}

IValue call_method_descriptor(Interpreter& interpreter, const IValue& self, Arguments& arguments) {
  const auto* descriptor = self.as_object<MethodDescriptorObject>();
  const BuiltinDef& def = *descriptor->def;
  if (arguments.positional > 0 && !is_subtype(type_of(arguments[0]), *descriptor->owner)) {
    throw_error(ErrorKind::TypeError,
                "descriptor '{}' for '{}' objects doesn't apply to a '{}' object", def.name,
                def.owner, type_name(arguments[0]));
  }
  return call_builtin(interpreter, def, arguments);
}

bool compare_builtin_method(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if ((op != CompareOp::Equal && op != CompareOp::NotEqual) ||
      !is_object_of(right, kBuiltinMethodType)) {
    return false;
  }
  const auto* a = left.as_object<BuiltinMethodObject>();
  const auto* b = right.as_object<BuiltinMethodObject>();
  const bool is_equal = a->def == b->def && a->self.is_same(b->self);
  result = is_equal == (op == CompareOp::Equal);
  return true;
}

IValue get_builtin_name(const IValue& self) { return def_of(self).name; }
IValue get_builtin_self(const IValue& self) { return self.as_object<BuiltinMethodObject>()->self; }

constexpr AttributeDef kFunctionAttributes[] = {
    {"__name__", get_builtin_name},
    {"__qualname__", get_builtin_name},
};
constexpr AttributeDef kMethodAttributes[] = {
    {"__name__", get_builtin_name},
    {"__qualname__", get_builtin_name},
    {"__self__", get_builtin_self},
};

}  // namespace

void BuiltinMethodObject::traverse(ChildVisitor visit, void* context) {
  visit_child(self, visit, context);
}

constinit const Type kBuiltinFunctionType = {
    .name = "builtin_function_or_method",
    .attributes = kFunctionAttributes,
    .repr = repr_builtin_function,
    .call = call_builtin_function,
};
constinit const Type kBuiltinMethodType = {
    .name = "builtin_function_or_method",
    .attributes = kMethodAttributes,
    .repr = repr_builtin_method,
    .compare = compare_builtin_method,
    .call = call_builtin_method,
};
constinit const Type kMethodDescriptorType = {
    .name = "method_descriptor",
    .attributes = kFunctionAttributes,
    .repr = repr_method_descriptor,
    .call = call_method_descriptor,
};

}  // namespace tsc::interp
