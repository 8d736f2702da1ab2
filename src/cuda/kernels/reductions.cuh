// The reductions by name: a namespace for each, which reduce.cuh is compiled with. T is the type that they
// compute in; Real is that of T's real part.

using Numbers = double;

template <class T>
struct RealOf {
  using Type = T;
};
template <class R>
struct RealOf<Complex<R>> {
  using Type = R;
};

template <class T>
struct WithIndex {
  T value;
  int64_t index;  // -1: there is none yet
};

namespace reductions {

// Sums and products of numbers.
template <class T>
struct sum {
  using State = T;
  using Result0 = T;
  using Result1 = T;
  TSC_FN static State start(const Numbers*) { return T(0); }
  TSC_FN static State step(State s, T x, int64_t, const Numbers*) { return T(s + x); }
  TSC_FN static State merge(State a, State b) { return T(a + b); }
  TSC_FN static void finish(State s, int64_t, const Numbers*, Result0& r, Result1&) { r = s; }
};
template <class T>
struct nansum : sum<T> {
  TSC_FN static T step(T s, T x, int64_t, const Numbers*) { return is_nan(x) ? s : T(s + x); }
};
template <class T>
struct mean : sum<T> {
  TSC_FN static void finish(T s, int64_t count, const Numbers*, T& r, T&) {
    r = s / T(static_cast<double>(count));
  }
};
template <class T>
struct prod : sum<T> {
  TSC_FN static T start(const Numbers*) { return T(1); }
  TSC_FN static T step(T s, T x, int64_t, const Numbers*) { return T(s * x); }
  TSC_FN static T merge(T a, T b) { return T(a * b); }
};
template <class T>
struct any : sum<T> {
  TSC_FN static T start(const Numbers*) { return false; }
  TSC_FN static T step(T s, T x, int64_t, const Numbers*) { return s || x; }
  TSC_FN static T merge(T a, T b) { return a || b; }
};
template <class T>
struct all : sum<T> {
  TSC_FN static T start(const Numbers*) { return true; }
  TSC_FN static T step(T s, T x, int64_t, const Numbers*) { return s && x; }
  TSC_FN static T merge(T a, T b) { return a && b; }
};

// The extreme and the number of its first element; NaN wins over all numbers.
template <class T, bool kLargest>
struct extreme {
  using State = WithIndex<T>;
  using Result0 = T;
  using Result1 = int64_t;
  // Whether b, which need not come later, stands before a.
  TSC_FN static bool is_better(State b, State a) {
    if (b.index < 0) return false;
    if (a.index < 0) return true;
    const bool nan_a = is_nan(a.value);
    const bool nan_b = is_nan(b.value);
    if (nan_a != nan_b) return nan_b;
    if (!nan_a && a.value != b.value) return kLargest ? b.value > a.value : b.value < a.value;
    return b.index < a.index;
  }
  TSC_FN static State start(const Numbers*) { return {T(0), -1}; }
  TSC_FN static State step(State s, T x, int64_t i, const Numbers*) { return merge(s, State{x, i}); }
  TSC_FN static State merge(State a, State b) { return is_better(b, a) ? b : a; }
  TSC_FN static void finish(State s, int64_t, const Numbers*, Result0& r, Result1& i) {
    r = s.value;
    i = s.index;
  }
};
template <class T>
struct max : extreme<T, true> {};
template <class T>
struct min : extreme<T, false> {};
template <class T>
struct max_index : extreme<T, true> {};
template <class T>
struct min_index : extreme<T, false> {};
template <class T, bool kLargest>
struct index_of_extreme : extreme<T, kLargest> {
  using Result0 = int64_t;
  TSC_FN static void finish(WithIndex<T> s, int64_t, const Numbers*, int64_t& r, int64_t&) { r = s.index; }
};
template <class T>
struct argmax : index_of_extreme<T, true> {};
template <class T>
struct argmin : index_of_extreme<T, false> {};

// (sum |x|^p)^(1/p), p = numbers[0]; 0, infinity and -infinity as limits.
template <class T>
struct norm {
  using R = typename RealOf<T>::Type;
  enum Kind : int { kSum, kLargest, kSmallest };
  struct State {
    R value;
    Kind kind;
  };
  using Result0 = R;
  using Result1 = R;
  TSC_FN static State start(const Numbers* p) {
    if (!isinf(p[0])) return {R(0), kSum};
    return p[0] > 0 ? State{R(0), kLargest} : State{R(infinity()), kSmallest};
  }
  TSC_FN static State step(State s, T x, int64_t, const Numbers* p) {
    const R size = R(abs(x));
    const R term = s.kind != kSum || p[0] == 1 ? size
                   : p[0] == 2                 ? size * size
                   : p[0] == 0                 ? R(size != R(0) ? 1 : 0)
                                               : ::pow(size, R(p[0]));
    return merge(s, {term, s.kind});
  }
  TSC_FN static State merge(State a, State b) {
    if (a.kind == kSum) return {a.value + b.value, kSum};
    return {a.kind == kLargest ? ufunc::maximum(a.value, b.value) : ufunc::minimum(a.value, b.value),
            a.kind};
  }
  TSC_FN static void finish(State s, int64_t, const Numbers* p, Result0& r, Result1&) {
    const bool is_root = s.kind == kSum && p[0] != 0 && p[0] != 1;
    r = !is_root ? s.value : p[0] == 2 ? ::sqrt(s.value) : ::pow(s.value, R(1.0 / p[0]));
  }
};

// B. P. Welford, Note on a method for calculating corrected sums of squares and products, 1962; parts are
// merged as T. F. Chan, G. H. Golub and R. J. LeVeque do (Updating formulae and a pairwise algorithm for
// computing sample variances, 1979). numbers: the correction, and whether the root is wanted.
template <class T>
struct variance_mean {
  struct State {
    T mean;
    T squares;
    T count;
  };
  using Result0 = T;
  using Result1 = T;
  TSC_FN static State start(const Numbers*) { return {T(0), T(0), T(0)}; }
  TSC_FN static State step(State s, T x, int64_t, const Numbers*) {
    const T count = s.count + T(1);
    const T apart = x - s.mean;
    const T mean = s.mean + apart / count;
    return {mean, s.squares + apart * (x - mean), count};
  }
  TSC_FN static State merge(State a, State b) {
    if (a.count == T(0)) return b;
    if (b.count == T(0)) return a;
    const T count = a.count + b.count;
    const T apart = b.mean - a.mean;
    const T part = b.count / count;
    return {a.mean + apart * part, a.squares + b.squares + apart * apart * a.count * part, count};
  }
  TSC_FN static void finish(State s, int64_t count, const Numbers* p, Result0& r, Result1& mean) {
    const double left = static_cast<double>(count) - p[0];
    const T variance = s.squares / T(left > 0 ? left : 0.0);
    r = p[1] != 0 ? ::sqrt(variance) : variance;
    mean = count == 0 ? T(0) / T(0) : s.mean;
  }
};
template <class T>
struct variance : variance_mean<T> {};

}  // namespace reductions
