// MemoryLedger: which storages a profiled thread's calls allocate and free, by the bytes asked for.
// It is told of calls, and looks at what it knows between them: the allocator and storages have
// nothing to do with it, and cost nothing for it.
#pragma once

#include <unordered_set>
#include <vector>

#include "dispatch/ivalue.h"

namespace tsc::keys {

class MemoryLedger {
 public:
  // What a call is given was there before it, and is not counted when it is first seen here.
  void meet(const IValue* arguments, size_t number) { see(arguments, number, false); }
  // What a call returns and nobody knew, it allocated.
  void credit(const IValue* returns, size_t number) { see(returns, number, true); }
  // The storages freed and resized since the last call of this, as bytes: one item for each block
  // that was given back or taken.
  std::vector<int64_t> settle();
  // Allocated less freed, since the start.
  int64_t bytes() const { return bytes_; }
  void clear();

 private:
  // It owns a share of each storage, so that one whose last owner it is has been dropped.
  struct Known {
    Storage storage;
    size_t size;
    bool is_counted;
  };
  void see(const IValue* values, size_t number, bool is_new);
  void see(const Tensor& tensor, bool is_new);
  void change(int64_t bytes, std::vector<int64_t>& changes);
  // Of one storage; false when it is gone.
  bool settle(Known& known, std::vector<int64_t>& changes);

  std::vector<Known> known_;  // in the order of their first sight
  std::unordered_set<const StorageImpl*> places_;
  int64_t bytes_ = 0;
};

}  // namespace tsc::keys
