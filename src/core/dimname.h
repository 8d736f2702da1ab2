// Dimension names: the names of a named tensor's dimensions. A tensor has one for each of its
// dimensions or none at all; the wildcard (Python's None) matches every other name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array_ref.h"
#include "core/text/text_formatter.h"

namespace tsc {

class TSC_API Dimname {
 public:
  // The wildcard.
  Dimname() = default;
  // RuntimeError where the name is not an identifier.
  explicit Dimname(std::string_view name);

  bool is_wildcard() const { return text_.empty(); }
  // Empty for the wildcard.
  const std::string& text() const { return text_; }

  // Two names match where they are equal, or one of them is the wildcard.
  bool matches(const Dimname& other) const {
    return is_wildcard() || other.is_wildcard() || text_ == other.text_;
  }
  // Of two names that match, the one that is not a wildcard.
  const Dimname& unified(const Dimname& other) const { return is_wildcard() ? other : *this; }

  friend bool operator==(const Dimname&, const Dimname&) = default;

 private:
  std::string text_;
};

using DimnameList = ArrayRef<Dimname>;
using DimnameVector = std::vector<Dimname>;

// None, or 'N' with its quotes.
TSC_API std::string to_string(const Dimname& name);
// ['N', None]
TSC_API std::string to_string(DimnameList names);

// ('N', None), or ('N',), as Python writes it
TSC_API std::string tuple_of_names(DimnameList names);

// RuntimeError where a name other than the wildcard stands twice.
TSC_API void check_unique_names(DimnameList names);

}  // namespace tsc

template <>
struct fmt::formatter<tsc::Dimname> : tsc::TextFormatter<tsc::Dimname> {};
