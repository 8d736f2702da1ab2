#include "ops/indexing/put_blocks.h"

#include <algorithm>
#include <cstring>

#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "ops/cpu/kernels.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/memory_overlap.h"
#include "ops/structured/strided_walk.h"

namespace tsc {

std::vector<int64_t> all_offsets(IntArrayRef sizes, IntArrayRef strides) {
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(product(sizes)));
  strided_walk<1>(sizes, {strides},
                  [&](const std::array<int64_t, 1>& at) { offsets.push_back(at[0]); });
  return offsets;
}

namespace {

// The dimension of `sizes` whose elements are nearest to each other; none: the number of them.
size_t nearest(IntArrayRef sizes, IntArrayRef strides) {
  size_t found = sizes.size();
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && (found == sizes.size() || strides[d] < strides[found])) {
      found = d;
    }
  }
  return found;
}

template <class T>
class Put {
 public:
  Put(const Tensor& self, const IndexPlan& plan, const Tensor& source)
      : to_(self.data_ptr<T>()),
        from_(source.data_ptr<T>()),
        copy_(self.dtype(), self.dtype()),
        places_(plan.offsets),
        is_shared_(has_internal_overlap(self)) {
    const size_t before = plan.before_sizes.size();
    const size_t indices = plan.index_sizes.size();
    const IntArrayRef strides = source.strides();
    place_sources_ = all_offsets(plan.index_sizes, strides.slice(before, indices));
    DimVector sizes(plan.before_sizes);
    DimVector to(plan.before_strides);
    DimVector from(strides.slice(0, before));
    const size_t inner = nearest(plan.behind_sizes, plan.behind_strides);
    for (size_t d = 0; d < plan.behind_sizes.size(); d++) {
      const int64_t source_stride = strides[before + indices + d];
      if (d == inner) {
        count_ = plan.behind_sizes[d];
        to_step_ = plan.behind_strides[d];
        from_step_ = source_stride;
        continue;
      }
      sizes.push_back(plan.behind_sizes[d]);
      to.push_back(plan.behind_strides[d]);
      from.push_back(source_stride);
    }
    starts_ = all_offsets(sizes, to);
    start_sources_ = all_offsets(sizes, from);
  }

  void run() const {
    const auto starts = static_cast<int64_t>(starts_.size());
    const auto places = static_cast<int64_t>(places_.size());
    // Indices may repeat, so threads have all of them, and columns of their own.
    if (places_are_nearer()) {
      const int64_t lines = starts * count_;
      parallel_for(0, lines, is_shared_ ? lines : kParallelGrain / places + 1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; i++) line(i / count_, i % count_);
                   });
      return;
    }
    constexpr int64_t kFewColumns = 64;
    const bool is_short = is_shared_ || starts * places * count_ < 2 * kParallelGrain;
    const int64_t threads = is_short ? 1 : num_threads();
    const int64_t share = std::max(kFewColumns, (count_ + threads - 1) / threads);
    const Chunks chunks = {share, (count_ + share - 1) / share};
    parallel_chunks(count_, chunks, [&](int64_t, int64_t begin, int64_t end) {
      for (size_t i = 0; i < starts_.size(); i++) {
        for (size_t j = 0; j < places_.size(); j++) {
          throw_if_interrupted();
          columns(to_ + starts_[i] + places_[j], from_ + start_sources_[i] + place_sources_[j],
                  begin, end);
        }
      }
    });
  }

 private:
  bool places_are_nearer() const {
    if (count_ == 1) {
      return true;
    }
    const auto [least, most] = std::minmax_element(places_.begin(), places_.end());
    return (*most - *least) / static_cast<int64_t>(places_.size()) < to_step_;
  }

  // One element at all places.
  void line(int64_t start, int64_t column) const {
    const auto at = static_cast<size_t>(start);
    T* const to = to_ + starts_[at] + column * to_step_;
    const T* const from = from_ + start_sources_[at] + column * from_step_;
    for_pieces(static_cast<int64_t>(places_.size()), [&](int64_t begin, int64_t end) {
      for (auto j = static_cast<size_t>(begin); j < static_cast<size_t>(end); j++) {
        to[places_[j]] = from[place_sources_[j]];
      }
    });
  }

  // Some elements at one place.
  void columns(T* to, const T* from, int64_t begin, int64_t end) const {
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    char* const data[] = {
        reinterpret_cast<char*>(to + begin * to_step_),
        const_cast<char*>(reinterpret_cast<const char*>(from + begin * from_step_))};
    const int64_t steps[] = {to_step_ * kSize, from_step_ * kSize, 0, 0};
    copy_(data, steps, end - begin, 1);
  }

  T* to_;
  const T* from_;
  cpu::CopyLoop copy_;
  const std::vector<int64_t>& places_;
  std::vector<int64_t> place_sources_;
  // All dimensions but the indices' and the innermost one of those behind them.
  std::vector<int64_t> starts_;
  std::vector<int64_t> start_sources_;
  int64_t count_ = 1;
  int64_t to_step_ = 0;
  int64_t from_step_ = 0;
  bool is_shared_;
};

}  // namespace

void put_blocks(const Tensor& self, const IndexPlan& plan, const Tensor& source) {
  if (source.numel() == 0) {
    return;
  }
  dispatch_item_size(self.itemsize(), [&]<class T>() { Put<T>(self, plan, source).run(); });
}

}  // namespace tsc
