#include "interp/torch/dispatcher/plugin_functions.h"

#include "dispatch/plugin.h"
#include "interp/runtime/containers/list.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/overloads.h"

namespace tsc::interp {

namespace {

std::string path_argument(const Arguments& arguments, std::string_view function) {
  TSC_CHECK_TYPE(arguments[0].is_string(), "{}(): argument 'path' must be str, not {}", function,
                 python_type_name(arguments[0]));
  return std::string(arguments[0].as_string());
}

}  // namespace

IValue load_plugin_function(Interpreter&, Arguments& arguments) {
  load_plugin(path_argument(arguments, "load"));
  return IValue();
}

IValue unload_plugin_function(Interpreter&, Arguments& arguments) {
  unload_plugin(path_argument(arguments, "unload"));
  return IValue();
}

IValue plugins_function(Interpreter&, Arguments&) {
  std::vector<IValue> paths;
  for (const std::string& path : loaded_plugins()) {
    paths.emplace_back(path);
  }
  return make_list(std::move(paths));
}

}  // namespace tsc::interp
