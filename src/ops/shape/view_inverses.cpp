// Views and their inverses, for functional tensors.
#include "ops/shape/view_inverses.h"

#include <algorithm>

#include "dispatch/dispatcher.h"
#include "dispatch/static_operator.h"
#include "gen/calls/_conj.h"
#include "gen/calls/_conj_copy.h"
#include "gen/calls/_neg_view.h"
#include "gen/calls/_neg_view_copy.h"
#include "gen/calls/_unsafe_view.h"
#include "gen/calls/alias.h"
#include "gen/calls/alias_copy.h"
#include "gen/calls/as_strided_scatter.h"
#include "gen/calls/diagonal_scatter.h"
#include "gen/calls/permute.h"
#include "gen/calls/permute_copy.h"
#include "gen/calls/resolve_conj.h"
#include "gen/calls/select.h"
#include "gen/calls/select_copy.h"
#include "gen/calls/select_scatter.h"
#include "gen/calls/slice.h"
#include "gen/calls/slice_copy.h"
#include "gen/calls/slice_scatter.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/squeeze_copy.h"
#include "gen/calls/sum.h"
#include "gen/calls/t.h"
#include "gen/calls/t_copy.h"
#include "gen/calls/transpose.h"
#include "gen/calls/transpose_copy.h"
#include "gen/calls/unfold_backward.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/unsqueeze_copy.h"
#include "gen/calls/view.h"
#include "gen/calls/view_as_complex.h"
#include "gen/calls/view_as_complex_copy.h"
#include "gen/calls/view_as_real.h"
#include "gen/calls/view_as_real_copy.h"
#include "gen/calls/view_copy.h"

namespace tsc {

namespace {

template <class T>
T argument(const ViewStep& step, size_t i) {
  return ArgumentTraits<T>::unbox(step.arguments[i]);
}
int64_t int_of(const ViewStep& step, size_t i) { return argument<int64_t>(step, i); }
DimVector ints_of(const ViewStep& step, size_t i) {
  const auto holder = ArgumentTraits<IntArrayRef>::unbox(step.arguments[i]);
  return DimVector(IntArrayRef(holder));
}
std::optional<int64_t> optional_int_of(const ViewStep& step, size_t i) {
  return argument<std::optional<int64_t>>(step, i);
}

IValue call_view(const OperatorHandle& op, const Tensor& self, const std::vector<IValue>& rest) {
  Stack& stack = Stack::current();
  const StackHeight height(stack);
  stack.push(IValue(self));
  for (const IValue& value : rest) {
    stack.push(value);
  }
  op.call_boxed(stack, RouteForm::Bound);
  return stack.pop();
}

// --- Several results: each one is a part of the base ---

struct Range {
  int64_t dim;
  int64_t start;
  int64_t end;
};

Range range_of(const ViewStep& step, const Tensor& base) {
  if (step.op.schema().base_name() == "split") {
    const int64_t dim = int_of(step, 1);
    const int64_t start = step.index * int_of(step, 0);
    return {dim, start, std::min(start + int_of(step, 0), base.size(dim))};
  }
  const DimVector sizes = ints_of(step, 0);
  int64_t start = 0;
  for (int64_t i = 0; i < step.index; i++) {
    start += sizes[static_cast<size_t>(i)];
  }
  return {int_of(step, 1), start, start + sizes[static_cast<size_t>(step.index)]};
}

bool is_unbind(const ViewStep& step) { return step.op.schema().base_name() == "unbind"; }

Tensor part_of(const ViewStep& step, const Tensor& base) {
  if (is_unbind(step)) {
    const int64_t dim = int_of(step, 0);
    return step.keeps_views ? select(base, dim, step.index) : select_copy(base, dim, step.index);
  }
  const auto [dim, start, end] = range_of(step, base);
  return step.keeps_views ? slice(base, dim, start, end) : slice_copy(base, dim, start, end);
}

Tensor with_part(const ViewStep& step, const Tensor& base, const Tensor& view) {
  if (is_unbind(step)) {
    return select_scatter(base, view, int_of(step, 0), step.index);
  }
  const auto [dim, start, end] = range_of(step, base);
  return slice_scatter(base, view, dim, start, end);
}

Tensor with_dim(const ViewStep& step, const Tensor& tensor, int64_t dim) {
  return step.keeps_views ? unsqueeze(tensor, dim) : unsqueeze_copy(tensor, dim);
}

}  // namespace

namespace view_inverses {

Tensor same(const ViewStep&, const Tensor&, const Tensor& view) { return view; }

Tensor viewed(const ViewStep& step, const Tensor& base, const Tensor& view) {
  if (step.op.schema().overload_name == "dtype") {
    return step.keeps_views ? tsc::view(view, base.dtype()) : view_copy(view, base.dtype());
  }
  return step.keeps_views ? tsc::view(view, base.sizes()) : view_copy(view, base.sizes());
}

Tensor permuted(const ViewStep& step, const Tensor&, const Tensor& view) {
  const DimVector dims = ints_of(step, 0);
  const auto count = static_cast<int64_t>(dims.size());
  DimVector back(dims.size(), 0);
  for (int64_t i = 0; i < count; i++) {
    const int64_t dim = dims[static_cast<size_t>(i)];
    back[static_cast<size_t>(dim < 0 ? dim + count : dim)] = i;
  }
  return step.keeps_views ? permute(view, back) : permute_copy(view, back);
}

Tensor transposed(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? transpose(view, int_of(step, 0), int_of(step, 1))
                          : transpose_copy(view, int_of(step, 0), int_of(step, 1));
}

Tensor t_again(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? t(view) : t_copy(view);
}

// Dimensions of size 1 that `base` has among `dims`, or anywhere.
Tensor unsqueezed(const ViewStep& step, const Tensor& base, const Tensor& view) {
  const std::string_view form = step.op.schema().overload_name;
  DimVector dims;
  if (form == "dim") {
    dims.push_back(int_of(step, 0));
  } else if (form == "dims") {
    dims = ints_of(step, 0);
  }
  for (int64_t& dim : dims) {
    dim += dim < 0 ? base.dim() : 0;
  }
  Tensor result = view;
  for (int64_t i = 0; i < base.dim(); i++) {
    const bool is_asked = form.empty() || std::find(dims.begin(), dims.end(), i) != dims.end();
    if (is_asked && base.size(i) == 1) {
      result = with_dim(step, result, i);
    }
  }
  return result;
}

Tensor squeezed(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? squeeze(view, int_of(step, 0)) : squeeze_copy(view, int_of(step, 0));
}

// A write to an expanded tensor is refused, unless no element was repeated.
Tensor unexpanded(const ViewStep&, const Tensor& base, const Tensor& view) {
  DimVector dims;
  const int64_t leading = view.dim() - base.dim();
  for (int64_t i = 0; i < view.dim(); i++) {
    if (i < leading || (base.size(i - leading) == 1 && view.size(i) != 1)) {
      dims.push_back(i);
    }
  }
  const Tensor summed = dims.empty() ? view : sum(view, dims, true);
  return leading == 0 ? summed : tsc::view(summed, base.sizes());
}

Tensor selected(const ViewStep& step, const Tensor& base, const Tensor& view) {
  return select_scatter(base, view, int_of(step, 0), int_of(step, 1));
}
Tensor sliced(const ViewStep& step, const Tensor& base, const Tensor& view) {
  return slice_scatter(base, view, int_of(step, 0), optional_int_of(step, 1),
                       optional_int_of(step, 2), int_of(step, 3));
}
Tensor on_diagonal(const ViewStep& step, const Tensor& base, const Tensor& view) {
  return diagonal_scatter(base, view, int_of(step, 0), int_of(step, 1), int_of(step, 2));
}
Tensor strided(const ViewStep& step, const Tensor& base, const Tensor& view) {
  return as_strided_scatter(base, view, ints_of(step, 0), ints_of(step, 1),
                            optional_int_of(step, 2));
}
Tensor viewed_unsafely(const ViewStep&, const Tensor& base, const Tensor& view) {
  return _unsafe_view(view, base.sizes());
}
Tensor conjugated(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? _conj(view) : _conj_copy(view);
}
Tensor negated(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? _neg_view(view) : _neg_view_copy(view);
}
Tensor aliased(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? alias(view) : alias_copy(view);
}
Tensor unfolded(const ViewStep& step, const Tensor& base, const Tensor& view) {
  return unfold_backward(view, base.sizes(), int_of(step, 0), int_of(step, 1), int_of(step, 2));
}
Tensor complex_again(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? view_as_complex(view) : view_as_complex_copy(view);
}
Tensor real_again(const ViewStep& step, const Tensor&, const Tensor& view) {
  return step.keeps_views ? view_as_real(resolve_conj(view)) : view_as_real_copy(view);
}

}  // namespace view_inverses

OperatorHandle copying_form(const OperatorHandle& view) {
  const FunctionSchema& schema = view.schema();
  return Dispatcher::singleton()
      .find(fmt::format("{}_copy", schema.name), schema.overload_name)
      .value_or(view);
}

Tensor ViewStep::forward(const Tensor& base) const {
  if (index >= 0) {
    return part_of(*this, base);
  }
  return call_view(keeps_views ? op : copying_form(op), base, arguments).take_tensor();
}

Tensor ViewStep::reverse(const Tensor& base, const Tensor& view) const {
  if (index >= 0) {
    return with_part(*this, base, view);
  }
  const StaticOperator* row = op.entry().row();
  TSC_CHECK_NOT_IMPLEMENTED(row != nullptr && row->inverse != nullptr,
                            "functionalize: a write to a view by {} cannot be put back into its "
                            "base",
                            op.qualified_name());
  return row->inverse(*this, base, view);
}

}  // namespace tsc
