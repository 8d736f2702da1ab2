#include "ops/cpu/fft.h"

#include <algorithm>
#include <list>

#include "core/interrupt.h"
#include "core/parallel.h"
#include "ops/cpu/fft_line.h"
#include "ops/cpu/product.h"

namespace tsc::cpu {
namespace {

// Few short lines of floats are transformed in double: it costs nothing there, and spectra of
// simple signals are simple numbers.
constexpr int64_t kShort = 64;
constexpr int64_t kFew = 4096;  // elements
// A line that long is work for several threads.
constexpr int64_t kLong = 1 << 15;

// One call, of complex lines or of real lines of an even length, which are transformed as complex
// ones of half of it.
struct Call {
  FftKind kind;
  FftLines lines;
  bool forward;
  double scale;

  int64_t complex_length(int64_t length) const {
    return kind == FftKind::ComplexToComplex ? length : length / 2;
  }
  bool reads_reals() const { return kind == FftKind::RealToComplex; }
  bool writes_reals() const { return kind == FftKind::ComplexToReal; }
};

int64_t quotient_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }

// ---- Lines side by side

// The lines of one block: neighbours where lines have some, else lines that follow one another.
template <class T>
struct Group {
  int64_t first;   // the element in which the first line begins
  int64_t width;   // lines
  int64_t stride;  // from element to element, or from line to line
};

// R is what memory holds, T what computes.
template <class T, class R>
class Blocks {
 public:
  Blocks(const Call& call, Plan<T>& plan)
      : call_(call),
        kernels_(*kernels().find_fft(scalar_type_of<T>)),
        plan_(plan.block()),
        length_(plan.length()) {
    if (call.kind != FftKind::ComplexToComplex) real_ = &plan.real();
    const FftLines& lines = call.lines;
    by_columns_ = lines.inner > 1;
    groups_across_ = quotient_up(by_columns_ ? lines.inner : lines.outer, kernels_.lanes);
    const int64_t longest = std::max({lines.from_length, lines.to_length, length_ + 1});
    block_ = (longest + kernels_.lanes) * 2 * kernels_.lanes;
  }

  void run() const {
    const int64_t groups = groups_across_ * (by_columns_ ? call_.lines.outer : 1);
    const int64_t work = 8 * length_ * kernels_.lanes;
    const bool several = groups * work > kParallelGrain;
    const int64_t share = quotient_up(groups, several ? num_threads() : 1);
    const Chunks shares{share, quotient_up(groups, share)};
    Memory memory;
    T* const room = reinterpret_cast<T*>(
        make_room(memory, shares.number * kBuffers * block_, scalar_type_of<T>));
    parallel_chunks(groups, shares, [&](int64_t chunk, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end && !interrupt_requested(); i++) {
        transform(i, end, room + chunk * kBuffers * block_);
      }
    });
  }

 private:
  static constexpr bool kConverts = !std::is_same_v<T, R>;
  static constexpr int64_t kBuffers = kConverts ? 3 : 2;

  void transform(int64_t group, int64_t end, T* room) const {
    T* const first = room;
    T* const second = room + block_;
    const bool backward = !call_.forward;
    const bool splits = call_.reads_reals(), joins = call_.writes_reals();
    const int64_t half = length_ + 1;
    read(group, first, joins ? half : length_, backward && !joins);
    if (joins) kernels_.real_block(real_->with(true), first);
    FftAhead next;
    if (group + 1 < end) {
      next = ahead(call_.lines.from, call_.lines.from_length, group + 1, call_.reads_reals());
    }
    const FftAhead written =
        ahead(call_.lines.to, call_.lines.to_length, group, call_.writes_reals());
    auto* const block = const_cast<T*>(plan_.run(kernels_, first, second, first, next, written));
    if (splits) kernels_.real_block(real_->with(false), block);
    if (kConverts) kernels_.drop_noise(block, splits ? half : length_);
    write(group, block, splits ? half : length_, backward, room + 2 * block_);
  }

  // Of an array whose lines have `length` elements, complex or real.
  struct Side {
    int64_t first;  // number of the real number that the group begins with
    int64_t width;
    int64_t parts;  // real numbers in an element
  };
  Side side(int64_t group, int64_t length, bool real) const {
    const int64_t parts = real ? 1 : 2;
    const int64_t lanes = kernels_.lanes;
    const int64_t across = group % groups_across_ * lanes;
    if (!by_columns_) {
      return {across * length * parts, std::min(lanes, call_.lines.outer - across), parts};
    }
    const int64_t inner = call_.lines.inner;
    return {(group / groups_across_ * length * inner + across) * parts,
            std::min(lanes, inner - across), parts};
  }
  FftView view(const Side& side, T* data, int64_t length, int64_t inner, bool swapped) const {
    const bool real = side.parts == 1;
    return {.layout = !by_columns_ ? FftLayout::lines
                      : real       ? FftLayout::real_columns
                                   : FftLayout::columns,
            .swapped = swapped,
            .width = side.width,
            .stride = by_columns_ ? inner
                      : real      ? length / 2
                                  : length,
            .data = data};
  }

  FftAhead ahead(const void* data, int64_t length, int64_t group, bool real) const {
    const Side lines = side(group, length, real);
    const auto* const first =
        reinterpret_cast<const char*>(static_cast<const R*>(data) + lines.first);
    constexpr auto kSize = static_cast<int64_t>(sizeof(R));
    if (by_columns_) return {first, call_.lines.inner * lines.parts * kSize, length};
    constexpr int64_t kRun = 128;
    return {first, kRun, lines.width * length * lines.parts * kSize / kRun};
  }

  // Between memory and a dense copy of the group in T.
  template <class To, class From>
  void convert(To* to, int64_t to_inner, const From* from, int64_t from_inner, const Side& side,
               int64_t length) const {
    const ConvertFunction function = find_convert(scalar_type_of<To>, scalar_type_of<From>);
    const int64_t rows = by_columns_ ? length : 1;
    const int64_t count = side.width * side.parts * (by_columns_ ? 1 : length);
    for (int64_t i = 0; i < rows; i++) {
      function(reinterpret_cast<char*>(to + i * to_inner * side.parts),
               reinterpret_cast<const char*>(from + i * from_inner * side.parts), count);
    }
  }

  void read(int64_t group, T* block, int64_t rows, bool swapped) const {
    const int64_t length = call_.lines.from_length;
    const int64_t inner = call_.lines.inner;
    const Side from = side(group, length, call_.reads_reals());
    const R* const data = static_cast<const R*>(call_.lines.from) + from.first;
    if constexpr (kConverts) {
      T* const copy = block + 2 * block_;
      convert(copy, from.width, data, inner, from, length);
      kernels_.load(block, view(from, copy, length, from.width, swapped), rows);
    } else {
      kernels_.load(block, view(from, const_cast<R*>(data), length, inner, swapped), rows);
    }
  }
  void write(int64_t group, const T* block, int64_t rows, bool swapped,
             [[maybe_unused]] T* copy) const {
    const int64_t length = call_.lines.to_length;
    const int64_t inner = call_.lines.inner;
    const Side to = side(group, length, call_.writes_reals());
    R* const data = static_cast<R*>(call_.lines.to) + to.first;
    if constexpr (kConverts) {
      kernels_.store(view(to, copy, length, to.width, swapped), block, rows, call_.scale);
      convert(data, inner, copy, to.width, to, length);
    } else {
      kernels_.store(view(to, data, length, inner, swapped), block, rows, call_.scale);
    }
  }

  const Call& call_;
  const FftKernels& kernels_;
  const BlockPlan<T>& plan_;
  const RealPlan<T>* real_ = nullptr;
  int64_t length_;
  bool by_columns_;
  int64_t groups_across_;
  int64_t block_;
};

// ---- Lines one by one

// Spectra of real lines are split and joined by parts of so many elements.
constexpr int64_t kRealPart = 4096;

template <class T>
class SingleLines {
 public:
  SingleLines(const Call& call, Plan<T>& plan)
      : call_(call),
        kernels_(*kernels().find_fft(scalar_type_of<T>)),
        length_(plan.length()),
        shares_line_(length_ >= kLong),
        transform_(plan, shares_line_ ? num_threads() : 1) {
    if (call.kind != FftKind::ComplexToComplex) real_ = &plan.real();
    room_ = (transform_.room_bytes() + 63) / 64 * 64;
    if (call.writes_reals()) {
      joined_ = room_;
      room_ += (2 * (length_ + 1) * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    }
  }

  void run() const {
    const int64_t count = call_.lines.outer;
    const bool several = !shares_line_ && 8 * count * length_ > kParallelGrain;
    const int64_t share = quotient_up(count, several ? num_threads() : 1);
    const Chunks shares{share, quotient_up(count, share)};
    Memory memory;
    char* const room = memory.allocate(static_cast<size_t>(room_ * shares.number));
    const auto part = [&](int64_t chunk, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end && !interrupt_requested(); i++) {
        transform(i, room + chunk * room_);
      }
    };
    if (shares_line_) {
      part(0, 0, count);
    } else {
      parallel_chunks(count, shares, part);
    }
  }

 private:
  void transform(int64_t line, char* room) const {
    const FftLines& lines = call_.lines;
    const T* from = static_cast<const T*>(lines.from) +
                    line * lines.from_length * (call_.reads_reals() ? 1 : 2);
    T* const to =
        static_cast<T*>(lines.to) + line * lines.to_length * (call_.writes_reals() ? 1 : 2);
    const bool backward = !call_.forward;
    if (call_.writes_reals()) {
      T* const joined = reinterpret_cast<T*>(room + joined_);
      relate(true, joined, from);
      from = joined;
    }
    transform_.run({from, to, backward && !call_.writes_reals(), backward, call_.scale}, room);
    if (call_.reads_reals()) relate(false, to, to);
  }

  void relate(bool join, T* to, const T* from) const {
    const FftReal real = real_->with(join);
    const int64_t pairs = length_ / 2 + 1;
    if (!shares_line_) return kernels_.real_line(real, to, from, 0, pairs);
    const Chunks parts{kRealPart, quotient_up(pairs, kRealPart)};
    parallel_chunks(pairs, parts, [&](int64_t, int64_t begin, int64_t end) {
      kernels_.real_line(real, to, from, begin, end);
    });
  }

  const Call& call_;
  const FftKernels& kernels_;
  int64_t length_;
  bool shares_line_;
  LineTransform<T> transform_;
  const RealPlan<T>* real_ = nullptr;
  int64_t joined_ = 0;
  int64_t room_;
};

// ---- Plans

// The tables of roots take longer than a transform: those of the last ones are kept.
template <class T>
class Plans {
 public:
  Plan<T>& find(int64_t length) {
    const auto known = std::find_if(plans_.begin(), plans_.end(),
                                    [&](const Plan<T>& plan) { return plan.length() == length; });
    if (known != plans_.end()) {
      plans_.splice(plans_.begin(), plans_, known);
    } else {
      if (plans_.size() == kMost) plans_.pop_back();
      // A plan for a long convolution holds more than a line does, others much less.
      plans_.remove_if([](const Plan<T>& plan) {
        return plan.convolves() && plan.length() > kLongestConvolution;
      });
      plans_.emplace_front(length, *kernels().find_fft(scalar_type_of<T>));
    }
    return plans_.front();
  }

 private:
  static constexpr size_t kMost = 8;
  static constexpr int64_t kLongestConvolution = 1 << 18;
  std::list<Plan<T>> plans_;  // the one used last comes first
};

template <class T>
Plan<T>& find_plan(int64_t length) {
  static thread_local Plans<T> plans;
  return plans.find(length);
}

// ---- Calls

template <class R>
void run_lines(const Call& call, int64_t length);

// Neighbours that are too few or too long for blocks: as lines of their own.
template <class R>
void run_turned(Call call, int64_t length) {
  const FftLines lines = call.lines;
  const auto copy = [&](char* data, char* turned, bool real, int64_t line_length, bool back) {
    const ScalarType type = real ? scalar_type_of<R> : to_complex_type(scalar_type_of<R>);
    const int64_t bytes = lines.inner * line_length * static_cast<int64_t>(element_size(type));
    for (int64_t i = 0; i < lines.outer; i++, data += bytes, turned += bytes) {
      const Matrix columns{data, lines.inner, 1};
      const Matrix rows{turned, 1, line_length};
      copy_matrix(type, back ? columns : rows, type, back ? rows : columns, line_length,
                  lines.inner);
    }
  };
  Memory from_memory, to_memory;
  const ScalarType complex = to_complex_type(scalar_type_of<R>);
  const int64_t count = lines.outer * lines.inner;
  char* const from = make_room(from_memory, count * lines.from_length, complex);
  char* const to = call.kind == FftKind::ComplexToComplex
                       ? from
                       : make_room(to_memory, count * lines.to_length, complex);
  copy(static_cast<char*>(const_cast<void*>(lines.from)), from, call.reads_reals(),
       lines.from_length, false);
  call.lines = {from, to, count, 1, lines.from_length, lines.to_length};
  run_lines<R>(call, length);
  copy(static_cast<char*>(lines.to), to, call.writes_reals(), lines.to_length, true);
}

template <class R>
void run_lines(const Call& call, int64_t length) {
  const FftLines& lines = call.lines;
  const int64_t complex_length = call.complex_length(length);
  if (std::is_same_v<R, float> && complex_length <= kShort &&
      lines.outer * lines.inner * complex_length <= kFew) {
    return Blocks<double, R>(call, find_plan<double>(complex_length)).run();
  }
  Plan<R>& plan = find_plan<R>(complex_length);
  if (plan.in_blocks(lines.outer, lines.inner)) return Blocks<R, R>(call, plan).run();
  if (lines.inner > 1) return run_turned<R>(call, length);
  SingleLines<R>(call, plan).run();
}

// The second half of spectra of real numbers: it mirrors the first.
template <class C>
void mirror(C* numbers, int64_t outer, int64_t length, int64_t inner) {
  const int64_t half = (length - 1) / 2;
  if (half == 0) return;
  parallel_for(0, outer * half, std::max<int64_t>(1, kParallelGrain / inner),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; i++) {
                   C* const line = numbers + i / half * length * inner;
                   const C* const from = line + (1 + i % half) * inner;
                   C* const to = line + (length - 1 - i % half) * inner;
                   for (int64_t j = 0; j < inner; j++) to[j] = std::conj(from[j]);
                 }
               });
}

// Copies elements of every line, which has `to_length` of them, from the beginning on.
template <class To, class From>
void copy_lines(To* to, int64_t to_length, const From* from, int64_t from_length,
                const FftLines& lines) {
  const ConvertFunction convert = find_convert(scalar_type_of<To>, scalar_type_of<From>);
  const int64_t count = std::min(to_length, from_length) * lines.inner;
  parallel_for(0, lines.outer, std::max<int64_t>(1, kParallelGrain / count),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; i++) {
                   convert(reinterpret_cast<char*>(to + i * to_length * lines.inner),
                           reinterpret_cast<const char*>(from + i * from_length * lines.inner),
                           count);
                 }
               });
}

// Real lines of an odd length: as complex ones.
template <class R>
void run_odd(Call call, int64_t length) {
  using C = std::complex<R>;
  const FftLines lines = call.lines;
  const bool reads_reals = call.reads_reals();
  Memory memory;
  auto* const numbers = reinterpret_cast<C*>(
      make_room(memory, lines.outer * length * lines.inner, scalar_type_of<C>));
  call.kind = FftKind::ComplexToComplex;
  call.lines = {numbers, numbers, lines.outer, lines.inner, length, length};
  if (reads_reals) {
    copy_lines(numbers, length, static_cast<const R*>(lines.from), length, lines);
    run_lines<R>(call, length);
    copy_lines(static_cast<C*>(lines.to), lines.to_length, numbers, length, lines);
    return;
  }
  copy_lines(numbers, length, static_cast<const C*>(lines.from), lines.from_length, lines);
  for (int64_t i = 0; i < lines.outer; i++) {  // what has no partner is real
    C* const first = numbers + i * length * lines.inner;
    for (int64_t j = 0; j < lines.inner; j++) first[j] = first[j].real();
  }
  mirror(numbers, lines.outer, length, lines.inner);
  run_lines<R>(call, length);
  copy_lines(static_cast<R*>(lines.to), length, numbers, length, lines);
}

}  // namespace

template <class R>
void transform_lines(FftKind kind, const FftLines& lines, int64_t length, bool forward,
                     double scale) {
  if (lines.outer * lines.inner == 0) return;
  const Call call{kind, lines, forward, scale};
  if (kind != FftKind::ComplexToComplex && length % 2 != 0) {
    run_odd<R>(call, length);
  } else {
    run_lines<R>(call, length);
    if (call.reads_reals() && lines.to_length == length) {
      mirror(static_cast<std::complex<R>*>(lines.to), lines.outer, length, lines.inner);
    }
  }
  throw_if_interrupted();
}

template void transform_lines<float>(FftKind, const FftLines&, int64_t, bool, double);
template void transform_lines<double>(FftKind, const FftLines&, int64_t, bool, double);

}  // namespace tsc::cpu
