#pragma once
// The elementwise operations of the CPU kernels, in one table: name, number of inputs, what the
// result is. A kernel computes in one type, its compute type: all inputs have it, and the result
// has it (same), is a bool (test), or is its real part's type (real). `where` takes a bool first.
//
// Parameters are numbers that are the same for every element, p[0], p[1], ... in the comments.
// They have the compute type.

#define TSC_FORALL_UFUNCS(_)                                                          \
  /* a + p[0] * b, a - p[0] * b */                                                    \
  _(add, 2, same)                                                                     \
  _(sub, 2, same)                                                                     \
  _(mul, 2, same)                                                                     \
  _(neg, 1, same)                                                                     \
  _(square, 1, same)                                                                  \
  /* a * a * a, 1 / (a * a) */                                                        \
  _(cube, 1, same)                                                                    \
  _(inverse_square, 1, same)                                                          \
  _(squared_difference, 2, same)                                                      \
  /* a + p[0] * b * c, a + p[0] * b / c */                                            \
  _(addcmul, 3, same)                                                                 \
  _(addcdiv, 3, same)                                                                 \
  /* a + p[0] * (b - a), a + c * (b - a) */                                           \
  _(lerp_scalar, 2, same)                                                             \
  _(lerp, 3, same)                                                                    \
  _(where, 3, same)                                                                   \
  /* Integer divisions count divisors of zero: see IntegerDivision. */                \
  _(div, 2, same)                                                                     \
  _(div_floor, 2, same)                                                               \
  _(div_trunc, 2, same)                                                               \
  _(remainder, 2, same)                                                               \
  _(fmod, 2, same)                                                                    \
  _(reciprocal, 1, same)                                                              \
  _(abs, 1, real)                                                                     \
  _(sign, 1, same)                                                                    \
  _(maximum, 2, same)                                                                 \
  _(minimum, 2, same)                                                                 \
  _(fmax, 2, same)                                                                    \
  _(fmin, 2, same)                                                                    \
  /* between p[0] and p[1]; at least p[0]; at most p[0]; between b and c */           \
  _(clamp, 1, same)                                                                   \
  _(clamp_min, 1, same)                                                               \
  _(clamp_max, 1, same)                                                               \
  _(clamp_tensor, 3, same)                                                            \
  _(relu, 1, same)                                                                    \
  /* p[1] where a <= p[0], else a; 0 where b <= p[0], else a */                       \
  _(threshold, 1, same)                                                               \
  _(threshold_backward, 2, same)                                                      \
  /* NaN -> p[0], infinity -> p[1], -infinity -> p[2] */                              \
  _(nan_to_num, 1, same)                                                              \
  _(floor, 1, same)                                                                   \
  _(ceil, 1, same)                                                                    \
  _(trunc, 1, same)                                                                   \
  _(round, 1, same)                                                                   \
  _(frac, 1, same)                                                                    \
  _(copysign, 2, same)                                                                \
  _(eq, 2, test)                                                                      \
  _(ne, 2, test)                                                                      \
  _(lt, 2, test)                                                                      \
  _(le, 2, test)                                                                      \
  _(gt, 2, test)                                                                      \
  _(ge, 2, test)                                                                      \
  _(logical_and, 2, test)                                                             \
  _(logical_or, 2, test)                                                              \
  _(logical_xor, 2, test)                                                             \
  _(logical_not, 1, test)                                                             \
  _(isnan, 1, test)                                                                   \
  _(isinf, 1, test)                                                                   \
  _(isfinite, 1, test)                                                                \
  _(signbit, 1, test)                                                                 \
  _(bitwise_and, 2, same)                                                             \
  _(bitwise_or, 2, same)                                                              \
  _(bitwise_xor, 2, same)                                                             \
  _(bitwise_not, 1, same)                                                             \
  _(shift_left, 2, same)                                                              \
  _(shift_right, 2, same)                                                             \
  _(exp, 1, same)                                                                     \
  _(exp2, 1, same)                                                                    \
  _(expm1, 1, same)                                                                   \
  _(log, 1, same)                                                                     \
  _(log2, 1, same)                                                                    \
  _(log10, 1, same)                                                                   \
  _(log1p, 1, same)                                                                   \
  _(sqrt, 1, same)                                                                    \
  _(rsqrt, 1, same)                                                                   \
  _(pow, 2, same)                                                                     \
  _(sin, 1, same)                                                                     \
  _(cos, 1, same)                                                                     \
  _(tan, 1, same)                                                                     \
  _(asin, 1, same)                                                                    \
  _(acos, 1, same)                                                                    \
  _(atan, 1, same)                                                                    \
  _(sinh, 1, same)                                                                    \
  _(cosh, 1, same)                                                                    \
  _(asinh, 1, same)                                                                   \
  _(acosh, 1, same)                                                                   \
  _(atanh, 1, same)                                                                   \
  _(atan2, 2, same)                                                                   \
  _(hypot, 2, same)                                                                   \
  _(tanh, 1, same)                                                                    \
  _(sigmoid, 1, same)                                                                 \
  _(silu, 1, same)                                                                    \
  _(gelu, 1, same)                                                                    \
  _(gelu_tanh, 1, same)                                                               \
  /* slope p[0] */                                                                    \
  _(leaky_relu, 1, same)                                                              \
  /* alpha p[0], scale p[1], input scale p[2] */                                      \
  _(elu, 1, same)                                                                     \
  /* beta p[0], threshold p[1] */                                                     \
  _(softplus, 1, same)                                                                \
  _(log_sigmoid, 1, same)                                                             \
  _(mish, 1, same)                                                                    \
  _(erf, 1, same)                                                                     \
  _(erfc, 1, same)                                                                    \
  _(lgamma, 1, same)                                                                  \
  /* Gradients: of the result first, then the result (sigmoid, tanh) or the input. */ \
  _(sigmoid_backward, 2, same)                                                        \
  _(tanh_backward, 2, same)                                                           \
  _(silu_backward, 2, same)                                                           \
  _(gelu_backward, 2, same)                                                           \
  _(gelu_tanh_backward, 2, same)                                                      \
  _(leaky_relu_backward, 2, same)                                                     \
  _(elu_backward, 2, same)                                                            \
  _(elu_backward_from_result, 2, same)                                                \
  _(softplus_backward, 2, same)                                                       \
  _(log_sigmoid_backward, 2, same)                                                    \
  /* bounds p[0] and p[1] */                                                          \
  _(hardtanh_backward, 2, same)                                                       \
  _(hardsigmoid_backward, 2, same)                                                    \
  _(hardswish_backward, 2, same)                                                      \
  /* bound p[0] */                                                                    \
  _(shrink_backward, 2, same)                                                         \
  _(mish_backward, 2, same)                                                           \
  /* weight last */                                                                   \
  _(prelu_backward, 3, same)                                                          \
  _(prelu_weight_backward, 2, same)                                                   \
  _(prelu, 2, same)
