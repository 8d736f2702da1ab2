// NumPy's .npy files: one array each.
//
//   "\x93NUMPY"  major minor  header length (2 bytes in version 1, 4 later)  header  elements
//
// The header is a Python dict: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
#pragma once

#include <cstdio>
#include <string>

#include "core/tensor.h"

namespace tsc {

// The array in a file, of format version 1, 2 or 3, as a CPU tensor. Elements of the other byte
// order are swapped. In Fortran order the first dimension has stride 1. `name` is for messages.
// ValueError or EOFError where it is not such a file, TypeError for elements that no dtype can
// hold.
TSC_API Tensor read_npy(std::FILE* file, const std::string& name);
TSC_API Tensor load_npy(const std::string& path);

// TypeError for a dtype that NumPy has not: bfloat16 and the quantized ones.
TSC_API void check_has_numpy_type(ScalarType dtype);
// Writes the same bytes as numpy.save. TypeError for a dtype that NumPy does not have.
TSC_API void write_npy(std::FILE* file, const Tensor& tensor, const std::string& name);
// Adds ".npy" to a path that does not end in it.
TSC_API void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace tsc
