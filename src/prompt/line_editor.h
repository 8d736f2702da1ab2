// libedit without its drawing: it sets the terminal's modes, decodes keys, knows the emacs and vi
// maps and ~/.editrc, and edits one line. Keys that mean more than that line are commands of the
// client's, which also reads characters and draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

struct editline;
struct historyW;

namespace tsc {

enum class EditCommand : uint8_t {
  Backspace,
  ClearScreen,
  Complete,
  Delete,
  DeleteOrEnd,
  Down,
  Enter,
  Left,
  NewLine,
  Right,
  Search,
  Up,
};

class LineEditor {
 public:
  enum class Next : uint8_t { Go, Accept, EndOfInput };

  class Client {
   public:
    virtual ~Client() = default;
    // 1 for a character, 0 at the end of the input, -1 for an error or Ctrl-C.
    virtual int read_character(wchar_t& character) = 0;
    virtual Next run(EditCommand command) = 0;
  };

  explicit LineEditor(Client& client);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // Until a command ends it: true where that was libedit's own end of a line.
  bool read();
  // For commands that take further keys. False where there is none.
  bool read_key(wchar_t& key);

  // --- The line
  std::wstring_view text() const;
  size_t column() const;
  void set(std::wstring_view text, size_t column);
  void insert(std::wstring_view text);
  void move(int characters);
  void erase_before(size_t characters);

  // For the commands of libedit's own that search, as those of vi do.
  void add_to_history(const std::wstring& entry);

  // --- The terminal's modes: ours, or those that it had. A new size is none of libedit's business:
  // in the middle of a line, it would write behind its smaller display.
  void set_raw(bool raw);
  void reset();

 private:
  template <EditCommand command>
  static unsigned char call(editline* editor, int key);
  static int read_character(editline* editor, wchar_t* character);
  static LineEditor& of(editline* editor);

  struct Command;
  static const Command kCommands[];

  void bind_keys();
  void read_editrc();

  Client& client_;
  FILE* nowhere_;
  editline* editor_;
  historyW* history_;
};

}  // namespace tsc
