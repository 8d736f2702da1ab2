// What a profile shows to scripts: its events, their averages, and the list that both come in.
#pragma once

#include <memory>

#include "interp/runtime/type.h"
#include "keys/profile_recorder.h"

namespace tsc::interp {

using SharedRecorder = std::shared_ptr<keys::ProfileRecorder>;

// EventLists of FunctionEventAvg, and of FunctionEvent.
IValue make_averages(const SharedRecorder& recorder, bool by_shapes);
IValue make_events(const SharedRecorder& recorder);
// prof.key_averages().table(...), with the arguments of that name.
IValue table_of_list(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
