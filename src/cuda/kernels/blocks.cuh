// Blocks that slide over an image, as columns of a matrix. Integers, two each, of height and width: 0 the
// sizes of a block, 2 from one of its elements to the next, 4 padding, 6 from one block to the next, 8 the
// sizes of the image, 10 the numbers of blocks.

// Element i of the matrix. Memory: it, the image.
TSC_FN void image_to_columns(const Arguments& a, Index i) {
  const Index blocks = whole(a, 10) * whole(a, 11);
  const Index line = i / blocks;
  const Index block = i - line * blocks;
  const Index elements = whole(a, 0) * whole(a, 1);
  const Index plane = line / elements;
  const Index element = line - plane * elements;
  const Index y = block / whole(a, 11) * whole(a, 6) - whole(a, 4) + element / whole(a, 1) * whole(a, 2);
  const Index x = block % whole(a, 11) * whole(a, 7) - whole(a, 5) + element % whole(a, 1) * whole(a, 3);
  const bool is_inside = y >= 0 && y < whole(a, 8) && x >= 0 && x < whole(a, 9);
  memory<T0>(a, 0)[i] =
      is_inside ? memory<T0>(a, 1)[(plane * whole(a, 8) + y) * whole(a, 9) + x] : convert<T0>(Real(0));
}

// The block whose element `element` is at `at` of one dimension; -1 where there is none.
TSC_FN Index block_at(const Arguments& a, int dim, Index at, Index element) {
  const Index start = at + whole(a, 4 + dim) - element * whole(a, 2 + dim);
  const Index stride = whole(a, 6 + dim);
  const Index block = start / stride;
  return start >= 0 && block * stride == start && block < whole(a, 10 + dim) ? block : Index(-1);
}
// Element i of the image that the blocks add up to. Memory: it, the matrix.
TSC_FN void columns_to_image(const Arguments& a, Index i) {
  const Index line = i / whole(a, 9);
  const Index x = i - line * whole(a, 9);
  const Index plane = line / whole(a, 8);
  const Index y = line - plane * whole(a, 8);
  const Index blocks = whole(a, 10) * whole(a, 11);
  Real sum = Real(0);
  for (Index j = 0; j < whole(a, 0); j++) {
    const Index row = block_at(a, 0, y, j);
    for (Index k = 0; row >= 0 && k < whole(a, 1); k++) {
      const Index column = block_at(a, 1, x, k);
      if (column < 0) continue;
      const Index at = ((plane * whole(a, 0) + j) * whole(a, 1) + k) * blocks + row * whole(a, 11) + column;
      sum = Real(sum + convert<Real>(memory<T0>(a, 1)[at]));
    }
  }
  memory<T0>(a, 0)[i] = convert<T0>(sum);
}
