// The negative log likelihood of given classes, and its gradient.
#pragma once

#include "core/scalar_type.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/cpu/lines.h"

namespace tsc::cpu {

enum class LossReduction : uint8_t { none, mean, sum };

struct NllLoss {
  // Log probabilities are contiguous lines of classes: [batch, classes, places].
  LineShape shape;
  ScalarType type;        // of log probabilities, weights, losses and gradients
  const int64_t* target;  // [batch, places]
  const char* weight;     // [classes], or null
  int64_t ignore_index;   // targets with this class count nothing
  LossReduction reduction;
};

// loss: [batch, places], or one number; total_weight: one number, of the targets that count (0 for
// no reduction). A target that is neither a class nor ignored is reported in `bad`.
void nll_loss(const NllLoss& call, char* loss, char* total_weight, const char* log_probabilities,
              BadIndex& bad);

// gradient: like the log probabilities, all written. loss_gradient: like the loss.
void nll_loss_backward(const NllLoss& call, char* gradient, const char* loss_gradient,
                       const char* total_weight);

}  // namespace tsc::cpu
