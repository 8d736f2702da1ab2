// The modules torch.profiler and torch.autograd.profiler.
#include <algorithm>
#include <array>
#include <cerrno>

#include "core/system/file.h"
#include "interp/runtime/containers/set.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/context_decorator.h"
#include "interp/torch/modules.h"
#include "interp/torch/profiler/profiler_events.h"
#include "interp/torch/profiler/profiler_schedule.h"

namespace tsc::interp {

extern const Type kProfileType;
extern const Type kAutogradProfileType;
extern const Type kRecordFunctionType;
extern const Type kProfilerActivityType;

namespace {

// --- profile

class ProfileObject final : public ContextObject {
 public:
  ProfileObject(const Type& type, bool shapes, bool memory)
      : ContextObject(type), with_shapes(shapes), with_memory(memory) {}
  void traverse(ChildVisitor visit, void* context) override {
    visit_child(on_ready, visit, context);
    visit_child(schedule, visit, context);
  }
  void clear() noexcept override {
    on_ready = IValue();
    schedule = IValue();
  }
  void enter() override {
    if (is_enabled) {
      TSC_CHECK(is_reentrant || recorder == nullptr, "Profiler context manager is not reentrant");
      recorder = std::make_shared<observe::ProfileRecorder>(with_shapes, with_memory);
      recorder->start();
    }
  }
  void leave() noexcept override {
    if (recorder != nullptr) {
      recorder->stop();
    }
  }
  bool with_shapes;
  bool with_memory;
  bool is_enabled = true;
  bool is_reentrant = true;
  SharedRecorder recorder;
  IValue on_ready;  // called with the profile at the end of each recording
  IValue schedule;  // returns the action of each step; None: everything is recorded
  int64_t step = 0;
  ProfilerAction action = ProfilerAction::None;
};

ProfileObject& profile_of(const Arguments& arguments) {
  return *arguments[0].as_object<ProfileObject>();
}

bool flag(const Arguments& arguments, size_t i) {
  return given(arguments, i) && is_true(arguments[i]);
}

// profile(*, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
//         profile_memory=False, ...). The CPU is always profiled, and nothing else.
IValue construct_profile(Interpreter&, Arguments& arguments) {
  auto* profile = new ProfileObject(kProfileType, flag(arguments, 3), flag(arguments, 4));
  IValue result = IValue::adopt(Tag::Object, profile);
  profile->schedule = has_value(arguments, 1) ? arguments[1] : IValue();
  profile->on_ready = has_value(arguments, 2) ? arguments[2] : IValue();
  return result;
}
// torch.autograd.profiler.profile(enabled=True, *, use_cuda, use_device, record_shapes=False,
//                                 with_flops=False, profile_memory=False, ...)
IValue construct_autograd_profile(Interpreter&, Arguments& arguments) {
  auto* profile = new ProfileObject(kAutogradProfileType, flag(arguments, 3), flag(arguments, 5));
  profile->is_reentrant = false;
  profile->is_enabled = !given(arguments, 0) || is_true(arguments[0]);
  return IValue::adopt(Tag::Object, profile);
}

const SharedRecorder& recorder_of(const Arguments& arguments, std::string_view what) {
  const SharedRecorder& recorder = profile_of(arguments).recorder;
  TSC_CHECK_KIND(AssertionError, recorder != nullptr, "Profiler must be initialized before {}",
                 what);
  return recorder;
}

IValue key_averages(Interpreter&, Arguments& arguments) {
  return make_averages(recorder_of(arguments, "getting key averages"), flag(arguments, 1));
}
IValue events(Interpreter&, Arguments& arguments) {
  return make_events(recorder_of(arguments, "accessing events"));
}
IValue key_table(Interpreter&, Arguments& arguments) {
  return observe::profile_table(recorder_of(arguments, "getting key averages")->key_rows(), {});
}

IValue export_chrome_trace(Interpreter&, Arguments& arguments) {
  const std::string path(to_text(arguments[1]));
  const std::string trace = recorder_of(arguments, "exporting chrome trace")->chrome_trace();
  const File file = open_file(path, "wb");
  if (std::fwrite(trace.data(), 1, trace.size(), file.get()) != trace.size() ||
      std::fflush(file.get()) != 0) {
    throw_os_error(errno, path);
  }
  return IValue();
}

// --- Steps

bool records(ProfilerAction action) { return action >= ProfilerAction::Record; }

ProfilerAction scheduled_action(Interpreter& interpreter, const ProfileObject& profile) {
  if (profile.schedule.is_none()) {
    return ProfilerAction::Record;
  }
  return action_of_value(interpreter.call(profile.schedule, std::vector<IValue>{profile.step}));
}

void show_when_ready(Interpreter& interpreter, const IValue& self) {
  const IValue on_ready = self.as_object<ProfileObject>()->on_ready;
  if (!on_ready.is_none()) {
    interpreter.call(on_ready, std::vector<IValue>{self});
  }
}

// Each scheduled step is a separate recording; the averages are over all steps.
void begin_step(ProfileObject& profile) {
  if (!profile.schedule.is_none() && records(profile.action)) {
    profile.recorder->push("ProfilerStep*", observe::EventKind::Annotation);
  }
}
void end_step(ProfileObject& profile) {
  if (!profile.schedule.is_none() && records(profile.action)) {
    profile.recorder->pop();
  }
}

void begin_action(Interpreter& interpreter, const IValue& self, ProfilerAction next) {
  ProfileObject& profile = *self.as_object<ProfileObject>();
  const ProfilerAction before = profile.action;
  profile.action = next;
  if (before == ProfilerAction::Record && records(next)) {
    return;
  }
  if (records(before)) {
    profile.leave();
  }
  if (before == ProfilerAction::RecordAndSave) {
    show_when_ready(interpreter, self);
  } else if (before == ProfilerAction::Record ||
             (before == ProfilerAction::Warmup && next == ProfilerAction::None)) {
    warn("Incorrect schedule: {} followed by {}", to_string(before), to_string(next));
  }
  if (records(next)) {
    profile.enter();
  }
}

IValue start(Interpreter& interpreter, Arguments& arguments) {
  ProfileObject& profile = profile_of(arguments);
  profile.action = ProfilerAction::None;
  begin_action(interpreter, arguments[0], scheduled_action(interpreter, profile));
  begin_step(profile);
  return IValue();
}
IValue enter_profile(Interpreter& interpreter, Arguments& arguments) {
  start(interpreter, arguments);
  return arguments[0];
}

IValue step(Interpreter& interpreter, Arguments& arguments) {
  ProfileObject& profile = profile_of(arguments);
  end_step(profile);
  profile.step++;
  begin_action(interpreter, arguments[0], scheduled_action(interpreter, profile));
  begin_step(profile);
  return IValue();
}

IValue leave_profile(Interpreter& interpreter, Arguments& arguments) {
  ProfileObject& profile = profile_of(arguments);
  if (profile.is_reentrant && profile.schedule.is_none()) {
    recorder_of(arguments, "stopping trace");
  }
  profile.leave();
  if (records(profile.action)) {
    show_when_ready(interpreter, arguments[0]);
  }
  return IValue();
}

IValue table_of_profile(Interpreter& interpreter, Arguments& arguments) {
  arguments[0] = make_events(recorder_of(arguments, "accessing events"));
  return table_of_list(interpreter, arguments);
}

void repr_autograd_profile(const IValue& self, std::string& out) {
  const SharedRecorder& recorder = self.as_object<ProfileObject>()->recorder;
  out += recorder == nullptr ? "<unfinished torch.autograd.profile>" : str(make_events(recorder));
}

IValue self_time(const IValue& self) {
  const SharedRecorder& recorder = self.as_object<ProfileObject>()->recorder;
  return recorder == nullptr ? IValue(0.0)
                             : get_attribute(make_averages(recorder, false), "self_cpu_time_total");
}

constexpr BuiltinDef kProfileMethods[] = {
    {"__enter__", &enter_profile, 0, 0, {}, "profile"},
    {"__exit__", &leave_profile, 3, 3, {}, "profile"},
    {"events", &events, 0, 0, {}, "profile"},
    {"export_chrome_trace", &export_chrome_trace, 1, 1, "path", "profile"},
    {"key_averages", &key_averages, 0, 2, "group_by_input_shape group_by_stack_n", "profile"},
    {"key_table", &key_table, 0, 0, {}, "profile"},
    {"start", &start, 0, 0, {}, "profile"},
    {"step", &step, 0, 0, {}, "profile"},
    {"stop", &leave_profile, 0, 0, {}, "profile"},
    {"table", &table_of_profile, 0, 7,
     "sort_by row_limit max_src_column_width max_name_column_width max_shapes_column_width header "
     "top_level_events_only",
     "profile"},
};
constexpr AttributeDef kProfileAttributes[] = {
    {"function_events",
     [](const IValue& self) {
       const SharedRecorder& recorder = self.as_object<ProfileObject>()->recorder;
       return recorder == nullptr ? IValue() : make_events(recorder);
     }},
    {"self_cpu_time_total", &self_time},
    {"step_num", [](const IValue& self) { return IValue(self.as_object<ProfileObject>()->step); }},
};

constexpr BuiltinDef kProfileConstructor{
    "profile", &construct_profile, 0, 0,
    "activities schedule on_trace_ready record_shapes profile_memory with_stack with_flops "
    "with_modules experimental_config execution_trace_observer acc_events use_cuda "
    "custom_trace_id_callback"};
constexpr BuiltinDef kAutogradProfileConstructor{
    "profile", &construct_autograd_profile, 0, 1,
    "enabled use_cuda use_device record_shapes with_flops profile_memory with_stack with_modules "
    "use_kineto use_cpu experimental_config acc_events"};

constexpr Type make_profile_type(std::string_view module, const BuiltinDef& constructor) {
  Type type;
  type.name = "profile";
  type.module = module;
  type.methods = kProfileMethods;
  type.attributes = kProfileAttributes;
  type.constructor = &constructor;
  return type;
}
constexpr Type make_autograd_profile_type() {
  Type type = make_profile_type("torch.autograd.profiler", kAutogradProfileConstructor);
  type.repr = &repr_autograd_profile;
  return type;
}

// --- record_function(name, args=None)

class RecordFunction final : public ContextObject {
 public:
  explicit RecordFunction(std::string label)
      : ContextObject(kRecordFunctionType), name(std::move(label)) {}
  void enter() override {
    entered.push_back(observe::ProfileRecorder::current());
    if (entered.back() != nullptr) {
      entered.back()->push(name, observe::EventKind::Annotation);
    }
  }
  void leave() noexcept override {
    // A profile that ended in between has closed its events.
    if (!entered.empty() && entered.back() != nullptr &&
        entered.back() == observe::ProfileRecorder::current()) {
      entered.back()->pop();
    }
    if (!entered.empty()) {
      entered.pop_back();
    }
  }
  std::string name;
  std::vector<observe::ProfileRecorder*> entered;
};

IValue construct_record_function(Interpreter&, Arguments& arguments) {
  return IValue::adopt(Tag::Object, new RecordFunction(std::string(to_text(arguments[0]))));
}
constexpr BuiltinDef kRecordMethods[] = {
    {"__enter__", &enter_context_itself, 0, 0, {}, "record_function"},
    {"__exit__", &leave_context, 3, 3, {}, "record_function"},
};
constexpr BuiltinDef kRecordConstructor{"record_function", &construct_record_function, 1, 2,
                                        "name args"};
constexpr Type make_record_type() {
  Type type;
  type.name = "record_function";
  type.module = "torch.autograd.profiler";
  type.methods = kRecordMethods;
  type.constructor = &kRecordConstructor;
  type.call = &call_as_decorator;
  return type;
}

// --- ProfilerActivity

// In the order of their numbers.
constexpr std::array<std::string_view, 6> kActivities = {"CPU", "XPU",  "CUDA",
                                                         "HPU", "MTIA", "PrivateUse1"};

class Activity final : public Object {
 public:
  explicit Activity(size_t shown) : Object(kProfilerActivityType), number(shown) {}
  std::string_view name() const { return kActivities[number]; }
  size_t number;
};

const Activity& activity_of(const IValue& self) { return *self.as_object<Activity>(); }

// One object for each activity, so that `is` works.
const IValue& activity(size_t number) {
  static const auto* const activities = [] {
    auto* made = new std::array<IValue, kActivities.size()>;
    for (size_t i = 0; i < made->size(); i++) {
      (*made)[i] = IValue::adopt(Tag::Object, new Activity(i));
    }
    return made;
  }();
  return (*activities)[number];
}

bool find_activity(std::string_view name, IValue& result) {
  const auto* const found = std::find(kActivities.begin(), kActivities.end(), name);
  if (found == kActivities.end()) {
    return false;
  }
  result = activity(static_cast<size_t>(found - kActivities.begin()));
  return true;
}

constexpr AttributeDef kActivityAttributes[] = {
    {"name", [](const IValue& self) { return IValue(activity_of(self).name()); }},
    {"value",
     [](const IValue& self) { return IValue(static_cast<int64_t>(activity_of(self).number)); }},
};

constexpr Type make_activity_type() {
  Type type;
  type.name = "ProfilerActivity";
  type.module = "torch._C._profiler";
  type.attributes = kActivityAttributes;
  type.find_constant = &find_activity;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<ProfilerActivity.{}: {}>", activity_of(self).name(),
                       activity_of(self).number);
  };
  type.str = [](const IValue& self, std::string& out) {
    out += fmt::format("ProfilerActivity.{}", activity_of(self).name());
  };
  return type;
}

// The activities that can be profiled: the CPU's only.
IValue supported_activities(Interpreter&, Arguments&) {
  return make_set_from(make_list({activity(0)}));
}

constexpr BuiltinDef kProfilerFunctions[] = {
    {"schedule", &make_schedule, 3, 0, "wait warmup active repeat skip_first skip_first_wait"},
    {"supported_activities", &supported_activities},
};
constexpr ModuleConstant kProfilerConstants[] = {
    {"ProfilerAction", [] { return type_value(kProfilerActionType); }},
    {"ProfilerActivity", [] { return type_value(kProfilerActivityType); }},
    {"profile", [] { return type_value(kProfileType); }},
    {"record_function", [] { return type_value(kRecordFunctionType); }},
};
constexpr ModuleConstant kAutogradProfilerConstants[] = {
    {"profile", [] { return type_value(kAutogradProfileType); }},
    {"record_function", [] { return type_value(kRecordFunctionType); }},
};

}  // namespace

constinit const Type kProfileType = make_profile_type("torch.profiler", kProfileConstructor);
constinit const Type kAutogradProfileType = make_autograd_profile_type();
constinit const Type kRecordFunctionType = make_record_type();
constinit const Type kProfilerActivityType = make_activity_type();

const ModuleInfo kProfilerModule{
    .name = "torch.profiler", .functions = kProfilerFunctions, .constants = kProfilerConstants};
const ModuleInfo kAutogradProfilerModule{
    .name = "torch.autograd.profiler", .functions = {}, .constants = kAutogradProfilerConstants};

}  // namespace tsc::interp
