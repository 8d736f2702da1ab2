#include "prompt/indentation.h"

#include <doctest/doctest.h>

#include "prompt/wide_text.h"

namespace {

size_t next(std::wstring_view text) { return tsc::next_indentation(tsc::split_lines(text)).size(); }

}  // namespace

TEST_CASE("a line is indented as the one before") {
  CHECK(next(L"") == 0);
  CHECK(next(L"x = 1") == 0);
  CHECK(next(L"for x in y:\n    x = 1") == 4);
  CHECK(next(L"f(1,\n  2,") == 2);
}

TEST_CASE("a colon that opens a block indents") {
  CHECK(next(L"for x in y:") == 4);
  CHECK(next(L"for x in y:\n    if x:") == 8);
  CHECK(next(L"for x in y:  # all") == 4);
  CHECK(next(L"x = 'a:'") == 0);
  CHECK(next(L"x = 1  # why:") == 0);
  CHECK(next(L"x = {1:") == 0);
  CHECK(next(L"if x[1:\n      2]:") == 10);
  CHECK(next(L"if x: y") == 0);
}

TEST_CASE("what leaves a block ends its indentation") {
  CHECK(next(L"def f():\n    return") == 0);
  CHECK(next(L"def f():\n    if x:\n        return 1") == 4);
  CHECK(next(L"def f():\n    returned = 1") == 4);
  CHECK(next(L"for x in y:\n    pass  # nothing") == 0);
  CHECK(next(L"return 1") == 0);
}

TEST_CASE("strings are not indented") {
  CHECK(next(L"def f():\n    \"\"\"Says:") == 0);
  CHECK(next(L"def f():\n    \"\"\"Says:\n    it\"\"\"") == 4);
  CHECK(next(L"def f():\n    x = 'it\\'s'") == 4);
  CHECK(next(L"x = '''a''' if b else '''") == 0);
}

TEST_CASE("Tab and Backspace go by levels") {
  CHECK(tsc::tab_width(0) == 4);
  CHECK(tsc::tab_width(5) == 3);
  CHECK(tsc::backspace_width(8) == 4);
  CHECK(tsc::backspace_width(7) == 3);
  CHECK(tsc::backspace_width(1) == 1);
  CHECK(tsc::backspace_width(0) == 0);
}

TEST_CASE("some lines go on with an outer block") {
  CHECK(tsc::continues_outer_block(L"    else:"));
  CHECK(tsc::continues_outer_block(L"except ValueError as e:"));
  CHECK_FALSE(tsc::continues_outer_block(L"    elsewhere = 1"));
}
