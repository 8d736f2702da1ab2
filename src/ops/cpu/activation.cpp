// Activation functions and their gradients.
#include "ops/cpu/formulas.h"
#include "ops/cpu/groups.h"
#include "ops/cpu/tile.h"

namespace tsc::cpu::TSC_ISA {
namespace {

TSC_UNARY_OP(Tanh, 0, tanh(a))
TSC_UNARY_OP(Sigmoid, 0, ufunc::sigmoid(a))
TSC_UNARY_OP(Silu, 0, ufunc::silu(a))
TSC_UNARY_OP(Gelu, 0, ufunc::gelu(a))
TSC_UNARY_OP(GeluTanh, 0, ufunc::gelu_tanh(a))
TSC_UNARY_OP(LeakyRelu, 1, ufunc::leaky_relu(a, p[0]))
TSC_UNARY_OP(Elu, 3, ufunc::elu(a, p[0], p[1], p[2]))
TSC_UNARY_OP(Softplus, 2, ufunc::softplus(a, p[0], p[1]))
TSC_UNARY_OP(LogSigmoid, 0, ufunc::log_sigmoid(a))
TSC_UNARY_OP(Mish, 0, ufunc::mish(a))
TSC_UNARY_OP(Erf, 0, erf(a))
TSC_UNARY_OP(Erfc, 0, erfc(a))
TSC_UNARY_OP(Lgamma, 0, lgamma(a))
TSC_BINARY_OP(SigmoidBackward, 0, ufunc::sigmoid_backward(a, b))
TSC_BINARY_OP(TanhBackward, 0, ufunc::tanh_backward(a, b))
TSC_BINARY_OP(SiluBackward, 0, ufunc::silu_backward(a, b))
TSC_BINARY_OP(GeluBackward, 0, ufunc::gelu_backward(a, b))
TSC_BINARY_OP(GeluTanhBackward, 0, ufunc::gelu_tanh_backward(a, b))
TSC_BINARY_OP(LeakyReluBackward, 1, ufunc::leaky_relu_backward(a, b, p[0]))
TSC_BINARY_OP(EluBackward, 3, ufunc::elu_backward(a, b, p[0], p[1], p[2]))
TSC_BINARY_OP(EluBackwardFromResult, 3, ufunc::elu_backward_from_result(a, b, p[0], p[1], p[2]))
TSC_BINARY_OP(SoftplusBackward, 2, ufunc::softplus_backward(a, b, p[0], p[1]))
TSC_BINARY_OP(LogSigmoidBackward, 0, ufunc::log_sigmoid_backward(a, b))
TSC_BINARY_OP(HardtanhBackward, 2, ufunc::hardtanh_backward(a, b, p[0], p[1]))
TSC_BINARY_OP(HardsigmoidBackward, 0, ufunc::hardsigmoid_backward(a, b))
TSC_BINARY_OP(HardswishBackward, 0, ufunc::hardswish_backward(a, b))
TSC_BINARY_OP(ShrinkBackward, 1, ufunc::shrink_backward(a, b, p[0]))
TSC_BINARY_OP(MishBackward, 0, ufunc::mish_backward(a, b))
TSC_BINARY_OP(Prelu, 0, ufunc::prelu(a, b))
TSC_TERNARY_OP(PreluBackward, 0, ufunc::prelu_backward(a, b, c))
TSC_BINARY_OP(PreluWeightBackward, 0, ufunc::prelu_weight_backward(a, b))

constexpr UfuncEntry kEntries[] = {
    {Ufunc::tanh, unary<Tanh, Floats, Complexes>},
    {Ufunc::sigmoid, unary<Sigmoid, Floats, Complexes>},
    {Ufunc::silu, unary<Silu, Floats, Complexes>},
    {Ufunc::gelu, unary<Gelu, Floats>},
    {Ufunc::gelu_tanh, unary<GeluTanh, Floats>},
    {Ufunc::leaky_relu, unary<LeakyRelu, Floats>},
    {Ufunc::elu, unary<Elu, Floats>},
    {Ufunc::softplus, unary<Softplus, Floats>},
    {Ufunc::log_sigmoid, unary<LogSigmoid, Floats>},
    {Ufunc::mish, unary<Mish, Floats>},
    {Ufunc::erf, unary<Erf, Floats>},
    {Ufunc::erfc, unary<Erfc, Floats>},
    {Ufunc::lgamma, unary<Lgamma, Floats>},
    {Ufunc::sigmoid_backward, binary<SigmoidBackward, Floats, PackedComplexes>},
    {Ufunc::tanh_backward, binary<TanhBackward, Floats, PackedComplexes>},
    {Ufunc::silu_backward, binary<SiluBackward, Floats, Complexes>},
    {Ufunc::gelu_backward, binary<GeluBackward, Floats>},
    {Ufunc::gelu_tanh_backward, binary<GeluTanhBackward, Floats>},
    {Ufunc::leaky_relu_backward, binary<LeakyReluBackward, Floats>},
    {Ufunc::elu_backward, binary<EluBackward, Floats>},
    {Ufunc::elu_backward_from_result, binary<EluBackwardFromResult, Floats>},
    {Ufunc::softplus_backward, binary<SoftplusBackward, Floats>},
    {Ufunc::log_sigmoid_backward, binary<LogSigmoidBackward, Floats>},
    {Ufunc::hardtanh_backward, binary<HardtanhBackward, Floats>},
    {Ufunc::hardsigmoid_backward, binary<HardsigmoidBackward, Floats>},
    {Ufunc::hardswish_backward, binary<HardswishBackward, Floats>},
    {Ufunc::shrink_backward, binary<ShrinkBackward, Floats>},
    {Ufunc::mish_backward, binary<MishBackward, Floats>},
    {Ufunc::prelu, binary<Prelu, Floats>},
    {Ufunc::prelu_backward, ternary<PreluBackward, Floats>},
    {Ufunc::prelu_weight_backward, binary<PreluWeightBackward, Floats>},
};

}  // namespace

const std::span<const UfuncEntry> kActivation = kEntries;

}  // namespace tsc::cpu::TSC_ISA
