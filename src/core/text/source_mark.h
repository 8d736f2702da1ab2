// The place in a script, kept with objects that it changes, so that a later message can name the
// line.
#pragma once

#include <string>

#include "core/macros.h"

namespace tsc {

class Tensor;

// An instruction of a script; both null where none runs.
struct SourceMark {
  const void* code = nullptr;
  const void* instruction = nullptr;
};

// Functions that the language sets; null without one.
struct SourceMarks {
  void (*here)(SourceMark& mark);
  // "demo.tsc:5: c = b * b". Code that has run is never freed.
  std::string (*line_of)(const SourceMark& mark);
  // The variable of the running script that has this tensor, or one with the same memory; "" where
  // there is none.
  std::string (*variable_of)(const Tensor& tensor);
};
TSC_API extern SourceMarks source_marks;

// The instruction that runs now.
inline SourceMark source_mark() {
  SourceMark mark;
  if (source_marks.here != nullptr) {
    source_marks.here(mark);
  }
  return mark;
}

}  // namespace tsc
