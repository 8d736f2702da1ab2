#include "core/text/number_format.h"

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace tsc;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Append>
std::string text_of(Append append) {
  std::string out = "<";
  append(out);
  return out + ">";
}

}  // namespace

TEST_CASE("floats are written as Python's repr writes them") {
  const std::pair<double, std::string_view> cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {0.1, "0.1"},
      {-2.5, "-2.5"},
      {1e15, "1000000000000000.0"},
      {123456789012345678.0, "1.2345678901234568e+17"},
      {1e16, "1e+16"},
      {9999999999999998.0, "9999999999999998.0"},
      {0.0001, "0.0001"},
      {0.00012345, "0.00012345"},
      {0.00001, "1e-05"},
      {1.5e-7, "1.5e-07"},
      {1e100, "1e+100"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {299666.0, "299666.0"},
      {0.30000000000000004, "0.30000000000000004"},
      {kNaN, "nan"},
      {-kNaN, "nan"},
      {kInfinity, "inf"},
      {-kInfinity, "-inf"},
  };
  for (const auto& [value, expected] : cases) {
    CHECK(format_double(value) == expected);
  }
}

TEST_CASE("complex numbers are written as Python's repr writes them") {
  const std::pair<std::complex<double>, std::string_view> cases[] = {
      {{0.0, 1.0}, "1j"},
      {{0.0, -0.0}, "-0j"},
      {{-0.0, 1.0}, "(-0+1j)"},
      {{1.0, 2.0}, "(1+2j)"},
      {{1.5, -2.25}, "(1.5-2.25j)"},
      {{1e20, 1e-7}, "(1e+20+1e-07j)"},
      {{kNaN, kInfinity}, "(nan+infj)"},
      {{0.0, -kNaN}, "nanj"},
      {{1.0, -kNaN}, "(1+nanj)"},
      {{kInfinity, -kInfinity}, "(inf-infj)"},
      {{1.0, -0.0}, "(1-0j)"},
  };
  for (const auto& [value, expected] : cases) {
    CHECK(format_complex(value) == expected);
  }
}

TEST_CASE("a precision rounds to nearest, ties to even") {
  CHECK(text_of([](std::string& out) { append_fixed(out, 0.5, 0); }) == "<0>");
  CHECK(text_of([](std::string& out) { append_fixed(out, 1.5, 0); }) == "<2>");
  CHECK(text_of([](std::string& out) { append_fixed(out, 0.125, 2); }) == "<0.12>");
  CHECK(text_of([](std::string& out) { append_fixed(out, -1e22, 1); }) ==
        "<-10000000000000000000000.0>");
  CHECK(text_of([](std::string& out) { append_fixed(out, -kNaN, 4); }) == "<nan>");
  CHECK(text_of([](std::string& out) { append_scientific(out, 12345.678, 4); }) == "<1.2346e+04>");
  CHECK(text_of([](std::string& out) { append_scientific(out, 1e-100, 0); }) == "<1e-100>");
  CHECK(text_of([](std::string& out) { append_general(out, 0.0001, 6); }) == "<0.0001>");
  CHECK(text_of([](std::string& out) { append_general(out, 1234567.0, 6); }) == "<1.23457e+06>");
}

TEST_CASE("text is read as Python's float() reads it") {
  const std::pair<std::string_view, double> cases[] = {
      {"0", 0.0},
      {"-0.0", -0.0},
      {"1.5", 1.5},
      {"+2e3", 2000.0},
      {".5", 0.5},
      {"5.", 5.0},
      {"1E-2", 0.01},
      {"Infinity", kInfinity},
      {"-inf", -kInfinity},
      {"1e400", kInfinity},
      {"-1e400", -kInfinity},
      {"1e-400", 0.0},
      {"1e-99999999999999999999", 0.0},
      {"1e99999999999999999999", kInfinity},
      {"2.2250738585072014e-308", 2.2250738585072014e-308},
  };
  for (const auto& [text, expected] : cases) {
    CHECK(parse_double(text) == expected);
  }
  CHECK(parse_double("0." + std::string(400, '0') + "1") == 0.0);
  CHECK(parse_double("1" + std::string(400, '0')) == kInfinity);
  CHECK(parse_double("1" + std::string(400, '0') + "e-400") == 1.0);
  CHECK(std::isnan(*parse_double("NaN")));
  for (const std::string_view text :
       {"", "+", "-", "--1", "+-1", "1_0", "0x10", " 1", "1 ", "nan(1)", "1e", "e5", ".", "1j"}) {
    CHECK(!parse_double(text).has_value());
  }
}
