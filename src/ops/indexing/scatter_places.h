// Shared by operators whose index selects places along one dimension.
#pragma once

#include <initializer_list>

#include "core/tensor.h"
#include "ops/cpu/indexing/indexing.h"

namespace tsc {

// RuntimeError where the index, or the source, does not fit.
void check_scatter(const Tensor& self, int64_t dim, const Tensor& index, OptionalTensorRef src);

// `output` is the caller's, and must not overlap with the inputs, or with itself.
void check_caller_output(const Tensor& output, std::initializer_list<Tensor> read);

// Where an operator writes over a copy of self: nothing in place.
void copy_unless_same(const Tensor& self, const Tensor& out);

// A vector of indices, of slices along `dim`, as an index of every element of `like`.
Tensor index_of_elements(const Tensor& index, const Tensor& like, int64_t dim);

// For an operator that combines slices of `source`, along `dim` (wrapped), with those that `index`
// names: RuntimeError or IndexError where they do not fit. `name` begins the messages.
void check_index_slices(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                        const char* name);

// Moves elements between `values`, which has at least the index's sizes, and the places along `dim`
// of `indexed` that the index gives.
void move_elements(cpu::IndexAction action, const Tensor& indexed, int64_t dim, const Tensor& index,
                   const Tensor& values);

// Writes each element of `values` to its place in `line`, a vector; `places` has the same sizes as
// `values`, and both have any strides. The last of equal places in the order of memory wins. Whether
// all places are in [0, size of the line): others are left out.
bool put_elements(const Tensor& line, const Tensor& places, const Tensor& values);

}  // namespace tsc
