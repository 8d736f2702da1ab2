#include "prompt/indentation.h"

#include <algorithm>
#include <iterator>

#include "prompt/wide_text.h"

namespace tsc {

namespace {

// A partial lexer of Python: where strings and comments end, and how deep brackets are.
class Scanner {
 public:
  void scan(std::wstring_view line) {
    last_ = 0;
    for (size_t i = 0; i < line.size(); i++) {
      if (quote_ != 0) {
        i = scan_string(line, i);
      } else if (line[i] == L'#') {
        break;
      } else if (line[i] == L'"' || line[i] == L'\'') {
        quote_ = line[i];
        is_long_ = line.substr(i, 3) == std::wstring(3, quote_);
        i += is_long_ ? 2 : 0;
        last_ = quote_;
      } else {
        depth_ += is_one_of(line[i], L"([{")                 ? 1
                  : is_one_of(line[i], L")]}") && depth_ > 0 ? -1
                                                             : 0;
        last_ = line[i] == L' ' || line[i] == L'\t' ? last_ : line[i];
      }
    }
    if (quote_ != 0 && !is_long_ && !line.ends_with(L'\\')) {
      quote_ = 0;  // the error is for the parser
    }
  }

  bool in_string() const { return quote_ != 0; }
  bool opens_block() const { return depth_ == 0 && last_ == L':'; }

 private:
  static bool is_one_of(wchar_t character, std::wstring_view set) {
    return set.find(character) != set.npos;
  }

  // Returns the index of the last character examined.
  size_t scan_string(std::wstring_view line, size_t i) {
    if (line[i] == L'\\') {
      return i + 1;
    }
    if (line[i] != quote_ || (is_long_ && line.substr(i, 3) != std::wstring(3, quote_))) {
      return i;
    }
    quote_ = 0;
    return i + (is_long_ ? 2 : 0);
  }

  wchar_t quote_ = 0;  // of the string that is open
  bool is_long_ = false;
  int depth_ = 0;
  wchar_t last_ = 0;  // the last character of the line that is no blank and no comment
};

std::wstring_view first_word(std::wstring_view line) {
  line.remove_prefix(leading_blanks(line));
  return line.substr(0, line.find_first_of(L" \t:;(#"));
}

template <size_t n>
bool is_among(std::wstring_view word, const std::wstring_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

std::wstring next_indentation(const std::vector<std::wstring>& lines) {
  constexpr std::wstring_view kLeaves[] = {L"break", L"continue", L"pass", L"raise", L"return"};
  Scanner scanner;
  for (const std::wstring& line : lines) {
    scanner.scan(line);
  }
  if (scanner.in_string()) {
    return {};
  }
  const std::wstring& last = lines.back();
  std::wstring blanks = last.substr(0, leading_blanks(last));
  if (scanner.opens_block()) {
    blanks.append(kIndent, L' ');
  } else if (is_among(first_word(last), kLeaves)) {
    blanks.resize(blanks.size() - std::min(blanks.size(), backspace_width(blanks.size())));
  }
  return blanks;
}

size_t backspace_width(size_t blanks) { return blanks == 0 ? 0 : (blanks - 1) % kIndent + 1; }

size_t tab_width(size_t blanks) { return kIndent - blanks % kIndent; }

bool continues_outer_block(std::wstring_view line) {
  constexpr std::wstring_view kContinues[] = {L"elif", L"else", L"except", L"finally"};
  return is_among(first_word(line), kContinues);
}

}  // namespace tsc
