// Frames are painted on a small terminal, which must then show what the frame says.
#include "prompt/frame.h"

#include <algorithm>
#include <clocale>
#include <random>

#include <doctest/doctest.h>

#include "prompt/wide_text.h"

using tsc::Edited;
using tsc::Frame;
using tsc::ScreenSize;

namespace {

// What paint() and erase() may write, as xterm takes it: behind the last column the cursor waits
// for one more character before it wraps.
class Terminal {
 public:
  explicit Terminal(ScreenSize size) : size_(size), rows_(size.height) {}

  void write(const std::string& text) {
    const std::wstring wide = tsc::to_wide(text);
    for (size_t i = 0; i < wide.size(); i++) {
      if (wide[i] == L'\033') {
        REQUIRE(wide[i + 1] == L'[');
        size_t end = i + 2;
        size_t number = 0;
        for (; wide[end] >= L'0' && wide[end] <= L'9'; end++) {
          number = number * 10 + static_cast<size_t>(wide[end] - L'0');
        }
        control(wide[end], number == 0 ? 1 : number);
        i = end;
      } else if (wide[i] == L'\r') {
        column_ = 0;
      } else if (wide[i] == L'\n') {
        line_feed();
      } else {
        put(wide[i]);
      }
    }
  }

  // Rows from `first` on, without the blanks at their ends.
  std::vector<std::wstring> rows(size_t first) const {
    std::vector<std::wstring> shown;
    for (size_t i = first; i < rows_.size(); i++) {
      std::wstring row;
      for (const std::wstring& cell : rows_[i]) {
        row += cell;
      }
      row.resize(row.find_last_not_of(L' ') + 1);
      shown.push_back(row);
    }
    while (!shown.empty() && shown.back().empty()) {
      shown.pop_back();
    }
    return shown;
  }
  size_t row() const { return row_; }
  size_t column() const { return std::min(column_, size_.width - 1); }

 private:
  void control(wchar_t kind, size_t number) {
    if (kind == L'A') {
      row_ -= std::min(row_, number);
    } else if (kind == L'B') {
      row_ = std::min(row_ + number, size_.height - 1);
    } else if (kind == L'C') {
      column_ = std::min(column() + number, size_.width - 1);
    } else if (kind == L'K') {
      rows_[row_].resize(std::min(rows_[row_].size(), column()));
    } else {
      REQUIRE(kind == L'J');
      rows_[row_].resize(std::min(rows_[row_].size(), column()));
      std::fill(rows_.begin() + static_cast<ptrdiff_t>(row_) + 1, rows_.end(),
                std::vector<std::wstring>());
    }
  }

  void put(wchar_t character) {
    const size_t width = tsc::column_width(character);
    if (width == 0) {
      REQUIRE(column_ > 0);
      rows_[row_][column_ - 1] += character;
      return;
    }
    if (column_ + width > size_.width) {
      line_feed();
      column_ = 0;
    }
    rows_[row_].resize(std::max(rows_[row_].size(), column_ + width), L" ");
    rows_[row_][column_] = std::wstring(1, character);
    if (width == 2) {
      rows_[row_][column_ + 1].clear();
    }
    column_ += width;
  }

  void line_feed() {
    if (++row_ == size_.height) {
      row_--;
      rows_.erase(rows_.begin());
      rows_.emplace_back();
    }
  }

  ScreenSize size_;
  std::vector<std::vector<std::wstring>> rows_;
  size_t row_ = 0;
  size_t column_ = 0;
};

std::wstring without_end(std::wstring row) {
  row.resize(row.find_last_not_of(L' ') + 1);
  return row;
}

Edited edited(std::wstring_view text, size_t line = 0, size_t column = 0) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  Edited result;
  result.prompt = L"tsc> ";
  result.continuation = L" ... ";
  result.lines = tsc::split_lines(text);
  result.line = line;
  result.column = column;
  return result;
}

}  // namespace

TEST_CASE("a frame has a prompt before each line, and the cursor where it is") {
  const Frame frame = tsc::make_frame(edited(L"for x in y:\n    x", 1, 4), {40, 10});
  CHECK(frame.rows == std::vector<std::wstring>{L"tsc> for x in y:", L" ...     x"});
  CHECK(frame.cursor_row == 1);
  CHECK(frame.cursor_column == 9);
}

TEST_CASE("rows are broken at the width") {
  const Frame frame = tsc::make_frame(edited(L"abcdefgh", 0, 8), {10, 10});
  CHECK(frame.rows == std::vector<std::wstring>{L"tsc> abcde", L"fgh"});
  CHECK(frame.cursor_row == 1);
  CHECK(frame.cursor_column == 3);
}

TEST_CASE("behind a full row the cursor stands on the next") {
  const Frame frame = tsc::make_frame(edited(L"abcde", 0, 5), {10, 10});
  CHECK(frame.rows == std::vector<std::wstring>{L"tsc> abcde", L""});
  CHECK(frame.cursor_row == 1);
  CHECK(frame.cursor_column == 0);
}

TEST_CASE("wide characters are not cut, and combining ones take no column") {
  const Frame wide = tsc::make_frame(edited(L"漢字漢", 0, 2), {10, 10});
  CHECK(wide.rows == std::vector<std::wstring>{L"tsc> 漢字", L"漢"});
  CHECK(wide.cursor_row == 1);
  CHECK(wide.cursor_column == 0);
  const Frame combining = tsc::make_frame(edited(L"e\u0301x", 0, 2), {10, 10});
  CHECK(combining.cursor_column == 6);
}

TEST_CASE("tabs and control characters can be written") {
  const Frame frame = tsc::make_frame(edited(L"a\tb\001\033[2J", 0, 2), {40, 10});
  CHECK(frame.rows == std::vector<std::wstring>{L"tsc> a       b^A^[[2J"});
  CHECK(frame.cursor_column == 13);
}

TEST_CASE("of a tall entry the rows round the cursor are shown") {
  std::wstring text;
  for (int i = 0; i < 100; i++) {
    text += std::to_wstring(i) + L"\n";
  }
  const Frame middle = tsc::make_frame(edited(text, 50, 0), {40, 5});
  CHECK(middle.rows ==
        std::vector<std::wstring>{L" ... 48", L" ... 49", L" ... 50", L" ... 51", L" ... 52"});
  CHECK(middle.cursor_row == 2);
  CHECK(tsc::make_frame(edited(text, 0, 0), {40, 5}).rows.front() == L"tsc> 0");
  CHECK(tsc::make_frame(edited(text, 99, 0), {40, 5}).rows[3] == L" ... 99");
  CHECK(tsc::make_final_frame(edited(text, 50, 0), 40).rows.size() == 101);
}

TEST_CASE("a note is the last row") {
  Edited searched = edited(L"a\nb\nc", 1, 0);
  searched.note = L"search: a";
  CHECK(tsc::make_frame(searched, {40, 3}).rows ==
        std::vector<std::wstring>{L"tsc> a", L" ... b", L"search: a"});
}

TEST_CASE("what was typed at the end is all that is written") {
  const Frame before = tsc::make_frame(edited(L"a", 0, 1), {40, 10});
  const Frame after = tsc::make_frame(edited(L"ab", 0, 2), {40, 10});
  CHECK(tsc::paint(before, after) == "b");
  CHECK(tsc::paint(after, after).empty());
  CHECK(tsc::paint(after, before) == "\r\033[6C\033[K");
}

TEST_CASE("after any change the screen shows the frame") {
  std::mt19937 random(7);
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  constexpr wchar_t kCharacters[] = {L'a', L'b', L' ', L'漢', L'é', L'\u0301', L'\t', L'\n'};
  for (int round = 0; round < 300; round++) {
    const ScreenSize size = {below(30) + 8, below(8) + 1};
    Terminal terminal(size);
    Frame shown;
    std::wstring text;
    for (int step = 0; step < 30; step++) {
      const size_t at = below(text.size() + 1);
      if (below(3) == 0) {
        text.erase(at, below(12));
      } else {
        for (size_t i = below(10); i > 0; i--) {
          text.insert(at, 1, kCharacters[below(std::size(kCharacters))]);
        }
      }
      Edited state = edited(text);
      state.line = below(state.lines.size());
      state.column = below(state.lines[state.line].size() + 1);
      const Frame next = tsc::make_frame(state, size);
      REQUIRE(next.rows.size() <= size.height);
      terminal.write(tsc::paint(shown, next));
      shown = next;

      REQUIRE(terminal.row() >= next.cursor_row);
      std::vector<std::wstring> expected;
      for (const std::wstring& row : next.rows) {
        expected.push_back(without_end(row));
      }
      while (!expected.empty() && expected.back().empty()) {
        expected.pop_back();
      }
      REQUIRE(terminal.rows(terminal.row() - next.cursor_row) == expected);
      REQUIRE(terminal.column() == next.cursor_column);
    }
  }
}

TEST_CASE("a frame is erased where a narrower terminal has broken its rows") {
  Terminal terminal({10, 10});
  terminal.write("output\r\n");
  const Frame frame = tsc::make_frame(edited(L"abcdefghijklmno\nx", 1, 1), {40, 10});
  // As the narrower terminal shows it.
  terminal.write("tsc> abcdefghijklmno\r\n ... x");
  terminal.write(tsc::erase(frame, 10));
  CHECK(terminal.rows(0) == std::vector<std::wstring>{L"output"});
  CHECK(terminal.row() == 1);
  CHECK(terminal.column() == 0);
}
