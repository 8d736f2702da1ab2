#include "core/text/text_layout.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

using namespace tsc;

TEST_CASE("what fits stays as it is") {
  const std::string text = "aten::mm(f32[2, 3])\n  CPU   -> cpu::mm  \n\nno end";
  CHECK(wrap_lines(text, 80) == text);
  std::string wide(500, 'x');
  wide += " y";
  CHECK(wrap_lines(wide, kAnyWidth) == wide);
  CHECK(wrap_lines("", 10).empty());
}

TEST_CASE("lines are broken between words, and hang under their second column") {
  CHECK(wrap_lines("  self     CPU, ADInplaceOrView, AutogradCPU\n", 30) ==
        "  self     CPU,\n"
        "           ADInplaceOrView,\n"
        "           AutogradCPU\n");
  CHECK(wrap_lines("  CPU -> cpu::mm (kernel, unboxed)", 20) ==
        "  CPU -> cpu::mm\n"
        "      (kernel,\n"
        "      unboxed)");
}

TEST_CASE("brackets stay together where they can") {
  CHECK(wrap_lines("aten::add(f32[2, 3], f32[2, 3], alpha=1)", 28) ==
        "aten::add(f32[2, 3],\n"
        "    f32[2, 3], alpha=1)");
  CHECK(wrap_lines("x[1, 2, 3, 4, 5, 6]", 12) ==
        "x[1, 2, 3,\n"
        "    4, 5, 6]");
}

TEST_CASE("a word that is wider than the terminal stays whole, and nothing is lost") {
  const std::string word(50, 'w');
  CHECK(wrap_lines("a " + word + " b", 20) == "a\n" + word + "\n    b");
  CHECK(wrap_lines("aaa bb cccccccccc", 12) == "aaa bb\n  cccccccccc");
  CHECK(wrap_lines(word, 20) == word);
  CHECK(wrap_lines("-----  ", 5) == "-----");
}

TEST_CASE("any width will do, and any line") {
  std::string text = "  CPU  -> cpu::add (unboxed)  past [a, b, [c] x] ]]  \n[ [ [\n\n   \nµµ αα ";
  text.append(30, 'w').append(" ,, (a b) ").append(5, ' ').append("end");
  const auto words_of = [](std::string_view from) {
    std::string words;
    std::copy_if(from.begin(), from.end(), std::back_inserter(words),
                 [](char c) { return c != ' ' && c != '\n'; });
    return words;
  };
  for (size_t width = 1; width < 100; width++) {
    CAPTURE(width);
    CHECK(words_of(wrap_lines(text, width)) == words_of(text));
  }
  // In no more time than the text is long.
  std::string megabytes;
  for (int i = 0; i < 400'000; i++) {
    megabytes += "12345, ";
  }
  const std::string wrapped = wrap_lines(megabytes, 80);
  CHECK(words_of(wrapped) == words_of(megabytes));
  CHECK(terminal_rows(wrapped, 80) == terminal_rows(wrapped, kAnyWidth));
}

TEST_CASE("columns are characters") {
  CHECK(text_columns("µs α") == 4);
  CHECK(wrap_lines("ααααα βββββ", 11) == "ααααα βββββ");
}

TEST_CASE("rows of a terminal") {
  CHECK(terminal_rows("a\nb\n", 80) == 2);
  CHECK(terminal_rows("", 80) == 0);
  CHECK(terminal_rows("\n\n", 80) == 2);
  CHECK(terminal_rows(std::string(25, 'x'), 10) == 3);
  CHECK(bytes_of_rows("a\nb\nc\n", 80, 2) == 4);
  CHECK(bytes_of_rows("a\nb\n", 80, 9) == 4);
  CHECK(bytes_of_rows("a\n" + std::string(25, 'x'), 10, 2) == 12);
  CHECK(bytes_of_rows("ααα", 2, 1) == 4);
}
