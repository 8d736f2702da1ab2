// Products of vectors of three elements, `inner` apart. Memory: the product, both factors. Integers: inner.
TSC_FN void cross(const Arguments& a, Index i) {
  const Index inner = whole(a, 0);
  const Index outer = i / inner;
  const Index first = outer * 3 * inner + (i - outer * inner);
  Real x[3];
  Real y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = convert<Real>(memory<T1>(a, 1)[first + k * inner]);
    y[k] = convert<Real>(memory<T2>(a, 2)[first + k * inner]);
  }
  for (int k = 0; k < 3; k++) {
    const int next = (k + 1) % 3;
    const int last = (k + 2) % 3;
    memory<T0>(a, 0)[first + k * inner] = convert<T0>(Real(x[next] * y[last] - x[last] * y[next]));
  }
}
