#include "core/error.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

ErrorKind kind_of(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::BaseException;
}

std::vector<std::string> warnings;

void keep_warning(ErrorKind category, const std::string& message) {
  warnings.push_back(fmt::format("{}: {}", to_string(category), message));
}

int evaluated = 0;

int evaluate() { return ++evaluated; }

}  // namespace

TEST_CASE("kinds are Python's, below one another as there") {
  CHECK(to_string(ErrorKind::ZeroDivisionError) == "ZeroDivisionError");
  CHECK(base_of(ErrorKind::IndexError) == ErrorKind::LookupError);
  CHECK(is_subclass(ErrorKind::IndexError, ErrorKind::Exception));
  CHECK(is_subclass(ErrorKind::IndexError, ErrorKind::IndexError));
  CHECK(is_subclass(ErrorKind::NotImplementedError, ErrorKind::RuntimeError));
  CHECK(is_subclass(ErrorKind::TabError, ErrorKind::SyntaxError));
  CHECK_FALSE(is_subclass(ErrorKind::RuntimeError, ErrorKind::NotImplementedError));
  CHECK_FALSE(is_subclass(ErrorKind::KeyboardInterrupt, ErrorKind::Exception));
  CHECK_FALSE(is_subclass(ErrorKind::KeyError, ErrorKind::IndexError));
  CHECK(base_of(ErrorKind::BaseException) == ErrorKind::BaseException);
  for (int i = 0; i < kNumErrorKinds; i++) {
    const auto kind = static_cast<ErrorKind>(i);
    CAPTURE(to_string(kind));
    CHECK(is_subclass(kind, ErrorKind::BaseException));
    CHECK(static_cast<int>(base_of(kind)) <= i);
  }
}

TEST_CASE("a check that fails throws its kind with its message") {
  CHECK(kind_of([] { TSC_CHECK(false, "no"); }) == ErrorKind::RuntimeError);
  CHECK(kind_of([] { TSC_CHECK_TYPE(false, "no"); }) == ErrorKind::TypeError);
  CHECK(kind_of([] { TSC_CHECK_VALUE(false, "no"); }) == ErrorKind::ValueError);
  CHECK(kind_of([] { TSC_CHECK_INDEX(false, "no"); }) == ErrorKind::IndexError);
  CHECK(kind_of([] { TSC_CHECK_NOT_IMPLEMENTED(false, "no"); }) == ErrorKind::NotImplementedError);
  CHECK_THROWS_WITH([] { TSC_CHECK(1 > 2, "{} is not more than {}", 1, "two"); }(),
                    "1 is not more than two");
  // The arguments of a check that holds are not looked at.
  TSC_CHECK(true, "{}", evaluate());
  CHECK(evaluated == 0);
}

TEST_CASE("a bug of our own says where it is") {
  std::string message;
  try {
    TSC_ASSERT(1 > 2);
  } catch (const Error& error) {
    message = error.message();
  }
  CHECK(message.starts_with("internal assertion failed: 1 > 2 at "));
  CHECK(message.find("error_test.cpp:") != std::string::npos);
}

TEST_CASE("notes stand beside the message, and are copied with it") {
  Error error(ErrorKind::ValueError, "bad");
  error.add_note("first");
  error.add_note("second");
  const Error copy = error;
  CHECK(copy.kind() == ErrorKind::ValueError);
  CHECK(std::string(copy.what()) == "bad");
  CHECK(copy.notes() == std::vector<std::string>{"first", "second"});
}

TEST_CASE("a warning goes to the handler") {
  const WarningHandler before = set_warning_handler(&keep_warning);
  warn("{} of {}", 1, 2);
  warn_text(ErrorKind::FutureWarning, "soon");
  CHECK((set_warning_handler(before) == &keep_warning));
  CHECK(warnings == std::vector<std::string>{"UserWarning: 1 of 2", "FutureWarning: soon"});
}
