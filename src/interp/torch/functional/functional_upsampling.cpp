// torch.nn.functional's interpolate, which chooses an operator by mode and dimensions, and samples
// at given points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interp/runtime/objects/protocols.h"
#include "interp/torch/call/convert.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/functional/functional.h"

namespace tsc::interp {
namespace {

// A mode, the stem of its operators' names, and the numbers of spatial dimensions that it has.
struct Mode {
  std::string_view name;
  bool takes_align_corners;
  const char* stem;
  int64_t least;
  int64_t most;
  bool antialiases;
};
constexpr Mode kModes[] = {
    {"area", false, "adaptive_avg_pool", 1, 3, false},
    {"bicubic", true, "upsample_bicubic", 2, 2, true},
    {"bilinear", true, "upsample_bilinear", 2, 2, true},
    {"lanczos", true, "upsample_lanczos", 2, 2, true},
    {"linear", true, "upsample_linear", 1, 1, false},
    {"nearest", false, "upsample_nearest", 1, 3, false},
    {"nearest-exact", false, "_upsample_nearest_exact", 1, 3, false},
    {"trilinear", true, "upsample_trilinear", 3, 3, false},
};

const Mode* find_mode(const IValue& name) {
  for (const Mode& mode : kModes) {
    if (name.is_string() && name.as_string() == mode.name) {
      return &mode;
    }
  }
  return nullptr;
}

struct Interpolation {
  IValue input;
  IValue size;
  IValue scale_factor;
  IValue mode = IValue("nearest");
  IValue align_corners;
  bool recompute_scale_factor = false;
  bool antialias = false;

  const Tensor& tensor() const { return input.as_tensor(); }
  // The number of spatial dimensions, below 0 where there are no channels.
  int64_t spatial() const { return tensor().dim() - 2; }
};

bool is_sequence(const IValue& value) {
  return value.is_list() || value.is_tuple() || value.tag() == Tag::IntList;
}

bool is_integer(const IValue& value) {
  return value.is_int() || value.is_bool() ||
         (value.is_tensor() && !is_floating_point(value.as_tensor().dtype()));
}

// One value for each spatial dimension: the sequence, or the number for all of them.
std::vector<IValue> for_each_dimension(const Interpolation& call, const IValue& given,
                                       std::string_view what, std::string_view written,
                                       std::string_view letter) {
  if (!is_sequence(given)) {
    return std::vector<IValue>(static_cast<size_t>(std::max<int64_t>(call.spatial(), 0)), given);
  }
  std::vector<IValue> values = items_of(given);
  if (static_cast<int64_t>(values.size()) != call.spatial()) {
    std::vector<IValue> sizes;
    for (int64_t i = 2; i < call.tensor().dim(); i++) {
      sizes.emplace_back(call.tensor().size(i));
    }
    throw_error(ErrorKind::ValueError,
                "Input and {0} must have the same number of spatial dimensions, but got input with "
                "spatial dimensions of {1} and {2} {3}. Please provide input tensor in (N, C, d1, "
                "d2, ...,dK) format and {4} in ({5}1, {5}2, ...,{5}K) format.",
                letter == "o" ? "output" : "scale_factor", repr(make_list(sizes)), written,
                repr(given), what, letter);
  }
  return values;
}

std::vector<IValue> output_size(const Interpolation& call) {
  std::vector<IValue> sizes =
      for_each_dimension(call, call.size, "output size", "output size of", "o");
  if (is_sequence(call.size) && !std::all_of(sizes.begin(), sizes.end(), is_integer)) {
    std::string types;
    for (const IValue& size : sizes) {
      types += (types.empty() ? "" : ", ") + repr(type_value(type_of(size)));
    }
    throw_error(ErrorKind::TypeError,
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, "
                "int, int], but got size with types [{}]",
                types);
  }
  return sizes;
}

// int(size * factor)
int64_t scaled(int64_t size, const IValue& factor) {
  const double product = static_cast<double>(size) * scalar_of_value(factor).to_double();
  TSC_CHECK_VALUE(!std::isnan(product), "cannot convert float NaN to integer");
  if (std::isinf(product)) {
    throw_error(ErrorKind::OverflowError, "cannot convert float infinity to integer");
  }
  return Scalar(product).to<int64_t>();
}

[[noreturn]] void throw_no_operator(const Interpolation& call) {
  const int64_t dim = call.tensor().dim();
  const Mode* const mode = find_mode(call.mode);
  if (mode != nullptr && mode->name.ends_with("linear") && dim >= 3 && dim <= 5) {
    throw_error(ErrorKind::NotImplementedError, "Got {}D input, but {} mode needs {}D input", dim,
                mode->name, mode->least + 2);
  }
  throw_error(ErrorKind::NotImplementedError,
              "Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: "
              "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
              "(got {})",
              dim, str(call.mode));
}

std::string operator_of(const Interpolation& call, const Mode* mode) {
  if (mode == nullptr || call.spatial() < mode->least || call.spatial() > mode->most) {
    throw_no_operator(call);
  }
  if (mode->name == "lanczos") {
    TSC_CHECK_VALUE(!is_true(call.align_corners),
                    "Lanczos mode does not support align_corners=True");
    TSC_CHECK_VALUE(call.antialias, "Lanczos mode requires antialias=True");
  }
  return call.antialias ? fmt::format("_{}{}d_aa", mode->stem, call.spatial())
                        : fmt::format("{}{}d", mode->stem, call.spatial());
}

IValue interpolate(Interpolation call) {
  if (!call.input.is_tensor()) {
    throw_error(ErrorKind::AttributeError, "'{}' object has no attribute 'dim'",
                type_name(call.input));
  }
  const Mode* const mode = find_mode(call.mode);
  if (mode != nullptr && !mode->takes_align_corners) {
    TSC_CHECK_VALUE(call.align_corners.is_none(),
                    "align_corners option can only be set with the interpolating modes: linear | "
                    "bilinear | bicubic | trilinear");
  } else if (call.align_corners.is_none()) {
    call.align_corners = IValue(false);
  }
  TSC_CHECK_VALUE(call.size.is_none() || call.scale_factor.is_none(),
                  "only one of size or scale_factor should be defined");
  TSC_CHECK_VALUE(!call.size.is_none() || !call.scale_factor.is_none(),
                  "either size or scale_factor should be defined");
  IValue sizes, factors;
  if (!call.size.is_none()) {
    sizes = make_list(output_size(call));
    TSC_CHECK_VALUE(!call.recompute_scale_factor,
                    "recompute_scale_factor is not meaningful with an explicit size.");
  } else {
    const std::vector<IValue> given =
        for_each_dimension(call, call.scale_factor, "scale_factor", "scale_factor of shape", "s");
    const bool is_pooled = mode != nullptr && mode->name == "area";
    if (call.recompute_scale_factor || is_pooled) {
      std::vector<IValue> computed;
      for (size_t i = 0; i < given.size(); i++) {
        computed.emplace_back(scaled(call.tensor().size(static_cast<int64_t>(i) + 2), given[i]));
      }
      sizes = make_list(computed);
    } else {
      factors = make_list(given);
    }
  }
  const bool can_antialias = mode != nullptr && mode->antialiases && call.tensor().dim() == 4;
  TSC_CHECK_VALUE(!call.antialias || can_antialias,
                  "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and "
                  "requires a 4-D tensor as input");
  const std::string name = operator_of(call, mode);
  std::vector<IValue> arguments = {call.input, sizes};
  if (mode->takes_align_corners) {
    arguments.push_back(call.align_corners);
  }
  if (mode->name != "area") {
    arguments.push_back(factors);
  }
  const OverloadSet* set = find_function_set(PythonModule::Functional, name);
  if (set == nullptr) {
    set = find_function_set(PythonModule::Torch, name);
  }
  TSC_ASSERT(set != nullptr);
  return call_set(*set, std::move(arguments));
}

Interpolation first_arguments(const Arguments& arguments) {
  Interpolation call;
  call.input = arguments[0];
  call.size = argument_or(arguments, 1, IValue());
  call.scale_factor = argument_or(arguments, 2, IValue());
  call.mode = argument_or(arguments, 3, IValue("nearest"));
  call.align_corners = argument_or(arguments, 4, IValue());
  return call;
}

IValue interpolate_function(Interpreter&, Arguments& arguments) {
  Interpolation call = first_arguments(arguments);
  call.recompute_scale_factor = flag_or(arguments, 5, false);
  call.antialias = flag_or(arguments, 6, false);
  return interpolate(std::move(call));
}

void warn_of_name(std::string_view name) {
  warn("`nn.functional.{}` is deprecated. Use `nn.functional.interpolate` instead.", name);
}

IValue upsample(Interpreter&, Arguments& arguments) {
  warn_of_name("upsample");
  return interpolate(first_arguments(arguments));
}
IValue upsample_nearest(Interpreter&, Arguments& arguments) {
  warn_of_name("upsample_nearest");
  return interpolate(first_arguments(arguments));
}
IValue upsample_bilinear(Interpreter&, Arguments& arguments) {
  warn_of_name("upsample_bilinear");
  Interpolation call = first_arguments(arguments);
  call.mode = IValue("bilinear");
  call.align_corners = IValue(true);
  return interpolate(std::move(call));
}

// --- Samples at points ---

constinit OperatorRef grid_sampler_op("aten::grid_sampler", "");
constinit OperatorRef affine_grid_op("aten::affine_grid_generator", "");

int64_t choice_of(const IValue& given, std::initializer_list<std::string_view> choices) {
  int64_t i = 0;
  for (const std::string_view choice : choices) {
    if (given.is_string() && given.as_string() == choice) {
      return i;
    }
    i++;
  }
  return -1;
}

IValue align_corners_or_warn(const Arguments& arguments, size_t i) {
  if (has_value(arguments, i)) {
    return arguments[i];
  }
  warn(
      "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
      "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
      "documentation of grid_sample for details.");
  return IValue(false);
}

IValue grid_sample(Interpreter&, Arguments& arguments) {
  const IValue mode = argument_or(arguments, 2, IValue("bilinear"));
  const IValue padding = argument_or(arguments, 3, IValue("zeros"));
  const int64_t mode_number = choice_of(mode, {"bilinear", "nearest", "bicubic"});
  const int64_t padding_number = choice_of(padding, {"zeros", "border", "reflection"});
  TSC_CHECK_VALUE(mode_number >= 0,
                  "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or "
                  "'bicubic', but got: '{}'",
                  str(mode));
  TSC_CHECK_VALUE(padding_number >= 0,
                  "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                  "'reflection', but got: '{}'",
                  str(padding));
  const IValue align_corners = align_corners_or_warn(arguments, 4);
  check_tensor(arguments, 0, "grid_sampler", "input");
  check_tensor(arguments, 1, "grid_sampler", "grid");
  return grid_sampler_op(arguments[0], arguments[1], mode_number, padding_number, align_corners);
}

IValue affine_grid(Interpreter&, Arguments& arguments) {
  const IValue align_corners = align_corners_or_warn(arguments, 2);
  if (!arguments[0].is_tensor()) {
    throw_no_attribute(arguments[0], "is_floating_point");
  }
  const Tensor& theta = arguments[0].as_tensor();
  TSC_CHECK_VALUE(is_floating_point(theta.dtype()),
                  "Expected theta to have floating point type, but got {}",
                  repr(IValue(theta.dtype())));
  const DimVector size = ints_of_value(arguments[1], "affine_grid", "size");
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  if (dims != 2 && dims != 3) {
    throw_error(ErrorKind::NotImplementedError,
                "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                "respectively. Got size {}.",
                repr(arguments[1]));
  }
  const bool fits = theta.dim() == 3 && theta.size(1) == dims && theta.size(2) == dims + 1;
  TSC_CHECK_VALUE(fits,
                  "Expected a batch of {0}D affine matrices of shape Nx{0}x{1} for size {2}. Got "
                  "torch.Size({3}).",
                  dims, dims + 1, repr(arguments[1]), theta.sizes());
  const auto least = std::min_element(size.begin() + 2, size.end());
  if (is_true(align_corners) && *least == 1) {
    warn(
        "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
        "align_corners=True. This is not an intended use case of affine_grid. See the "
        "documentation of affine_grid for details.");
  } else {
    TSC_CHECK_VALUE(*std::min_element(size.begin(), size.end()) > 0,
                    "Expected non-zero, positive output size. Got {}", repr(arguments[1]));
  }
  return affine_grid_op(arguments[0], IValue(IntArrayRef(size)), align_corners);
}

constexpr BuiltinDef kFunctions[] = {
    {"affine_grid", &in_frame<&affine_grid>, 2, 3, "theta size align_corners"},
    {"grid_sample", &in_frame<&grid_sample>, 2, 5, "input grid mode padding_mode align_corners"},
    {"interpolate", &in_frame<&interpolate_function>, 1, 7,
     "input size scale_factor mode align_corners recompute_scale_factor antialias"},
    {"upsample", &in_frame<&upsample>, 1, 5, "input size scale_factor mode align_corners"},
    {"upsample_bilinear", &in_frame<&upsample_bilinear>, 1, 3, "input size scale_factor"},
    {"upsample_nearest", &in_frame<&upsample_nearest>, 1, 3, "input size scale_factor"},
};

}  // namespace

std::span<const BuiltinDef> upsamplings() { return kFunctions; }

}  // namespace tsc::interp
