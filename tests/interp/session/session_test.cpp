// What a session shows on a terminal of some width; transcripts show the rest.
#include "interp/session/session.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/system/interrupt.h"

using namespace tsc;
using namespace tsc::interp;

namespace {

class Prompt {
 public:
  Prompt()
      : session_(
            interpreter_, [this](std::string_view text) { shown_ += text; },
            [this](std::string_view text) { shown_ += text; }) {}
  // What an entry shows.
  std::string enter(const std::string& entry) {
    shown_.clear();
    session_.execute(entry);
    return shown_;
  }
  Session& session() { return session_; }

 private:
  Interpreter interpreter_;
  std::string shown_;
  Session session_;
};

// Without line ends and runs of blanks.
std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || (!words.empty() && words.back() != ' ')) {
      words += is_blank ? ' ' : c;
    }
  }
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

size_t longest_word(const std::string& text) {
  size_t longest = 0;
  for (const std::string& line : lines_of(text)) {
    for (size_t at = 0; at < line.size();) {
      const size_t end = std::min(line.find(' ', at), line.size());
      longest = std::max(longest, end - at);
      at = end + 1;
    }
  }
  return longest;
}

}  // namespace

TEST_CASE("reports fit the terminal, and say the same on every one") {
  Prompt prompt;
  prompt.enter("x = torch.ones(2, 3)\nw = torch.full((3, 2), 0.5, requires_grad=True)");
  prompt.enter("a_name_that_is_long = torch.ones(2, 3, 4, 5, 6, 7, dtype=torch.complex128)");
  prompt.enter(":on Tracer");
  prompt.enter("y = (x @ w).sum()");
  prompt.enter(":off Tracer");
  for (const char* command :
       {":help", ":help :watch", ":help Autograd", ":help sum", "torch.linalg?", ":explain x @ w",
        ":table mm", ":table add.Tensor CPU Meta Autograd", ":key Meta max*",
        ":key CPU linalg* --all", ":keys", ":who cpu::mm", ":vars", ":trace"}) {
    CAPTURE(command);
    prompt.session().set_width(kAnyWidth);
    const std::string whole = prompt.enter(command);
    REQUIRE(whole.size() > 10);
    for (const size_t width : {60, 80, 120}) {
      CAPTURE(width);
      prompt.session().set_width(width);
      const std::string shown = prompt.enter(command);
      CHECK(words_of(shown) == words_of(whole));
      for (const std::string& line : lines_of(shown)) {
        CAPTURE(line);
        // A word that does not fit has a line of its own.
        const bool is_one_word = line.find(' ', line.find_first_not_of(' ')) == line.npos;
        CHECK((text_columns(line) <= width || is_one_word));
      }
    }
  }
}

TEST_CASE("the watch fits the terminal, too") {
  Prompt prompt;
  prompt.enter("x = torch.ones(2, 3)");
  prompt.session().set_width(50);
  prompt.enter(":watch on");
  const std::string shown = prompt.enter("y = x + x");
  CHECK(shown.find("excluded AutocastCPU, AutocastCUDA,\n") != shown.npos);
  for (const std::string& line : lines_of(shown)) {
    CAPTURE(line);
    CHECK(text_columns(line) <= 50);
  }
}

TEST_CASE("two routes stay side by side") {
  Prompt prompt;
  prompt.enter("x = torch.ones(2, 3)\nw = torch.full((3, 2), 0.5, requires_grad=True)");
  for (const size_t width : {60, 80, 120}) {
    CAPTURE(width);
    prompt.session().set_width(width);
    const std::string shown = prompt.enter(":diff x @ w --on Profiler");
    size_t bar = std::string::npos;
    for (const std::string& line : lines_of(shown)) {
      CAPTURE(line);
      CHECK(text_columns(line) <= width);
      const size_t found = line.find(" |");
      CHECK((bar == std::string::npos || bar == found));
      bar = found;
    }
    CHECK(shown.find("\n> ") != shown.npos);
  }
}

TEST_CASE("a table of times that is too wide comes in blocks with the names again") {
  Prompt prompt;
  prompt.enter(":on Profiler");
  prompt.enter("y = (torch.ones(2, 3) @ torch.ones(3, 2)).sum()");
  prompt.enter(":off Profiler");
  const std::string whole = prompt.enter(":profile");
  for (const size_t width : {40, 60, 80, 120}) {
    CAPTURE(width);
    prompt.session().set_width(width);
    const std::string shown = prompt.enter(":profile");
    for (const std::string& line : lines_of(shown)) {
      CAPTURE(line);
      CHECK(text_columns(line) <= width);
    }
    // Every number of the wide table is there.
    for (size_t at = 0; at < whole.size();) {
      const size_t first = std::min(whole.find_first_not_of(" \n-", at), whole.size());
      const size_t end = std::min(whole.find_first_of(" \n", first), whole.size());
      const std::string word = whole.substr(first, end - first);
      CAPTURE(word);
      CHECK(shown.find(word) != shown.npos);
      at = end;
    }
  }
  prompt.session().set_width(60);
  const std::string narrow = prompt.enter(":profile");
  size_t names = 0;
  for (size_t at = narrow.find("aten::sum"); at != narrow.npos;
       at = narrow.find("aten::sum", at + 1)) {
    names++;
  }
  CHECK(names >= 2);
  CHECK(longest_word(narrow) < 60);
}

TEST_CASE("a long result is cut on a terminal, and :last has all of it") {
  Prompt prompt;
  std::string paged;
  CHECK(prompt.enter(":last") == "nothing has been shown\n");
  prompt.enter("x = list(range(100000))");
  const std::string whole = prompt.enter("x");
  CHECK(whole.ends_with("99998, 99999]\n"));
  prompt.session().set_width(80);
  const std::string cut = prompt.enter("x");
  CHECK(cut.size() == 80 * 1000 + cut.substr(80 * 1000).size());
  CHECK(cut.substr(80 * 1000) == "\n... 7,612 more lines; print(_) or :last shows all\n");
  CHECK(prompt.enter(":last") == whole);
  CHECK(prompt.enter(":last") == whole);  // and again
  prompt.session().set_pager([&](std::string_view text) { paged = text; });
  CHECK(prompt.enter(":last").empty());
  CHECK(paged == whole);
  // print() writes what it is given.
  CHECK(prompt.enter("print(x)") == whole);
  const std::string report = prompt.enter(":key CPU --all");
  CHECK(lines_of(prompt.enter(":last") + paged).size() > 0);
  CHECK(paged.starts_with(report.substr(0, 200)));
}

TEST_CASE("a semicolon at the end shows nothing") {
  Prompt prompt;
  CHECK(prompt.enter("1 + 1;").empty());
  CHECK(prompt.enter("_") == "2\n");
  CHECK(prompt.enter("3; 4;  # both").empty());
  CHECK(prompt.enter("_") == "4\n");
  CHECK(prompt.enter("5; 6") == "5\n6\n");
  CHECK(prompt.enter("';'") == "';'\n");
  CHECK(prompt.enter("print(7);") == "7\n");
  CHECK(prompt.enter("None;").empty());
  CHECK(prompt.enter("_") == "';'\n");
}

TEST_CASE("Tab knows commands and what stands behind them") {
  Prompt prompt;
  prompt.enter("x = torch.ones(2, 3)");
  const auto words = [&](std::string_view line) {
    std::string text;
    for (const std::string& word : prompt.session().complete(line).words) {
      text += (text.empty() ? "" : " ") + word;
    }
    return text;
  };
  CHECK(words(":la") == "last");
  CHECK(words(":key") == "key keys");
  CHECK(words(":help wat") == "watch");
  CHECK(words(":help :wat") == "watch");
  CHECK(words(":help Autogr") ==
        "Autograd AutogradCPU AutogradCUDA AutogradMeta AutogradOther AutogradPrivateUse1 "
        "AutogradPrivateUse2 AutogradPrivateUse3");
  CHECK(words(":help x.nume") == "numel");
  CHECK(words(":on Prof") == "Profiler");
  CHECK(words(":table linalg_svd") == "linalg_svd linalg_svdvals");
  CHECK(words(":explain x.nume") == "numel");
  CHECK(words(":quit x").empty());
  CHECK(words("x.sha") == "shape");
  CHECK(words("F.cross_e") == "cross_entropy");
  CHECK(words("torch.ops.aten.mm") == "mm");
  CHECK(words("torch.ops.aten.mm.") == "default out overloads");
  CHECK(words("hel") == "help");
  // Attributes that refuse, and names that nobody has.
  CHECK(words("x.imag.").empty());
  CHECK(words("nothing.").empty());
  CHECK(words("x.nothing.").empty());
}
