#include <doctest/doctest.h>

#include "interp/syntax/parser.h"
#include "interp/syntax_cases.h"

namespace tsc::interp {
namespace {

ParseResult parse_text(std::string text) {
  return parse(std::make_shared<const Source>(std::move(text), "test"));
}

std::string first_message(const ParseResult& result) {
  if (result.diagnostics.empty()) return "";
  const SyntaxDiagnostic& first = result.diagnostics.front();
  return fmt::format("{}: {}", tsc::to_string(first.kind), first.message);
}

TEST_CASE("parser: CPython's message for each mistake") {
  for (const SyntaxCase& expected : kSyntaxCases) {
    CAPTURE(expected.source);
    const Source source(expected.source, "test");
    const ParseResult result = parse_text(expected.source);
    CHECK(first_message(result) == expected.message);
    if (!result.diagnostics.empty()) {
      CHECK(source.position(result.diagnostics.front().span.begin).line == expected.line);
    }
  }
}

TEST_CASE("parser: goes on after an error") {
  const char* const text =
      "x = = 1\n"
      "y = 2\n"
      "def f(a b):\n"
      "    return a\n"
      "for i in range(3):\n"
      "    z = )\n"
      "    w = 1\n"
      "print('end)\n";
  const ParseResult result = parse_text(text);
  const Source source(text, "test");
  std::vector<int> lines;
  for (const SyntaxDiagnostic& diagnostic : result.diagnostics) {
    lines.push_back(source.position(diagnostic.span.begin).line);
  }
  CHECK(lines == std::vector<int>{1, 3, 6, 8});
}

TEST_CASE("parser: an open bracket swallows only its own statement") {
  const ParseResult result = parse_text("x = (1,\ny = 2\nz = 3 +\n");
  REQUIRE(result.diagnostics.size() == 2);
  CHECK(result.diagnostics[0].message == "'(' was never closed");
  CHECK(result.diagnostics[1].message == "invalid syntax");
}

TEST_CASE("parser: knows where more text would help") {
  for (const char* text :
       {"if x:", "f(1,", "'''abc", "def f():\n", "try:\n    pass\n", "x = \\\n"}) {
    CAPTURE(text);
    const ParseResult result = parse_text(text);
    REQUIRE(!result.diagnostics.empty());
    CHECK(result.diagnostics.front().at_end);
  }
  for (const char* text : {"x = = 1", "f(1))", "'abc", "if x y:"}) {
    CAPTURE(text);
    const ParseResult result = parse_text(text);
    REQUIRE(!result.diagnostics.empty());
    CHECK_FALSE(result.diagnostics.front().at_end);
  }
}

TEST_CASE("parser: spans") {
  const std::string text = "total = first + f(second)[1:2]\n";
  const ParseResult result = parse_text(text);
  REQUIRE(result.tree != nullptr);
  const auto& assign = ast::as<ast::AssignStmt>(*result.tree->body[0]);
  const auto& sum = ast::as<ast::BinaryExpr>(*assign.value);
  const Source& source = *result.tree->source;
  CHECK(source.slice(sum.span) == "first + f(second)[1:2]");
  CHECK(source.slice(sum.right->span) == "f(second)[1:2]");
  const auto& subscript = ast::as<ast::SubscriptExpr>(*sum.right);
  CHECK(source.slice(subscript.index->span) == "1:2");
}

TEST_CASE("parser: f-strings are parsed where they stand") {
  const ParseResult result = parse_text("f'a{x + 1!r:>{width}}{{b}}'\n");
  REQUIRE(result.tree != nullptr);
  const auto& statement = ast::as<ast::ExpressionStmt>(*result.tree->body[0]);
  const auto& text = ast::as<ast::FStringExpr>(*statement.value);
  REQUIRE(text.parts.size() == 3);
  CHECK(text.parts[0].text == "a");
  CHECK(result.tree->source->slice(text.parts[1].value->span) == "x + 1");
  CHECK(text.parts[1].conversion == 'r');
  CHECK(text.parts[1].format != nullptr);
  CHECK(text.parts[2].text == "{b}");
}

TEST_CASE("parser: nesting has an end") {
  CHECK(first_message(parse_text(std::string(300, '(') + std::string(300, ')'))) ==
        "SyntaxError: too many nested parentheses");
  CHECK_FALSE(parse_text("x = " + std::string(5000, '-') + "1\n").diagnostics.empty());
  std::string sum = "x = 1";
  for (int i = 0; i < 5000; i++) sum += " + 1";
  CHECK(parse_text(sum + "\n").diagnostics.empty());
}

TEST_CASE("source: lines and positions") {
  const Source source("a\r\nbc\rd", "test", 10);
  CHECK(source.text() == "a\nbc\nd");
  CHECK(source.line(11) == "bc");
  CHECK(source.line(12) == "d");
  CHECK(source.line(13) == "");
  CHECK(source.position(3).line == 11);
  CHECK(source.position(3).column == 1);
}

}  // namespace
}  // namespace tsc::interp
