#include <algorithm>
#include <cstring>

#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

ElementwiseLoop::ElementwiseLoop(Ufunc op, ScalarType common, ArrayRef<ScalarType> stored,
                                 const void* parameters, bool exact_scalars)
    : parameters_(parameters),
      operands_(static_cast<int>(stored.size())),
      exact_scalars_(exact_scalars),
      direct_(true) {
  TSC_ASSERT(operands_ == input_count(op) + 1);
  const ScalarType compute = compute_type(common);
  kernel_ = find_tile(op, compute);
  for (int i = 0; i < operands_; ++i) {
    const ScalarType own = stored[static_cast<size_t>(i)];
    ScalarType computed = compute;
    ScalarType rounded = common;
    if (i == 0) {
      computed = result_type(op, compute);
      rounded = result_type(op, common);
    } else if (i == 1 && op == Ufunc::where) {
      computed = rounded = ScalarType::Bool;
    }
    Operand& operand = operand_[static_cast<size_t>(i)];
    operand.stored_size = static_cast<uint8_t>(element_size(own));
    operand.common_size = static_cast<uint8_t>(element_size(rounded));
    operand.compute_size = static_cast<uint8_t>(element_size(computed));
    operand.narrow = nullptr;
    operand.convert = nullptr;
    if (own == computed && rounded == computed) continue;
    direct_ = false;
    const bool two_steps = rounded != computed && own != rounded;
    if (i == 0) {
      operand.convert = own == computed ? nullptr : find_convert(own, computed);
      if (two_steps) {
        operand.narrow = find_convert(rounded, computed);
        operand.widen = find_convert(own, rounded);
      }
    } else {
      operand.convert = own == computed ? nullptr : find_convert(computed, own);
      if (two_steps) {
        operand.narrow = find_convert(rounded, own);
        operand.widen = find_convert(computed, rounded);
      }
    }
  }
}

// One call of a loop: the operands' places, and a tile for each operand that needs one.
class ElementwiseLoop::Run {
 public:
  Run(const ElementwiseLoop& loop, char* const* data, const int64_t* strides)
      : loop_(loop), data_(data), strides_(strides) {}

  void run(int64_t size0, int64_t size1) {
    const int operands = loop_.operands_;
    int64_t widest = 1;
    bool tiled = !loop_.direct_;
    bool transposed = false;
    for (int i = 0; i < operands; ++i) {
      const Operand& operand = loop_.operand_[static_cast<size_t>(i)];
      widest = std::max<int64_t>(
          {widest, operand.stored_size, operand.common_size, operand.compute_size});
      constant_[i] = i > 0 && stride0(i) == 0 && (stride1(i) == 0 || size1 == 1);
      filled_[i] = 0;
      tiled |= size0 > 1 && stride0(i) != operand.stored_size;
      transposed |= magnitude(stride1(i)) < magnitude(stride0(i)) && stride1(i) != 0;
    }
    const int64_t capacity = kTileBytes / widest;
    if (!tiled && size0 >= capacity / 8) {
      for (int64_t j = 0; j < size1; ++j) block(0, j, size0, 1);
      return;
    }
    if (size0 <= capacity / 2) {
      const int64_t rows = capacity / size0;
      for (int64_t j = 0; j < size1; j += rows) block(0, j, size0, std::min(rows, size1 - j));
      return;
    }
    const int64_t columns =
        transposed && size1 > 1 ? std::min(capacity, kTransposedColumns) : capacity;
    for (int64_t i = 0; i < size0; i += columns) {
      const int64_t width = std::min(columns, size0 - i);
      const int64_t rows = capacity / width;
      for (int64_t j = 0; j < size1; j += rows) block(i, j, width, std::min(rows, size1 - j));
    }
  }

 private:
  int64_t stride0(int i) const { return strides_[i]; }
  int64_t stride1(int i) const { return strides_[loop_.operands_ + i]; }

  void block(int64_t begin0, int64_t begin1, int64_t size0, int64_t size1) {
    const int64_t count = size0 * size1;
    char* place[kMaxOperands];
    for (int i = 1; i < loop_.operands_; ++i) place[i] = input(i, begin0, begin1, size0, size1);

    const Operand& result = loop_.operand_[0];
    const Strided to = {data_[0] + begin0 * stride0(0) + begin1 * stride1(0), stride0(0),
                        stride1(0)};
    const bool dense = is_dense(to.stride0, to.stride1, size0, size1, result.stored_size);
    if (dense && result.convert == nullptr && result.narrow == nullptr) {
      place[0] = to.data;
      loop_.kernel_(place, count, loop_.parameters_);
      return;
    }
    place[0] = tiles_[0];
    loop_.kernel_(place, count, loop_.parameters_);
    const char* computed = tiles_[0];
    if (result.narrow != nullptr) {
      result.narrow(narrow_, computed, count);
      char* const target = dense ? to.data : scratch_;
      result.widen(target, narrow_, count);
      computed = target;
    } else if (result.convert != nullptr) {
      char* const target = dense ? to.data : scratch_;
      result.convert(target, computed, count);
      computed = target;
    }
    if (!dense) scatter(to, computed, result.stored_size, size0, size1);
  }

  // An input as contiguous elements of the compute type.
  char* input(int i, int64_t begin0, int64_t begin1, int64_t size0, int64_t size1) {
    const Operand& operand = loop_.operand_[static_cast<size_t>(i)];
    const int64_t count = size0 * size1;
    if (constant_[i] && count > 1) {
      if (filled_[i] < count) fill(i, operand, count);
      return tiles_[i];
    }
    const Strided from = {data_[i] + begin0 * stride0(i) + begin1 * stride1(i), stride0(i),
                          stride1(i)};
    const char* dense = from.data;
    const bool converted = operand.convert != nullptr || operand.narrow != nullptr;
    if (!is_dense(from.stride0, from.stride1, size0, size1, operand.stored_size)) {
      char* const target = converted ? scratch_ : tiles_[i];
      gather(target, from, operand.stored_size, size0, size1);
      dense = target;
    }
    if (!converted) return const_cast<char*>(dense);
    convert(operand, tiles_[i], dense, count, constant_[i] && loop_.exact_scalars_);
    return tiles_[i];
  }

  void fill(int i, const Operand& operand, int64_t count) {
    convert(operand, tiles_[i], data_[i], 1, loop_.exact_scalars_);
    char element[16];
    const size_t size = operand.compute_size;
    std::memcpy(element, tiles_[i], size);
    gather(tiles_[i], {element, 0, 0}, size, count, 1);
    filled_[i] = count;
  }

  void convert(const Operand& operand, char* to, const char* from, int64_t count, bool exact) {
    if (operand.narrow != nullptr && !exact) {
      operand.narrow(narrow_, from, count);
      operand.widen(to, narrow_, count);
    } else if (operand.convert != nullptr) {
      operand.convert(to, from, count);
    } else {
      std::memcpy(to, from, static_cast<size_t>(count) * operand.compute_size);
    }
  }

  const ElementwiseLoop& loop_;
  char* const* data_;
  const int64_t* strides_;
  bool constant_[kMaxOperands];
  int64_t filled_[kMaxOperands];
  alignas(64) char tiles_[kMaxOperands][kTileBytes];
  alignas(64) char scratch_[kTileBytes];
  alignas(64) char narrow_[kTileBytes];
};

void ElementwiseLoop::operator()(char* const* data, const int64_t* strides, int64_t size0,
                                 int64_t size1) const {
  if (size0 <= 0 || size1 <= 0) return;
  if (direct_) {
    bool dense = true;
    for (int i = 0; i < operands_; ++i) {
      dense = dense && is_dense(strides[i], strides[operands_ + i], size0, size1,
                                operand_[static_cast<size_t>(i)].stored_size);
    }
    if (dense) {
      kernel_(data, size0 * size1, parameters_);
      return;
    }
  }
  Run(*this, data, strides).run(size0, size1);
}

void ElementwiseLoop::run_contiguous(char* const* data, int64_t count) const {
  if (direct_) {
    kernel_(data, count, parameters_);
    return;
  }
  int64_t strides[2 * kMaxOperands] = {};
  for (int i = 0; i < operands_; ++i) strides[i] = operand_[static_cast<size_t>(i)].stored_size;
  (*this)(data, strides, count, 1);
}

}  // namespace tsc::cpu
