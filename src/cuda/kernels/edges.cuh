// Padding of the last three of five dimensions with what is at the edges. Integers: 0 whether it is mirrored,
// or repeated; 1 the sizes of what is written, five; 6 the strides of what is written, 11 of what is read;
// 16 the padding before each of the three, 19 the sizes without padding, 22 those with it.

// The element that one of the padded dimension is read from; `at` counts from the first that is no padding.
TSC_FN Index source(bool is_mirrored, Index at, Index size) {
  if (!is_mirrored) return at < 0 ? Index(0) : least(at, size - 1);
  return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
}
TSC_FN void split(const Arguments& a, Index i, Index (&places)[5], Index& offset) {
  offset = 0;
  for (int dim = 4; dim >= 0; dim--) {
    const Index size = whole(a, 1 + dim);
    const Index rest = i / size;
    places[dim] = i - rest * size;
    offset += places[dim] * whole(a, 6 + dim);
    i = rest;
  }
}

// Element i of the padded tensor. Memory: it, the tensor.
TSC_FN void pad_edges(const Arguments& a, Index i) {
  Index place[5];
  Index to;
  split(a, i, place, to);
  Index from = place[0] * whole(a, 11) + place[1] * whole(a, 12);
  for (int dim = 0; dim < 3; dim++) {
    const Index at = place[2 + dim] - whole(a, 16 + dim);
    from += source(a.integer[0] != 0, at, whole(a, 19 + dim)) * whole(a, 13 + dim);
  }
  memory<T0>(a, 0)[to] = memory<T0>(a, 1)[from];
}

// The elements of a padded dimension that are read from element x: up to three runs.
struct Readers {
  Index begin[3];
  Index end[3];

  TSC_FN Readers(const Arguments& a, int dim, Index x) {
    const Index before = whole(a, 16 + dim);
    const Index size = whole(a, 19 + dim);
    const Index padded = whole(a, 22 + dim);
    for (int k = 0; k < 3; k++) begin[k] = end[k] = 0;
    add(0, before + x, before + x + 1, padded);
    if (a.integer[0] != 0) {
      if (x > 0) add(1, before - x, before - x + 1, padded);
      const Index mirrored = before + 2 * (size - 1) - x;
      if (x < size - 1) add(2, mirrored, mirrored + 1, padded);
    } else {
      if (x == 0) add(1, 0, before, padded);
      if (x == size - 1) add(2, before + size, padded, padded);
    }
  }
  TSC_FN void add(int k, Index first, Index behind, Index padded) {
    begin[k] = most(first, Index(0));
    end[k] = least(behind, padded);
  }
};
// The gradient of element i: the sum of those that were read from it. Memory: it, the arriving gradient.
TSC_FN void pad_edges_backward(const Arguments& a, Index i) {
  Index place[5];
  Index to;
  split(a, i, place, to);
  const T0* const from = memory<T0>(a, 1) + place[0] * whole(a, 11) + place[1] * whole(a, 12);
  const Readers depth(a, 0, place[2]);
  const Readers height(a, 1, place[3]);
  const Readers width(a, 2, place[4]);
  Real sum = Real(0);
  for (int k = 0; k < 27; k++) {
    const int run[3] = {k / 9, k / 3 % 3, k % 3};
    for (Index z = depth.begin[run[0]]; z < depth.end[run[0]]; z++) {
      for (Index y = height.begin[run[1]]; y < height.end[run[1]]; y++) {
        for (Index x = width.begin[run[2]]; x < width.end[run[2]]; x++) {
          const Index at = z * whole(a, 13) + y * whole(a, 14) + x * whole(a, 15);
          sum = Real(sum + convert<Real>(from[at]));
        }
      }
    }
  }
  memory<T0>(a, 0)[to] = convert<T0>(sum);
}
