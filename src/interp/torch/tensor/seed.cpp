#include "interp/torch/tensor/seed.h"

#include "interp/runtime/objects/number.h"

namespace tsc::interp {
namespace {

extern const Type kLargeSeedType;

class LargeSeedObject final : public Object {
 public:
  explicit LargeSeedObject(uint64_t value) : Object(kLargeSeedType), seed(value) {}
  uint64_t seed;
};

uint64_t large_seed(const IValue& value) { return value.as_object<LargeSeedObject>()->seed; }

bool compare_seeds(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  const bool both = is_object_of(right, kLargeSeedType);
  // Every other number of the language is smaller, or not an int.
  if (op == CompareOp::Equal || op == CompareOp::NotEqual) {
    result = (both && large_seed(left) == large_seed(right)) == (op == CompareOp::Equal);
    return true;
  }
  if (!both && !right.is_int() && !right.is_bool()) {
    return false;
  }
  const uint64_t other = both ? large_seed(right) : 0;
  const uint64_t seed = large_seed(left);
  result = op == CompareOp::Less || op == CompareOp::LessEqual
               ? seed < other || (seed == other && op == CompareOp::LessEqual)
               : seed > other || (seed == other && op == CompareOp::GreaterEqual);
  return true;
}

constexpr Type make_large_seed_type() {
  Type type;
  type.name = "int";
  type.base = &kIntType;
  type.repr = [](const IValue& self, std::string& out) {
    out += fmt::format("{}", large_seed(self));
  };
  type.hash = [](const IValue& self) {
    // CPython's hash of an int: the remainder of its division by a prime.
    return static_cast<int64_t>(large_seed(self) % ((uint64_t(1) << 61) - 1));
  };
  type.to_float = [](const IValue& self) { return static_cast<double>(large_seed(self)); };
  type.compare = &compare_seeds;
  return type;
}

constinit const Type kLargeSeedType = make_large_seed_type();

}  // namespace

IValue seed_value(uint64_t seed) {
  if (std::in_range<int64_t>(seed)) {
    return static_cast<int64_t>(seed);
  }
  return IValue::adopt(Tag::Object, new LargeSeedObject(seed));
}

uint64_t seed_of_value(const IValue& value) {
  if (is_object_of(value, kLargeSeedType)) {
    return large_seed(value);
  }
  if (value.is_string()) {
    return static_cast<uint64_t>(parse_int(value.as_string(), 10));
  }
  return static_cast<uint64_t>(to_integer(value));
}

uint64_t seed_of_int(const IValue& value) {
  TSC_CHECK(value.is_int() || is_object_of(value, kLargeSeedType),
            "manual_seed expected a long, but got {}", type_name(value));
  return seed_of_value(value);
}

}  // namespace tsc::interp
