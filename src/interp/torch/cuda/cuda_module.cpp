#include "interp/torch/cuda/cuda_module.h"

#include <memory>

#include "core/cuda_hooks.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/call/context_decorator.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/cuda/jiterator_module.h"
#include "interp/torch/tensor/seed.h"

namespace tsc::interp {

namespace {

CudaHooks& hooks() {
  CudaHooks* const found = cuda_hooks();
  TSC_CHECK_KIND(AssertionError, found != nullptr, "Torch not compiled with CUDA enabled");
  return *found;
}
int device_count() { return cuda_hooks() == nullptr ? 0 : cuda_hooks()->device_count(); }

// An index, a device or its name; -1 where there is none.
int index_of(const Arguments& arguments, size_t i) {
  if (!has_value(arguments, i)) {
    return -1;
  }
  if (arguments[i].is_int()) {
    return static_cast<int>(arguments[i].as_int());
  }
  const Device device = device_of_value(arguments[i]);
  TSC_CHECK_VALUE(device.is_cuda(), "Expected a cuda device, but got: {}", device);
  return device.index;
}
int index_or_current(const Arguments& arguments, size_t i) {
  const int index = index_of(arguments, i);
  return index < 0 ? hooks().current_device() : index;
}

// --- Devices ---

IValue is_available(Interpreter&, Arguments&) { return IValue(device_count() > 0); }
IValue count_devices(Interpreter&, Arguments&) { return IValue(int64_t{device_count()}); }
IValue current_device(Interpreter&, Arguments&) {
  return IValue(int64_t{hooks().current_device()});
}
IValue set_device(Interpreter&, Arguments& arguments) {
  if (const int index = index_of(arguments, 0); index >= 0) {
    hooks().set_device(index);
  }
  return IValue();
}
IValue synchronize(Interpreter&, Arguments& arguments) {
  hooks().synchronize(index_or_current(arguments, 0));
  return IValue();
}
IValue init(Interpreter&, Arguments&) {
  hooks().current_device();
  return IValue();
}
IValue is_initialized(Interpreter&, Arguments&) { return IValue(device_count() > 0); }

class Properties final : public Object {
 public:
  explicit Properties(CudaDeviceProperties values)
      : Object(kCudaPropertiesType), of(std::move(values)) {}
  CudaDeviceProperties of;
};
IValue get_device_properties(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object,
                       new Properties(hooks().properties(index_or_current(arguments, 0))));
}
IValue get_device_name(Interpreter&, Arguments& arguments) {
  return IValue(hooks().properties(index_or_current(arguments, 0)).name);
}
IValue get_device_capability(Interpreter&, Arguments& arguments) {
  const CudaDeviceProperties of = hooks().properties(index_or_current(arguments, 0));
  return make_tuple({IValue(int64_t{of.major}), IValue(int64_t{of.minor})});
}

template <auto kMember>
IValue property(const IValue& self) {
  const auto& value = self.as_object<Properties>()->of.*kMember;
  if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string> ||
                std::is_same_v<std::decay_t<decltype(value)>, bool>) {
    return IValue(value);
  } else {
    return IValue(static_cast<int64_t>(value));
  }
}
using P = CudaDeviceProperties;
constexpr AttributeDef kPropertyAttributes[] = {
    {"L2_cache_size", &property<&P::l2_cache_size>},
    {"is_integrated",
     [](const IValue& self) {
       return IValue(int64_t{self.as_object<Properties>()->of.is_integrated ? 1 : 0});
     }},
    {"major", &property<&P::major>},
    {"max_threads_per_block", &property<&P::max_threads_per_block>},
    {"max_threads_per_multi_processor", &property<&P::max_threads_per_multi_processor>},
    {"minor", &property<&P::minor>},
    {"multi_processor_count", &property<&P::multi_processor_count>},
    {"name", &property<&P::name>},
    {"pci_bus_id", &property<&P::pci_bus_id>},
    {"pci_device_id", &property<&P::pci_device_id>},
    {"pci_domain_id", &property<&P::pci_domain_id>},
    {"regs_per_multiprocessor", &property<&P::regs_per_multiprocessor>},
    {"shared_memory_per_block", &property<&P::shared_memory_per_block>},
    {"shared_memory_per_multiprocessor", &property<&P::shared_memory_per_multiprocessor>},
    {"total_memory", &property<&P::total_memory>},
    {"warp_size", &property<&P::warp_size>},
};
void repr_properties(const IValue& self, std::string& out) {
  const P& of = self.as_object<Properties>()->of;
  out += fmt::format(
      "_CudaDeviceProperties(name='{}', major={}, minor={}, total_memory={}MB, "
      "multi_processor_count={}, L2_cache_size={}MB)",
      of.name, of.major, of.minor, of.total_memory >> 20, of.multi_processor_count,
      of.l2_cache_size >> 20);
}
constexpr Type make_properties_type() {
  Type type;
  type.name = "_CudaDeviceProperties";
  type.module = "torch._C";
  type.attributes = kPropertyAttributes;
  type.repr = &repr_properties;
  return type;
}

// with torch.cuda.device(1): the device is current within.
class DeviceContext final : public ContextObject {
 public:
  explicit DeviceContext(int index) : ContextObject(kCudaDeviceType), index_(index) {}
  void enter() override {
    if (index_ < 0) return;
    previous_.push_back(hooks().current_device());
    hooks().set_device(index_);
  }
  void leave() noexcept override {
    if (previous_.empty()) return;
    hooks().set_device(previous_.back());
    previous_.pop_back();
  }

 private:
  int index_;
  std::vector<int> previous_;
};
IValue construct_device(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new DeviceContext(index_of(arguments, 0)));
}
constexpr BuiltinDef kDeviceMethods[] = {
    {"__enter__", &enter_context_itself, 0, 0, {}, "device"},
    {"__exit__", &leave_context, 3, 3, {}, "device"},
};
constexpr BuiltinDef kDeviceConstructor{"device", &construct_device, 1, 1, "device"};
constexpr Type make_device_type() {
  Type type;
  type.name = "device";
  type.module = "torch.cuda";
  type.methods = kDeviceMethods;
  type.constructor = &kDeviceConstructor;
  return type;
}

// --- Seeds ---

// Of the current device, which need not be there.
IValue manual_seed_of_device(Interpreter&, Arguments& arguments) {
  if (CudaHooks* const found = cuda_hooks()) {
    found->manual_seed(device_count() > 0 ? found->current_device() : 0,
                       seed_of_value(arguments[0]));
  }
  return IValue();
}
IValue manual_seed_all(Interpreter&, Arguments& arguments) {
  if (CudaHooks* const found = cuda_hooks()) {
    found->manual_seed(-1, seed_of_value(arguments[0]));
  }
  return IValue();
}
IValue initial_seed_of_device(Interpreter&, Arguments&) {
  return seed_value(hooks().initial_seed(hooks().current_device()));
}

// --- Memory ---

using Statistics = std::vector<std::pair<std::string, int64_t>>;
Statistics statistics(const Arguments& arguments) {
  if (device_count() == 0) {
    return {};
  }
  return hooks().memory_stats(index_or_current(arguments, 0));
}
IValue statistic(const Arguments& arguments, std::string_view name) {
  for (const auto& [found, value] : statistics(arguments)) {
    if (found == name) {
      return IValue(value);
    }
  }
  return IValue(int64_t{0});
}
IValue memory_allocated(Interpreter&, Arguments& arguments) {
  return statistic(arguments, "allocated_bytes.all.current");
}
IValue max_memory_allocated(Interpreter&, Arguments& arguments) {
  return statistic(arguments, "allocated_bytes.all.peak");
}
IValue memory_reserved(Interpreter&, Arguments& arguments) {
  return statistic(arguments, "reserved_bytes.all.current");
}
IValue max_memory_reserved(Interpreter&, Arguments& arguments) {
  return statistic(arguments, "reserved_bytes.all.peak");
}
IValue memory_stats(Interpreter&, Arguments& arguments) {
  IValue dict = make_dict();
  for (const auto& [name, value] : statistics(arguments)) {
    set_item(dict, IValue(name), IValue(value));
  }
  return dict;
}
IValue mem_get_info(Interpreter&, Arguments& arguments) {
  const auto [free, total] = hooks().memory_info(index_or_current(arguments, 0));
  return make_tuple({IValue(free), IValue(total)});
}
IValue reset_peak_memory_stats(Interpreter&, Arguments& arguments) {
  hooks().reset_peak_memory_stats(index_or_current(arguments, 0));
  return IValue();
}
IValue empty_cache(Interpreter&, Arguments&) {
  if (device_count() > 0) {
    hooks().empty_cache();
  }
  return IValue();
}

std::string in_units(int64_t bytes, bool is_count) {
  constexpr std::string_view kUnits[] = {"B  ", "KiB", "MiB", "GiB", "TiB"};
  if (is_count) {
    return fmt::format("{:>7}    ", bytes);
  }
  size_t unit = 0;
  int64_t shown = bytes;
  while (shown >= 10 * 1024 && unit + 1 < std::size(kUnits)) {
    shown /= 1024;
    unit++;
  }
  return fmt::format("{:>7} {}", shown, kUnits[unit]);
}
IValue memory_summary(Interpreter&, Arguments& arguments) {
  const int device = index_or_current(arguments, 0);
  const Statistics found = hooks().memory_stats(device);
  const auto value = [&](const std::string& name) {
    for (const auto& [each, number] : found) {
      if (each == name) return number;
    }
    return int64_t{0};
  };
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"Allocated memory", "allocated_bytes"},
      {"Requested memory", "requested_bytes"},
      {"GPU reserved memory", "reserved_bytes"},
      {"Non-releasable memory", "inactive_split_bytes"},
      {"Allocations", "allocation"},
      {"GPU reserved segments", "segment"},
  };
  const std::string line = "|" + std::string(75, '=') + "|\n";
  const std::string thin = "|" + std::string(75, '-') + "|\n";
  std::string text = line;
  text +=
      fmt::format("|{:^75}|\n", fmt::format("PyTorch CUDA memory summary, device ID {}", device));
  text += thin;
  text += fmt::format("|{:^38}|{:^36}|\n", fmt::format("CUDA OOMs: {}", value("num_ooms")),
                      fmt::format("cudaMalloc retries: {}", value("num_alloc_retries")));
  text += line;
  text += fmt::format("| {:^21} | {:^11}| {:^11}| {:^11}| {:^11}|\n", "Metric", "Cur Usage",
                      "Peak Usage", "Tot Alloc", "Tot Freed");
  for (const auto& [title, name] : kRows) {
    text += thin + fmt::format("| {:<21} |", title);
    const bool is_count = name == "allocation" || name == "segment";
    for (const std::string_view part : {"current", "peak", "allocated", "freed"}) {
      text += fmt::format(" {}|", in_units(value(fmt::format("{}.all.{}", name, part)), is_count));
    }
    text += '\n';
  }
  return IValue(text + line);
}

// --- Streams and events ---

class StreamObject final : public Object {
 public:
  explicit StreamObject(CudaStream shown) : Object(kCudaStreamType), stream(shown) {}
  CudaStream stream;
};
bool is_stream(const IValue& value) { return is_object_of(value, kCudaStreamType); }
const CudaStream& stream_of(const IValue& value) {
  TSC_CHECK_TYPE(is_stream(value), "expected a torch.cuda.Stream, got {}", type_name(value));
  return value.as_object<StreamObject>()->stream;
}
IValue stream_value(const CudaStream& stream) {
  return IValue::adopt(Tag::Object, new StreamObject(stream));
}
CudaStream stream_argument(const Arguments& arguments, size_t i) {
  return has_value(arguments, i) ? stream_of(arguments[i]) : hooks().current_stream(-1);
}

class EventObject final : public Object {
 public:
  EventObject(CudaEvent* made, bool is_timed)
      : Object(kCudaEventType), event(made), timed(is_timed) {}
  std::unique_ptr<CudaEvent> event;
  bool timed;
};
EventObject& event_of(const IValue& value) {
  TSC_CHECK_TYPE(is_object_of(value, kCudaEventType), "expected a torch.cuda.Event, got {}",
                 type_name(value));
  return *value.as_object<EventObject>();
}
IValue new_event(bool timed) {
  return IValue::adopt(Tag::Object, new EventObject(hooks().new_event(timed), timed));
}

IValue construct_stream(Interpreter&, Arguments& arguments) {
  const int priority = has_value(arguments, 1) ? static_cast<int>(arguments[1].as_int()) : 0;
  return stream_value(hooks().new_stream(index_of(arguments, 0), priority));
}
IValue current_stream(Interpreter&, Arguments& arguments) {
  return stream_value(hooks().current_stream(index_of(arguments, 0)));
}
IValue default_stream(Interpreter&, Arguments& arguments) {
  return stream_value(hooks().default_stream(index_of(arguments, 0)));
}
IValue set_stream(Interpreter&, Arguments& arguments) {
  hooks().set_stream(stream_of(arguments[0]));
  return IValue();
}
IValue stream_query(Interpreter&, Arguments& arguments) {
  return IValue(hooks().query_stream(stream_of(arguments[0])));
}
IValue stream_synchronize(Interpreter&, Arguments& arguments) {
  hooks().synchronize_stream(stream_of(arguments[0]));
  return IValue();
}
IValue stream_wait_event(Interpreter&, Arguments& arguments) {
  event_of(arguments[1]).event->wait(stream_of(arguments[0]));
  return IValue();
}
IValue stream_wait_stream(Interpreter&, Arguments& arguments) {
  const std::unique_ptr<CudaEvent> event(hooks().new_event(false));
  event->record(stream_of(arguments[1]));
  event->wait(stream_of(arguments[0]));
  return IValue();
}
IValue stream_record_event(Interpreter&, Arguments& arguments) {
  IValue event = has_value(arguments, 1) ? arguments[1] : new_event(false);
  event_of(event).event->record(stream_of(arguments[0]));
  return event;
}
constexpr BuiltinDef kStreamMethods[] = {
    {"query", &stream_query, 0, 0, {}, "Stream"},
    {"record_event", &stream_record_event, 0, 1, "event", "Stream"},
    {"synchronize", &stream_synchronize, 0, 0, {}, "Stream"},
    {"wait_event", &stream_wait_event, 1, 1, "event", "Stream"},
    {"wait_stream", &stream_wait_stream, 1, 1, "stream", "Stream"},
};
constexpr AttributeDef kStreamAttributes[] = {
    {"cuda_stream",
     [](const IValue& self) { return IValue(static_cast<int64_t>(stream_of(self).handle)); }},
    {"device",
     [](const IValue& self) { return IValue(Device(DeviceType::CUDA, stream_of(self).device)); }},
    {"stream_id", [](const IValue& self) { return IValue(stream_of(self).id); }},
};
constexpr BuiltinDef kStreamConstructor{"Stream", &construct_stream, 0, 2, "device priority"};
bool compare_streams(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (!is_stream(right) || (op != CompareOp::Equal && op != CompareOp::NotEqual)) {
    return false;
  }
  result = IValue((stream_of(left) == stream_of(right)) == (op == CompareOp::Equal));
  return true;
}
constexpr Type make_stream_type() {
  Type type;
  type.name = "Stream";
  type.module = "torch.cuda";
  type.methods = kStreamMethods;
  type.attributes = kStreamAttributes;
  type.constructor = &kStreamConstructor;
  type.compare = &compare_streams;
  type.hash = [](const IValue& self) { return stream_of(self).id * 31 + stream_of(self).device; };
  type.repr = [](const IValue& self, std::string& out) {
    const CudaStream& stream = stream_of(self);
    out += fmt::format("<torch.cuda.Stream device=cuda:{} cuda_stream={:#x}>", stream.device,
                       stream.handle);
  };
  return type;
}

IValue construct_event(Interpreter&, Arguments& arguments) {
  return new_event(has_value(arguments, 0) && is_true(arguments[0]));
}
IValue event_record(Interpreter&, Arguments& arguments) {
  event_of(arguments[0]).event->record(stream_argument(arguments, 1));
  return IValue();
}
IValue event_wait(Interpreter&, Arguments& arguments) {
  event_of(arguments[0]).event->wait(stream_argument(arguments, 1));
  return IValue();
}
IValue event_query(Interpreter&, Arguments& arguments) {
  return IValue(event_of(arguments[0]).event->query());
}
IValue event_synchronize(Interpreter&, Arguments& arguments) {
  event_of(arguments[0]).event->synchronize();
  return IValue();
}
IValue event_elapsed_time(Interpreter&, Arguments& arguments) {
  EventObject& start = event_of(arguments[0]);
  EventObject& end = event_of(arguments[1]);
  TSC_CHECK_VALUE(start.timed && end.timed,
                  "Both events must be created with argument 'enable_timing=True'.");
  return IValue(start.event->elapsed_ms(*end.event));
}
constexpr BuiltinDef kEventMethods[] = {
    {"elapsed_time", &event_elapsed_time, 1, 1, "end_event", "Event"},
    {"query", &event_query, 0, 0, {}, "Event"},
    {"record", &event_record, 0, 1, "stream", "Event"},
    {"synchronize", &event_synchronize, 0, 0, {}, "Event"},
    {"wait", &event_wait, 0, 1, "stream", "Event"},
};
constexpr BuiltinDef kEventConstructor{"Event", &construct_event, 0, 3,
                                       "enable_timing blocking interprocess"};
constexpr Type make_event_type() {
  Type type;
  type.name = "Event";
  type.module = "torch.cuda";
  type.methods = kEventMethods;
  type.constructor = &kEventConstructor;
  return type;
}

// with torch.cuda.stream(s): it is the current one of its device, and the device is current, within.
class StreamContext final : public ContextObject {
 public:
  explicit StreamContext(const IValue& stream)
      : ContextObject(kCudaStreamContextType), is_none_(stream.is_none()) {
    if (!is_none_) stream_ = stream_of(stream);
  }
  void enter() override {
    if (is_none_) return;
    previous_.push_back({hooks().current_device(), hooks().current_stream(stream_.device)});
    hooks().set_device(stream_.device);
    hooks().set_stream(stream_);
  }
  void leave() noexcept override {
    if (previous_.empty()) return;
    hooks().set_stream(previous_.back().second);
    hooks().set_device(previous_.back().first);
    previous_.pop_back();
  }

 private:
  bool is_none_;
  CudaStream stream_;
  std::vector<std::pair<int, CudaStream>> previous_;
};
IValue construct_stream_context(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new StreamContext(arguments[0]));
}
constexpr BuiltinDef kStreamContextMethods[] = {
    {"__enter__", &enter_context, 0, 0, {}, "StreamContext"},
    {"__exit__", &leave_context, 3, 3, {}, "StreamContext"},
};
constexpr BuiltinDef kStreamContextConstructor{"StreamContext", &construct_stream_context, 1, 1,
                                               "stream"};
constexpr Type make_stream_context_type() {
  Type type;
  type.name = "StreamContext";
  type.module = "torch.cuda";
  type.methods = kStreamContextMethods;
  type.constructor = &kStreamContextConstructor;
  return type;
}

constexpr BuiltinDef kCudaFunctions[] = {
    {"_lazy_init", &init},
    {"current_device", &current_device},
    {"current_stream", &current_stream, 0, 1, "device"},
    {"default_stream", &default_stream, 0, 1, "device"},
    {"device_count", &count_devices},
    {"empty_cache", &empty_cache},
    {"get_device_capability", &get_device_capability, 0, 1, "device"},
    {"get_device_name", &get_device_name, 0, 1, "device"},
    {"get_device_properties", &get_device_properties, 0, 1, "device"},
    {"init", &init},
    {"initial_seed", &initial_seed_of_device},
    {"is_available", &is_available},
    {"is_initialized", &is_initialized},
    {"manual_seed", &manual_seed_of_device, 1, 1, "seed"},
    {"manual_seed_all", &manual_seed_all, 1, 1, "seed"},
    {"max_memory_allocated", &max_memory_allocated, 0, 1, "device"},
    {"max_memory_reserved", &max_memory_reserved, 0, 1, "device"},
    {"mem_get_info", &mem_get_info, 0, 1, "device"},
    {"memory_allocated", &memory_allocated, 0, 1, "device"},
    {"memory_reserved", &memory_reserved, 0, 1, "device"},
    {"memory_stats", &memory_stats, 0, 1, "device"},
    {"memory_summary", &memory_summary, 0, 2, "device abbreviated"},
    {"reset_peak_memory_stats", &reset_peak_memory_stats, 0, 1, "device"},
    {"set_device", &set_device, 1, 1, "device"},
    {"set_stream", &set_stream, 1, 1, "stream"},
    {"stream", &construct_stream_context, 1, 1, "stream"},
    {"synchronize", &synchronize, 0, 1, "device"},
};
constexpr ModuleConstant kCudaConstants[] = {
    {"Event", [] { return type_value(kCudaEventType); }},
    {"OutOfMemoryError", [] { return type_value(exception_type(ErrorKind::OutOfMemoryError)); }},
    {"Stream", [] { return type_value(kCudaStreamType); }},
    {"StreamContext", [] { return type_value(kCudaStreamContextType); }},
    {"device", [] { return type_value(kCudaDeviceType); }},
    {"jiterator", [] { return module_value(kJiteratorModule); }},
};

}  // namespace

constinit const Type kCudaStreamType = make_stream_type();
constinit const Type kCudaEventType = make_event_type();
constinit const Type kCudaDeviceType = make_device_type();
constinit const Type kCudaStreamContextType = make_stream_context_type();
constinit const Type kCudaPropertiesType = make_properties_type();

const ModuleInfo kCudaModule{
    .name = "torch.cuda", .functions = kCudaFunctions, .constants = kCudaConstants};

}  // namespace tsc::interp
