// PyTorch's tags: what a tool may assume of an operator.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace tsc {

// In PyTorch's order, which is the alphabet's; the place is the number that torch.Tag has.
#define TSC_FORALL_OPERATOR_TAGS(_)                                                             \
  _(core)                       /* one of the operators that all others can be made of */       \
  _(cudagraph_unsafe)           /* a CUDA graph cannot hold it */                               \
  _(data_dependent_output)      /* returns a number that the elements decide */                 \
  _(dynamic_output_shape)       /* the elements decide the result's sizes */                    \
  _(flexible_layout)            /* takes any strides */                                         \
  _(generated)                  /* made of another form */                                      \
  _(inplace)                    /* writes to its first argument */                              \
  _(inplace_view)               /* changes the sizes or strides of its argument */              \
  _(maybe_aliasing_or_mutating) /* may return its argument, or write to one */                  \
  _(needs_contiguous_strides)   /* takes contiguous arguments only */                           \
  _(needs_exact_strides)        /* takes the strides that it was traced with only */            \
  _(needs_fixed_stride_order)   /* takes the order of strides that it was traced with only */   \
  _(nondeterministic_bitwise)   /* two runs may differ in the last bits */                      \
  _(nondeterministic_seeded)    /* draws from a generator */                                    \
  _(out)                        /* writes to out= */                                            \
  _(out_variant)                /* another operator's out= form */                              \
  _(pointwise)                  /* an element depends on the operands' elements at its place */ \
  _(pt2_compliant_tag)          /* does what the schema says */                                 \
  _(reduction)                  /* joins elements along dimensions */                           \
  _(view_copy)                  /* a view's elements as a tensor of their own */

enum class OperatorTag : uint8_t {
#define TSC_OPERATOR_TAG(name) name,
  TSC_FORALL_OPERATOR_TAGS(TSC_OPERATOR_TAG)
#undef TSC_OPERATOR_TAG
};
inline constexpr std::string_view kTagNames[] = {
#define TSC_OPERATOR_TAG(name) #name,
    TSC_FORALL_OPERATOR_TAGS(TSC_OPERATOR_TAG)
#undef TSC_OPERATOR_TAG
};

// Bit i for tag i.
using OperatorTags = uint32_t;
static_assert(std::size(kTagNames) <= 32);
constexpr OperatorTags tag_bit(OperatorTag tag) { return OperatorTags{1} << static_cast<int>(tag); }
template <class... Tags>
constexpr OperatorTags tag_bits(Tags... tags) {
  return (OperatorTags{0} | ... | tag_bit(tags));
}

}  // namespace tsc
