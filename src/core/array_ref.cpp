#include "core/array_ref.h"

namespace tsc {

std::string to_string(IntArrayRef values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); i++) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", values[i]);
  }
  text += ']';
  return text;
}

}  // namespace tsc
