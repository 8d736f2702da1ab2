#include "core/dimname.h"

#include <doctest/doctest.h>

namespace {

using namespace tsc;

const Dimname kAny;

}  // namespace

TEST_CASE("a name is an identifier") {
  for (const char* name : {"N", "batch_1", "_", "_x9"}) {
    CHECK(Dimname(name).text() == name);
  }
  for (const char* name : {"", "1a", "a b", "a-b", "\xc3\xa9", "*"}) {
    CHECK_THROWS_WITH(
        Dimname(std::string_view(name)),
        fmt::format("Invalid name: a valid identifier contains only digits, alphabetical "
                    "characters, and/or underscore and starts with a non-digit. got: '{}'.",
                    name)
            .c_str());
  }
}

TEST_CASE("the wildcard goes with any name, and gives way to it") {
  const Dimname n("N");
  CHECK(kAny.is_wildcard());
  CHECK(n.matches(kAny));
  CHECK(kAny.matches(n));
  CHECK(kAny.matches(kAny));
  CHECK(n.matches(Dimname("N")));
  CHECK_FALSE(n.matches(Dimname("C")));
  CHECK(n.unified(kAny) == n);
  CHECK(kAny.unified(n) == n);
  CHECK_FALSE(n == kAny);
}

TEST_CASE("names print as Python's") {
  const DimnameVector names = {Dimname("N"), kAny};
  CHECK(to_string(names[1]) == "None");
  CHECK(to_string(DimnameList(names)) == "['N', None]");
  CHECK(tuple_of_names(names) == "('N', None)");
  CHECK(tuple_of_names(DimnameList(names).slice(0, 1)) == "('N',)");
  CHECK(tuple_of_names({}) == "()");
}

TEST_CASE("only the wildcard may stand twice") {
  const DimnameVector fine = {Dimname("N"), kAny, Dimname("C"), kAny};
  check_unique_names(fine);
  const DimnameVector twice = {Dimname("N"), kAny, Dimname("N")};
  CHECK_THROWS_WITH(check_unique_names(twice),
                    "Cannot construct a tensor with duplicate names. Got names: ['N', None, 'N'].");
}
