// Attention: a mean of values, weighted by the softmax of the products of queries and keys.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "core/keys/thread_local_state.h"
#include "core/system/interrupt.h"
#include "core/system/parallel.h"
#include "core/tensor_factory.h"
#include "gen/calls/add.h"
#include "gen/calls/all.h"
#include "gen/calls/amax.h"
#include "gen/calls/any.h"
#include "gen/calls/clamp_min.h"
#include "gen/calls/contiguous.h"
#include "gen/calls/copy.h"
#include "gen/calls/div.h"
#include "gen/calls/dropout.h"
#include "gen/calls/empty.h"
#include "gen/calls/empty_like.h"
#include "gen/calls/eq.h"
#include "gen/calls/exp.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/logical_not.h"
#include "gen/calls/logsumexp.h"
#include "gen/calls/masked_fill.h"
#include "gen/calls/matmul.h"
#include "gen/calls/mul.h"
#include "gen/calls/ones.h"
#include "gen/calls/repeat_interleave.h"
#include "gen/calls/scalar_tensor.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/sub.h"
#include "gen/calls/sum.h"
#include "gen/calls/to.h"
#include "gen/calls/transpose.h"
#include "gen/calls/tril.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/calls/where.h"
#include "gen/ops/nn.h"
#include "gen/ops/nn_native.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/matrix/blas.h"
#include "ops/cpu/reduce/reduce.h"

namespace tsc::native {
namespace {

constexpr double kExcluded = -std::numeric_limits<double>::infinity();

double factor_of(const Tensor& query, const std::optional<double>& scale) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

// 0 where `allowed`, -infinity elsewhere.
Tensor bias_of(const Tensor& allowed, ScalarType dtype) {
  const TensorOptions options(dtype, std::nullopt, allowed.device());
  return where(allowed, Scalar(0.0), scalar_tensor(Scalar(kExcluded), options));
}

// True for the keys up to each query's own position.
Tensor causal_mask(const Tensor& query, const Tensor& key) {
  return tril(ones({query.size(-2), key.size(-2)}, query.options().dtype(ScalarType::Bool)));
}

// Repeats a head of keys or values for the query heads that share it.
Tensor for_each_query_head(const Tensor& tensor, const Tensor& query) {
  const int64_t heads = query.size(-3) / tensor.size(-3);
  return heads == 1 ? tensor : repeat_interleave(tensor, heads, -3);
}

Tensor widened(const Tensor& tensor) {
  return is_reduced_floating_point(tensor.dtype()) ? to(tensor, ScalarType::Float) : tensor;
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

// Whether the mask has the size of queries and keys, or broadcasts to it, and needs no gradient.
bool is_mask_of(const Tensor& mask, const Tensor& query, const Tensor& key) {
  const int64_t sizes[] = {query.size(0), query.size(1), query.size(2), key.size(2)};
  const int64_t leading = 4 - mask.dim();
  for (int64_t i = 0; i < mask.dim(); i++) {
    if (mask.size(i) != 1 && mask.size(i) != sizes[leading + i]) {
      return false;
    }
  }
  return (mask.dim() == 2 || mask.dim() == 4) && !mask.requires_grad();
}

// Whether the fused operator is used, whose backward operator recomputes the weights.
bool takes_flash(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 double dropout_p, bool enable_gqa) {
  const auto is_dense = [&](const Tensor& tensor) {
    return tensor.dim() == 4 && tensor.is_cpu() && is_floating_point(tensor.dtype()) &&
           tensor.size(0) == query.size(0) && tensor.size(2) != 0 && tensor.size(3) != 0 &&
           tensor.size(3) == query.size(3) && tensor.strides()[3] == 1;
  };
  if (dropout_p != 0 || !is_dense(query) || !is_dense(key) || !is_dense(value) ||
      key.size(1) != value.size(1) || key.size(2) != value.size(2)) {
    return false;
  }
  const bool has_heads = enable_gqa ? key.size(1) != 0 && query.size(1) % key.size(1) == 0
                                    : key.size(1) == query.size(1);
  return has_heads && (!mask.defined() || is_mask_of(mask, query, key));
}

Tensor attention_of_products(const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& mask, double dropout_p, bool is_causal, double factor) {
  // Each operand is multiplied by the root of the factor, so that the products do not overflow.
  const Scalar root(std::sqrt(std::abs(factor)));
  const Tensor queries = mul(query, factor < 0 ? Scalar(-root.to_double()) : root);
  const Tensor bias = is_causal ? bias_of(causal_mask(query, key), query.dtype()) : mask;
  Tensor scores = matmul(queries, mul(transpose(key, -2, -1), root));
  if (bias.defined()) {
    scores = add(scores, bias);
  }
  const Tensor weights = _safe_softmax(scores, -1);
  return matmul(dropout_p > 0 ? dropout(weights, dropout_p, true) : weights, value);
}

Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                 double dropout_p, bool is_causal, std::optional<double> scale, bool enable_gqa) {
  if (takes_flash(query, key, value, mask, dropout_p, enable_gqa)) {
    const OptionalTensorRef bias = mask.defined() ? OptionalTensorRef(mask) : OptionalTensorRef();
    return std::get<0>(tsc::_scaled_dot_product_flash_attention_for_cpu(
        query, key, value, dropout_p, is_causal, bias, scale));
  }
  const Tensor wide = widened(query);
  const Tensor keys = widened(enable_gqa ? for_each_query_head(key, query) : key);
  const Tensor values = widened(enable_gqa ? for_each_query_head(value, query) : value);
  const Tensor result = attention_of_products(wide, keys, values, mask, dropout_p, is_causal,
                                              factor_of(query, scale));
  return result.dtype() == query.dtype() ? result : to(result, query.dtype());
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    OptionalTensorRef attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
  check_attention(query, key, value, attn_mask, is_causal);
  Tensor mask;
  if (attn_mask.has_value()) {
    mask = attn_mask->dtype() == ScalarType::Bool ? bias_of(*attn_mask, query.dtype()) : *attn_mask;
  }
  if (query.dim() != 3 || key.dim() != 3 || value.dim() != 3) {
    return attention(query, key, value, mask, dropout_p, is_causal, scale, enable_gqa);
  }
  const Tensor queries = unsqueeze(query, 0);
  const Tensor keys = unsqueeze(key, 0);
  const Tensor values = unsqueeze(value, 0);
  while (mask.defined() && mask.dim() < 4) {
    mask = unsqueeze(mask, 0);
  }
  return squeeze(attention(queries, keys, values, mask, dropout_p, is_causal, scale, enable_gqa),
                 0);
}

// Rows that exclude every key are 0, not NaN.
Tensor _safe_softmax(const Tensor& self, int64_t dim, std::optional<ScalarType> dtype) {
  const Tensor weights = _softmax(dtype.has_value() ? to(self, *dtype) : self, dim, false);
  if (self.numel() == 0 || self.dim() == 0) {
    return masked_fill(weights, all(eq(self, Scalar(kExcluded)), dim, true), Scalar(0.0));
  }
  // A row in which all is excluded has no larger element.
  const Tensor none = eq(amax(self, dim, true), Scalar(kExcluded));
  if (self.is_cpu() && !read_scalar(any(none)).to_bool()) {
    return weights;
  }
  return masked_fill(weights, none, Scalar(0.0));
}

// --- the operator, and its gradient ---

namespace {

void check_flash(const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p) {
  constexpr const char* kName = "scaled_dot_product_attention_flash_attention";
  TSC_CHECK(dropout_p == 0, "{}: Currently do not support dropout > 0", kName);
  TSC_CHECK(query.dim() == 4 && key.dim() == 4 && value.dim() == 4,
            "{}: Accept only 4 dims inputs shape of {{B, H, T, K}}", kName);
  TSC_CHECK(query.size(3) == value.size(3) && key.size(3) == value.size(3),
            "{}: Q/K/V should have the same head size", kName);
}

// The score of each query and key, in float32 or wider.
Tensor scores_of(const Tensor& query, const Tensor& key, bool is_causal, const Tensor& mask,
                 double factor) {
  const Tensor scores = matmul(query, transpose(key, -2, -1));
  mul_(scores, Scalar(factor));
  if (is_causal) {
    masked_fill_(scores, logical_not(causal_mask(query, key)), Scalar(kExcluded));
  }
  if (mask.defined()) {
    add_(scores, mask);
  }
  return scores;
}

// Whether the operator's inner calls are recorded for differentiation.
bool is_recorded() { return !tls().excluded.has_any(kAutogradKeys); }

// The logarithm of the sum of each row's exponentials; 0 where every key is excluded.
Tensor log_sums(const Tensor& scores) {
  const Tensor sums = logsumexp(scores, IntArrayRef(-1));
  return masked_fill(sums, eq(sums, Scalar(kExcluded)), Scalar(0.0));
}

template <class T>
T largest_of(const T* from, int64_t count) {
  T largest = T(kExcluded);
  if (count > 0) {
    const cpu::ReduceCall call{.op = cpu::Reduction::max,
                               .compute = scalar_type_of<T>,
                               .in = reinterpret_cast<const char*>(from),
                               .in_type = scalar_type_of<T>,
                               .out = {reinterpret_cast<char*>(&largest), nullptr},
                               .out_type = {scalar_type_of<T>, ScalarType::Undefined},
                               .dims = {},
                               .parameters = {}};
    cpu::reduce_run(call, std::min(count, kParallelGrain));
    for (int64_t i = kParallelGrain; i < count; i++) {
      largest = std::max(largest, from[i]);
    }
  }
  return largest;
}

// The largest score has the largest weight.
template <class T>
void store_log_sums(const Tensor& scores, const Tensor& weights, const Tensor& sums) {
  const int64_t heads = scores.size(1);
  const int64_t rows = scores.size(2);
  const int64_t columns = scores.size(3);
  const T* const score = scores.data_ptr<T>();
  const T* const weight = weights.data_ptr<T>();
  T* const to = sums.data_ptr<T>();
  parallel_for(0, scores.size(0) * heads * rows, kParallelGrain / std::max<int64_t>(columns, 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; i++) {
                   throw_if_interrupted();
                   const T largest = largest_of(score + i * columns, columns);
                   const int64_t head = i / rows;
                   to[(head / heads * rows + i % rows) * heads + head % heads] =
                       largest == T(kExcluded)
                           ? T(0)
                           : largest - std::log(largest_of(weight + i * columns, columns));
                 }
               });
}

// The same, from each row's largest score and its softmax; the heads of one position lie side by
// side.
Tensor log_sums(const Tensor& scores, const Tensor& weights) {
  const Tensor sums = empty({scores.size(0), scores.size(2), scores.size(1)}, scores.options());
  const auto store =
      scores.dtype() == ScalarType::Double ? &store_log_sums<double> : &store_log_sums<float>;
  store(contiguous(scores), contiguous(weights), sums);
  return transpose(sums, 1, 2);
}

// ---- In one pass, of floats and doubles: a block of a head's queries at a time, whose scores stay in
// the cache.

struct Attention {
  const Tensor& query;
  const Tensor& key;
  const Tensor& value;
  const Tensor& result;
  const Tensor& sums;  // heads x rows
  bool is_causal;
  double factor;
};

// The queries' scores of a block, which take at most this many bytes.
constexpr int64_t kScoreBytes = 1 << 20;
constexpr int64_t kMostRows = 128;

// The rows of one head of a tensor of batch x heads x rows x columns.
cpu::Matrix head_of(const Tensor& tensor, int64_t batch, int64_t head) {
  char* const data =
      static_cast<char*>(tensor.data()) + (batch * tensor.stride(0) + head * tensor.stride(1)) *
                                              static_cast<int64_t>(tensor.itemsize());
  return {data, tensor.stride(2), tensor.stride(3)};
}

template <class T>
void attend_rows(const Attention& job, int64_t head_number, int64_t first, int64_t rows,
                 T* scores) {
  constexpr ScalarType kType = scalar_type_of<T>;
  constexpr int64_t kSize = sizeof(T);
  const int64_t heads = job.query.size(1);
  const int64_t batch = head_number / heads;
  const int64_t head = head_number % heads;
  const int64_t shared = heads / job.key.size(1);
  // Later keys are excluded from all rows.
  const int64_t keys = job.is_causal ? std::min(job.key.size(2), first + rows) : job.key.size(2);
  const int64_t size = job.query.size(3);
  const cpu::Matrix key = head_of(job.key, batch, head / shared);
  const cpu::Matrix weights{reinterpret_cast<char*>(scores), keys, 1};
  cpu::gemm(kType, rows, keys, size, Scalar(job.factor),
            head_of(job.query, batch, head).from(first, 0, kSize),
            {key.data, key.column_stride, key.row_stride}, Scalar(0.0), weights);
  const cpu::SoftmaxKernels& softmax = *cpu::find_softmax(kType);
  T* const sums = job.sums.data_ptr<T>() + batch * job.sums.stride(0) + head * job.sums.stride(1);
  std::array<T, kMostRows> scales;
  for (int64_t i = 0; i < rows; i++) {
    throw_if_interrupted();
    T* const row = scores + i * keys;
    if (job.is_causal) {
      for (int64_t j = first + i + 1; j < keys; j++) row[j] = T(kExcluded);
    }
    char* const bytes = reinterpret_cast<char*>(row);
    const cpu::SoftmaxSum total = softmax.exponentials(bytes, bytes, keys);
    // A row that excludes every key is 0.
    const bool is_excluded = total.largest == kExcluded;
    if (is_excluded) std::fill_n(row, keys, T(0));
    scales[static_cast<size_t>(i)] = is_excluded ? T(1) : static_cast<T>(1 / total.sum);
    sums[(first + i) * job.sums.stride(2)] =
        is_excluded ? T(0) : static_cast<T>(total.largest + std::log(total.sum));
  }
  const cpu::Matrix result = head_of(job.result, batch, head).from(first, 0, kSize);
  cpu::gemm(kType, rows, size, keys, Scalar(1.0), weights, head_of(job.value, batch, head / shared),
            Scalar(0.0), result);
  for (int64_t i = 0; i < rows; i++) {
    T* const row = reinterpret_cast<T*>(result.data) + i * result.row_stride;
    const T scale = scales[static_cast<size_t>(i)];
    for (int64_t j = 0; j < size; j++) row[j * result.column_stride] *= scale;
  }
}

template <class T>
void attend(const Attention& job) {
  const int64_t rows = job.query.size(2);
  const int64_t keys = job.key.size(2);
  const int64_t most = kScoreBytes / (keys * static_cast<int64_t>(sizeof(T)));
  const int64_t block = std::min(rows, std::clamp<int64_t>(most, 8, kMostRows));
  const int64_t blocks = (rows + block - 1) / block;
  const int64_t work = block * keys * job.query.size(3);
  const int64_t tasks = job.query.size(0) * job.query.size(1) * blocks;
  parallel_for(0, tasks, kParallelGrain / work + 1, [&](int64_t begin, int64_t end) {
    const auto scores = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(block * keys));
    for (int64_t i = begin; i < end; i++) {
      const int64_t first = i % blocks * block;
      attend_rows(job, i / blocks, first, std::min(block, rows - first), scores.get());
    }
  });
}

// Whether there is nothing to record or to round between the products and the softmax, and each query
// has keys with values of its own.
bool is_one_pass(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask) {
  const bool is_wide = query.dtype() == ScalarType::Float || query.dtype() == ScalarType::Double;
  const bool fits = key.size(0) == query.size(0) && value.size(0) == query.size(0) &&
                    key.size(1) == value.size(1) && key.size(2) == value.size(2) &&
                    key.dtype() == query.dtype() && value.dtype() == query.dtype();
  return is_wide && fits && query.is_cpu() && !mask.defined() && !is_recorded() &&
         query.numel() > 0 && key.numel() > 0 && query.size(1) % key.size(1) == 0;
}

// The means of the values. float16 and bfloat16 round the exponentials before they are divided by
// their sum; the exponential of a row's largest score is 1.
Tensor matmul_rounded(const Tensor& weights, const Tensor& values, ScalarType dtype) {
  if (!is_reduced_floating_point(dtype)) {
    return matmul(weights, values);
  }
  const Tensor peak = clamp_min(amax(weights, -1, true), Scalar(1e-30));
  return mul(matmul(widened(to(div(weights, peak), dtype)), values), peak);
}

// Stored so that the heads of one position lie side by side.
Tensor by_positions(const Tensor& tensor, ScalarType dtype) {
  const Tensor result =
      transpose(empty({tensor.size(0), tensor.size(2), tensor.size(1), tensor.size(3)},
                      tensor.options().dtype(dtype)),
                1, 2);
  return copy_(result, tensor);
}

// The gradient of a head that several query heads share.
Tensor sum_of_heads(const Tensor& grad, const Tensor& like) {
  const int64_t heads = like.size(1);
  return grad.size(1) == heads
             ? grad
             : sum(view(contiguous(grad),
                        {grad.size(0), heads, grad.size(1) / heads, grad.size(2), grad.size(3)}),
                   IntArrayRef(2));
}

}  // namespace

std::tuple<Tensor, Tensor> _scaled_dot_product_flash_attention_for_cpu(
    const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p, bool is_causal,
    OptionalTensorRef attn_mask, std::optional<double> scale) {
  check_flash(query, key, value, dropout_p);
  const Tensor mask = attn_mask.has_value() ? *attn_mask : Tensor();
  if (is_one_pass(query, key, value, mask)) {
    const Tensor result = empty_like(query);
    const Tensor sums =
        transpose(empty({query.size(0), query.size(2), query.size(1)}, query.options()), 1, 2);
    const Attention job{query, key, value, result, sums, is_causal, factor_of(query, scale)};
    query.dtype() == ScalarType::Double ? attend<double>(job) : attend<float>(job);
    return {result, sums};
  }
  const Tensor keys = for_each_query_head(widened(key), query);
  const Tensor values = for_each_query_head(widened(value), query);
  const Tensor scores = scores_of(widened(query), keys, is_causal, mask, factor_of(query, scale));
  Tensor weights = _softmax(scores, -1, false);
  const Tensor sums =
      is_recorded() || scores.is_meta() ? log_sums(scores) : log_sums(scores, weights);
  if (mask.defined()) {
    weights = masked_fill(weights, eq(amax(scores, -1, true), Scalar(kExcluded)), Scalar(0.0));
  }
  Tensor result = matmul_rounded(weights, values, query.dtype());
  if (result.dtype() != query.dtype() || result.strides() != query.strides()) {
    result = copy_(empty_like(query), result);
  }
  return {result, sums};
}

std::tuple<Tensor, Tensor, Tensor> _scaled_dot_product_flash_attention_for_cpu_backward(
    const Tensor& grad_out, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& logsumexp, double dropout_p, bool is_causal,
    OptionalTensorRef attn_mask, std::optional<double> scale) {
  check_flash(query, key, value, dropout_p);
  const Scalar factor(factor_of(query, scale));
  const Tensor queries = widened(query);
  const Tensor keys = for_each_query_head(widened(key), query);
  const Tensor values = for_each_query_head(widened(value), query);
  const Tensor grad = widened(grad_out);
  const Tensor scores = scores_of(
      queries, keys, is_causal, attn_mask.has_value() ? *attn_mask : Tensor(), factor.to_double());
  const Tensor weights = exp_(sub_(scores, unsqueeze(logsumexp, -1)));
  const Tensor grad_values = matmul(transpose(weights, -2, -1), grad);
  // The gradient of the softmax: a weight's gradient less the weighted sum of its row's gradients.
  const Tensor grad_weights = matmul(grad, transpose(values, -2, -1));
  sub_(grad_weights, sum(mul(grad, widened(out)), IntArrayRef(-1), true));
  const Tensor grad_scores = mul_(mul_(grad_weights, weights), factor);
  const Tensor grad_keys = matmul(transpose(grad_scores, -2, -1), queries);
  return {by_positions(matmul(grad_scores, keys), query.dtype()),
          by_positions(sum_of_heads(grad_keys, key), key.dtype()),
          by_positions(sum_of_heads(grad_values, value), value.dtype())};
}

}  // namespace tsc::native
