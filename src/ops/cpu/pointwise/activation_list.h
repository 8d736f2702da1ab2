// Activation functions and their gradients.
#pragma once

#include "ops/cpu/ufunc.h"

// Formulas are arguments of a macro, which the formatter takes for declarations.
// clang-format off
#define TSC_ACTIVATION_FORMULAS(_)                                                                \
  _(relu, unary, 0, ufunc::relu(a), Integers, Floats)                                             \
  /* p[1] where a <= p[0], else a; 0 where b <= p[0], else a */                                   \
  _(threshold, unary, 2, ufunc::threshold(a, p[0], p[1]), Integers, Floats)                       \
  _(threshold_backward, binary, 1, ufunc::threshold_backward(a, b, p[0]), Integers, Floats)       \
  _(tanh, unary, 0, tanh(a), Floats, Complexes)                                                   \
  _(sigmoid, unary, 0, ufunc::sigmoid(a), Floats, FloatComplexes)                                 \
  _(silu, unary, 0, ufunc::silu(a), Floats, FloatComplexes)                                       \
  _(gelu, unary, 0, ufunc::gelu(a), Floats)                                                       \
  _(gelu_tanh, unary, 0, ufunc::gelu_tanh(a), Floats)                                             \
  /* slope p[0] */                                                                                \
  _(leaky_relu, unary, 1, ufunc::leaky_relu(a, p[0]), Floats)                                     \
  /* alpha p[0], scale p[1], input scale p[2] */                                                  \
  _(elu, unary, 3, ufunc::elu(a, p[0], p[1], p[2]), Floats)                                       \
  /* beta p[0], threshold p[1] */                                                                 \
  _(softplus, unary, 2, ufunc::softplus(a, p[0], p[1]), Floats)                                   \
  _(log_sigmoid, unary, 0, ufunc::log_sigmoid(a), Floats)                                         \
  _(mish, unary, 0, ufunc::mish(a), Floats)                                                       \
  _(glu, binary, 0, a * ufunc::sigmoid(b), Floats)                                                \
  _(hardsigmoid, unary, 0, ufunc::hardsigmoid(a), Floats)                                         \
  _(hardswish, unary, 0, ufunc::hardswish(a), Floats)                                             \
  /* bound p[0] */                                                                                \
  _(hardshrink, unary, 1, ufunc::hardshrink(a, p[0]), Floats)                                     \
  _(softshrink, unary, 1, ufunc::softshrink(a, p[0]), Floats)                                     \
  _(erf, unary, 0, erf(a), Floats)                                                                \
  _(erfc, unary, 0, erfc(a), Floats)                                                              \
  /* Gradients: of the result first, then the result (sigmoid, tanh) or the input. */             \
  _(sigmoid_backward, binary, 0, ufunc::sigmoid_backward(a, b), Floats, PackedComplexes)          \
  _(tanh_backward, binary, 0, ufunc::tanh_backward(a, b), Floats, PackedComplexes)                \
  _(silu_backward, binary, 0, ufunc::silu_backward(a, b), Floats, FloatComplexes)                 \
  _(gelu_backward, binary, 0, ufunc::gelu_backward(a, b), Floats)                                 \
  _(gelu_tanh_backward, binary, 0, ufunc::gelu_tanh_backward(a, b), Floats)                       \
  _(leaky_relu_backward, binary, 1, ufunc::leaky_relu_backward(a, b, p[0]), Floats)               \
  _(elu_backward, binary, 3, ufunc::elu_backward(a, b, p[0], p[1], p[2]), Floats)                 \
  _(elu_backward_from_result, binary, 3, ufunc::elu_backward_from_result(a, b, p[0], p[1], p[2]), \
    Floats)                                                                                       \
  _(softplus_backward, binary, 2, ufunc::softplus_backward(a, b, p[0], p[1]), Floats)             \
  _(log_sigmoid_backward, binary, 0, ufunc::log_sigmoid_backward(a, b), Floats)                   \
  /* bounds p[0] and p[1] */                                                                      \
  _(hardtanh_backward, binary, 2, ufunc::hardtanh_backward(a, b, p[0], p[1]), Floats)             \
  _(hardsigmoid_backward, binary, 0, ufunc::hardsigmoid_backward(a, b), Floats)                   \
  _(hardswish_backward, binary, 0, ufunc::hardswish_backward(a, b), Floats)                       \
  /* bound p[0] */                                                                                \
  _(shrink_backward, binary, 1, ufunc::shrink_backward(a, b, p[0]), Floats)                       \
  _(mish_backward, binary, 0, ufunc::mish_backward(a, b), Floats)                                 \
  /* p[1] where b is below p[0] or above p[2] */                                                  \
  _(logit_backward, binary, 3, ufunc::logit_backward(a, b, p[0], p[1], p[2]), Floats)             \
  _(prelu, binary, 0, ufunc::prelu(a, b), Floats)                                                 \
  /* weight last */                                                                               \
  _(prelu_backward, ternary, 0, ufunc::prelu_backward(a, b, c), Floats)                           \
  _(prelu_weight_backward, binary, 0, ufunc::prelu_weight_backward(a, b), Floats)
// clang-format on

TSC_DECLARE_FORMULAS(activation, TSC_ACTIVATION_FORMULAS)
