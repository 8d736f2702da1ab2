#include "ops/cpu/nn/nll_loss.h"

#include <cstring>
#include <vector>

#include "core/dispatch_types.h"
#include "core/system/parallel.h"

namespace tsc::cpu {

namespace {

template <class T>
using Wider = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
Wider<T> weight_of(const NllLoss& call, int64_t target) {
  return call.weight == nullptr
             ? Wider<T>(1)
             : static_cast<Wider<T>>(reinterpret_cast<const T*>(call.weight)[target]);
}

}  // namespace

void nll_loss(const NllLoss& call, char* loss_bytes, char* total_bytes, const char* in_bytes,
              BadIndex& bad) {
  dispatch_floating_types(call.type, "nll_loss", [&]<class T>() {
    const T* const in = reinterpret_cast<const T*>(in_bytes);
    T* const losses = reinterpret_cast<T*>(loss_bytes);
    const int64_t classes = call.shape.size;
    const int64_t places = call.shape.inner;
    // The sums of parts, of which each is one thread's.
    struct Part {
      double sum = 0;
      double total = 0;
      int64_t bad_target = 0;
      bool has_bad = false;
    };
    const int64_t count = call.shape.outer * places;
    const Chunks chunks = cut_into_chunks(count, kParallelGrain / 4);
    std::vector<Part> parts(static_cast<size_t>(chunks.number));
    parallel_chunks(count, chunks, [&](int64_t chunk, int64_t begin, int64_t end) {
      Part part;
      int64_t outer = begin / places;
      int64_t place = begin % places;
      for (int64_t i = begin; i < end && !part.has_bad; i++) {
        const int64_t target = call.target[i];
        double loss = 0;
        if (target != call.ignore_index) {
          if (target < 0 || target >= classes) {
            part.has_bad = true;
            part.bad_target = target;
            break;
          }
          const auto weight = weight_of<T>(call, target);
          const auto log = static_cast<Wider<T>>(in[(outer * classes + target) * places + place]);
          loss = static_cast<double>(-log * weight);
          part.total += static_cast<double>(weight);
        }
        part.sum += loss;
        if (call.reduction == LossReduction::none) losses[i] = static_cast<T>(loss);
        if (++place == places) {
          place = 0;
          outer++;
        }
      }
      parts[static_cast<size_t>(chunk)] = part;
    });
    double sum = 0;
    double total = 0;
    for (const Part& part : parts) {
      if (part.has_bad) {
        bad.found = true;
        bad.index = part.bad_target;
        bad.size = classes;
        return;
      }
      sum += part.sum;
      total += part.total;
    }
    T* const total_weight = reinterpret_cast<T*>(total_bytes);
    *total_weight = static_cast<T>(call.reduction == LossReduction::none ? 0 : total);
    if (call.reduction == LossReduction::mean) *losses = static_cast<T>(sum / total);
    if (call.reduction == LossReduction::sum) *losses = static_cast<T>(sum);
  });
}

void nll_loss_backward(const NllLoss& call, char* gradient_bytes, const char* loss_gradient,
                       const char* total_bytes) {
  dispatch_floating_types(call.type, "nll_loss_backward", [&]<class T>() {
    T* const gradient = reinterpret_cast<T*>(gradient_bytes);
    const T* const of_loss = reinterpret_cast<const T*>(loss_gradient);
    const int64_t classes = call.shape.size;
    const int64_t places = call.shape.inner;
    std::memset(gradient_bytes, 0, static_cast<size_t>(call.shape.numel()) * sizeof(T));
    const auto total = static_cast<Wider<T>>(*reinterpret_cast<const T*>(total_bytes));
    for (int64_t i = 0; i < call.shape.outer * places; i++) {
      const int64_t target = call.target[i];
      if (target == call.ignore_index || target < 0 || target >= classes) continue;
      auto value = -weight_of<T>(call, target) *
                   static_cast<Wider<T>>(of_loss[call.reduction == LossReduction::none ? i : 0]);
      if (call.reduction == LossReduction::mean) value /= total;
      gradient[(i / places * classes + target) * places + i % places] = static_cast<T>(value);
    }
  });
}

}  // namespace tsc::cpu
