#include "interp/syntax/token.h"

#include <array>

namespace tsc::interp {

std::string_view to_string(TokenKind kind) {
  static constexpr std::string_view kTexts[] = {
#define TSC_TOKEN_TEXT(name, text) text,
      TSC_FORALL_TOKENS(TSC_TOKEN_TEXT)
#undef TSC_TOKEN_TEXT
  };
  return kTexts[static_cast<size_t>(kind)];
}

}  // namespace tsc::interp
