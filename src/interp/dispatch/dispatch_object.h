// The parts of the object `dispatch`.
#pragma once

#include "dispatch/operator_handle.h"
#include "interp/runtime/objects/type.h"
#include "observe/route_record.h"

namespace tsc::interp {

extern const Type kKeysScopeType;
extern const Type kWatchScopeType;
extern const Type kCountScopeType;

// A str; TypeError for anything else.
std::string_view name_argument(const Arguments& arguments, size_t i);
// The operator that a name stands for; "aten::" may be left out.
OperatorHandle operator_argument(const Arguments& arguments);

// Filters as arguments: `op`, `key` and `depth`, each absent or None for everything.
observe::RouteFilter filter_arguments(const Arguments& arguments, size_t first);

// dispatch.NAME
IValue make_keys_scope(Interpreter& interpreter, Arguments& arguments);
IValue make_watch_scope(Interpreter& interpreter, Arguments& arguments);
IValue make_count_scope(Interpreter& interpreter, Arguments& arguments);
IValue table_function(Interpreter& interpreter, Arguments& arguments);
IValue column_function(Interpreter& interpreter, Arguments& arguments);
IValue columns_function(Interpreter& interpreter, Arguments& arguments);
IValue define_key_function(Interpreter& interpreter, Arguments& arguments);
IValue undefine_key_function(Interpreter& interpreter, Arguments& arguments);
IValue who_function(Interpreter& interpreter, Arguments& arguments);
IValue switches_function(Interpreter& interpreter, Arguments& arguments);
IValue explain_function(Interpreter& interpreter, Arguments& arguments);
IValue diff_function(Interpreter& interpreter, Arguments& arguments);

}  // namespace tsc::interp
