// The process's own files: standard input, output and error.
#pragma once

#include <cstdio>
#include <string_view>

namespace tsc {

// Opens standard streams that the caller has closed on /dev/null. Otherwise the first file that a
// script opens would take their place, and get the printed output.
void open_missing_streams();

// For callers that cannot raise an error: finish_output() reports it later.
void write_or_drop(std::FILE* file, std::string_view text);
void flush_or_drop();

// Writes buffered output. If that, or an earlier write, has failed, reports it as Python does at
// its exit, and returns Python's status for it; otherwise `status`.
int finish_output(int status);

// Of the terminal on standard output: $COLUMNS, and 80, where it does not say.
size_t terminal_columns();

}  // namespace tsc
