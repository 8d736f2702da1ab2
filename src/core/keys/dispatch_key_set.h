// DispatchKeySet: which columns a call goes through.
//
//   bit 63                                                      0
//   +-----------------------------------------+-----------------+
//   | functionalities, highest priority left  | backends        |
//   | ... Tracer Autograd ADInplaceOrView ...  | Meta .. CUDA CPU|
//   +-----------------------------------------+-----------------+
//
// The two halves are independent, as in PyTorch: {CPU, AutogradMeta} holds two functionalities and
// two backends, and so prints all four keys. The key of highest priority is the highest
// functionality on the highest backend, found by counting leading zeros twice.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/keys/dispatch_key.h"
#include "core/text/text_formatter.h"

namespace tsc {

class DispatchKeySet {
 public:
  static constexpr uint64_t kBackendBits = (uint64_t{1} << kNumBackends) - 1;
  static constexpr uint64_t kFunctionalityBits = ((uint64_t{1} << kNumFunctionalities) - 1)
                                                 << kNumBackends;

  enum Raw { kRaw };
  constexpr DispatchKeySet() = default;
  constexpr DispatchKeySet(Raw, uint64_t bits) : bits_(bits) {}
  // The empty set for Undefined and for alias keys.
  constexpr DispatchKeySet(DispatchKey key) : bits_(bits_of(key)) {}  // A key is a set of one
  constexpr DispatchKeySet(Functionality functionality) : bits_(bit_of(functionality)) {}
  constexpr DispatchKeySet(Backend backend) : bits_(bit_of(backend)) {}
  constexpr DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (const DispatchKey key : keys) {
      bits_ |= bits_of(key);
    }
  }

  constexpr uint64_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(Functionality functionality) const {
    return (bits_ & bit_of(functionality)) != 0;
  }
  // Both of the key's bits; false for Undefined and for alias keys.
  constexpr bool has(DispatchKey key) const {
    return bits_of(key) != 0 && (bits_ & bits_of(key)) == bits_of(key);
  }
  constexpr bool has_any(DispatchKeySet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool has_all(DispatchKeySet other) const {
    return (bits_ & other.bits_) == other.bits_;
  }

  friend constexpr DispatchKeySet operator|(DispatchKeySet a, DispatchKeySet b) {
    return {kRaw, a.bits_ | b.bits_};
  }
  friend constexpr DispatchKeySet operator&(DispatchKeySet a, DispatchKeySet b) {
    return {kRaw, a.bits_ & b.bits_};
  }
  friend constexpr bool operator==(DispatchKeySet, DispatchKeySet) = default;
  // Takes out the other set's functionalities and leaves every backend bit.
  friend constexpr DispatchKeySet operator-(DispatchKeySet a, DispatchKeySet b) {
    return {kRaw, a.bits_ & ~(b.bits_ & kFunctionalityBits)};
  }
  constexpr DispatchKeySet add(DispatchKey key) const { return *this | DispatchKeySet(key); }
  constexpr DispatchKeySet remove(DispatchKey key) const { return *this - DispatchKeySet(key); }

  // The key that a call with this set runs; Undefined for a set with no functionality.
  constexpr DispatchKey highest_key() const { return static_cast<DispatchKey>(table_index()); }
  // The cell in an operator's row. A functionality that has a key for each backend, in a set
  // without a backend, is Undefined, too: nothing could run it.
  constexpr uint32_t table_index() const {
    const uint64_t functionalities = bits_ >> kNumBackends;
    if (functionalities == 0) {
      return 0;
    }
    const auto row = detail::kFunctionalityRows[highest_bit(functionalities)];
    const uint64_t backends = bits_ & kBackendBits;
    if (backends == 0) {
      return row.backend_mask == 0 ? row.first_key : 0;
    }
    return row.first_key + (highest_bit(backends) & row.backend_mask);
  }
  constexpr DispatchKeySet backends() const { return {kRaw, bits_ & kBackendBits}; }
  constexpr DispatchKeySet functionalities() const { return {kRaw, bits_ & kFunctionalityBits}; }

  // Calls f(key) for each runtime key, lowest priority first.
  template <class F>
  constexpr void for_each(F f) const {
    for (uint64_t rest = bits_ >> kNumBackends; rest != 0; rest &= rest - 1) {
      const auto functionality = static_cast<Functionality>(std::countr_zero(rest));
      if (!is_per_backend(functionality)) {
        f(runtime_key(functionality, Backend::CPU));
        continue;
      }
      for (uint64_t left = bits_ & kBackendBits; left != 0; left &= left - 1) {
        f(runtime_key(functionality, static_cast<Backend>(std::countr_zero(left))));
      }
    }
  }

 private:
  // Of a number other than 0. As an exclusive or, which compilers make one instruction of.
  static constexpr uint32_t highest_bit(uint64_t bits) {
    return static_cast<uint32_t>(std::countl_zero(bits)) ^ 63U;
  }
  static constexpr uint64_t bit_of(Functionality functionality) {
    return uint64_t{1} << (kNumBackends + static_cast<int>(functionality));
  }
  static constexpr uint64_t bit_of(Backend backend) {
    return uint64_t{1} << static_cast<int>(backend);
  }
  static constexpr uint64_t bits_of(DispatchKey key) {
    if (key == DispatchKey::Undefined || is_alias_key(key)) {
      return 0;
    }
    const auto backend = backend_of(key);
    return bit_of(functionality_of(key)) | (backend.has_value() ? bit_of(*backend) : 0);
  }

  uint64_t bits_ = 0;
};

// Everything of lower priority than `key`, with all backends: what is left after `key`'s kernel has
// run.
constexpr DispatchKeySet full_after(DispatchKey key) {
  const int functionality = static_cast<int>(functionality_of(key));
  return {DispatchKeySet::kRaw, (uint64_t{1} << (kNumBackends + functionality)) - 1};
}

// The functionalities with a bit in column_bits().
constexpr DispatchKeySet keys_of_columns(uint64_t bits) {
  return {DispatchKeySet::kRaw, bits << kNumBackends};
}

namespace detail {

template <class Predicate>
constexpr DispatchKeySet keys_where(Predicate is_wanted) {
  uint64_t bits = 0;
  for (int i = 0; i < kNumFunctionalities; i++) {
    const auto functionality = static_cast<Functionality>(i);
    bits |= is_wanted(column_record(functionality)) ? column_bits(functionality) : 0;
  }
  return keys_of_columns(bits);
}

}  // namespace detail

inline constexpr DispatchKeySet kAutogradKeys =
    keys_of_columns(alias_record(DispatchKey::Autograd).stands_for);
// Those of one backend each that the thread excludes by default.
inline constexpr DispatchKeySet kAutocastKeys = detail::keys_where([](const KeyRecord& record) {
  return record.presence == KeyPresence::Excluded && record.of_backend.has_value();
});
// The columns that only look at calls, without those of plug-ins.
inline constexpr DispatchKeySet kLookers =
    detail::keys_where([](const KeyRecord& record) { return record.role == KeyRole::Looks; });
inline constexpr DispatchKeySet kAllKeys{
    DispatchKeySet::kRaw, DispatchKeySet::kFunctionalityBits | DispatchKeySet::kBackendBits};
inline constexpr DispatchKeySet kAfterAutograd = full_after(DispatchKey::AutogradOther);
inline constexpr DispatchKeySet kAfterADInplaceOrView = full_after(DispatchKey::ADInplaceOrView);
// Taken out of the set by default / always part of it.
inline constexpr DispatchKeySet kDefaultExcluded = detail::keys_where(
    [](const KeyRecord& record) { return record.presence == KeyPresence::Excluded; });
inline constexpr DispatchKeySet kDefaultIncluded = detail::keys_where(
    [](const KeyRecord& record) { return record.presence == KeyPresence::Always; });

// "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)", lowest priority first.
TSC_API std::string to_string(DispatchKeySet set);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::DispatchKeySet> : tsc::TextFormatter<tsc::DispatchKeySet> {};
