// Attention: a mean of values, weighted by the softmax of what queries and keys have in common.
#include <cmath>
#include <limits>

#include "gen/ops/binary.h"
#include "gen/ops/compare.h"
#include "gen/ops/copy.h"
#include "gen/ops/factory.h"
#include "gen/ops/indexing.h"
#include "gen/ops/linalg.h"
#include "gen/ops/logic.h"
#include "gen/ops/nn.h"
#include "gen/ops/nn_native.h"
#include "gen/ops/random.h"
#include "gen/ops/reduce.h"
#include "gen/ops/shape.h"
#include "gen/ops/view.h"

namespace tsc::native {
namespace {

constexpr double kExcluded = -std::numeric_limits<double>::infinity();

// 0 where `allowed`, -infinity elsewhere.
Tensor bias_of(const Tensor& allowed, const Tensor& like) {
  return masked_fill(zeros(allowed.sizes(), like.options()), logical_not(allowed),
                     Scalar(kExcluded));
}

// A query sees the keys up to its own position.
Tensor causal_mask(const Tensor& query, const Tensor& key) {
  return tril(ones({query.size(-2), key.size(-2)}, query.options().dtype(ScalarType::Bool)));
}

// Rows that exclude every key are 0, not NaN.
Tensor safe_softmax(const Tensor& scores) {
  const Tensor excluded = all(eq(scores, Scalar(kExcluded)), int64_t{-1}, true);
  return masked_fill(softmax(scores, -1), excluded, Scalar(0.0));
}

// One head of keys or values for several of queries.
Tensor for_each_query_head(const Tensor& tensor, const Tensor& query) {
  return repeat_interleave(tensor, query.size(-3) / tensor.size(-3), -3);
}

void check_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                     OptionalTensorRef attn_mask, bool is_causal) {
  TSC_CHECK(query.dtype() == key.dtype() && query.dtype() == value.dtype(),
            "Expected query, key, and value to have the same dtype, but got query.dtype: {} "
            "key.dtype: {} and value.dtype: {} instead.",
            query.dtype(), key.dtype(), value.dtype());
  TSC_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            "{}, key.dim: {} and value.dim: {} instead.",
            query.dim(), key.dim(), value.dim());
  TSC_CHECK(!attn_mask.has_value() || attn_mask->dtype() == ScalarType::Bool ||
                attn_mask->dtype() == query.dtype() || attn_mask->dtype() == ScalarType::Float,
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            "attn_mask.dtype: {} and  query.dtype: {} instead.",
            attn_mask.has_value() ? attn_mask->dtype() : ScalarType::Bool, query.dtype());
  TSC_CHECK(!attn_mask.has_value() || !is_causal,
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True");
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    OptionalTensorRef attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  check_attention(query, key, value, attn_mask, is_causal);
  if (is_reduced_floating_point(query.dtype())) {
    const auto widened = [](const Tensor& tensor) { return to(tensor, ScalarType::Float); };
    Tensor mask;
    if (attn_mask.has_value()) {
      mask = attn_mask->dtype() == ScalarType::Bool ? *attn_mask : widened(*attn_mask);
    }
    return to(tsc::scaled_dot_product_attention(
                  widened(query), widened(key), widened(value),
                  mask.defined() ? OptionalTensorRef(mask) : OptionalTensorRef(), dropout_p,
                  is_causal, scale, enable_gqa),
              query.dtype());
  }
  const Tensor keys = enable_gqa ? for_each_query_head(key, query) : key;
  const Tensor values = enable_gqa ? for_each_query_head(value, query) : value;
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  Tensor scores = mul(matmul(query, transpose(keys, -2, -1)), Scalar(factor));
  if (is_causal) {
    scores = add(scores, bias_of(causal_mask(query, key), scores));
  } else if (attn_mask.has_value()) {
    const bool flags = attn_mask->dtype() == ScalarType::Bool;
    scores = add(scores, flags ? bias_of(*attn_mask, scores) : *attn_mask);
  }
  const Tensor weights = safe_softmax(scores);
  return matmul(dropout_p > 0 ? dropout(weights, dropout_p, true) : weights, values);
}

}  // namespace tsc::native
