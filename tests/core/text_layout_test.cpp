#include "core/text_layout.h"

#include <doctest/doctest.h>

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
