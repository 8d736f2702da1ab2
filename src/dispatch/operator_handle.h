// OperatorHandle: how code calls an operator. Boxed for any operator, typed where the signature is
// known.
#pragma once

#include "core/thread_local_state.h"
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

  // Arguments are the top of the stack, one for each argument of the schema; they are replaced by
  // the returns.
  void call_boxed(Stack& stack) const {
    const ThreadLocalState& state = tls();
    const DispatchKeySet keys =
        (entry_->keys_of_arguments(stack.last(entry_->num_arguments())) | state.included) -
        state.excluded;
    if (TSC_UNLIKELY(state.watched)) {
      return call_boxed_watched(keys, stack, RouteStep::Call);
    }
    const DispatchKeySet masked = entry_->mask(keys);
    entry_->lookup(masked).call_boxed(*this, masked, stack);
  }
  // The kernel for the highest key of `keys`, as it is: nothing is masked.
  void redispatch_boxed(DispatchKeySet keys, Stack& stack) const {
    if (TSC_UNLIKELY(tls().watched)) {
      return call_boxed_watched(keys, stack, RouteStep::Redispatch);
    }
    entry_->lookup(keys).call_boxed(*this, keys, stack);
  }

  // RuntimeError where the schema has other types.
  template <class Signature>
  TypedOperatorHandle<Signature> typed() const {
    check_signature(SignatureOf<Signature>::value, schema(), "", 0);
    return TypedOperatorHandle<Signature>(entry_);
  }

 private:
  void call_boxed_watched(DispatchKeySet keys, Stack& stack, RouteStep step) const;

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

// Finds the argument that an in-place or out= kernel returned: the reference that the caller gets
// is to its own tensor.
template <class Argument>
const Tensor* if_same_tensor(const Argument& argument, const TensorImpl* impl) {
  if constexpr (std::is_same_v<Argument, Tensor>) {
    return argument.impl() == impl ? &argument : nullptr;
  } else {
    static_cast<void>(argument);
    static_cast<void>(impl);
    return nullptr;
  }
}
template <class... Arguments>
const Tensor& find_returned(const IValue& value, const Arguments&... arguments) {
  const Tensor* found = nullptr;
  ((found = found != nullptr ? found : if_same_tensor(arguments, value.as_tensor().impl())), ...);
  if (found == nullptr) {
    throw_error_text(ErrorKind::RuntimeError,
                     "the kernel of an in-place or out= operator returned another tensor");
  }
  return *found;
}

// Takes the results of a boxed call off the stack.
template <class R>
struct PopResults {
  template <class... A>
  static R pop(Stack& stack, const A&... arguments) {
    if constexpr (std::is_same_v<R, const Tensor&>) {
      const IValue value = stack.pop();
      return find_returned(value, arguments...);
    } else if constexpr (std::is_same_v<R, Tensor>) {
      Tensor tensor = stack.back().is_none() ? Tensor() : stack.back().take_tensor();
      stack.drop(1);
      return tensor;
    } else if constexpr (std::is_same_v<R, std::vector<Tensor>>) {
      const IValue value = stack.pop();
      return unbox_tensor_list(value).vec();
    } else if constexpr (std::is_same_v<R, Scalar>) {
      return stack.pop().to_scalar();
    } else {
      const IValue value = stack.pop();
      return ArgumentTraits<R>::unbox(value);
    }
  }
};
template <class... R>
struct PopResults<std::tuple<R...>> {
  template <class... A>
  static std::tuple<R...> pop(Stack& stack, const A&... arguments) {
    return pop_indexed(stack, std::index_sequence_for<R...>(), arguments...);
  }

 private:
  template <size_t... I, class... A>
  static std::tuple<R...> pop_indexed(Stack& stack, std::index_sequence<I...>,
                                      const A&... arguments) {
    std::array<IValue, sizeof...(R)> values;
    for (size_t i = sizeof...(R); i-- > 0;) {
      values[i] = stack.pop();
    }
    return std::tuple<R...>(from_value<R>(values[I], arguments...)...);
  }
  template <class T, class... A>
  static T from_value(IValue& value, const A&... arguments) {
    if constexpr (std::is_same_v<T, const Tensor&>) {
      return find_returned(value, arguments...);
    } else if constexpr (std::is_same_v<T, Tensor>) {
      return value.is_none() ? Tensor() : value.take_tensor();
    } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
      return unbox_tensor_list(value).vec();
    } else if constexpr (std::is_same_v<T, Scalar>) {
      return value.to_scalar();
    } else {
      return ArgumentTraits<T>::unbox(value);
    }
  }
};

}  // namespace detail

template <class R, class... A>
class TypedOperatorHandle<R(A...)> {
 public:
  TypedOperatorHandle() = default;
  // Unchecked: the caller knows the signature (generated code does).
  explicit TypedOperatorHandle(OperatorEntry* entry) : entry_(entry) {}

  OperatorHandle untyped() const { return OperatorHandle(entry_); }

  TSC_ALWAYS_INLINE R call(A... args) const {
    const ThreadLocalState& state = tls();
    const DispatchKeySet keys =
        ((detail::keys_of(args) | ... | DispatchKeySet(state.included)) - state.excluded);
    if (TSC_UNLIKELY(state.watched)) {
      return call_watched(keys, RouteStep::Call, std::forward<A>(args)...);
    }
    const DispatchKeySet masked = entry_->mask(keys);
    return run(entry_->lookup(masked), masked, std::forward<A>(args)...);
  }
  // The kernel for the highest key of `keys`, as it is: nothing is masked.
  TSC_ALWAYS_INLINE R redispatch(DispatchKeySet keys, A... args) const {
    if (TSC_UNLIKELY(tls().watched)) {
      return call_watched(keys, RouteStep::Redispatch, std::forward<A>(args)...);
    }
    return run(entry_->lookup(keys), keys, std::forward<A>(args)...);
  }

 private:
  TSC_ALWAYS_INLINE R run(const KernelFunction& kernel, DispatchKeySet keys, A... args) const {
    if (TSC_LIKELY(kernel.unboxed != nullptr)) {
      if (kernel.takes_key_set) {
        return detail::call_unboxed_function<true, R, A...>(kernel.unboxed, keys,
                                                            std::forward<A>(args)...);
      }
      return detail::call_unboxed_function<false, R, A...>(kernel.unboxed, keys,
                                                           std::forward<A>(args)...);
    }
    return run_boxed(kernel, keys, std::forward<A>(args)...);
  }
  TSC_NOINLINE R run_boxed(const KernelFunction& kernel, DispatchKeySet keys, A... args) const {
    Stack& stack = Stack::current();
    const StackHeight height(stack);
    (detail_push<A>(stack, args), ...);
    kernel.call_boxed(OperatorHandle(entry_), keys, stack);
    if constexpr (!std::is_void_v<R>) {
      return detail::PopResults<R>::pop(stack, args...);
    }
  }
  TSC_COLD R call_watched(DispatchKeySet keys, RouteStep step, A... args) const {
    Stack& stack = Stack::current();
    const StackHeight height(stack);
    (detail_push<A>(stack, args), ...);
    WatchedHop hop(OperatorHandle(entry_), keys, step, stack.last(sizeof...(A)), sizeof...(A));
    const KernelFunction& kernel = hop.enter();
    if constexpr (std::is_void_v<R>) {
      run(kernel, hop.keys(), std::forward<A>(args)...);
      hop.leave(nullptr, 0);
    } else {
      typename detail::OwnedResult<R>::type result =
          run(kernel, hop.keys(), std::forward<A>(args)...);
      auto shown = result;
      detail::push_results(stack, shown);
      hop.leave(stack.last(ReturnTraits<R>::kCount), ReturnTraits<R>::kCount);
      // Popped, and not returned from `result`: an in-place operator returns a reference to its
      // caller's tensor.
      return detail::PopResults<R>::pop(stack, args...);
    }
  }
  template <class T, class Value>
  static void detail_push(Stack& stack, const Value& value) {
    ArgumentTraits<T>::push(stack, value);
  }

  OperatorEntry* entry_ = nullptr;
};

}  // namespace tsc
