// The module torch.testing: assert_close, and the messages of its AssertionErrors.
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/number.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/runtime/objects/value_types.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/modules.h"

namespace tsc::interp {
namespace {

constinit OperatorRef abs_op("aten::abs", "");
constinit OperatorRef count_nonzero_op("aten::count_nonzero", "");
constinit OperatorRef argmax_op("aten::argmax", "");
constinit OperatorRef div_op("aten::div", "Tensor");
constinit OperatorRef flatten_op("aten::flatten", "using_ints");
constinit OperatorRef isclose_op("aten::isclose", "");
constinit OperatorRef item_op("aten::item", "");
constinit OperatorRef masked_fill_op("aten::masked_fill", "Scalar");
constinit OperatorRef select_op("aten::select", "int");
constinit OperatorRef sub_op("aten::sub", "Tensor");
constinit OperatorRef to_dtype_op("aten::to", "dtype");

// Tolerances as the caller wrote them, for messages.
struct Tolerance {
  IValue relative;
  IValue absolute;

  double rtol() const { return to_double(relative); }
  double atol() const { return to_double(absolute); }
  bool is_exact() const { return rtol() == 0 && atol() == 0; }
};

// The default tolerances of a dtype.
Tolerance default_tolerance(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half: return {1e-3, 1e-5};
    case ScalarType::BFloat16: return {1.6e-2, 1e-5};
    case ScalarType::Float:
    case ScalarType::ComplexFloat: return {1.3e-6, 1e-5};
    case ScalarType::Double:
    case ScalarType::ComplexDouble: return {1e-7, 1e-7};
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::Bool:
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::Undefined: break;
  }
  return {0, 0};
}

ScalarType dtype_of_number(const IValue& number) {
  if (number.is_complex()) {
    return ScalarType::ComplexDouble;
  }
  return number.is_double() ? ScalarType::Double : ScalarType::Long;
}

class Comparison {
 public:
  // assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False,
  // check_device=True, check_dtype=True, check_layout=True, check_stride=False, msg=None)
  Comparison(Interpreter& interpreter, const Arguments& arguments)
      : interpreter_(interpreter),
        equal_nan_(flag(arguments, 5, false)),
        check_device_(flag(arguments, 6, true)),
        check_dtype_(flag(arguments, 7, true)),
        check_stride_(flag(arguments, 9, false)) {
    const bool has_rtol = has_value(arguments, 3);
    const bool has_atol = has_value(arguments, 4);
    TSC_CHECK_VALUE(has_rtol == has_atol,
                    "Both 'rtol' and 'atol' must be either specified or omitted, but got no {}.",
                    has_rtol ? "atol" : "rtol");
    if (has_rtol) {
      given_ = Tolerance{arguments[3], arguments[4]};
    }
    if (has_value(arguments, 10)) {
      message_ = arguments[10];
    }
  }

  void compare(const IValue& actual, const IValue& expected) {
    if (actual.is_none() || expected.is_none()) {
      check(actual.is_none() && expected.is_none(), "None mismatch: {} is not {}", actual,
            expected);
    } else if (actual.is_bool() && expected.is_bool()) {
      check(actual.as_bool() == expected.as_bool(), "Booleans mismatch: {} is not {}", actual,
            expected);
    } else if (actual.is_tensor() && expected.is_tensor()) {
      compare_tensors(actual, expected);
    } else if (is_number(actual) && is_number(expected)) {
      compare_numbers(actual, expected);
    } else if (is_sequence(actual) && is_sequence(expected)) {
      compare_sequences(actual, expected);
    } else if (actual.tag() == Tag::Dict && expected.tag() == Tag::Dict) {
      compare_mappings(*as_dict(actual), *as_dict(expected));
    } else {
      throw_error(ErrorKind::TypeError,
                  "No comparison pair was able to handle inputs of type {} and {}.",
                  repr(type_value(type_of(actual))), repr(type_value(type_of(expected))));
    }
  }

 private:
  static bool flag(const Arguments& arguments, size_t i, bool otherwise) {
    return has_value(arguments, i) ? is_true(arguments[i]) : otherwise;
  }
  static bool is_number(const IValue& value) { return value.is_scalar() && !value.is_bool(); }
  static bool is_sequence(const IValue& value) { return value.is_list() || value.is_tuple(); }

  [[noreturn]] TSC_COLD void fail(std::string text) const {
    if (!path_.empty()) {
      text += "\n\nThe failure occurred for item " + path_;
    }
    if (message_.is_string()) {
      text = message_.as_string();
    } else if (!message_.is_none()) {
      const IValue arguments[] = {IValue(text)};
      text = str(interpreter_.call(message_, arguments));
    }
    throw_error(ErrorKind::AssertionError, "{}", text);
  }
  template <class... Values>
  void check(bool holds, fmt::string_view format, const Values&... values) const {
    if (!holds) {
      fail(fmt::format(fmt::runtime(format), str(values)...));
    }
  }
  // For attributes that must be equal before values are compared.
  void check_same(std::string_view attribute, const IValue& actual, const IValue& expected) const {
    const std::string left = str(actual);
    const std::string right = str(expected);
    if (left != right) {
      fail(fmt::format("The values for attribute '{}' do not match: {} != {}.", attribute, left,
                       right));
    }
  }

  void compare_item(const IValue& key, const IValue& actual, const IValue& expected) {
    const size_t length = path_.size();
    const RecursionGuard recursion("in comparison");
    path_ += "[" + repr(key) + "]";
    compare(actual, expected);
    path_.resize(length);
  }
  void compare_sequences(const IValue& actual, const IValue& expected) {
    const int64_t length = length_of(actual);
    if (length != length_of(expected)) {
      fail(fmt::format("The length of the sequences mismatch: {} != {}", length,
                       length_of(expected)));
    }
    for (int64_t i = 0; i < length; i++) {
      compare_item(i, get_item(actual, i), get_item(expected, i));
    }
  }
  void compare_mappings(DictObject& actual, DictObject& expected) {
    const IValue missing = keys_without(expected, actual);
    const IValue additional = keys_without(actual, expected);
    if (is_true(missing) || is_true(additional)) {
      std::string text = "The keys of the mappings do not match:";
      text += is_true(missing) ? "\nMissing keys in the actual mapping: " + repr(missing) : "";
      text +=
          is_true(additional) ? "\nAdditional keys in the actual mapping: " + repr(additional) : "";
      fail(text);
    }
    for (const IValue& key : keys_of(expected)) {
      compare_item(key, *actual.find(key), *expected.find(key));
    }
  }
  static std::vector<IValue> keys_of(const DictObject& dict) {
    std::vector<IValue> keys;
    for (const DictObject::Entry& entry : dict.entries()) {
      if (!entry.is_removed()) {
        keys.push_back(entry.key);
      }
    }
    return keys;
  }
  static IValue keys_without(const DictObject& dict, DictObject& other) {
    std::vector<IValue> keys;
    for (const IValue& key : keys_of(dict)) {
      if (other.find(key) == nullptr) {
        keys.push_back(key);
      }
    }
    return make_list(std::move(keys));
  }

  Tolerance tolerance_for(ScalarType a, ScalarType b) const {
    if (given_.has_value()) {
      return *given_;
    }
    const Tolerance left = default_tolerance(a);
    const Tolerance right = default_tolerance(b);
    return {left.rtol() > right.rtol() ? left.relative : right.relative,
            left.atol() > right.atol() ? left.absolute : right.absolute};
  }

  void compare_numbers(const IValue& actual, const IValue& expected) const {
    check(!check_dtype_ || &type_of(actual) == &type_of(expected),
          "The (d)types do not match: {} != {}.", type_value(type_of(actual)),
          type_value(type_of(expected)));
    compare_scalars(actual, expected,
                    tolerance_for(dtype_of_number(actual), dtype_of_number(expected)));
  }

  bool are_close(const IValue& actual, const IValue& expected, const Tolerance& tolerance) const {
    const std::complex<double> a = to_complex_number(actual);
    const std::complex<double> e = to_complex_number(expected);
    if (a == e) {
      return true;
    }
    const auto is_nan = [](std::complex<double> z) {
      return std::isnan(z.real()) || std::isnan(z.imag());
    };
    const double difference = std::abs(a - e);
    return (equal_nan_ && is_nan(a) && is_nan(e)) ||
           (std::isfinite(difference) &&
            difference <= tolerance.atol() + tolerance.rtol() * std::abs(e));
  }

  static std::string allowed(const Tolerance& tolerance, const IValue& limit) {
    return tolerance.is_exact() ? "" : fmt::format(" (up to {} allowed)", repr(limit));
  }
  static const char* how(const Tolerance& tolerance) {
    return tolerance.is_exact() ? "equal" : "close";
  }

  void compare_scalars(const IValue& actual, const IValue& expected,
                       const Tolerance& tolerance) const {
    if (are_close(actual, expected, tolerance)) {
      return;
    }
    const double difference = std::abs(to_complex_number(actual) - to_complex_number(expected));
    const bool integers = actual.is_int() && expected.is_int();
    const IValue absolute =
        integers ? IValue(static_cast<int64_t>(difference)) : IValue(difference);
    const IValue relative = difference / std::abs(to_complex_number(expected));
    fail(
        fmt::format("Scalars are not {}!\n\nExpected {} but got {}.\nAbsolute difference: {}{}\n"
                    "Relative difference: {}{}",
                    how(tolerance), repr(expected), repr(actual), repr(absolute),
                    allowed(tolerance, tolerance.absolute), repr(relative),
                    allowed(tolerance, tolerance.relative)));
  }

  void compare_tensors(const IValue& actual_value, const IValue& expected_value) const {
    const Tensor& actual = actual_value.as_tensor();
    const Tensor& expected = expected_value.as_tensor();
    check_same("shape", make_size(actual.sizes()), make_size(expected.sizes()));
    if (check_device_) {
      check_same("device", IValue(to_string(actual.device())),
                 IValue(to_string(expected.device())));
    }
    if (check_dtype_) {
      check_same("dtype", actual.dtype(), expected.dtype());
    }
    if (check_stride_) {
      check_same("stride()", tuple_of_ints(actual.strides()), tuple_of_ints(expected.strides()));
    }
    const ScalarType dtype = promote_types(actual.dtype(), expected.dtype());
    const Tolerance tolerance = tolerance_for(actual.dtype(), expected.dtype());
    const IValue left = to_dtype_op(actual_value, dtype);
    const IValue right = to_dtype_op(expected_value, dtype);
    const IValue matches = isclose_op(left, right, tolerance.rtol(), tolerance.atol(), equal_nan_);
    const int64_t count = actual.numel();
    const int64_t wrong = count - number(count_nonzero_op(matches)).as_int();
    if (wrong == 0) {
      return;
    }
    if (actual.dim() == 0) {
      compare_scalars(number(left), number(right), tolerance);
    }
    fail(fmt::format("Tensor-likes are not {}!\n\nMismatched elements: {} / {} ({:.1f}%)\n{}",
                     how(tolerance), wrong, count,
                     100.0 * static_cast<double>(wrong) / static_cast<double>(count),
                     greatest_differences(left, right, matches, tolerance)));
  }

  static IValue number(const IValue& tensor) { return item_op(tensor); }
  static IValue tuple_of_ints(IntArrayRef values) {
    std::vector<IValue> items(values.begin(), values.end());
    return make_tuple(std::move(items));
  }

  // The greatest differences among the elements that do not match.
  static std::string greatest_differences(const IValue& actual, const IValue& expected,
                                          const IValue& matches, const Tolerance& tolerance) {
    const bool integers = is_integral(actual.as_tensor().dtype(), true);
    const auto flat = [&](const IValue& tensor) {
      const IValue line = flatten_op(tensor);
      return integers ? to_dtype_op(line, ScalarType::Long) : line;
    };
    const IValue wanted = flat(expected);
    const IValue matched = flatten_op(matches);
    const IValue difference = masked_fill_op(abs_op(sub_op(flat(actual), wanted)), matched, 0);
    const IValue relative = masked_fill_op(div_op(difference, abs_op(wanted)), matched, 0);
    const IntArrayRef sizes = actual.as_tensor().sizes();
    return greatest("absolute", difference, sizes, allowed(tolerance, tolerance.absolute)) + "\n" +
           greatest("relative", relative, sizes, allowed(tolerance, tolerance.relative));
  }
  static std::string greatest(const char* kind, const IValue& differences, IntArrayRef sizes,
                              const std::string& limit) {
    int64_t place = number(argmax_op(differences)).as_int();
    const IValue value = number(select_op(differences, 0, place));
    DimVector index(sizes.size());
    for (size_t d = sizes.size(); d-- > 0;) {
      index[d] = place % sizes[d];
      place /= sizes[d];
    }
    return fmt::format("Greatest {} difference: {} at index {}{}", kind, repr(value),
                       repr(tuple_of_ints(index)), limit);
  }

  Interpreter& interpreter_;
  bool equal_nan_;
  bool check_device_;
  bool check_dtype_;
  bool check_stride_;
  std::optional<Tolerance> given_;
  IValue message_;
  std::string path_;
};

IValue assert_close(Interpreter& interpreter, Arguments& arguments) {
  Comparison(interpreter, arguments).compare(arguments[0], arguments[1]);
  return IValue();
}

constexpr BuiltinDef kTestingFunctions[] = {
    {.name = "assert_close",
     .function = &assert_close,
     .min = 2,
     .max = 2,
     .names = "actual expected allow_subclasses rtol atol equal_nan check_device check_dtype "
              "check_layout check_stride msg"},
};

}  // namespace

const ModuleInfo kTestingModule{.name = "torch.testing", .functions = kTestingFunctions};

}  // namespace tsc::interp
