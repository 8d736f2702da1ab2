#include "prompt/paste.h"

#include <doctest/doctest.h>

using tsc::clean_paste;
using tsc::without_indentation;

TEST_CASE("a pasted text without prompts stays as it is") {
  for (const char* text : {"", "\n", "x = 1", "x = 1\n\ny = 2\n", "    indented\n", "...\n",
                           "x = 1\n>>> y\n", "tsc = 4\n", "In [x]: 3", "tsc.f() > 3\n", ">>>x"}) {
    CHECK(clean_paste(text) == text);
  }
}

TEST_CASE("lines of a paste end with line feeds") {
  CHECK(clean_paste("a\rb\r\nc\n") == "a\nb\nc\n");
}

TEST_CASE("prompts are taken off, and output is left out") {
  CHECK(clean_paste(">>> x = 3\n>>> x\n3\n>>> x + 1") == "x = 3\nx\nx + 1");
  CHECK(clean_paste(">>> for i in x:\n...     print(i)\n...\n0\n1\n") ==
        "for i in x:\n    print(i)\n\n");
  CHECK(clean_paste("    >>> x\n    3\n") == "x\n");
  CHECK(clean_paste("...     print(i)\n... \n") == "    print(i)\n\n");
  CHECK(clean_paste("tsc> x @ w\ntensor([[1.5]])\ntsc -Autograd> if x:\n           ...     y\n") ==
        "x @ w\nif x:\n    y\n");
  CHECK(clean_paste("tsc Profiler no_grad> :off Profiler\n") == ":off Profiler\n");
  CHECK(clean_paste("In [1]: def f():\n   ...:     return 1\n   ...: \n   ...: f()\nOut[1]: 1\n") ==
        "def f():\n    return 1\n\nf()\n");
  CHECK(clean_paste("\n>>> x\n") == "x\n");
}

TEST_CASE("what all lines are indented by is taken off") {
  CHECK(without_indentation("    if x:\n        y\n\n    z\n") == "if x:\n    y\n\nz\n");
  CHECK(without_indentation("    if x:\n        y") == "if x:\n    y");
  CHECK(without_indentation("    return 1\nx\n") == "    return 1\nx\n");
  CHECK(without_indentation("x\n    y\n") == "x\n    y\n");
  CHECK(without_indentation("   ") == "   ");
}
