// softmax and its relatives along lines of `count` elements, `inner` apart. Before this stand Stored and
// StoredOut, the types in memory; T, the one to compute in; kKind:
//   0  exp(x - max) / sum exp(x - max)          1  x - max - log(sum exp(x - max))
//   2  the gradient of 0: (g - sum(g y)) y      3  of 1: g - exp(y) sum(g)
// and kBlock. x or g is `first`, y is `second`. Of a block's threads `lanes` have one line; lanes are
// neighbours where the line's elements are, and otherwise lines are.

struct Arguments {
  const Stored* first;
  const Stored* second;
  StoredOut* out;
  int64_t lines;
  int64_t count;
  int64_t inner;
  int lanes;
  int is_across;
};

// The largest number so far, and the sum of exponentials with respect to it; of gradients the sum alone.
struct State {
  T largest;
  T sum;
};

TSC_FN State merge(State a, State b) {
  if constexpr (kKind >= 2) return {T(0), a.sum + b.sum};
  const T largest = ufunc::maximum(a.largest, b.largest);
  // An empty part, or one of -infinity alone.
  const T scale_a = a.largest == largest ? T(1) : exp(a.largest - largest);
  const T scale_b = b.largest == largest ? T(1) : exp(b.largest - largest);
  return {largest, a.sum * scale_a + b.sum * scale_b};
}

__shared__ State table[kBlock];

extern "C" __global__ void __launch_bounds__(kBlock) softmax_kernel(Arguments arguments) {
  const int lanes = arguments.lanes;
  const int lines = kBlock / lanes;
  const int thread = threadIdx.x;
  const int lane = arguments.is_across ? thread / lines : thread % lanes;
  const int local = arguments.is_across ? thread % lines : thread / lanes;
  const int apart = arguments.is_across ? lines : 1;
  const int64_t line = static_cast<int64_t>(blockIdx.x) * lines + local;
  const bool is_valid = line < arguments.lines;
  const int64_t outer = line / arguments.inner;
  const int64_t begin = outer * arguments.count * arguments.inner + (line - outer * arguments.inner);

  State state = {T(-infinity()), T(0)};
  if (is_valid) {
    for (int64_t i = lane; i < arguments.count; i += lanes) {
      const int64_t at = begin + i * arguments.inner;
      const T x = convert<T>(arguments.first[at]);
      if constexpr (kKind < 2) {
        state = merge(state, State{x, T(1)});
      } else if constexpr (kKind == 2) {
        state.sum = mul_add(x, convert<T>(arguments.second[at]), state.sum);
      } else {
        state.sum += x;
      }
    }
  }
  table[thread] = state;
  __syncthreads();
  for (int half = lanes / 2; half > 0; half /= 2) {
    if (lane < half) table[thread] = merge(table[thread], table[thread + half * apart]);
    __syncthreads();
  }
  if (!is_valid) return;
  const State whole = table[arguments.is_across ? local : local * lanes];
  for (int64_t i = lane; i < arguments.count; i += lanes) {
    const int64_t at = begin + i * arguments.inner;
    const T x = convert<T>(arguments.first[at]);
    T result;
    if constexpr (kKind == 0) {
      result = exp(x - whole.largest) / whole.sum;
    } else if constexpr (kKind == 1) {
      result = x - whole.largest - log(whole.sum);
    } else {
      const T y = convert<T>(arguments.second[at]);
      result = kKind == 2 ? (x - whole.sum) * y : x - exp(y) * whole.sum;
    }
    arguments.out[at] = convert<StoredOut>(result);
  }
}
