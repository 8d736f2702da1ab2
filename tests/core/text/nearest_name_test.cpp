#include "core/text/nearest_name.h"

#include <doctest/doctest.h>

using namespace tsc;

TEST_CASE("a slip of the fingers is found") {
  const std::vector<std::string> names = {"Autograd", "Profiler", "Tracer", "relu", "--version"};
  CHECK(nearest_of("Profilr", names) == "Profiler");
  CHECK(nearest_of("profiler", names) == "Profiler");
  CHECK(nearest_of("Autogard", names) == "Autograd");
  CHECK(nearest_of("rleu", names) == "relu");
  CHECK(nearest_of("Profilr", {"profile", "Profiler"}) == "Profiler");
  CHECK(nearest_of("profilr", {"profile", "Profiler"}) == "profile");
  CHECK(nearest_of("--versoin", names) == "--version");
}

TEST_CASE("another name is not taken for a slip") {
  const std::vector<std::string> names = {"torch", "on", "relu"};
  CHECK(nearest_of("nosuch", names).empty());
  CHECK(nearest_of("x", names).empty());
  CHECK(nearest_of("", names).empty());
  CHECK(nearest_of(std::string(100'000, 'x'), names).empty());
  CHECK(did_you_mean("nosuch", names, "; `:keys` lists them") == "; `:keys` lists them");
  CHECK(did_you_mean("reul", names) == "; did you mean 'relu'?");
}
