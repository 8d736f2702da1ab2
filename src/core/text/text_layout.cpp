#include "core/text/text_layout.h"

#include <algorithm>

namespace tsc {

namespace {

constexpr size_t kHang = 4;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The index of the byte at which `column` begins.
size_t byte_of_column(std::string_view text, size_t column) {
  size_t at = 0;
  for (; at < text.size(); at++) {
    if (!is_continuation(text[at]) && column-- == 0) {
      break;
    }
  }
  return at;
}

size_t hanging_column(std::string_view line, size_t width) {
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const size_t gap = line.find("  ", indent);
  const size_t second = gap == line.npos ? gap : line.find_first_not_of(' ', gap);
  if (second != line.npos) {
    const size_t column = text_columns(line.substr(0, second));
    if (column <= width / 2) {
      return column;
    }
  }
  return std::min(indent + kHang, width / 2);
}

// The position of the blank at which a line of more than `limit` bytes is broken; npos where it has
// none. A blank inside of brackets counts only where the rest of the row would otherwise stay
// empty.
size_t break_of(std::string_view line, size_t limit) {
  size_t best = line.npos;
  size_t inside = line.npos;
  size_t depth = 0;
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  for (size_t i = first; i < line.size(); i++) {
    const char c = line[i];
    depth += c == '[' ? 1 : 0;
    depth -= c == ']' && depth > 0 ? 1 : 0;
    if (c != ' ') {
      continue;
    }
    if (i > limit && (best != line.npos || inside != line.npos)) {
      break;
    }
    (depth == 0 ? best : inside) = i;
  }
  const bool is_far = best == line.npos || best < limit / 2 || best > limit;
  return is_far && inside != line.npos ? inside : best;
}

void wrap_line(std::string_view line, size_t width, std::string& out) {
  if (text_columns(line) > width) {
    line = line.substr(0, line.find_last_not_of(' ') + 1);
  }
  const size_t column = hanging_column(line, width);
  size_t hang = 0;
  for (;;) {
    // Only the bytes of this row: a line may be megabytes long.
    const size_t limit = byte_of_column(line, width - hang);
    const size_t at = limit == line.size() ? line.npos : break_of(line, limit);
    if (at == line.npos) {
      break;
    }
    const size_t end = line.find_last_not_of(' ', at) + 1;
    out.append(line.substr(0, end)).append("\n");
    line.remove_prefix(std::min(line.find_first_not_of(' ', at), line.size()));
    // The indentation is smaller before a word that would not fit otherwise.
    const size_t word = text_columns(line.substr(0, line.find(' ')));
    hang = std::min(column, width - std::min(width, word));
    out.append(hang, ' ');
  }
  out += line;
}

template <class F>
void for_each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const bool is_last = end == text.npos;
    f(text.substr(0, end), !is_last);
    text.remove_prefix(is_last ? text.size() : end + 1);
  }
}

}  // namespace

size_t text_columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string wrap_lines(std::string_view text, size_t width) {
  if (width == kAnyWidth) {
    return std::string(text);
  }
  std::string out;
  for_each_line(text, [&](std::string_view line, bool has_end) {
    wrap_line(line, width, out);
    out += has_end ? "\n" : "";
  });
  return out;
}

size_t terminal_rows(std::string_view text, size_t width) {
  size_t rows = 0;
  for_each_line(text, [&](std::string_view line, bool) {
    const size_t columns = text_columns(line);
    rows += width == kAnyWidth || columns == 0 ? 1 : (columns + width - 1) / width;
  });
  return rows;
}

size_t bytes_of_rows(std::string_view text, size_t width, size_t rows) {
  size_t bytes = 0;
  for_each_line(text, [&](std::string_view line, bool has_end) {
    if (rows == 0) {
      return;
    }
    const size_t needed = std::max<size_t>(terminal_rows(line, width), 1);
    if (needed > rows) {
      bytes += byte_of_column(line, rows * width);
      rows = 0;
      return;
    }
    bytes += line.size() + (has_end ? 1 : 0);
    rows -= needed;
  });
  return bytes;
}

}  // namespace tsc
