// The frame: the rows of a terminal that show the entry being edited.
//
//   entry and terminal size        --make_frame()-->  rows and the cursor
//   the shown frame, the next one  --paint()------->  bytes to write
//
// Neither function looks at a terminal. All rows from the prompt's downwards belong to the frame;
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
  // Each is at most as wide as the screen, and holds printable characters only.
  std::vector<std::wstring> rows;
  size_t cursor_row = 0;
  size_t cursor_column = 0;
};

// At most as high as the screen: of more rows, those round the cursor.
Frame make_frame(const Edited& edited, ScreenSize screen);
// All rows, with the cursor behind the last: the entry as it stays on the screen.
Frame make_final_frame(const Edited& edited, size_t width);

// From `shown`, with the cursor where it says, to `next`. A frame without rows: the cursor is at
// the start of an empty row.
std::string paint(const Frame& shown, const Frame& next);
// Erases a frame on a terminal whose width has become `width`, which has broken rows that are
// longer. The cursor is then where the frame began.
std::string erase(const Frame& shown, size_t width);

}  // namespace tsc
