// The classes bool, int, float and complex.
#include <cmath>

#include "core/text/number_format.h"
#include "interp/runtime/objects/builtin.h"
#include "interp/runtime/objects/bytes.h"
#include "interp/runtime/objects/number.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format.h"
#include "interp/runtime/text/text.h"

namespace tsc::interp {

namespace {

// --- int and bool ---

IValue construct_int(Interpreter&, Arguments& arguments) {
  if (!given(arguments, 0)) {
    if (given(arguments, 1)) {
      throw_error(ErrorKind::TypeError, "int() missing string argument");
    }
    return 0;
  }
  const IValue& value = arguments[0];
  if (value.is_string()) {
    return parse_int(value.as_string(), given(arguments, 1) ? to_index(arguments[1]) : 10);
  }
  if (given(arguments, 1)) {
    throw_error(ErrorKind::TypeError, "int() can't convert non-string with explicit base");
  }
  if (is_object_of(value, kBytesType)) {
    return parse_int(value.as_object<BytesObject>()->data, 10);
  }
  return to_integer(value);
}

IValue construct_bool(Interpreter&, Arguments& arguments) {
  return arguments.size() > 0 && is_true(arguments[0]);
}

IValue int_bit_length(Interpreter&, Arguments& arguments) {
  const int64_t value = arguments[0].as_int();
  return std::bit_width(value < 0 ? 0 - static_cast<uint64_t>(value)
                                  : static_cast<uint64_t>(value));
}

IValue int_bit_count(Interpreter&, Arguments& arguments) {
  const int64_t value = arguments[0].as_int();
  return std::popcount(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

IValue int_itself(const IValue& self) { return self.as_int(); }
IValue int_conjugate(Interpreter&, Arguments& arguments) { return arguments[0].as_int(); }
IValue int_zero(const IValue&) { return 0; }
IValue int_one(const IValue&) { return 1; }

IValue int_as_integer_ratio(Interpreter&, Arguments& arguments) {
  return make_tuple({IValue(arguments[0].as_int()), IValue(1)});
}

void repr_int(const IValue& self, std::string& out) { out += fmt::format("{}", self.as_int()); }
void repr_bool(const IValue& self, std::string& out) { out += self.as_bool() ? "True" : "False"; }
void format_int_value(const IValue& self, std::string_view spec, std::string& out) {
  format_int(self.as_int(), spec, out, type_name(self));
}
int64_t int_index(const IValue& self) { return self.as_int(); }
double int_to_float(const IValue& self) { return static_cast<double>(self.as_int()); }

constexpr BuiltinDef kIntConstructor = {"int", construct_int, 0, 2, "/ base"};
constexpr BuiltinDef kBoolConstructor = {"bool", construct_bool, 0, 1};
constexpr BuiltinDef kIntMethods[] = {
    {"as_integer_ratio", int_as_integer_ratio, 0, 0, {}, "int"},
    {"bit_count", int_bit_count, 0, 0, {}, "int"},
    {"bit_length", int_bit_length, 0, 0, {}, "int"},
    {"conjugate", int_conjugate, 0, 0, {}, "int"},
};
constexpr AttributeDef kIntAttributes[] = {
    {"denominator", int_one},
    {"imag", int_zero},
    {"numerator", int_itself},
    {"real", int_itself},
};

// --- float ---

IValue construct_float(Interpreter&, Arguments& arguments) {
  if (arguments.size() == 0) {
    return 0.0;
  }
  const IValue& value = arguments[0];
  if (value.is_string()) {
    return parse_float(value.as_string());
  }
  const Type& type = type_of(value);
  if (type.to_float == nullptr && type.index == nullptr) {
    throw_error(ErrorKind::TypeError,
                "float() argument must be a string or a real number, not '{}'", type.name);
  }
  return to_double(value);
}

IValue float_conjugate(Interpreter&, Arguments& arguments) { return arguments[0]; }

IValue float_is_integer(Interpreter&, Arguments& arguments) {
  const double value = arguments[0].as_double();
  return std::isfinite(value) && value == std::floor(value);
}

IValue float_as_integer_ratio(Interpreter&, Arguments& arguments) {
  const double value = arguments[0].as_double();
  if (!std::isfinite(value)) {
    throw_error(std::isnan(value) ? ErrorKind::ValueError : ErrorKind::OverflowError,
                "cannot convert {} to integer ratio", std::isnan(value) ? "NaN" : "Infinity");
  }
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  while (mantissa != std::floor(mantissa)) {
    mantissa *= 2;
    exponent--;
  }
  const auto numerator = static_cast<int64_t>(mantissa);
  return exponent >= 0 ? make_tuple({IValue(int_shift_left(numerator, exponent)), IValue(1)})
                       : make_tuple({IValue(numerator), IValue(int_shift_left(1, -exponent))});
}

// 13 hexadecimal digits behind the point, as CPython writes them.
IValue float_hex(Interpreter&, Arguments& arguments) {
  const double value = arguments[0].as_double();
  if (!std::isfinite(value)) {
    return format_double(value);
  }
  int exponent = 0;
  double mantissa = std::frexp(std::fabs(value), &exponent);
  const int shift =
      value == 0 ? 0 : 1 - std::max(std::numeric_limits<double>::min_exponent - exponent, 0);
  mantissa = std::ldexp(mantissa, shift);
  exponent = value == 0 ? 0 : exponent - shift;
  const auto whole = static_cast<int>(mantissa);
  const auto digits = static_cast<uint64_t>(std::ldexp(mantissa - whole, 52));
  const std::string_view sign = std::signbit(value) ? "-" : "";
  return value == 0 ? IValue(fmt::format("{}0x0.0p+0", sign))
                    : IValue(fmt::format("{}0x{}.{:013x}p{:+}", sign, whole, digits, exponent));
}

IValue float_fromhex(Interpreter&, Arguments& arguments) {
  const std::string text(to_text(arguments[0], "fromhex", 1));
  char* end = nullptr;
  std::string hex = text;
  // Hexadecimal with or without its mark.
  const size_t sign = hex.find_first_not_of("+- ");
  if (sign != std::string::npos && hex.compare(sign, 2, "0x") != 0 &&
      std::isxdigit(static_cast<unsigned char>(hex[sign])) != 0) {
    hex.insert(sign, "0x");
  }
  const double value = std::strtod(hex.c_str(), &end);
  if (end == hex.c_str() || *end != '\0') {
    throw_error(ErrorKind::ValueError, "invalid hexadecimal floating-point string");
  }
  return value;
}

void repr_float(const IValue& self, std::string& out) { append_double(out, self.as_double()); }
void format_float_value(const IValue& self, std::string_view spec, std::string& out) {
  format_float(self.as_double(), spec, out);
}
int64_t hash_float(const IValue& self) { return hash_double(self.as_double()); }
int64_t float_to_int(const IValue& self) { return double_to_int(self.as_double()); }
double float_itself(const IValue& self) { return self.as_double(); }
IValue float_real(const IValue& self) { return self; }
IValue float_imag(const IValue&) { return 0.0; }

constexpr BuiltinDef kFloatConstructor = {"float", construct_float, 0, 1};
constexpr BuiltinDef kFloatMethods[] = {
    {"as_integer_ratio", float_as_integer_ratio, 0, 0, {}, "float"},
    {"conjugate", float_conjugate, 0, 0, {}, "float"},
    {"hex", float_hex, 0, 0, {}, "float"},
    {"is_integer", float_is_integer, 0, 0, {}, "float"},
};
constexpr BuiltinDef kFloatStatics[] = {{"fromhex", float_fromhex, 1, 1}};
constexpr AttributeDef kFloatAttributes[] = {{"imag", float_imag}, {"real", float_real}};

// --- complex ---

IValue construct_complex(Interpreter&, Arguments& arguments) {
  if (!given(arguments, 0) && !given(arguments, 1)) {
    return std::complex<double>();
  }
  if (given(arguments, 0) && arguments[0].is_string()) {
    if (given(arguments, 1)) {
      throw_error(ErrorKind::TypeError, "complex() can't take second arg if first is a string");
    }
    return parse_complex(arguments[0].as_string());
  }
  if (given(arguments, 1) && arguments[1].is_string()) {
    throw_error(ErrorKind::TypeError, "complex() second arg can't be a string");
  }
  const auto part = [&](size_t i) {
    if (!given(arguments, i)) {
      return std::complex<double>();
    }
    const Type& type = type_of(arguments[i]);
    if (!arguments[i].is_complex() && type.to_float == nullptr && type.to_complex == nullptr) {
      throw_error(ErrorKind::TypeError, "complex() {} must be a {}number, not '{}'",
                  i == 0 ? "first argument" : "second arg", i == 0 ? "string or a " : "",
                  type.name);
    }
    return to_complex_number(arguments[i]);
  };
  const std::complex<double> real = part(0);
  const std::complex<double> imag = part(1);
  if (!given(arguments, 1)) {
    return real;
  }
  // A part that is not complex adds nothing, not even a zero, which has a sign.
  const bool imag_is_complex = arguments[1].is_complex();
  return std::complex<double>(imag_is_complex ? real.real() - imag.imag() : real.real(),
                              arguments[0].is_complex() ? real.imag() + imag.real() : imag.real());
}

IValue complex_conjugate(Interpreter&, Arguments& arguments) {
  return std::conj(arguments[0].as_complex());
}
void repr_complex(const IValue& self, std::string& out) { append_complex(out, self.as_complex()); }
void format_complex_value(const IValue& self, std::string_view spec, std::string& out) {
  format_complex_number(self.as_complex(), spec, out);
}
int64_t hash_complex(const IValue& self) {
  const std::complex<double> value = self.as_complex();
  const auto hash =
      static_cast<int64_t>(static_cast<uint64_t>(hash_double(value.real())) +
                           1000003u * static_cast<uint64_t>(hash_double(value.imag())));
  return hash == -1 ? -2 : hash;
}
bool complex_truth(const IValue& self) { return self.as_complex() != 0.0; }
IValue complex_real(const IValue& self) { return self.as_complex().real(); }
IValue complex_imag(const IValue& self) { return self.as_complex().imag(); }

bool compare_complex(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  if (op != CompareOp::Equal && op != CompareOp::NotEqual) {
    return false;
  }
  std::complex<double> other;
  if (right.is_complex()) {
    other = right.as_complex();
  } else if (right.is_int() || right.is_bool() || right.is_double()) {
    // Exactly, however large the integer.
    const bool is_equal =
        left.as_complex().imag() == 0 && values_equal(IValue(left.as_complex().real()), right);
    result = is_equal == (op == CompareOp::Equal);
    return true;
  } else {
    return false;
  }
  result = (left.as_complex() == other) == (op == CompareOp::Equal);
  return true;
}

constexpr BuiltinDef kComplexConstructor = {"complex", construct_complex, 0, 2, "real imag"};
constexpr BuiltinDef kComplexMethods[] = {
    {"conjugate", complex_conjugate, 0, 0, {}, "complex"},
};
constexpr AttributeDef kComplexAttributes[] = {{"imag", complex_imag}, {"real", complex_real}};

}  // namespace

constinit const Type kIntType = {
    .name = "int",
    .methods = kIntMethods,
    .attributes = kIntAttributes,
    .constructor = &kIntConstructor,
    .repr = repr_int,
    .format = format_int_value,
    .hash = hash_of,
    .index = int_index,
    .to_int = int_index,
    .to_float = int_to_float,
};
constinit const Type kBoolType = {
    .name = "bool",
    .base = &kIntType,
    .constructor = &kBoolConstructor,
    .repr = repr_bool,
    .format = format_int_value,
    .hash = hash_of,
    .index = int_index,
    .to_int = int_index,
    .to_float = int_to_float,
};
constinit const Type kFloatType = {
    .name = "float",
    .methods = kFloatMethods,
    .attributes = kFloatAttributes,
    .statics = kFloatStatics,
    .constructor = &kFloatConstructor,
    .repr = repr_float,
    .format = format_float_value,
    .hash = hash_float,
    .to_int = float_to_int,
    .to_float = float_itself,
};
constinit const Type kComplexType = {
    .name = "complex",
    .methods = kComplexMethods,
    .attributes = kComplexAttributes,
    .constructor = &kComplexConstructor,
    .repr = repr_complex,
    .format = format_complex_value,
    .hash = hash_complex,
    .truth = complex_truth,
    .compare = compare_complex,
};

}  // namespace tsc::interp
