#include "observe/used_operators.h"

#include <vector>

#include "dispatch/looker_scope.h"
#include "dispatch/operator_entry.h"

namespace tsc::observe {

UsedOperators::UsedOperators() {
  LookerScope::lookers_are_watched = true;
  add_route_listener(this);
}

UsedOperators::~UsedOperators() {
  remove_route_listener(this);
  LookerScope::lookers_are_watched = false;
}

void UsedOperators::on_enter(const RouteHop& hop) { called_.insert(hop.op); }

std::string UsedOperators::to_string() const {
  std::set<std::string> names;
  for (const OperatorEntry* entry : called_) {
    if (entry->row() != nullptr) {
      names.insert(entry->qualified_name());
    }
  }
  std::string text;
  for (const std::string& name : names) {
    text += name + "\n";
  }
  return text;
}

}  // namespace tsc::observe
