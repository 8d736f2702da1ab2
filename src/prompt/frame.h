// The frame: what an entry that is being edited looks like, as rows of a terminal.
//
//   what is edited, size of the terminal --make_frame()--> rows and the cursor
//   the frame that is shown, the next    --paint()-------> what to write
//
// Neither looks at a terminal. A row of the screen below the prompt's belongs to the frame; its
// output goes above it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tsc {

struct ScreenSize {
  size_t width = 80;
  size_t height = 24;
};

struct Edited {
  std::wstring prompt;
  std::wstring continuation;  // the prompt of further lines
  std::vector<std::wstring> lines;
  size_t line = 0;    // of the cursor
  size_t column = 0;  // characters before it in its line
  std::wstring note;  // a row below; none where empty
};

struct Frame {
  // Each at most as wide as the screen, and what can be written as it is.
  std::vector<std::wstring> rows;
  size_t cursor_row = 0;
  size_t cursor_column = 0;
};

// At most as high as the screen: of more rows, those round the cursor.
Frame make_frame(const Edited& edited, ScreenSize screen);
// All rows, with the cursor behind the last: what stays on the screen above what comes.
Frame make_final_frame(const Edited& edited, size_t width);

// From `shown`, with the cursor where it says, to `next`. A frame without rows: the cursor is at
// the start of an empty row.
std::string paint(const Frame& shown, const Frame& next);
// Erases a frame on a terminal whose width has become `width`, which has broken rows that are
// longer. The cursor is then where the frame began.
std::string erase(const Frame& shown, size_t width);

}  // namespace tsc
