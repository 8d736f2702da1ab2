// The Profiler column: while the key is on, times the calls below it, by operator. It lies below
// Autograd, so it times kernels, those of the backward pass included; composites, which call other
// operators above it, are not timed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/text_layout.h"
#include "dispatch/kernel_function.h"
#include "observe/profile_table.h"

namespace tsc::keys {

class TSC_API Profile {
 public:
  void enter(const OperatorHandle& op);
  // Ends the event that the last enter() began.
  void leave(int64_t nanoseconds);

  bool empty() const { return rows_.empty(); }
  void clear();
  // In the order of first calls.
  const std::vector<observe::ProfileRow>& rows() const { return rows_; }
  // The form of PyTorch's `key_averages().table(sort_by, row_limit)`. `sort_by` is "" (order of
  // first calls), "self_cpu_time_total", "cpu_time_total", "cpu_time" or "count", by which the
  // largest come first. AttributeError for any other; a negative row_limit means all rows. Laid out
  // for `width` columns where that is given.
  std::string table(std::string_view sort_by = "", int64_t row_limit = 100,
                    size_t width = kAnyWidth) const;

 private:
  struct Open {
    size_t row;
    int64_t children_nanoseconds;
  };
  std::unordered_map<std::string_view, size_t> row_of_;
  std::vector<observe::ProfileRow> rows_;
  std::vector<Open> open_;
};

// This thread's profile, which the column adds to.
TSC_API Profile& current_profile();

void profiler_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
