// Columns that a script brings: a key with a record as the others have one, and its place in the
// order.
#include <algorithm>

#include "core/keys/custom_key.h"
#include "dispatch/dispatcher.h"
#include "interp/dispatch/dispatch_object.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/torch/dispatcher/key_set_object.h"

namespace tsc::interp {

namespace {

// Those that scripts have defined, as long as they are.
std::vector<DispatchKey>& defined_keys() {
  static auto* keys = new std::vector<DispatchKey>;
  return *keys;
}

}  // namespace

// define_key(name, *, purpose, above=None, below=None, looks=False)
IValue define_key_function(Interpreter&, Arguments& arguments) {
  TSC_CHECK_TYPE(has_value(arguments, 1),
                 "define_key(): purpose= says in a few words what the column does");
  const bool above = has_value(arguments, 2);
  TSC_CHECK_TYPE(above != has_value(arguments, 3),
                 "define_key() takes the key's place in the order as either above= or below=");
  const bool looks = given(arguments, 4) && is_true(arguments[4]);
  const DispatchKey key = claim_custom_key({.name = name_argument(arguments, 0),
                                            .presence = KeyPresence::Included,
                                            .role = looks ? KeyRole::Looks : KeyRole::Acts,
                                            .purpose = name_argument(arguments, 1)},
                                           above ? KeyPlace::Above : KeyPlace::Below,
                                           key_of_value(arguments[above ? 2 : 3]));
  defined_keys().push_back(key);
  return make_key(key);
}

// undefine_key(name)
IValue undefine_key_function(Interpreter&, Arguments& arguments) {
  const DispatchKey key = key_of_value(arguments[0]);
  std::vector<DispatchKey>& defined = defined_keys();
  const auto found = std::find(defined.begin(), defined.end(), key);
  TSC_CHECK_VALUE(found != defined.end(), "{} is not a key that a script has defined", key);
  Dispatcher& dispatcher = Dispatcher::singleton();
  TSC_CHECK(dispatcher.fallback(key) == nullptr && dispatcher.names_with_kernel(key).empty(),
            "{} has kernels: destroy their library first", key);
  release_custom_key(key);
  defined.erase(found);
  return IValue();
}

}  // namespace tsc::interp
