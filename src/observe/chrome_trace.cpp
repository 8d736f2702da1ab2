// A recording in the Trace Event Format of Chrome, as Kineto writes it: slices that nest, since
// each event lies inside of its parent.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "observe/profile_recorder.h"

namespace tsc::observe {

namespace {

using Json = nlohmann::ordered_json;

std::string_view category(EventKind kind) {
  return kind == EventKind::Annotation ? "user_annotation" : "cpu_op";
}

// An instant event.
Json memory_json(const ProfileEvent& event, int64_t process) {
  return {{"ph", "i"},
          {"cat", "cpu_instant_event"},
          {"s", "t"},
          {"name", event.name},
          {"pid", process},
          {"tid", process},
          {"ts", microseconds(event.start)},
          {"args", {{"Bytes", event.bytes}}}};
}

Json event_json(const ProfileEvent& event, size_t number, int64_t process) {
  if (event.kind == EventKind::Memory) {
    return memory_json(event, process);
  }
  Json arguments = {{"External id", number + 1}, {"Ev Idx", number}};
  if (!event.shapes.empty()) {
    Json shapes = Json::array();
    for (const std::string& shape : event.shapes) {
      shapes.push_back(Json::parse(shape));
    }
    arguments["Input Dims"] = std::move(shapes);
    arguments["Input type"] = event.dtypes;
  }
  return {{"ph", "X"},
          {"cat", category(event.kind)},
          {"name", event.name},
          {"pid", process},
          {"tid", process},
          {"ts", microseconds(event.start)},
          {"dur", microseconds(event.end - event.start)},
          {"args", std::move(arguments)}};
}

Json name_json(std::string_view what, std::string_view name, int64_t process) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", process}, {"args", {{"name", name}}}};
}

}  // namespace

std::string ProfileRecorder::chrome_trace() const {
  const int64_t process = getpid();
  Json events = Json::array();
  events.push_back(name_json("process_name", "tensorscope", process));
  events.push_back(name_json("thread_name", "main", process));
  for (size_t i = 0; i < events_.size(); i++) {
    events.push_back(event_json(events_[i], i, process));
  }
  const Json trace = {{"schemaVersion", 1},
                      {"profile_memory", with_memory_ ? 1 : 0},
                      {"record_shapes", with_shapes_ ? 1 : 0},
                      {"displayTimeUnit", "ms"},
                      {"traceEvents", std::move(events)}};
  return trace.dump(1) + "\n";
}

}  // namespace tsc::observe
