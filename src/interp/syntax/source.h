// The text of one script or one entry of the prompt, with its lines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tsc::interp {

// A half-open range of byte offsets into a source's text.
struct SourceSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
};

inline SourceSpan join(SourceSpan first, SourceSpan last) { return {first.begin, last.end}; }

struct SourcePosition {
  int line = 1;    // counted from 1
  int column = 0;  // bytes from the line's start, counted from 0
};

class Source {
 public:
  // `name` is the file's name in errors. Line ends become "\n" and a byte order mark is dropped.
  // `first_line` numbers the first line, for a text that is cut out of a longer one.
  Source(std::string text, std::string name, int first_line = 1);

  std::string_view text() const { return text_; }
  const std::string& name() const { return name_; }
  int first_line() const { return first_line_; }
  std::string_view slice(SourceSpan span) const {
    return std::string_view(text_).substr(span.begin, span.end - span.begin);
  }

  SourcePosition position(uint32_t offset) const;
  // The line without its end; empty for a number that the text does not have.
  std::string_view line(int number) const;

 private:
  const std::vector<uint32_t>& line_starts() const;

  std::string text_;
  std::string name_;
  int first_line_;
  mutable std::vector<uint32_t> line_starts_;  // built at the first question
};

using SourcePtr = std::shared_ptr<const Source>;

}  // namespace tsc::interp
