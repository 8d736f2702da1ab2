#include "keys/profiler.h"

#include <algorithm>
#include <chrono>

#include "dispatch/operator_handle.h"

namespace tsc::keys {

void Profile::enter(const OperatorHandle& op) {
  const std::string_view name = op.schema().name;
  const auto [found, is_new] = row_of_.try_emplace(name, rows_.size());
  if (is_new) {
    rows_.push_back({std::string(name)});
  }
  open_.push_back({found->second, 0});
}

void Profile::leave(int64_t nanoseconds) {
  if (open_.empty()) {
    return;  // cleared meanwhile
  }
  const Open call = open_.back();
  open_.pop_back();
  ProfileRow& row = rows_[call.row];
  row.count++;
  row.self_nanoseconds += nanoseconds - call.children_nanoseconds;
  // A call inside of a call of the same operator is part of that one's total already.
  const bool is_nested = std::any_of(open_.begin(), open_.end(),
                                     [&](const Open& outer) { return outer.row == call.row; });
  row.total_nanoseconds += is_nested ? 0 : nanoseconds;
  if (!open_.empty()) {
    open_.back().children_nanoseconds += nanoseconds;
  }
}

void Profile::clear() {
  row_of_.clear();
  rows_.clear();
  open_.clear();
}

Profile& current_profile() {
  static thread_local Profile profile;
  return profile;
}

namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// One call, from its start to its end, however it ends.
class TimedCall {
 public:
  TimedCall(Profile& profile, const OperatorHandle& op) : profile_(profile) {
    profile_.enter(op);
    start_ = now();
  }
  ~TimedCall() { profile_.leave(now() - start_); }
  TimedCall(const TimedCall&) = delete;
  TimedCall& operator=(const TimedCall&) = delete;

 private:
  Profile& profile_;
  int64_t start_;
};

}  // namespace

void profiler_fallback(const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  const TimedCall call(current_profile(), op);
  op.redispatch_boxed(keys & full_after(DispatchKey::Profiler), *stack);
}

namespace {

constexpr size_t kColumnWidth = 12;
constexpr size_t kMaxNameWidth = 55;
constexpr size_t kGap = 2;

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) {
    return fmt::format("{:.3f}s", microseconds / 1e6);
  }
  if (microseconds >= 1e3) {
    return fmt::format("{:.3f}ms", microseconds / 1e3);
  }
  return fmt::format("{:.3f}us", microseconds);
}

std::string share_text(double part, double whole) {
  return whole == 0 ? "NaN" : fmt::format("{:.2f}%", part * 100 / whole);
}

double microseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

double average(const ProfileRow& row) {
  return row.count == 0 ? 0 : microseconds(row.total_nanoseconds) / static_cast<double>(row.count);
}

double sort_value(const ProfileRow& row, std::string_view sort_by) {
  if (sort_by == "self_cpu_time_total") {
    return static_cast<double>(row.self_nanoseconds);
  }
  if (sort_by == "cpu_time_total") {
    return static_cast<double>(row.total_nanoseconds);
  }
  if (sort_by == "cpu_time") {
    return average(row);
  }
  if (sort_by == "count") {
    return static_cast<double>(row.count);
  }
  throw_error(ErrorKind::ValueError,
              "cannot sort by '{}': there are self_cpu_time_total, cpu_time_total, cpu_time and "
              "count",
              sort_by);
}

// Every cell right-aligned, with a gap behind it.
std::string line_of(size_t name_width, const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); i++) {
    line += fmt::format("{:>{}}{:{}}", cells[i], i == 0 ? name_width : kColumnWidth, "", kGap);
  }
  return line + "\n";
}

}  // namespace

std::string Profile::table(std::string_view sort_by, int64_t row_limit) const {
  if (rows_.empty()) {
    return "";
  }
  std::vector<ProfileRow> sorted = rows_;
  if (!sort_by.empty()) {
    std::stable_sort(sorted.begin(), sorted.end(), [&](const ProfileRow& a, const ProfileRow& b) {
      return sort_value(a, sort_by) > sort_value(b, sort_by);
    });
  }
  double whole = 0;
  size_t name_width = 0;
  for (const ProfileRow& row : sorted) {
    whole += microseconds(row.self_nanoseconds);
    name_width = std::max(name_width, row.name.size() + 4);
  }
  name_width = std::min(name_width, kMaxNameWidth);

  const std::vector<std::string> headers = {"Name",      "Self CPU %",   "Self CPU",  "CPU total %",
                                            "CPU total", "CPU time avg", "# of Calls"};
  std::string rule = std::string(name_width, '-') + std::string(kGap, ' ');
  for (size_t i = 1; i < headers.size(); i++) {
    rule += std::string(kColumnWidth, '-') + std::string(kGap, ' ');
  }
  rule += "\n";

  std::string text = rule + line_of(name_width, headers) + rule;
  for (size_t i = 0; i < sorted.size() && (row_limit < 0 || i < static_cast<size_t>(row_limit));
       i++) {
    const ProfileRow& row = sorted[i];
    const double self = microseconds(row.self_nanoseconds);
    const double total = microseconds(row.total_nanoseconds);
    const bool cut = row.name.size() >= kMaxNameWidth - 3;
    const std::string name = fmt::format(
        "{:.{}}{}", row.name, cut ? kMaxNameWidth - 3 : row.name.size(), cut ? "..." : "");
    text += line_of(name_width,
                    {name, share_text(self, whole), time_text(self), share_text(total, whole),
                     time_text(total), time_text(average(row)), fmt::format("{}", row.count)});
  }
  return text + rule + fmt::format("Self CPU time total: {}\n", time_text(whole));
}

}  // namespace tsc::keys
