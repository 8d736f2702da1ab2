#include "ops/names/names.h"

#include <algorithm>
#include <atomic>

#include "core/keys/thread_local_state.h"

namespace tsc {

// --- Names of one tensor ---

DimnameVector names_of(const Tensor& tensor) {
  const DimnameList names = tensor.names();
  return names.empty() ? DimnameVector(static_cast<size_t>(tensor.dim()))
                       : DimnameVector(names.begin(), names.end());
}

std::string named_dims(DimnameList names) { return fmt::format("Tensor{}", to_string(names)); }

namespace {

// Warns once, as PyTorch does.
void warn_of_names() {
  static std::atomic<bool> has_warned{false};
  if (!has_warned.exchange(true)) {
    warn(
        "Named tensors and all their associated APIs are an experimental feature and subject to "
        "change. Please do not use them for anything important until they are released as "
        "stable.");
  }
}

}  // namespace

void assign_names(const Tensor& tensor, DimnameVector names) {
  TSC_CHECK(static_cast<int64_t>(names.size()) == tensor.dim(),
            "Number of names ({}) and number of dimensions in tensor ({}) do not match. Attempted "
            "to create a tensor with names {}",
            names.size(), tensor.dim(), to_string(names));
  check_unique_names(names);
  tensor.impl()->set_names(std::move(names));
  if (tensor.has_names()) {
    warn_of_names();
  }
}

int64_t position_of_name(const Tensor& tensor, const Dimname& name) {
  TSC_CHECK(!name.is_wildcard(), "Please look up dimensions by name, got: name = None.");
  const DimnameVector names = names_of(tensor);
  const auto found = std::find(names.begin(), names.end(), name);
  TSC_CHECK(found != names.end(), "Name {} not found in {}.", name, named_dims(names));
  return found - names.begin();
}

// --- Names of several ---

namespace {

// The i-th from the right; the wildcard beyond the left end.
const Dimname& from_right(DimnameList names, size_t i) {
  static const Dimname wildcard;
  return i < names.size() ? names[names.size() - 1 - i] : wildcard;
}

void check_aligned(const Dimname& name, DimnameList others, size_t position, DimnameList a,
                   DimnameList b, std::string_view action) {
  for (size_t i = 0; i < others.size(); i++) {
    TSC_CHECK(name.is_wildcard() || i == position || from_right(others, i) != name,
              "Misaligned dims when attempting to {} dims {} and dims {}: dim {} appears in a "
              "different position from the right across both lists.",
              action, to_string(a), to_string(b), name);
  }
}

}  // namespace

DimnameVector unified_from_right(DimnameList names, DimnameList others, std::string_view action) {
  DimnameVector unified(std::max(names.size(), others.size()));
  for (size_t i = 0; i < unified.size(); i++) {
    const Dimname& name = from_right(names, i);
    const Dimname& other = from_right(others, i);
    TSC_CHECK(name.matches(other),
              "Error when attempting to {} dims {} and dims {}: dim {} and dim {} are at the same "
              "position from the right but do not match.",
              action, to_string(names), to_string(others), name, other);
    if (name != other) {
      check_aligned(name, others, i, names, others, action);
      check_aligned(other, names, i, names, others, action);
    }
    unified[unified.size() - 1 - i] = name.unified(other);
  }
  return unified;
}

namespace {

// All but the last `count`.
DimnameList without_last(DimnameList names, size_t count) {
  return DimnameList(names.data(), names.size() - std::min(names.size(), count));
}

// The names of the batches of two operands, whose other dimensions are matrices or vectors.
DimnameVector batch_names(DimnameList names, DimnameList others, std::string_view function) {
  const DimnameList a = without_last(names, 2);
  const DimnameList b = without_last(others, 2);
  DimnameVector unified(std::max(a.size(), b.size()));
  for (size_t i = 0; i < unified.size(); i++) {
    const Dimname& name = from_right(a, i);
    const Dimname& other = from_right(b, i);
    TSC_CHECK(
        name.matches(other),
        "{}: Expected {} (index {} of {}) to match {} (index {} of {}) but they do not match.",
        function, name, a.size() - 1 - i, to_string(names), other, b.size() - 1 - i,
        to_string(others));
    unified[unified.size() - 1 - i] = name.unified(other);
  }
  return unified;
}

}  // namespace

DimnameVector product_names(const Tensor& self, const Tensor& other) {
  const DimnameVector a = names_of(self);
  const DimnameVector b = names_of(other);
  DimnameVector names = batch_names(a, b, "matmul");
  const size_t batch = names.size();
  if (a.size() >= 2) {
    names.push_back(a[a.size() - 2]);
  }
  if (b.size() >= 2) {
    names.push_back(b.back());
  }
  TSC_CHECK(
      names.size() != batch + 2 || names[batch].is_wildcard() || names[batch] != names[batch + 1],
      "Matrix multiplying {} with {} would produce output tensor with duplicate names {}. "
      "Please rename the input tensors with `Tensor.rename` to prevent this.",
      named_dims(a), named_dims(b), to_string(names));
  return names;
}

DimnameVector distance_names(const Tensor& x1, const Tensor& x2) {
  const DimnameVector a = names_of(x1);
  const DimnameVector b = names_of(x2);
  DimnameVector names = batch_names(a, b, "cdist");
  names.push_back(a[a.size() - 2]);
  names.push_back(b[b.size() - 2]);
  return names;
}

bool names_are_on() { return !tls().excluded.has(Functionality::Named); }

}  // namespace tsc
