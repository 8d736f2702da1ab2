// Views and their inverses, for functional tensors (keys/functional_tensor.h): how what was written
// to a view comes into its base. A row's field `inverse` names one of the functions.
#pragma once

#include <vector>

#include "dispatch/operator_handle.h"

namespace tsc {

// A view that was taken: of `op`, with all its arguments but the first.
struct ViewStep {
  OperatorHandle op;
  std::vector<IValue> arguments;
  // Which of several results, or -1.
  int64_t index = -1;
  // The view itself, and not the operator that copies.
  bool keeps_views = false;

  Tensor forward(const Tensor& base) const;
  // `base` with `view` where this shows it. NotImplementedError for a view that has no inverse.
  Tensor reverse(const Tensor& base, const Tensor& view) const;
};

// NAME_copy of a view; the view itself where there is none.
OperatorHandle copying_form(const OperatorHandle& view);

// `base` with `view` where the step shows it.
namespace view_inverses {

Tensor conjugated(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor negated(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor viewed(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor viewed_unsafely(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor aliased(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor strided(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor same(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor on_diagonal(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor unexpanded(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor permuted(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor selected(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor sliced(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor unsqueezed(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor t_again(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor transposed(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor unfolded(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor squeezed(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor real_again(const ViewStep& step, const Tensor& base, const Tensor& view);
Tensor complex_again(const ViewStep& step, const Tensor& base, const Tensor& view);

}  // namespace view_inverses
}  // namespace tsc
