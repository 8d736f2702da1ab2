#include "observe/profile_recorder.h"

#include <algorithm>
#include <chrono>

#include "dispatch/operator_handle.h"

namespace tsc::observe {

namespace {

// The recorders of this thread, in the order of their start. They may stop in any other order.
std::vector<ProfileRecorder*>& running_recorders() {
  static thread_local std::vector<ProfileRecorder*> recorders;
  return recorders;
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string shape_text(const IValue& argument) {
  const bool is_tensor = argument.is_tensor() && argument.as_tensor().defined();
  return is_tensor ? to_string(argument.as_tensor().sizes()) : "[]";
}

std::string dtype_text(const IValue& argument) {
  if (argument.is_tensor() && argument.as_tensor().defined()) {
    return std::string(to_string(argument.as_tensor().dtype()));
  }
  return argument.is_scalar() ? "Scalar" : "";
}

}  // namespace

std::string shapes_text(const std::vector<std::string>& shapes) {
  std::string text;
  for (const std::string& shape : shapes) {
    text += (text.empty() ? "" : ", ") + shape;
  }
  return fmt::format("[{}]", text);
}

ProfileRecorder* ProfileRecorder::current() {
  return running_recorders().empty() ? nullptr : running_recorders().back();
}

void ProfileRecorder::start() {
  running_ = true;
  running_recorders().push_back(this);
  autograd::set_engine_listener(this);
  add_route_listener(this);
}

void ProfileRecorder::stop() {
  if (!running_) {
    return;
  }
  running_ = false;
  remove_route_listener(this);
  std::erase(running_recorders(), this);
  autograd::set_engine_listener(current());
  while (!open_.empty()) {
    pop();
  }
  open_hops_.clear();
  settle_memory();
  memory_.clear();
  finish_events();
}

// --- Recording ---

// Memory freed since the last event is counted in the event that is open; where none is, it becomes
// an event of its own.
void ProfileRecorder::settle_memory() {
  if (!with_memory_) {
    return;
  }
  for (const int64_t bytes : memory_.settle()) {
    if (open_.empty()) {
      const int64_t time = now();
      recorded_.push_back({.name = "[memory]",
                           .kind = EventKind::Memory,
                           .start = time,
                           .end = time,
                           .bytes = bytes});
    }
  }
}

void ProfileRecorder::push(std::string name, EventKind kind) {
  settle_memory();
  ProfileEvent event;
  event.name = std::move(name);
  event.kind = kind;
  event.parent = open_.empty() ? -1 : static_cast<int64_t>(open_.back());
  event.bytes = -memory_.bytes();
  open_.push_back(recorded_.size());
  recorded_.push_back(std::move(event));
  recorded_.back().start = now();
}

void ProfileRecorder::pop() {
  if (open_.empty()) {
    return;  // began before the recording
  }
  ProfileEvent& event = recorded_[open_.back()];
  event.end = now();
  settle_memory();
  event.bytes += memory_.bytes();
  open_.pop_back();
}

void ProfileRecorder::on_enter(const RouteHop& hop) {
  open_hops_.push_back({hop.key});
  if (hop.step != RouteStep::Call) {
    return;
  }
  if (with_memory_) {
    memory_.meet(hop.arguments, hop.num_arguments);
  }
  push(hop.op->name(), EventKind::Operator);
  for (size_t i = 0; with_shapes_ && i < hop.num_arguments; i++) {
    recorded_.back().shapes.push_back(shape_text(hop.arguments[i]));
    recorded_.back().dtypes.push_back(dtype_text(hop.arguments[i]));
  }
}

void ProfileRecorder::on_leave(const RouteHop& hop, const IValue* returns, size_t num_returns,
                               int64_t nanoseconds) {
  if (open_hops_.empty()) {
    return;  // entered before the recording
  }
  const OpenHop ended = open_hops_.back();
  open_hops_.pop_back();
  ProfileRow& row = keys_[ended.key];
  row.count++;
  row.self_nanoseconds += nanoseconds - ended.inside;
  row.total_nanoseconds += nanoseconds;
  if (!open_hops_.empty()) {
    open_hops_.back().inside += nanoseconds;
  }
  if (hop.step == RouteStep::Call) {
    if (with_memory_ && returns != nullptr) {
      memory_.credit(returns, num_returns);
    }
    pop();
  }
}

void ProfileRecorder::on_step_begin(const std::string& step, std::span<const Tensor> inputs) {
  push(step, EventKind::Backward);
  for (size_t i = 0; with_shapes_ && i < inputs.size(); i++) {
    const IValue input = inputs[i].defined() ? IValue(inputs[i]) : IValue();
    recorded_.back().shapes.push_back(shape_text(input));
    recorded_.back().dtypes.push_back(dtype_text(input));
  }
}

// --- Results ---

// As in PyTorch, an overload that only calls another one of its operator is one event with it.
void ProfileRecorder::merge_overloads() {
  std::vector<int64_t> children(recorded_.size());
  for (const ProfileEvent& event : recorded_) {
    if (event.parent >= 0) {
      children[static_cast<size_t>(event.parent)]++;
    }
  }
  std::vector<int64_t> place(recorded_.size());  // of each event, or of the one it was merged into
  for (size_t i = 0; i < recorded_.size(); i++) {
    ProfileEvent& event = recorded_[i];
    const int64_t parent = event.parent < 0 ? -1 : place[static_cast<size_t>(event.parent)];
    const auto count = event.parent < 0 ? 0 : children[static_cast<size_t>(event.parent)];
    if (parent >= 0 && count == 1 && events_[static_cast<size_t>(parent)].name == event.name) {
      place[i] = parent;
      continue;
    }
    event.parent = parent;
    place[i] = static_cast<int64_t>(events_.size());
    events_.push_back(std::move(event));
  }
  recorded_.clear();
}

void ProfileRecorder::finish_events() {
  merge_overloads();
  for (ProfileEvent& event : events_) {
    event.self_nanoseconds = event.end - event.start;
    event.self_bytes = event.bytes;
  }
  for (const ProfileEvent& event : events_) {
    if (event.parent >= 0) {
      ProfileEvent& parent = events_[static_cast<size_t>(event.parent)];
      parent.self_nanoseconds -= event.end - event.start;
      parent.self_bytes -= event.bytes;
    }
  }
}

std::vector<ProfileRow> ProfileRecorder::averages(bool by_shapes) const {
  std::map<std::string, size_t> index;
  std::vector<ProfileRow> rows;
  for (const ProfileEvent& event : events_) {
    const std::string shapes = by_shapes ? shapes_text(event.shapes) : "";
    const auto [found, is_new] = index.try_emplace(event.name + shapes, rows.size());
    if (is_new) {
      rows.push_back({.name = event.name, .shapes = shapes});
    }
    ProfileRow& row = rows[found->second];
    row.count++;
    row.self_nanoseconds += event.self_nanoseconds;
    row.total_nanoseconds += event.end - event.start;
    row.self_bytes += event.self_bytes;
    row.total_bytes += event.bytes;
  }
  return rows;
}

std::vector<ProfileRow> ProfileRecorder::key_rows() const {
  std::vector<ProfileRow> rows;
  // Highest priority first, as calls pass them.
  for (auto key = keys_.rbegin(); key != keys_.rend(); key++) {
    rows.push_back(key->second);
    rows.back().name = to_string(key->first);
  }
  return rows;
}

}  // namespace tsc::observe
