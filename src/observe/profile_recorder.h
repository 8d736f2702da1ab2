// ProfileRecorder: every call of an operator, with composites and the steps of a backward pass, as
// a tree of events with times, shapes and memory, as torch.profiler.profile records it. It listens
// to route events and to the engine; without one, calls pay nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/engine_listener.h"
#include "dispatch/route.h"
#include "observe/memory_ledger.h"
#include "observe/profile_table.h"

namespace tsc::observe {

// Memory: one block that was given back while no other event was open.
enum class EventKind : uint8_t { Operator, Annotation, Backward, Memory };

struct ProfileEvent {
  std::string name;
  EventKind kind = EventKind::Operator;
  int64_t parent = -1;  // the number of the event that it is inside of
  int64_t start = 0;    // nanoseconds
  int64_t end = 0;
  int64_t bytes = 0;  // asked for less freed
  // For each argument, where shapes are recorded: a tensor's sizes, "" for arguments without sizes.
  std::vector<std::string> shapes{};
  std::vector<std::string> dtypes{};
  // Made of the children when the recording ends.
  int64_t self_nanoseconds = 0;
  int64_t self_bytes = 0;
};

// "[[8, 8], []]".
TSC_API std::string shapes_text(const std::vector<std::string>& shapes);

class TSC_API ProfileRecorder final : public RouteListener, public autograd::EngineListener {
 public:
  ProfileRecorder(bool shapes, bool memory) : with_shapes_(shapes), with_memory_(memory) {}
  ~ProfileRecorder() override { stop(); }
  ProfileRecorder(const ProfileRecorder&) = delete;
  ProfileRecorder& operator=(const ProfileRecorder&) = delete;

  void start();
  void stop();
  // The recorder that this thread's record_function() writes to; null for none.
  static ProfileRecorder* current();
  void push(std::string name, EventKind kind);
  void pop();

  void on_enter(const RouteHop& hop) override;
  void on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                int64_t nanoseconds) override;
  void on_step_begin(const std::string& step, std::span<const Tensor> inputs) override;
  void on_step_end() override { pop(); }

  bool with_memory() const { return with_memory_; }
  bool with_shapes() const { return with_shapes_; }
  // None before the recording has stopped.
  const std::vector<ProfileEvent>& events() const { return events_; }
  // By name, or by name and shapes, in the order of first events.
  std::vector<ProfileRow> averages(bool by_shapes) const;
  // By dispatch key: the time of every hop without the hops inside of it.
  std::vector<ProfileRow> key_rows() const;
  // For Perfetto and chrome://tracing.
  std::string chrome_trace() const;

 private:
  struct OpenHop {
    DispatchKey key;
    int64_t inside = 0;  // the time of the hops inside of this one
  };
  void settle_memory();
  void merge_overloads();
  void finish_events();

  bool with_shapes_;
  bool with_memory_;
  bool running_ = false;
  MemoryLedger memory_;
  std::vector<ProfileEvent> recorded_;
  std::vector<ProfileEvent> events_;
  std::vector<size_t> open_;
  std::vector<OpenHop> open_hops_;
  std::map<DispatchKey, ProfileRow> keys_;
};

}  // namespace tsc::observe
