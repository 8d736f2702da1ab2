// The operators that a process calls, for a build that has no others: `--list-ops-used`.
#pragma once

#include <set>
#include <string>

#include "dispatch/route.h"

namespace tsc::observe {

// Listens from its construction on: to all calls of this thread, those within composites, of
// gradients, and of whoever looks at a tensor, to print it, included.
class TSC_API UsedOperators final : public RouteListener {
 public:
  UsedOperators();
  ~UsedOperators() override;
  UsedOperators(const UsedOperators&) = delete;
  UsedOperators& operator=(const UsedOperators&) = delete;

  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop&, const IValue*, size_t, int64_t) override {}

  // "aten::add.Tensor", a line each, sorted; in-tree operators only.
  std::string to_string() const;

 private:
  std::set<const OperatorEntry*> called_;
};

}  // namespace tsc::observe
