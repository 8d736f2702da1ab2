// Loops over several threads.
//
// A range is cut into chunks by its size alone, never by the number of threads, so that a result
// that depends on the cut (a sum of partial sums) is the same on every machine. Bodies make no
// tensors. An exception thrown by a body ends the loop, which rethrows it.
//
// Ctrl-C ends a loop between two chunks; a body that works on a chunk for long checks the flag, too
// (core/system/interrupt.h), and returns or throws. The loop then throws KeyboardInterrupt.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/macros.h"

namespace tsc {

// A borrowed callable: for parameters only.
template <class Signature>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the requirement says so
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F&& function)
      : object_(const_cast<void*>(static_cast<const void*>(&function))),
        call_([](void* object, A... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(arguments)...);
        }) {}

  R operator()(A... arguments) const { return call_(object_, std::forward<A>(arguments)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

// The number of elements of simple arithmetic that make another thread worth waking.
inline constexpr int64_t kParallelGrain = 32768;

// How [0, count) is cut: into chunks of `size`, of which the last may be shorter.
struct Chunks {
  int64_t size;
  int64_t number;
};
// Chunks of about `grain` elements; their number is rounded up to a power of two, so that two, four
// or more threads get equal shares, and is at most 64. Long chunks are whole vectors and cache
// lines.
constexpr Chunks cut_into_chunks(int64_t count, int64_t grain) {
  constexpr uint64_t kMostChunks = 64;
  if (count <= 0) return {1, 0};
  if (grain < 1) grain = 1;
  const auto grains = static_cast<uint64_t>((count + grain - 1) / grain);
  const auto wanted = static_cast<int64_t>(std::min(std::bit_ceil(grains), kMostChunks));
  int64_t size = (count + wanted - 1) / wanted;
  if (size >= 64) size = (size + 15) / 16 * 16;
  return {size, (count + size - 1) / size};
}

// Calls f(begin, end) for each chunk of [begin, end), on several threads where there is more than
// one chunk.
TSC_API void parallel_for(int64_t begin, int64_t end, int64_t grain,
                          FunctionRef<void(int64_t, int64_t)> f);

// The same, with the number of the chunk, from 0, as the first argument: a place for its partial
// result.
TSC_API void parallel_chunks(int64_t count, Chunks chunks,
                             FunctionRef<void(int64_t, int64_t, int64_t)> f);

// The number of threads that loops may use, the calling one included.
TSC_API int num_threads();
TSC_API void set_num_threads(int threads);

}  // namespace tsc
