// stft and istft: the spectra of short pieces of a signal, and the signal from them.
#include "gen/ops/stft.h"
#include "core/small_vector.h"
#include "core/tensor_factory.h"
#include "gen/calls/_fft_c2c.h"
#include "gen/calls/_fft_c2r.h"
#include "gen/calls/_fft_r2c.h"
#include "gen/calls/abs.h"
#include "gen/calls/constant_pad_nd.h"
#include "gen/calls/copy.h"
#include "gen/calls/div.h"
#include "gen/calls/expand.h"
#include "gen/calls/is_floating_point.h"
#include "gen/calls/is_nonzero.h"
#include "gen/calls/lt.h"
#include "gen/calls/min.h"
#include "gen/calls/mul.h"
#include "gen/calls/narrow.h"
#include "gen/calls/ones.h"
#include "gen/calls/pad.h"
#include "gen/calls/slice.h"
#include "gen/calls/squeeze.h"
#include "gen/calls/transpose.h"
#include "gen/calls/unfold.h"
#include "gen/calls/unfold_backward.h"
#include "gen/calls/unsqueeze.h"
#include "gen/calls/view.h"
#include "gen/calls/view_as_real.h"
#include "gen/calls/zeros.h"
#include "gen/ops/stft_native.h"
#include "ops/spectral/fft_normalization.h"
#include "ops/structured/type_names.h"

namespace tsc::native {
namespace {

using OptionalInt = std::optional<int64_t>;
using OptionalFlag = std::optional<bool>;

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value.has_value() ? fmt::format("{}", static_cast<int64_t>(*value)) : "None";
}
std::string text_of(OptionalTensorRef window) {
  return window.has_value()
             ? fmt::format("{}{{{}}}", legacy_type_name(*window), to_string(window->sizes()))
             : "None";
}

// Shared by both directions: the length of the pieces, their distance, and their window.
struct Pieces {
  int64_t length;
  int64_t hop;
  int64_t window_length;
  OptionalTensorRef window;

  Pieces(int64_t n_fft, OptionalInt hop_length, OptionalInt win_length, OptionalTensorRef given)
      : length(n_fft),
        hop(hop_length.value_or(n_fft / 4)),
        window_length(win_length.value_or(n_fft)),
        window(given) {}

  // The beginning of error messages: the call.
  std::string text(const char* function, const Tensor& self) const {
    return fmt::format("{}({}{}, n_fft={}, hop_length={}, win_length={}, window={}", function,
                       legacy_type_name(self), to_string(self.sizes()), length, hop, window_length,
                       text_of(window));
  }

  // The window, padded with zeros to the length of a piece. Undefined where there is no window.
  Tensor padded_window(const TensorOptions& options) const {
    if (!window.has_value() && window_length == length) {
      return Tensor();
    }
    const Tensor inner = window.has_value() ? *window : ones(window_length, options);
    if (window_length == length) {
      return inner;
    }
    const Tensor padded = zeros(length, inner.options());
    copy_(narrow(padded, 0, (length - window_length) / 2, window_length), inner);
    return padded;
  }
};

int64_t normalization_of(bool normalized, FftNormalization otherwise) {
  return static_cast<int64_t>(normalized ? FftNormalization::ByRootN : otherwise);
}

Tensor with_zeros(const Tensor& signal, int64_t before, int64_t after) {
  return tsc::constant_pad_nd(signal, {before, after}, 0);
}

// The modes other than "constant" need a batch and a channel dimension.
Tensor padded_signal(const Tensor& signal, int64_t pad, std::string_view mode) {
  DimVector sizes(static_cast<size_t>(3 - signal.dim()), 1);
  for (const int64_t size : signal.sizes()) {
    sizes.push_back(size);
  }
  const Tensor padded = tsc::pad(view(signal, sizes), {pad, pad}, mode, std::nullopt);
  sizes = signal.sizes();
  sizes[sizes.size() - 1] += 2 * pad;
  return view(padded, sizes);
}

void check_whole(bool is_complex, bool onesided) {
  TSC_CHECK(!is_complex || !onesided, "Cannot have onesided output if window or input is complex");
}

void check_stft(const std::string& call, const Tensor& self, const Pieces& pieces, bool aligned) {
  if (!is_floating_point(self.dtype()) && !self.is_complex()) {
    throw_error(ErrorKind::NotImplementedError,
                "{} : expected a tensor of floating point or complex values", call);
  }
  TSC_CHECK(self.dim() == 1 || self.dim() == 2, "{} : expected a 1D or 2D tensor", call);
  const int64_t size = self.size(-1);
  TSC_CHECK(pieces.length > 0 && (pieces.length <= size || aligned),
            "{} : expected 0 < n_fft < {}, but got n_fft={}", call, size, pieces.length);
  TSC_CHECK(pieces.hop > 0, "{} : expected hop_length > 0, but got hop_length={}", call,
            pieces.hop);
  TSC_CHECK(pieces.window_length > 0 && pieces.window_length <= pieces.length,
            "{} : expected 0 < win_length <= n_fft, but got win_length={}", call,
            pieces.window_length);
  TSC_CHECK(!pieces.window.has_value() ||
                (pieces.window->dim() == 1 && pieces.window->size(0) == pieces.window_length),
            "{} : expected a 1D window tensor of size equal to win_length={}, but got window with "
            "size {}",
            call, pieces.window_length, to_string(pieces.window->sizes()));
}

void check_istft(const std::string& call, const Tensor& self, const Pieces& pieces, bool onesided) {
  TSC_CHECK(self.numel() != 0, "{} : input tensor cannot be empty.", call);
  TSC_CHECK(self.dim() == 2 || self.dim() == 3,
            "{} : expected a tensor with 3 or 4 dimensions, but got {}", call, self.dim() + 1);
  const int64_t frequencies = self.size(-2);
  TSC_CHECK(frequencies == (onesided ? pieces.length / 2 + 1 : pieces.length),
            "{} : expected the frequency dimension (3rd to the last) of the input tensor to match "
            "n_fft{} when onesided={}, but got {}",
            call, onesided ? " / 2 + 1" : "", onesided ? "True" : "False", frequencies);
  TSC_CHECK(0 < pieces.hop && pieces.hop <= pieces.window_length,
            "{} : expected 0 < hop_length <= win_length", call);
  TSC_CHECK(0 < pieces.window_length && pieces.window_length <= pieces.length,
            "{} : expected 0 < win_length <= n_fft", call);
  TSC_CHECK(!pieces.window.has_value() ||
                (pieces.window->dim() == 1 && pieces.window->size(0) == pieces.window_length),
            "{} : Invalid window shape. window has to be 1D and length of `win_length`", call);
}

// The pieces of each line, multiplied by the window: batch x pieces x samples. If `aligned`, the
// window, and not the piece, begins with the line.
Tensor frames_of(const Tensor& signal, const Pieces& pieces, bool aligned) {
  Tensor lines = signal.dim() == 2 ? signal : unsqueeze(signal, 0);
  if (aligned) {
    const int64_t pad = (pieces.length - pieces.window_length) / 2;
    lines = with_zeros(lines, pad, pad);
  }
  const Tensor frames = unfold(lines, 1, pieces.length, pieces.hop);
  const Tensor factors = pieces.padded_window(signal.options());
  return factors.defined() ? mul(frames, factors) : frames;
}

// The sum of overlapping pieces at their places; of the sum, the samples from start to end.
struct Overlap {
  int64_t hop;
  int64_t size;
  int64_t start;
  int64_t end;

  Tensor operator()(const Tensor& frames) const {
    const Tensor whole = unfold_backward(frames, {frames.size(0), size}, 1, frames.size(2), hop);
    return slice(whole, 1, start, std::min(end, size));
  }
};

Tensor signal_of(const Tensor& frames, const Tensor& window, const Overlap& overlap,
                 const std::string& call) {
  const Tensor squares = expand(mul(window, window), {1, frames.size(1), frames.size(2)});
  const Tensor envelope = overlap(squares);
  TSC_CHECK(!is_nonzero(lt(min(abs(envelope)), 1e-11)),
            "{} window overlap add min: 1\n[ CPUBoolType{{}} ]", call);
  const Tensor signal = div(overlap(mul(frames, window)), envelope);
  if (overlap.end <= overlap.size) {
    return signal;
  }
  warn(
      "The length of signal is shorter than the length parameter. Result is being padded with "
      "zeros in the tail. Please check your center and hop_length settings.");
  return with_zeros(signal, 0, overlap.end - overlap.size);
}

}  // namespace

Tensor stft_center(const Tensor& self, int64_t n_fft, OptionalInt hop_length,
                   OptionalInt win_length, OptionalTensorRef window, bool center,
                   std::string_view pad_mode, bool normalized, OptionalFlag onesided,
                   OptionalFlag return_complex, OptionalFlag align_to_window) {
  TSC_CHECK(!center || !align_to_window.has_value(),
            "stft align_to_window should only be set when center = false");
  const Tensor signal = center && self.dim() <= 2 ? padded_signal(self, n_fft / 2, pad_mode) : self;
  const Pieces pieces(n_fft, hop_length, win_length, window);
  const std::string call =
      fmt::format("{}, normalized={}, onesided={}, return_complex={}, align_to_window={})",
                  pieces.text("stft", signal), normalized ? 1 : 0, text_of(onesided),
                  text_of(return_complex), text_of(align_to_window));
  const bool is_complex = self.is_complex() || (window.has_value() && window->is_complex());
  TSC_CHECK(return_complex.has_value() || is_complex,
            "stft requires the return_complex parameter be given for real inputs, and will further "
            "require that return_complex=True in a future PyTorch release.");
  const bool aligned = align_to_window.value_or(false);
  check_stft(call, signal, pieces, aligned);
  check_whole(is_complex, onesided.value_or(false));

  const Tensor frames = frames_of(signal, pieces, aligned);
  const int64_t divided = normalization_of(normalized, FftNormalization::None);
  Tensor spectra = is_complex ? tsc::_fft_c2c(frames, -1, divided, true)
                              : tsc::_fft_r2c(frames, -1, divided, onesided.value_or(true));
  spectra = transpose(spectra, 1, 2);
  if (signal.dim() == 1) {
    spectra = squeeze(spectra, 0);
  }
  return return_complex.value_or(true) ? spectra : view_as_real(spectra);
}

Tensor istft(const Tensor& self, int64_t n_fft, OptionalInt hop_length, OptionalInt win_length,
             OptionalTensorRef window, bool center, bool normalized, OptionalFlag onesided,
             OptionalInt length, bool return_complex) {
  TSC_CHECK_TYPE(self.is_complex(),
                 "istft requires a complex-valued input tensor matching the output from stft with "
                 "return_complex=True.");
  const Pieces pieces(n_fft, hop_length, win_length, window);
  const std::string call =
      fmt::format("{}, center={}, normalized={}, onesided={}, length={}, return_complex={})",
                  pieces.text("istft", self), center ? 1 : 0, normalized ? 1 : 0, text_of(onesided),
                  text_of(length), return_complex ? 1 : 0);
  const bool is_half = onesided.value_or(self.dim() < 2 || self.size(-2) != n_fft);
  check_istft(call, self, pieces, is_half);
  check_whole(return_complex, is_half);
  TSC_CHECK(return_complex || !window.has_value() || !window->is_complex(),
            "Complex windows are incompatible with return_complex=False");

  const bool is_batch = self.dim() == 3;
  const Tensor spectra = transpose(is_batch ? self : unsqueeze(self, 0), 1, 2);
  const int64_t divided = normalization_of(normalized, FftNormalization::ByN);
  // The second half of a whole spectrum is assumed to mirror the first.
  const Tensor frames =
      return_complex ? tsc::_fft_c2c(spectra, -1, divided, false)
                     : tsc::_fft_c2r(slice(spectra, 2, 0, n_fft / 2 + 1), -1, divided, n_fft);
  Tensor factors = pieces.padded_window(
      TensorOptions(to_real_value_type(self.dtype()), std::nullopt, self.device()));
  if (!factors.defined()) {
    factors = ones(n_fft, frames.options());
  }
  const int64_t size = n_fft + pieces.hop * (frames.size(1) - 1);
  const int64_t start = center ? n_fft / 2 : 0;
  const int64_t end = length.has_value() ? start + *length : size - start;
  const Tensor signal = signal_of(
      frames, factors, {.hop = pieces.hop, .size = size, .start = start, .end = end}, call);
  return is_batch ? signal : squeeze(signal, 0);
}

}  // namespace tsc::native
