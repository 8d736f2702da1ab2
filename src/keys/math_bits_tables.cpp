// Which operators the columns Conjugate, Negative and ZeroTensor leave alone.
#include <algorithm>
#include <array>

#include "keys/math_bits.h"

namespace tsc::keys {

namespace {

// Views, and what looks at sizes, dtype and the bits only.
constexpr std::string_view kMetadataOps[] = {
    "_conj",
    "_is_zerotensor",
    "_unsafe_view",
    "alias",
    "chunk",
    "clone",
    "conj",
    "copy_",
    "detach",
    "detach_",
    "diagonal",
    "empty.memory_format",
    "empty_like",
    "empty_strided",
    "expand",
    "expand_as",
    "full_like",
    "hsplit.int",
    "imag",
    "is_complex",
    "is_conj",
    "is_floating_point",
    "is_neg",
    "movedim.int",
    "movedim.intlist",
    "narrow",
    "permute",
    "real",
    "reshape",
    "resize_",
    "select.int",
    "split.Tensor",
    "split_with_sizes",
    "squeeze",
    "squeeze_",
    "swapaxes",
    "swapdims",
    "t",
    "t_",
    "transpose.int",
    "transpose_",
    "unbind.int",
    "unflatten.int",
    "unfold",
    "unsqueeze",
    "unsqueeze_",
    "view_as",
    "view_as_real",
    "vsplit.int",
};

// What the columns of the two signs leave to the operators that these are made of.
constexpr std::string_view kSignOps[] = {
    "as_strided",
    "linalg_solve_triangular",
    "linalg_solve_triangular.out",
    "linalg_svd",
    "linalg_svd.U",
    "repeat_interleave.Tensor",
    "repeat_interleave.self_Tensor",
    "repeat_interleave.self_int",
    "resolve_conj",
    "resolve_neg",
    "view",
};

// Products conjugate an operand as they read it.
constexpr std::string_view kConjugateOps[] = {
    "_conj_physical", "addmm", "addmm.out", "addmm_",        "baddbmm",        "baddbmm.out",
    "baddbmm_",       "bmm",   "bmm.out",   "conj_physical", "conj_physical_", "dot",
    "dot.out",        "mm",    "mm.out",    "vdot",          "vdot.out",
};

constexpr std::string_view kNegativeOps[] = {"neg_"};

// Whose own kernels go on to operators that have one here.
constexpr std::string_view kZeroTensorOps[] = {"add.Scalar", "dot", "mul.Scalar", "vdot",
                                               "zeros_like"};

template <size_t N>
constexpr ColumnKernel* fall_through(const std::string_view (&ops)[N], ColumnKernel* to) {
  for (const std::string_view op : ops) {
    *to++ = {op, fallthrough_kernel(__FILE__, __LINE__)};
  }
  return to;
}

// The lists as one, sorted by name.
template <size_t... N>
constexpr auto all_fall_through(const std::string_view (&... lists)[N]) {
  std::array<ColumnKernel, (N + ...)> kernels{};
  ColumnKernel* to = kernels.data();
  ((to = fall_through(lists, to)), ...);
  std::sort(kernels.begin(), kernels.end(),
            [](const ColumnKernel& a, const ColumnKernel& b) { return a.op < b.op; });
  return kernels;
}

constexpr auto kConjugateFallthroughs = all_fall_through(kMetadataOps, kSignOps, kConjugateOps);
constexpr auto kNegativeFallthroughs = all_fall_through(kMetadataOps, kSignOps, kNegativeOps);
constexpr auto kZeroTensorFallthroughs = all_fall_through(kMetadataOps, kZeroTensorOps);

}  // namespace

ArrayRef<ColumnKernel> conjugate_fallthroughs() { return kConjugateFallthroughs; }
ArrayRef<ColumnKernel> negative_fallthroughs() { return kNegativeFallthroughs; }
ArrayRef<ColumnKernel> zero_tensor_fallthroughs() { return kZeroTensorFallthroughs; }

}  // namespace tsc::keys
