// Tables of numbers as text: numpy.loadtxt and numpy.savetxt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace tsc {

// The arguments of numpy.loadtxt.
struct LoadTextOptions {
  ScalarType dtype = ScalarType::Double;
  // The strings that begin a comment. May be empty.
  std::vector<std::string> comments = {"#"};
  // None: any run of white space.
  std::optional<char> delimiter;
  int64_t skiprows = 0;
  // The columns to keep, in this order; negative ones count from the end. Empty for all.
  std::vector<int64_t> usecols;
  // Columns first: the transposed table.
  bool unpack = false;
  // A table of one row or one column loses that dimension, but not below this many dimensions.
  int64_t ndmin = 0;
  // Negative for all.
  int64_t max_rows = -1;
};

// ValueError, in NumPy's words, for a field that is no number and for rows of different lengths.
TSC_API Tensor parse_text_table(std::string_view text, const LoadTextOptions& options,
                                const std::string& name);
TSC_API Tensor load_text_table(const std::string& path, const LoadTextOptions& options = {});

// The arguments of numpy.savetxt.
struct SaveTextOptions {
  // One printf format for all columns, one with as many conversions as there are columns, or one a
  // column.
  std::vector<std::string> formats = {"%.18e"};
  std::string delimiter = " ";
  std::string newline = "\n";
  std::string header;
  std::string footer;
  std::string comments = "# ";
};

// ValueError unless `tensor` has one or two dimensions. Formats that do not fit give the errors of
// NumPy, and values that cannot be formatted those of Python's %.
TSC_API std::string format_text_table(const Tensor& tensor, const SaveTextOptions& options = {});
TSC_API void save_text_table(const std::string& path, const Tensor& tensor,
                             const SaveTextOptions& options = {});

}  // namespace tsc
