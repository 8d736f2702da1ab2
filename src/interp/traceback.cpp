#include "interp/traceback.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/syntax/characters.h"
#include "interp/syntax/parser.h"

namespace tsc::interp {

namespace {

constexpr std::string_view kBlanks = " \t\f";

size_t code_points(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Part of a line, in bytes from its start.
struct LinePart {
  size_t begin;
  size_t end;
};

// The operator of `a + b`, or the brackets of `a[b]`: the part that carets mark, while the operands
// get tildes.
std::optional<LinePart> anchor_of(std::string_view segment) {
  const ParseResult parsed = parse(std::make_shared<const Source>(std::string(segment), ""));
  if (parsed.tree == nullptr || parsed.tree->body.size() != 1) return std::nullopt;
  const ast::Stmt& stmt = *parsed.tree->body[0];
  if (stmt.kind != ast::StmtKind::Expression) return std::nullopt;
  const ast::Expr& expr = *ast::as<ast::ExpressionStmt>(stmt).value;
  if (expr.kind == ast::ExprKind::Subscript) {
    const auto& subscript = ast::as<ast::SubscriptExpr>(expr);
    return LinePart{subscript.object->span.end, subscript.index->span.end + 1};
  }
  if (expr.kind != ast::ExprKind::Binary) return std::nullopt;
  const auto& binary = ast::as<ast::BinaryExpr>(expr);
  for (size_t i = binary.left->span.end; i < binary.right->span.begin; i++) {
    const char c = segment[i];
    if (c == ' ' || c == '\t' || c == ')') continue;
    const bool two =
        i + 1 < binary.right->span.begin && kBlanks.find(segment[i + 1]) == std::string_view::npos;
    return LinePart{i, i + (two ? 2 : 1)};
  }
  return std::nullopt;
}

// The line of carets under a frame's source line; empty where they would underline all of it.
std::string carets(const Source& source, SourceSpan span) {
  const SourcePosition begin = source.position(span.begin);
  const SourcePosition end = source.position(span.end);
  const std::string_view line = source.line(begin.line);
  const size_t indent = std::min(line.find_first_not_of(kBlanks), line.size());
  LinePart part{static_cast<size_t>(begin.column), static_cast<size_t>(end.column)};
  std::optional<LinePart> anchor;
  if (begin.line == end.line) {
    anchor = anchor_of(line.substr(part.begin, part.end - part.begin));
  } else {
    part.end = line.find_last_not_of(kBlanks) + 1;
  }
  if (part.end <= part.begin || part.begin < indent) return {};
  if (!anchor && part.end - part.begin == line.size() - indent) return {};
  std::string marks(code_points(line.substr(indent, part.begin - indent)), ' ');
  for (size_t i = part.begin; i < part.end; i++) {
    if ((line[i] & 0xC0) == 0x80) continue;
    const bool marked =
        !anchor || (i >= part.begin + anchor->begin && i < part.begin + anchor->end);
    marks += marked ? '^' : '~';
  }
  return marks;
}

std::string format_frame(const TracebackEntry& entry) {
  const Code& code = *entry.code;
  const SourceSpan span = code.span_of(entry.instruction);
  const int number = code.source->position(span.begin).line;
  std::string text =
      fmt::format("  File \"{}\", line {}, in {}\n", code.source->name(), number, code.name);
  std::string_view line = code.source->line(number);
  const size_t first = line.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return text;
  line = line.substr(first, line.find_last_not_of(kBlanks) + 1 - first);
  text += fmt::format("    {}\n", line);
  const std::string marks = carets(*code.source, span);
  if (!marks.empty()) text += fmt::format("    {}\n", marks);
  return text;
}

bool is_same_line(const TracebackEntry& a, const TracebackEntry& b) {
  return a.code == b.code &&
         a.code->source->position(a.code->span_of(a.instruction).begin).line ==
             b.code->source->position(b.code->span_of(b.instruction).begin).line;
}

std::string format_frames(const TracebackObject& traceback) {
  constexpr int kShown = 3;  // of a recursion
  std::string text = "Traceback (most recent call last):\n";
  int repeated = 0;
  const auto end_repetition = [&] {
    const int hidden = repeated - kShown;
    if (hidden > 0)
      text += fmt::format("  [Previous line repeated {} more time{}]\n", hidden,
                          hidden == 1 ? "" : "s");
  };
  const std::vector<TracebackEntry>& entries = traceback.entries;
  for (size_t i = entries.size(); i-- > 0;) {
    if (i + 1 == entries.size() || !is_same_line(entries[i], entries[i + 1])) {
      end_repetition();
      repeated = 0;
    }
    if (++repeated <= kShown) text += format_frame(entries[i]);
  }
  end_repetition();
  return text;
}

// One exception of the chain, without the exceptions that caused it.
void append_exception(const ExceptionObject& exception, std::string& text) {
  if (!exception.traceback.is_none()) text += format_frames(*as_traceback(exception.traceback));
  text += exception_summary(exception);
  text += suggestion(exception);
  text += '\n';
  if (exception.attributes.is_none()) return;
  const IValue* notes = as_dict(exception.attributes)->find_text("__notes__");
  if (notes == nullptr || !notes->is_list()) return;
  for (const IValue& note : notes->as_list()->items) text += printable_note(note) + '\n';
}

constexpr std::string_view kCaused =
    "\nThe above exception was the direct cause of the following exception:\n\n";
constexpr std::string_view kDuring =
    "\nDuring handling of the above exception, another exception occurred:\n\n";

// An exception of a chain, and the sentence that joins it to the next one.
struct ChainLink {
  const ExceptionObject* exception;
  std::string_view joint;
};

// From the exception to its first cause. A chain may be long, and may be a ring.
std::vector<ChainLink> chain_of(const ExceptionObject& last) {
  std::vector<ChainLink> chain;
  std::unordered_set<const ExceptionObject*> seen;
  const ExceptionObject* next = &last;
  std::string_view joint;
  const auto take = [&](const IValue& other, std::string_view text) {
    if (next != nullptr || other.is_none() || seen.contains(as_exception(other))) return;
    next = as_exception(other);
    joint = text;
  };
  while (next != nullptr) {
    const ExceptionObject& exception = *std::exchange(next, nullptr);
    seen.insert(&exception);
    chain.push_back({&exception, joint});
    take(exception.cause, kCaused);
    if (!exception.suppress_context) take(exception.context, kDuring);
  }
  return chain;
}

}  // namespace

std::string exception_summary(const ExceptionObject& exception) {
  const Type& type = exception.type();
  std::string text = type.module == "builtins" ? std::string(type.name)
                                               : fmt::format("{}.{}", type.module, type.name);
  const std::string message = printable_text(exception);
  return message.empty() ? text : fmt::format("{}: {}", text, message);
}

std::string format_exception(const IValue& exception) {
  std::string text;
  const std::vector<ChainLink> chain = chain_of(*as_exception(exception));
  for (size_t i = chain.size(); i-- > 0;) {
    append_exception(*chain[i].exception, text);
    text += chain[i].joint;
  }
  return text;
}

std::string format_diagnostic(const Source& source, const SyntaxDiagnostic& diagnostic) {
  const SourcePosition begin = source.position(diagnostic.span.begin);
  const SourcePosition end = source.position(diagnostic.span.end);
  const std::string_view line = source.line(begin.line);
  std::string text = fmt::format("  File \"{}\", line {}\n", source.name(), begin.line);
  const size_t indent = std::min(line.find_first_not_of(kBlanks), line.size());
  text += fmt::format("    {}\n", line.substr(indent));
  const auto column = static_cast<size_t>(begin.column);
  const bool has_place =
      diagnostic.message != "unexpected indent" && diagnostic.kind != ErrorKind::TabError;
  if (column >= indent && has_place) {
    const size_t stop = begin.line == end.line ? static_cast<size_t>(end.column) : line.size();
    const size_t width = stop > column ? code_points(line.substr(column, stop - column)) : 1;
    text += fmt::format("    {}{}\n",
                        std::string(code_points(line.substr(indent, column - indent)), ' '),
                        std::string(std::max<size_t>(width, 1), '^'));
  }
  text += fmt::format("{}: {}\n", to_string(diagnostic.kind), diagnostic.message);
  return text;
}

}  // namespace tsc::interp
