// Python's builtin functions.
#include <cmath>
#include <cstdlib>

#include "core/system/forked_run.h"
#include "core/text/number_format.h"
#include "interp/runtime/containers/iterators.h"
#include "interp/runtime/containers/sequence.h"
#include "interp/runtime/help.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/arithmetic.h"
#include "interp/runtime/objects/builtin_functions.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/file.h"
#include "interp/runtime/objects/number.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/text/format_spec.h"
#include "interp/runtime/text/text.h"
#include "interp/runtime/text/unicode.h"
#include "interp/syntax/characters.h"

namespace tsc::interp {

namespace {

// --- Values ---

IValue builtin_abs(Interpreter&, Arguments& arguments) {
  const IValue& value = arguments[0];
  if (value.is_int() || value.is_bool()) {
    return value.as_int() < 0 ? unary_op(UnaryOp::Negative, value) : IValue(value.as_int());
  }
  if (value.is_double()) {
    return std::fabs(value.as_double());
  }
  if (value.is_complex()) {
    const std::complex<double> number = value.as_complex();
    const double modulus = std::hypot(number.real(), number.imag());
    if (std::isinf(modulus) && std::isfinite(number.real()) && std::isfinite(number.imag())) {
      throw_error(ErrorKind::OverflowError, "absolute value too large");
    }
    return modulus;
  }
  if (const auto absolute = type_of(value).absolute) {
    return absolute(value);
  }
  throw_error(ErrorKind::TypeError, "bad operand type for abs(): '{}'", type_name(value));
}

IValue builtin_ascii(Interpreter&, Arguments& arguments) {
  return make_string(ascii(arguments[0]));
}
IValue builtin_repr(Interpreter&, Arguments& arguments) { return make_string(repr(arguments[0])); }

IValue in_base(const IValue& value, char type, std::string_view prefix) {
  const int64_t number = to_index(value);
  const uint64_t magnitude =
      number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  return fmt::format("{}{}{}", number < 0 ? "-" : "", prefix, int_digits(magnitude, type));
}

IValue builtin_bin(Interpreter&, Arguments& arguments) { return in_base(arguments[0], 'b', "0b"); }
IValue builtin_hex(Interpreter&, Arguments& arguments) { return in_base(arguments[0], 'x', "0x"); }
IValue builtin_oct(Interpreter&, Arguments& arguments) { return in_base(arguments[0], 'o', "0o"); }

IValue builtin_callable(Interpreter&, Arguments& arguments) {
  return type_of(arguments[0]).call != nullptr;
}

IValue builtin_chr(Interpreter&, Arguments& arguments) {
  const int64_t code = to_index(arguments[0]);
  if (code < 0 || code > 0x10ffff) {
    throw_error(ErrorKind::ValueError, "chr() arg not in range(0x110000)");
  }
  return character_string(static_cast<uint32_t>(code));
}

IValue builtin_ord(Interpreter&, Arguments& arguments) {
  const IValue& value = arguments[0];
  if (!value.is_string()) {
    throw_error(ErrorKind::TypeError, "ord() expected string of length 1, but {} found",
                type_name(value));
  }
  const StringObject& text = *value.as_string_object();
  if (text.length() != 1) {
    throw_error(ErrorKind::TypeError, "ord() expected a character, but string of length {} found",
                text.length());
  }
  return Utf8Reader(text.view()).next();
}

IValue builtin_divmod(Interpreter&, Arguments& arguments) {
  const IValue& a = arguments[0];
  const IValue& b = arguments[1];
  const auto is_integral = [](const IValue& value) { return value.is_int() || value.is_bool(); };
  const auto is_real = [&](const IValue& value) { return is_integral(value) || value.is_double(); };
  if (is_integral(a) && is_integral(b)) {
    return make_tuple({IValue(int_floor_divide(a.as_int(), b.as_int())),
                       IValue(int_modulo(a.as_int(), b.as_int()))});
  }
  if (is_real(a) && is_real(b)) {
    const FloatDivMod result = float_divmod(to_double(a), to_double(b));
    return make_tuple({IValue(result.quotient), IValue(result.remainder)});
  }
  throw_error(ErrorKind::TypeError, "unsupported operand type(s) for divmod(): '{}' and '{}'",
              type_name(a), type_name(b));
}

IValue builtin_pow(Interpreter&, Arguments& arguments) {
  if (!has_value(arguments, 2)) {
    return binary_op(BinaryOp::Power, arguments[0], arguments[1]);
  }
  for (size_t i = 0; i < 3; i++) {
    if (!arguments[i].is_int() && !arguments[i].is_bool()) {
      throw_error(ErrorKind::TypeError,
                  "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
                  type_name(arguments[0]), type_name(arguments[1]), type_name(arguments[2]));
    }
  }
  return int_power_modulo(arguments[0].as_int(), arguments[1].as_int(), arguments[2].as_int());
}

IValue builtin_format(Interpreter&, Arguments& arguments) {
  std::string out;
  append_format(arguments[0], arguments.size() > 1 ? to_text(arguments[1], "format", 2) : "", out);
  return make_string(out);
}

IValue builtin_hash(Interpreter&, Arguments& arguments) { return hash_of(arguments[0]); }

IValue builtin_id(Interpreter&, Arguments& arguments) {
  return static_cast<int64_t>(arguments[0].payload_bits());
}

IValue builtin_len(Interpreter&, Arguments& arguments) { return length_of(arguments[0]); }

IValue builtin_isinstance(Interpreter&, Arguments& arguments) {
  return is_instance(arguments[0], arguments[1]);
}

IValue builtin_issubclass(Interpreter&, Arguments& arguments) {
  return is_subclass(arguments[0], arguments[1]);
}

// --- Attributes ---

std::string_view attribute_name(const Arguments& arguments) {
  if (!arguments[1].is_string()) {
    throw_error(ErrorKind::TypeError, "attribute name must be string, not '{}'",
                type_name(arguments[1]));
  }
  return arguments[1].as_string();
}

IValue builtin_getattr(Interpreter&, Arguments& arguments) {
  const std::string_view name = attribute_name(arguments);
  IValue result;
  if (try_get_attribute(arguments[0], name, result)) {
    return result;
  }
  if (arguments.size() > 2) {
    return arguments[2];
  }
  throw_no_attribute(arguments[0], name);
}

IValue builtin_hasattr(Interpreter&, Arguments& arguments) {
  IValue result;
  return try_get_attribute(arguments[0], attribute_name(arguments), result);
}

IValue builtin_setattr(Interpreter&, Arguments& arguments) {
  set_attribute(arguments[0], attribute_name(arguments), arguments[2]);
  return {};
}

IValue builtin_delattr(Interpreter&, Arguments& arguments) {
  delete_attribute(arguments[0], attribute_name(arguments));
  return {};
}

IValue builtin_dir(Interpreter& interpreter, Arguments& arguments) {
  std::vector<std::string> names;
  if (arguments.size() == 0) {
    names = interpreter.global_names();
    std::sort(names.begin(), names.end());
  } else {
    names = list_attributes(arguments[0]);
  }
  std::vector<IValue> values(names.begin(), names.end());
  return make_list(std::move(values));
}

IValue builtin_vars(Interpreter&, Arguments& arguments) {
  IValue result;
  if (!try_get_attribute(arguments[0], "__dict__", result)) {
    throw_error(ErrorKind::TypeError, "vars() argument must have __dict__ attribute");
  }
  return result;
}

// --- Iteration ---

IValue builtin_all(Interpreter&, Arguments& arguments) {
  bool result = true;
  for_each_item(arguments[0], [&](const IValue& item) { return result = is_true(item); });
  return result;
}

IValue builtin_any(Interpreter&, Arguments& arguments) {
  bool result = false;
  for_each_item(arguments[0], [&](const IValue& item) { return !(result = is_true(item)); });
  return result;
}

IValue builtin_iter(Interpreter& interpreter, Arguments& arguments) {
  if (arguments.size() == 1) {
    return get_iterator(arguments[0]);
  }
  if (type_of(arguments[0]).call == nullptr) {
    throw_error(ErrorKind::TypeError, "iter(v, w): v must be callable");
  }
  return make_call_iterator(interpreter, arguments[0], arguments[1]);
}

IValue builtin_next(Interpreter& interpreter, Arguments& arguments) {
  IValue item;
  if (next_item(arguments[0], item)) {
    return item;
  }
  return arguments.size() > 1 ? arguments[1] : interpreter.raise(stop_iteration(std::move(item)));
}

IValue builtin_sorted(Interpreter& interpreter, Arguments& arguments) {
  if (arguments.positional != 1) {
    throw_error(ErrorKind::TypeError, "sorted expected 1 argument, got {}", arguments.positional);
  }
  const IValue* key = nullptr;
  bool reverse = false;
  for (size_t i = 0; i < arguments.keywords; i++) {
    const std::string_view name = arguments.names[i]->view();
    const IValue& value = arguments[arguments.positional + i];
    if (name == "key") {
      key = value.is_none() ? nullptr : &value;
    } else if (name == "reverse") {
      reverse = to_index(value) != 0;
    } else {
      throw_invalid_keyword(name, "sort");
    }
  }
  std::vector<IValue> items = items_of(arguments[0]);
  sort_items(interpreter, items, key, reverse);
  return make_list(std::move(items));
}

IValue builtin_sum(Interpreter&, Arguments& arguments) {
  IValue total = given(arguments, 1) ? arguments[1] : IValue(0);
  if (total.is_string()) {
    throw_error(ErrorKind::TypeError, "sum() can't sum strings [use ''.join(seq) instead]");
  }
  if (is_object_of(total, kBytesType)) {
    throw_error(ErrorKind::TypeError, "sum() can't sum bytes [use b''.join(seq) instead]");
  }
  for_each_item(arguments[0], [&](const IValue& item) {
    int64_t sum = 0;
    if (total.is_int() && item.is_int() && int_add(total.as_int(), item.as_int(), sum)) {
      total.set_int_unchecked(sum);
    } else if (total.is_double() && item.is_double()) {
      total.set_double_unchecked(total.as_double() + item.as_double());
    } else {
      total = binary_op(BinaryOp::Add, total, item);
    }
    return true;
  });
  return total;
}

// min() and max(): `better(a, b)` where a replaces b.
IValue extreme(Interpreter& interpreter, const Arguments& arguments, std::string_view name,
               CompareOp better) {
  const IValue* key = nullptr;
  const IValue* otherwise = nullptr;
  for (size_t i = 0; i < arguments.keywords; i++) {
    const std::string_view keyword = arguments.names[i]->view();
    const IValue& value = arguments[arguments.positional + i];
    if (keyword == "key") {
      key = value.is_none() ? nullptr : &value;
    } else if (keyword == "default") {
      otherwise = &value;
    } else {
      throw_invalid_keyword(keyword, name);
    }
  }
  if (arguments.positional == 0) {
    throw_error(ErrorKind::TypeError, "{} expected at least 1 argument, got 0", name);
  }
  if (arguments.positional > 1 && otherwise != nullptr) {
    throw_error(ErrorKind::TypeError,
                "Cannot specify a default for {}() with multiple positional arguments", name);
  }
  IValue best;
  IValue best_key;
  bool has_best = false;
  const auto consider = [&](const IValue& item) {
    const IValue item_key =
        key == nullptr ? item : interpreter.call(*key, std::span<const IValue>(&item, 1));
    if (!has_best || compare_is_true(better, item_key, best_key)) {
      best = item;
      best_key = item_key;
      has_best = true;
    }
    return true;
  };
  if (arguments.positional > 1) {
    for (size_t i = 0; i < arguments.positional; i++) {
      consider(arguments[i]);
    }
  } else {
    for_each_item(arguments[0], consider);
  }
  if (has_best) {
    return best;
  }
  if (otherwise != nullptr) {
    return *otherwise;
  }
  throw_error(ErrorKind::ValueError, "{}() arg is an empty sequence", name);
}

IValue builtin_max(Interpreter& interpreter, Arguments& arguments) {
  return extreme(interpreter, arguments, "max", CompareOp::Greater);
}

IValue builtin_min(Interpreter& interpreter, Arguments& arguments) {
  return extreme(interpreter, arguments, "min", CompareOp::Less);
}

// --- Input and output ---

std::string_view separator(const IValue& value, std::string_view name) {
  if (!value.is_string()) {
    throw_error(ErrorKind::TypeError, "{} must be None or a string, not {}", name,
                type_name(value));
  }
  return value.as_string();
}

IValue builtin_print(Interpreter& interpreter, Arguments& arguments) {
  std::string_view between = " ";
  std::string_view end = "\n";
  const IValue* file = nullptr;
  bool flush = false;
  for (size_t i = 0; i < arguments.keywords; i++) {
    const std::string_view name = arguments.names[i]->view();
    const IValue& value = arguments[arguments.positional + i];
    if (name == "flush") {
      flush = is_true(value);
    } else if (name == "sep" || name == "end" || name == "file") {
      if (value.is_none()) {
        continue;
      }
      if (name == "sep") {
        between = separator(value, name);
      } else if (name == "end") {
        end = separator(value, name);
      } else {
        file = &value;
      }
    } else {
      throw_invalid_keyword(name, "print");
    }
  }
  std::string text;
  for (size_t i = 0; i < arguments.positional; i++) {
    if (i > 0) {
      text += between;
    }
    append_str(arguments[i], text);
  }
  text += end;
  if (file == nullptr) {
    write_in_pieces(interpreter, text);
    if (flush) {
      interpreter.flush();
    }
    return {};
  }
  const IValue argument(text);
  interpreter.call(get_attribute(*file, "write"), std::span<const IValue>(&argument, 1));
  if (flush) {
    interpreter.call(get_attribute(*file, "flush"), {});
  }
  return {};
}

IValue builtin_input(Interpreter& interpreter, Arguments& arguments) {
  refuse_in_forked_run("reading the standard input");
  const std::string prompt = arguments.size() > 0 ? str(arguments[0]) : std::string();
  interpreter.write(prompt);
  interpreter.flush();
  const std::optional<std::string> line = interpreter.read_line(prompt);
  if (!line.has_value()) {
    throw_error(ErrorKind::EOFError, "EOF when reading a line");
  }
  return make_string(*line);
}

IValue builtin_exit(Interpreter&, Arguments& arguments) {
  throw_exception(make_exception(ErrorKind::SystemExit, arguments.size() > 0
                                                            ? std::vector<IValue>{arguments[0]}
                                                            : std::vector<IValue>{}));
}

// --- round ---

// To a power of ten, halves to the even one.
int64_t round_int(int64_t value, int64_t digits) {
  if (digits >= 0) {
    return value;
  }
  if (digits < -19) {
    return 0;
  }
  __int128 unit = 1;
  for (int64_t i = digits; i < 0; i++) {
    unit *= 10;
  }
  __int128 remainder = value % unit;
  if (remainder < 0) {
    remainder += unit;
  }
  __int128 rounded = value - remainder;
  const bool is_odd = (rounded / unit) % 2 != 0;
  if (remainder * 2 > unit || (remainder * 2 == unit && is_odd)) {
    rounded += unit;
  }
  if (rounded > std::numeric_limits<int64_t>::max() ||
      rounded < std::numeric_limits<int64_t>::min()) {
    throw_integer_overflow();
  }
  return static_cast<int64_t>(rounded);
}

}  // namespace

double round_double(double value, int64_t digits) {
  if (!std::isfinite(value) || value == 0 || digits > 323) {
    return value;
  }
  const double zero = std::copysign(0.0, value);
  if (digits < -308) {
    return zero;
  }
  std::string text;
  if (digits >= 0) {
    append_fixed(text, value, static_cast<int>(digits));
  } else {
    // The digits before the last that counts, in scientific form.
    std::string shortest;
    append_scientific(shortest, value, 17);
    const int exponent = std::atoi(shortest.c_str() + shortest.find('e') + 1);
    const int64_t precision = exponent + digits;
    if (precision < -1) {
      return zero;
    }
    if (precision == -1) {
      // Between zero and one unit: a half goes to zero, the even one.
      const double unit = std::strtod(fmt::format("1e{}", -digits).c_str(), nullptr);
      return std::fabs(value) > unit / 2 ? std::copysign(unit, value) : zero;
    }
    append_scientific(text, value, static_cast<int>(precision));
  }
  const double rounded = std::strtod(text.c_str(), nullptr);
  if (std::isinf(rounded)) {
    throw_error(ErrorKind::OverflowError, "rounded value too large to represent");
  }
  return rounded;
}

namespace {

IValue builtin_round(Interpreter&, Arguments& arguments) {
  const IValue& value = arguments[0];
  const bool has_digits = has_value(arguments, 1);
  if (value.is_int() || value.is_bool()) {
    return has_digits ? round_int(value.as_int(), to_index(arguments[1])) : value.as_int();
  }
  if (value.is_double()) {
    return has_digits ? IValue(round_double(value.as_double(), to_index(arguments[1])))
                      : IValue(double_to_int(std::nearbyint(value.as_double())));
  }
  throw_error(ErrorKind::TypeError, "type {} doesn't define __round__ method", type_name(value));
}

constexpr int8_t kAny = BuiltinDef::kAny;

constexpr BuiltinDef kFunctions[] = {
    {"abs", builtin_abs, 1, 1},
    {"all", builtin_all, 1, 1},
    {"any", builtin_any, 1, 1},
    {"ascii", builtin_ascii, 1, 1},
    {"bin", builtin_bin, 1, 1},
    {"callable", builtin_callable, 1, 1},
    {"chr", builtin_chr, 1, 1},
    {"delattr", builtin_delattr, 2, 2},
    {"dir", builtin_dir, 0, 1},
    {"divmod", builtin_divmod, 2, 2},
    {"exit", builtin_exit, 0, 1},
    {"format", builtin_format, 1, 2},
    {"getattr", builtin_getattr, 2, 3},
    {"hasattr", builtin_hasattr, 2, 2},
    {"hash", builtin_hash, 1, 1},
    {"help", builtin_help, 0, 1},
    {"hex", builtin_hex, 1, 1},
    {"id", builtin_id, 1, 1},
    {"input", builtin_input, 0, 1},
    {"isinstance", builtin_isinstance, 2, 2},
    {"issubclass", builtin_issubclass, 2, 2},
    {"iter", builtin_iter, 1, 2},
    {"len", builtin_len, 1, 1},
    {"max", builtin_max, 1, kAny, {}, {}, true},
    {"min", builtin_min, 1, kAny, {}, {}, true},
    {"next", builtin_next, 1, 2},
    {"oct", builtin_oct, 1, 1},
    {"open", builtin_open, 1, 8, "file mode buffering encoding errors newline closefd opener"},
    {"ord", builtin_ord, 1, 1},
    {"pow", builtin_pow, 2, 3, "base exp mod"},
    {"print", builtin_print, 0, kAny, {}, {}, true},
    {"quit", builtin_exit, 0, 1},
    {"repr", builtin_repr, 1, 1},
    {"round", builtin_round, 1, 2, "number ndigits"},
    {"setattr", builtin_setattr, 3, 3},
    {"sorted", builtin_sorted, 1, 1, {}, {}, true},
    {"sum", builtin_sum, 1, 2, "/ start"},
    {"vars", builtin_vars, 1, 1},
};

}  // namespace

std::span<const BuiltinDef> builtin_functions() { return kFunctions; }

}  // namespace tsc::interp
