#include "core/version.h"

#include <doctest/doctest.h>

TEST_CASE("version is three numbers") {
  const std::string_view version = tsc::version();
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
}
