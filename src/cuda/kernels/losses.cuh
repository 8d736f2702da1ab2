// Losses of classes.

// The loss and the weight of target i. Memory: losses, weights, scores, targets, the weights of classes.
// Integers: the number of classes, the elements of a class, the target that is ignored.
TSC_FN void nll_loss(const Arguments& a, Index i) {
  const Index classes = whole(a, 0);
  const Index inner = whole(a, 1);
  const int64_t target = memory<T3>(a, 3)[i];
  Real loss = Real(0);
  Real weight = Real(0);
  if (target != a.integer[2]) {
    if (is_out_of_range(a, target, 1, classes)) return;
    const Index outer = i / inner;
    const Index at = (outer * classes + static_cast<Index>(target)) * inner + (i - outer * inner);
    weight = a.data[4] == nullptr ? Real(1) : convert<Real>(memory<T4>(a, 4)[target]);
    loss = -convert<Real>(memory<T2>(a, 2)[at]) * weight;
  }
  memory<T0>(a, 0)[i] = convert<T0>(loss);
  if (a.data[1] != nullptr) memory<T1>(a, 1)[i] = convert<T1>(weight);
}

// The result, of sums. Memory: the loss, the total weight, the sum of losses, that of weights. Integers:
// whether the loss is a mean.
TSC_FN void nll_loss_total(const Arguments& a, Index) {
  const Real loss = memory<T2>(a, 2)[0];
  const Real weight = memory<T3>(a, 3)[0];
  memory<T0>(a, 0)[0] = convert<T0>(a.integer[0] != 0 ? loss / weight : loss);
  memory<T1>(a, 1)[0] = convert<T1>(weight);
}

// The gradient of score i. Memory: the gradient, the arriving one, targets, the weights of classes, the
// total weight of a mean. Integers: as nll_loss, and whether each target has a gradient.
TSC_FN void nll_loss_backward(const Arguments& a, Index i) {
  const Index classes = whole(a, 0);
  const Index inner = whole(a, 1);
  const Index line = i / inner;
  const Index outer = line / classes;
  const Index place = outer * inner + (i - line * inner);
  const int64_t target = memory<T2>(a, 2)[place];
  Real slope = Real(0);
  if (target != a.integer[2] && target == line - outer * classes) {
    const Real weight = a.data[3] == nullptr ? Real(1) : convert<Real>(memory<T3>(a, 3)[target]);
    const Real total = a.data[4] == nullptr ? Real(1) : convert<Real>(memory<T4>(a, 4)[0]);
    slope = -weight * (convert<Real>(memory<T1>(a, 1)[a.integer[3] != 0 ? place : Index(0)]) / total);
  }
  memory<T0>(a, 0)[i] = convert<T0>(slope);
}

// What class `at` exceeds the target's score less the margin by.
TSC_FN Real margin_distance(const Arguments& a, const T1* scores, Index target, Index at) {
  return Real(a.number[0]) - convert<Real>(scores[target]) + convert<Real>(scores[at]);
}
// The loss of row i. Memory: losses, scores, targets, the weights of classes. Integers: the number of
// classes, and whether distances are squared. Numbers: the margin.
TSC_FN void multi_margin_loss(const Arguments& a, Index i) {
  const Index classes = whole(a, 0);
  const T1* const scores = memory<T1>(a, 1) + i * classes;
  const int64_t given = memory<T2>(a, 2)[i];
  if (is_out_of_range(a, given, 1, classes)) return;
  const Index target = static_cast<Index>(given);
  const Real factor = a.data[3] == nullptr ? Real(1) : convert<Real>(memory<T3>(a, 3)[target]);
  Real sum = Real(0);
  for (Index at = 0; at < classes; at++) {
    const Real distance = margin_distance(a, scores, target, at);
    if (at == target || !(distance > Real(0))) continue;
    sum += (a.integer[1] != 0 ? distance * distance : distance) * factor;
  }
  memory<T0>(a, 0)[i] = convert<T0>(sum / Real(classes));
}
// The gradients of row i. Memory: the gradients, scores, targets, the weights of classes, the arriving
// gradient. Integers: as multi_margin_loss, and whether each row has a gradient. Numbers: the margin, and
// what the sum is divided by.
TSC_FN void multi_margin_loss_backward(const Arguments& a, Index i) {
  const Index classes = whole(a, 0);
  const T1* const scores = memory<T1>(a, 1) + i * classes;
  T0* const out = memory<T0>(a, 0) + i * classes;
  const int64_t given = memory<T2>(a, 2)[i];
  if (is_out_of_range(a, given, 1, classes)) return;
  const Index target = static_cast<Index>(given);
  const Real factor = a.data[3] == nullptr ? Real(1) : convert<Real>(memory<T3>(a, 3)[target]);
  const Real arriving = convert<Real>(memory<T4>(a, 4)[a.integer[2] != 0 ? i : Index(0)]);
  const Real scale = factor * arriving / Real(a.number[1]);
  Real sum = Real(0);
  for (Index at = 0; at < classes; at++) {
    if (at == target) continue;
    const Real distance = margin_distance(a, scores, target, at);
    const Real slope =
        !(distance > Real(0)) ? Real(0) : (a.integer[1] != 0 ? Real(2) * distance : Real(1)) * scale;
    out[at] = convert<T0>(slope);
    sum += slope;
  }
  out[target] = convert<T0>(-sum);
}
