// The process's own files: standard input, output and error.
#pragma once

#include <cstdio>
#include <string_view>

namespace tsc {

// Opens those that the caller has closed on /dev/null. The first file that a script opens would
// take their place otherwise, and get what is printed.
void open_missing_streams();

// Where nobody is there to raise an error to: finish_output() will say it.
void write_or_drop(std::FILE* file, std::string_view text);
void flush_or_drop();

// Writes what is still held back. Where that, or a write before, has failed: says so as Python does
// at its end, and gives Python's status for it; else `status`.
int finish_output(int status);

// Of the terminal on standard output: $COLUMNS, and 80, where it does not say.
size_t terminal_columns();

}  // namespace tsc
