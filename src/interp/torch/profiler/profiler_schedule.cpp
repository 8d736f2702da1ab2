#include "interp/torch/profiler/profiler_schedule.h"

#include <array>

#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

extern const Type kScheduleType;

namespace {

// --- ProfilerAction

constexpr std::array<std::string_view, 4> kNames = {"NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"};

class ActionObject final : public Object {
 public:
  explicit ActionObject(ProfilerAction shown) : Object(kProfilerActionType), action(shown) {}
  ProfilerAction action;
};

ProfilerAction action_of(const IValue& self) { return self.as_object<ActionObject>()->action; }

// One object for each: scripts compare them with `is`, too.
IValue make_action(ProfilerAction action) {
  static const auto* const actions = new std::array<IValue, kNames.size()>{
      IValue::adopt(Tag::Object, new ActionObject(ProfilerAction::None)),
      IValue::adopt(Tag::Object, new ActionObject(ProfilerAction::Warmup)),
      IValue::adopt(Tag::Object, new ActionObject(ProfilerAction::Record)),
      IValue::adopt(Tag::Object, new ActionObject(ProfilerAction::RecordAndSave))};
  return (*actions)[static_cast<size_t>(action)];
}

bool find_action(std::string_view name, IValue& result) {
  for (size_t i = 0; i < kNames.size(); i++) {
    if (kNames[i] == name) {
      result = make_action(static_cast<ProfilerAction>(i));
      return true;
    }
  }
  return false;
}

constexpr AttributeDef kActionAttributes[] = {
    {"name", [](const IValue& self) { return IValue(to_string(action_of(self))); }},
    {"value", [](const IValue& self) { return IValue(static_cast<int64_t>(action_of(self))); }},
};

constexpr Type make_action_type() {
  Type type;
  type.name = "ProfilerAction";
  type.module = "torch.profiler.profiler";
  type.attributes = kActionAttributes;
  type.find_constant = &find_action;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<ProfilerAction.{}: {}>", to_string(action_of(self)),
                       static_cast<int>(action_of(self)));
  };
  type.str = [](const IValue& self, std::string& out) {
    out += fmt::format("ProfilerAction.{}", to_string(action_of(self)));
  };
  return type;
}

// --- schedule

struct Cycle {
  int64_t wait;
  int64_t warmup;
  int64_t active;
  int64_t repeat;  // cycles; zero for no end
  int64_t skip_first;
  bool skip_first_wait;
};

ProfilerAction action_at(const Cycle& cycle, int64_t step) {
  if (step < cycle.skip_first) {
    return ProfilerAction::None;
  }
  step += (cycle.skip_first_wait ? cycle.wait : 0) - cycle.skip_first;
  const int64_t length = cycle.wait + cycle.warmup + cycle.active;
  const int64_t at = step % length;
  if ((cycle.repeat > 0 && step / length >= cycle.repeat) || at < cycle.wait) {
    return ProfilerAction::None;
  }
  if (at < cycle.wait + cycle.warmup) {
    return ProfilerAction::Warmup;
  }
  return at < length - 1 ? ProfilerAction::Record : ProfilerAction::RecordAndSave;
}

class Schedule final : public Object {
 public:
  explicit Schedule(const Cycle& of) : Object(kScheduleType), cycle(of) {}
  Cycle cycle;
};

IValue call_schedule(Interpreter&, const IValue& self, Arguments& arguments) {
  TSC_CHECK_KIND(TypeError, arguments.size() == 1,
                 "schedule_fn() takes 1 positional argument but {} were given", arguments.size());
  const int64_t step = to_index(arguments[0]);
  TSC_CHECK_KIND(AssertionError, step >= 0, "Step must be non-negative. Got {}.", step);
  return make_action(action_at(self.as_object<Schedule>()->cycle, step));
}

constexpr Type make_schedule_type() {
  Type type;
  type.name = "function";
  type.call = &call_schedule;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("<function schedule.<locals>.schedule_fn at {}>",
                       static_cast<const void*>(self.as_object<Schedule>()));
  };
  return type;
}

}  // namespace

constinit const Type kProfilerActionType = make_action_type();
constinit const Type kScheduleType = make_schedule_type();

std::string_view to_string(ProfilerAction action) { return kNames[static_cast<size_t>(action)]; }

ProfilerAction action_of_value(const IValue& value) {
  TSC_CHECK_KIND(TypeError, is_object_of(value, kProfilerActionType),
                 "a profiler's schedule gives a ProfilerAction, not {}", type_of(value).name);
  return action_of(value);
}

IValue make_schedule(Interpreter&, Arguments& arguments) {
  const auto number = [&](size_t i) { return given(arguments, i) ? to_index(arguments[i]) : 0; };
  const Cycle cycle{number(0), number(1), number(2), number(3), number(4), number(5) != 0};
  TSC_CHECK_KIND(AssertionError,
                 cycle.wait >= 0 && cycle.warmup >= 0 && cycle.active > 0 && cycle.repeat >= 0 &&
                     cycle.skip_first >= 0,
                 "Invalid profiler schedule arguments. Got wait={} (need >= 0), warmup={} (need >= "
                 "0), active={} (need > 0), repeat={} (need >= 0), skip_first={} (need >= 0).",
                 cycle.wait, cycle.warmup, cycle.active, cycle.repeat, cycle.skip_first);
  if (cycle.warmup == 0) {
    warn("Profiler won't be using warmup, this can skew profiler results");
  }
  return IValue::adopt(Tag::Object, new Schedule(cycle));
}

}  // namespace tsc::interp
