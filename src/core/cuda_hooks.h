// What the language asks of CUDA beside operators. The backend registers an object when the program
// starts, which opens nothing before one of its functions is called; without the backend there is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array_ref.h"
#include "core/scalar.h"
#include "core/tensor.h"

namespace tsc {

struct CudaDeviceProperties {
  std::string name;
  int major = 0;  // compute capability
  int minor = 0;
  int64_t total_memory = 0;  // bytes
  int multi_processor_count = 0;
  int warp_size = 0;
  int max_threads_per_multi_processor = 0;
  int max_threads_per_block = 0;
  int regs_per_multiprocessor = 0;
  int64_t shared_memory_per_block = 0;           // bytes
  int64_t shared_memory_per_multiprocessor = 0;  // bytes
  int64_t l2_cache_size = 0;                     // bytes
  bool is_integrated = false;
  int pci_domain_id = 0;
  int pci_bus_id = 0;
  int pci_device_id = 0;
};

// 0 is the default stream of a device.
struct CudaStream {
  int device = 0;
  int64_t id = 0;
  uint64_t handle = 0;

  friend bool operator==(const CudaStream& a, const CudaStream& b) {
    return a.device == b.device && a.id == b.id;
  }
};

// A point in a stream, once it is recorded.
class CudaEvent {
 public:
  virtual ~CudaEvent() = default;
  virtual void record(const CudaStream& stream) = 0;
  virtual void wait(const CudaStream& stream) = 0;
  virtual bool query() = 0;
  virtual void synchronize() = 0;
  virtual double elapsed_ms(CudaEvent& end) = 0;
};

// A formula that was written in a script (torch.cuda.jiterator).
struct JiteratorFunction {
  std::string code;  // template <typename T> T name(T x, ...) { ... }
  std::string name;
  // Numbers by keyword, with their defaults.
  std::vector<std::pair<std::string, Scalar>> numbers;
  int outputs = 1;
  bool returns_by_reference = false;
};

class TSC_API CudaHooks {
 public:
  virtual ~CudaHooks() = default;

  // 0 where there is no driver or no device; never throws. The others throw PyTorch's RuntimeError then.
  virtual int device_count() = 0;
  virtual int current_device() = 0;
  virtual void set_device(int index) = 0;
  virtual void synchronize(int index) = 0;
  virtual CudaDeviceProperties properties(int index) = 0;

  // Of the generator of a device, or of all (-1); opens nothing.
  virtual void manual_seed(int device, uint64_t seed) = 0;
  virtual uint64_t initial_seed(int device) = 0;

  // Names as in PyTorch: allocated_bytes.all.current, ...
  virtual std::vector<std::pair<std::string, int64_t>> memory_stats(int index) = 0;
  virtual void reset_peak_memory_stats(int index) = 0;
  virtual void empty_cache() = 0;
  virtual std::pair<int64_t, int64_t> memory_info(int index) = 0;  // free, total

  virtual CudaStream current_stream(int device) = 0;
  virtual CudaStream default_stream(int device) = 0;
  virtual CudaStream new_stream(int device, int priority) = 0;
  virtual void set_stream(const CudaStream& stream) = 0;
  virtual void synchronize_stream(const CudaStream& stream) = 0;
  virtual bool query_stream(const CudaStream& stream) = 0;
  virtual CudaEvent* new_event(bool timed) = 0;

  // Page-locked memory of the host (cuda/pinned_memory.h).
  virtual void* allocate_pinned(size_t bytes) = 0;
  virtual void free_pinned(void* memory) = 0;
  virtual bool is_pinned(const void* address) = 0;

  // Several lines for people: driver, NVRTC, devices, the cache of kernels.
  virtual std::string info() = 0;
  // A table of the kernels so far.
  virtual std::string kernels() = 0;
  // The source of one; RuntimeError where there is none of that name.
  virtual std::string kernel_source(std::string_view name) = 0;
  virtual void clear_kernels() = 0;

  // Runs a script's formula on tensors of one device, which broadcast; on CUDA tensors and on the CPU's.
  virtual std::vector<Tensor> run_jiterator(const JiteratorFunction& function,
                                            ArrayRef<Tensor> inputs, ArrayRef<Scalar> numbers) = 0;
};

// Null in a build without CUDA.
TSC_API CudaHooks* cuda_hooks();
TSC_API void register_cuda_hooks(CudaHooks* hooks);

}  // namespace tsc
