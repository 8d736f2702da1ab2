// The module math.
#include <cmath>
#include <numbers>

#include "interp/runtime/modules/math_functions.h"
#include "interp/runtime/objects/arithmetic.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/module.h"
#include "interp/runtime/objects/number.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"

namespace tsc::interp {

namespace {

// --- Functions of one number ---

// A NaN or an infinity that no argument brought in is an error.
double checked(double result, bool had_nan, bool was_finite, bool may_overflow) {
  if (std::isnan(result) && !had_nan) {
    throw_domain_error();
  }
  if (std::isinf(result) && was_finite) {
    if (may_overflow) {
      throw_range_error();
    }
    throw_domain_error();
  }
  return result;
}

template <double (*function)(double), bool may_overflow>
IValue unary(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  return checked(function(x), std::isnan(x), std::isfinite(x), may_overflow);
}

template <double (*function)(double, double)>
IValue binary(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  const double y = to_double(arguments[1]);
  return checked(function(x, y), std::isnan(x) || std::isnan(y),
                 std::isfinite(x) && std::isfinite(y), true);
}

double degrees(double x) { return x * (180.0 / std::numbers::pi); }
double radians(double x) { return x * (std::numbers::pi / 180.0); }

IValue math_ceil(Interpreter&, Arguments& arguments) {
  const IValue& x = arguments[0];
  return x.is_int() ? x : IValue(double_to_int(std::ceil(to_double(x))));
}
IValue math_floor(Interpreter&, Arguments& arguments) {
  const IValue& x = arguments[0];
  return x.is_int() ? x : IValue(double_to_int(std::floor(to_double(x))));
}
IValue math_trunc(Interpreter&, Arguments& arguments) {
  const IValue& x = arguments[0];
  if (!x.is_int() && !x.is_bool() && type_of(x).to_float == nullptr) {
    throw_error(ErrorKind::TypeError, "type {} doesn't define __trunc__ method", type_name(x));
  }
  return to_integer(x);
}

IValue math_isfinite(Interpreter&, Arguments& arguments) {
  return std::isfinite(to_double(arguments[0]));
}
IValue math_isinf(Interpreter&, Arguments& arguments) {
  return std::isinf(to_double(arguments[0]));
}
IValue math_isnan(Interpreter&, Arguments& arguments) {
  return std::isnan(to_double(arguments[0]));
}

IValue math_frexp(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  int exponent = 0;
  const double mantissa = std::isfinite(x) ? std::frexp(x, &exponent) : x;
  return make_tuple({IValue(mantissa), IValue(exponent)});
}

IValue math_modf(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  double whole = 0;
  const double fraction = std::modf(x, &whole);
  return make_tuple({IValue(fraction), IValue(whole)});
}

IValue math_ldexp(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  if (!arguments[1].is_int() && !arguments[1].is_bool()) {
    throw_error(ErrorKind::TypeError, "Expected an int as second argument to ldexp.");
  }
  const int64_t exponent = std::clamp<int64_t>(arguments[1].as_int(), INT32_MIN, INT32_MAX);
  const double result = std::ldexp(x, static_cast<int>(exponent));
  if (std::isinf(result) && std::isfinite(x)) {
    throw_range_error();
  }
  return result;
}

double ulp(double x) {
  x = std::fabs(x);
  if (!std::isfinite(x)) {
    return x;
  }
  const double next = std::nextafter(x, std::numeric_limits<double>::infinity());
  return std::isinf(next) ? x - std::nextafter(x, 0.0) : next - x;
}

IValue math_ulp(Interpreter&, Arguments& arguments) { return ulp(to_double(arguments[0])); }

// --- Logarithms and powers ---

template <double (*function)(double)>
double logarithm(double x) {
  if (x <= 0) {
    throw_domain_error();
  }
  return function(x);
}

IValue math_log(Interpreter&, Arguments& arguments) {
  if (arguments.keywords > 0) {
    throw_no_keywords("math.log");
  }
  if (arguments.positional < 1 || arguments.positional > 2) {
    throw_error(ErrorKind::TypeError, "math.log requires 1 to 2 arguments");
  }
  const double value = logarithm<std::log>(to_double(arguments[0]));
  return arguments.positional == 1
             ? value
             : float_divide(value, logarithm<std::log>(to_double(arguments[1])));
}
IValue math_log2(Interpreter&, Arguments& arguments) {
  return logarithm<std::log2>(to_double(arguments[0]));
}
IValue math_log10(Interpreter&, Arguments& arguments) {
  return logarithm<std::log10>(to_double(arguments[0]));
}
IValue math_log1p(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  if (x <= -1) {
    throw_domain_error();
  }
  return std::log1p(x);
}

IValue math_pow(Interpreter&, Arguments& arguments) {
  const double x = to_double(arguments[0]);
  const double y = to_double(arguments[1]);
  const double result = std::pow(x, y);
  if (std::isfinite(x) && std::isfinite(y)) {
    if (std::isnan(result) || (x == 0 && std::isinf(result))) {
      throw_domain_error();
    }
    if (std::isinf(result)) {
      throw_range_error();
    }
  }
  return result;
}

double fmod_checked(double x, double y) {
  // Python's fmod(x, inf) is x, as C's is.
  return std::fmod(x, y);
}

IValue math_isclose(Interpreter&, Arguments& arguments) {
  const double a = to_double(arguments[0]);
  const double b = to_double(arguments[1]);
  const double relative = given(arguments, 2) ? to_double(arguments[2]) : 1e-9;
  const double absolute = given(arguments, 3) ? to_double(arguments[3]) : 0.0;
  if (relative < 0 || absolute < 0) {
    throw_error(ErrorKind::ValueError, "tolerances must be non-negative");
  }
  if (a == b) {
    return true;
  }
  if (std::isinf(a) || std::isinf(b)) {
    return false;
  }
  const double difference = std::fabs(b - a);
  return difference <= std::fabs(relative * b) || difference <= std::fabs(relative * a) ||
         difference <= absolute;
}

// --- Sums and distances ---

std::vector<double> doubles_of(const IValue& iterable) {
  std::vector<double> values;
  for_each_item(iterable, [&](const IValue& item) {
    values.push_back(to_double(item));
    return true;
  });
  return values;
}

IValue math_fsum(Interpreter&, Arguments& arguments) { return exact_sum(doubles_of(arguments[0])); }

IValue math_hypot(Interpreter&, Arguments& arguments) {
  std::vector<double> coordinates;
  for (size_t i = 0; i < arguments.size(); i++) {
    coordinates.push_back(to_double(arguments[i]));
  }
  return euclidean_norm(std::move(coordinates));
}

IValue math_dist(Interpreter&, Arguments& arguments) {
  const std::vector<double> p = doubles_of(arguments[0]);
  const std::vector<double> q = doubles_of(arguments[1]);
  if (p.size() != q.size()) {
    throw_error(ErrorKind::ValueError, "both points must have the same number of dimensions");
  }
  std::vector<double> differences;
  for (size_t i = 0; i < p.size(); i++) {
    differences.push_back(p[i] - q[i]);
  }
  return euclidean_norm(std::move(differences));
}

IValue math_prod(Interpreter&, Arguments& arguments) {
  IValue product = given(arguments, 1) ? arguments[1] : IValue(1);
  for_each_item(arguments[0], [&](const IValue& item) {
    product = binary_op(BinaryOp::Multiply, product, item);
    return true;
  });
  return product;
}

// --- Integers ---

IValue math_gcd(Interpreter&, Arguments& arguments) {
  int64_t result = 0;
  for (size_t i = 0; i < arguments.size(); i++) {
    result = greatest_common_divisor(result, to_index(arguments[i]));
  }
  return result;
}

IValue math_lcm(Interpreter&, Arguments& arguments) {
  int64_t result = 1;
  for (size_t i = 0; i < arguments.size(); i++) {
    result = least_common_multiple(result, to_index(arguments[i]));
  }
  return result;
}

IValue math_comb(Interpreter&, Arguments& arguments) {
  return binomial(to_index(arguments[0]), to_index(arguments[1]));
}

IValue math_perm(Interpreter&, Arguments& arguments) {
  const int64_t n = to_index(arguments[0]);
  return has_value(arguments, 1) ? permutations(n, to_index(arguments[1])) : factorial(n);
}

IValue math_factorial(Interpreter&, Arguments& arguments) {
  return factorial(to_index(arguments[0]));
}

IValue math_isqrt(Interpreter&, Arguments& arguments) {
  return integer_square_root(to_index(arguments[0]));
}

// --- Tables ---

constexpr BuiltinDef one(std::string_view name, NativeFunction function) {
  return {name, function, 1, 1, {}, {}, false, "math"};
}
constexpr BuiltinDef two(std::string_view name, NativeFunction function) {
  return {name, function, 2, 2, {}, {}, false, "math"};
}

constexpr BuiltinDef kFunctions[] = {
    one("acos", unary<std::acos, false>),
    one("acosh", unary<std::acosh, false>),
    one("asin", unary<std::asin, false>),
    one("asinh", unary<std::asinh, false>),
    one("atan", unary<std::atan, false>),
    two("atan2", binary<std::atan2>),
    one("atanh", unary<std::atanh, false>),
    one("cbrt", unary<std::cbrt, false>),
    one("ceil", math_ceil),
    two("comb", math_comb),
    two("copysign", binary<std::copysign>),
    one("cos", unary<std::cos, false>),
    one("cosh", unary<std::cosh, true>),
    one("degrees", unary<degrees, true>),
    two("dist", math_dist),
    one("erf", unary<std::erf, false>),
    one("erfc", unary<std::erfc, false>),
    one("exp", unary<std::exp, true>),
    one("exp2", unary<std::exp2, true>),
    one("expm1", unary<std::expm1, true>),
    one("fabs", unary<std::fabs, false>),
    one("factorial", math_factorial),
    one("floor", math_floor),
    two("fmod", binary<fmod_checked>),
    one("frexp", math_frexp),
    one("fsum", math_fsum),
    one("gamma", unary<gamma_function, true>),
    {"gcd", math_gcd, 0, BuiltinDef::kAny, {}, {}, false, "math"},
    {"hypot", math_hypot, 0, BuiltinDef::kAny, {}, {}, false, "math"},
    {"isclose", math_isclose, 2, 2, "a b rel_tol abs_tol"},
    one("isfinite", math_isfinite),
    one("isinf", math_isinf),
    one("isnan", math_isnan),
    one("isqrt", math_isqrt),
    {"lcm", math_lcm, 0, BuiltinDef::kAny, {}, {}, false, "math"},
    two("ldexp", math_ldexp),
    one("lgamma", unary<log_gamma, true>),
    {"log", math_log, 1, 2, {}, {}, true, "math"},
    one("log10", math_log10),
    one("log1p", math_log1p),
    one("log2", math_log2),
    one("modf", math_modf),
    two("nextafter", binary<std::nextafter>),
    {"perm", math_perm, 1, 2, {}, {}, false, "math"},
    two("pow", math_pow),
    {"prod", math_prod, 1, 1, "/ start"},
    one("radians", unary<radians, true>),
    two("remainder", binary<std::remainder>),
    one("sin", unary<std::sin, false>),
    one("sinh", unary<std::sinh, true>),
    one("sqrt", unary<std::sqrt, false>),
    one("tan", unary<std::tan, false>),
    one("tanh", unary<std::tanh, false>),
    one("trunc", math_trunc),
    one("ulp", math_ulp),
};

constexpr ModuleConstant kConstants[] = {
    {"e", [] { return IValue(std::numbers::e); }},
    {"inf", [] { return IValue(std::numeric_limits<double>::infinity()); }},
    {"nan", [] { return IValue(std::numeric_limits<double>::quiet_NaN()); }},
    {"pi", [] { return IValue(std::numbers::pi); }},
    {"tau", [] { return IValue(2 * std::numbers::pi); }},
};

}  // namespace

constinit const ModuleInfo kMathModule = {
    .name = "math", .functions = kFunctions, .constants = kConstants};

}  // namespace tsc::interp
