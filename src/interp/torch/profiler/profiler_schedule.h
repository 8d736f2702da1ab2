// The action of a profile at each step of a loop: torch.profiler.ProfilerAction and schedule().
#pragma once

#include "interp/runtime/objects/type.h"

namespace tsc::interp {

enum class ProfilerAction : uint8_t { None, Warmup, Record, RecordAndSave };

extern const Type kProfilerActionType;

std::string_view to_string(ProfilerAction action);
// TypeError for anything but an action.
ProfilerAction action_of_value(const IValue& value);
// schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0): a function that
// gives the action of a step by its number.
IValue make_schedule(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
