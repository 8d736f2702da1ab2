#include "ops/cpu/spectral/fft.h"

#include <algorithm>
#include <list>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/matrix/product.h"
#include "ops/cpu/spectral/fft_line.h"
#include "ops/cpu/spectral/fft_side_by_side.h"

namespace tsc::cpu {
namespace {

// Short lines of floats, if they are few, are transformed in double: it costs nothing there, and
// spectra of simple signals are simple numbers.
constexpr int64_t kShort = 64;
constexpr int64_t kFew = 4096;  // elements
// A line of this length is divided among several threads.
constexpr int64_t kLong = 1 << 15;

int64_t quotient_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }

// ---- Lines one by one

// Spectra of real lines are split and joined by parts of so many elements.
constexpr int64_t kRealPart = 4096;

template <class T>
class SingleLines {
 public:
  SingleLines(const FftCall& call, Plan<T>& plan)
      : call_(call),
        kernels_(*find_fft(scalar_type_of<T>)),
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

  const FftCall& call_;
  const FftKernels& kernels_;
  int64_t length_;
  bool shares_line_;
  LineTransform<T> transform_;
  const RealPlan<T>* real_ = nullptr;
  int64_t joined_ = 0;
  int64_t room_;
};

// ---- Plans

// Tables of roots take longer than a transform, so the last ones used are kept.
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
      // A plan for a long convolution holds more than one line of memory, others much less.
      plans_.remove_if([](const Plan<T>& plan) {
        return plan.convolves() && plan.length() > kLongestConvolution;
      });
      plans_.emplace_front(length, *find_fft(scalar_type_of<T>));
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
void run_lines(const FftCall& call, int64_t length);

// Copies between neighbouring lines and lines that follow one another.
void copy_turned(ScalarType type, bool turns_back, const FftLines& lines, int64_t length,
                 char* neighbours, char* lines_apart) {
  const int64_t bytes = lines.inner * length * static_cast<int64_t>(element_size(type));
  for (int64_t i = 0; i < lines.outer; i++, neighbours += bytes, lines_apart += bytes) {
    const Matrix columns{neighbours, lines.inner, 1};
    const Matrix rows{lines_apart, 1, length};
    copy_matrix(type, turns_back ? columns : rows, type, turns_back ? rows : columns, length,
                lines.inner);
  }
}

// Neighbouring lines too few or too long for blocks are copied to follow one another.
template <class R>
void run_turned(FftCall call, int64_t length) {
  const FftLines lines = call.lines;
  const ScalarType real = scalar_type_of<R>, complex = to_complex_type(real);
  const int64_t count = lines.outer * lines.inner;
  const bool turns_back = lines.to_inner > 1;
  Memory from_memory, to_memory;
  char* const from = make_room(from_memory, count * lines.from_length, complex);
  char* to = static_cast<char*>(lines.to);
  if (turns_back) {
    to = call.kind == FftKind::ComplexToComplex
             ? from
             : make_room(to_memory, count * lines.to_length, complex);
  }
  copy_turned(call.reads_reals() ? real : complex, false, lines, lines.from_length,
              static_cast<char*>(const_cast<void*>(lines.from)), from);
  call.lines = {from, to, count, 1, 1, lines.from_length, lines.to_length};
  run_lines<R>(call, length);
  if (turns_back) {
    copy_turned(call.writes_reals() ? real : complex, true, lines, lines.to_length,
                static_cast<char*>(lines.to), to);
  }
}

template <class R>
void run_lines(const FftCall& call, int64_t length) {
  const FftLines& lines = call.lines;
  const int64_t complex_length = call.complex_length(length);
  if (std::is_same_v<R, float> && complex_length <= kShort &&
      lines.outer * lines.inner * complex_length <= kFew) {
    return transform_side_by_side<double, R>(call, find_plan<double>(complex_length));
  }
  Plan<R>& plan = find_plan<R>(complex_length);
  if (plan.in_blocks(lines.outer, lines.inner)) return transform_side_by_side<R, R>(call, plan);
  if (lines.inner > 1) return run_turned<R>(call, length);
  SingleLines<R>(call, plan).run();
}

// Fills the second half of spectra of real numbers, which mirrors the first.
template <class C>
void mirror(C* numbers, int64_t outer, int64_t length, int64_t inner) {
  const int64_t half = (length - 1) / 2;
  if (half == 0) return;
  const auto grain = std::max<int64_t>(1, kParallelGrain / inner);
  parallel_for(0, outer * half, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      C* const line = numbers + i / half * length * inner;
      const int64_t first = i % half;
      const int64_t last = std::min(half, first + end - i);
      const C* from = line + (1 + first) * inner;
      C* to = line + (length - 1 - first) * inner;
      for (int64_t k = first; k < last; k++, from += inner, to -= inner) {
        for (int64_t j = 0; j < inner; j++) to[j] = std::conj(from[j]);
      }
      i += last - first;
    }
  });
}

// Copies the first `to_length` elements of every line.
template <class To, class From>
void copy_lines(To* to, int64_t to_length, const From* from, int64_t from_length, int64_t outer,
                int64_t inner) {
  const ConvertFunction convert = find_convert(scalar_type_of<To>, scalar_type_of<From>);
  const int64_t count = std::min(to_length, from_length) * inner;
  parallel_for(0, outer, std::max<int64_t>(1, kParallelGrain / count),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; i++) {
                   convert(reinterpret_cast<char*>(to + i * to_length * inner),
                           reinterpret_cast<const char*>(from + i * from_length * inner), count);
                 }
               });
}

// Transforms real lines of an odd length as complex ones.
template <class R>
void run_odd(FftCall call, int64_t length) {
  using C = std::complex<R>;
  const FftLines lines = call.lines;
  const int64_t inner = lines.inner, to_inner = lines.to_inner;
  const int64_t to_outer = lines.outer * inner / to_inner;
  const int64_t count = lines.outer * length * inner;
  Memory from_memory, to_memory;
  auto* const from = reinterpret_cast<C*>(make_room(from_memory, count, scalar_type_of<C>));
  auto* to = from;
  if (to_inner != inner) {
    to = reinterpret_cast<C*>(make_room(to_memory, count, scalar_type_of<C>));
  }
  if (call.reads_reals()) {
    copy_lines(from, length, static_cast<const R*>(lines.from), length, lines.outer, inner);
  } else {
    copy_lines(from, length, static_cast<const C*>(lines.from), lines.from_length, lines.outer,
               inner);
    for (int64_t i = 0; i < lines.outer; i++) {  // elements without a partner are real
      C* const first = from + i * length * inner;
      for (int64_t j = 0; j < inner; j++) first[j] = first[j].real();
    }
    mirror(from, lines.outer, length, inner);
  }
  const bool writes_reals = call.writes_reals();
  call.kind = FftKind::ComplexToComplex;
  call.lines = {from, to, lines.outer, inner, to_inner, length, length};
  run_lines<R>(call, length);
  if (writes_reals) {
    copy_lines(static_cast<R*>(lines.to), length, to, length, to_outer, to_inner);
  } else {
    copy_lines(static_cast<C*>(lines.to), lines.to_length, to, length, to_outer, to_inner);
  }
}

// A line of one element is its own spectrum.
template <class To, class From, class R>
void scale_elements(To* to, const From* from, int64_t count, R scale) {
  parallel_for(0, count, kParallelGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      if constexpr (std::is_same_v<To, R> && !std::is_same_v<From, R>) {
        to[i] = from[i].real() * scale;
      } else {
        to[i] = from[i] * scale;
      }
    }
  });
}
template <class R>
void transform_elements(FftKind kind, const FftLines& lines, double scale) {
  using C = std::complex<R>;
  const int64_t count = lines.outer * lines.inner;
  const auto factor = static_cast<R>(scale);
  if (kind == FftKind::RealToComplex) {
    scale_elements(static_cast<C*>(lines.to), static_cast<const R*>(lines.from), count, factor);
  } else if (kind == FftKind::ComplexToReal) {
    scale_elements(static_cast<R*>(lines.to), static_cast<const C*>(lines.from), count, factor);
  } else {
    scale_elements(static_cast<C*>(lines.to), static_cast<const C*>(lines.from), count, factor);
  }
}

}  // namespace

template <class R>
void transform_lines(FftKind kind, const FftLines& lines, int64_t length, bool forward,
                     double scale) {
  if (lines.outer * lines.inner == 0) return;
  if (length == 1 && lines.from_length == 1 && lines.to_length == 1) {
    return transform_elements<R>(kind, lines, scale);
  }
  const FftCall call{kind, lines, forward, scale};
  if (kind != FftKind::ComplexToComplex && length % 2 != 0) {
    run_odd<R>(call, length);
  } else {
    run_lines<R>(call, length);
    if (call.reads_reals() && lines.to_length == length) {
      mirror(static_cast<std::complex<R>*>(lines.to), lines.outer * lines.inner / lines.to_inner,
             length, lines.to_inner);
    }
  }
  throw_if_interrupted();
}

template void transform_lines<float>(FftKind, const FftLines&, int64_t, bool, double);
template void transform_lines<double>(FftKind, const FftLines&, int64_t, bool, double);

}  // namespace tsc::cpu
