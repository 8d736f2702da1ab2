#include "cuda/ops/elementwise.h"

#include <algorithm>
#include <cstring>

#include "core/device_guard.h"
#include "core/dispatch_types.h"
#include "cuda/ops/arguments.h"
#include "cuda/ops/names.h"
#include "cuda/switches.h"
#include "ops/cpu/kernels.h"

namespace tsc::cuda {

namespace {

constexpr size_t kMaxOperands = kMaxElementwiseOperands;
constexpr size_t kMaxDims = 64;
constexpr size_t kLargestElement = 16;
constexpr size_t kVectorBytes = 16;  // the most that one instruction loads
constexpr size_t kMaxWidth = 8;
constexpr uint8_t kUnroll = 4;

// A number in the CPU's memory as the formula takes it: rounded to the common dtype first, but where it
// is read in full.
void write_number(char* to, const Tensor& number, ScalarType common, ScalarType taken, bool exact) {
  const auto* from = static_cast<const char*>(number.data());
  ScalarType type = number.dtype();
  alignas(16) char rounded[kLargestElement];
  if (!exact && type != common) {
    cpu::find_convert(common, type)(rounded, from, 1);
    from = rounded;
    type = common;
  }
  if (type == taken) {
    std::memcpy(to, from, element_size(taken));
  } else {
    cpu::find_convert(taken, type)(to, from, 1);
  }
}

// One launch: what of the operands the key says, and what the arguments do.
class Launch {
 public:
  Launch(const TensorIteratorBase& iterator, const ElementwiseCall& call)
      : iterator_(iterator),
        call_(call),
        operands_(static_cast<size_t>(iterator.ntensors())),
        is_on_host_(iterator.tensor(0).is_cpu()) {
    std::memset(&key_, 0, sizeof key_);
    static_assert(sizeof(ScalarType) == 1);
    std::memset(key_.stored, static_cast<int>(ScalarType::Undefined), sizeof key_.stored);
    key_.formula = call.identity;
    key_.common = iterator.common_dtype();
    for (size_t i = 0; i < operands_; i++) look_at(i);
    if (key_.is_cast != 0) {
      std::memset(key_.stored, static_cast<int>(ScalarType::Undefined), sizeof key_.stored);
    }
    is_contiguous_ = are_runs();
    key_.dims = is_contiguous_ ? 0 : static_cast<uint8_t>(iterator.ndim());
    key_.width = is_contiguous_ && key_.is_cast == 0 ? vector_width() : kUnroll;
  }

  void run(MakeFormula make) {
    static KernelTable<ElementwiseKey> table;
    Kernel& kernel = table.find(key_, [&] { return elementwise_source(make(), key_); });
    ArgumentBuffer arguments;
    const auto count = static_cast<uint32_t>(iterator_.numel());
    arguments.add(data_, operands_);
    arguments.add(&count, 1);
    arguments.add(dtypes_, operands_);
    arguments.add(sizes_, operands_);
    const size_t number_size = element_size(call_.compute);
    const size_t numbers = std::max<size_t>(call_.number_count, 1);
    constexpr char kNone[kLargestElement] = {};
    arguments.add(call_.number_count > 0 ? static_cast<const char*>(call_.numbers) : kNone,
                  numbers * number_size, 16);
    arguments.add(&scalars_[0][0], operands_ * kLargestElement, 16);
    add_places(arguments);
    const uint32_t per_block = static_cast<uint32_t>(kBlockSize) * key_.width;
    void* pointers[] = {arguments.data()};
    const uint32_t blocks = (count + per_block - 1) / per_block;
    if (is_on_host_) {
      kernel.launch_on_host(blocks, kBlockSize, pointers);
    } else {
      kernel.launch(blocks, kBlockSize, pointers);
    }
  }

 private:
  void look_at(size_t i) {
    const auto operand = static_cast<int>(i);
    const bool is_output = operand < iterator_.noutputs();
    const bool is_condition = call_.has_condition && operand == iterator_.noutputs();
    const ScalarType dtype = iterator_.dtype(operand);
    const ScalarType wanted = is_output      ? call_.result
                              : is_condition ? ScalarType::Bool
                                             : key_.common;
    sizes_[i] = static_cast<uint32_t>(element_size(dtype));
    dtypes_[i] = static_cast<int>(dtype);
    if (!is_output && !is_on_host_ && iterator_.tensor(operand).is_cpu()) {
      key_.scalars |= 1u << i;
      data_[i] = nullptr;
      write_number(scalars_[i], iterator_.tensor(operand), wanted,
                   is_condition ? ScalarType::Bool : call_.compute,
                   call_.exact_scalars && operand == iterator_.noutputs() + 1);
      return;
    }
    std::memset(scalars_[i], 0, kLargestElement);
    key_.stored[i] = dtype;
    data_[i] = iterator_.data_ptr(operand);
    if (dtype != wanted) key_.is_cast = 1;
  }

  bool is_number(size_t i) const { return (key_.scalars >> i & 1) != 0; }

  // Whether each operand in memory is one run.
  bool are_runs() const {
    if (iterator_.is_contiguous() && key_.scalars == 0) return true;
    for (size_t i = 0; i < operands_; i++) {
      int64_t expected = sizes_[i];
      for (int dim = 0; dim < iterator_.ndim() && !is_number(i); dim++) {
        const int64_t size = iterator_.shape()[static_cast<size_t>(dim)];
        if (size != 1 && iterator_.stride(static_cast<int>(i), dim) != expected) return false;
        expected *= size;
      }
    }
    return true;
  }

  // As many as all operands' addresses and sizes allow.
  uint8_t vector_width() const {
    size_t width = kMaxWidth;
    for (size_t i = 0; i < operands_; i++) {
      const auto address = reinterpret_cast<uintptr_t>(data_[i]);
      while (width > 1 && !is_number(i) &&
             (width * sizes_[i] > kVectorBytes || address % (width * sizes_[i]) != 0)) {
        width /= 2;
      }
    }
    return static_cast<uint8_t>(width);
  }

  void add_places(ArgumentBuffer& arguments) const {
    if (key_.dims == 0) {
      constexpr uint32_t kNone[kMaxOperands] = {};
      arguments.add(divider(1));
      arguments.add(kNone, operands_);
      return;
    }
    Divider dividers[kMaxDims];
    uint32_t strides[kMaxDims * kMaxOperands];
    for (size_t dim = 0; dim < key_.dims; dim++) {
      dividers[dim] = divider(static_cast<uint32_t>(iterator_.shape()[dim]));
      for (size_t i = 0; i < operands_; i++) {
        const int64_t stride = iterator_.stride(static_cast<int>(i), static_cast<int>(dim));
        strides[dim * operands_ + i] = is_number(i) ? 0 : static_cast<uint32_t>(stride);
      }
    }
    arguments.add(dividers, key_.dims);
    arguments.add(strides, key_.dims * operands_);
  }

  const TensorIteratorBase& iterator_;
  const ElementwiseCall& call_;
  size_t operands_;
  bool is_on_host_;  // tensors of the CPU, for a formula of a script
  ElementwiseKey key_;
  bool is_contiguous_ = false;
  // Of each operand.
  char* data_[kMaxOperands];
  int dtypes_[kMaxOperands];
  uint32_t sizes_[kMaxOperands];
  alignas(16) char scalars_[kMaxOperands][kLargestElement];  // where it is a number
};

void run_ufunc(const TensorIteratorBase& iterator, cpu::Ufunc formula, const void* parameters,
               bool exact_scalars) {
  const ScalarType compute = cpu::compute_type(iterator.common_dtype());
  const bool has_condition = cpu::shape_of(formula) == cpu::UfuncShape::where;
  const ElementwiseCall call{
      formula,       compute,    cpu::result_type(formula, iterator.common_dtype()),
      has_condition, parameters, static_cast<size_t>(formula->parameters),
      exact_scalars};
  run_formula(iterator, call, [&] {
    return ElementwiseFormula{formula->name,
                              special_text(formula->text),
                              formula->text,
                              cpu::input_count(formula),
                              1,
                              formula->parameters,
                              has_condition,
                              compute,
                              call.result,
                              false};
  });
}

constinit const cpu::UfuncRecord copy_record = {cpu::UfuncShape::unary, {}, {}, "copy", "a", 0};

}  // namespace

void run_formula(const TensorIteratorBase& iterator, const ElementwiseCall& call,
                 MakeFormula make) {
  if (iterator.numel() == 0) return;
  const DeviceGuard guard(iterator.tensor(0).device());
  if (iterator.can_use_32bit_indexing(largest_32bit_index())) {
    Launch(iterator, call).run(make);
    return;
  }
  for (const TensorIteratorBase& part : iterator.with_32bit_indexing(largest_32bit_index())) {
    Launch(part, call).run(make);
  }
}

void run_elementwise(const TensorIteratorBase& iterator, cpu::Ufunc formula, const char* name,
                     const void* parameters, bool exact_scalars) {
  if (cpu::find_tile(formula, cpu::compute_type(iterator.common_dtype())) == nullptr) {
    throw_dtype_not_implemented(name_on_cuda(name).c_str(), iterator.common_dtype());
  }
  run_ufunc(iterator, formula, parameters, exact_scalars);
}
void run_copy(const TensorIteratorBase& iterator) {
  run_ufunc(iterator, &copy_record, nullptr, false);
}

}  // namespace tsc::cuda
