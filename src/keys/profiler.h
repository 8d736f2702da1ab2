// The Profiler column: while the key is on, times what is below it, by operator. It lies under
// Autograd, so that what it sees are kernels, those of the backward pass included; composites,
// which are made of other operators above it, are not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text_layout.h"
#include "dispatch/kernel_function.h"
#include "keys/profile_table.h"

namespace tsc::keys {

class TSC_API Profile {
 public:
  void enter(const OperatorHandle& op);
  // Ends what the last enter() began.
  void leave(int64_t nanoseconds);

  bool empty() const { return rows_.empty(); }
  void clear();
  // In the order of first calls.
  const std::vector<ProfileRow>& rows() const { return rows_; }
  // As PyTorch's `key_averages().table(sort_by, row_limit)`. `sort_by` is "" (order of first
  // calls), "self_cpu_time_total", "cpu_time_total", "cpu_time" or "count", of which the largest
  // come first. AttributeError for another; a row_limit below zero is none. In `width` columns,
  // where that is given.
  std::string table(std::string_view sort_by = "", int64_t row_limit = 100,
                    size_t width = kAnyWidth) const;

 private:
  struct Open {
    size_t row;
    int64_t children_nanoseconds;
  };
  std::unordered_map<std::string_view, size_t> row_of_;
  std::vector<ProfileRow> rows_;
  std::vector<Open> open_;
};

// This thread's, which the column adds to.
TSC_API Profile& current_profile();

void profiler_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack);

}  // namespace tsc::keys
