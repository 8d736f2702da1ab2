// A command of the prompt: a row of the table that `:help` prints.
#pragma once

#include "interp/session/session.h"

namespace tsc::interp {

struct Session::Command {
  // The words that complete its argument.
  enum class Completes : uint8_t { Nothing, Switches, Keys, Operators, Names, Python };

  std::string_view name;
  std::string_view arguments;
  std::string_view help;
  void (Session::*run)(CommandText text);
  Completes completes = Completes::Nothing;
  // For `:help :NAME`: details beyond the line above, and an example.
  std::string_view details = {};
  std::string_view example = {};
};

}  // namespace tsc::interp
