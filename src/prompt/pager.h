// A long text on a terminal, a screen at a time.
#pragma once

#include <string_view>

namespace tsc {

// By $PAGER, or `less -R`; written plainly where that cannot be run.
void show_in_pager(std::string_view text);

}  // namespace tsc
