// MemoryLedger: which storages a profiled thread's calls allocate and free, by the bytes asked for.
// It is told of calls, and of storages that go. It owns no share of them: what asks whether it is the
// only owner of memory gets the same answer as without a profile, and memory is given back at the
// same moment.
#pragma once

#include <unordered_map>
#include <vector>

#include "dispatch/ivalue.h"

namespace tsc::observe {

class MemoryLedger {
 public:
  MemoryLedger() = default;
  ~MemoryLedger() { clear(); }
  MemoryLedger(const MemoryLedger&) = delete;
  MemoryLedger& operator=(const MemoryLedger&) = delete;

  // What a call is given was there before it, and is not counted when it is first seen here.
  void meet(const IValue* arguments, size_t number) { see(arguments, number, false); }
  // Notes a call's returns: storages that are first seen here were allocated by the call.
  void credit(const IValue* returns, size_t number) { see(returns, number, true); }
  // The storages freed and resized since the last call of this, as bytes: one item for each block
  // that was given back or taken.
  std::vector<int64_t> settle();
  // Allocated less freed, since the start.
  int64_t bytes() const { return bytes_; }
  void clear();

 private:
  struct Known {
    const StorageImpl* storage;  // null when it is gone
    size_t size;
    bool is_counted;
  };
  void see(const IValue* values, size_t number, bool is_new);
  void see(const Tensor& tensor, bool is_new);
  void change(int64_t bytes, std::vector<int64_t>& changes);
  void settle(Known& known, std::vector<int64_t>& changes);
  void forget_gone();
  void note_end(const StorageImpl& storage);
  static void note_end_in_all(const StorageImpl& storage);
  // Whether it is told of storages that go: while it knows one.
  void listen(bool on);

  std::vector<Known> known_;                               // in the order of their first sight
  std::unordered_map<const StorageImpl*, size_t> places_;  // in known_
  int64_t bytes_ = 0;
  bool is_listening_ = false;
};

}  // namespace tsc::observe
