// Running results along lines. Before this stand Stored, the elements' type; T, the one to compute in;
// kScan; kIsAcross; kBlock. The results are contiguous lines of `count` elements, `inner` apart.
//
// Where lines are neighbours, a thread has a line. Otherwise a block has one, and takes kBlock elements of
// it after the other: each is scanned by doubling steps, from what the elements before it have left.

enum Scan : int { kSum, kProd, kMax, kMin, kLogSumExp };

struct Arguments {
  const Stored* in;
  Stored* values;
  int64_t* indices;
  int64_t outer;
  int64_t count;
  int64_t inner;
  int64_t outer_stride;  // of the input, in elements
  int64_t stride;
  int64_t inner_stride;
};

struct State {
  T value;
  int64_t index;  // -1: there is no element yet
};

// Of an earlier and a later part.
TSC_FN State merge(State a, State b) {
  if (a.index < 0) return b;
  if (b.index < 0) return a;
  if constexpr (kScan == kSum) {
    return {T(a.value + b.value), b.index};
  } else if constexpr (kScan == kProd) {
    return {T(a.value * b.value), b.index};
  } else if constexpr (kScan == kLogSumExp) {
    return {ufunc::logaddexp(a.value, b.value), b.index};
  } else {
    // The last of equals; NaN stays.
    if (is_nan(a.value)) return is_nan(b.value) ? b : a;
    const bool takes = is_nan(b.value) || (kScan == kMax ? b.value >= a.value : b.value <= a.value);
    return takes ? b : a;
  }
}

TSC_FN void write(const Arguments& arguments, int64_t at, State state) {
  arguments.values[at] = convert<Stored>(state.value);
  if constexpr (kScan == kMax || kScan == kMin) arguments.indices[at] = state.index;
}

extern "C" __global__ void __launch_bounds__(kBlock) scan_kernel(Arguments arguments) {
  if constexpr (kIsAcross) {
    const int64_t line = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;
    if (line >= arguments.outer * arguments.inner) return;
    const int64_t outer = line / arguments.inner;
    const int64_t inner = line - outer * arguments.inner;
    const Stored* const from = arguments.in + outer * arguments.outer_stride + inner * arguments.inner_stride;
    const int64_t to = outer * arguments.count * arguments.inner + inner;
    State state = {T(0), -1};
    for (int64_t i = 0; i < arguments.count; i++) {
      state = merge(state, State{convert<T>(from[i * arguments.stride]), i});
      write(arguments, to + i * arguments.inner, state);
    }
  } else {
    __shared__ State table[kBlock];
    const int thread = threadIdx.x;
    const int64_t outer = blockIdx.x;
    const Stored* const from = arguments.in + outer * arguments.outer_stride;
    const int64_t to = outer * arguments.count;
    State before = {T(0), -1};
    for (int64_t begin = 0; begin < arguments.count; begin += kBlock) {
      const int64_t i = begin + thread;
      State state = {T(0), -1};
      if (i < arguments.count) state = {convert<T>(from[i * arguments.stride]), i};
      table[thread] = state;
      __syncthreads();
      for (int reach = 1; reach < kBlock; reach *= 2) {
        if (thread >= reach) state = merge(table[thread - reach], state);
        __syncthreads();
        table[thread] = state;
        __syncthreads();
      }
      state = merge(before, state);
      if (i < arguments.count) write(arguments, to + i, state);
      before = merge(before, table[kBlock - 1]);
      __syncthreads();
    }
  }
}
