// Reductions of strided memory, over any of its dimensions.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/scalar_type.h"
#include "core/system/parallel.h"
#include "ops/cpu/reduce/reduce_list.h"

namespace tsc::cpu {

// One dimension of the input, strides in bytes. Results have strides where the dimension is kept.
struct ReduceDim {
  int64_t size;
  int64_t in_stride;
  std::array<int64_t, 2> out_stride;
  bool reduced;
};

struct ReduceCall {
  Reduction op;
  // The type that the reduction computes in, see reduce_compute_type.
  ScalarType compute;
  const char* in;
  // In place of `in`, for one result: writes the elements [begin, begin + count) of the sequence, of
  // the compute type.
  std::optional<FunctionRef<void(char* tile, int64_t begin, int64_t count)>> values = std::nullopt;
  ScalarType in_type;
  // Elements are first converted to this type where it is not Undefined: count_nonzero converts to
  // Bool and then sums in Long.
  ScalarType in_common = ScalarType::Undefined;
  // One result, or two: (values, indices), (variance, mean).
  std::array<char*, 2> out{};
  std::array<ScalarType, 2> out_type{ScalarType::Undefined, ScalarType::Undefined};
  // In the tensor's order, which numbers the elements for indices.
  std::span<const ReduceDim> dims;
  // count is filled in.
  ReduceParameters parameters;
};

// The compute type for a reduction of elements of type `in` (for sums and products: as type `in`,
// after promotion); Undefined where there is none.
ScalarType reduce_compute_type(Reduction op, ScalarType in);

void reduce(const ReduceCall& call);

// The same for few contiguous elements (`count` > 0) with one result, of the kernel's own types;
// false where they are not of that kind. `dims` is not read.
bool reduce_run(const ReduceCall& call, int64_t count);

}  // namespace tsc::cpu
