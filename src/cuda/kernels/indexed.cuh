// Moves between a tensor and the places of another one that index tensors choose (gather, scatter, index,
// index_put). Before this stand: Element, the elements' type; T, the one that they are added in; kAction;
// kDims, the dimensions of the values; kIndices, how many index tensors there are; kBlock.

enum Action : int { kGet, kPut, kAdd, kMultiply, kMaximum, kMinimum };

struct Index {
  const int64_t* data;
  int64_t size;    // of the dimension that it is for
  int64_t stride;  // of that dimension, in elements
  int64_t dim;     // its number, for messages
};
struct Arguments {
  Element* values;
  Element* indexed;
  int64_t count;
  int64_t* error;  // {1, index, dim, size} of an index that is out of range
  int wraps;       // negative indices count from the end
  Index index[kIndices];
  int64_t sizes[kDims];
  // Elements: of the values, of the tensor, and of each index.
  int64_t strides[kDims][2 + kIndices];
};

// Where an atomic instruction has no such operation, the element's word is exchanged until it is the one
// that was read. Smaller elements than a word lie in one with their neighbours.
template <class Word>
TSC_FN Word exchange(Word* at, Word expected, Word desired) {
  return atomicCAS(at, expected, desired);
}
TSC_FN Element combined(Element old, Element value) {
  const T a = convert<T>(old);
  const T b = convert<T>(value);
  if constexpr (kAction == kAdd) return convert<Element>(T(a + b));
  if constexpr (kAction == kMultiply) return convert<Element>(T(a * b));
  if constexpr (kAction == kMaximum) return convert<Element>(ufunc::maximum(a, b));
  return convert<Element>(ufunc::minimum(a, b));
}
TSC_FN void combine(Element* at, Element value) {
  if constexpr (sizeof(Element) == 8) {
    auto* const word = reinterpret_cast<unsigned long long*>(at);
    unsigned long long seen = *word;
    for (;;) {
      const unsigned long long next = bit_cast<unsigned long long>(combined(bit_cast<Element>(seen), value));
      const unsigned long long found = exchange(word, seen, next);
      if (found == seen) return;
      seen = found;
    }
  } else if constexpr (sizeof(Element) < 8) {
    const uint64_t address = reinterpret_cast<uint64_t>(at);
    auto* const word = reinterpret_cast<unsigned*>(address & ~uint64_t(3));
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    constexpr unsigned kMask = sizeof(Element) == 4 ? ~0u : (1u << (8 * sizeof(Element) % 32)) - 1;
    using Bits = typename Conditional<sizeof(Element) == 1, uint8_t,
                                      typename Conditional<sizeof(Element) == 2, uint16_t, uint32_t>::Type>::Type;
    unsigned seen = *word;
    for (;;) {
      const Element old = bit_cast<Element>(static_cast<Bits>(seen >> shift & kMask));
      const unsigned bits = bit_cast<Bits>(combined(old, value));
      const unsigned found = exchange(word, seen, (seen & ~(kMask << shift)) | bits << shift);
      if (found == seen) return;
      seen = found;
    }
  } else {
    // The parts of complex128 are added one by one; there is no other action for it.
    auto* const parts = reinterpret_cast<double*>(at);
    atomicAdd(parts, reinterpret_cast<const double*>(&value)[0]);
    atomicAdd(parts + 1, reinterpret_cast<const double*>(&value)[1]);
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) indexed_kernel(Arguments arguments) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= arguments.count) return;
  int64_t offset[2 + kIndices] = {};
  int64_t rest = i;
#pragma unroll
  for (int dim = 0; dim < kDims; dim++) {
    const int64_t at = rest % arguments.sizes[dim];
    rest /= arguments.sizes[dim];
#pragma unroll
    for (int k = 0; k < 2 + kIndices; k++) offset[k] += at * arguments.strides[dim][k];
  }
#pragma unroll
  for (int k = 0; k < kIndices; k++) {
    const Index& index = arguments.index[k];
    int64_t place = index.data[offset[2 + k]];
    if (place < 0 && arguments.wraps != 0) place += index.size;
    if (place < 0 || place >= index.size) {
      arguments.error[1] = index.data[offset[2 + k]];
      arguments.error[2] = index.dim;
      arguments.error[3] = index.size;
      arguments.error[0] = 1;
      return;
    }
    offset[1] += place * index.stride;
  }
  Element* const value = arguments.values + offset[0];
  Element* const element = arguments.indexed + offset[1];
  if constexpr (kAction == kGet) {
    *value = *element;
  } else if constexpr (kAction == kPut) {
    *element = *value;
  } else {
    combine(element, *value);
  }
}
