// Activation functions and their gradients (see arithmetic.h for the functions that the includer
// provides).

namespace ufunc {

template <class T>
TSC_FN T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}
template <class T>
TSC_FN T relu(T x) {
  return select(x < T(0), T(0), x);
}
template <class T>
TSC_FN T silu(T x) {
  return x / (T(1) + exp(-x));
}
template <class T>
TSC_FN T gelu(T x) {
  return x * T(0.5) * twice_normal_cdf(x);
}
// D. Hendrycks and K. Gimpel, Gaussian error linear units, arXiv:1606.08415.
template <class T>
TSC_FN T gelu_tanh(T x) {
  const T inner = T(0.79788456080286535588) * (x + T(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + tanh(inner));
}
template <class T>
TSC_FN T leaky_relu(T x, T slope) {
  return select(x > T(0), x, x * slope);
}
template <class T>
TSC_FN T elu(T x, T alpha, T scale, T input_scale) {
  return select(x < T(0), expm1(x * input_scale) * (alpha * scale), x * scale);
}
template <class T>
TSC_FN T softplus(T x, T beta, T threshold) {
  const T scaled = x * beta;
  return select(scaled > threshold, x, log1p(exp(scaled)) / beta);
}
template <class T>
TSC_FN T log_sigmoid(T x) {
  return select(x < T(0), x, T(0)) - log1p_of_fraction(exp(-abs(x)));
}
template <class T>
TSC_FN T threshold(T x, T threshold, T value) {
  return select(x <= threshold, value, x);
}
// Of e to the power of x: tanh(log(1 + e)). Above 20 it is 1.
template <class T>
TSC_FN T mish_gate(T e) {
  const T n = e * (e + T(2));
  return n / (n + T(2));
}
template <class T>
TSC_FN T exp_up_to_20(T x) {
  return exp(select(x > T(20), T(20), x));
}
template <class T>
TSC_FN T mish(T x) {
  return x * mish_gate(exp_up_to_20(x));
}
template <class T>
TSC_FN T prelu(T x, T w) {
  return select(x > T(0), x, w * x);
}
template <class T>
TSC_FN T from_0_to_6(T x) {
  return select(x < T(0), T(0), select(x > T(6), T(6), x));
}
template <class T>
TSC_FN T hardsigmoid(T x) {
  return from_0_to_6(x + T(3)) / T(6);
}
template <class T>
TSC_FN T hardswish(T x) {
  return x * from_0_to_6(x + T(3)) / T(6);
}
template <class T>
TSC_FN T hardshrink(T x, T bound) {
  return select(x >= -bound && x <= bound, T(0), x);
}
template <class T>
TSC_FN T softshrink(T x, T bound) {
  return select(x > bound, x - bound, select(x < -bound, x + bound, x * T(0)));
}

// Gradients: g is the gradient of the result, x the input, y the result.

template <class T>
TSC_FN T sigmoid_backward(T g, T y) {
  return g * conj((T(1) - y) * y);
}
template <class T>
TSC_FN T tanh_backward(T g, T y) {
  return g * conj(T(1) - y * y);
}
template <class T>
TSC_FN T threshold_backward(T g, T x, T threshold) {
  return select(x <= threshold, T(0), g);
}
template <class T>
TSC_FN T silu_backward(T g, T x) {
  const T s = T(1) / (T(1) + exp(-x));
  return g * s * (T(1) + x * (T(1) - s));
}
template <class T>
TSC_FN T gelu_backward(T g, T x) {
  const T cdf = T(0.5) * twice_normal_cdf(x);
  const T pdf = exp(x * x * T(-0.5)) * T(0.39894228040143267794);
  return g * (cdf + x * pdf);
}
template <class T>
TSC_FN T gelu_tanh_backward(T g, T x) {
  const T beta = T(0.79788456080286535588);
  const T kappa = T(0.044715);
  const T t = tanh(beta * (x + kappa * x * x * x));
  const T left = T(0.5) * (T(1) + t);
  const T right = T(0.5) * x * (T(1) - t * t) * beta * (T(1) + T(3) * kappa * x * x);
  return g * (left + right);
}
template <class T>
TSC_FN T leaky_relu_backward(T g, T x, T slope) {
  return select(x > T(0), g, g * slope);
}
template <class T>
TSC_FN T elu_backward(T g, T x, T alpha, T scale, T input_scale) {
  return select(x <= T(0), g * input_scale * alpha * scale * exp(x * input_scale), g * scale);
}
template <class T>
TSC_FN T elu_backward_from_result(T g, T y, T alpha, T scale, T input_scale) {
  return select(y <= T(0), g * input_scale * (y + alpha * scale), g * scale);
}
template <class T>
TSC_FN T softplus_backward(T g, T x, T beta, T threshold) {
  const T scaled = x * beta;
  const T z = exp(scaled);
  return select(scaled > threshold, g, g * z / (z + T(1)));
}
template <class T>
TSC_FN T log_sigmoid_backward(T g, T x) {
  const T z = exp(-abs(x));
  const T slope = z / (T(1) + z);
  return g * select(x < T(0), T(1) - slope, slope);
}
template <class T>
TSC_FN T hardtanh_backward(T g, T x, T least, T most) {
  return select(x > least, select(x < most, g, T(0)), T(0));
}
template <class T>
TSC_FN T hardsigmoid_backward(T g, T x) {
  return hardtanh_backward(g / T(6), x, T(-3), T(3));
}
template <class T>
TSC_FN T hardswish_backward(T g, T x) {
  return select(x <= T(-3), T(0), select(x >= T(3), g, g * (x / T(3) + T(0.5))));
}
template <class T>
TSC_FN T shrink_backward(T g, T x, T bound) {
  return select(x <= bound && x >= -bound, T(0), g);
}
template <class T>
TSC_FN T mish_backward(T g, T x) {
  const T e = exp_up_to_20(x);
  const T gate = mish_gate(e);
  return g * (gate + x * e / (T(1) + e) * (T(1) - gate * gate));
}
template <class T>
TSC_FN T logit_backward(T g, T x, T low, T outside, T high) {
  return select(x < low || x > high, outside, g / (x * (T(1) - x)));
}
template <class T>
TSC_FN T prelu_backward(T g, T x, T w) {
  return select(x > T(0), g, w * g);
}
template <class T>
TSC_FN T prelu_weight_backward(T g, T x) {
  return select(x > T(0), T(0), x * g);
}

}  // namespace ufunc
