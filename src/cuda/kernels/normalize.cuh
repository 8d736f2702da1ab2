// Rows to mean 0 and variance 1, and the gradients. Before this stand T0 to T7, the types of the memory;
// Real, the type to compute in; kBlock, the threads of a block.
//
// An element of a row is `chunk` by `chunk` side by side, and `apart` from one chunk to the next; a row has
// `chunks` of them. A factor is of an element's number in a row, where run is 0, or of one for `run`
// elements side by side; rows r, r + sets, r + 2 sets, ... have the same factors.

struct Arguments {
  void* data[8];
  int64_t rows;
  int64_t chunks;
  int64_t chunk;
  int64_t apart;
  int64_t run;
  int64_t sets;
  double eps;
  double momentum;
};

struct Row {
  int64_t base;
  int64_t size;
  int64_t parameter;  // of the first element

  TSC_FN Row(const Arguments& a, int64_t row)
      : base(row * a.chunk), size(a.chunks * a.chunk), parameter(0) {
    if (a.run != 0) parameter = row % a.sets * (size / a.run);
  }
  TSC_FN int64_t place(const Arguments& a, int64_t i) const {
    return a.chunks == 1 ? base + i : base + i / a.chunk * a.apart + i % a.chunk;
  }
  TSC_FN int64_t factor(const Arguments& a, int64_t i) const {
    return a.run == 0 ? i : parameter + i / a.run;
  }
};

template <class T>
TSC_FN T* memory(const Arguments& a, int k) {
  return static_cast<T*>(a.data[k]);
}
template <class T>
TSC_FN Real factor_at(const Arguments& a, int k, int64_t at) {
  return a.data[k] == nullptr ? Real(1) : convert<Real>(memory<T>(a, k)[at]);
}

// Numbers that have been seen: how many, their mean, and the sum of squared distances from it.
struct Moments {
  Real count;
  Real mean;
  Real squares;
};
// T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing
// sample variances", 1979.
TSC_FN Moments merge(Moments a, Moments b) {
  const Real count = a.count + b.count;
  if (!(count > Real(0))) return a;
  const Real distance = b.mean - a.mean;
  const Real part = b.count / count;
  return {count, a.mean + distance * part, a.squares + b.squares + distance * distance * a.count * part};
}
struct Sums {
  Real first;
  Real second;
};
TSC_FN Sums merge(Sums a, Sums b) { return {a.first + b.first, a.second + b.second}; }

// The states of all threads, merged in a fixed order; every thread gets it.
template <class S>
TSC_FN S of_block(S state, S* table) {
  const int thread = threadIdx.x;
  table[thread] = state;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (thread < half) table[thread] = merge(table[thread], table[thread + half]);
    __syncthreads();
  }
  return table[0];
}

TSC_FN Real moved_towards(Real from, Real to, Real part) { return from * (Real(1) - part) + to * part; }

// Memory: the result, the input, weights, biases, means and the inverses of standard deviations; running
// means and variances, which move to those of the rows.
extern "C" __global__ void __launch_bounds__(kBlock) normalize_rows(Arguments arguments) {
  __shared__ Moments table[kBlock];
  const Row row(arguments, blockIdx.x);
  const T1* const in = memory<T1>(arguments, 1);
  Moments state = {Real(0), Real(0), Real(0)};
  for (int64_t i = threadIdx.x; i < row.size; i += kBlock) {
    const Real x = convert<Real>(in[row.place(arguments, i)]);
    state.count += Real(1);
    const Real distance = x - state.mean;
    state.mean += distance / state.count;
    state.squares += distance * (x - state.mean);
  }
  const Moments all = of_block(state, table);
  const Real inverse = Real(1) / ::sqrt(all.squares / all.count + Real(arguments.eps));
  if (threadIdx.x == 0) {
    memory<T4>(arguments, 4)[blockIdx.x] = convert<T4>(all.mean);
    memory<T5>(arguments, 5)[blockIdx.x] = convert<T5>(inverse);
    const Real part = Real(arguments.momentum);
    if (arguments.data[6] != nullptr) {
      T6& mean = memory<T6>(arguments, 6)[blockIdx.x];
      mean = convert<T6>(moved_towards(convert<Real>(mean), all.mean, part));
    }
    if (arguments.data[7] != nullptr) {
      T7& variance = memory<T7>(arguments, 7)[blockIdx.x];
      const Real unbiased = all.squares / (all.count - Real(1));
      variance = convert<T7>(moved_towards(convert<Real>(variance), unbiased, part));
    }
  }
  for (int64_t i = threadIdx.x; i < row.size; i += kBlock) {
    const int64_t at = row.place(arguments, i);
    const int64_t factor = row.factor(arguments, i);
    Real y = (convert<Real>(in[at]) - all.mean) * inverse * factor_at<T2>(arguments, 2, factor);
    if (arguments.data[3] != nullptr) y += convert<Real>(memory<T3>(arguments, 3)[factor]);
    memory<T0>(arguments, 0)[at] = convert<T0>(y);
  }
}

// With the normal values n and their gradient g, the gradient is (g - mean(g) - n mean(g n)) * inverse.
// Memory: it, the arriving gradient, the input, weights, means and inverses; the gradients of the weights
// and biases of rows that have one each.
extern "C" __global__ void __launch_bounds__(kBlock) normalize_rows_backward(Arguments arguments) {
  __shared__ Sums table[kBlock];
  const Row row(arguments, blockIdx.x);
  const Real mean = convert<Real>(memory<T4>(arguments, 4)[blockIdx.x]);
  const Real inverse = convert<Real>(memory<T5>(arguments, 5)[blockIdx.x]);
  const bool has_one_factor = arguments.run == row.size;
  const Real scale = has_one_factor ? factor_at<T3>(arguments, 3, row.parameter) : Real(1);
  const auto values = [&](int64_t i, Real& g, Real& n) {
    const int64_t at = row.place(arguments, i);
    g = convert<Real>(memory<T1>(arguments, 1)[at]);
    if (!has_one_factor) g *= factor_at<T3>(arguments, 3, row.factor(arguments, i));
    n = (convert<Real>(memory<T2>(arguments, 2)[at]) - mean) * inverse;
    return at;
  };
  Sums sums = {Real(0), Real(0)};
  Real g;
  Real n;
  for (int64_t i = threadIdx.x; i < row.size; i += kBlock) {
    values(i, g, n);
    sums = {sums.first + g, sums.second + g * n};
  }
  const Sums all = of_block(sums, table);
  if (threadIdx.x == 0) {
    if (arguments.data[6] != nullptr) memory<T6>(arguments, 6)[blockIdx.x] = convert<T6>(all.second);
    if (arguments.data[7] != nullptr) memory<T7>(arguments, 7)[blockIdx.x] = convert<T7>(all.first);
  }
  if (arguments.data[0] == nullptr) return;
  const Real of_g = all.first / Real(row.size);
  const Real of_product = all.second / Real(row.size);
  for (int64_t i = threadIdx.x; i < row.size; i += kBlock) {
    const int64_t at = values(i, g, n);
    memory<T0>(arguments, 0)[at] = convert<T0>((g - of_g - n * of_product) * scale * inverse);
  }
}

// The products of the arriving gradient and the normal values, whose sums are the gradients of the weights.
// Memory: the products, the arriving gradient, the input, nothing, means and inverses.
extern "C" __global__ void __launch_bounds__(kBlock) normalized_products(Arguments arguments) {
  const Row row(arguments, blockIdx.x);
  const Real mean = convert<Real>(memory<T4>(arguments, 4)[blockIdx.x]);
  const Real inverse = convert<Real>(memory<T5>(arguments, 5)[blockIdx.x]);
  for (int64_t i = threadIdx.x; i < row.size; i += kBlock) {
    const int64_t at = row.place(arguments, i);
    const Real n = (convert<Real>(memory<T2>(arguments, 2)[at]) - mean) * inverse;
    memory<T0>(arguments, 0)[at] = convert<T0>(convert<Real>(memory<T1>(arguments, 1)[at]) * n);
  }
}
