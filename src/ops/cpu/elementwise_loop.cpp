#include <algorithm>
#include <cstring>

#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {

namespace {
constexpr int kSecondOperand = 2;  // behind the result and the first operand
// Elements from which on rows are computed where they lie, the last vector of each in part. Shorter
// ones are brought together, so that vectors are whole, unless an operand would have to be written
// out for that.
constexpr int64_t kLongRow = 64;
constexpr int64_t kRepeatedRow = 8;
// The same of rows in a block, beside operands that are brought together.
constexpr int64_t kRowInBlock = 32;
}  // namespace

void ElementwiseLoop::find_reduced(Ufunc op, ScalarType common, ArrayRef<ScalarType> stored) {
  if (!std::all_of(stored.begin(), stored.end(), [&](ScalarType type) { return type == common; })) {
    return;
  }
  if (const TileFunction kernel = find_tile(op, common); kernel != nullptr) {
    kernel_ = kernel;
    direct_ = true;
  }
}

void ElementwiseLoop::find_conversions(Ufunc op, ScalarType common, ArrayRef<ScalarType> stored) {
  TSC_ASSERT(operands_ == input_count(op) + 1);
  const ScalarType compute = compute_type(common);
  for (size_t i = 0; i < stored.size(); i++) {
    const ScalarType own = stored[i];
    const ScalarType computed = i == 0 ? result_type(op, compute) : input_type(op, i, compute);
    const ScalarType rounded = i == 0 ? result_type(op, common) : input_type(op, i, common);
    Conversion& conversion = conversion_[i];
    if (own == computed && rounded == computed) {
      conversion.compute_size = conversion.widest = size_[i];
      continue;
    }
    conversion.compute_size = static_cast<uint8_t>(element_size(computed));
    conversion.widest = static_cast<uint8_t>(
        std::max({element_size(own), element_size(rounded), element_size(computed)}));
    const bool two_steps = rounded != computed && own != rounded;
    if (i == 0) {
      conversion.convert = own == computed ? nullptr : find_convert(own, computed);
      if (two_steps) {
        conversion.narrow = find_convert(rounded, computed);
        conversion.widen = find_convert(own, rounded);
      }
    } else {
      conversion.convert = own == computed ? nullptr : find_convert(computed, own);
      if (two_steps) {
        conversion.narrow = find_convert(rounded, own);
        conversion.widen = find_convert(computed, rounded);
      }
    }
  }
}

// The state of one call of a loop: the operands' places, and a tile for each operand that needs
// one.
class ElementwiseLoop::Run {
 public:
  Run(const ElementwiseLoop& loop, char* const* data, const int64_t* strides)
      : loop_(loop), data_(data), strides_(strides) {}

  void run(int64_t size0, int64_t size1) {
    const int operands = loop_.operands_;
    int64_t widest = 1;
    bool tiled = false;
    bool transposed = false;
    bool repeated = false;
    for (int i = 0; i < operands; i++) {
      widest =
          std::max<int64_t>({widest, size(i), loop_.conversion_[static_cast<size_t>(i)].widest});
      constant_[i] = i > 0 && stride0(i) == 0 && (stride1(i) == 0 || size1 == 1);
      filled_[i] = 0;
      repeated |= repeats(i);
      tiled |= !in_place(i) && !is_apart(i) && !repeats(i);
      transposed |= magnitude(stride1(i)) < magnitude(stride0(i)) && stride1(i) != 0;
    }
    const int64_t capacity = kTileBytes / widest;
    if (size0 >= (repeated ? kRepeatedRow : kLongRow) && has_rows(size1)) {
      const int64_t columns = tiled ? capacity : size0;
      for (int64_t i = 0; i < size0; i += columns) rows(i, std::min(columns, size0 - i), size1);
      return;
    }
    if (repeated && !transposed && size0 >= kLongRow) {
      for (int64_t j = 0; j < size1; j++) {
        for (int64_t i = 0; i < size0; i += capacity) {
          block(i, j, std::min(capacity, size0 - i), 1);
        }
      }
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
  int64_t size(int i) const { return loop_.size_[static_cast<size_t>(i)]; }
  const Conversion& conversion(int i) const { return loop_.conversion_[static_cast<size_t>(i)]; }
  int64_t stride0(int i) const { return strides_[i]; }
  int64_t stride1(int i) const { return strides_[loop_.operands_ + i]; }

  bool in_place(int i) const { return stride0(i) == size(i) && conversion(i).none(); }
  bool repeats(int i) const { return i > 0 && stride0(i) == 0; }
  // Every second element, which the kernel takes from where they lie.
  bool is_apart(int i) const {
    return i > 0 && stride0(i) == 2 * size(i) && size(i) <= 8 && conversion(i).none();
  }
  // Whether rows() takes all operands.
  bool has_rows(int64_t size1) const {
    if (!in_place(0)) return false;
    for (int i = 1; i < loop_.operands_; i++) {
      const bool is_one_row = stride1(i) == 0 || size1 == 1;
      const bool is_element = repeats(i) && conversion(i).none();
      if (!in_place(i) && !is_one_row && !is_element && !is_apart(i)) return false;
    }
    return true;
  }

  // Rows that are computed where they lie. An operand can be one element a row, or one row for all,
  // which is brought into a tile once.
  void rows(int64_t begin0, int64_t size0, int64_t size1) {
    char* place[kMaxOperands];
    TileRows rows = {size1, {}, 0, 0};
    for (int i = 0; i < loop_.operands_; i++) {
      rows.stride[i] = stride1(i);  // 0 for an operand in a tile, or there is one row
      if (in_place(i) || is_apart(i) || (repeats(i) && conversion(i).none())) {
        place[i] = data_[i] + begin0 * stride0(i);
      } else {
        place[i] = repeats(i) ? repeat(i, data_[i]) : input(i, begin0, 0, size0, 1);
      }
      if (repeats(i)) rows.repeated |= 1u << i;
      if (is_apart(i)) rows.apart |= 1u << i;
    }
    loop_.kernel_(place, size0, loop_.parameters_, &rows);
  }

  void block(int64_t begin0, int64_t begin1, int64_t size0, int64_t size1) {
    const int64_t count = size0 * size1;
    char* place[kMaxOperands];
    TileRows row = kOneRow;
    const Conversion& result = conversion(0);
    const Strided to = {data_[0] + begin0 * stride0(0) + begin1 * stride1(0), stride0(0),
                        stride1(0)};
    const bool dense = is_dense(to.stride0, to.stride1, size0, size1, size(0));
    // Operands whose rows lie together stay where they are, beside others that are brought together.
    const bool by_rows = !dense && in_place(0) && size0 >= kRowInBlock;
    for (int i = 1; i < loop_.operands_; i++) {
      if (repeats(i) && (constant_[i] || size1 == 1)) {
        place[i] = repeat(i, data_[i] + begin1 * stride1(i));
        row.repeated |= 1u << i;
      } else if (by_rows && in_place(i)) {
        place[i] = data_[i] + begin0 * stride0(i) + begin1 * stride1(i);
        row.stride[i] = stride1(i);
      } else {
        place[i] = input(i, begin0, begin1, size0, size1);
        row.stride[i] = size0 * (conversion(i).none() ? size(i) : conversion(i).compute_size);
      }
    }
    if (by_rows) {
      place[0] = to.data;
      row.count = size1;
      row.stride[0] = to.stride1;
      loop_.kernel_(place, size0, loop_.parameters_, &row);
      return;
    }

    const TileRows* const rows = row.repeated != 0 ? &row : nullptr;
    if (dense && result.none()) {
      place[0] = to.data;
      loop_.kernel_(place, count, loop_.parameters_, rows);
      return;
    }
    place[0] = tiles_[0];
    loop_.kernel_(place, count, loop_.parameters_, rows);
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
    if (!dense) scatter_elements(to, computed, size(0), size0, size1);
  }

  // Returns an input as contiguous elements of the compute type.
  char* input(int i, int64_t begin0, int64_t begin1, int64_t size0, int64_t size1) {
    const int64_t count = size0 * size1;
    if (constant_[i] && count > 1) {
      if (filled_[i] < count) fill(i, count);
      return tiles_[i];
    }
    const Strided from = {data_[i] + begin0 * stride0(i) + begin1 * stride1(i), stride0(i),
                          stride1(i)};
    const char* dense = from.data;
    const bool converted = !conversion(i).none();
    if (!is_dense(from.stride0, from.stride1, size0, size1, size(i))) {
      char* const target = converted ? scratch_ : tiles_[i];
      gather_elements(target, from, size(i), size0, size1);
      dense = target;
    }
    if (!converted) return const_cast<char*>(dense);
    convert(conversion(i), tiles_[i], dense, count,
            i == kSecondOperand && constant_[i] && loop_.exact_scalars_);
    return tiles_[i];
  }

  void fill(int i, int64_t count) {
    fill(i, data_[i], count);
    filled_[i] = count;
  }
  void fill(int i, char* from, int64_t count) {
    if (conversion(i).none()) {
      gather(tiles_[i], {from, 0, 0}, static_cast<size_t>(size(i)), count, 1);
    } else {
      alignas(16) char element[16];
      convert(conversion(i), element, from, 1,
              i == kSecondOperand && constant_[i] && loop_.exact_scalars_);
      gather(tiles_[i], {element, 0, 0}, conversion(i).compute_size, count, 1);
    }
  }

  // Returns one element for a kernel that stays at it.
  char* repeat(int i, char* from) {
    if (conversion(i).none()) return from;
    if (!constant_[i] || filled_[i] == 0) fill(i, from, 1);
    if (constant_[i]) filled_[i] = 1;
    return tiles_[i];
  }

  void convert(const Conversion& how, char* to, const char* from, int64_t count, bool exact) {
    if (how.narrow != nullptr && !exact) {
      how.narrow(narrow_, from, count);
      how.widen(to, narrow_, count);
    } else if (how.convert != nullptr) {
      how.convert(to, from, count);
    } else {
      std::memcpy(to, from, static_cast<size_t>(count) * how.compute_size);
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
    if (size0 != 1 || size1 != 1) {
      for (int i = 0; i < operands_; i++) {
        dense = dense && is_dense(strides[i], strides[operands_ + i], size0, size1,
                                  size_[static_cast<size_t>(i)]);
      }
    }
    if (dense) {
      kernel_(data, size0 * size1, parameters_, nullptr);
      return;
    }
  }
  if (size0 == 1 && size1 == 1) {
    run_one(data, strides);
    return;
  }
  Run(*this, data, strides).run(size0, size1);
}

void ElementwiseLoop::run_one(char* const* data, const int64_t* strides) const {
  alignas(16) char element[kMaxOperands][16];
  alignas(16) char narrowed[16];
  char* place[kMaxOperands];
  for (size_t i = 0; i < static_cast<size_t>(operands_); i++) {
    const Conversion& how = conversion_[i];
    place[i] = data[i];
    if (how.none()) continue;
    place[i] = element[i];
    if (i == 0) continue;
    const bool is_exact = exact_scalars_ && i == kSecondOperand && strides[i] == 0 &&
                          strides[static_cast<size_t>(operands_) + i] == 0;
    if (how.narrow != nullptr && !is_exact) {
      how.narrow(narrowed, data[i], 1);
      how.widen(element[i], narrowed, 1);
    } else if (how.convert != nullptr) {
      how.convert(element[i], data[i], 1);
    } else {
      place[i] = data[i];
    }
  }
  kernel_(place, 1, parameters_, nullptr);
  const Conversion& how = conversion_[0];
  if (how.narrow != nullptr) {
    how.narrow(narrowed, place[0], 1);
    how.widen(data[0], narrowed, 1);
  } else if (how.convert != nullptr) {
    how.convert(data[0], place[0], 1);
  }
}

void ElementwiseLoop::run_contiguous(char* const* data, int64_t count) const {
  if (direct_) {
    kernel_(data, count, parameters_, nullptr);
    return;
  }
  int64_t strides[2 * kMaxOperands] = {};
  for (int i = 0; i < operands_; i++) strides[i] = size_[static_cast<size_t>(i)];
  (*this)(data, strides, count, 1);
}

}  // namespace tsc::cpu
