// The coordinates of true elements: running[i] of them stand up to element i. Before this stand kDims and
// kBlock.

struct Arguments {
  const bool* flags;
  const int64_t* running;
  int64_t* columns;  // kDims columns of `found` places
  int64_t count;
  int64_t found;
  int64_t sizes[kDims];  // the last dimension first
};

extern "C" __global__ void __launch_bounds__(kBlock) coordinates_kernel(Arguments arguments) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= arguments.count || !arguments.flags[i]) return;
  const int64_t place = arguments.running[i] - 1;
  int64_t rest = i;
#pragma unroll
  for (int dim = 0; dim < kDims; dim++) {
    arguments.columns[(kDims - 1 - dim) * arguments.found + place] = rest % arguments.sizes[dim];
    rest /= arguments.sizes[dim];
  }
}
