// Lines in order, by K. E. Batcher's bitonic network (Sorting networks and their applications, 1968) over
// pairs of an element and its place: equal elements keep their order, since their places differ. A line is
// padded to kTile, or a power of two beyond it, with pairs that stand behind all others. Before this stand
// Stored, the elements' type; T, the one to compare in; kPass; kTile, twice the threads of a block.

enum Pass : int {
  kSortTiles,    // loads a tile of a line, and puts it in order
  kMergeApart,   // one step of pairs that are further apart than a tile
  kMergeTiles,   // all steps that are left within tiles
  kStore,        // writes the results
};
constexpr int64_t kNowhere = 0x7fffffffffffffff;

struct Arguments {
  const Stored* in;
  Stored* values;
  int64_t* indices;
  Stored* keys;     // lines of `padded` pairs
  int64_t* places;
  int64_t lines;
  int64_t size;
  int64_t inner;
  int64_t padded;
  int64_t run;      // the length of the runs that a pass makes
  int64_t step;
  int descending;
};

struct Pair {
  T key;
  int64_t place;
};

// NaN is larger than every number.
TSC_FN bool is_before(const Pair& a, const Pair& b, bool descending) {
  if (a.place == kNowhere || b.place == kNowhere) return a.place < b.place;
  const bool nan_a = is_nan(a.key);
  const bool nan_b = is_nan(b.key);
  if (nan_a != nan_b) return descending ? nan_a : nan_b;
  if (!nan_a && a.key != b.key) return descending ? a.key > b.key : a.key < b.key;
  return a.place < b.place;
}

__shared__ Pair tile[kTile];

// Compares elements `step` apart of a run; `first` is the number in the line of the tile's beginning.
TSC_FN void exchange(int64_t first, int64_t run, int step, bool descending) {
  const int thread = threadIdx.x;
  const int low = 2 * thread - (thread & (step - 1));
  const int high = low + step;
  const bool forwards = ((first + low) & run) == 0;
  const Pair a = tile[low];
  const Pair b = tile[high];
  if (is_before(b, a, descending) == forwards) {
    tile[low] = b;
    tile[high] = a;
  }
}

extern "C" __global__ void __launch_bounds__(kTile / 2) sort_kernel(Arguments arguments) {
  const bool descending = arguments.descending != 0;
  if constexpr (kPass == kSortTiles || kPass == kMergeTiles) {
    const int64_t begin = static_cast<int64_t>(blockIdx.x) * kTile;
    const int64_t line = begin / arguments.padded;
    const int64_t first = begin - line * arguments.padded;
    const int64_t outer = line / arguments.inner;
    const int64_t source = outer * arguments.size * arguments.inner + (line - outer * arguments.inner);
    for (int k = threadIdx.x; k < kTile; k += kTile / 2) {
      if constexpr (kPass == kSortTiles) {
        const int64_t i = first + k;
        tile[k].place = i < arguments.size ? i : kNowhere;
        tile[k].key = i < arguments.size ? convert<T>(arguments.in[source + i * arguments.inner]) : T(0);
      } else {
        tile[k].key = convert<T>(arguments.keys[begin + k]);
        tile[k].place = arguments.places[begin + k];
      }
    }
    __syncthreads();
    if constexpr (kPass == kSortTiles) {
      for (int run = 2; run <= kTile; run *= 2) {
        for (int step = run / 2; step > 0; step /= 2) {
          exchange(first, run, step, descending);
          __syncthreads();
        }
      }
    } else {
      for (int step = kTile / 2; step > 0; step /= 2) {
        exchange(first, arguments.run, step, descending);
        __syncthreads();
      }
    }
    for (int k = threadIdx.x; k < kTile; k += kTile / 2) {
      arguments.keys[begin + k] = convert<Stored>(tile[k].key);
      arguments.places[begin + k] = tile[k].place;
    }
  } else if constexpr (kPass == kMergeApart) {
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * (kTile / 2) + threadIdx.x;
    if (thread >= arguments.lines * arguments.padded / 2) return;
    const int64_t low = 2 * thread - (thread & (arguments.step - 1));
    const int64_t high = low + arguments.step;
    const bool forwards = (low % arguments.padded & arguments.run) == 0;
    const Pair a = {convert<T>(arguments.keys[low]), arguments.places[low]};
    const Pair b = {convert<T>(arguments.keys[high]), arguments.places[high]};
    if (is_before(b, a, descending) == forwards) {
      arguments.keys[low] = convert<Stored>(b.key);
      arguments.places[low] = b.place;
      arguments.keys[high] = convert<Stored>(a.key);
      arguments.places[high] = a.place;
    }
  } else {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * (kTile / 2) + threadIdx.x;
    if (i >= arguments.lines * arguments.size) return;
    const int64_t line = i / arguments.size;
    const int64_t at = i - line * arguments.size;
    const int64_t outer = line / arguments.inner;
    const int64_t to =
        outer * arguments.size * arguments.inner + at * arguments.inner + (line - outer * arguments.inner);
    arguments.values[to] = arguments.keys[line * arguments.padded + at];
    arguments.indices[to] = arguments.places[line * arguments.padded + at];
  }
}
