// What structured operators ask of a device other than the CPU, whose memory the host does not touch.
// Rows whose kernel serves several devices (`CPU, CUDA: mul_out`) come here for each but the CPU, as do
// copies, fills and reads of an element.
#pragma once

#include <vector>

#include "core/small_vector.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/lines.h"
#include "ops/cpu/matrix/blas.h"
#include "ops/cpu/reduce/scan.h"
#include "ops/cpu/ufunc.h"
#include "ops/structured/device_map.h"
#include "ops/structured/jitted_gpu_kernel.h"
#include "ops/structured/reduction.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {

// cpu::batched_gemm (ops/cpu/matrix/blas.h).
struct GemmCall {
  Device device;
  ScalarType dtype;
  cpu::Batch batch;
  int64_t m;
  int64_t n;
  int64_t k;
  Scalar alpha;
  cpu::Matrix a;
  cpu::Matrix b;
  Scalar beta;
  cpu::Matrix result;
};

// cpu::softmax and cpu::softmax_backward (ops/cpu/nn/softmax.h) of contiguous memory: `first` is the input,
// or the gradient of the result and `second` the result.
struct SoftmaxCall {
  bool logarithm;
  cpu::LineShape lines;
  char* out;
  ScalarType out_dtype;
  const Tensor& first;
  const Tensor& second;
};

// cpu::scan (ops/cpu/reduce/scan.h).
struct ScanCall {
  Device device;
  cpu::Scan op;
  cpu::LineShape lines;
  ScalarType type;
  char* values;
  int64_t* indices;
  const char* in;
  cpu::LineStrides strides;
};

// cpu::sort (ops/cpu/reduce/sort.h).
struct SortCall {
  Device device;
  cpu::LineShape lines;
  ScalarType type;
  bool descending;
  char* values;
  int64_t* indices;
  const char* in;
};

// Random numbers into a tensor, from the device's generator: uniform in [a, b), normal of mean a and
// deviation b, base + integers below `range` (0: all 64 bits), 1 with probability a, exponential of rate a,
// Cauchy's of median a and width b, the exponential of a normal number, trials up to a success of
// probability a.
struct RandomDraw {
  enum class Kind : uint8_t {
    uniform,
    normal,
    integers,
    bernoulli,
    exponential,
    cauchy,
    log_normal,
    geometric,
  };
  Kind kind;
  const Tensor& out;
  double a = 0;
  double b = 0;
  uint64_t range = 0;
  int64_t base = 0;
};

// Moves between values and the places of a tensor that index tensors choose.
struct IndexedMove {
  // `places`, of int64, has the values' dimensions; it is for the dimension `dim` of the tensor, which has
  // this size and stride.
  struct Index {
    Tensor places;
    int64_t size;
    int64_t stride;
    int64_t dim;
  };
  cpu::IndexAction action;
  Device device;
  ScalarType dtype;
  char* values;
  char* indexed;
  DimVector sizes;  // of the values
  // Elements. The tensor's are 0 in the dimensions that indices choose in.
  DimVector value_strides;
  DimVector indexed_strides;
  std::vector<Index> indices;
  bool wraps;  // negative indices count from the end
};

// Rows that are normalized, each `chunks` times `chunk` elements side by side, `apart` from one to the next;
// row r begins at r * chunk. A weight is of an element's number in its row where `run` is 0, and otherwise of
// `run` elements; rows r, r + sets, r + 2 sets, ... have the same weights.
struct NormalizeCall {
  enum class Step : uint8_t {
    // result, input, weights, biases, means, inverses of standard deviations; running means and variances,
    // which move to the rows' by `momentum`
    forward,
    // gradient, arriving gradient, input, weights, means, inverses; where a row has one weight and bias,
    // their gradients
    backward,
    // arriving gradient times normal values, arriving gradient, input, none, means, inverses
    products,
  };
  Step step;
  Device device;
  ScalarType compute;
  int64_t rows;
  int64_t chunks;
  int64_t chunk;
  int64_t apart;
  int64_t run;
  int64_t sets;
  double eps;
  ArrayRef<MapMemory> memory;
  double momentum = 0;
};

class TSC_API DeviceKernels {
 public:
  virtual ~DeviceKernels() = default;
  // As run_elementwise() and run_arithmetic() (ops/structured/elementwise.h). parameters: as many numbers
  // of the compute type as the formula has.
  virtual void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula,
                               const char* name, const void* parameters, bool exact_scalars) = 0;
  // See jitted_gpu_kernel.h.
  virtual void run_jitted(const TensorIteratorBase& iterator, const JittedFormula& formula,
                          ArrayRef<Scalar> numbers) = 0;
  // Copies the second operand to the first, which are on the device, or the second is a number on the
  // CPU.
  virtual void copy(const TensorIteratorBase& iterator) = 0;
  // As run_reduction() (ops/structured/reduction.h).
  virtual void reduce(const ReductionRequest& request, const Tensor& self, const DimMask& mask,
                      const Tensor& out, const Tensor& second) = 0;
  virtual void gemm(const GemmCall& call) = 0;
  virtual void softmax(const SoftmaxCall& call) = 0;
  virtual void sort(const SortCall& call) = 0;
  virtual void draw(const RandomDraw& call) = 0;
  virtual void scan(const ScanCall& call) = 0;
  virtual void move_indexed(const IndexedMove& move) = 0;
  // `flags` (bool, contiguous) has running[i] true elements up to element i; `columns` gets their
  // coordinates, one dimension's behind another's.
  virtual void write_coordinates(const Tensor& flags, const Tensor& running,
                                 const Tensor& columns) = 0;
  virtual void map(const MapCall& call) = 0;
  virtual void normalize(const NormalizeCall& call) = 0;
  // Between tensors of different devices; their sizes broadcast.
  virtual void copy_between(const Tensor& to, const Tensor& from, bool non_blocking) = 0;
  // Sets all bytes of dense memory to 0.
  virtual void zero(const Tensor& tensor) = 0;
  // The first element, when all that writes it is done.
  virtual void read(const Tensor& tensor, void* to) = 0;
};

// NotImplementedError where none is registered.
TSC_API DeviceKernels& device_kernels(DeviceType type);
// Null where none is registered.
TSC_API DeviceKernels* find_device_kernels(DeviceType type);
TSC_API void register_device_kernels(DeviceType type, DeviceKernels* kernels);

}  // namespace tsc
