#include "interp/torch/autograd/autocast.h"

#include <algorithm>

#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/context_decorator.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/modules.h"
#include "keys/autocast.h"

namespace tsc::interp {

namespace {

// --- Reading arguments

Device device_argument(const Arguments& arguments, std::string_view function) {
  TSC_CHECK_TYPE(arguments[0].is_string(),
                 "{}(): argument 'device_type' (position 1) must be str, not {}", function,
                 python_type_name(arguments[0]));
  return parse_device(arguments[0].as_string());
}

bool enabled_argument(const Arguments& arguments, size_t i, std::string_view function) {
  TSC_CHECK_TYPE(arguments[i].is_bool(),
                 "{}(): argument 'enabled' (position {}) must be bool, not {}", function, i + 1,
                 python_type_name(arguments[i]));
  return arguments[i].as_bool();
}

ScalarType dtype_argument_of(const Arguments& arguments, size_t i, std::string_view function) {
  TSC_CHECK_TYPE(arguments[i].tag() == Tag::ScalarType,
                 "{}(): argument 'dtype' (position {}) must be torch.dtype, not {}", function,
                 i + 1, python_type_name(arguments[i]));
  return arguments[i].as_scalar_type();
}

// --- torch.autocast(device_type, dtype=None, enabled=True, cache_enabled=None)

struct SavedState {
  bool enabled;
  ScalarType dtype;
  bool cache_enabled;
};

class AutocastObject final : public ContextObject {
 public:
  explicit AutocastObject(std::string device_name)
      : ContextObject(kAutocastType), name(std::move(device_name)) {}
  void enter() override;
  void leave() noexcept override;

  std::string name;
  DeviceType device = DeviceType::CPU;
  ScalarType dtype = ScalarType::Undefined;
  bool enabled = true;
  bool cache_enabled = true;
  std::vector<SavedState> saved;
};

void AutocastObject::enter() {
  saved.push_back({keys::is_autocast_enabled(device), keys::autocast_dtype(device),
                   keys::is_autocast_cache_enabled()});
  keys::set_autocast_enabled(device, enabled);
  keys::set_autocast_dtype(device, dtype);
  keys::increment_autocast_nesting();
  keys::set_autocast_cache_enabled(cache_enabled);
}

void AutocastObject::leave() noexcept {
  if (saved.empty()) {
    return;  // never entered
  }
  if (keys::decrement_autocast_nesting() == 0) {
    keys::clear_autocast_cache();
  }
  keys::set_autocast_enabled(device, saved.back().enabled);
  keys::set_autocast_dtype(device, saved.back().dtype);
  keys::set_autocast_cache_enabled(saved.back().cache_enabled);
  saved.pop_back();
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

// An unsupported device or dtype disables autocast, with a warning.
bool can_enable(const AutocastObject& autocast) {
  if (autocast.device == DeviceType::CUDA) {
    warn("CUDA is not available or torch_xla is imported. Disabling autocast.");
    return false;
  }
  if (autocast.dtype != ScalarType::BFloat16 && autocast.dtype != ScalarType::Half) {
    const std::string name = upper(autocast.name);
    warn(
        "In {} autocast, but the target dtype is not supported. Disabling autocast.\n"
        "{} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
        name, name);
    return false;
  }
  return true;
}

}  // namespace

std::string autocast_device_name(const IValue& value) {
  TSC_CHECK_VALUE(value.is_string(), "Expected `device_type` of type `str`, got: `{}`",
                  repr(type_value(type_of(value))));
  return std::string(value.as_string());
}

namespace {

IValue construct_autocast(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(given(arguments, 0),
                 "autocast.__init__() missing 1 required positional argument: 'device_type'");
  const std::string name = autocast_device_name(arguments[0]);
  auto* autocast = new AutocastObject(name);
  IValue result = IValue::adopt(Tag::Object, autocast);
  autocast->device = parse_device(name).type;
  TSC_CHECK(keys::is_autocast_available(autocast->device),
            "User specified an unsupported autocast device_type '{}'", name);
  autocast->dtype = has_value(arguments, 1) ? dtype_argument_of(arguments, 1, "autocast")
                                            : keys::autocast_dtype(autocast->device);
  autocast->cache_enabled =
      has_value(arguments, 3) ? is_true(arguments[3]) : keys::is_autocast_cache_enabled();
  autocast->enabled = (!given(arguments, 2) || is_true(arguments[2])) && can_enable(*autocast);
  return result;
}

IValue call_autocast(Interpreter&, const IValue& self, Arguments& arguments) {
  const bool is_callable = arguments.size() == 1 && type_of(arguments[0]).call != nullptr;
  TSC_CHECK_TYPE(
      is_callable,
      "autocast()(func) requires a callable, but got {}. Did you mean to use autocast as "
      "a context manager? For example:\n"
      "    with torch.autocast(device_type=...):\n"
      "        output = model(input)",
      arguments.size() == 0 ? "nothing" : type_name(arguments[0]));
  return decorate(self, arguments[0]);
}

const AutocastObject& autocast_of(const IValue& self) { return *self.as_object<AutocastObject>(); }

constexpr AttributeDef kAutocastAttributes[] = {
    {"_cache_enabled", [](const IValue& self) { return IValue(autocast_of(self).cache_enabled); }},
    {"_enabled", [](const IValue& self) { return IValue(autocast_of(self).enabled); }},
    {"device", [](const IValue& self) { return IValue(autocast_of(self).name); }},
    {"fast_dtype", [](const IValue& self) { return IValue(autocast_of(self).dtype); }},
};
constexpr BuiltinDef kAutocastMethods[] = {
    {"__enter__", &enter_context_itself, 0, 0, {}, "autocast"},
    {"__exit__", &leave_context, 3, 3, {}, "autocast"},
};
constexpr BuiltinDef kConstructor{"autocast", &construct_autocast, 0, 4,
                                  "device_type dtype enabled cache_enabled"};

constexpr Type make_autocast_type() {
  Type type;
  type.name = "autocast";
  type.module = "torch.amp.autocast_mode";
  type.methods = kAutocastMethods;
  type.attributes = kAutocastAttributes;
  type.constructor = &kConstructor;
  type.call = &call_autocast;
  return type;
}

// --- torch's functions

IValue is_available(Interpreter&, Arguments& arguments) {
  return keys::is_autocast_available(device_argument(arguments, "is_autocast_available").type);
}
// Without a device: CUDA's, for compatibility.
IValue is_enabled(Interpreter&, Arguments& arguments) {
  return keys::is_autocast_enabled(arguments.size() == 0
                                       ? DeviceType::CUDA
                                       : device_argument(arguments, "is_autocast_enabled").type);
}
IValue set_enabled(Interpreter&, Arguments& arguments) {
  constexpr std::string_view kName = "set_autocast_enabled";
  const bool for_cuda = arguments.size() == 1;
  const DeviceType device = for_cuda ? DeviceType::CUDA : device_argument(arguments, kName).type;
  keys::set_autocast_enabled(device, enabled_argument(arguments, for_cuda ? 0 : 1, kName));
  return IValue();
}
IValue get_dtype(Interpreter&, Arguments& arguments) {
  return keys::autocast_dtype(device_argument(arguments, "get_autocast_dtype").type);
}
IValue set_dtype(Interpreter&, Arguments& arguments) {
  keys::set_autocast_dtype(device_argument(arguments, "set_autocast_dtype").type,
                           dtype_argument_of(arguments, 1, "set_autocast_dtype"));
  return IValue();
}
IValue is_cache_enabled(Interpreter&, Arguments&) { return keys::is_autocast_cache_enabled(); }
IValue set_cache_enabled(Interpreter&, Arguments& arguments) {
  keys::set_autocast_cache_enabled(enabled_argument(arguments, 0, "set_autocast_cache_enabled"));
  return IValue();
}
IValue clear_cache(Interpreter&, Arguments&) {
  keys::clear_autocast_cache();
  return IValue();
}
IValue increment_nesting(Interpreter&, Arguments&) { return keys::increment_autocast_nesting(); }
IValue decrement_nesting(Interpreter&, Arguments&) { return keys::decrement_autocast_nesting(); }

// Warns of the deprecated names for single devices.
void warn_deprecated(std::string_view name, std::string_view now) {
  warn_text(ErrorKind::DeprecationWarning,
            fmt::format("torch.{} is deprecated. Please use torch.{} instead.", name, now));
}
IValue is_cpu_enabled(Interpreter&, Arguments&) {
  warn_deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')");
  return keys::is_autocast_enabled(DeviceType::CPU);
}
IValue set_cpu_enabled(Interpreter&, Arguments& arguments) {
  warn_deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)");
  keys::set_autocast_enabled(DeviceType::CPU,
                             enabled_argument(arguments, 0, "set_autocast_cpu_enabled"));
  return IValue();
}
IValue get_cpu_dtype(Interpreter&, Arguments&) {
  warn_deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')");
  return keys::autocast_dtype(DeviceType::CPU);
}
IValue set_cpu_dtype(Interpreter&, Arguments& arguments) {
  warn_deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)");
  keys::set_autocast_dtype(DeviceType::CPU,
                           dtype_argument_of(arguments, 0, "set_autocast_cpu_dtype"));
  return IValue();
}
IValue get_gpu_dtype(Interpreter&, Arguments&) {
  warn_deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')");
  return keys::autocast_dtype(DeviceType::CUDA);
}
IValue set_gpu_dtype(Interpreter&, Arguments& arguments) {
  warn_deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)");
  keys::set_autocast_dtype(DeviceType::CUDA,
                           dtype_argument_of(arguments, 0, "set_autocast_gpu_dtype"));
  return IValue();
}

constexpr BuiltinDef kTorchFunctions[] = {
    {"autocast_decrement_nesting", &decrement_nesting},
    {"autocast_increment_nesting", &increment_nesting},
    {"clear_autocast_cache", &clear_cache},
    {"get_autocast_cpu_dtype", &get_cpu_dtype},
    {"get_autocast_dtype", &get_dtype, 1, 1, "device_type"},
    {"get_autocast_gpu_dtype", &get_gpu_dtype},
    {"is_autocast_cache_enabled", &is_cache_enabled},
    {"is_autocast_cpu_enabled", &is_cpu_enabled},
    {"is_autocast_enabled", &is_enabled, 0, 1, "device_type"},
    {"set_autocast_cache_enabled", &set_cache_enabled, 1, 1, "enabled"},
    {"set_autocast_cpu_dtype", &set_cpu_dtype, 1, 1},
    {"set_autocast_cpu_enabled", &set_cpu_enabled, 1, 1},
    {"set_autocast_dtype", &set_dtype, 2, 2, "device_type dtype"},
    {"set_autocast_enabled", &set_enabled, 1, 2, "device_type enabled"},
    {"set_autocast_gpu_dtype", &set_gpu_dtype, 1, 1},
};

constexpr BuiltinDef kModuleFunctions[] = {
    {"is_autocast_available", &is_available, 1, 1, "device_type"},
};
constexpr ModuleConstant kModuleConstants[] = {
    {"autocast", [] { return type_value(kAutocastType); }},
};

}  // namespace

constinit const Type kAutocastType = make_autocast_type();

const BuiltinDef* find_autocast_function(std::string_view name) {
  const auto* found = std::find_if(std::begin(kTorchFunctions), std::end(kTorchFunctions),
                                   [&](const BuiltinDef& def) { return def.name == name; });
  return found == std::end(kTorchFunctions) ? nullptr : found;
}

void list_autocast_functions(std::vector<std::string>& names) {
  for (const BuiltinDef& def : kTorchFunctions) {
    names.emplace_back(def.name);
  }
}

const ModuleInfo kAmpModule{
    .name = "torch.amp", .functions = kModuleFunctions, .constants = kModuleConstants};

}  // namespace tsc::interp
