// Resizing of [outer][depth][height][width][inner] by tables: along an axis, output o is the sum of inputs
// index[k] times weight[k], for k from begin[o] to begin[o + 1]. Integers: 0 inner; then three each: 1 sizes
// of the output, 4 of the input, and where the tables of an axis begin: 7 begin, 10 index, 13 weight, which
// are the bits of doubles.

TSC_FN Real weight_at(const int64_t* table, int64_t k) { return Real(bit_cast<double>(table[k])); }

// Element i of the output. Memory: it, the input, the tables.
TSC_FN void resize(const Arguments& a, Index i) {
  const int64_t* const table = memory<int64_t>(a, 2);
  const Index inner = whole(a, 0);
  Index outer = i / inner;
  const Index lane = i - outer * inner;
  const int64_t* index[3];
  const int64_t* weight[3];
  int begin[3];
  int end[3];
  for (int dim = 2; dim >= 0; dim--) {
    const Index size = whole(a, 1 + dim);
    const Index rest = outer / size;
    const int64_t* const begins = table + a.integer[7 + dim] + (outer - rest * size);
    begin[dim] = static_cast<int>(begins[0]);
    end[dim] = static_cast<int>(begins[1]);
    index[dim] = table + a.integer[10 + dim];
    weight[dim] = table + a.integer[13 + dim];
    outer = rest;
  }
  Real sum = Real(0);
  for (int z = begin[0]; z < end[0]; z++) {
    const Index plane = outer * whole(a, 4) + static_cast<Index>(index[0][z]);
    Real of_plane = Real(0);
    for (int y = begin[1]; y < end[1]; y++) {
      const Index row = plane * whole(a, 5) + static_cast<Index>(index[1][y]);
      Real of_row = Real(0);
      for (int x = begin[2]; x < end[2]; x++) {
        const Index at = (row * whole(a, 6) + static_cast<Index>(index[2][x])) * inner + lane;
        of_row += convert<Real>(memory<T1>(a, 1)[at]) * weight_at(weight[2], x);
      }
      of_plane += of_row * weight_at(weight[1], y);
    }
    sum += of_plane * weight_at(weight[0], z);
  }
  memory<T0>(a, 0)[i] = convert<T0>(sum);
}
// Of elements that are copies: each axis has one input, whose number is the table's.
TSC_FN void resize_by_copies(const Arguments& a, Index i) {
  const int64_t* const table = memory<int64_t>(a, 2);
  const Index inner = whole(a, 0);
  Index outer = i / inner;
  const Index lane = i - outer * inner;
  Index from = 0;
  Index apart = 1;
  for (int dim = 2; dim >= 0; dim--) {
    const Index size = whole(a, 1 + dim);
    const Index rest = outer / size;
    from += static_cast<Index>(table[a.integer[10 + dim] + (outer - rest * size)]) * apart;
    apart *= whole(a, 4 + dim);
    outer = rest;
  }
  memory<T0>(a, 0)[i] = memory<T0>(a, 1)[(outer * apart + from) * inner + lane];
}
