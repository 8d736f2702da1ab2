#include "core/scalar.h"

#include <doctest/doctest.h>

#include <cfloat>

namespace {

using namespace tsc;

std::string refusal(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

template <class T>
bool fits(Scalar value) {
  return refusal([&] { static_cast<void>(value.to<T>()); }).empty();
}

}  // namespace

TEST_CASE("a scalar is of the kind that it was made of") {
  CHECK(Scalar().type() == ScalarType::Long);
  CHECK(Scalar(true).is_bool());
  CHECK_FALSE(Scalar(true).is_int());
  CHECK(Scalar(3).is_int());
  CHECK(Scalar(uint8_t{200}).is_int());
  CHECK(Scalar(1.5f).is_double());
  CHECK(Scalar(Half(1.5f)).to_double() == 1.5);
  CHECK(Scalar(BFloat16(1.5f)).to_double() == 1.5);
  CHECK(Scalar(std::complex<float>(1, 2)).to_complex() == std::complex<double>(1, 2));
  CHECK(Scalar(std::complex<double>(1, 2)).is_complex());
}

TEST_CASE("a scalar converts to each of the four kinds") {
  CHECK(Scalar(-3).to_double() == -3.0);
  CHECK(Scalar(-3).to_complex() == std::complex<double>(-3, 0));
  CHECK(Scalar(-2.75).to_int() == -2);
  CHECK(Scalar(std::complex<double>(2.5, 7)).to_int() == 2);
  CHECK(Scalar(std::complex<double>(2.5, 7)).to_double() == 2.5);
  CHECK(Scalar(true).to_int() == 1);
  CHECK(Scalar(0).to_bool() == false);
  CHECK(Scalar(0.25).to_bool());
  CHECK(Scalar(std::complex<double>(0, 1)).to_bool());
  CHECK_FALSE(Scalar(std::complex<double>(0, -0.0)).to_bool());
  CHECK(Scalar(INT64_MIN).to_int() == INT64_MIN);
}

TEST_CASE("integers keep to the range of the element") {
  CHECK(Scalar(127).to<int8_t>() == 127);
  CHECK(Scalar(-128).to<int8_t>() == -128);
  CHECK_FALSE(fits<int8_t>(128));
  CHECK_FALSE(fits<int8_t>(-129));
  CHECK(Scalar(32767).to<int16_t>() == 32767);
  CHECK_FALSE(fits<int16_t>(32768));
  CHECK(fits<int32_t>(int64_t{INT32_MIN}));
  CHECK_FALSE(fits<int32_t>(int64_t{INT32_MIN} - 1));
  CHECK(Scalar(INT64_MAX).to<int64_t>() == INT64_MAX);
  // uint8 takes what is negative modulo 256, down to -255.
  CHECK(Scalar(-1).to<uint8_t>() == 255);
  CHECK(Scalar(-255).to<uint8_t>() == 1);
  CHECK_FALSE(fits<uint8_t>(-256));
  CHECK_FALSE(fits<uint8_t>(256));
}

TEST_CASE("floats become integers where the range holds them, cut towards zero") {
  CHECK(Scalar(127.9).to<int8_t>() == 127);
  CHECK(Scalar(-128.9).to<int8_t>() == -128);
  CHECK_FALSE(fits<int8_t>(128.0));
  CHECK_FALSE(fits<int8_t>(-129.0));
  CHECK(Scalar(-0.5).to<uint8_t>() == 0);
  CHECK(Scalar(-1.0).to<uint8_t>() == 255);
  CHECK_FALSE(fits<uint8_t>(256.0));
  CHECK(fits<int64_t>(0x1.fffffffffffffp62));
  CHECK_FALSE(fits<int64_t>(0x1p63));
  CHECK_FALSE(fits<int32_t>(std::nan("")));
  CHECK_FALSE(fits<int32_t>(HUGE_VAL));
  CHECK(Scalar(std::nan("")).to<bool>());
}

TEST_CASE("floats round to narrower ones, and overflow is an error") {
  CHECK(Scalar(0.1).to<float>() == 0.1f);
  CHECK(Scalar(double{FLT_MAX}).to<float>() == FLT_MAX);
  CHECK_FALSE(fits<float>(double{FLT_MAX} * 2));
  CHECK(fits<float>(HUGE_VAL));
  CHECK(std::isnan(Scalar(std::nan("")).to<float>()));
  CHECK(static_cast<float>(Scalar(65504).to<Half>()) == 65504.0f);
  CHECK_FALSE(fits<Half>(65536));
  CHECK(fits<BFloat16>(65536));
  CHECK(Scalar(1e300).to<double>() == 1e300);
  CHECK(Scalar(2).to<std::complex<float>>() == std::complex<float>(2, 0));
}

TEST_CASE("a complex number becomes a real one where it is one") {
  CHECK(Scalar(std::complex<double>(2, 0)).to<float>() == 2.0f);
  CHECK(Scalar(std::complex<double>(2, 0)).to<int32_t>() == 2);
  CHECK_FALSE(fits<float>(std::complex<double>(2, 1)));
  CHECK_FALSE(fits<int64_t>(std::complex<double>(2, 1)));
  CHECK(Scalar(std::complex<double>(0, 1)).to<bool>());
}

TEST_CASE("an overflow names the type as PyTorch does") {
  const auto message = [](std::string_view type) {
    return fmt::format("value cannot be converted to type {} without overflow", type);
  };
  CHECK(refusal([] { static_cast<void>(Scalar(300).to<int8_t>()); }) == message("int8_t"));
  CHECK(refusal([] { static_cast<void>(Scalar(300).to<uint8_t>()); }) == message("uint8_t"));
  CHECK(refusal([] { static_cast<void>(Scalar(1e300).to<int32_t>()); }) == message("int"));
  CHECK(refusal([] { static_cast<void>(Scalar(1e300).to<int64_t>()); }) == message("int64_t"));
  CHECK(refusal([] { static_cast<void>(Scalar(1e300).to<Half>()); }) == message("c10::Half"));
  CHECK(refusal([] { static_cast<void>(Scalar(1e300).to<BFloat16>()); }) ==
        message("c10::BFloat16"));
  CHECK(refusal([] { static_cast<void>(Scalar(1e300).to<float>()); }) == message("float"));
}
