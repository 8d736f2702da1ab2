// A profile's events, their averages, and the list of either, as objects of scripts.
#pragma once

#include <memory>

#include "interp/runtime/objects/type.h"
#include "observe/profile_recorder.h"

namespace tsc::interp {

using SharedRecorder = std::shared_ptr<observe::ProfileRecorder>;

// EventLists of FunctionEventAvg, and of FunctionEvent.
IValue make_averages(const SharedRecorder& recorder, bool by_shapes);
IValue make_events(const SharedRecorder& recorder);
// prof.key_averages().table(...), with the arguments of that name.
IValue table_of_list(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
