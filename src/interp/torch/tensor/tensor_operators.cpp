// Python's operators on tensors.
#include "interp/torch/tensor/tensor_operators.h"

#include "core/tensor_factory.h"
#include "interp/runtime/objects/operators.h"
#include "interp/runtime/objects/type.h"
#include "interp/torch/call/operator_ref.h"
#include "keys/tracer.h"

namespace tsc::interp {

namespace {

// The operators behind one Python operator; absent ones are null.
struct Forms {
  OperatorRef* tensor;  // two tensors; a number becomes a tensor where `scalar` is null
  OperatorRef* scalar;  // tensor with number
  OperatorRef* inplace_tensor;
  OperatorRef* inplace_scalar;
};

#define TSC_REF(variable, name, overload) constinit OperatorRef variable("aten::" name, overload)
TSC_REF(add_tensor, "add", "Tensor");
TSC_REF(add_inplace, "add_", "Tensor");
TSC_REF(sub_tensor, "sub", "Tensor");
TSC_REF(sub_inplace, "sub_", "Tensor");
TSC_REF(rsub_scalar, "rsub", "Scalar");
TSC_REF(mul_tensor, "mul", "Tensor");
TSC_REF(mul_inplace, "mul_", "Tensor");
TSC_REF(matmul_tensor, "matmul", "");
TSC_REF(div_tensor, "div", "Tensor");
TSC_REF(div_inplace, "div_", "Tensor");
TSC_REF(reciprocal, "reciprocal", "");
TSC_REF(floor_divide_tensor, "floor_divide", "");
TSC_REF(floor_divide_inplace, "floor_divide_", "Tensor");
TSC_REF(remainder_tensor, "remainder", "Tensor");
TSC_REF(remainder_scalar, "remainder", "Scalar");
TSC_REF(remainder_reflected, "remainder", "Scalar_Tensor");
TSC_REF(remainder_inplace, "remainder_", "Tensor");
TSC_REF(remainder_inplace_scalar, "remainder_", "Scalar");
TSC_REF(pow_tensor, "pow", "Tensor_Tensor");
TSC_REF(pow_scalar, "pow", "Tensor_Scalar");
TSC_REF(pow_reflected, "pow", "Scalar");
TSC_REF(pow_inplace, "pow_", "Tensor");
TSC_REF(pow_inplace_scalar, "pow_", "Scalar");
TSC_REF(lshift_tensor, "__lshift__", "Tensor");
TSC_REF(lshift_scalar, "__lshift__", "Scalar");
TSC_REF(lshift_inplace, "__ilshift__", "Tensor");
TSC_REF(lshift_inplace_scalar, "__ilshift__", "Scalar");
TSC_REF(rshift_tensor, "__rshift__", "Tensor");
TSC_REF(rshift_scalar, "__rshift__", "Scalar");
TSC_REF(rshift_inplace, "__irshift__", "Tensor");
TSC_REF(rshift_inplace_scalar, "__irshift__", "Scalar");
TSC_REF(and_tensor, "__and__", "Tensor");
TSC_REF(and_scalar, "__and__", "Scalar");
TSC_REF(and_inplace, "__iand__", "Tensor");
TSC_REF(and_inplace_scalar, "__iand__", "Scalar");
TSC_REF(or_tensor, "__or__", "Tensor");
TSC_REF(or_scalar, "__or__", "Scalar");
TSC_REF(or_inplace, "__ior__", "Tensor");
TSC_REF(or_inplace_scalar, "__ior__", "Scalar");
TSC_REF(xor_tensor, "__xor__", "Tensor");
TSC_REF(xor_scalar, "__xor__", "Scalar");
TSC_REF(xor_inplace, "__ixor__", "Tensor");
TSC_REF(xor_inplace_scalar, "__ixor__", "Scalar");
TSC_REF(lt_tensor, "lt", "Tensor");
TSC_REF(lt_scalar, "lt", "Scalar");
TSC_REF(le_tensor, "le", "Tensor");
TSC_REF(le_scalar, "le", "Scalar");
TSC_REF(eq_tensor, "eq", "Tensor");
TSC_REF(eq_scalar, "eq", "Scalar");
TSC_REF(ne_tensor, "ne", "Tensor");
TSC_REF(ne_scalar, "ne", "Scalar");
TSC_REF(gt_tensor, "gt", "Tensor");
TSC_REF(gt_scalar, "gt", "Scalar");
TSC_REF(ge_tensor, "ge", "Tensor");
TSC_REF(ge_scalar, "ge", "Scalar");
TSC_REF(neg, "neg", "");
TSC_REF(positive, "positive", "");
TSC_REF(bitwise_not, "bitwise_not", "");
#undef TSC_REF

// In the order of BinaryOp.
constinit Forms binary_forms[] = {
    {&add_tensor, nullptr, &add_inplace, nullptr},
    {&sub_tensor, nullptr, &sub_inplace, nullptr},
    {&mul_tensor, nullptr, &mul_inplace, nullptr},
    {&matmul_tensor, nullptr, nullptr, nullptr},
    {&div_tensor, nullptr, &div_inplace, nullptr},
    {&floor_divide_tensor, nullptr, &floor_divide_inplace, nullptr},
    {&remainder_tensor, &remainder_scalar, &remainder_inplace, &remainder_inplace_scalar},
    {&pow_tensor, &pow_scalar, &pow_inplace, &pow_inplace_scalar},
    {&lshift_tensor, &lshift_scalar, &lshift_inplace, &lshift_inplace_scalar},
    {&rshift_tensor, &rshift_scalar, &rshift_inplace, &rshift_inplace_scalar},
    {&and_tensor, &and_scalar, &and_inplace, &and_inplace_scalar},
    {&or_tensor, &or_scalar, &or_inplace, &or_inplace_scalar},
    {&xor_tensor, &xor_scalar, &xor_inplace, &xor_inplace_scalar},
};
static_assert(std::size(binary_forms) == static_cast<size_t>(BinaryOp::Xor) + 1);

// In the order of CompareOp, up to GreaterEqual.
constinit Forms compare_forms[] = {
    {&lt_tensor, &lt_scalar, nullptr, nullptr}, {&le_tensor, &le_scalar, nullptr, nullptr},
    {&eq_tensor, &eq_scalar, nullptr, nullptr}, {&ne_tensor, &ne_scalar, nullptr, nullptr},
    {&gt_tensor, &gt_scalar, nullptr, nullptr}, {&ge_tensor, &ge_scalar, nullptr, nullptr},
};

// "ab" * tensor: a tensor of one integer counts as an int.
bool repeat_sequence(BinaryOp op, const IValue& tensor, const IValue& other, IValue& result) {
  if (op != BinaryOp::Multiply || (!other.is_list() && !other.is_tuple() && !other.is_string())) {
    return false;
  }
  result = binary_op(op, other, to_index(tensor));
  return true;
}

IValue wrapped(const IValue& number) { return wrapped_number_tensor(number.to_scalar()); }

// The hot path: the operands are arguments where they lie, with alpha behind them where the
// operator has one.
TSC_ALWAYS_INLINE IValue call_last_pair(OperatorRef& op, Stack& stack) {
  const OperatorHandle handle = op.handle();
  if (handle.entry().num_arguments() == 3) {
    stack.push(1);
  }
  handle.call_boxed(stack, RouteForm::Bound);
  return stack.pop();
}

IValue call_pair(OperatorRef& op, const IValue& left, const IValue& right) {
  Stack& stack = Stack::current();
  const StackHeight restored(stack);
  stack.push(left);
  stack.push(right);
  return call_last_pair(op, stack);
}

IValue call_reflected(BinaryOp op, const IValue& number, const IValue& tensor) {
  switch (op) {
    case BinaryOp::Subtract: return rsub_scalar(tensor, number, 1);
    case BinaryOp::Divide: {
      const keys::PythonFrame unnamed;
      return call_pair(mul_tensor, reciprocal(tensor), wrapped(number));
    }
    case BinaryOp::FloorDivide: return call_pair(floor_divide_tensor, wrapped(number), tensor);
    case BinaryOp::Modulo: return remainder_reflected(number, tensor);
    case BinaryOp::Power: {
      const keys::PythonFrame unnamed;
      return pow_reflected(number, tensor);
    }
    case BinaryOp::LeftShift: return call_pair(lshift_tensor, wrapped(number), tensor);
    case BinaryOp::RightShift: return call_pair(rshift_tensor, wrapped(number), tensor);
    case BinaryOp::Add:
    case BinaryOp::Multiply:
      return call_pair(*binary_forms[static_cast<size_t>(op)].tensor, tensor, wrapped(number));
    case BinaryOp::MatMul:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: break;
  }
  return (*binary_forms[static_cast<size_t>(op)].scalar)(tensor, number);
}

}  // namespace

bool tensor_binary(BinaryOp op, const IValue& left, const IValue& right, IValue& result) {
  const Forms& forms = binary_forms[static_cast<size_t>(op)];
  if (TSC_LIKELY(left.is_tensor() && right.is_tensor())) {
    result = call_pair(*forms.tensor, left, right);
    return true;
  }
  if (left.is_tensor()) {
    if (!right.is_scalar() || op == BinaryOp::MatMul) {
      return repeat_sequence(op, left, right, result);
    }
    result = forms.scalar != nullptr ? (*forms.scalar)(left, right)
                                     : call_pair(*forms.tensor, left, wrapped(right));
    return true;
  }
  if (!left.is_scalar() || op == BinaryOp::MatMul) {
    return repeat_sequence(op, right, left, result);
  }
  result = call_reflected(op, left, right);
  return true;
}

IValue tensor_binary_of_last(BinaryOp op, Stack& stack) {
  return call_last_pair(*binary_forms[static_cast<size_t>(op)].tensor, stack);
}

bool tensor_inplace(BinaryOp op, IValue& target, const IValue& value) {
  const Forms& forms = binary_forms[static_cast<size_t>(op)];
  if (forms.inplace_tensor == nullptr || (!value.is_tensor() && !value.is_scalar())) {
    return false;
  }
  if (TSC_UNLIKELY(op == BinaryOp::Power)) {
    const keys::PythonFrame unnamed;
    target = value.is_tensor() ? call_pair(*forms.inplace_tensor, target, value)
                               : (*forms.inplace_scalar)(target, value);
  } else if (value.is_tensor()) {
    target = call_pair(*forms.inplace_tensor, target, value);
  } else if (forms.inplace_scalar != nullptr) {
    target = (*forms.inplace_scalar)(target, value);
  } else {
    target = call_pair(*forms.inplace_tensor, target, wrapped(value));
  }
  return true;
}

bool tensor_unary(UnaryOp op, const IValue& operand, IValue& result) {
  switch (op) {
    case UnaryOp::Negative: result = neg(operand); return true;
    case UnaryOp::Positive: result = positive(operand); return true;
    case UnaryOp::Invert:
      TSC_CHECK_TYPE(is_integral(operand.as_tensor().dtype(), true),
                     "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
      result = bitwise_not(operand);
      return true;
    case UnaryOp::Not: break;
  }
  return false;
}

bool tensor_compare(CompareOp op, const IValue& left, const IValue& right, IValue& result) {
  const auto index = static_cast<size_t>(op);
  if (index >= std::size(compare_forms) || !left.is_tensor()) {
    return false;
  }
  if (right.is_tensor()) {
    result = call_pair(*compare_forms[index].tensor, left, right);
    return true;
  }
  if (!right.is_scalar()) {
    return false;
  }
  result = (*compare_forms[index].scalar)(left, right);
  return true;
}

}  // namespace tsc::interp
