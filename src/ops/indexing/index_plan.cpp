#include "ops/indexing/index_plan.h"

#include "core/dispatch_types.h"
#include "core/system/interrupt.h"
#include "core/tensor_factory.h"
#include "gen/calls/nonzero.h"
#include "gen/calls/select.h"
#include "ops/cpu/indexing/indexing.h"
#include "ops/structured/broadcast.h"
#include "ops/structured/device_kernels.h"
#include "ops/structured/fill.h"
#include "ops/structured/strided_walk.h"

namespace tsc {
namespace {

DimVector broadcast_index_sizes(const std::vector<Tensor>& indices) {
  DimVector sizes;
  bool first = true;
  for (const Tensor& index : indices) {
    if (!index.defined()) {
      continue;
    }
    if (!first && !is_expandable_to(index.sizes(), sizes) &&
        !is_expandable_to(sizes, index.sizes())) {
      // The result may have other sizes than either, if they broadcast.
      const size_t common = std::min(sizes.size(), index.sizes().size());
      bool good = true;
      for (size_t i = 1; i <= common; i++) {
        const int64_t a = sizes[sizes.size() - i];
        const int64_t b = index.sizes()[index.sizes().size() - i];
        good = good && (a == b || a == 1 || b == 1);
      }
      if (!good) {
        std::string shapes;
        for (const Tensor& each : indices) {
          if (each.defined()) {
            shapes += (shapes.empty() ? "" : ", ") + to_string(each.sizes());
          }
        }
        throw_error(
            ErrorKind::IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
            shapes);
      }
    }
    sizes = first ? DimVector(index.sizes()) : broadcast_sizes(sizes, index.sizes());
    first = false;
  }
  return sizes;
}

}  // namespace

namespace {

Tensor positions_on_device(const Tensor& flags) {
  DeviceKernels& kernels = device_kernels(flags.device().type);
  const Tensor ones = contiguous_as(flags, ScalarType::Long);
  const Tensor running = empty_tensor({flags.numel()}, ScalarType::Long, flags.device());
  int64_t count = 0;
  if (flags.numel() > 0) {
    const cpu::LineShape line{1, flags.numel(), 1};
    kernels.scan({flags.device(), cpu::Scan::sum, line, ScalarType::Long,
                  static_cast<char*>(running.data()), nullptr,
                  static_cast<const char*>(ones.data()), cpu::LineStrides{0, 1, 0}});
    kernels.read(view_tensor(running, {}, {}, flags.numel() - 1), &count);
  }
  const Tensor columns = empty_tensor({flags.dim(), count}, ScalarType::Long, flags.device());
  kernels.write_coordinates(flags, running, columns);
  return view_tensor(columns, {count, flags.dim()}, {1, std::max<int64_t>(count, 1)}, 0);
}

}  // namespace

Tensor nonzero_positions(const Tensor& tensor) {
  const Tensor flags = contiguous_as(tensor, ScalarType::Bool);
  if (!tensor.is_cpu()) {
    return positions_on_device(flags);
  }
  const cpu::TruePlaces places(static_cast<const char*>(flags.data()), flags.numel());
  const int64_t count = places.count();
  const Tensor columns = empty_tensor({tensor.dim(), count}, ScalarType::Long);
  if (columns.numel() > 0) {
    places.write_coordinates(flags.sizes(), columns.data_ptr<int64_t>());
  }
  return view_tensor(columns, {count, tensor.dim()}, {1, count}, 0);
}

std::vector<Tensor> expand_masks(const Tensor& self, TensorList indices) {
  std::vector<Tensor> result;
  for (const Tensor& index : indices) {
    if (!index.defined()) {
      result.emplace_back();
      continue;
    }
    TSC_CHECK_INDEX(
        is_mask(index) || index.dtype() == ScalarType::Long || index.dtype() == ScalarType::Int,
        "tensors used as indices must be long, int, byte or bool tensors");
    if (!is_mask(index)) {
      result.push_back(index);
      continue;
    }
    if (index.dtype() == ScalarType::Byte) {
      warn(
          "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
          "instead.");
    }
    for (int64_t d = 0; d < index.dim(); d++) {
      const auto at = static_cast<int64_t>(result.size());
      TSC_CHECK_INDEX(at < self.dim() && index.sizes()[static_cast<size_t>(d)] ==
                                             self.sizes()[static_cast<size_t>(at)],
                      "The shape of the mask {} at index {} does not match the shape of the "
                      "indexed tensor {} at index {}",
                      index.sizes(), d, self.sizes(), at);
      result.emplace_back();
    }
    result.resize(result.size() - static_cast<size_t>(index.dim()));
    TSC_CHECK_NOT_IMPLEMENTED(
        !index.is_meta(),
        "nonzero: the number of true elements of a mask on the meta device is not known");
    if (!index.is_cpu()) {
      const Tensor positions = nonzero(index);
      for (int64_t d = 0; d < index.dim(); d++) {
        result.push_back(select(positions, 1, d));
      }
      continue;
    }
    const Tensor positions = nonzero_positions(index);
    const int64_t count = positions.size(0);
    for (int64_t d = 0; d < index.dim(); d++) {
      result.push_back(view_tensor(positions, {count}, {1}, d * count));
    }
  }
  return result;
}

namespace {

// A dimension of the result, or all those that the indices give.
struct Part {
  int64_t size;
  int64_t stride;  // in self; 0 for the indices
  bool is_indices;
};

// Above 0 where `a` is slower than `b`, below 0 where it is faster, 0 where they leave it open.
int compare_strides(const Part& a, const Part& b) {
  if (a.stride == 0 || b.stride == 0) {
    return 0;
  }
  if (a.stride != b.stride) {
    return a.stride < b.stride ? -1 : 1;
  }
  return a.size > b.size ? 1 : 0;
}

}  // namespace

DimVector order_like_input(IndexPlan& plan) {
  std::vector<Part> parts;
  const auto add = [&](const DimVector& sizes, const DimVector& strides) {
    for (size_t d = 0; d < sizes.size(); d++) {
      parts.push_back({sizes[d], strides[d], false});
    }
  };
  add(plan.before_sizes, plan.before_strides);
  parts.push_back({product(plan.index_sizes), 0, true});
  add(plan.behind_sizes, plan.behind_strides);
  // order[i]: the part that is the i-th fastest.
  std::vector<size_t> order(parts.size());
  for (size_t i = 0; i < order.size(); i++) {
    order[i] = order.size() - 1 - i;
  }
  for (size_t i = 1; i < order.size(); i++) {
    size_t at = i;
    for (size_t j = i; j-- > 0;) {
      const int comparison = compare_strides(parts[order[j]], parts[order[at]]);
      if (comparison > 0) {
        std::swap(order[j], order[at]);
        at = j;
      } else if (comparison < 0) {
        break;
      }
    }
  }
  plan.before_sizes.clear();
  plan.before_strides.clear();
  plan.behind_sizes.clear();
  plan.behind_strides.clear();
  std::vector<int64_t> steps(parts.size());
  int64_t step = 1;
  for (const size_t part : order) {
    steps[part] = step;
    step *= std::max<int64_t>(parts[part].size, 1);
  }
  bool before = true;
  for (size_t i = order.size(); i-- > 0;) {
    const Part& part = parts[order[i]];
    if (part.is_indices) {
      before = false;
      continue;
    }
    (before ? plan.before_sizes : plan.behind_sizes).push_back(part.size);
    (before ? plan.before_strides : plan.behind_strides).push_back(part.stride);
  }
  DimVector strides;
  for (size_t i = 0; i < parts.size(); i++) {
    if (!parts[i].is_indices) {
      strides.push_back(steps[i]);
      continue;
    }
    DimVector inner(plan.index_sizes.size());
    int64_t length = steps[i];
    for (size_t d = inner.size(); d-- > 0;) {
      inner[d] = length;
      length *= std::max<int64_t>(plan.index_sizes[d], 1);
    }
    for (const int64_t stride : inner) {
      strides.push_back(stride);
    }
  }
  return strides;
}

IndexPlan plan_index(const Tensor& self, TensorList original) {
  std::vector<Tensor> indices = expand_masks(self, original);
  TSC_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim(),
                  "too many indices for tensor of dimension {} (got {})", self.dim(),
                  indices.size());
  indices.resize(static_cast<size_t>(self.dim()));
  IndexPlan plan;
  plan.index_sizes = broadcast_index_sizes(indices);
  // Whether the indexed dimensions are adjacent.
  size_t first = indices.size();
  size_t last = 0;
  size_t count = 0;
  for (size_t d = 0; d < indices.size(); d++) {
    if (indices[d].defined()) {
      first = std::min(first, d);
      last = d;
      count++;
    }
  }
  const bool neighbours = count > 0 && last - first + 1 == count;
  for (size_t d = 0; d < indices.size(); d++) {
    if (indices[d].defined()) {
      continue;
    }
    const bool before = neighbours && d < first;
    (before ? plan.before_sizes : plan.behind_sizes).push_back(self.sizes()[d]);
    (before ? plan.before_strides : plan.behind_strides).push_back(self.strides()[d]);
  }
  for (const DimVector* part : {&plan.before_sizes, &plan.index_sizes, &plan.behind_sizes}) {
    for (const int64_t size : *part) {
      plan.sizes.push_back(size);
    }
  }
  int64_t places = 1;
  for (const int64_t size : plan.index_sizes) {
    places *= size;
  }
  int64_t result_numel = 1;
  for (const int64_t size : plan.sizes) {
    result_numel *= size;
  }
  TSC_CHECK_INDEX(self.numel() != 0 || result_numel == 0,
                  "index is out of bounds for dimension with size 0");
  if (!self.is_cpu()) {
    return plan;  // without a look at the places
  }
  plan.offsets.reserve(static_cast<size_t>(places));
  for_pieces(places, [&](int64_t, int64_t end) { plan.offsets.resize(static_cast<size_t>(end)); });
  int64_t indexed = -1;  // messages count the indexed dimensions only
  for (size_t d = 0; d < indices.size(); d++) {
    if (!indices[d].defined()) {
      continue;
    }
    indexed++;
    const Tensor& index = indices[d];
    const int64_t size = self.sizes()[d];
    const int64_t stride = self.strides()[d];
    const DimVector strides = expanded_strides(index, plan.index_sizes);
    int64_t* offset = plan.offsets.data();
    strided_rows<1>(
        plan.index_sizes, {IntArrayRef(strides)},
        [&](const std::array<int64_t, 1>& at, const std::array<int64_t, 1>& step, int64_t length) {
          with_index_type(index, [&](const auto* values) {
            for_pieces(length, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; i++) {
                const int64_t value = values[at[0] + i * step[0]];
                TSC_CHECK_INDEX(value >= -size && value < size,
                                "index {} is out of bounds for dimension {} with size {}", value,
                                indexed, size);
                *offset++ += (value < 0 ? value + size : value) * stride;
              }
            });
          });
        });
  }
  return plan;
}

}  // namespace tsc
