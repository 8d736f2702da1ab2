// The input's values at points whose coordinates go from -1 to 1. Integers: 0 the number of dimensions, 1
// that of channels, 2 depth, height and width, 5 the points of an example, 6 the interpolation (0 linear,
// 1 nearest, 2 cubic), 7 the padding (0 zeros, 1 the border, 2 reflection), 8 whether -1 and 1 are the
// centres of the outer elements.

// A coordinate in elements, and its derivative by the grid's.
struct Coordinate {
  Real value;
  Real slope;
};
TSC_FN Coordinate in_elements(const Arguments& a, Real given, Real size) {
  const Real slope = (a.integer[8] != 0 ? size - 1 : size) / 2;
  return {a.integer[8] != 0 ? (given + 1) * slope : mul_add(Real(given + 1), slope, Real(-0.5)), slope};
}
TSC_FN void reflect(Coordinate& at, Real low, Real span) {
  if (!(span > 0)) {
    at = {0, 0};
    return;
  }
  const Real inside = at.value - low;
  const Real distance = abs(inside);
  const Real rest = ::fmod(distance, span);
  const bool is_turned = ::fmod(::floor(distance / span), Real(2)) != 0;
  at.value = is_turned ? span - rest + low : rest + low;
  if ((inside < 0) != is_turned) at.slope = -at.slope;
}
TSC_FN void pad(const Arguments& a, Coordinate& at, Real size) {
  if (a.integer[7] == 2) {
    const bool is_centre = a.integer[8] != 0;
    reflect(at, is_centre ? Real(0) : Real(-0.5), is_centre ? size - 1 : size);
  }
  if (a.integer[7] == 0) return;
  if (!(at.value > 0)) {
    at = {0, 0};
  } else if (at.value >= size - 1) {
    at = {size - 1, 0};
  }
}

// The places of a point along one dimension: elements, or -1, with weights and their derivatives.
struct Places {
  int count;
  Index element[4];
  Real weight[4];
  Real slope[4];

  TSC_FN void add(Real at, Real size, Real by, Real by_slope) {
    element[count] = at >= 0 && at < size ? static_cast<Index>(at) : Index(-1);
    weight[count] = by;
    slope[count] = by_slope;
    count++;
  }
  TSC_FN void find(const Arguments& a, Real given, int dim) {
    const Real size = Real(whole(a, 2 + dim));
    count = 0;
    Coordinate at = in_elements(a, given, size);
    if (a.integer[6] == 2) {
      add_cubic(a, at, size);
      return;
    }
    pad(a, at, size);
    if (a.integer[6] == 1) {
      add(::rint(at.value), size, Real(1), Real(0));
      return;
    }
    const Real first = ::floor(at.value);
    const Real rest = at.value - first;
    add(first, size, 1 - rest, -at.slope);
    add(first + 1, size, rest, at.slope);
  }
  // R. Keys's kernel with slope -3/4; padding moves the places, and not the point.
  TSC_FN void add_cubic(const Arguments& a, const Coordinate& at, Real size) {
    const Real c = Real(-0.75);
    const Real first = ::floor(at.value);
    for (int k = -1; k <= 2; k++) {
      const Real x = at.value - first - Real(k);
      const Real d = abs(x);
      const bool is_near = k == 0 || k == 1;
      const Real value =
          is_near ? ((c + 2) * d - (c + 3)) * d * d + 1 : ((c * d - 5 * c) * d + 8 * c) * d - 4 * c;
      const Real change =
          is_near ? (3 * (c + 2) * d - 2 * (c + 3)) * d : (3 * c * d - 10 * c) * d + 8 * c;
      Coordinate place = {first + Real(k), 1};
      pad(a, place, size);
      add(::rint(place.value), size, value, (x < 0 ? -change : change) * at.slope);
    }
  }
};
// Of depth, height and width; an image has one plane. The grid's coordinates begin with the width's.
template <class T>
TSC_FN void find(const Arguments& a, const T* grid, Places (&places)[3]) {
  const int dims = static_cast<int>(a.integer[0]);
  places[0].count = 0;
  if (dims == 2) places[0].add(Real(0), Real(1), Real(1), Real(0));
  for (int dim = 3 - dims; dim < 3; dim++) places[dim].find(a, convert<Real>(grid[2 - dim]), dim);
}
// The number of the combination's element; -1 where one of its places is outside.
TSC_FN Index element_of(const Arguments& a, const Places (&places)[3], int z, int y, int x) {
  const Index depth = places[0].element[z];
  const Index height = places[1].element[y];
  const Index width = places[2].element[x];
  if (depth < 0 || height < 0 || width < 0) return -1;
  return (depth * whole(a, 3) + height) * whole(a, 4) + width;
}

// All channels of point i. Memory: the values, the input, the grid.
TSC_FN void grid_sample(const Arguments& a, Index i) {
  const Index channels = whole(a, 1);
  const Index points = whole(a, 5);
  const Index elements = whole(a, 2) * whole(a, 3) * whole(a, 4);
  const Index example = i / points;
  Places places[3];
  find(a, memory<T2>(a, 2) + i * whole(a, 0), places);
  const T1* in = memory<T1>(a, 1) + example * channels * elements;
  T0* out = memory<T0>(a, 0) + example * channels * points + (i - example * points);
  for (Index c = 0; c < channels; c++, in += elements, out += points) {
    Real sum = Real(0);
    for (int z = 0; z < places[0].count; z++) {
      for (int y = 0; y < places[1].count; y++) {
        for (int x = 0; x < places[2].count; x++) {
          const Index at = element_of(a, places, z, y, x);
          if (at < 0) continue;
          const Real weight = places[0].weight[z] * places[1].weight[y] * places[2].weight[x];
          sum += convert<Real>(in[at]) * weight;
        }
      }
    }
    *out = convert<T0>(sum);
  }
}
// Memory: the gradients of the input, which are added to, and of the grid, either may be missing; the
// arriving ones, the input, the grid.
TSC_FN void grid_sample_backward(const Arguments& a, Index i) {
  const Index channels = whole(a, 1);
  const Index points = whole(a, 5);
  const Index elements = whole(a, 2) * whole(a, 3) * whole(a, 4);
  const Index example = i / points;
  Places places[3];
  find(a, memory<T4>(a, 4) + i * whole(a, 0), places);
  const T2* const gradient = memory<T2>(a, 2) + example * channels * points + (i - example * points);
  const Index base = example * channels * elements;
  Real sums[3] = {Real(0), Real(0), Real(0)};
  for (int z = 0; z < places[0].count; z++) {
    for (int y = 0; y < places[1].count; y++) {
      for (int x = 0; x < places[2].count; x++) {
        const Index at = element_of(a, places, z, y, x);
        if (at < 0) continue;
        const Real weight = places[0].weight[z] * places[1].weight[y] * places[2].weight[x];
        Real product = Real(0);
        for (Index c = 0; c < channels; c++) {
          const Real arriving = convert<Real>(gradient[c * points]);
          product += arriving * convert<Real>(memory<T3>(a, 3)[base + c * elements + at]);
          if (a.data[0] != nullptr) {
            add_at(memory<T0>(a, 0) + base + c * elements + at, convert<T0>(arriving * weight));
          }
        }
        sums[0] += product * places[0].weight[z] * places[1].weight[y] * places[2].slope[x];
        sums[1] += product * places[0].weight[z] * places[1].slope[y] * places[2].weight[x];
        sums[2] += product * places[0].slope[z] * places[1].weight[y] * places[2].weight[x];
      }
    }
  }
  if (a.data[1] == nullptr) return;
  for (Index dim = 0; dim < whole(a, 0); dim++) {
    memory<T1>(a, 1)[i * whole(a, 0) + dim] = convert<T1>(sums[dim]);
  }
}
