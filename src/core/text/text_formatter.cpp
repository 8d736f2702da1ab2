#include "core/text/text_formatter.h"

#include <algorithm>

namespace tsc {

fmt::appender append_text(std::string_view text, fmt::appender out) {
  return std::copy(text.begin(), text.end(), out);
}

}  // namespace tsc
