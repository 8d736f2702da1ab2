#include "ops/cpu/spectral/fft_side_by_side.h"

#include <algorithm>
#include <type_traits>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/matrix/product.h"

namespace tsc::cpu {
namespace {

int64_t quotient_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }

// The array that is read or written: its lines are neighbours, columns, or follow one another.
template <class R>
struct Side {
  R* data;
  int64_t inner;
  int64_t length;
  int64_t parts;  // real numbers in an element

  // The first element of a line.
  R* at(int64_t line) const {
    return data + (line / inner * length * inner + line % inner) * parts;
  }
  FftView view(int64_t line, int64_t width, bool swapped) const {
    const bool columns = inner > 1, real = parts == 1;
    return {.layout = !columns ? FftLayout::lines
                      : real   ? FftLayout::real_columns
                               : FftLayout::columns,
            .swapped = swapped,
            .width = width,
            .stride = columns ? inner
                      : real  ? length / 2
                              : length,
            .data = at(line)};
  }
  FftAhead ahead(int64_t line, int64_t width) const {
    constexpr int64_t kRun = 128;
    const auto* const first = reinterpret_cast<const char*>(at(line));
    const int64_t size = parts * static_cast<int64_t>(sizeof(R));
    if (inner > 1) return {first, inner * size, length};
    return {first, kRun, width * length * size / kRun};
  }

  // A dense copy of some lines.
  template <class T>
  Side<T> copy(T* memory, int64_t width) const {
    return {memory, inner > 1 ? width : 1, length, parts};
  }
};

template <class To, class From>
void convert(const Side<To>& to, int64_t to_line, const Side<From>& from, int64_t from_line,
             int64_t width) {
  const ConvertFunction function = find_convert(scalar_type_of<To>, scalar_type_of<From>);
  const bool columns = from.inner > 1 || to.inner > 1;
  const int64_t rows = columns ? from.length : 1;
  const int64_t count = width * from.parts * (columns ? 1 : from.length);
  auto* to_row = reinterpret_cast<char*>(to.at(to_line));
  const auto* from_row = reinterpret_cast<const char*>(from.at(from_line));
  for (int64_t i = 0; i < rows; i++) {
    function(to_row, from_row, count);
    to_row += to.inner * to.parts * static_cast<int64_t>(sizeof(To));
    from_row += from.inner * from.parts * static_cast<int64_t>(sizeof(From));
  }
}

template <class T, class R>
class SideBySide {
 public:
  SideBySide(const FftCall& call, Plan<T>& plan)
      : call_(call),
        kernels_(*find_fft(scalar_type_of<T>)),
        plan_(plan.block()),
        length_(plan.length()),
        from_{static_cast<R*>(const_cast<void*>(call.lines.from)), call.lines.inner,
              call.lines.from_length, call.reads_reals() ? 1 : 2},
        to_{static_cast<R*>(call.lines.to), call.lines.to_inner, call.lines.to_length,
            call.writes_reals() ? 1 : 2} {
    if (call.kind != FftKind::ComplexToComplex) real_ = &plan.real();
    const FftLines& lines = call.lines;
    // Lines of one block are neighbours, or follow one another.
    together_ = lines.inner > 1 ? lines.inner : lines.outer;
    blocks_together_ = quotient_up(together_, kernels_.lanes);
    const int64_t longest = std::max({lines.from_length, lines.to_length, length_ + 1});
    block_ = (longest + kernels_.lanes) * 2 * kernels_.lanes;
  }

  void run() const {
    const int64_t blocks = blocks_together_ * (call_.lines.inner > 1 ? call_.lines.outer : 1);
    const int64_t work = 8 * length_ * kernels_.lanes;
    const int64_t share = quotient_up(blocks, blocks * work > kParallelGrain ? num_threads() : 1);
    const Chunks shares{share, quotient_up(blocks, share)};
    Memory memory;
    T* const room = reinterpret_cast<T*>(
        make_room(memory, shares.number * kBuffers * block_, scalar_type_of<T>));
    parallel_chunks(blocks, shares, [&](int64_t chunk, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end && !interrupt_requested(); i++) {
        transform(i, end, room + chunk * kBuffers * block_);
      }
    });
  }

 private:
  static constexpr bool kConverts = !std::is_same_v<T, R>;
  static constexpr int64_t kBuffers = kConverts ? 3 : 2;

  int64_t first_line(int64_t block) const {
    return block / blocks_together_ * together_ + block % blocks_together_ * kernels_.lanes;
  }
  int64_t width(int64_t block) const {
    return std::min(kernels_.lanes, together_ - block % blocks_together_ * kernels_.lanes);
  }

  void transform(int64_t number, int64_t end, T* room) const {
    T* const first = room;
    T* const second = room + block_;
    T* const copy = room + 2 * block_;
    const bool backward = !call_.forward;
    const bool splits = call_.reads_reals(), joins = call_.writes_reals();
    const int64_t half = length_ + 1;
    read(number, first, joins ? half : length_, backward && !joins, copy);
    if (joins) kernels_.real_block(real_->with(true), first);
    FftAhead next;
    if (number + 1 < end) next = from_.ahead(first_line(number + 1), width(number + 1));
    const FftAhead written = to_.ahead(first_line(number), width(number));
    auto* const block = const_cast<T*>(plan_.run(kernels_, first, first, second, next, written));
    if (splits) kernels_.real_block(real_->with(false), block);
    if (kConverts) kernels_.drop_noise(block, splits ? half : length_);
    write(number, block, splits ? half : length_, backward, copy);
  }

  void read(int64_t number, T* block, int64_t rows, bool swapped, [[maybe_unused]] T* copy) const {
    if constexpr (kConverts) {
      const Side<T> dense = from_.copy(copy, width(number));
      convert(dense, 0, from_, first_line(number), width(number));
      kernels_.load(block, dense.view(0, width(number), swapped), rows);
    } else {
      kernels_.load(block, from_.view(first_line(number), width(number), swapped), rows);
    }
  }
  void write(int64_t number, const T* block, int64_t rows, bool swapped,
             [[maybe_unused]] T* copy) const {
    if constexpr (kConverts) {
      const Side<T> dense = to_.copy(copy, width(number));
      kernels_.store(dense.view(0, width(number), swapped), block, rows, call_.scale);
      convert(to_, first_line(number), dense, 0, width(number));
    } else {
      kernels_.store(to_.view(first_line(number), width(number), swapped), block, rows,
                     call_.scale);
    }
  }

  const FftCall& call_;
  const FftKernels& kernels_;
  const BlockPlan<T>& plan_;
  const RealPlan<T>* real_ = nullptr;
  int64_t length_;
  Side<R> from_;
  Side<R> to_;
  int64_t together_;
  int64_t blocks_together_;
  int64_t block_;
};

}  // namespace

template <class T, class R>
void transform_side_by_side(const FftCall& call, Plan<T>& plan) {
  SideBySide<T, R>(call, plan).run();
}
template void transform_side_by_side<float, float>(const FftCall&, Plan<float>&);
template void transform_side_by_side<double, float>(const FftCall&, Plan<double>&);
template void transform_side_by_side<double, double>(const FftCall&, Plan<double>&);

}  // namespace tsc::cpu
