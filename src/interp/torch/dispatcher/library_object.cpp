#include "interp/torch/dispatcher/library_object.h"

#include <set>
#include <unordered_set>

#include "core/system/on_failure.h"
#include "interp/runtime/interpreter.h"
#include "interp/torch/dispatcher/key_set_object.h"
#include "interp/torch/dispatcher/operator_tags.h"
#include "interp/torch/dispatcher/ops_objects.h"

namespace tsc::interp {

namespace {

// A kernel's or a source's name, for as long as the process lives: kernels point to it.
const char* keep_name(const std::string& name) {
  static auto* names = new std::unordered_set<std::string>;
  return names->insert(name).first->c_str();
}

// "script::outer.<locals>.kernel"; the type's name for a callable without a name.
std::string kernel_name(const IValue& function) {
  IValue name;
  const bool has_name = try_get_attribute(function, "__qualname__", name) && name.is_string();
  return fmt::format("script::{}", has_name ? name.as_string() : type_name(function));
}

// "ns/name/key" of every kernel that a script has registered, for `allow_override=False`. As in
// PyTorch, an omitted key differs from CompositeImplicitAutograd, and a name that two libraries
// have registered is removed with the first of them.
std::set<std::string>& implemented_by_scripts() {
  static auto* names = new std::set<std::string>;
  return *names;
}

IValue fallthrough_function(Interpreter&, Arguments&) {
  throw_error(ErrorKind::NotImplementedError, "fallthrough_kernel() should never be called.");
}
constexpr BuiltinDef kFallthroughKernel{"fallthrough_kernel", &fallthrough_function, 0, 0};

std::string_view without_namespace(std::string_view name) {
  const size_t scope = name.rfind("::");
  return scope == name.npos ? name : name.substr(scope + 2);
}

Library::Kind kind_of(const std::string& kind) {
  if (kind == "DEF") {
    return Library::Kind::Def;
  }
  if (kind == "FRAGMENT") {
    return Library::Kind::Fragment;
  }
  TSC_CHECK_VALUE(kind == "IMPL", "Unsupported kind: {}", kind);
  return Library::Kind::Impl;
}

void check_callable(const IValue& function) {
  TSC_CHECK_TYPE(!function.is_none() && type_of(function).call != nullptr,
                 "Input function is required to be a callable but found type <class '{}'>",
                 qualified_name(type_of(function)));
}

// A composite's results get their shapes from the operators that it calls.
void check_no_composite(std::string_view ns, std::string_view name) {
  const std::string full =
      name.find("::") == name.npos ? fmt::format("{}::{}", ns, name) : std::string(name);
  const auto [base, overload] = parse_operator_name(full);
  const auto op = Dispatcher::singleton().find_registered(base, overload);
  TSC_CHECK(op.has_value(), "operator {} does not exist", full);
  TSC_CHECK(
      !Dispatcher::singleton().has_kernel_for(*op, DispatchKey::CompositeImplicitAutograd),
      "We should not register a meta kernel directly to the operator '{}', because it has a "
      "CompositeImplicitAutograd kernel in core. Instead we should let the operator decompose, and "
      "ensure that we have meta kernels for the base ops that it decomposes into.",
      name);
}

// --- The methods ---------------------------------------------------------------------------------

IValue construct_library(Interpreter&, Arguments& arguments) {
  return make_library(std::string(to_text(arguments[0])), std::string(to_text(arguments[1])),
                      given(arguments, 2) ? std::string(to_text(arguments[2])) : "");
}
constexpr BuiltinDef kConstructor{"Library", &construct_library, 2, 3, "ns kind dispatch_key"};

// define(schema, alias_analysis="", *, tags=())
IValue define(Interpreter&, Arguments& arguments) {
  const std::string_view alias = given(arguments, 2) ? to_text(arguments[2]) : std::string_view();
  LibraryObject& library = library_of(arguments[0]);
  TSC_CHECK(alias.empty() || alias == "FROM_SCHEMA" || alias == "CONSERVATIVE",
            "Invalid alias_analysis type {}", alias);
  return library.define(to_text(arguments[1]),
                        given(arguments, 3) ? tags_of_value(arguments[3]) : std::vector<IValue>());
}

// impl(op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=True)
IValue impl(Interpreter&, Arguments& arguments) {
  const auto flag = [&](size_t i, bool absent) {
    return given(arguments, i) ? arguments[i].is_bool() && arguments[i].as_bool() : absent;
  };
  std::string name;
  if (is_object_of(arguments[1], kOpOverloadType)) {
    name = operator_of(arguments[1]).qualified_name();
  } else {
    TSC_CHECK(arguments[1].is_string(),
              "impl should be passed either a name or an OpOverload object as the first argument, "
              "got <class '{}'>",
              qualified_name(type_of(arguments[1])));
    name = arguments[1].as_string();
  }
  library_of(arguments[0])
      .impl(name, arguments[2], given(arguments, 3) ? to_text(arguments[3]) : std::string_view(),
            flag(4, false), flag(5, true));
  return IValue();
}

// fallback(fn, dispatch_key="", *, with_keyset=False)
IValue fallback(Interpreter&, Arguments& arguments) {
  library_of(arguments[0])
      .fallback(arguments[1], given(arguments, 2) ? to_text(arguments[2]) : std::string_view(),
                given(arguments, 3) && arguments[3].is_bool() && arguments[3].as_bool());
  return IValue();
}

IValue destroy(Interpreter&, Arguments& arguments) {
  library_of(arguments[0]).unregister();
  return IValue();
}

constexpr BuiltinDef kLibraryObjectMethods[] = {
    {"_destroy", &destroy, 0, 0, {}, "Library"},
    {"define", &define, 1, 2, "schema alias_analysis tags", "Library"},
    {"fallback", &fallback, 1, 2, "fn dispatch_key with_keyset", "Library"},
    {"impl", &impl, 2, 3, "op_name fn dispatch_key with_keyset allow_override", "Library"},
};
constexpr AttributeDef kLibraryObjectAttributes[] = {
    {"dispatch_key", [](const IValue& self) { return IValue(library_of(self).key()); }},
    {"kind", [](const IValue& self) { return IValue(library_of(self).kind()); }},
    {"ns", [](const IValue& self) { return IValue(library_of(self).ns()); }},
};

constexpr Type make_library_type() {
  Type type;
  type.name = "Library";
  type.module = "torch.library";
  type.methods = kLibraryObjectMethods;
  type.attributes = kLibraryObjectAttributes;
  type.constructor = &kConstructor;
  type.repr = [](const IValue& self, std::string& out) {
    const LibraryObject& library = library_of(self);
    out += fmt::format("Library(kind={}, ns={}, dispatch_key={})>", library.kind(), library.ns(),
                       library.key());
  };
  return type;
}

}  // namespace

constinit const Type kLibraryType = make_library_type();

IValue make_library(std::string ns, std::string kind, std::string key) {
  return IValue::adopt(Tag::Object,
                       new LibraryObject(std::move(ns), std::move(kind), std::move(key)));
}

LibraryObject& library_of(const IValue& value) { return *value.as_object<LibraryObject>(); }

IValue fallthrough_kernel_function() { return make_builtin(kFallthroughKernel); }

LibraryObject::LibraryObject(std::string ns, std::string kind, std::string key)
    : Object(kLibraryType), ns_(std::move(ns)), kind_(std::move(kind)), key_(std::move(key)) {
  const Library::Kind library_kind = kind_of(kind_);
  TSC_CHECK_VALUE(library_kind == Library::Kind::Impl || ns_ != "prim",
                  "{} is a reserved namespace. Please try creating a library with another name.",
                  ns_);
  TSC_CHECK(library_kind == Library::Kind::Impl || key_.empty(),
            "a {} library takes no dispatch key; its kernels name theirs", kind_);
  const SourceLine line = Interpreter::current().running_line(0);
  file_ = keep_name(line.file);
  line_ = line.line;
  library_ = std::make_unique<Library>(
      library_kind, ns_, key_.empty() ? DispatchKey::Undefined : parse_dispatch_key(key_), file_,
      line_);
}

void LibraryObject::traverse(ChildVisitor visit, void* context) {
  for (const auto& kernel : kernels_) {
    visit_child(kernel->function(), visit, context);
  }
}

Library& LibraryObject::library() {
  TSC_CHECK_KIND(AssertionError, library_ != nullptr, "Library object has been destroyed");
  return *library_;
}

std::string LibraryObject::define(std::string_view schema, std::vector<IValue> tags) {
  std::string name = library().def(schema);
  if (!tags.empty()) {
    const ParsedSchema parsed = parse_schema(schema);
    const std::string full = name.find("::") == name.npos ? fmt::format("{}::{}", ns_, name) : name;
    set_operator_tags(Dispatcher::singleton().find_or_throw(full, parsed->overload_name).schema(),
                      std::move(tags));
  }
  return name;
}

KernelFunction LibraryObject::make_kernel(const IValue& function, bool with_keyset,
                                          ScriptKernel::Form form, std::shared_ptr<void>& owner) {
  if (function.is_same(fallthrough_kernel_function())) {
    return fallthrough_kernel(file_, line_);
  }
  kernels_.push_back(std::make_shared<ScriptKernel>(function, with_keyset, form));
  owner = kernels_.back();
  return kernels_.back()->kernel(keep_name(kernel_name(function)), file_, line_);
}

std::string LibraryObject::entry_name(std::string_view name, std::string_view key) const {
  return fmt::format("{}/{}/{}", ns_, without_namespace(name), key);
}

bool LibraryObject::replace(std::string_view name, const IValue& function, std::string_view key) {
  const auto found = kernel_at_.find(entry_name(name, key));
  if (found == kernel_at_.end()) {
    return false;
  }
  found->second->set_function(function);
  return true;
}

void LibraryObject::impl(std::string_view name, const IValue& function, std::string_view key,
                         bool with_keyset, bool allow_override) {
  check_callable(function);
  const std::string given_key(key.empty() ? std::string_view(key_) : key);
  const std::string key_name = given_key.empty() ? "CompositeImplicitAutograd" : given_key;
  std::string entry = entry_name(name, given_key);
  TSC_CHECK(allow_override || implemented_by_scripts().count(entry) == 0,
            "This is not allowed since there's already a kernel registered from python overriding "
            "{}'s behavior for {} dispatch key and {} namespace.",
            without_namespace(name), given_key, ns_);
  if (key_name == "Meta") {
    check_no_composite(ns_, name);
  }
  Library& target = library();
  std::shared_ptr<void> owner;
  const size_t kernels = kernels_.size();
  const KernelFunction kernel =
      make_kernel(function, with_keyset, ScriptKernel::Form::Kernel, owner);
  const OnFailure undo([&] { kernels_.resize(kernels); });
  target.impl(name, parse_dispatch_key(key_name), kernel, owner);
  implemented_by_scripts().insert(entry);
  if (owner != nullptr) {
    kernel_at_[entry] = kernels_.back().get();
  }
  implemented_.push_back(std::move(entry));
}

void LibraryObject::impl_kernel(std::string_view name, const KernelFunction& kernel,
                                std::string_view key) {
  TSC_CHECK_VALUE(kernel.context == nullptr,
                  "{} is a script's function, which belongs to the library that registered it: "
                  "register the function itself",
                  kernel.name);
  KernelFunction here = kernel;
  here.file = file_;
  here.line = line_;
  library().impl(name, parse_dispatch_key(key), here);
}

void LibraryObject::fallback(const IValue& function, std::string_view key, bool with_keyset) {
  TSC_CHECK(ns_ == "_",
            "Fallback can only be registered using library fragment on the global namespace \"_\" "
            "but it is {}",
            ns_);
  check_callable(function);
  Library& target = library();
  const std::string key_name(key.empty() ? std::string_view(key_) : key);
  TSC_CHECK_KIND(AssertionError, !key_name.empty(), "dispatch_key must not be empty for fallback");
  std::shared_ptr<void> owner;
  const size_t kernels = kernels_.size();
  const KernelFunction kernel =
      make_kernel(function, with_keyset, ScriptKernel::Form::Fallback, owner);
  const OnFailure undo([&] { kernels_.resize(kernels); });
  target.fallback(parse_dispatch_key(key_name), kernel, owner);
}

void LibraryObject::unregister() noexcept {
  if (library_ == nullptr) {
    return;
  }
  const std::unique_ptr<Library> gone = std::move(library_);
  gone->reset();
  for (const std::string& entry : implemented_) {
    implemented_by_scripts().erase(entry);
  }
  implemented_.clear();
  const std::vector<std::shared_ptr<ScriptKernel>> kernels = std::move(kernels_);
  kernels_.clear();
  kernel_at_.clear();
  for (const auto& kernel : kernels) {
    kernel->drop_function();
  }
}

}  // namespace tsc::interp
