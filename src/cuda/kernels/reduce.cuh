// A reduction. Before this stand: Reduction, one of reductions.cuh for the type T that it computes in;
// Stored, the element's type in memory, and Common, the one that it is converted to first; Stored0 and
// Stored1, the results' types in memory; kResults; kKept and kReduced, the numbers of dimensions of each
// kind; Index, an unsigned type that counts all elements; kBlock.
//
// A block has kBlock threads, `lanes` for each of some results. Lanes are neighbours where the elements of
// a sequence are, and otherwise results are. A sequence may be shared by several blocks (gridDim.y): each
// leaves its state, and the last one to finish merges them, in the order of the blocks.

using State = typename Reduction::State;

template <class I>
struct Split;
template <>
struct Split<uint32_t> {
  Divider by;
  TSC_FN uint32_t take(uint32_t& i) const {
    const uint32_t rest = by.quotient(i);
    const uint32_t at = i - rest * by.divisor;
    i = rest;
    return at;
  }
};
template <>
struct Split<uint64_t> {
  uint64_t by;
  TSC_FN uint64_t take(uint64_t& i) const {
    const uint64_t at = i % by;
    i /= by;
    return at;
  }
};

struct Arguments {
  const char* in;
  char* out[2];
  State* partial;
  uint32_t* counters;
  int64_t kept;   // results
  int64_t count;  // elements of each
  double numbers[2];
  int is_across;  // results are neighbours
  int lanes;
  Split<Index> kept_sizes[kKept];
  int64_t kept_strides[kKept][3];  // bytes: of the input and of both results
  Split<Index> reduced_sizes[kReduced];
  int64_t reduced_strides[kReduced];
};

__shared__ State table[kBlock];

// Merges the states of a result's lanes into the first one's.
TSC_FN void merge_lanes(int place, int lane, int lanes, int apart) {
  __syncthreads();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (lane < half) table[place] = Reduction::merge(table[place], table[place + half * apart]);
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) reduce_kernel(Arguments arguments) {
  const int lanes = arguments.lanes;
  const int results = kBlock / lanes;
  const int thread = threadIdx.x;
  const int lane = arguments.is_across ? thread / results : thread % lanes;
  const int local = arguments.is_across ? thread % results : thread / lanes;
  const int apart = arguments.is_across ? results : 1;
  const int64_t result = static_cast<int64_t>(blockIdx.x) * results + local;
  const bool is_valid = result < arguments.kept;

  int64_t offset[3] = {0, 0, 0};
  if (is_valid) {
    Index rest = static_cast<Index>(result);
#pragma unroll
    for (int dim = 0; dim < kKept; dim++) {
      const int64_t at = static_cast<int64_t>(arguments.kept_sizes[dim].take(rest));
#pragma unroll
      for (int k = 0; k < 3; k++) offset[k] += at * arguments.kept_strides[dim][k];
    }
  }

  State state = Reduction::start(arguments.numbers);
  if (is_valid) {
    const int64_t step_size = static_cast<int64_t>(lanes) * gridDim.y;
#pragma unroll 4
    for (int64_t i = static_cast<int64_t>(blockIdx.y) * lanes + lane; i < arguments.count; i += step_size) {
      Index rest = static_cast<Index>(i);
      int64_t at = offset[0];
#pragma unroll
      for (int dim = 0; dim < kReduced; dim++) {
        at += static_cast<int64_t>(arguments.reduced_sizes[dim].take(rest)) * arguments.reduced_strides[dim];
      }
      const Stored stored = *reinterpret_cast<const Stored*>(arguments.in + at);
      state = Reduction::step(state, convert<T>(convert<Common>(stored)), i, arguments.numbers);
    }
  }
  table[thread] = state;
  merge_lanes(thread, lane, lanes, apart);

  if (gridDim.y > 1) {
    __shared__ bool is_last;
    if (lane == 0 && is_valid) {
      arguments.partial[static_cast<int64_t>(blockIdx.y) * arguments.kept + result] = table[thread];
    }
    __threadfence();
    __syncthreads();
    if (thread == 0) is_last = atomicInc(&arguments.counters[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    state = Reduction::start(arguments.numbers);
    if (is_valid) {
      for (unsigned part = lane; part < gridDim.y; part += lanes) {
        state = Reduction::merge(state, arguments.partial[static_cast<int64_t>(part) * arguments.kept + result]);
      }
    }
    table[thread] = state;
    merge_lanes(thread, lane, lanes, apart);
  }
  if (lane == 0 && is_valid) {
    typename Reduction::Result0 first;
    typename Reduction::Result1 second;
    Reduction::finish(table[thread], arguments.count, arguments.numbers, first, second);
    *reinterpret_cast<Stored0*>(arguments.out[0] + offset[1]) = convert<Stored0>(first);
    if constexpr (kResults == 2) {
      *reinterpret_cast<Stored1*>(arguments.out[1] + offset[2]) = convert<Stored1>(second);
    }
  }
}
