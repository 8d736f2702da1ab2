#include "core/dimname.h"

#include <algorithm>

namespace tsc {

namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_letter_or_digit = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

std::string joined(DimnameList names) {
  std::string text;
  for (const Dimname& name : names) {
    text += text.empty() ? "" : ", ";
    text += to_string(name);
  }
  return text;
}

}  // namespace

Dimname::Dimname(std::string_view name) : text_(name) {
  TSC_CHECK(is_identifier(name),
            "Invalid name: a valid identifier contains only digits, alphabetical characters, "
            "and/or underscore and starts with a non-digit. got: '{}'.",
            name);
}

std::string to_string(const Dimname& name) {
  return name.is_wildcard() ? "None" : fmt::format("'{}'", name.text());
}

std::string to_string(DimnameList names) { return fmt::format("[{}]", joined(names)); }

std::string tuple_of_names(DimnameList names) {
  return fmt::format("({}{})", joined(names), names.size() == 1 ? "," : "");
}

void check_unique_names(DimnameList names) {
  for (size_t i = 0; i < names.size(); i++) {
    const bool stands_before =
        !names[i].is_wildcard() &&
        std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i;
    TSC_CHECK(!stands_before, "Cannot construct a tensor with duplicate names. Got names: {}.",
              to_string(names));
  }
}

}  // namespace tsc
