// A plan as text.
#include <algorithm>

#include "graph/plan.h"

namespace tsc::graph {

namespace {

std::string shape_text(ScalarType dtype, IntArrayRef sizes) {
  const std::string text = fmt::format("{}", sizes);
  return fmt::format("{}({})", tsc::to_string(dtype), text.substr(1, text.size() - 2));
}

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string thousands(size_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string steps_text(size_t first, size_t last) {
  return first == last ? fmt::format("step {}", first + 1)
                       : fmt::format("steps {} to {}", first + 1, last + 1);
}

}  // namespace

std::string Plan::to_string() const {
  std::string text = "plan(";
  for (size_t i = 0; i < inputs_.size(); i++) {
    const auto buffer = std::find_if(buffers_.begin(), buffers_.end(), [&](const PlanBuffer& b) {
      return b.kind == BufferKind::Input && b.index == i;
    });
    const Tensor& tensor = values_[buffer->values[0]].tensor;
    text += fmt::format("{}{} : {}", i == 0 ? "" : ", ", buffer->name,
                        shape_text(tensor.dtype(), tensor.sizes()));
  }
  text += "):\n";
  size_t width = 0;
  for (const PlanStep& step : steps_) {
    width = std::max(width, step.text.size());
  }
  for (size_t s = 0; s < steps_.size(); s++) {
    const PlanStep& step = steps_[s];
    text += fmt::format("  {:>3}  {:<{}}{}\n", s + 1, step.text,
                        step.source.empty() ? 0 : std::min<size_t>(width, 60),
                        step.source.empty() ? "" : "  # " + step.source);
  }
  const auto buffer_line = [&](const PlanBuffer& buffer) {
    const Tensor& tensor = values_[buffer.values[0]].tensor;
    const size_t views = buffer.values.size() - 1;
    text +=
        fmt::format("    {} : {}, {}{}\n", buffer.name.empty() ? "empty" : buffer.name,
                    shape_text(tensor.dtype(), tensor.sizes()),
                    buffer.is_result ? fmt::format("from step {} on, returned", buffer.first + 1)
                                     : steps_text(buffer.first, buffer.last),
                    views == 0 ? "" : fmt::format(", {}", counted(views, "view")));
  };
  const auto used = [](const PlanBuffer& buffer) { return buffer.first != PlanBuffer::kNever; };
  for (size_t m = 0; m < memories_.size(); m++) {
    text += fmt::format("  memory {}, {} bytes:\n", m, thousands(memories_[m]));
    for (const PlanBuffer& buffer : buffers_) {
      if (buffer.memory == m) {
        buffer_line(buffer);
      }
    }
  }
  size_t each_run = 0;
  bool any = false;
  for (const PlanBuffer& buffer : buffers_) {
    const bool is_new = used(buffer) && (buffer.kind == BufferKind::Fresh ||
                                         (buffer.kind == BufferKind::Planned && buffer.is_result));
    if (is_new) {
      text += any ? "" : "  new in each run:\n";
      any = true;
      each_run += buffer.bytes;
      buffer_line(buffer);
    }
  }
  size_t kept = 0;
  for (const size_t bytes : memories_) {
    kept += bytes;
  }
  // What eager holds at most: a tensor goes after the last step that reads it.
  size_t most = 0;
  for (size_t s = 0; s < steps_.size(); s++) {
    size_t live = 0;
    for (const PlanBuffer& buffer : buffers_) {
      const bool is_made = buffer.kind == BufferKind::Planned || buffer.kind == BufferKind::Fresh;
      const bool is_live =
          used(buffer) && buffer.first <= s && (buffer.is_result || buffer.last >= s);
      live += is_made && is_live ? buffer.bytes : 0;
    }
    most = std::max(most, live);
  }
  return text + fmt::format(
                    "  bytes: {} made once, {} in each run; eager makes {} in {}, and holds "
                    "{} at most\n",
                    thousands(kept), thousands(each_run), thousands(eager_bytes_),
                    counted(eager_tensors_, "tensor"), thousands(most));
}

}  // namespace tsc::graph
