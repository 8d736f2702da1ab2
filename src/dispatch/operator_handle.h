// OperatorHandle: how code calls an operator. Boxed for any operator, typed where the signature is
// known.
#pragma once

#include <algorithm>
#include <array>

#include "core/keys/thread_local_state.h"
#include "dispatch/operator_entry.h"
#include "dispatch/route.h"

namespace tsc {

template <class Signature>
class TypedOperatorHandle;

class TSC_API OperatorHandle {
 public:
  OperatorHandle() = default;
  explicit OperatorHandle(OperatorEntry* entry) : entry_(entry) {}

  explicit operator bool() const { return entry_ != nullptr; }
  OperatorEntry& entry() const { return *entry_; }
  const FunctionSchema& schema() const { return entry_->schema(); }
  const std::string& qualified_name() const { return entry_->qualified_name(); }
  friend bool operator==(OperatorHandle, OperatorHandle) = default;

  // Takes one argument for each argument of the schema off the top of the stack, and pushes the
  // returns. `form` is for route events.
  void call_boxed(Stack& stack, RouteForm form = RouteForm::Boxed) const {
    const ThreadLocalState& state = tls();
    const DispatchKeySet keys =
        (entry_->keys_of_arguments(stack.last(entry_->num_arguments())) | state.included) -
        state.excluded;
    if (is_watched(state)) {
      return call_watched(keys, stack, RouteStep::Call, form);
    }
    const DispatchKeySet masked = entry_->mask(keys);
    entry_->lookup(masked).call_boxed(*this, masked, stack);
  }
  // The kernel for the highest key of `keys`, as it is: nothing is masked.
  void redispatch_boxed(DispatchKeySet keys, Stack& stack,
                        RouteForm form = RouteForm::Boxed) const {
    if (is_watched(tls())) {
      return call_watched(keys, stack, RouteStep::Redispatch, form);
    }
    entry_->lookup(keys).call_boxed(*this, keys, stack);
  }

  // For a typed call whose arguments are on the stack now: runs `kernel`, or, where it is null
  // because the call is watched, the kernel that `keys` lead to.
  void run_typed(const KernelFunction* kernel, DispatchKeySet keys, RouteStep step,
                 Stack& stack) const {
    if (kernel == nullptr) {
      call_watched(keys, stack, step, RouteForm::Typed);
    } else {
      kernel->call_boxed(*this, keys, stack);
    }
  }

  // RuntimeError where the schema has other types.
  template <class Signature>
  TypedOperatorHandle<Signature> typed() const {
    check_signature(SignatureOf<Signature>::value, schema(), "", 0);
    return TypedOperatorHandle<Signature>(entry_);
  }

 private:
  void call_watched(DispatchKeySet keys, Stack& stack, RouteStep step, RouteForm form) const;

  OperatorEntry* entry_ = nullptr;
};

namespace detail {

TSC_ALWAYS_INLINE DispatchKeySet keys_of(const Tensor& tensor) {
  return tensor.defined() ? tensor.key_set() : DispatchKeySet();
}
TSC_ALWAYS_INLINE DispatchKeySet keys_of(OptionalTensorRef tensor) { return keys_of(*tensor); }
inline DispatchKeySet keys_of(TensorList tensors) {
  DispatchKeySet keys;
  for (const Tensor& tensor : tensors) {
    keys = keys | keys_of(tensor);
  }
  return keys;
}
inline DispatchKeySet keys_of(const Generator& generator) {
  return generator.defined() ? DispatchKeySet(runtime_key(Functionality::Dense,
                                                          backend_of(generator->device().type)))
                             : DispatchKeySet();
}
template <class T>
constexpr DispatchKeySet keys_of(const T&) {
  return {};
}

// Finds the argument that an in-place or out= kernel returned, so that the caller gets a reference
// to its own tensor. Arguments that are not tensors are null.
TSC_API const Tensor& find_returned(const IValue& value, ArrayRef<const Tensor*> arguments);
template <class T>
const Tensor* if_tensor(const T& argument) {
  if constexpr (std::is_same_v<T, Tensor>) {
    return &argument;
  } else {
    static_cast<void>(argument);
    return nullptr;
  }
}

template <class A>
TSC_NOINLINE void push_argument(Stack& stack, const std::remove_cvref_t<A>& value) {
  ArgumentTraits<A>::push(stack, value);
}

// Takes a result of a boxed call off the stack.
template <class R>
TSC_NOINLINE R pop_result(Stack& stack, ArrayRef<const Tensor*> arguments) {
  IValue value = stack.pop();
  if constexpr (std::is_same_v<R, const Tensor&>) {
    return find_returned(value, arguments);
  } else if constexpr (std::is_same_v<R, Tensor>) {
    return value.is_none() ? Tensor() : value.take_tensor();
  } else if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
    return unbox_tensor_list(value).vec();
  } else if constexpr (std::is_same_v<R, Scalar>) {
    return value.to_scalar();
  } else {
    return ArgumentTraits<R>::unbox(value);
  }
}
template <class R>
struct PopResults {
  static R pop(Stack& stack, ArrayRef<const Tensor*> arguments) {
    return pop_result<R>(stack, arguments);
  }
};
template <class... R>
struct PopResults<std::tuple<R...>> {
  static std::tuple<R...> pop(Stack& stack, ArrayRef<const Tensor*> arguments) {
    return pop_indexed(stack, arguments, std::index_sequence_for<R...>());
  }

 private:
  template <size_t... I>
  static std::tuple<R...> pop_indexed(Stack& stack, ArrayRef<const Tensor*> arguments,
                                      std::index_sequence<I...>) {
    // The last one is on top, and the first is wanted first.
    std::reverse(stack.last(sizeof...(R)), stack.top());
    return std::tuple<R...>{(static_cast<void>(I), pop_result<R>(stack, arguments))...};
  }
};

}  // namespace detail

template <class R, class... A>
class TypedOperatorHandle<R(A...)> {
  static_assert(
      !(ArgumentTraits<A>::kType.is_other || ...),
      "calls pass OptionalTensorRef for a Tensor?, TensorList for a Tensor[], const Scalar& "
      "for a Scalar, and std::string_view for a str; kernels may have other types");

 public:
  TypedOperatorHandle() = default;
  // Unchecked: the caller knows the signature (generated code does).
  explicit TypedOperatorHandle(OperatorEntry* entry) : entry_(entry) {}

  OperatorHandle untyped() const { return OperatorHandle(entry_); }

  R call(A... args) const { return call_entry(std::forward<A>(args)..., entry_); }
  // The kernel for the highest key of `keys`, as it is: nothing is masked.
  R redispatch(DispatchKeySet keys, A... args) const {
    return redispatch_entry(keys, std::forward<A>(args)..., entry_);
  }
  // The same, for Common's forms: the backend's own kernel.
  R redispatch_below_common(DispatchKeySet keys, A... args) const {
    return below_common_entry(keys, std::forward<A>(args)..., entry_);
  }

 private:
  // Not inlined: operators of one signature share the code. The entry comes last, so that the
  // arguments stay in the registers where a kernel finds them.
  TSC_NOINLINE static R call_entry(A... args, OperatorEntry* entry) {
    const ThreadLocalState& state = tls();
    const DispatchKeySet keys =
        ((detail::keys_of(args) | ... | DispatchKeySet(state.included)) - state.excluded);
    if (is_watched(state)) {
      return call_on_stack(nullptr, keys, RouteStep::Call, std::forward<A>(args)..., entry);
    }
    const DispatchKeySet masked = entry->mask(keys);
    return run(entry->lookup(masked), masked, std::forward<A>(args)..., entry);
  }
  TSC_NOINLINE static R redispatch_entry(DispatchKeySet keys, A... args, OperatorEntry* entry) {
    if (is_watched(tls())) {
      return call_on_stack(nullptr, keys, RouteStep::Redispatch, std::forward<A>(args)..., entry);
    }
    return run(entry->lookup(keys), keys, std::forward<A>(args)..., entry);
  }
  TSC_NOINLINE static R below_common_entry(DispatchKeySet keys, A... args, OperatorEntry* entry) {
    if (is_watched(tls())) {
      return call_on_stack(nullptr, keys, RouteStep::BelowCommon, std::forward<A>(args)..., entry);
    }
    return run(entry->lookup_below_common(keys), keys, std::forward<A>(args)..., entry);
  }
  TSC_ALWAYS_INLINE static R run(const KernelFunction& kernel, DispatchKeySet keys, A... args,
                                 OperatorEntry* entry) {
    if (TSC_LIKELY(kernel.unboxed != nullptr)) {
      if (kernel.takes_key_set) {
        return detail::call_unboxed_function<true, R, A...>(kernel.unboxed, keys,
                                                            std::forward<A>(args)...);
      }
      return detail::call_unboxed_function<false, R, A...>(kernel.unboxed, keys,
                                                           std::forward<A>(args)...);
    }
    return call_on_stack(&kernel, keys, RouteStep::Call, std::forward<A>(args)..., entry);
  }
  // For a boxed kernel; null where the call is watched, and then `keys` are not masked yet.
  TSC_COLD static R call_on_stack(const KernelFunction* kernel, DispatchKeySet keys, RouteStep step,
                                  A... args, OperatorEntry* entry) {
    Stack& stack = Stack::current();
    const StackHeight height(stack);
    (detail::push_argument<A>(stack, args), ...);
    OperatorHandle(entry).run_typed(kernel, keys, step, stack);
    if constexpr (!std::is_void_v<R>) {
      const std::array<const Tensor*, sizeof...(A)> tensors{detail::if_tensor(args)...};
      return detail::PopResults<R>::pop(stack, tensors);
    }
  }

  OperatorEntry* entry_ = nullptr;
};

}  // namespace tsc
