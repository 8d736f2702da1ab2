#include "ops/cpu/nn/upsample.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/strided.h"

namespace tsc::cpu {
namespace {

// Elements of a task's result: what it reads and writes stays in the second-level cache. Small
// results make some tasks, too, for several threads.
constexpr int64_t kTaskElements = 65536;
constexpr int64_t kFewestElements = 8192;
// Lines shorter than this are brought side by side before they are added.
constexpr int64_t kShortLine = 8;

constexpr int64_t kLinesInTask = 16;

// An axis with its weights as the kernels read them.
struct Axis {
  const UpsampleTaps* taps;
  std::vector<char> weights;

  Axis(const UpsampleTaps& the_taps, ScalarType compute) : taps(&the_taps) {
    if (compute == ScalarType::Double) {
      convert<double>();
    } else if (compute == ScalarType::Float) {
      convert<float>();
    } else {
      convert<int32_t>();
    }
  }
  // The inputs of outputs from `first` to before `last`: a range.
  std::array<int64_t, 2> inputs(int64_t first, int64_t last) const {
    if (!taps->present()) return {first, last};
    const auto begin = taps->index.begin() + taps->begin[static_cast<size_t>(first)];
    const auto end = taps->index.begin() + taps->begin[static_cast<size_t>(last)];
    if (begin == end) return {0, 0};
    const auto [least, most] = std::minmax_element(begin, end);
    return {*least, *most + 1};
  }

 private:
  template <class T>
  void convert() {
    weights.resize(taps->weight.size() * sizeof(T));
    T* const to = reinterpret_cast<T*>(weights.data());
    for (size_t i = 0; i < taps->weight.size(); i++) to[i] = static_cast<T>(taps->weight[i]);
  }
};

// The tasks of a call: some whole blocks of the outer dimension, or a part of one, cut along the
// first axis that is resized.
struct Tasks {
  int64_t blocks;  // of the outer dimension, in a task
  int64_t parts;   // of a block
  int64_t lead;    // the axis that is cut
  int64_t count;

  bool cut_lines() const { return lead == 2 && parts > 1; }
};

Tasks tasks_of(const Upsample& call) {
  int64_t lead = 0;
  while (lead < 2 && call.axes[static_cast<size_t>(lead)].out == 1 &&
         call.axes[static_cast<size_t>(lead)].in == 1) {
    lead++;
  }
  int64_t in = call.inner, out = call.inner;
  for (const UpsampleTaps& axis : call.axes) {
    in *= axis.in;
    out *= axis.out;
  }
  const int64_t work = std::max<int64_t>(std::max(in, out), 1);
  const int64_t extent = call.axes[static_cast<size_t>(lead)].out;
  const int64_t task =
      std::clamp(call.outer > kTaskElements / work ? kTaskElements : call.outer * work / 4,
                 kFewestElements, kTaskElements);
  int64_t blocks = std::max<int64_t>(1, task / 2 / work);
  // Parts of lines are short: those of some lines make a task.
  if (lead == 2) blocks = std::max(blocks, std::clamp<int64_t>(call.outer, 1, kLinesInTask));
  const int64_t parts = std::min((blocks * work + task - 1) / task, extent);
  return {blocks, parts, lead, (call.outer + blocks - 1) / blocks * parts};
}

class Passes {
 public:
  Passes(const Upsample& call, const std::array<Axis, 3>& axes, char* to, const char* from)
      : call_(call),
        axes_(axes),
        to_(to),
        from_(from),
        compute_(compute_type(call.type)),
        kernels_(*find_upsample(compute_)),
        size_(static_cast<int64_t>(element_size(compute_))),
        stored_size_(static_cast<int64_t>(element_size(call.type))),
        tasks_(tasks_of(call)) {
    if (compute_ != call.type) {
      widen_ = find_convert(compute_, call.type);
      narrow_ = find_convert(call.type, compute_);
    }
  }

  void run() const {
    parallel_for(0, tasks_.count, 1, [&](int64_t begin, int64_t end) {
      Memory memory;
      for (int64_t task = begin; task < end; task++) {
        throw_if_interrupted();
        run_task(task, memory);
      }
    });
  }

 private:
  struct Memory {
    std::vector<char> source, result, lines, sums;
    std::vector<char> between[2];
  };

  static char* bytes(std::vector<char>& memory, int64_t count) {
    if (static_cast<int64_t>(memory.size()) < count) memory.resize(static_cast<size_t>(count));
    return memory.data();
  }

  UpsampleKernels::Pass pass_function() const {
    switch (call_.sum) {
      case UpsampleSum::interpolate:
      case UpsampleSum::bilinear: return kernels_.interpolate;
      case UpsampleSum::filter: return kernels_.filter;
      case UpsampleSum::gradient: return kernels_.gradient;
    }
    return nullptr;
  }

  // One axis of `outer` times `inner` lines; lines shorter than a vector lie side by side.
  void run_pass(char* to, const char* from, UpsamplePass pass, Memory& memory) const {
    const auto function = pass_function();
    const int64_t block = 64 / size_;
    if (pass.inner >= kShortLine || pass.outer < 4) return function(to, from, pass);
    const int64_t outer = pass.outer, inner = pass.inner;
    const int64_t in = pass.extent * inner, out = (pass.last - pass.first) * inner;
    char* const lines = bytes(memory.lines, in * block * size_);
    char* const sums = bytes(memory.sums, out * block * size_);
    for (int64_t row = 0; row < outer; row += block) {
      const int64_t rows = std::min(block, outer - row);
      gather(lines, {const_cast<char*>(from) + row * in * size_, in * size_, size_},
             static_cast<size_t>(size_), rows, in);
      pass.outer = 1;
      pass.inner = inner * rows;
      function(sums, lines, pass);
      gather(to + row * out * size_, {sums, rows * size_, size_}, static_cast<size_t>(size_), out,
             rows);
    }
  }

  UpsamplePass pass_of(const Axis& axis) const {
    const UpsampleTaps& taps = *axis.taps;
    return {.begin = taps.begin.data(),
            .index = taps.index.data(),
            .weight = axis.weights.data(),
            .precision = taps.precision,
            .first = 0,
            .last = taps.out,
            .origin = 0,
            .extent = taps.in,
            .outer = 1,
            .inner = call_.inner};
  }

  // Outputs of some lines, from `first` to before `last`.
  void run_lines(int64_t line, int64_t lines, int64_t first, int64_t last, Memory& memory) const {
    if (call_.width_taps == nullptr) {
      UpsamplePass pass = pass_of(axes_[2]);
      pass.first = first;
      pass.last = last;
      return run_lines(line, lines, pass, axes_[2].inputs(first, last), first, memory);
    }
    const UpsampleTaps taps = call_.width_taps(first, last);
    const Axis axis(taps, compute_);
    UpsamplePass pass = pass_of(axis);
    pass.last = last - first;
    run_lines(line, lines, pass, {taps.index.front(), taps.index.back() + 1}, first, memory);
  }
  void run_lines(int64_t line, int64_t lines, UpsamplePass pass, std::array<int64_t, 2> inputs,
                 int64_t first, Memory& memory) const {
    const UpsampleTaps& taps = call_.axes[2];
    pass.origin = inputs[0];
    pass.extent = inputs[1] - inputs[0];
    pass.inner *= lines;
    const int64_t in = pass.extent * call_.inner;
    const int64_t out = (pass.last - pass.first) * call_.inner;
    const char* from = from_ + (line * taps.in + pass.origin) * call_.inner * stored_size_;
    char* const to = to_ + (line * taps.out + first) * call_.inner * stored_size_;
    int64_t from_line = taps.in * call_.inner * stored_size_;
    const int64_t to_line = taps.out * call_.inner * stored_size_;
    if (widen_ != nullptr) {
      char* const wide = bytes(memory.source, lines * in * size_);
      for (int64_t l = 0; l < lines; l++) widen_(wide + l * in * size_, from + l * from_line, in);
      from = wide;
      from_line = in * size_;
    }
    const auto size = static_cast<size_t>(size_);
    char* const gathered = bytes(memory.lines, lines * in * size_);
    char* const sums = bytes(memory.sums, lines * out * size_);
    gather(gathered, {const_cast<char*>(from), from_line, size_}, size, lines, in);
    pass_function()(sums, gathered, pass);
    char* const result = narrow_ == nullptr ? to : bytes(memory.result, lines * out * size_);
    const int64_t result_line = narrow_ == nullptr ? to_line : out * size_;
    with_word(size, [&](auto word) {
      copy_transposed<decltype(word)>(result, result_line, sums, lines * size_, out, lines);
    });
    for (int64_t l = 0; l < lines && narrow_ != nullptr; l++) {
      narrow_(to + l * to_line, result + l * result_line, out);
    }
  }

  void run_task(int64_t task, Memory& memory) const {
    const int64_t block = task / tasks_.parts * tasks_.blocks;
    const int64_t blocks = std::min(tasks_.blocks, call_.outer - block);
    const int64_t part = task % tasks_.parts;
    const auto lead = static_cast<size_t>(tasks_.lead);
    const int64_t extent = call_.axes[lead].out;
    const int64_t first = extent * part / tasks_.parts;
    const int64_t last = extent * (part + 1) / tasks_.parts;
    if (tasks_.cut_lines()) {
      return run_lines(block, blocks, first, last, memory);
    }
    const auto [begin, end] = tasks_.parts == 1 ? std::array<int64_t, 2>{0, call_.axes[lead].in}
                                                : axes_[lead].inputs(first, last);
    int64_t in_block = call_.inner, out_block = call_.inner;  // elements of one of the lead axis
    for (size_t axis = lead + 1; axis < 3; axis++) {
      in_block *= call_.axes[axis].in;
      out_block *= call_.axes[axis].out;
    }
    const char* from = from_ + (block * call_.axes[lead].in + begin) * in_block * stored_size_;
    char* const end_to = to_ + (block * extent + first) * out_block * stored_size_;
    const int64_t in_count = blocks * (end - begin) * in_block;
    const int64_t out_count = blocks * (last - first) * out_block;
    if (widen_ != nullptr) {
      char* const wide = bytes(memory.source, in_count * size_);
      widen_(wide, from, in_count);
      from = wide;
    }
    char* const to = narrow_ == nullptr ? end_to : bytes(memory.result, out_count * size_);

    std::array<int64_t, 3> sizes;
    for (size_t axis = 0; axis < 3; axis++) sizes[axis] = call_.axes[axis].in;
    sizes[lead] = end - begin;
    int64_t left = std::count_if(call_.axes.begin(), call_.axes.end(),
                                 [](const UpsampleTaps& axis) { return axis.present(); });
    int64_t inner = call_.inner;
    for (size_t axis = 3; axis-- > 0;) {
      const UpsampleTaps& taps = *axes_[axis].taps;
      if (taps.present()) {
        const bool leads = axis == lead;
        UpsamplePass pass = pass_of(axes_[axis]);
        if (leads) {
          pass.first = first;
          pass.last = last;
          pass.origin = begin;
        }
        pass.extent = sizes[axis];
        pass.outer = blocks;
        pass.inner = inner;
        for (size_t before = 0; before < axis; before++) pass.outer *= sizes[before];
        left--;
        char* const next = left == 0 ? to
                                     : bytes(memory.between[left % 2],
                                             pass.outer * inner * (pass.last - pass.first) * size_);
        run_pass(next, from, pass, memory);
        from = next;
        sizes[axis] = pass.last - pass.first;
      }
      inner *= sizes[axis];
    }
    if (narrow_ != nullptr) narrow_(end_to, to, out_count);
  }

  const Upsample& call_;
  const std::array<Axis, 3>& axes_;
  char* to_;
  const char* from_;
  ScalarType compute_;
  const UpsampleKernels& kernels_;
  int64_t size_;
  int64_t stored_size_;
  Tasks tasks_;
  ConvertFunction widen_ = nullptr;
  ConvertFunction narrow_ = nullptr;
};

// Images, whose four inputs of an element are added up at once.
template <class T>
class Bilinear {
 public:
  Bilinear(const Upsample& call, char* to, const char* from)
      : call_(call),
        to_(to),
        from_(from),
        kernels_(*find_upsample(scalar_type_of<T>)),
        stored_size_(static_cast<int64_t>(element_size(call.type))),
        rows_(call.axes[1]),
        columns_(call.axes[2]),
        in_(columns_.in * call.inner),
        out_(columns_.out * call.inner),
        expands_(call.inner < kShortLine) {
    if (scalar_type_of<T> != call.type) {
      widen_ = find_convert(scalar_type_of<T>, call.type);
      narrow_ = find_convert(call.type, scalar_type_of<T>);
    }
    weights_.assign(columns_.weight.begin(), columns_.weight.end());
    for (size_t side = 0; side < 2 && expands_; side++) {
      side_weights_[side].reserve(static_cast<size_t>(out_));
      side_index_[side].reserve(static_cast<size_t>(out_));
      for (size_t o = 0; o < static_cast<size_t>(columns_.out); o++) {
        for (int64_t c = 0; c < call.inner; c++) {
          side_weights_[side].push_back(weights_[2 * o + side]);
          side_index_[side].push_back(columns_.index[2 * o + side] * call.inner + c);
        }
      }
    }
  }

  void run() const {
    const int64_t grain = std::max<int64_t>(1, kParallelGrain / std::max<int64_t>(out_, 1));
    parallel_for(0, call_.outer * rows_.out, grain, [&](int64_t begin, int64_t end) {
      Memory memory(*this);
      for (int64_t row = begin; row < end; row++) {
        throw_if_interrupted();
        run_row(row, memory);
      }
    });
  }

 private:
  // The two input rows that were read last: a row's place is its number's lowest bit.
  struct Memory {
    explicit Memory(const Bilinear& of)
        : source(of.widen_ == nullptr ? 0 : static_cast<size_t>(2 * of.in_)),
          result(of.narrow_ == nullptr ? 0 : static_cast<size_t>(of.out_)),
          expanded(of.expands_ ? static_cast<size_t>(4 * of.out_) : 0) {}
    std::vector<T> source;
    std::vector<T> result;
    std::vector<T> expanded;
    int64_t held[2] = {-1, -1};
  };

  void run_row(int64_t row, Memory& memory) const {
    const int64_t block = row / rows_.out;
    const auto o = static_cast<size_t>(row % rows_.out);
    BilinearRows<T> rows;
    for (size_t side = 0; side < 2; side++) {
      const int64_t number = block * rows_.in + rows_.index[2 * o + side];
      const auto place = static_cast<size_t>(rows_.index[2 * o + side] & 1);
      const bool is_new = memory.held[place] != number;
      memory.held[place] = number;
      const char* const stored = from_ + number * in_ * stored_size_;
      const T* from = reinterpret_cast<const T*>(stored);
      if (widen_ != nullptr) {
        T* const wide = memory.source.data() + static_cast<int64_t>(place) * in_;
        if (is_new) widen_(reinterpret_cast<char*>(wide), stored, in_);
        from = wide;
      }
      rows.weight[side] = static_cast<T>(rows_.weight[2 * o + side]);
      rows.left[side] = rows.right[side] = from;
      if (expands_) {
        T* const left = memory.expanded.data() + static_cast<int64_t>(2 * place) * out_;
        if (is_new) {
          expand(left, from, side_index_[0]);
          expand(left + out_, from, side_index_[1]);
        }
        rows.left[side] = left;
        rows.right[side] = left + out_;
      }
    }
    char* const end = to_ + row * out_ * stored_size_;
    char* const to = narrow_ == nullptr ? end : reinterpret_cast<char*>(memory.result.data());
    if (expands_) {
      kernels_.bilinear_row(to, &rows, reinterpret_cast<const char*>(side_weights_[0].data()),
                            reinterpret_cast<const char*>(side_weights_[1].data()), out_);
    } else {
      kernels_.bilinear_pixels(to, &rows, columns_.index.data(),
                               reinterpret_cast<const char*>(weights_.data()), columns_.out,
                               call_.inner);
    }
    if (narrow_ != nullptr) narrow_(end, to, out_);
  }

  static void expand(T* to, const T* from, const std::vector<int64_t>& index) {
    for (size_t i = 0; i < index.size(); i++) to[i] = from[index[i]];
  }

  const Upsample& call_;
  char* to_;
  const char* from_;
  const UpsampleKernels& kernels_;
  int64_t stored_size_;
  const UpsampleTaps& rows_;
  const UpsampleTaps& columns_;
  int64_t in_;
  int64_t out_;
  bool expands_;
  std::vector<T> weights_;
  std::vector<T> side_weights_[2];
  std::vector<int64_t> side_index_[2];
  ConvertFunction widen_ = nullptr;
  ConvertFunction narrow_ = nullptr;
};

}  // namespace

UpsampleTaps transposed(const UpsampleTaps& taps) {
  UpsampleTaps result;
  result.in = taps.out;
  result.out = taps.in;
  if (!taps.present()) return result;
  result.begin.assign(static_cast<size_t>(taps.in) + 1, 0);
  for (const int64_t i : taps.index) result.begin[static_cast<size_t>(i) + 1]++;
  for (size_t i = 1; i < result.begin.size(); i++) result.begin[i] += result.begin[i - 1];
  result.index.resize(taps.index.size());
  result.weight.resize(taps.index.size());
  std::vector<int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (int64_t o = 0; o < taps.out; o++) {
    for (int64_t k = taps.begin[static_cast<size_t>(o)]; k < taps.begin[static_cast<size_t>(o) + 1];
         k++) {
      const auto place =
          static_cast<size_t>(next[static_cast<size_t>(taps.index[static_cast<size_t>(k)])]++);
      result.index[place] = o;
      result.weight[place] = taps.weight[static_cast<size_t>(k)];
    }
  }
  return result;
}

void upsample(Upsample call, char* to, const char* from) {
  const ScalarType compute = compute_type(call.type);
  // The taps of short lines are made once.
  if (call.width_taps != nullptr && !tasks_of(call).cut_lines()) {
    call.axes[2] = std::exchange(call.width_taps, nullptr)(0, call.axes[2].out);
  }
  if (call.width_taps == nullptr &&
      std::none_of(call.axes.begin(), call.axes.end(),
                   [](const UpsampleTaps& axis) { return axis.present(); })) {
    int64_t bytes = call.outer * call.inner * static_cast<int64_t>(element_size(call.type));
    for (const UpsampleTaps& axis : call.axes) bytes *= axis.out;
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  if (call.sum == UpsampleSum::bilinear && compute == ScalarType::Float) {
    Bilinear<float>(call, to, from).run();
  } else if (call.sum == UpsampleSum::bilinear && compute == ScalarType::Double) {
    Bilinear<double>(call, to, from).run();
  } else {
    const std::array<Axis, 3> axes = {Axis(call.axes[0], compute), Axis(call.axes[1], compute),
                                      Axis(call.axes[2], compute)};
    Passes(call, axes, to, from).run();
  }
}

}  // namespace tsc::cpu
