// Reads an entry that is edited on a terminal. libedit has the line of the cursor; the others are
// kept here, so that every command of libedit's applies to one line. The frame is drawn whenever a
// key is awaited.
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cwchar>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/xchar.h>

#include "core/system/interrupt.h"
#include "prompt/entry_reader.h"
#include "prompt/frame.h"
#include "prompt/indentation.h"
#include "prompt/line_editor.h"
#include "prompt/paste.h"
#include "prompt/signals.h"
#include "prompt/wide_text.h"

namespace tsc {

namespace {

constexpr std::string_view kPasteBegins = "\033[200~";
constexpr std::string_view kPasteEnds = "\033[201~";

void write_to_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDOUT_FILENO, text.data(), text.size());
    if (count > 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd output = {STDOUT_FILENO, POLLOUT, 0};
      poll(&output, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

ScreenSize screen_size() {
  winsize size = {};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {size.ws_col > 0 ? size.ws_col : size_t{80}, size.ws_row > 0 ? size.ws_row : size_t{24}};
}

class TerminalReader final : public EntryReader, private LineEditor::Client {
 public:
  TerminalReader(interp::Session& session, const History& history)
      : session_(session), history_(history), editor_(*this) {}

  Result read() override {
    edited_ = {};
    edited_.prompt = to_wide(session_.prompt());
    edited_.continuation = to_wide(session_.continuation_prompt());
    edited_.lines = {L""};
    history_index_ = history_.entries().size();
    for (; in_editor_ < history_index_; in_editor_++) {
      editor_.add_to_history(to_wide(history_.entries()[in_editor_]));
    }
    recalled_.reset();
    settled_.reset();
    auto_indentation_.reset();
    accepted_.clear();
    shown_ = {};
    is_shown_ = false;

    KeyWait keys;
    keys_ = &keys;
    available_ = 0;
    const bool is_line = editor_.read();
    keys_ = nullptr;
    Result result = {End::EndOfInput, ""};
    if (interrupt_requested()) {
      clear_interrupt();
      editor_.reset();
      result.end = End::Interrupted;
    } else if (!accepted_.empty()) {
      result = {End::Entry, std::move(accepted_)};
    } else if (is_line) {  // a key is bound to libedit's own end of a line
      result = {End::Entry, entry() + "\n"};
    }
    leave_frame();
    return result;
  }

 private:
  using Next = LineEditor::Next;

  Next run(EditCommand command) override {
    synchronize();
    split_current_line();
    switch (command) {
      case EditCommand::Backspace: return backspace();
      case EditCommand::ClearScreen: return clear_screen();
      case EditCommand::Complete: return complete();
      case EditCommand::Delete: return delete_next();
      case EditCommand::DeleteOrEnd: return delete_or_end();
      case EditCommand::Down: return down();
      case EditCommand::Enter: return enter();
      case EditCommand::Left: return left();
      case EditCommand::NewLine: return new_line();
      case EditCommand::Right: return right();
      case EditCommand::Search: return search();
      case EditCommand::Up: return up();
    }
    return Next::Go;
  }

  // --- Characters

  int read_character(wchar_t& character) override {
    synchronize();
    std::mbstate_t state = {};
    bool first = true;
    for (;;) {
      char byte = 0;
      if (const int count = read_byte(byte); count <= 0) {
        return count;
      }
      if (first && byte == kPasteBegins[0] && paste_begins()) {
        if (!take_paste()) {
          return -1;
        }
        continue;
      }
      // A line that is sent with its own indentation gets none of ours.
      if (first && (byte == ' ' || byte == '\t') && input_is_pending()) {
        drop_auto_indentation();
      }
      first = false;
      const size_t used = std::mbrtowc(&character, &byte, 1, &state);
      if (used == static_cast<size_t>(-1)) {
        state = {};  // no UTF-8: left out
        first = true;
      } else if (used != static_cast<size_t>(-2)) {
        return 1;
      }
    }
  }

  int read_byte(char& byte) {
    if (!ahead_.empty()) {
      byte = ahead_.front();
      ahead_.erase(0, 1);
      return 1;
    }
    for (;;) {
      // Bytes known to be available cost one call each.
      if (interrupt_requested() || (available_ == 0 && !wait_for_input())) {
        return -1;
      }
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      available_ -= available_ > 0 ? 1 : 0;
      if (count >= 0 || (errno != EINTR && errno != EAGAIN)) {
        return static_cast<int>(count);
      }
    }
  }

  int count_available() const {
    int count = 0;
    return ioctl(STDIN_FILENO, FIONREAD, &count) == 0 ? count : 0;
  }

  bool input_is_pending() const {
    return !ahead_.empty() || available_ > 0 || count_available() > 0;
  }

  // Whether the rest of the sequence that begins a paste follows; otherwise the bytes read stay
  // ahead.
  bool paste_begins() {
    constexpr int kMilliseconds = 50;  // between the bytes of one sequence, on a slow line
    std::string read;
    for (size_t i = 1; i < kPasteBegins.size(); i++) {
      pollfd input = {STDIN_FILENO, POLLIN, 0};
      char byte = 0;
      if ((!input_is_pending() && poll(&input, 1, kMilliseconds) <= 0) || read_byte(byte) <= 0) {
        ahead_ = read + ahead_;
        return false;
      }
      read += byte;
      if (byte != kPasteBegins[i]) {
        ahead_ = read + ahead_;
        return false;
      }
    }
    return true;
  }

  // False for Ctrl-C.
  bool take_paste() {
    std::string text;
    while (!text.ends_with(kPasteEnds)) {
      char byte = 0;
      if (read_byte(byte) <= 0) {
        return false;
      }
      if (byte != '\0') {
        text += byte;
      }
    }
    text.resize(text.size() - kPasteEnds.size());
    insert_paste(clean_paste(std::move(text)));
    return true;
  }

  // False for Ctrl-C.
  bool wait_for_input() {
    if (!input_is_pending()) {
      draw();
    }
    for (;;) {
      switch (keys_->wait()) {
        case KeyWait::Event::Input: available_ = count_available(); return true;
        case KeyWait::Event::Interrupt: return false;
        case KeyWait::Event::Resize:
          if (is_shown_) {
            write_to_terminal(erase(shown_, screen_size().width));
            shown_ = {};
          }
          draw();
          break;
        case KeyWait::Event::Stop:
        case KeyWait::Event::End:
          leave_frame();
          editor_.set_raw(false);
          keys_->pass_on();
          resume();
          break;
        case KeyWait::Event::Continue:
          editor_.set_raw(false);
          resume();
          break;
      }
    }
  }

  // Another program may have changed the terminal's state meanwhile.
  void resume() {
    editor_.set_raw(true);
    shown_ = {};
    is_shown_ = false;
    draw();
  }

  // --- The screen

  void draw() {
    const ScreenSize screen = screen_size();
    std::string text;
    if (!is_shown_) {
      // If output did not end its line, the blanks wrap, and the prompt gets a row of its own.
      text = "\033[?2004h" + std::string(screen.width, ' ') + "\r\033[K";
      is_shown_ = true;
    }
    const bool is_one_line = line().find(L'\n') == std::wstring::npos;
    Frame next = make_frame(is_one_line ? edited_ : with_split_line(edited_), screen);
    const bool is_large = next.rows.size() > 1 || shown_.rows.size() > 1;
    const std::string changes = paint(shown_, next);
    shown_ = std::move(next);
    // Synchronized output: terminals that support it show either frame, and nothing in between.
    text += is_large && !changes.empty() ? "\033[?2026h" + changes + "\033[?2026l" : changes;
    write_to_terminal(text);
  }

  // Leaves the whole entry on the screen, and the cursor below it.
  void leave_frame() {
    if (!is_shown_) {
      draw();
    }
    edited_.note.clear();
    split_current_line();
    write_to_terminal(paint(shown_, make_final_frame(edited_, screen_size().width)) +
                      "\r\n\033[?2004l");
    shown_ = {};
    is_shown_ = false;
  }

  // --- The entry

  // Takes over the line as libedit has edited it.
  void synchronize() {
    line() = editor_.text();
    edited_.column = std::min(editor_.column(), line().size());
  }

  // libedit's own commands return whole entries as one line.
  void split_current_line() {
    if (line().find(L'\n') != std::wstring::npos) {
      edited_ = with_split_line(edited_);
      editor_.set(line(), edited_.column);
      settled_ = join_lines(edited_.lines);
    }
  }

  static Edited with_split_line(Edited edited) {
    const std::wstring text = edited.lines[edited.line];
    const std::vector<std::wstring> left = split_lines(text.substr(0, edited.column));
    const std::vector<std::wstring> lines = split_lines(text);
    const auto at = edited.lines.begin() + static_cast<ptrdiff_t>(edited.line);
    edited.lines.insert(edited.lines.erase(at), lines.begin(), lines.end());
    edited.line += left.size() - 1;
    edited.column = left.back().size();
    return edited;
  }

  void go_to(size_t at, size_t column) {
    edited_.line = at;
    edited_.column = std::min(column, line().size());
    editor_.set(line(), edited_.column);
  }

  void set_entry(std::wstring_view text) {
    edited_.lines = split_lines(text);
    go_to(edited_.lines.size() - 1, edited_.lines.back().size());
  }

  // Replaces the cursor's line by `left` and `right` with lines in between.
  void insert_lines(const std::wstring& left, std::vector<std::wstring> lines,
                    const std::wstring& right) {
    const size_t column = lines.back().size() + (lines.size() == 1 ? left.size() : 0);
    const size_t last = edited_.line + lines.size() - 1;
    lines.front() = left + lines.front();
    lines.back() += right;
    const auto at = edited_.lines.begin() + static_cast<ptrdiff_t>(edited_.line);
    std::vector<std::wstring> all(edited_.lines.begin(), at);
    all.insert(all.end(), std::make_move_iterator(lines.begin()),
               std::make_move_iterator(lines.end()));
    all.insert(all.end(), at + 1, edited_.lines.end());
    edited_.lines = std::move(all);
    go_to(last, column);
  }

  std::wstring& line() { return edited_.lines[edited_.line]; }
  std::wstring before_cursor() { return line().substr(0, edited_.column); }
  std::wstring behind_cursor() { return line().substr(edited_.column); }
  bool is_last_line() const { return edited_.line + 1 == edited_.lines.size(); }
  std::string entry() const { return to_utf8(join_lines(edited_.lines)); }

  Next accept(std::string text) {
    accepted_ = std::move(text);
    return Next::Accept;
  }

  // --- Enter, Tab, Backspace, Delete, Ctrl-D

  Next enter() {
    if (line_continues_outer_block()) {
      dedent_line();
    }
    const std::string text = entry();
    // Text from the history or a paste is complete as it is, without an empty line at the end.
    if (settled_ == join_lines(edited_.lines) && session_.is_complete(text + "\n\n")) {
      return accept(text + "\n");
    }
    if (edited_.lines.size() == 1 && session_.is_complete(text + "\n")) {
      return accept(text + "\n");
    }
    if (edited_.lines.size() > 1 && is_last_line()) {
      if (is_blank(line())) {
        return end_block(false);
      }
      if (session_.is_complete(text + "\n")) {
        return accept(text + "\n");
      }
    }
    return new_line();
  }

  // Called with the cursor in an empty last line. An entry that is not complete is continued,
  // unless `certain`.
  Next end_block(bool certain) {
    std::vector<std::wstring> lines = edited_.lines;
    lines.back().clear();
    const std::string text = to_utf8(join_lines(lines)) + "\n";
    return certain || session_.is_complete(text) ? accept(text) : new_line();
  }

  Next new_line() {
    const std::wstring left = before_cursor();
    std::wstring right = behind_cursor();
    std::wstring indentation;
    // Lines that a program sends have an indentation of their own.
    if (!input_is_pending()) {
      std::vector<std::wstring> above(edited_.lines.begin(),
                                      edited_.lines.begin() + static_cast<ptrdiff_t>(edited_.line));
      above.push_back(left);
      indentation = next_indentation(above);
      right.erase(0, leading_blanks(right));
    }
    insert_lines(left, {L"", indentation}, right);
    auto_indentation_ = edited_.line;
    return Next::Go;
  }

  void drop_auto_indentation() {
    if (auto_indentation_ == edited_.line && is_blank(line())) {
      line().clear();
      go_to(edited_.line, 0);
    }
    auto_indentation_.reset();
  }

  // Whether the line is an `else:` at the block's indentation that belongs to an outer statement.
  bool line_continues_outer_block() {
    if (auto_indentation_ != edited_.line || !is_last_line() || !continues_outer_block(line())) {
      return false;
    }
    const auto is_valid = [this] {
      return interp::Interpreter::is_complete(interp::Session::code_of(entry()) + "\n") !=
             interp::Completeness::Invalid;
    };
    if (is_valid() || leading_blanks(line()) < kIndent) {
      return false;
    }
    const std::wstring before = line();
    line().erase(0, kIndent);
    const bool belongs = is_valid();
    line() = before;
    return belongs;
  }

  void dedent_line() {
    line().erase(0, kIndent);
    go_to(edited_.line, edited_.column - std::min(edited_.column, kIndent));
  }

  // In a line's indentation Tab adds to it; otherwise it inserts the common prefix of all
  // candidates, or lists them where that is empty.
  Next complete() {
    const std::wstring left = before_cursor();
    if (is_blank(left)) {
      editor_.insert(std::wstring(tab_width(left.size()), L' '));
      return Next::Go;
    }
    const auto completions = session_.complete(to_utf8(left));
    if (completions.words.empty()) {
      return Next::Go;
    }
    std::string common = completions.words[0];
    for (const std::string& word : completions.words) {
      size_t same = 0;
      while (same < common.size() && same < word.size() && common[same] == word[same]) {
        same++;
      }
      common.resize(same);
    }
    if (common.size() > completions.typed) {
      editor_.insert(to_wide(common.substr(completions.typed)));
      return Next::Go;
    }
    constexpr size_t kMost = 60;
    std::string list;
    for (size_t i = 0; i < completions.words.size() && i < kMost; i++) {
      list += completions.words[i] + "  ";
    }
    if (completions.words.size() > kMost) {
      list += fmt::format("... {} more", completions.words.size() - kMost);
    }
    leave_frame();
    write_to_terminal(list + "\r\n");
    return Next::Go;
  }

  Next backspace() {
    const std::wstring left = before_cursor();
    if (left.empty()) {
      join_with_line_above();
      return Next::Go;
    }
    // In an indentation by blanks, deletes a whole level.
    const bool indented = left.find_first_not_of(L' ') == left.npos;
    editor_.erase_before(indented ? backspace_width(left.size()) : 1);
    return Next::Go;
  }

  void join_with_line_above() {
    if (edited_.line > 0) {
      const std::wstring right = line();
      const size_t column = edited_.lines[edited_.line - 1].size();
      edited_.lines.erase(edited_.lines.begin() + static_cast<ptrdiff_t>(edited_.line));
      edited_.lines[edited_.line - 1] += right;
      go_to(edited_.line - 1, column);
    }
  }

  Next delete_next() {
    if (edited_.column < line().size()) {
      editor_.move(1);
      editor_.erase_before(1);
    } else if (!is_last_line()) {
      go_to(edited_.line + 1, 0);
      join_with_line_above();
    }
    return Next::Go;
  }

  // Ctrl-D ends the session on an empty entry, or a block on a blank last line; otherwise it
  // deletes.
  Next delete_or_end() {
    if (edited_.lines.size() == 1 && line().empty()) {
      return Next::EndOfInput;
    }
    if (edited_.lines.size() > 1 && is_last_line() && is_blank(line())) {
      return end_block(true);
    }
    return delete_next();
  }

  Next clear_screen() {
    write_to_terminal("\033[H\033[2J");
    shown_ = {};
    return Next::Go;
  }

  void insert_paste(std::string text) {
    const bool starts_entry = edited_.lines.size() == 1 && is_blank(before_cursor());
    if (starts_entry) {
      text = without_indentation(text);
    }
    if (line().find(L'\n') != std::wstring::npos) {
      return;  // libedit shows a question of its own below the line
    }
    if (searched_.has_value()) {
      ahead_ = text.substr(0, text.find('\n')) + ahead_;
      return;
    }
    std::vector<std::wstring> lines = split_lines(to_wide(text));
    std::wstring left = before_cursor();
    // Text with an indentation of its own replaces ours.
    if (is_blank(left) && (starts_entry || leading_blanks(lines.front()) > 0)) {
      left.clear();
    }
    const bool is_long = lines.size() > 1;
    insert_lines(left, std::move(lines), behind_cursor());
    if (is_long) {
      settled_ = join_lines(edited_.lines);
    }
  }

  // --- The history

  Next up() {
    if (edited_.line == 0) {
      return older();
    }
    return move_vertically(edited_.line - 1);
  }

  Next down() {
    if (is_last_line()) {
      return newer();
    }
    return move_vertically(edited_.line + 1);
  }

  // Shorter lines in between do not change the column.
  Next move_vertically(size_t line) {
    if (moved_to_ != std::pair(edited_.line, edited_.column)) {
      wanted_column_ = edited_.column;
    }
    go_to(line, wanted_column_);
    moved_to_ = {edited_.line, edited_.column};
    return Next::Go;
  }

  // Goes back to entries that begin with the typed text.
  Next older() {
    std::wstring text = join_lines(edited_.lines);
    if (recalled_ != text) {
      const bool is_new = history_index_ == history_.entries().size();
      const std::wstring left = before_cursor();
      prefix_ = is_new && !is_blank(left) ? to_utf8(left) : "";
      draft_ = text;
      recalled_ = std::move(text);
    }
    for (size_t i = history_index_; i > 0; i--) {
      if (recall(i - 1)) {
        break;
      }
    }
    return Next::Go;
  }

  Next newer() {
    const size_t count = history_.entries().size();
    if (history_index_ == count) {
      return Next::Go;
    }
    for (size_t i = history_index_ + 1; i < count; i++) {
      if (recall(i)) {
        return Next::Go;
      }
    }
    history_index_ = count;
    settled_.reset();
    recalled_ = draft_;
    set_entry(draft_);
    return Next::Go;
  }

  bool recall(size_t index) {
    const std::string& entry = history_.entries()[index];
    const std::wstring wide = to_wide(entry);
    if (!entry.starts_with(prefix_) || wide == recalled_) {
      return false;
    }
    history_index_ = index;
    recalled_ = wide;
    settled_ = wide;
    set_entry(wide);
    return true;
  }

  // Ctrl-R: each key narrows the search down; Enter runs the entry found, Ctrl-G goes back, and
  // other keys edit it.
  Next search() {
    const Edited before = edited_;
    const size_t index_before = history_index_;
    searched_.emplace();
    prefix_.clear();
    draft_ = join_lines(edited_.lines);
    size_t found = history_.entries().size();
    bool fails = false;
    for (;;) {
      edited_.note = fmt::format(L"{}: {}", fails ? L"no entry has" : L"search", *searched_);
      wchar_t key = 0;
      if (!editor_.read_key(key)) {
        break;
      }
      constexpr wchar_t kBackspace = 'H' - '@';
      constexpr wchar_t kOlder = 'R' - '@';
      constexpr wchar_t kNewer = 'S' - '@';
      constexpr wchar_t kBack = 'G' - '@';
      if (key == kOlder) {
        fails = !find_entry(found, -1);
      } else if (key == kNewer) {
        fails = !find_entry(found, 1);
      } else if (key == kBackspace || key == 0x7F) {
        if (!searched_->empty()) {
          searched_->pop_back();
        }
        found = history_.entries().size();
        fails = !find_entry(found, -1);
      } else if (key >= L' ') {
        *searched_ += key;
        size_t from = std::min(found + 1, history_.entries().size());
        fails = !find_entry(from, -1);
        found = fails ? found : from;
      } else if (key == kBack) {
        edited_ = before;
        history_index_ = index_before;
        editor_.set(line(), edited_.column);
        break;
      } else {
        // A lone Escape only ends the search.
        if (key != L'\033' || input_is_pending()) {
          ahead_ = static_cast<char>(key) + ahead_;
        }
        break;
      }
    }
    edited_.note.clear();
    searched_.reset();
    return Next::Go;
  }

  // The next entry in a direction that contains the searched text, after `found`.
  bool find_entry(size_t& found, int step) {
    const std::string wanted = to_utf8(*searched_);
    const auto& entries = history_.entries();
    if (wanted.empty()) {
      return true;
    }
    for (size_t i = found + static_cast<size_t>(step); i < entries.size();
         i += static_cast<size_t>(step)) {
      const size_t at = entries[i].find(wanted);
      if (at != std::string::npos && recall(i)) {
        found = i;
        const std::wstring left = to_wide(std::string_view(entries[i]).substr(0, at));
        const std::vector<std::wstring> lines = split_lines(left);
        go_to(lines.size() - 1, lines.back().size());
        return true;
      }
      if (at != std::string::npos) {  // it is shown
        found = i;
        return true;
      }
    }
    return false;
  }

  Next left() {
    if (edited_.column > 0) {
      editor_.move(-1);
    } else if (edited_.line > 0) {
      go_to(edited_.line - 1, edited_.lines[edited_.line - 1].size());
    }
    return Next::Go;
  }

  Next right() {
    if (edited_.column < line().size()) {
      editor_.move(1);
    } else if (!is_last_line()) {
      go_to(edited_.line + 1, 0);
    }
    return Next::Go;
  }

  interp::Session& session_;
  const History& history_;
  LineEditor editor_;
  size_t in_editor_ = 0;  // entries of the history that it has

  KeyWait* keys_ = nullptr;
  std::string ahead_;  // bytes that were read too early
  int available_ = 0;  // bytes that the terminal is known to have
  Edited edited_;
  std::string accepted_;
  Frame shown_;
  bool is_shown_ = false;
  std::optional<size_t> auto_indentation_;  // the line that was indented for who types
  std::optional<std::wstring> settled_;     // an entry that Enter runs as it is

  size_t history_index_ = 0;
  std::optional<std::wstring> recalled_;  // the entry that Up or Down last showed
  std::string prefix_;                    // of the entries that they show
  std::wstring draft_;                    // the typed text, before the history replaced it
  std::optional<std::wstring> searched_;  // while Ctrl-R searches
  std::optional<std::pair<size_t, size_t>> moved_to_;
  size_t wanted_column_ = 0;
};

}  // namespace

std::unique_ptr<EntryReader> make_terminal_reader(interp::Session& session,
                                                  const History& history) {
  return std::make_unique<TerminalReader>(session, history);
}

}  // namespace tsc
