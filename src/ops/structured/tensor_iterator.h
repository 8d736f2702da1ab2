// TensorIterator: how an elementwise operator or a reduction walks over its operands.
//
// It broadcasts, promotes dtypes, lets MetaBase make the outputs, and then brings the operands into
// the form in which the fewest and longest loops do the work:
//
//   operands (float32)                      iteration (strides in bytes)
//     a    [2, 3, 4]  contiguous              shape         [12,  2]   fastest dimension first
//     b    [2, 1, 1]  broadcast      ---->    strides  out    4, 48
//     out  allocated in a's order                      a      4, 48
//                                                      b      0,  4   0 where it is broadcast
//
// Dimensions are ordered by stride, fastest first, and neighbours that form one run in every
// operand are merged (here those of sizes 4 and 3). Kernels get pointers, byte strides and the
// sizes of the two innermost dimensions; for_each() walks over the others and splits the work
// between threads.
//
// Operands keep their dtypes. Arithmetic happens in common_dtype(); kernels convert on load and on
// store, so no operand is copied into a temporary.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/small_vector.h"
#include "core/system/parallel.h"
#include "core/tensor.h"
#include "ops/structured/meta_base.h"

namespace tsc {

// The checks, type promotion and allocation that an operator wants.
struct IteratorOptions {
  bool check_memory_overlap = true;
  // All operands have the same dtype (where promote_inputs is off).
  bool same_dtype = false;
  // The common dtype is the promotion of the inputs', otherwise the first input's.
  bool promote_inputs = false;
  // ... unless it is given here.
  ScalarType common_dtype = ScalarType::Undefined;
  // An integer or bool common dtype becomes the default float.
  bool promote_integers_to_float = false;
  // The common dtype must be castable to a given output's.
  bool cast_outputs = false;
  // Allocated outputs get this dtype; where Undefined, the common dtype.
  ScalarType output_dtype = ScalarType::Undefined;
  // Outputs are given and have fewer elements than the inputs: their strides are 0 where a
  // dimension is reduced.
  bool is_reduction = false;
  // Whether a given output may take the broadcast shape.
  bool resize_outputs = true;
  // Loops come in the order of the first operand's memory, also where an input would be read faster
  // in another one: for kernels that draw a random number for each element.
  bool keep_order = false;
};

class TSC_API TensorIteratorBase : public MetaBase {
 public:
  static constexpr int kMaxOperands = 16;

  // One pointer for each operand; strides in bytes, one for each operand for the inner dimension,
  // then one for each for the outer.
  using Loop2d =
      FunctionRef<void(char** data, const int64_t* strides, int64_t size0, int64_t size1)>;

  // --- Called by meta functions. The outputs are MetaBase's. ---
  void build_unary_op(const Tensor& a);        // a's dtype, in and out
  void build_unary_float_op(const Tensor& a);  // integers become floats
  void build_unary_bool_op(const Tensor& a);   // result dtype bool
  void build_binary_op(const Tensor& a, const Tensor& b);
  void build_binary_float_op(const Tensor& a, const Tensor& b);
  void build_comparison_op(const Tensor& a, const Tensor& b);
  void build_ternary_op(const Tensor& a, const Tensor& b, const Tensor& c);
  // Every other combination of inputs, options and outputs.
  void build(const IteratorOptions& options, ArrayRef<const Tensor*> inputs, int num_outputs = 1);

  // Keeps a tensor that the meta function made (a number as an operand) for as long as the kernel
  // needs it; at most two.
  const Tensor& keep(Tensor tensor) {
    Tensor* const kept = extra().kept;
    return kept[kept[0].defined() ? 1 : 0] = std::move(tensor);
  }

  TensorIteratorBase() {}
  ~TensorIteratorBase() {
    if (TSC_UNLIKELY(has_extra_)) {
      drop_extra();
    }
  }

  // --- Read by kernels. ---
  int ndim() const { return static_cast<int>(shape().size()); }
  // Of the outputs, the fastest dimension first; the second may be the fastest of an input that has
  // another order.
  IntArrayRef shape() const { return walk().shape; }
  int64_t numel() const { return numel_; }
  int ntensors() const { return num_operands_; }
  int noutputs() const { return num_outputs_; }
  int ninputs() const { return num_operands_ - num_outputs_; }
  ScalarType common_dtype() const { return common_dtype_; }
  ScalarType dtype(int operand = 0) const { return operands_[operand].dtype; }
  ScalarType input_dtype(int input = 0) const { return operands_[num_outputs_ + input].dtype; }
  char* data_ptr(int operand) const {
    return static_cast<char*>(operands_[operand].tensor->data());
  }
  const Tensor& tensor(int operand) const { return *operands_[operand].tensor; }
  // Bytes; `dim` counts as in shape().
  int64_t stride(int operand, int dim) const { return strides()[dim * num_operands_ + operand]; }
  // All strides: those of every operand for dimension 0, then for dimension 1, and so on. At least
  // two dimensions' worth.
  const int64_t* strides() const { return walk().strides.data(); }
  // One run in every operand, without gaps.
  bool is_contiguous() const { return is_one_run_ || numel_ == 1; }
  // In addition, the inputs have the common dtype and the outputs the formula's: a kernel over
  // contiguous elements can be called directly.
  bool is_plain_run() const { return is_plain_run_; }
  // Whether offsets in bytes and the number of elements are at most `largest`: a kernel may count in 32
  // bits then.
  static constexpr int64_t kLargest32Bit = std::numeric_limits<int32_t>::max();
  bool can_use_32bit_indexing(int64_t largest = kLargest32Bit) const;
  // Iterations that together do this one's work, for each of which that holds.
  class Parts;
  Parts with_32bit_indexing(int64_t largest = kLargest32Bit) const;
  // Whether the operand has one element.
  bool is_scalar(int operand) const { return operands_[operand].tensor->numel() == 1; }

  // Calls the loop over everything, on several threads where it is worth one. Chunks depend on the
  // sizes only.
  void for_each(Loop2d loop, int64_t grain_size = kParallelGrain) const;
  // Calls the loop over elements [begin, end) on this thread.
  void serial_for_each(Loop2d loop, int64_t begin, int64_t end) const;

 private:
  // Outputs come first.
  struct Operand {
    const Tensor* tensor;
    ScalarType dtype;
  };

  // What a look at each operand says of all of them.
  struct Agreement {
    const TensorImpl* widest;  // the input of most dimensions
    // Of the inputs; none is a wrapped number.
    bool one_dtype;
    // One dimension serves all: each operand is one run of the same length, or one element.
    bool is_flat;
    bool one_length;
  };

  friend class TensorIterator;

  // Shape and strides. While they are being computed, dimensions are in the tensors' own order;
  // afterwards the fastest is first.
  struct Walk {
    DimVector shape;
    SmallVector<int64_t, 24> strides;
  };

  // What most calls do without.
  struct Extra {
    Walk walk;
    Tensor kept[2];
  };
  Extra& extra() const {
    if (!has_extra_) {
      new (&extra_) Extra;
      has_extra_ = true;
    }
    return extra_;
  }
  void drop_extra();

  template <IteratorOptions kOptions, class... Tensors>
  void build_from(const Tensors&... inputs);
  template <IteratorOptions kOptions, class... Tensors>
  void build_any_from(const Tensors&... inputs);
  bool build_run(const IteratorOptions& options, ArrayRef<const Tensor*> inputs);
  // Whether the inputs are of one kind, and runs of the same sizes; none is a wrapped number.
  bool inputs_are_alike(const IteratorOptions& options, ArrayRef<const Tensor*> inputs) const;
  // Whether the given output is like such inputs, and apart from those that it is not itself.
  bool output_is_alike(const IteratorOptions& options, ArrayRef<const Tensor*> inputs) const;
  // For such operands; `made` is the output's dtype.
  void set_run(ArrayRef<const Tensor*> inputs, ScalarType made);
  void build_any(const IteratorOptions& options, ArrayRef<const Tensor*> inputs, int num_outputs);
  Agreement agreement_of(ArrayRef<const Tensor*> inputs);
  bool set_outputs(const IteratorOptions& options, ArrayRef<const Tensor*> inputs,
                   const TensorImpl& widest);
  const Walk& walk() const {
    if (!has_walk_) {
      fill_run();
    }
    return extra_.walk;
  }
  Walk& begin_walk() const {
    has_walk_ = true;
    return extra().walk;
  }
  void fill_run() const;
  bool find_contiguity() const;
  ScalarType common_dtype_of(const IteratorOptions& options, ScalarType first,
                             bool one_dtype) const;
  ScalarType promoted_inputs() const;
  void check_dtypes(const IteratorOptions& options) const;
  void check_devices() const;
  // An output that is one of the inputs, too, as in-place operators have, keeps its sizes.
  bool is_input(const Tensor& output) const;
  void compute_shape(const IteratorOptions& options);
  void compute_strides();
  // order[i] is the tensors' dimension that becomes our dimension i.
  DimVector ordered_dimensions(const IteratorOptions& options) const;
  int compare_dimensions(const IteratorOptions& options, int64_t a, int64_t b) const;
  DimVector common_strides(const IteratorOptions& options) const;
  void make_outputs(const IteratorOptions& options, const DimVector& order);
  void permute_dimensions(const DimVector& order);
  void coalesce_dimensions();
  void pair_dimensions();
  bool is_turned() const;
  void for_each_block(Loop2d loop, int64_t grain_size) const;
  // Writes the operands' addresses of the element at these indices.
  void place_at(const DimVector& at, char** data) const;
  bool will_resize(int operand) const { return (will_resize_ >> operand & 1) != 0; }
  ScalarType allocated_dtype(const IteratorOptions& options) const {
    return options.output_dtype == ScalarType::Undefined ? common_dtype_ : options.output_dtype;
  }
  int64_t& stride_at(int operand, size_t dim) {
    return extra_.walk
        .strides[dim * static_cast<size_t>(num_operands_) + static_cast<size_t>(operand)];
  }

  union {
    mutable Extra extra_;
  };
  mutable bool has_extra_ = false;
  // Set by build(). There is no walk where one dimension serves all operands, and nobody has asked
  // yet.
  mutable bool has_walk_;
  uint8_t will_resize_;  // a bit for each output
  int64_t numel_;
  int num_operands_;
  int num_outputs_;
  ScalarType common_dtype_;
  bool is_one_run_;
  bool is_plain_run_;
  Operand operands_[kMaxOperands];
};

// For kernels that are not structured, and for steps within a kernel. Outputs are given to the
// constructor, and then written as they are; or bound by one of MetaBase's functions; or, like the
// inputs, held by a TensorIteratorConfig (ops/structured/tensor_iterator_config.h).
class TSC_API TensorIterator final : public TensorIteratorBase {
 public:
  TensorIterator() = default;
  template <class... Tensors>
  explicit TensorIterator(const Tensor& output, const Tensors&... outputs) {
    write_outputs(output.device().type, output, outputs...);
  }
  // Built, and keeps the tensors. Undefined outputs are allocated: RuntimeError where some are, and
  // others are not.
  TensorIterator(const IteratorOptions& options, std::vector<Tensor> outputs,
                 std::vector<Tensor> inputs);

  template <class... Tensors>
  void allocate_outputs(DeviceType device, Tensors&... outputs) {
    MetaBase::allocate_outputs(*this, device, outputs...);
  }
  template <class... Tensors>
  void update_in_place(DeviceType device, const Tensors&... outputs) {
    MetaBase::update_in_place(*this, device, outputs...);
  }
  template <class... Tensors>
  void write_outputs(DeviceType device, const Tensors&... outputs) {
    MetaBase::write_outputs(*this, device, outputs...);
  }
  template <class... Tensors>
  void take_outputs(DeviceType device, const Tensors&... outputs) {
    MetaBase::take_outputs(*this, device, outputs...);
  }

 private:
  friend class TensorIteratorBase;

  // `count` of the positions along a dimension of `whole`.
  TensorIterator(const TensorIteratorBase& whole, size_t dim, int64_t start, int64_t count);

  // Null where the tensors are another's.
  std::unique_ptr<std::vector<Tensor>> held_;
};

// A range of iterators.
class TensorIteratorBase::Parts {
 public:
  class iterator {
   public:
    explicit iterator(const TensorIteratorBase* const* at) : at_(at) {}
    const TensorIteratorBase& operator*() const { return **at_; }
    iterator& operator++() {
      at_++;
      return *this;
    }
    friend bool operator==(iterator, iterator) = default;

   private:
    const TensorIteratorBase* const* at_;
  };
  iterator begin() const { return iterator(parts_.data()); }
  iterator end() const { return iterator(parts_.data() + parts_.size()); }
  size_t size() const { return parts_.size(); }

 private:
  friend class TensorIteratorBase;
  void add(const TensorIteratorBase& whole, int64_t largest);

  std::vector<std::unique_ptr<TensorIterator>> made_;
  std::vector<const TensorIteratorBase*> parts_;
};

}  // namespace tsc
