
// Each thread has kWidth neighbours, which run_vector loads and stores at once; the last thread of all may
// have fewer.
extern "C" __global__ void __launch_bounds__(kBlock) elementwise_kernel(Arguments arguments) {
  const uint32_t first = (blockIdx.x * kBlock + threadIdx.x) * kWidth;
  if (first + kWidth <= arguments.count) {
    run_vector(arguments, first);
  } else {
    for (uint32_t i = first; i < arguments.count; i++) run_one(arguments, i);
  }
}
