#include "cuda/stream.h"

#include <array>
#include <atomic>
#include <mutex>

#include "cuda/device.h"

namespace tsc::cuda {

namespace {

constexpr size_t kPoolSize = 32;

struct Pool {
  std::array<StreamHandle, kPoolSize> streams{};
  std::once_flag once;
  std::atomic<size_t> next{0};
};

thread_local std::array<Stream, kMaxDevices> current_streams;

Pool& pool_of(int device, bool is_high) {
  static std::array<std::array<Pool, 2>, kMaxDevices> pools;
  Pool& pool = pools[static_cast<size_t>(device)][is_high ? 1 : 0];
  std::call_once(pool.once, [&] {
    const CudaGuard guard(device);
    enter_device();
    for (StreamHandle& stream : pool.streams) {
      TSC_CUDA_CHECK(create_stream(&stream, kStreamNonBlocking, is_high ? -1 : 0));
    }
  });
  return pool;
}

}  // namespace

const Stream& current_stream(int device) {
  const int index = device < 0 ? current_device() : device;
  Stream& stream = current_streams[static_cast<size_t>(index)];
  stream.device = index;
  return stream;
}
void set_current_stream(const Stream& stream) {
  current_streams[static_cast<size_t>(stream.device)] = stream;
}
Stream default_stream(int device) { return {device < 0 ? current_device() : device, 0, nullptr}; }

Stream next_stream(int device, int priority) {
  const int index = device < 0 ? current_device() : device;
  const bool is_high = priority < 0;
  Pool& pool = pool_of(index, is_high);
  const size_t at = pool.next.fetch_add(1) % kPoolSize;
  return {index, static_cast<int64_t>(at + 1 + (is_high ? kPoolSize : 0)), pool.streams[at]};
}

void synchronize_stream(const Stream& stream) {
  const CudaGuard guard(stream.device);
  enter_device();
  TSC_CUDA_CHECK(synchronize_stream(stream.handle));
}
bool query_stream(const Stream& stream) {
  const CudaGuard guard(stream.device);
  enter_device();
  const Result result = driver().query_stream(stream.handle);
  if (result != kNotReady) {
    check(result, "query_stream");
  }
  return result == kSuccess;
}

}  // namespace tsc::cuda
