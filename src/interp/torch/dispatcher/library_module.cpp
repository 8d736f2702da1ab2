// The module torch.library.
#include "interp/torch/dispatcher/custom_op.h"
#include "interp/torch/dispatcher/kernel_object.h"
#include "interp/torch/dispatcher/library_object.h"
#include "interp/torch/dispatcher/operator_check.h"
#include "interp/torch/modules.h"

namespace tsc::interp {

namespace {

// _scoped_library(ns, kind, dispatch_key=""): a library until the end of the `with` block.
class LibraryScope final : public Object {
 public:
  explicit LibraryScope(IValue made);
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(library, visit, context);
  }
  void clear() noexcept override { library = IValue(); }
  IValue library;
};

IValue enter_scope(Interpreter&, Arguments& arguments) {
  return arguments[0].as_object<LibraryScope>()->library;
}
IValue leave_scope(Interpreter&, Arguments& arguments) {
  library_of(arguments[0].as_object<LibraryScope>()->library).unregister();
  return IValue();
}
constexpr BuiltinDef kScopeMethods[] = {
    {"__enter__", &enter_scope, 0, 0, {}, "_scoped_library"},
    {"__exit__", &leave_scope, 3, 3, {}, "_scoped_library"},
};
constexpr Type make_scope_type() {
  Type type;
  type.name = "_scoped_library";
  type.module = "torch.library";
  type.methods = kScopeMethods;
  return type;
}
constinit const Type scope_type = make_scope_type();
LibraryScope::LibraryScope(IValue made) : Object(scope_type), library(std::move(made)) {}

IValue scoped_library(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object,
                       new LibraryScope(make_library(
                           std::string(to_text(arguments[0])), std::string(to_text(arguments[1])),
                           given(arguments, 2) ? std::string(to_text(arguments[2])) : "")));
}

constexpr BuiltinDef kLibraryFunctions[] = {
    {"_scoped_library", &scoped_library, 2, 3, "ns kind dispatch_key"},
    {"custom_op", &custom_op_function, 1, 2, "/ / mutates_args device_types schema tags"},
    {"define", &define_function, 2, 2, "qualname schema lib tags"},
    {"get_kernel", &get_kernel_function, 2, 2, "op dispatch_key"},
    {"impl", &impl_function, 2, 3, "qualname types func lib"},
    {"infer_schema", &infer_schema_function, 1, 1, "/ mutates_args op_name"},
    {"opcheck", &opcheck_function, 2, 3, "/ / kwargs test_utils raise_exception"},
    {"register_autocast", &register_autocast_function, 3, 3, "/ / / lib"},
    {"register_autograd", &register_autograd_function, 2, 2, "/ / setup_context lib"},
    {"register_fake", &register_fake_function, 1, 2, "/ / lib"},
    {"register_kernel", &register_kernel_function, 2, 3, "/ / / lib"},
};

constexpr ModuleConstant kLibraryConstants[] = {
    {"Library", [] { return type_value(kLibraryType); }},
    {"fallthrough_kernel", [] { return fallthrough_kernel_function(); }},
};

}  // namespace

const ModuleInfo kLibraryModule{
    .name = "torch.library", .functions = kLibraryFunctions, .constants = kLibraryConstants};

}  // namespace tsc::interp
