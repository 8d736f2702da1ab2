#include "interp/torch/tensor/number_limits.h"

#include <cmath>

#include "core/text/number_format.h"
#include "interp/torch/call/convert.h"

namespace tsc::interp {

namespace {

class LimitsObject final : public Object {
 public:
  LimitsObject(const Type& type, ScalarType dtype_) : Object(type), dtype(dtype_) {}
  ScalarType dtype;
};

ScalarType dtype_of(const IValue& self) { return self.as_object<LimitsObject>()->dtype; }

struct FloatLimits {
  int bits;
  int mantissa_bits;  // behind the point
  int max_exponent;   // largest finite value is (2 - eps) * 2^max_exponent
  int resolution_digits;
};

FloatLimits limits_of(ScalarType dtype) {
  switch (to_real_value_type(dtype)) {
    case ScalarType::Half: return {16, 10, 15, 3};
    case ScalarType::BFloat16: return {16, 7, 127, 2};
    case ScalarType::Double: return {64, 52, 1023, 15};
    case ScalarType::Float:
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble:
    case ScalarType::Bool:
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return {32, 23, 127, 6};
}

double eps_of(ScalarType dtype) { return std::ldexp(1.0, -limits_of(dtype).mantissa_bits); }
double max_of(ScalarType dtype) {
  return std::ldexp(2.0 - eps_of(dtype), limits_of(dtype).max_exponent);
}
double tiny_of(ScalarType dtype) { return std::ldexp(1.0, 1 - limits_of(dtype).max_exponent); }
double resolution_of(ScalarType dtype) {
  return std::pow(10.0, -limits_of(dtype).resolution_digits);
}

constexpr AttributeDef kFinfoAttributes[] = {
    {"bits", [](const IValue& self) { return IValue(limits_of(dtype_of(self)).bits); }},
    {"dtype",
     [](const IValue& self) { return IValue(python_name(to_real_value_type(dtype_of(self)))); }},
    {"eps", [](const IValue& self) { return IValue(eps_of(dtype_of(self))); }},
    {"max", [](const IValue& self) { return IValue(max_of(dtype_of(self))); }},
    {"min", [](const IValue& self) { return IValue(-max_of(dtype_of(self))); }},
    {"resolution", [](const IValue& self) { return IValue(resolution_of(dtype_of(self))); }},
    {"smallest_normal", [](const IValue& self) { return IValue(tiny_of(dtype_of(self))); }},
    {"tiny", [](const IValue& self) { return IValue(tiny_of(dtype_of(self))); }},
};

IValue construct_finfo(Interpreter&, Arguments& arguments) {
  const ScalarType dtype = arguments.size() == 0 ? default_dtype() : dtype_of_value(arguments[0]);
  TSC_CHECK_TYPE(is_floating_point(dtype) || is_complex(dtype),
                 "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                 "'torch.finfo'");
  return IValue::adopt(Tag::Object, new LimitsObject(kFinfoType, dtype));
}
constexpr BuiltinDef kFinfoConstructor{"finfo", &construct_finfo, 0, 1, "type"};

std::string short_float(double value) { return fmt::format("{:g}", value); }

constexpr Type make_finfo_type() {
  Type type;
  type.name = "finfo";
  type.module = "torch";
  type.attributes = kFinfoAttributes;
  type.constructor = &kFinfoConstructor;
  type.repr = [](const IValue& self, std::string& out) {
    const ScalarType dtype = dtype_of(self);
    out += fmt::format(
        "finfo(resolution={}, min={}, max={}, eps={}, smallest_normal={}, tiny={}, dtype={})",
        short_float(resolution_of(dtype)), short_float(-max_of(dtype)), short_float(max_of(dtype)),
        short_float(eps_of(dtype)), short_float(tiny_of(dtype)), short_float(tiny_of(dtype)),
        python_name(to_real_value_type(dtype)));
  };
  return type;
}

int64_t int_bits(ScalarType dtype) { return static_cast<int64_t>(element_size(dtype)) * 8; }
int64_t int_max(ScalarType dtype) {
  return dtype == ScalarType::Byte
             ? 255
             : static_cast<int64_t>((uint64_t{1} << (int_bits(dtype) - 1)) - 1);
}
int64_t int_min(ScalarType dtype) { return dtype == ScalarType::Byte ? 0 : -int_max(dtype) - 1; }

constexpr AttributeDef kIinfoAttributes[] = {
    {"bits", [](const IValue& self) { return IValue(int_bits(dtype_of(self))); }},
    {"dtype", [](const IValue& self) { return IValue(python_name(dtype_of(self))); }},
    {"max", [](const IValue& self) { return IValue(int_max(dtype_of(self))); }},
    {"min", [](const IValue& self) { return IValue(int_min(dtype_of(self))); }},
};

IValue construct_iinfo(Interpreter&, Arguments& arguments) {
  const ScalarType dtype = dtype_of_value(arguments[0]);
  TSC_CHECK_TYPE(
      dtype != ScalarType::Undefined && is_integral(dtype, false),
      "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'");
  return IValue::adopt(Tag::Object, new LimitsObject(kIinfoType, dtype));
}
constexpr BuiltinDef kIinfoConstructor{"iinfo", &construct_iinfo, 1, 1, "type"};

constexpr Type make_iinfo_type() {
  Type type;
  type.name = "iinfo";
  type.module = "torch";
  type.attributes = kIinfoAttributes;
  type.constructor = &kIinfoConstructor;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("iinfo(min={}, max={}, dtype={})", int_min(dtype_of(self)),
                       int_max(dtype_of(self)), python_name(dtype_of(self)));
  };
  return type;
}

}  // namespace

constinit const Type kFinfoType = make_finfo_type();
constinit const Type kIinfoType = make_iinfo_type();

}  // namespace tsc::interp
