// The module time.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include "core/system/interrupt.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/module.h"

namespace tsc::interp {

namespace {

int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

template <clockid_t clock>
IValue read_clock(Interpreter&, Arguments&) {
  return static_cast<double>(nanoseconds(clock)) * 1e-9;
}

template <clockid_t clock>
IValue read_clock_ns(Interpreter&, Arguments&) {
  return nanoseconds(clock);
}

// In pieces, so that Ctrl-C ends it.
IValue time_sleep(Interpreter& interpreter, Arguments& arguments) {
  const double seconds = arguments[0].is_double() ? arguments[0].as_double()
                                                  : static_cast<double>(to_index(arguments[0]));
  if (std::isnan(seconds)) {
    throw_error(ErrorKind::ValueError, "Invalid value NaN (not a number)");
  }
  if (seconds < 0) {
    throw_error(ErrorKind::ValueError, "sleep length must be non-negative");
  }
  interpreter.flush();
  constexpr double kPiece = 0.05;
  const int64_t end =
      nanoseconds(CLOCK_MONOTONIC) + static_cast<int64_t>(std::min(seconds, 9e9) * 1e9);
  while (true) {
    throw_if_interrupted();
    const double left = static_cast<double>(end - nanoseconds(CLOCK_MONOTONIC)) * 1e-9;
    if (left <= 0) {
      return {};
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kPiece)));
  }
}

std::time_t seconds_of(const Arguments& arguments, size_t i) {
  return has_value(arguments, i) ? static_cast<std::time_t>(to_double(arguments[i]))
                                 : std::time(nullptr);
}

IValue formatted_time(std::time_t seconds, const std::string& format) {
  std::tm parts{};
  localtime_r(&seconds, &parts);
  std::string text(format.size() * 4 + 256, '\0');
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &parts));
  return text;
}

IValue time_ctime(Interpreter&, Arguments& arguments) {
  return formatted_time(seconds_of(arguments, 0), "%a %b %e %H:%M:%S %Y");
}

IValue time_strftime(Interpreter&, Arguments& arguments) {
  return formatted_time(std::time(nullptr), std::string(to_text(arguments[0], "strftime", 1)));
}

constexpr BuiltinDef kTimeFunctions[] = {
    {"ctime", time_ctime, 0, 1},
    {"monotonic", read_clock<CLOCK_MONOTONIC>, 0, 0},
    {"monotonic_ns", read_clock_ns<CLOCK_MONOTONIC>, 0, 0},
    {"perf_counter", read_clock<CLOCK_MONOTONIC>, 0, 0},
    {"perf_counter_ns", read_clock_ns<CLOCK_MONOTONIC>, 0, 0},
    {"process_time", read_clock<CLOCK_PROCESS_CPUTIME_ID>, 0, 0},
    {"process_time_ns", read_clock_ns<CLOCK_PROCESS_CPUTIME_ID>, 0, 0},
    {"sleep", time_sleep, 1, 1, {}, {}, false, "time"},
    {"strftime", time_strftime, 1, 1},
    {"thread_time", read_clock<CLOCK_THREAD_CPUTIME_ID>, 0, 0},
    {"time", read_clock<CLOCK_REALTIME>, 0, 0},
    {"time_ns", read_clock_ns<CLOCK_REALTIME>, 0, 0},
};

}  // namespace

constinit const ModuleInfo kTimeModule = {.name = "time", .functions = kTimeFunctions};

}  // namespace tsc::interp
