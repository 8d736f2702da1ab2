#include "interp/torch/profiler/profiler_events.h"

#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

extern const Type kEventListType;
extern const Type kFunctionEventAvgType;
extern const Type kFunctionEventType;
extern const Type kIntervalType;

namespace {

constexpr double kNanosecondsPerMicrosecond = 1e3;

// "[[8, 8], []]" parsed to lists.
IValue shapes_of_text(const std::string& text) {
  std::vector<std::vector<IValue>> open;
  bool in_number = false;
  for (const char c : text) {
    if (c == '[') {
      open.emplace_back();
    } else if (c >= '0' && c <= '9') {
      const int64_t before = in_number ? open.back().back().as_int() : 0;
      if (!in_number) {
        open.back().emplace_back(0);
      }
      open.back().back() = IValue(before * 10 + (c - '0'));
    } else if (c == ']') {
      IValue list = make_list(std::move(open.back()));
      open.pop_back();
      if (open.empty()) {
        return list;
      }
      open.back().push_back(std::move(list));
    }
    in_number = c >= '0' && c <= '9';
  }
  return IValue("");
}

// --- FunctionEventAvg

class AverageObject final : public Object {
 public:
  explicit AverageObject(observe::ProfileRow shown)
      : Object(kFunctionEventAvgType), row(std::move(shown)) {}
  observe::ProfileRow row;
};

const observe::ProfileRow& row_of(const IValue& self) {
  return self.as_object<AverageObject>()->row;
}

IValue make_average(observe::ProfileRow row) {
  return IValue::adopt(Tag::Object, new AverageObject(std::move(row)));
}

constexpr std::string_view kIntegers[] = {"count", "cpu_memory_usage", "self_cpu_memory_usage"};

bool average_attribute(const IValue& self, std::string_view name, IValue& result) {
  double value = 0;
  if (!observe::profile_column(row_of(self), name, value)) {
    return false;
  }
  const bool is_integer =
      std::find(std::begin(kIntegers), std::end(kIntegers), name) != std::end(kIntegers);
  result = is_integer ? IValue(static_cast<int64_t>(value)) : IValue(value);
  return true;
}

void repr_average(const IValue& self, std::string& out) {
  const observe::ProfileRow& row = row_of(self);
  double self_time = 0;
  double time = 0;
  observe::profile_column(row, "self_cpu_time_total", self_time);
  observe::profile_column(row, "cpu_time", time);
  out += fmt::format(
      "<FunctionEventAvg key={} self_cpu_time={} cpu_time={}  self_cuda_time=0.000us "
      "cuda_time=0.000us input_shapes={} cpu_memory_usage={} cuda_memory_usage=0>",
      row.name, observe::time_text(self_time), observe::time_text(time), row.shapes,
      row.total_bytes);
}

constexpr AttributeDef kAverageAttributes[] = {
    {"input_shapes", [](const IValue& self) { return shapes_of_text(row_of(self).shapes); }},
    {"is_async", [](const IValue&) { return IValue(false); }},
    {"is_remote", [](const IValue&) { return IValue(false); }},
    {"key", [](const IValue& self) { return IValue(row_of(self).name); }},
};

// --- FunctionEvent

class EventObject final : public Object {
 public:
  EventObject(SharedRecorder of, size_t shown)
      : Object(kFunctionEventType), recorder(std::move(of)), number(shown) {}
  const observe::ProfileEvent& event() const { return recorder->events()[number]; }
  SharedRecorder recorder;
  size_t number;
};

const EventObject& event_of(const IValue& self) { return *self.as_object<EventObject>(); }

IValue make_event(const SharedRecorder& recorder, size_t number) {
  return IValue::adopt(Tag::Object, new EventObject(recorder, number));
}

IValue event_microseconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / kNanosecondsPerMicrosecond;
}

IValue event_shapes(const IValue& self) {
  std::vector<IValue> shapes;
  for (const std::string& shape : event_of(self).event().shapes) {
    shapes.push_back(shapes_of_text(shape));
  }
  return make_list(std::move(shapes));
}

IValue event_parent(const IValue& self) {
  const int64_t parent = event_of(self).event().parent;
  return parent < 0 ? IValue() : make_event(event_of(self).recorder, static_cast<size_t>(parent));
}

IValue event_children(const IValue& self) {
  const EventObject& object = event_of(self);
  std::vector<IValue> children;
  const std::vector<observe::ProfileEvent>& events = object.recorder->events();
  const auto number = static_cast<int64_t>(object.number);
  // An event's children follow it without a gap.
  for (size_t i = object.number + 1; i < events.size() && events[i].parent >= number; i++) {
    if (events[i].parent == number) {
      children.push_back(make_event(object.recorder, i));
    }
  }
  return make_list(std::move(children));
}

IValue event_total(const IValue& self) {
  return event_microseconds(event_of(self).event().end - event_of(self).event().start);
}

// --- Interval: `event.time_range`, in microseconds

class IntervalObject final : public Object {
 public:
  IntervalObject(int64_t from, int64_t to) : Object(kIntervalType), start(from), end(to) {}
  int64_t start;
  int64_t end;
};

const IntervalObject& interval_of(const IValue& self) { return *self.as_object<IntervalObject>(); }

IValue event_interval(const IValue& self) {
  const observe::ProfileEvent& event = event_of(self).event();
  return IValue::adopt(Tag::Object, new IntervalObject(event.start, event.end));
}
IValue elapsed(Interpreter&, Arguments& arguments) {
  const IntervalObject& interval = interval_of(arguments[0]);
  return event_microseconds(interval.end - interval.start);
}
constexpr BuiltinDef kIntervalMethods[] = {
    {"elapsed_us", &elapsed, 0, 0, {}, "Interval"},
};
constexpr AttributeDef kIntervalAttributes[] = {
    {"end", [](const IValue& self) { return event_microseconds(interval_of(self).end); }},
    {"start", [](const IValue& self) { return event_microseconds(interval_of(self).start); }},
};

constexpr AttributeDef kEventAttributes[] = {
    {"count", [](const IValue&) { return IValue(1); }},
    {"cpu_children", &event_children},
    {"cpu_memory_usage", [](const IValue& self) { return IValue(event_of(self).event().bytes); }},
    {"cpu_parent", &event_parent},
    {"cpu_time_total", &event_total},
    {"id", [](const IValue& self) { return IValue(event_of(self).number + 1); }},
    {"input_shapes", &event_shapes},
    {"is_user_annotation",
     [](const IValue& self) {
       return IValue(event_of(self).event().kind == observe::EventKind::Annotation);
     }},
    {"key", [](const IValue& self) { return IValue(event_of(self).event().name); }},
    {"name", [](const IValue& self) { return IValue(event_of(self).event().name); }},
    {"self_cpu_memory_usage",
     [](const IValue& self) { return IValue(event_of(self).event().self_bytes); }},
    {"self_cpu_time_total",
     [](const IValue& self) {
       return event_microseconds(event_of(self).event().self_nanoseconds);
     }},
    {"sequence_nr", [](const IValue&) { return IValue(-1); }},
    {"thread", [](const IValue&) { return IValue(1); }},
    {"time_range", &event_interval},
};

void repr_event(const IValue& self, std::string& out) {
  out +=
      fmt::format("<FunctionEvent id={} name={} cpu_time={}>", event_of(self).number + 1,
                  event_of(self).event().name, observe::time_text(event_total(self).as_double()));
}

// --- EventList

class EventListObject final : public Object {
 public:
  EventListObject(SharedRecorder of, std::vector<observe::ProfileRow> shown,
                  std::vector<IValue> values)
      : Object(kEventListType),
        recorder(std::move(of)),
        rows(std::move(shown)),
        items(make_list(std::move(values))) {}
  void traverse(ChildVisitor visit, void* context) override { visit_child(items, visit, context); }
  void clear() noexcept override { items = IValue(); }
  SharedRecorder recorder;
  std::vector<observe::ProfileRow> rows;
  IValue items;
};

const EventListObject& list_of(const IValue& self) { return *self.as_object<EventListObject>(); }

// Every event as a row of its own.
observe::ProfileRow row_of_event(const observe::ProfileEvent& event) {
  return {.name = event.name,
          .count = 1,
          .self_nanoseconds = event.self_nanoseconds,
          .total_nanoseconds = event.end - event.start,
          .self_bytes = event.self_bytes,
          .total_bytes = event.bytes,
          .shapes = observe::shapes_text(event.shapes)};
}

// The sum of all rows; nested events are counted in each event that contains them.
IValue total_average(Interpreter&, Arguments& arguments) {
  observe::ProfileRow total{.name = "Total"};
  for (const observe::ProfileRow& row : list_of(arguments[0]).rows) {
    total.count += row.count;
    total.self_nanoseconds += row.self_nanoseconds;
    total.total_nanoseconds += row.total_nanoseconds;
    total.self_bytes += row.self_bytes;
    total.total_bytes += row.total_bytes;
  }
  return make_average(std::move(total));
}

IValue self_time_of_list(const IValue& self) {
  int64_t total = 0;
  for (const observe::ProfileRow& row : list_of(self).rows) {
    total += row.self_nanoseconds;
  }
  return event_microseconds(total);
}

IValue list_text(const IValue& self, const observe::TableOptions& options) {
  observe::TableOptions with_memory = options;
  with_memory.memory = list_of(self).recorder->with_memory();
  return observe::profile_table(list_of(self).rows, with_memory);
}

constexpr BuiltinDef kListMethods[] = {
    {"table", &table_of_list, 0, 7,
     "sort_by row_limit max_src_column_width max_name_column_width max_shapes_column_width header "
     "top_level_events_only",
     "EventList"},
    {"total_average", &total_average, 0, 0, {}, "EventList"},
};
constexpr AttributeDef kListAttributes[] = {
    {"self_cpu_time_total", &self_time_of_list},
};

constexpr Type make_type(std::string_view name, std::span<const AttributeDef> attributes,
                         void (*repr)(const IValue&, std::string&)) {
  Type type;
  type.name = name;
  type.module = "torch.autograd.profiler_util";
  type.attributes = attributes;
  type.repr = repr;
  return type;
}
constexpr Type make_average_type() {
  Type type = make_type("FunctionEventAvg", kAverageAttributes, &repr_average);
  type.get_attribute = &average_attribute;
  return type;
}
constexpr Type make_interval_type() {
  Type type = make_type("Interval", kIntervalAttributes, nullptr);
  type.methods = kIntervalMethods;
  return type;
}
constexpr Type make_list_type() {
  Type type = make_type("EventList", kListAttributes, [](const IValue& self, std::string& out) {
    out += list_text(self, {}).as_string();
  });
  type.methods = kListMethods;
  type.length = [](const IValue& self) { return length_of(list_of(self).items); };
  type.iterate = [](const IValue& self) { return get_iterator(list_of(self).items); };
  type.get_item = [](const IValue& self, const IValue& key) {
    return get_item(list_of(self).items, key);
  };
  return type;
}

}  // namespace

constinit const Type kFunctionEventAvgType = make_average_type();
constinit const Type kFunctionEventType = make_type("FunctionEvent", kEventAttributes, &repr_event);
constinit const Type kIntervalType = make_interval_type();
constinit const Type kEventListType = make_list_type();

// table(sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
//       max_shapes_column_width=80, header=None, top_level_events_only=False)
IValue table_of_list(Interpreter&, Arguments& arguments) {
  observe::TableOptions options;
  options.sort_by = has_value(arguments, 1) ? to_text(arguments[1]) : "";
  options.row_limit = given(arguments, 2) ? to_index(arguments[2]) : options.row_limit;
  options.max_name_width =
      has_value(arguments, 4) ? to_index(arguments[4]) : options.max_name_width;
  options.max_shapes_width =
      has_value(arguments, 5) ? to_index(arguments[5]) : options.max_shapes_width;
  options.header = has_value(arguments, 6) ? to_text(arguments[6]) : "";
  return list_text(arguments[0], options);
}

IValue make_averages(const SharedRecorder& recorder, bool by_shapes) {
  std::vector<observe::ProfileRow> rows = recorder->averages(by_shapes && recorder->with_shapes());
  std::vector<IValue> values;
  values.reserve(rows.size());
  for (const observe::ProfileRow& row : rows) {
    values.push_back(make_average(row));
  }
  return IValue::adopt(Tag::Object,
                       new EventListObject(recorder, std::move(rows), std::move(values)));
}

IValue make_events(const SharedRecorder& recorder) {
  std::vector<observe::ProfileRow> rows;
  std::vector<IValue> values;
  for (size_t i = 0; i < recorder->events().size(); i++) {
    rows.push_back(row_of_event(recorder->events()[i]));
    values.push_back(make_event(recorder, i));
  }
  return IValue::adopt(Tag::Object,
                       new EventListObject(recorder, std::move(rows), std::move(values)));
}

}  // namespace tsc::interp
