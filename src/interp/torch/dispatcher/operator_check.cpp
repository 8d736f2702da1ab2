#include "interp/torch/dispatcher/operator_check.h"

#include <algorithm>
#include <functional>

#include "autograd/variable.h"
#include "core/keys/thread_local_state.h"
#include "dispatch/dispatcher.h"
#include "interp/runtime/containers/dict.h"
#include "interp/runtime/interpreter.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
#include "interp/runtime/objects/recursion.h"
#include "interp/torch/call/operator_call.h"
#include "interp/torch/call/operator_ref.h"
#include "interp/torch/call/overloads.h"
#include "interp/torch/dispatcher/ops_objects.h"
#include "keys/schema_check.h"

namespace tsc::interp {

namespace {

constinit OperatorRef clone_op("aten::clone", "");
constinit OperatorRef detach_op("aten::detach", "");
constinit OperatorRef empty_like_op("aten::empty_like", "");
constinit OperatorRef equal_op("aten::equal", "");

using Convert = std::function<IValue(const IValue& tensor)>;

// The value with every tensor in it converted.
IValue with_tensors(const IValue& value, const Convert& convert) {
  const RecursionGuard recursion("in the arguments of a checked call");
  if (value.is_tensor()) {
    return convert(value);
  }
  if (!value.is_list() && !value.is_tuple()) {
    return value;
  }
  std::vector<IValue> items;
  for (const IValue& item : items_of(value)) {
    items.push_back(with_tensors(item, convert));
  }
  return make_list(std::move(items));
}

std::vector<Tensor> tensors_in(const IValue& value) {
  std::vector<Tensor> tensors;
  with_tensors(value, [&](const IValue& tensor) {
    tensors.push_back(tensor.as_tensor());
    return tensor;
  });
  return tensors;
}

// A call that is made several times, each time on copies of the arguments.
class CheckedCall {
 public:
  CheckedCall(OperatorHandle op, std::vector<IValue> positional, const IValue& keywords)
      : op_(op), values_(std::move(positional)) {
    num_positional_ = values_.size();
    if (keywords.is_none()) {
      return;
    }
    TSC_CHECK_TYPE(keywords.tag() == Tag::Dict, "opcheck(): kwargs must be dict, not {}",
                   python_type_name(keywords));
    for (const DictObject::Entry& entry : as_dict(keywords)->entries()) {
      if (!entry.is_removed()) {
        names_.push_back(Interpreter::current().intern(to_text(entry.key)));
        values_.push_back(entry.value);
      }
    }
  }

  OperatorHandle op() const { return op_; }
  std::string op_text() const { return str(make_op_overload(op_)); }
  CheckedCall converted(const Convert& convert) const {
    CheckedCall copy = *this;
    for (IValue& value : copy.values_) {
      value = with_tensors(value, convert);
    }
    return copy;
  }
  // Copies that require grad where the originals do.
  CheckedCall copied() const {
    return converted([](const IValue& tensor) {
      IValue copy = detach_op(clone_op(tensor));
      if (tensor.as_tensor().requires_grad()) {
        autograd::require_grad_of_new(copy.as_tensor());
      }
      return copy;
    });
  }
  IValue run() {
    Arguments arguments;
    arguments.values = values_.data();
    arguments.positional = static_cast<uint32_t>(num_positional_);
    arguments.keywords = static_cast<uint32_t>(names_.size());
    arguments.names = names_.data();
    return call_operator(op_, arguments);
  }
  const std::vector<IValue>& values() const { return values_; }
  // The declaration of the i-th value.
  const Argument& declared(size_t i) const {
    const ArrayRef<Argument> arguments = op_.schema().arguments;
    return i < num_positional_ ? arguments[i]
                               : arguments[static_cast<size_t>(op_.schema().argument_index(
                                     names_[i - num_positional_]->view()))];
  }
  bool requires_grad() const {
    return std::any_of(values_.begin(), values_.end(), [](const IValue& value) {
      const std::vector<Tensor> tensors = tensors_in(value);
      return std::any_of(tensors.begin(), tensors.end(),
                         [](const Tensor& tensor) { return tensor.requires_grad(); });
    });
  }

 private:
  OperatorHandle op_;
  std::vector<IValue> values_;
  std::vector<StringObject*> names_;
  size_t num_positional_ = 0;
};

void check_aliases(const CheckedCall& call, size_t i, const IValue& result) {
  const Argument& argument = call.declared(i);
  if (argument.alias.is_present) {
    return;
  }
  for (const Tensor& input : tensors_in(call.values()[i])) {
    for (const Tensor& output : tensors_in(result)) {
      if (output.shares_storage_with(input)) {
        keys::throw_undeclared_alias(argument);
      }
    }
  }
}

// Checks that every write and every alias is declared.
void check_schema(const CheckedCall& call) {
  const AutoGradMode no_grad(false);
  CheckedCall used = call.copied();
  const CheckedCall before = used.copied();
  const IValue result = used.run();
  for (size_t i = 0; i < used.values().size(); i++) {
    const std::vector<Tensor> after = tensors_in(used.values()[i]);
    const std::vector<Tensor> unchanged = tensors_in(before.values()[i]);
    for (size_t k = 0; k < after.size(); k++) {
      if (!used.declared(i).alias.is_write && !equal_op(after[k], unchanged[k]).as_bool()) {
        keys::throw_undeclared_write(used.declared(i));
      }
    }
    check_aliases(used, i, result);
  }
}

// Checks that results that require grad come from a kernel at an Autograd key.
void check_autograd(const CheckedCall& call) {
  if (!call.requires_grad()) {
    return;
  }
  Dispatcher& dispatcher = Dispatcher::singleton();
  for (const DispatchKey key : {DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd,
                                DispatchKey::AutogradCPU, DispatchKey::AutogradCUDA}) {
    if (dispatcher.has_kernel_for(call.op(), key)) {
      return;
    }
  }
  CheckedCall used = call.copied();
  const std::vector<Tensor> results = tensors_in(used.run());
  TSC_CHECK_KIND(AssertionError,
                 std::none_of(results.begin(), results.end(),
                              [](const Tensor& tensor) { return tensor.requires_grad(); }),
                 "{}: at least one output of this operator has requires_grad=True but the operator "
                 "does not have an autograd kernel defined at an autograd key (e.g. "
                 "DispatchKey::Autograd). If it is made of operators that are differentiable, "
                 "register it as CompositeImplicitAutograd.",
                 call.op().qualified_name());
}

// Checks that shapes and dtypes are the same on meta tensors.
void check_fake(const CheckedCall& call) {
  const AutoGradMode no_grad(false);
  CheckedCall real = call.copied();
  CheckedCall fake = call.converted([](const IValue& tensor) {
    return empty_like_op(tensor, IValue(), IValue(), Device(DeviceType::Meta));
  });
  const std::vector<Tensor> expected = tensors_in(real.run());
  const std::vector<Tensor> found = tensors_in(fake.run());
  constexpr const char* kMismatch =
      "When comparing the output of {} on FakeTensor and concrete Tensors, found mismatched tensor "
      "metadata: {} {} and {} are not equal!";
  const auto check = [&](bool same, const char* what, const IValue& real_value,
                         const IValue& fake_value) {
    TSC_CHECK(same, kMismatch, call.op_text(), what, str(real_value), str(fake_value));
  };
  check(expected.size() == found.size(), "Numbers of tensors", IValue(expected.size()),
        IValue(found.size()));
  for (size_t i = 0; i < expected.size(); i++) {
    check(expected[i].sizes() == found[i].sizes(), "Shapes", IValue(expected[i].sizes()),
          IValue(found[i].sizes()));
    check(expected[i].dtype() == found[i].dtype(), "Dtypes", IValue(expected[i].dtype()),
          IValue(found[i].dtype()));
  }
}

struct Check {
  std::string_view name;
  void (*run)(const CheckedCall& call);
};
constexpr Check kChecks[] = {
    {"test_schema", &check_schema},
    {"test_autograd_registration", &check_autograd},
    {"test_faketensor", &check_fake},
};

bool is_wanted(const IValue* wanted, std::string_view name) {
  if (wanted == nullptr) {
    return true;
  }
  const std::vector<IValue> names =
      wanted->is_string() ? std::vector<IValue>{*wanted} : items_of(*wanted);
  return std::any_of(names.begin(), names.end(),
                     [&](const IValue& item) { return to_text(item) == name; });
}

// The error that the check raised, or None.
IValue failure_of(const Check& check, const CheckedCall& call) {
  try {
    check.run(call);
  } catch (const Error& error) {
    return exception_value(error);
  }
  return {};
}

}  // namespace

IValue opcheck_function(Interpreter&, Arguments& arguments) {
  IValue op = arguments[0];
  try_get_attribute(op, "_opoverload", op);
  TSC_CHECK_TYPE(is_object_of(op, kOpOverloadType),
                 "opcheck(op, ...) expects an OpOverload, got {}", type_name(op));
  const CheckedCall call(operator_of(op), items_of(arguments[1]),
                         has_value(arguments, 2) ? arguments[2] : IValue());
  const bool raises = !given(arguments, 4) || is_true(arguments[4]);
  IValue results = make_dict();
  for (const Check& check : kChecks) {
    if (!is_wanted(find_argument(arguments, 3), check.name)) {
      continue;
    }
    const IValue failure = failure_of(check, call);
    TSC_CHECK(failure.is_none() || !raises, "opcheck(op, ...): {} failed with {}", check.name,
              str(failure));
    as_dict(results)->set(IValue(check.name), failure.is_none() ? IValue("SUCCESS") : failure);
  }
  return results;
}

}  // namespace tsc::interp
