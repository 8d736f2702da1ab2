#include "ops/cpu/reduce/reduce.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/small_vector.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

namespace {

enum class Results : uint8_t { same, index, both, real, two };
constexpr Results kResults[] = {
#define TSC_REDUCTION(name, result) Results::result,
    TSC_FORALL_REDUCTIONS(TSC_REDUCTION)
#undef TSC_REDUCTION
};

bool gives_index(Reduction op) {
  const Results results = kResults[static_cast<size_t>(op)];
  return results == Results::index || results == Results::both;
}
int result_count(Reduction op) {
  const Results results = kResults[static_cast<size_t>(op)];
  return results == Results::both || results == Results::two ? 2 : 1;
}
ScalarType result_type_of(Reduction op, ScalarType compute, int result) {
  switch (kResults[static_cast<size_t>(op)]) {
    case Results::same:
    case Results::two: return compute;
    case Results::index: return ScalarType::Long;
    case Results::both: return result == 0 ? compute : ScalarType::Long;
    case Results::real: return to_real_value_type(compute);
  }
  return compute;
}

using Dims = SmallVector<ReduceDim, 8>;

// Sorts dimensions, the fastest first, and merges neighbours that form one run.
void order_and_join(Dims& dims, bool keep_order) {
  if (!keep_order) {
    std::stable_sort(dims.begin(), dims.end(), [](const ReduceDim& a, const ReduceDim& b) {
      return magnitude(a.in_stride) < magnitude(b.in_stride);
    });
  }
  size_t last = 0;
  for (size_t i = 1; i < dims.size(); i++) {
    const ReduceDim& outer = dims[i];
    ReduceDim& inner = dims[last];
    if (outer.in_stride == inner.size * inner.in_stride &&
        outer.out_stride[0] == inner.size * inner.out_stride[0] &&
        outer.out_stride[1] == inner.size * inner.out_stride[1]) {
      inner.size *= outer.size;
    } else {
      dims[++last] = outer;
    }
  }
  if (!dims.empty()) dims.resize(last + 1);
}

int64_t product(const Dims& dims) {
  int64_t size = 1;
  for (const ReduceDim& dim : dims) size *= dim.size;
  return size;
}

// Results are made in blocks of neighbours along the fastest kept dimension.
constexpr int64_t kMostOutputs = 256;
// A transposed block is not narrower, so that each line of memory is read once.
constexpr int64_t kFewestColumns = 64;
// Rows whose last steps are made together.
constexpr int64_t kFewestRows = 16;
// Longer sequences are faster folded row by row than turned to be folded side by side: the first limit
// where the kernel folds several rows at once.
constexpr int64_t kFewBytesOfRows = 64;
constexpr int64_t kFewBytes = 128;
// Parts of one long sequence have a multiple of this many elements: that of the blocks of sums.
constexpr int64_t kSequenceUnit = 4096;

class Reducer {
 public:
  explicit Reducer(const ReduceCall& call);
  void run();

 private:
  // The beginning of a block of results in the input and in the results.
  struct Place {
    const char* in;
    std::array<char*, 2> out;
    int64_t count;
  };
  Place place(int64_t block) const;
  // Folds elements [begin, end) of the reduced sequence into the states of a block.
  void fold(char* states, const Place& where, int64_t begin, int64_t end) const;
  void fold_runs(char* state, const char* in, int64_t begin, int64_t end) const;
  void fold_short_runs(char* states, const Place& where) const;
  void fold_few(char* states, const Place& where) const;
  template <class F>
  void for_tiles_of_runs(const Place& where, F f) const;
  void fold_values(char* state, int64_t begin, int64_t end) const;
  void fold_columns(char* states, const Place& where, int64_t begin, int64_t end) const;
  void finish(const char* states, const Place& where) const;
  // The element with this number in the reduced sequence.
  const char* locate(const char* in, int64_t number) const;
  // `count` contiguous elements, of the compute type. `from` is scratch_'s or the input's.
  const char* convert(char* tile, const char* from, int64_t count) const;

  bool converts() const { return convert_ != nullptr || narrow_ != nullptr; }

  const ReduceCall& call_;
  const ReduceKernel& kernel_;
  ReduceParameters parameters_;
  Dims kept_;
  Dims reduced_;
  ConvertFunction convert_ = nullptr;
  ConvertFunction narrow_ = nullptr;
  int64_t in_size_;
  int64_t compute_size_;
  int64_t outputs_;
  int64_t sequence_;
  int64_t block_outputs_;
  int64_t blocks_per_row_;
  bool columns_;  // the fastest dimension is a kept one
  // The sequences of neighbours are runs that are brought into a tile together, to be folded one by
  // one, or side by side.
  bool is_short_;
  bool is_few_;
  // The sequences of neighbours are runs that are folded where they lie, some at once.
  bool are_rows_;
};

Reducer::Reducer(const ReduceCall& call)
    : call_(call),
      kernel_(*find_reduce(call.op, call.compute)),
      parameters_(call.parameters),
      in_size_(static_cast<int64_t>(element_size(call.in_type))),
      compute_size_(static_cast<int64_t>(element_size(call.compute))) {
  for (size_t i = call.dims.size(); i-- > 0;) {
    const ReduceDim& dim = call.dims[i];
    if (dim.size == 1) continue;
    if (dim.reduced) {
      ReduceDim reduced = dim;
      reduced.out_stride = {0, 0};
      reduced_.push_back(reduced);
    } else {
      kept_.push_back(dim);
    }
  }
  outputs_ = product(kept_);
  sequence_ = product(reduced_);
  parameters_.count = sequence_;
  if (outputs_ == 0 || sequence_ == 0) {
    kept_.clear();
    for (size_t i = call.dims.size(); i-- > 0;) {
      if (!call.dims[i].reduced && call.dims[i].size != 1) kept_.push_back(call.dims[i]);
    }
  } else {
    order_and_join(kept_, false);
    order_and_join(reduced_, gives_index(call.op));
  }
  if (kept_.empty()) kept_.push_back({1, 0, {0, 0}, false});
  if (reduced_.empty()) reduced_.push_back({1, in_size_ * 2, {0, 0}, true});
  columns_ = kept_[0].size > 1 && magnitude(kept_[0].in_stride) < magnitude(reduced_[0].in_stride);

  is_few_ = kernel_.few != nullptr && !columns_ && !call.values.has_value() && sequence_ > 0 &&
            sequence_ <= kFewRows && reduced_.size() == 1 &&
            sequence_ * compute_size_ <= (kernel_.rows != nullptr ? kFewBytesOfRows : kFewBytes);
  const bool are_short = kernel_.rows != nullptr && !columns_ && sequence_ > 0 &&
                         sequence_ <= kMostInRow && reduced_.size() == 1;
  const int64_t least = columns_ || is_few_ ? kFewestColumns : are_short ? kFewestRows : 1;
  block_outputs_ = std::clamp<int64_t>((outputs_ + 63) / 64, least, kMostOutputs);
  block_outputs_ = std::min(block_outputs_, kept_[0].size);
  blocks_per_row_ = kept_[0].size == 0 ? 0 : (kept_[0].size + block_outputs_ - 1) / block_outputs_;

  const ScalarType common = call.in_common;
  if (common != ScalarType::Undefined && common != call.in_type && common != call.compute) {
    narrow_ = find_convert(common, call.in_type);
    convert_ = find_convert(call.compute, common);
  } else if (call.in_type != call.compute) {
    convert_ = find_convert(call.compute, call.in_type);
  }
  are_rows_ = are_short && !converts() && reduced_[0].in_stride == in_size_;
  is_short_ = !columns_ && sequence_ > 0 && reduced_.size() == 1 &&
              (converts() || reduced_[0].in_stride != in_size_) &&
              sequence_ * std::max(in_size_, compute_size_) <= kTileBytes / 2;
}

Reducer::Place Reducer::place(int64_t block) const {
  const int64_t first = block % blocks_per_row_ * block_outputs_;
  int64_t rest = block / blocks_per_row_;
  Place where{call_.in + first * kept_[0].in_stride,
              {call_.out[0] + first * kept_[0].out_stride[0],
               call_.out[1] + first * kept_[0].out_stride[1]},
              std::min(block_outputs_, kept_[0].size - first)};
  for (size_t i = 1; i < kept_.size(); i++) {
    const int64_t index = rest % kept_[i].size;
    rest /= kept_[i].size;
    where.in += index * kept_[i].in_stride;
    where.out[0] += index * kept_[i].out_stride[0];
    where.out[1] += index * kept_[i].out_stride[1];
  }
  return where;
}

const char* Reducer::locate(const char* in, int64_t number) const {
  for (const ReduceDim& dim : reduced_) {
    in += number % dim.size * dim.in_stride;
    number /= dim.size;
  }
  return in;
}

const char* Reducer::convert(char* tile, const char* from, int64_t count) const {
  if (!converts()) return from;
  if (narrow_ != nullptr) {
    alignas(64) char narrowed[kTileBytes];
    narrow_(narrowed, from, count);
    convert_(tile, narrowed, count);
  } else {
    convert_(tile, from, count);
  }
  return tile;
}

void Reducer::fold(char* states, const Place& where, int64_t begin, int64_t end) const {
  if (call_.values.has_value()) {
    fold_values(states, begin, end);
    return;
  }
  if (columns_) {
    fold_columns(states, where, begin, end);
    return;
  }
  if (is_few_) {
    fold_few(states, where);
    return;
  }
  if (is_short_ && begin == 0 && end == sequence_) {
    fold_short_runs(states, where);
    return;
  }
  if (are_rows_ && begin == 0 && end == sequence_) {
    kernel_.rows(states, where.in, kept_[0].in_stride, where.count, sequence_, parameters_);
    return;
  }
  for (int64_t i = 0; i < where.count; i++) {
    fold_runs(states + i * kernel_.state_size, where.in + i * kept_[0].in_stride, begin, end);
  }
}

// Calls f(the first, how many, the first one's elements) for short runs, as many as a tile holds at a
// time.
template <class F>
void Reducer::for_tiles_of_runs(const Place& where, F f) const {
  const int64_t capacity = kTileBytes / std::max(in_size_, compute_size_) / sequence_;
  for (int64_t first = 0; first < where.count; first += capacity) {
    f(first, std::min(capacity, where.count - first), where.in + first * kept_[0].in_stride);
  }
}

// Gathers and converts many together.
void Reducer::fold_short_runs(char* states, const Place& where) const {
  alignas(64) char gathered[kTileBytes];
  alignas(64) char tile[kTileBytes];
  const int64_t inner = reduced_[0].in_stride;
  const int64_t outer = kept_[0].in_stride;
  for_tiles_of_runs(where, [&](int64_t first, int64_t rows, const char* from) {
    if (!is_dense(inner, outer, sequence_, rows, in_size_)) {
      gather_elements(gathered, {const_cast<char*>(from), inner, outer}, in_size_, sequence_, rows);
      from = gathered;
    }
    const char* run = convert(tile, from, rows * sequence_);
    if (kernel_.rows != nullptr) {
      kernel_.rows(states + first * kernel_.state_size, run, sequence_ * compute_size_, rows,
                   sequence_, parameters_);
      return;
    }
    for (int64_t i = first; i < first + rows; i++, run += sequence_ * compute_size_) {
      kernel_.run(states + i * kernel_.state_size, run, sequence_, 0, parameters_);
    }
  });
}

void Reducer::fold_few(char* states, const Place& where) const {
  const int64_t inner = reduced_[0].in_stride;
  const int64_t outer = kept_[0].in_stride;
  if (outer == in_size_ && !converts()) {
    // As in windows that are one element apart.
    kernel_.few(states, where.in, inner, sequence_, where.count, parameters_);
    return;
  }
  alignas(64) char gathered[kTileBytes];
  alignas(64) char tile[kTileBytes];
  for_tiles_of_runs(where, [&](int64_t first, int64_t columns, const char* from) {
    const char* rows = gathered;
    if (converts() && is_dense(inner, outer, sequence_, columns, in_size_)) {
      // Elements of more bytes are turned faster.
      char* const converted = const_cast<char*>(convert(tile, from, columns * sequence_));
      gather_elements(gathered, {converted, sequence_ * compute_size_, compute_size_},
                      compute_size_, columns, sequence_);
    } else {
      gather_elements(gathered, {const_cast<char*>(from), outer, inner}, in_size_, columns,
                      sequence_);
      rows = convert(tile, gathered, columns * sequence_);
    }
    kernel_.few(states + first * kernel_.state_size, rows, columns * compute_size_, sequence_,
                columns, parameters_);
  });
}

void Reducer::fold_values(char* state, int64_t begin, int64_t end) const {
  alignas(64) char tile[kTileBytes];
  const int64_t capacity = kTileBytes / compute_size_;
  for (int64_t number = begin; number < end; number += capacity) {
    throw_if_interrupted();
    const int64_t count = std::min(capacity, end - number);
    (*call_.values)(tile, number, count);
    kernel_.run(state, tile, count, number, parameters_);
  }
}

void Reducer::fold_runs(char* state, const char* in, int64_t begin, int64_t end) const {
  const ReduceDim& inner = reduced_[0];
  const bool dense = inner.in_stride == in_size_;
  if (dense && !converts() && reduced_.size() == 1) {
    kernel_.run(state, in + begin * in_size_, end - begin, begin, parameters_);
    return;
  }
  if (dense && !converts()) {
    for (int64_t number = begin; number < end;) {
      throw_if_interrupted();
      const int64_t length = std::min(inner.size - number % inner.size, end - number);
      kernel_.run(state, locate(in, number), length, number, parameters_);
      number += length;
    }
    return;
  }
  alignas(64) char gathered[kTileBytes];
  alignas(64) char tile[kTileBytes];
  const int64_t capacity = kTileBytes / std::max(in_size_, compute_size_);
  for (int64_t number = begin; number < end;) {
    throw_if_interrupted();
    const int64_t position = number % inner.size;
    int64_t length = std::min({inner.size - position, end - number, capacity});
    int64_t rows = 1;
    if (length == inner.size && reduced_.size() > 1) {
      const ReduceDim& outer = reduced_[1];
      rows = std::min({capacity / length, outer.size - number / inner.size % outer.size,
                       (end - number) / length});
    }
    const char* from = locate(in, number);
    if (!dense || rows > 1) {
      const int64_t row_stride = reduced_.size() > 1 ? reduced_[1].in_stride : 0;
      gather_elements(gathered, {const_cast<char*>(from), inner.in_stride, row_stride}, in_size_,
                      length, rows);
      from = gathered;
    }
    kernel_.run(state, convert(tile, from, length * rows), length * rows, number, parameters_);
    number += length * rows;
  }
}

void Reducer::fold_columns(char* states, const Place& where, int64_t begin, int64_t end) const {
  const ReduceDim& inner = reduced_[0];
  const int64_t stride = kept_[0].in_stride;
  const bool in_place = kernel_.columns != nullptr && !converts() && stride == in_size_;
  alignas(64) char gathered[kTileBytes];
  alignas(64) char tile[kTileBytes];
  const int64_t capacity = kTileBytes / std::max(in_size_, compute_size_);
  for (int64_t number = begin; number < end;) {
    throw_if_interrupted();
    const int64_t rows = std::min(inner.size - number % inner.size, end - number);
    char* const from = const_cast<char*>(locate(where.in, number));
    if (in_place) {
      kernel_.columns(states, from, inner.in_stride, rows, where.count, number);
      number += rows;
      continue;
    }
    // Narrow enough that several rows fit into the tile.
    const int64_t width = std::min<int64_t>(where.count, kFewestColumns);
    const int64_t height = std::min(rows, capacity / width);
    for (int64_t column = 0; column < where.count; column += width) {
      const int64_t columns = std::min(width, where.count - column);
      char* const corner = from + column * stride;
      char* const first_state = states + column * kernel_.state_size;
      if (kernel_.columns != nullptr) {
        gather_elements(gathered, {corner, stride, inner.in_stride}, in_size_, columns, height);
        kernel_.columns(first_state, convert(tile, gathered, columns * height),
                        columns * compute_size_, height, columns, number);
        continue;
      }
      gather_elements(gathered, {corner, inner.in_stride, stride}, in_size_, height, columns);
      const char* run = convert(tile, gathered, columns * height);
      for (int64_t i = 0; i < columns; i++, run += height * compute_size_) {
        kernel_.run(first_state + i * kernel_.state_size, run, height, number, parameters_);
      }
    }
    number += height;
  }
}

void Reducer::finish(const char* states, const Place& where) const {
  alignas(16) char results[2][kMostOutputs * 16];
  const int number = result_count(call_.op);
  int64_t sizes[2] = {};
  for (int r = 0; r < number; r++) {
    sizes[r] = static_cast<int64_t>(element_size(result_type_of(call_.op, call_.compute, r)));
  }
  char* const to[] = {results[0], results[1]};
  kernel_.finish(to, states, where.count, parameters_);
  for (int r = 0; r < number; r++) {
    const auto index = static_cast<size_t>(r);
    const ScalarType computed = result_type_of(call_.op, call_.compute, r);
    const CopyLoop copy(call_.out_type[index], computed);
    char* data[] = {where.out[index], results[r]};
    const int64_t strides[] = {kept_[0].out_stride[index], sizes[r], 0, 0};
    copy(data, strides, where.count, 1);
  }
}

void Reducer::run() {
  int64_t blocks = blocks_per_row_;
  for (size_t i = 1; i < kept_.size(); i++) blocks *= kept_[i].size;
  if (blocks == 0) return;
  const int64_t state_bytes = block_outputs_ * kernel_.state_size;
  const int64_t block_work = std::max<int64_t>(1, sequence_ * block_outputs_);

  // With few blocks of much work each, the sequence is cut, too, and the states of its parts are
  // merged.
  int64_t part = sequence_;
  int64_t parts = 1;
  if (blocks < 16 && blocks * block_work > kParallelGrain) {
    const int64_t wanted = std::min<int64_t>(64 / blocks, block_work / kParallelGrain + 1);
    part = (sequence_ + wanted - 1) / wanted;
    const int64_t unit = std::max<int64_t>(1, kSequenceUnit / block_outputs_);
    part = (part + unit - 1) / unit * unit;
    parts = (sequence_ + part - 1) / part;
  }
  if (parts <= 1) {
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / block_work);
    parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      alignas(16) char states[kMostOutputs * kReduceStateBytes];
      for (int64_t block = begin; block < end; block++) {
        const Place where = place(block);
        kernel_.start(states, where.count);
        if (sequence_ > 0) fold(states, where, 0, sequence_);
        finish(states, where);
      }
    });
    return;
  }
  std::vector<std::array<char, 16>> memory(
      static_cast<size_t>((blocks * parts * state_bytes + 15) / 16));
  char* const all_states = memory.data()->data();
  parallel_chunks(blocks * parts, {1, blocks * parts}, [&](int64_t task, int64_t, int64_t) {
    const Place where = place(task / parts);
    char* const states = all_states + task * state_bytes;
    const int64_t begin = task % parts * part;
    kernel_.start(states, where.count);
    fold(states, where, begin, std::min(begin + part, sequence_));
  });
  for (int64_t block = 0; block < blocks; block++) {
    const Place where = place(block);
    char* const states = all_states + block * parts * state_bytes;
    for (int64_t i = 1; i < parts; i++) {
      for (int64_t output = 0; output < where.count; output++) {
        kernel_.merge(states + output * kernel_.state_size,
                      states + i * state_bytes + output * kernel_.state_size);
      }
    }
    finish(states, where);
  }
}

}  // namespace

ScalarType reduce_compute_type(Reduction op, ScalarType in) {
  ScalarType compute = compute_type(in);
  switch (op) {
    case Reduction::sum:
    case Reduction::nansum:
    case Reduction::mean:
    case Reduction::prod:
      if (is_integral(in, true)) compute = ScalarType::Long;
      break;
    case Reduction::any:
    case Reduction::all: compute = ScalarType::Bool; break;
    case Reduction::norm:
      if (is_complex(in)) compute = ScalarType::ComplexDouble;
      if (is_integral(in, true)) compute = ScalarType::Double;
      break;
    case Reduction::variance:
    case Reduction::variance_mean: compute = ScalarType::Double; break;
    case Reduction::max:
    case Reduction::min:
    case Reduction::argmax:
    case Reduction::argmin:
    case Reduction::max_index:
    case Reduction::min_index: break;
  }
  return find_reduce(op, compute) != nullptr ? compute : ScalarType::Undefined;
}

void reduce(const ReduceCall& call) { Reducer(call).run(); }

bool reduce_run(const ReduceCall& call, int64_t count) {
  const int results = result_count(call.op);
  if (count > kParallelGrain || call.in_type != call.compute ||
      (call.in_common != ScalarType::Undefined && call.in_common != call.compute)) {
    return false;
  }
  for (int r = 0; r < results; r++) {
    if (call.out_type[static_cast<size_t>(r)] != result_type_of(call.op, call.compute, r)) {
      return false;
    }
  }
  const ReduceKernel& kernel = *find_reduce(call.op, call.compute);
  ReduceParameters parameters = call.parameters;
  parameters.count = count;
  alignas(16) char state[kReduceStateBytes];
  kernel.start(state, 1);
  kernel.run(state, call.in, count, 0, parameters);
  kernel.finish(call.out.data(), state, 1, parameters);
  return true;
}

}  // namespace tsc::cpu
