#include "core/error.h"

#include <atomic>
#include <cstdio>

namespace tsc {

namespace {

void write_warning_to_stderr(ErrorKind category, const std::string& message) {
  fmt::print(stderr, "{}: {}\n", to_string(category), message);
}

std::atomic<WarningHandler> warning_handler{&write_warning_to_stderr};

}  // namespace

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
Error::Error(const Error&) = default;
Error::~Error() = default;

void Error::add_note(std::string note) { notes_.push_back(std::move(note)); }

std::string_view to_string(ErrorKind kind) {
  static constexpr std::string_view kNames[] = {
#define TSC_NAME(name, base) #name,
      TSC_FORALL_ERROR_KINDS(TSC_NAME)
#undef TSC_NAME
  };
  return kNames[static_cast<size_t>(kind)];
}

ErrorKind base_of(ErrorKind kind) {
  static constexpr ErrorKind kBases[] = {
#define TSC_BASE(name, base) ErrorKind::base,
      TSC_FORALL_ERROR_KINDS(TSC_BASE)
#undef TSC_BASE
  };
  return kBases[static_cast<size_t>(kind)];
}

bool is_subclass(ErrorKind kind, ErrorKind base) {
  while (kind != base) {
    if (kind == ErrorKind::BaseException) {
      return false;
    }
    kind = base_of(kind);
  }
  return true;
}

void throw_error_text(ErrorKind kind, std::string message) {
  throw Error(kind, std::move(message));
}

void throw_error_format(ErrorKind kind, fmt::string_view format, fmt::format_args args) {
  throw Error(kind, fmt::vformat(format, args));
}

void internal_assert_failed(const char* expression, const char* file, int line) {
  throw Error(ErrorKind::RuntimeError,
              fmt::format("internal assertion failed: {} at {}:{}; please report this as a bug",
                          expression, file, line));
}

WarningHandler set_warning_handler(WarningHandler handler) {
  return warning_handler.exchange(handler);
}

void warn_text(ErrorKind category, const std::string& message) {
  warning_handler.load()(category, message);
}

}  // namespace tsc
