// Pooling. Integers: 0 whether channels are the last dimension, 1 the number of channels; then three each,
// of depth, height and width: 2 the sizes of the volume, 5 the numbers of windows, 8 the sizes of a window
// (0: adaptive windows, which together have all elements), 11 strides, 14 padding, 17 dilation; 20 what an
// average is divided by (0: a window's elements that exist, 1: those and its padding, 2: number 21).

// Where the elements of one channel lie, and which one is meant.
struct Spot {
  Index base;   // of the channel in memory of `size` elements a channel
  Index apart;  // from one element to the next
  Index at;     // the element's number in the channel
};
TSC_FN Index volume_of(const Arguments& a, int first) {
  return whole(a, first) * whole(a, first + 1) * whole(a, first + 2);
}
// Of element i in memory of `own` elements a channel, its channel in memory of `other`.
TSC_FN Spot find(const Arguments& a, Index i, Index own, Index other) {
  if (a.integer[0] == 0) {
    const Index plane = i / own;
    return {plane * other, 1, i - plane * own};
  }
  const Index channels = whole(a, 1);
  const Index place = i / channels;
  const Index image = place / own;
  return {image * other * channels + (i - place * channels), channels, place - image * own};
}

// The elements of a window along one dimension: `begin`, and those `step` behind it, before `end`.
struct Window {
  Index begin;
  Index end;
  Index step;
  Index divisor;
};
TSC_FN Window window(const Arguments& a, int dim, Index number) {
  const Index size = whole(a, 2 + dim);
  const Index kernel = whole(a, 8 + dim);
  if (kernel == 0) {
    const int64_t windows = a.integer[5 + dim];
    const Index begin = static_cast<Index>(static_cast<int64_t>(number) * size / windows);
    const Index end =
        static_cast<Index>(((static_cast<int64_t>(number) + 1) * size + windows - 1) / windows);
    return {begin, end, 1, end - begin};
  }
  const Index padding = whole(a, 14 + dim);
  const Index step = whole(a, 17 + dim);
  const Index first = number * whole(a, 11 + dim) - padding;
  const Index last = first + (kernel - 1) * step + 1;
  const Index begin = first < 0 ? first + quotient_up(-first, step) * step : first;
  const Index end = least(last, size);
  return {begin, end, step, a.integer[20] == 1 ? least(last, size + padding) - first : end - begin};
}
// The windows that have element x, of those without dilation.
TSC_FN void windows_with(const Arguments& a, int dim, Index x, Index& begin, Index& end) {
  const Index size = whole(a, 2 + dim);
  const Index windows = whole(a, 5 + dim);
  const Index kernel = whole(a, 8 + dim);
  if (kernel == 0) {
    begin = static_cast<Index>(static_cast<int64_t>(x) * windows / size);
    end = static_cast<Index>(((static_cast<int64_t>(x) + 1) * windows + size - 1) / size);
    return;
  }
  const Index stride = whole(a, 11 + dim);
  const Index at = x + whole(a, 14 + dim);
  begin = at < kernel ? Index(0) : (at - kernel) / stride + 1;
  end = least(at / stride + 1, windows);
}
TSC_FN void split(const Arguments& a, int first, Index at, Index (&places)[3]) {
  const Index width = whole(a, first + 2);
  const Index height = whole(a, first + 1);
  const Index row = at / width;
  places[2] = at - row * width;
  places[0] = row / height;
  places[1] = row - places[0] * height;
}

TSC_FN void write_largest(const Arguments& a, Index i, const Spot& spot, const Window (&of)[3]) {
  const T2* const in = memory<T2>(a, 2);
  const Index height = whole(a, 3);
  const Index width = whole(a, 4);
  Index found = (of[0].begin * height + of[1].begin) * width + of[2].begin;
  Real largest = convert<Real>(in[spot.base + found * spot.apart]);
  for (Index z = of[0].begin; z < of[0].end; z += of[0].step) {
    for (Index y = of[1].begin; y < of[1].end; y += of[1].step) {
      for (Index x = of[2].begin; x < of[2].end; x += of[2].step) {
        const Index at = (z * height + y) * width + x;
        const Real value = convert<Real>(in[spot.base + at * spot.apart]);
        if (value > largest || is_nan(value)) {
          largest = value;
          found = at;
        }
      }
    }
  }
  memory<T0>(a, 0)[i] = convert<T0>(largest);
  memory<T1>(a, 1)[i] = static_cast<T1>(found);
}

// The largest element of a window, and its place in the volume. Memory: both, the input.
TSC_FN void max_pool(const Arguments& a, Index i) {
  const Spot spot = find(a, i, volume_of(a, 5), volume_of(a, 2));
  Index number[3];
  split(a, 5, spot.at, number);
  const Window of[3] = {window(a, 0, number[0]), window(a, 1, number[1]), window(a, 2, number[2])};
  write_largest(a, i, spot, of);
}

// Where fractional window `number` starts: every step is rounded to the sample's dtype.
TSC_FN Window random_window(const Arguments& a, int dim, T3 sample, Index number) {
  const auto rounded = [](Real x) { return convert<Real>(convert<T3>(x)); };
  const Index windows = whole(a, 5 + dim);
  const Index kernel = whole(a, 8 + dim);
  const Index last = whole(a, 2 + dim) - kernel;
  Index begin = last;
  if (number < windows - 1) {
    const Real start = convert<Real>(sample);
    const Real step = rounded(rounded(Real(last)) / rounded(Real(windows - 1)));
    const Real at = rounded(rounded(rounded(Real(number)) + start) * step);
    begin = static_cast<Index>(at) - static_cast<Index>(rounded(start * step));
    begin = begin < 0 ? Index(0) : least(begin, last);
  }
  return {begin, begin + kernel, 1, kernel};
}
// Memory: as max_pool, and the samples. Integer 22: the number of dimensions.
TSC_FN void fractional_max_pool(const Arguments& a, Index i) {
  const Index own = volume_of(a, 5);
  const Spot spot = find(a, i, own, volume_of(a, 2));
  const int dims = static_cast<int>(a.integer[22]);
  const T3* const samples = memory<T3>(a, 3) + i / own * dims;
  Index number[3];
  split(a, 5, spot.at, number);
  Window of[3] = {{0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}};
  // In two dimensions the first sample is the width's.
  for (int dim = 3 - dims; dim < 3; dim++) {
    of[dim] = random_window(a, dim, samples[dims == 3 ? dim : 2 - dim], number[dim]);
  }
  write_largest(a, i, spot, of);
}

// Memory: averages, the input.
TSC_FN void average_pool(const Arguments& a, Index i) {
  const T1* const in = memory<T1>(a, 1);
  const Spot spot = find(a, i, volume_of(a, 5), volume_of(a, 2));
  Index number[3];
  split(a, 5, spot.at, number);
  const Window of[3] = {window(a, 0, number[0]), window(a, 1, number[1]), window(a, 2, number[2])};
  Real sum = Real(0);
  for (Index z = of[0].begin; z < of[0].end; z++) {
    for (Index y = of[1].begin; y < of[1].end; y++) {
      for (Index x = of[2].begin; x < of[2].end; x++) {
        const Index at = (z * whole(a, 3) + y) * whole(a, 4) + x;
        sum += convert<Real>(in[spot.base + at * spot.apart]);
      }
    }
  }
  const int64_t divisor =
      a.integer[20] == 2 ? a.integer[21]
                         : static_cast<int64_t>(of[0].divisor) * of[1].divisor * of[2].divisor;
  memory<T0>(a, 0)[i] = convert<T0>(Real(sum / Real(divisor)));
}
// The gradient of element i. Memory: it, the averages' gradients.
TSC_FN void average_pool_backward(const Arguments& a, Index i) {
  const T1* const gradient = memory<T1>(a, 1);
  const Spot spot = find(a, i, volume_of(a, 2), volume_of(a, 5));
  Index place[3];
  Index begin[3];
  Index end[3];
  split(a, 2, spot.at, place);
  for (int dim = 0; dim < 3; dim++) windows_with(a, dim, place[dim], begin[dim], end[dim]);
  Real sum = Real(0);
  for (Index z = begin[0]; z < end[0]; z++) {
    const int64_t depth = window(a, 0, z).divisor;
    for (Index y = begin[1]; y < end[1]; y++) {
      const int64_t area = depth * window(a, 1, y).divisor;
      for (Index x = begin[2]; x < end[2]; x++) {
        const int64_t divisor = a.integer[20] == 2 ? a.integer[21] : area * window(a, 2, x).divisor;
        const Index at = (z * whole(a, 6) + y) * whole(a, 7) + x;
        sum += convert<Real>(gradient[spot.base + at * spot.apart]) / Real(divisor);
      }
    }
  }
  memory<T0>(a, 0)[i] = convert<T0>(sum);
}

// Element i is added at its place. Memory: sums, elements, places. Only the numbers of windows and of the
// volume's elements are read.
TSC_FN void add_to_places(const Arguments& a, Index i) {
  const Index volume = volume_of(a, 2);
  const Spot spot = find(a, i, volume_of(a, 5), volume);
  const int64_t place = memory<int64_t>(a, 2)[i];
  if (place < 0 || place >= volume) return;
  add_at(memory<T0>(a, 0) + spot.base + static_cast<Index>(place) * spot.apart,
         convert<T0>(memory<T1>(a, 1)[i]));
}
// Element i is written to its place.
TSC_FN void move_to_places(const Arguments& a, Index i) {
  const Index volume = volume_of(a, 2);
  const Spot spot = find(a, i, volume_of(a, 5), volume);
  const int64_t place = memory<int64_t>(a, 2)[i];
  if (is_out_of_range(a, place, 0, volume)) return;
  memory<T0>(a, 0)[spot.base + static_cast<Index>(place) * spot.apart] = convert<T0>(memory<T1>(a, 1)[i]);
}
