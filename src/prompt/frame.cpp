#include "prompt/frame.h"

#include <algorithm>

#include <fmt/format.h>

#include "prompt/wide_text.h"

namespace tsc {

namespace {

constexpr size_t kTab = 8;

// Breaks one line of the entry, behind its prompt, into rows.
class Rows {
 public:
  explicit Rows(size_t width) : width_(width), rows_(1) {}

  void put(std::wstring_view text) {
    for (const wchar_t character : text) {
      put(character);
    }
  }

  void put(wchar_t character) {
    if (character == L'\t') {
      const size_t count = kTab - text_column_ % kTab;
      for (size_t i = 0; i < count; i++) {
        put_cell(L' ');
      }
    } else if (character < L' ' || character == 0x7F) {
      put_cell(L'^');
      put_cell(character == 0x7F ? L'?' : static_cast<wchar_t>(character + L'@'));
    } else if (character >= 0x80 && character < 0xA0) {
      put_cell(0xFFFD);
    } else {
      put_cell(character);
    }
  }

  // Begins the text, from which tabs are counted.
  void begin_text() { text_column_ = 0; }
  // The cursor is at the character put next.
  void mark_cursor() { at_cursor_ = true; }
  // Behind a full row, the cursor stands on one more.
  void finish() {
    if (at_cursor_) {
      if (column_ == width_) {
        open_row();
      }
      place_cursor();
    }
  }

  std::vector<std::wstring>& rows() { return rows_; }
  size_t cursor_row() const { return cursor_row_; }
  size_t cursor_column() const { return cursor_column_; }

 private:
  void put_cell(wchar_t cell) {
    const size_t width = column_width(cell);
    if (column_ + width > width_ && column_ > 0) {
      open_row();
    }
    if (at_cursor_) {
      place_cursor();
    }
    rows_.back() += cell;
    column_ += width;
    text_column_ += width;
  }

  void open_row() {
    rows_.emplace_back();
    column_ = 0;
  }

  void place_cursor() {
    cursor_row_ = rows_.size() - 1;
    cursor_column_ = std::min(column_, width_ - 1);
    at_cursor_ = false;
  }

  size_t width_;
  std::vector<std::wstring> rows_;
  size_t column_ = 0;
  size_t text_column_ = 0;
  bool at_cursor_ = false;
  size_t cursor_row_ = 0;
  size_t cursor_column_ = 0;
};

constexpr size_t kNoCursor = static_cast<size_t>(-1);

Rows lay_out(const Edited& edited, size_t line, size_t cursor, size_t width) {
  Rows rows(width);
  rows.put(line == 0 ? edited.prompt : edited.continuation);
  rows.begin_text();
  const std::wstring& text = edited.lines[line];
  for (size_t i = 0; i < text.size(); i++) {
    if (i == cursor) {
      rows.mark_cursor();
    }
    rows.put(text[i]);
  }
  if (cursor != kNoCursor && cursor >= text.size()) {
    rows.mark_cursor();
  }
  rows.finish();
  return rows;
}

void append(std::vector<std::wstring>& rows, std::vector<std::wstring> more) {
  std::move(more.begin(), more.end(), std::back_inserter(rows));
}

// Updates the screen from the former frame with as few characters as possible.
class Painter {
 public:
  explicit Painter(const Frame& shown)
      : row_(shown.cursor_row),
        column_(shown.cursor_column),
        last_row_(shown.rows.empty() ? 0 : shown.rows.size() - 1) {}

  void move(size_t row, size_t column) {
    if (row < row_) {
      text_ += fmt::format("\033[{}A", row_ - row);
    } else if (const size_t below = std::min(row, last_row_); below > row_) {
      text_ += fmt::format("\033[{}B", below - row_);
    }
    // Only a line feed makes the screen scroll.
    for (; last_row_ < row; last_row_++) {
      text_ += "\r\n";
      column_ = 0;
    }
    row_ = row;
    if (column != column_) {
      text_ += '\r';
      if (column > 0) {
        text_ += fmt::format("\033[{}C", column);
      }
      column_ = column;
    }
  }

  void write(std::wstring_view cells) {
    if (!cells.empty()) {
      text_ += to_utf8(cells);
      // After the last column, terminals differ in the cursor's position.
      column_ = kUnknown;
    }
  }
  void at_column(size_t column) { column_ = column; }

  void erase_to_end_of_row() { text_ += "\033[K"; }
  void erase_below() { text_ += "\033[J"; }

  std::string take() { return std::move(text_); }

 private:
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  std::string text_;
  size_t row_;
  size_t column_;
  size_t last_row_;  // of those that the screen has
};

// The characters that two rows have in common at their beginning; combining characters stay whole.
size_t common_prefix(std::wstring_view a, std::wstring_view b) {
  size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) {
    same++;
  }
  const auto combines = [](std::wstring_view row, size_t at) {
    return at < row.size() && column_width(row[at]) == 0;
  };
  while (same > 0 && (combines(a, same) || combines(b, same))) {
    same--;
  }
  return same;
}

}  // namespace

Frame make_frame(const Edited& edited, ScreenSize screen) {
  const size_t width = std::max<size_t>(screen.width, 2);
  const bool has_note = !edited.note.empty() && screen.height > 1;
  const size_t height = std::max<size_t>(screen.height, 1) - (has_note ? 1 : 0);

  Rows cursor_line = lay_out(edited, edited.line, edited.column, width);
  const size_t cursor_row = cursor_line.cursor_row();
  const size_t cursor_column = cursor_line.cursor_column();

  // Only as many lines are laid out as fit on the screen.
  std::vector<std::vector<std::wstring>> above;
  size_t count_above = 0;
  for (size_t line = edited.line; line > 0 && count_above < height; line--) {
    above.push_back(std::move(lay_out(edited, line - 1, kNoCursor, width).rows()));
    count_above += above.back().size();
  }
  Frame frame;
  for (size_t i = above.size(); i > 0; i--) {
    append(frame.rows, std::move(above[i - 1]));
  }
  frame.cursor_row = frame.rows.size() + cursor_row;
  frame.cursor_column = cursor_column;
  append(frame.rows, std::move(cursor_line.rows()));
  for (size_t line = edited.line + 1;
       line < edited.lines.size() && frame.rows.size() < frame.cursor_row + height; line++) {
    append(frame.rows, std::move(lay_out(edited, line, kNoCursor, width).rows()));
  }
  if (frame.rows.size() > height) {
    const size_t most = frame.rows.size() - height;
    const size_t first =
        std::min(frame.cursor_row > height / 2 ? frame.cursor_row - height / 2 : 0, most);
    const auto begin = frame.rows.begin() + static_cast<ptrdiff_t>(first);
    frame.rows = std::vector<std::wstring>(begin, begin + static_cast<ptrdiff_t>(height));
    frame.cursor_row -= first;
  }
  if (has_note) {
    Rows note(width);
    note.put(edited.note);
    frame.rows.push_back(std::move(note.rows().front()));
  }
  return frame;
}

Frame make_final_frame(const Edited& edited, size_t width) {
  Frame frame;
  for (size_t line = 0; line < edited.lines.size(); line++) {
    append(frame.rows,
           std::move(lay_out(edited, line, kNoCursor, std::max<size_t>(width, 2)).rows()));
  }
  frame.cursor_row = frame.rows.size() - 1;
  frame.cursor_column = column_width(frame.rows.back());
  return frame;
}

std::string paint(const Frame& shown, const Frame& next) {
  Painter painter(shown);
  const std::wstring nothing;
  for (size_t i = 0; i < next.rows.size(); i++) {
    const std::wstring& before = i < shown.rows.size() ? shown.rows[i] : nothing;
    const std::wstring& after = next.rows[i];
    if (i < shown.rows.size() && before == after) {
      continue;
    }
    const size_t same = common_prefix(before, after);
    painter.move(i, column_width(std::wstring_view(after).substr(0, same)));
    painter.write(std::wstring_view(after).substr(same));
    const size_t width = column_width(after);
    if (column_width(before) > width) {
      painter.erase_to_end_of_row();
    }
    if (i == next.cursor_row && next.cursor_column == width) {
      painter.at_column(width);
    }
  }
  if (shown.rows.size() > next.rows.size()) {
    painter.move(next.rows.size(), 0);
    painter.erase_below();
  }
  painter.move(next.cursor_row, next.cursor_column);
  return painter.take();
}

std::string erase(const Frame& shown, size_t width) {
  width = std::max<size_t>(width, 2);
  size_t above = shown.cursor_column / width;
  for (size_t i = 0; i < shown.cursor_row; i++) {
    above += std::max<size_t>((column_width(shown.rows[i]) + width - 1) / width, 1);
  }
  return above > 0 ? fmt::format("\033[{}A\r\033[J", above) : "\r\033[J";
}

}  // namespace tsc
