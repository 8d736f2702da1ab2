
// Each thread has kWidth elements, kBlock apart, so that neighbours are read by neighbours.
extern "C" __global__ void __launch_bounds__(kBlock) elementwise_kernel(Arguments arguments) {
  const uint32_t first = blockIdx.x * (kBlock * kWidth) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < kWidth; j++) {
    const uint32_t i = first + j * kBlock;
    if (i < arguments.count) run_one(arguments, i);
  }
}
