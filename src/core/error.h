// Errors are data until they are printed: a kind (Python's category) and a message (PyTorch's
// wording).
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/macros.h"

namespace tsc {

// One row a kind: the name is Python's own, by which `except NAME` in a script catches it. The
// second column is the kind's base class in Python's hierarchy.
#define TSC_FORALL_ERROR_KINDS(_)       \
  _(BaseException, BaseException)       \
  _(Exception, BaseException)           \
  _(KeyboardInterrupt, BaseException)   \
  _(SystemExit, BaseException)          \
  _(GeneratorExit, BaseException)       \
  _(ArithmeticError, Exception)         \
  _(OverflowError, ArithmeticError)     \
  _(ZeroDivisionError, ArithmeticError) \
  _(AssertionError, Exception)          \
  _(AttributeError, Exception)          \
  _(EOFError, Exception)                \
  _(ImportError, Exception)             \
  _(ModuleNotFoundError, ImportError)   \
  _(LookupError, Exception)             \
  _(IndexError, LookupError)            \
  _(KeyError, LookupError)              \
  _(MemoryError, Exception)             \
  _(NameError, Exception)               \
  _(UnboundLocalError, NameError)       \
  _(OSError, Exception)                 \
  _(FileNotFoundError, OSError)         \
  _(FileExistsError, OSError)           \
  _(IsADirectoryError, OSError)         \
  _(PermissionError, OSError)           \
  _(RuntimeError, Exception)            \
  _(NotImplementedError, RuntimeError)  \
  _(RecursionError, RuntimeError)       \
  _(OutOfMemoryError, RuntimeError)     \
  _(LinAlgError, RuntimeError)          \
  _(StopIteration, Exception)           \
  _(SyntaxError, Exception)             \
  _(IndentationError, SyntaxError)      \
  _(TabError, IndentationError)         \
  _(TypeError, Exception)               \
  _(ValueError, Exception)              \
  _(UnicodeError, ValueError)           \
  _(UnicodeDecodeError, UnicodeError)   \
  _(UnicodeEncodeError, UnicodeError)   \
  _(Warning, Exception)                 \
  _(UserWarning, Warning)               \
  _(DeprecationWarning, Warning)        \
  _(FutureWarning, Warning)             \
  _(RuntimeWarning, Warning)            \
  _(TracerWarning, Warning)             \
  _(TracingCheckError, Exception)

enum class ErrorKind : uint8_t {
#define TSC_DEFINE_KIND(name, base) name,
  TSC_FORALL_ERROR_KINDS(TSC_DEFINE_KIND)
#undef TSC_DEFINE_KIND
};

inline constexpr int kNumErrorKinds = 0
#define TSC_COUNT_KIND(name, base) +1
    TSC_FORALL_ERROR_KINDS(TSC_COUNT_KIND)
#undef TSC_COUNT_KIND
    ;

TSC_API std::string_view to_string(ErrorKind kind);
// The kind that Python's hierarchy puts above `kind`; BaseException is its own base.
TSC_API ErrorKind base_of(ErrorKind kind);
TSC_API bool is_subclass(ErrorKind kind, ErrorKind base);

class TSC_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);
  Error(const Error&);
  ~Error() override;
  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }
  // Lines that are printed below the message and are not part of it.
  const std::vector<std::string>& notes() const { return notes_; }
  void add_note(std::string note);

 private:
  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> notes_;
};

// Throws tsc::Error.
[[noreturn]] TSC_API TSC_COLD void throw_error_text(ErrorKind kind, std::string message);
[[noreturn]] TSC_API TSC_COLD void throw_error_format(ErrorKind kind, fmt::string_view format,
                                                      fmt::format_args args);
[[noreturn]] TSC_API TSC_COLD void internal_assert_failed(const char* expression, const char* file,
                                                          int line);

template <class... Args>
[[noreturn]] TSC_COLD void throw_error(ErrorKind kind, fmt::format_string<Args...> format,
                                       Args&&... args) {
  throw_error_format(kind, format, fmt::make_format_args(args...));
}

// A warning reaches the installed handler (by default stderr, "UserWarning: ..."); warn() itself
// never throws.
using WarningHandler = void (*)(ErrorKind category, const std::string& message);
TSC_API WarningHandler set_warning_handler(WarningHandler handler);
TSC_API TSC_COLD void warn_text(ErrorKind category, const std::string& message);
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  warn_text(ErrorKind::UserWarning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace tsc

// User mistakes: the message is a fmt format string with its arguments.
#define TSC_CHECK_KIND(kind, condition, ...)                   \
  do {                                                         \
    if (TSC_UNLIKELY(!(condition))) {                          \
      ::tsc::throw_error(::tsc::ErrorKind::kind, __VA_ARGS__); \
    }                                                          \
  } while (false)
#define TSC_CHECK(condition, ...) TSC_CHECK_KIND(RuntimeError, condition, __VA_ARGS__)
#define TSC_CHECK_TYPE(condition, ...) TSC_CHECK_KIND(TypeError, condition, __VA_ARGS__)
#define TSC_CHECK_VALUE(condition, ...) TSC_CHECK_KIND(ValueError, condition, __VA_ARGS__)
#define TSC_CHECK_INDEX(condition, ...) TSC_CHECK_KIND(IndexError, condition, __VA_ARGS__)
#define TSC_CHECK_NOT_IMPLEMENTED(condition, ...) \
  TSC_CHECK_KIND(NotImplementedError, condition, __VA_ARGS__)

// Our own bugs.
#define TSC_ASSERT(condition)                                        \
  do {                                                               \
    if (TSC_UNLIKELY(!(condition))) {                                \
      ::tsc::internal_assert_failed(#condition, __FILE__, __LINE__); \
    }                                                                \
  } while (false)
