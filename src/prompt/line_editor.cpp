#include "prompt/line_editor.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>

namespace tsc {

namespace {

struct Key {
  const char* sequence;
  const char* command;
};

// clang-format off
constexpr Key kEmacsKeys[] = {
    {"^M", "tsc-enter"},
    {"^J", "tsc-enter"},
    {"\033^M", "tsc-new-line"},
    {"\033^J", "tsc-new-line"},
    {"^I", "tsc-complete"},
    {"^D", "tsc-delete-or-end"},
    {"\033[3~", "tsc-delete"},
    {"^H", "tsc-backspace"},
    {"^?", "tsc-backspace"},
    {"^L", "tsc-clear-screen"},
    {"^R", "tsc-search"},
    {"^P", "tsc-up"}, {"\033[A", "tsc-up"}, {"\033OA", "tsc-up"},
    {"^N", "tsc-down"}, {"\033[B", "tsc-down"}, {"\033OB", "tsc-down"},
    {"^F", "tsc-right"}, {"\033[C", "tsc-right"}, {"\033OC", "tsc-right"},
    {"^B", "tsc-left"}, {"\033[D", "tsc-left"}, {"\033OD", "tsc-left"},
    {"\033[H", "ed-move-to-beg"}, {"\033OH", "ed-move-to-beg"}, {"\033[1~", "ed-move-to-beg"},
    {"\033[F", "ed-move-to-end"}, {"\033OF", "ed-move-to-end"}, {"\033[4~", "ed-move-to-end"},
    {"\033[1;5C", "em-next-word"},
    {"\033[1;5D", "ed-prev-word"},
    // M-X and M-x, as ":" of vi: an empty line there ends the process.
    {"\\330", "ed-unassigned"}, {"\033X", "ed-unassigned"},
    {"\\370", "ed-unassigned"}, {"\033x", "ed-unassigned"},
};

constexpr Key kViInsertKeys[] = {
    {"^M", "tsc-enter"},
    {"^J", "tsc-enter"},
    {"^I", "tsc-complete"},
    {"^D", "tsc-delete-or-end"},
    {"^H", "tsc-backspace"},
    {"^?", "tsc-backspace"},
    {"^L", "tsc-clear-screen"},
    {"^R", "tsc-search"},
};

// Escape leaves vi's insert map at once, so the rest of a sequence is this map's.
constexpr Key kViCommandKeys[] = {
    {"^M", "tsc-enter"},
    {"^J", "tsc-enter"},
    {"^D", "tsc-delete-or-end"}, {"[3~", "tsc-delete"},
    {"^L", "tsc-clear-screen"},
    {"k", "tsc-up"}, {"^P", "tsc-up"}, {"[A", "tsc-up"}, {"OA", "tsc-up"},
    {"j", "tsc-down"}, {"^N", "tsc-down"}, {"[B", "tsc-down"}, {"OB", "tsc-down"},
    {":", "ed-unassigned"},
};
// clang-format on

}  // namespace

struct LineEditor::Command {
  const wchar_t* name;
  const wchar_t* help;
  unsigned char (*run)(editline*, int);
};

const LineEditor::Command LineEditor::kCommands[] = {
    {L"tsc-backspace", L"deletes a character, or a level of indentation",
     &call<EditCommand::Backspace>},
    {L"tsc-clear-screen", L"clears the screen", &call<EditCommand::ClearScreen>},
    {L"tsc-complete", L"completes a name, or indents", &call<EditCommand::Complete>},
    {L"tsc-delete", L"deletes the next character", &call<EditCommand::Delete>},
    {L"tsc-delete-or-end", L"deletes the next character, ends a block, or leaves",
     &call<EditCommand::DeleteOrEnd>},
    {L"tsc-down", L"to the next line, or the next entry", &call<EditCommand::Down>},
    {L"tsc-enter", L"runs an entry that is complete, or begins a line", &call<EditCommand::Enter>},
    {L"tsc-left", L"to the character before", &call<EditCommand::Left>},
    {L"tsc-new-line", L"begins a line", &call<EditCommand::NewLine>},
    {L"tsc-right", L"to the next character", &call<EditCommand::Right>},
    {L"tsc-search", L"searches the history", &call<EditCommand::Search>},
    {L"tsc-up", L"to the line before, or the entry before", &call<EditCommand::Up>},
};

LineEditor::LineEditor(Client& client) : client_(client), nowhere_(std::fopen("/dev/null", "w")) {
  std::setlocale(LC_CTYPE, "C.UTF-8");  // for decoding and measuring characters
  editor_ = el_init_fd("tensorscope", stdin, nowhere_, stderr, STDIN_FILENO, STDOUT_FILENO,
                       STDERR_FILENO);
  el_set(editor_, EL_CLIENTDATA, this);
  el_set(editor_, EL_SIGNAL, 0);
  el_set(editor_, EL_EDITOR, "emacs");
  el_set(editor_, EL_GETCFN, &LineEditor::read_character);
  history_ = history_winit();
  HistEventW event;
  history_w(history_, &event, H_SETSIZE, 2000);
  el_wset(editor_, EL_HIST, history_w, history_);
  for (const Command& command : kCommands) {
    // libedit would never free the wide copies that el_set would make of these.
    el_wset(editor_, EL_ADDFN, command.name, command.help, command.run);
  }
  bind_keys();
  read_editrc();
}

LineEditor::~LineEditor() {
  history_wend(history_);
  el_end(editor_);
  std::fclose(nowhere_);
}

LineEditor& LineEditor::of(editline* editor) {
  void* self = nullptr;
  el_get(editor, EL_CLIENTDATA, &self);
  return *static_cast<LineEditor*>(self);
}

int LineEditor::read_character(editline* editor, wchar_t* character) {
  // A repeated search of vi's that finds nothing leaves the cursor behind the end.
  auto* info = const_cast<LineInfoW*>(el_wline(editor));
  info->lastchar = std::max(info->lastchar, info->buffer);
  info->cursor = std::min(std::max(info->cursor, info->buffer), info->lastchar);
  return of(editor).client_.read_character(*character);
}

// libedit draws nothing, so the result only says how the line goes on.
template <EditCommand command>
unsigned char LineEditor::call(editline* editor, int) {
  switch (of(editor).client_.run(command)) {
    case Next::Go: return CC_NORM;
    case Next::Accept: return CC_NEWLINE;
    case Next::EndOfInput: return CC_EOF;
  }
  return CC_NORM;
}

void LineEditor::bind_keys() {
  const char* name = nullptr;
  el_get(editor_, EL_EDITOR, &name);
  if (name == nullptr || std::string_view(name) != "vi") {
    for (const Key& key : kEmacsKeys) {
      el_set(editor_, EL_BIND, key.sequence, key.command, nullptr);
    }
    return;
  }
  for (const Key& key : kViInsertKeys) {
    el_set(editor_, EL_BIND, key.sequence, key.command, nullptr);
  }
  for (const Key& key : kViCommandKeys) {
    el_set(editor_, EL_BIND, "-a", key.sequence, key.command, nullptr);
  }
}

// Like el_source(), except that after a change of the editor, which forgets all keys, our keys are
// bound again, which later lines of the file may rebind.
void LineEditor::read_editrc() {
  const char* named = std::getenv("EDITRC");
  const char* home = std::getenv("HOME");
  const std::string path = named != nullptr  ? named
                           : home != nullptr ? std::string(home) + "/.editrc"
                                             : "";
  FILE* file = path.empty() ? nullptr : std::fopen(path.c_str(), "r");
  if (file == nullptr) {
    return;
  }
  Tokenizer* tokenizer = tok_init(nullptr);
  char* line = nullptr;
  size_t capacity = 0;
  while (getline(&line, &capacity, file) > 0) {
    line[std::strcspn(line, "\n")] = '\0';
    const size_t begin = std::strspn(line, " \t");
    if (line[begin] == '\0' || line[begin] == '#') {
      continue;
    }
    int count = 0;
    const char** words = nullptr;
    tok_reset(tokenizer);
    if (tok_str(tokenizer, line, &count, &words) != 0 || count == 0) {
      continue;
    }
    el_parse(editor_, count, words);
    const auto changes_editor = [](std::string_view word) { return word == "-v" || word == "-e"; };
    if (std::any_of(words, words + count, changes_editor)) {
      bind_keys();
    }
  }
  std::free(line);
  tok_end(tokenizer);
  std::fclose(file);
}

bool LineEditor::read() {
  int count = 0;
  const wchar_t* line = el_wgets(editor_, &count);
  return line != nullptr && count > 0 && line[count - 1] == L'\n';
}

bool LineEditor::read_key(wchar_t& key) { return el_wgetc(editor_, &key) == 1; }

std::wstring_view LineEditor::text() const {
  const LineInfoW* info = el_wline(editor_);
  return {info->buffer, static_cast<size_t>(info->lastchar - info->buffer)};
}

size_t LineEditor::column() const {
  const LineInfoW* info = el_wline(editor_);
  return static_cast<size_t>(info->cursor - info->buffer);
}

void LineEditor::set(std::wstring_view text, size_t column) {
  // el_deletestr() would write the line into vi's registers. Needed for a libedit whose lines are
  // copies.
  auto* info = const_cast<LineInfoW*>(el_wline(editor_));
  info->cursor = info->lastchar = info->buffer;
  if (const auto size = static_cast<int>(this->text().size()); size > 0) {
    el_cursor(editor_, size);
    el_deletestr(editor_, size);
  }
  insert(text);
  move(static_cast<int>(column) - static_cast<int>(text.size()));
}

void LineEditor::insert(std::wstring_view text) {
  el_winsertstr(editor_, std::wstring(text).c_str());
}

void LineEditor::move(int characters) { el_cursor(editor_, characters); }

void LineEditor::erase_before(size_t characters) {
  el_deletestr(editor_, static_cast<int>(characters));
}

void LineEditor::add_to_history(const std::wstring& entry) {
  HistEventW event;
  history_w(history_, &event, H_ENTER, entry.c_str());
}

void LineEditor::set_raw(bool raw) { el_set(editor_, EL_PREP_TERM, raw ? 1 : 0); }

void LineEditor::reset() { el_reset(editor_); }

}  // namespace tsc
