// Pixels and channels in another order, and grids of points.
#include "gen/ops/vision.h"
#include "core/small_vector.h"
#include "gen/calls/bmm.h"
#include "gen/calls/copy.h"
#include "gen/calls/empty.h"
#include "gen/calls/linspace.h"
#include "gen/calls/mul.h"
#include "gen/calls/ones.h"
#include "gen/calls/permute.h"
#include "gen/calls/reshape.h"
#include "gen/calls/select.h"
#include "gen/calls/transpose.h"
#include "gen/calls/view.h"
#include "gen/calls/zeros.h"
#include "gen/ops/vision_native.h"

namespace tsc::native {
namespace {

// The last three dimensions are channels, height and width; what is before them stays.
struct Images {
  DimVector batch;
  int64_t channels;
  int64_t height;
  int64_t width;

  Images(const Tensor& self, const char* name) : channels(0), height(0), width(0) {
    TSC_CHECK(self.dim() >= 3,
              "{} expects input to have at least 3 dimensions, but got input with {} dimension(s)",
              name, self.dim());
    for (int64_t i = 0; i + 3 < self.dim(); i++) {
      batch.push_back(self.size(i));
    }
    channels = self.size(-3);
    height = self.size(-2);
    width = self.size(-1);
  }

  DimVector sizes(std::initializer_list<int64_t> last) const {
    DimVector all = batch;
    for (const int64_t size : last) {
      all.push_back(size);
    }
    return all;
  }
  // The batch dimensions, then those behind them in another order.
  DimVector order(std::initializer_list<int64_t> last) const {
    const auto first = static_cast<int64_t>(batch.size());
    DimVector all;
    for (int64_t i = 0; i < first; i++) {
      all.push_back(i);
    }
    for (const int64_t dim : last) {
      all.push_back(first + dim);
    }
    return all;
  }
};

void check_factor(int64_t factor, const char* name, const char* parameter) {
  TSC_CHECK(factor > 0, "{} expects a positive {}, but got {}", name, parameter, factor);
}

// The pixels of a result, by view of the input.
struct Shuffled {
  Tensor pieces;
  DimVector sizes;

  Tensor dense() const { return reshape(pieces, sizes); }
  // With the strides of the memory format.
  Tensor in_format(const Tensor& self) const {
    const Tensor result = empty(sizes, self.options(), self.suggest_memory_format());
    copy_(view_as_pieces(result), pieces);
    return result;
  }
  Tensor view_as_pieces(const Tensor& result) const;
};

Shuffled shuffled(const Tensor& self, int64_t factor) {
  const Images images(self, "pixel_shuffle");
  check_factor(factor, "pixel_shuffle", "upscale_factor");
  int64_t square = 0;
  TSC_CHECK_VALUE(!__builtin_mul_overflow(factor, factor, &square),
                  "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={}",
                  factor);
  TSC_CHECK(images.channels % square == 0,
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            "of upscale_factor, but input.size(-3)={} is not divisible by {}",
            images.channels, square);
  const int64_t channels = images.channels / square;
  const Tensor apart =
      reshape(self, images.sizes({channels, factor, factor, images.height, images.width}));
  return {permute(apart, images.order({0, 3, 1, 4, 2})),
          images.sizes({channels, images.height * factor, images.width * factor})};
}

Shuffled unshuffled(const Tensor& self, int64_t factor) {
  const Images images(self, "pixel_unshuffle");
  check_factor(factor, "pixel_unshuffle", "downscale_factor");
  TSC_CHECK(images.height % factor == 0,
            "pixel_unshuffle expects height to be divisible by downscale_factor, but "
            "input.size(-2)={} is not divisible by {}",
            images.height, factor);
  TSC_CHECK(images.width % factor == 0,
            "pixel_unshuffle expects width to be divisible by downscale_factor, but "
            "input.size(-1)={} is not divisible by {}",
            images.width, factor);
  const int64_t height = images.height / factor;
  const int64_t width = images.width / factor;
  const Tensor apart =
      reshape(self, images.sizes({images.channels, height, factor, width, factor}));
  return {permute(apart, images.order({0, 2, 4, 1, 3})),
          images.sizes({images.channels * factor * factor, height, width})};
}

// A dimension of the result is split into those pieces that it is made of, which is always a view.
Tensor Shuffled::view_as_pieces(const Tensor& result) const { return view(result, pieces.sizes()); }

Tensor channels_in_turn(const Tensor& self, int64_t groups, DimVector& sizes) {
  TSC_CHECK(self.dim() > 2,
            "channel_shuffle expects input with > 2 dims, but got input with sizes {}",
            self.sizes());
  TSC_CHECK(groups > 0,
            "Number of groups to divide channels in must be positive. Value of groups:{}", groups);
  TSC_CHECK(self.size(1) % groups == 0,
            "Number of channels must be divisible by groups. Got {} channels and {} groups.",
            self.size(1), groups);
  sizes = {self.size(0), groups, self.size(1) / groups};
  for (int64_t i = 2; i < self.dim(); i++) {
    sizes.push_back(self.size(i));
  }
  return reshape(self, sizes);
}

// n points from -1 to 1: at the ends, or in the middles of n cells. One point is in the middle.
Tensor points(const Tensor& like, int64_t n, bool align_corners) {
  if (n <= 1) {
    return zeros({n}, like.options());
  }
  const Tensor at_ends = linspace(-1, 1, n, like.options());
  return align_corners ? at_ends
                       : mul(at_ends, Scalar(static_cast<double>(n - 1) / static_cast<double>(n)));
}

// The coordinates of each point of a grid, the last dimension's first, and a one: [points, dims+1].
Tensor base_grid(const Tensor& like, IntArrayRef size, bool align_corners) {
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  DimVector sizes = {size[0]};
  int64_t count = 1;
  for (const int64_t extent : size.slice(2)) {
    sizes.push_back(extent);
    count *= extent;
  }
  sizes.push_back(dims + 1);
  const Tensor grid = ones(sizes, like.options());
  for (int64_t d = 0; d < dims; d++) {
    DimVector line(static_cast<size_t>(dims) + 1, 1);
    line[static_cast<size_t>(dims - d)] = -1;
    copy_(select(grid, -1, d),
          view(points(like, size[static_cast<size_t>(dims - d + 1)], align_corners), line));
  }
  return view(grid, {size[0], count, dims + 1});
}

void check_affine_size(IntArrayRef size) {
  TSC_CHECK(size.size() == 4 || size.size() == 5,
            "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
}

}  // namespace

Tensor math_pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
  return shuffled(self, upscale_factor).dense();
}
Tensor pixel_shuffle_cpu(const Tensor& self, int64_t upscale_factor) {
  return shuffled(self, upscale_factor).in_format(self);
}
Tensor math_pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
  return unshuffled(self, downscale_factor).dense();
}
Tensor pixel_unshuffle_cpu(const Tensor& self, int64_t downscale_factor) {
  return unshuffled(self, downscale_factor).in_format(self);
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  DimVector sizes;
  const Tensor turned = transpose(channels_in_turn(self, groups, sizes), 1, 2);
  const Tensor result = empty(self.sizes(), self.options(), self.suggest_memory_format());
  copy_(view(result, turned.sizes()), turned);
  return result;
}
Tensor native_channel_shuffle_cpu(const Tensor& self, int64_t groups) {
  return native::channel_shuffle(self, groups);
}
Tensor native_channel_shuffle(const Tensor& self, int64_t groups) {
  DimVector sizes;
  return reshape(transpose(channels_in_turn(self, groups, sizes), 1, 2), self.sizes());
}

Tensor affine_grid_generator(const Tensor& theta, IntArrayRef size, bool align_corners) {
  check_affine_size(size);
  const Tensor moved = bmm(base_grid(theta, size, align_corners), transpose(theta, 1, 2));
  DimVector sizes = {size[0]};
  for (const int64_t extent : size.slice(2)) {
    sizes.push_back(extent);
  }
  sizes.push_back(static_cast<int64_t>(size.size()) - 2);
  return view(moved, sizes);
}

Tensor affine_grid_generator_backward(const Tensor& grad, IntArrayRef size, bool align_corners) {
  check_affine_size(size);
  const Tensor base = base_grid(grad, size, align_corners);
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  const Tensor moved = reshape(grad, {size[0], base.size(1), dims});
  return transpose(bmm(transpose(base, 1, 2), moved), 1, 2);
}

}  // namespace tsc::native
