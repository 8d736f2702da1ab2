// Boxing and unboxing: between the slots of the stack and the parameters of a typed C++ function.
//
// ArgumentTraits<T> says for each parameter type T how a slot becomes a T (possibly through a
// holder that lives as long as the call), how a T is pushed, and which schema types it stands for.
// ReturnTraits<R> does the same for results.
#pragma once

#include <array>
#include <tuple>
#include <utility>

#include "dispatch/function_schema.h"
#include "dispatch/kernel_function.h"

namespace tsc {

// The type of a C++ parameter or result, for comparing a kernel with its schema.
struct CppType {
  const char* text;  // "double"
  TypeKind kinds[3];
  uint8_t num_kinds;
  bool is_list;
  bool is_optional;
};

struct CppSignature {
  const CppType* const* parameters;
  size_t num_parameters;
  const CppType* const* results;
  size_t num_results;
};

// Whether kernels of the two signatures can be called for one another: the same parameter and
// result types.
TSC_API bool same_signature(const CppSignature& a, const CppSignature& b);
// "(Tensor _0, Scalar _1) -> Tensor _0": the schema that its types stand for.
TSC_API std::string inferred_schema(const CppSignature& signature);
// RuntimeError with both signatures, aligned, where a kernel of this signature cannot serve the
// schema.
TSC_API void check_signature(const CppSignature& signature, const FunctionSchema& schema,
                             const char* file, int line);

namespace detail {
template <class T>
inline constexpr bool kIsInNoSchema = false;
}  // namespace detail

// Specialised below for each parameter type that kernels can have.
template <class T>
struct ArgumentTraits {
  static_assert(detail::kIsInNoSchema<T>,
                "a kernel has a parameter of a type that no schema has: a schema's int is int64_t, "
                "its float double, its str std::string_view, its Tensor const Tensor&");
  // So that this error is the only one.
  static constexpr CppType kType = {};
  static T unbox(const IValue& value);
  static void push(Stack& stack, T argument);
};

namespace detail {

// These convert a slot to a C++ value; TypeError where it holds another type. A bool counts as an
// int, and an int as a double.
TSC_API int64_t unbox_int(const IValue& value);
TSC_API double unbox_double(const IValue& value);
TSC_API TensorList unbox_tensor_list(const IValue& value);
[[noreturn]] TSC_API TSC_COLD void throw_unbox_error(const char* expected, const IValue& value);

template <class Element>
struct ListHolder {
  SmallVector<Element, 5> owned;
  ArrayRef<Element> view;
  operator ArrayRef<Element>() const { return view; }
};
// Views a list of the type, or converts the items of another list or tuple; TypeError for an item
// of another type.
TSC_API void unbox_list(const IValue& value, ListHolder<int64_t>& holder);
TSC_API void unbox_list(const IValue& value, ListHolder<double>& holder);
TSC_API void unbox_list(const IValue& value, ListHolder<bool>& holder);

// Holds a list but is not one: a type that converts to ArrayRef would also convert to an optional
// of it where there is no value.
template <class Element>
struct OptionalListHolder {
  ListHolder<Element> list;
  bool has_value = false;
  operator std::optional<ArrayRef<Element>>() const {
    return has_value ? std::optional<ArrayRef<Element>>(list.view) : std::nullopt;
  }
};

struct ScalarListHolder {
  std::vector<Scalar> owned;
  operator ArrayRef<Scalar>() const { return owned; }
};
TSC_API ScalarListHolder unbox_scalar_list(const IValue& value);
TSC_API void push_scalar_list(Stack& stack, ArrayRef<Scalar> scalars);

template <class T>
inline constexpr bool kIsSmallValue = false;

}  // namespace detail

// Declares ArgumentTraits<T> for a type that is passed by value and unboxed by an expression over
// `value`.
#define TSC_VALUE_ARGUMENT(T, expression, ...)                                               \
  template <>                                                                                \
  struct ArgumentTraits<T> {                                                                 \
    static constexpr TypeKind kKinds[] = {__VA_ARGS__};                                      \
    static constexpr CppType kType = {#T,                                                    \
                                      {kKinds[0], kKinds[std::size(kKinds) - 1], kKinds[0]}, \
                                      static_cast<uint8_t>(std::size(kKinds)),               \
                                      false,                                                 \
                                      false};                                                \
    static constexpr const char* kOptionalText = "optional<" #T ">";                         \
    static T unbox(const IValue& value) { return expression; }                               \
    static void push(Stack& stack, T argument) { stack.push(IValue(argument)); }             \
  };

TSC_VALUE_ARGUMENT(int64_t, detail::unbox_int(value), TypeKind::Int, TypeKind::SymInt)
TSC_VALUE_ARGUMENT(double, detail::unbox_double(value), TypeKind::Float)
TSC_VALUE_ARGUMENT(bool, value.as_bool(), TypeKind::Bool)
TSC_VALUE_ARGUMENT(ScalarType, value.as_scalar_type(), TypeKind::ScalarType)
TSC_VALUE_ARGUMENT(Layout, value.as_layout(), TypeKind::Layout)
TSC_VALUE_ARGUMENT(Device, value.as_device(), TypeKind::Device)
TSC_VALUE_ARGUMENT(MemoryFormat, value.as_memory_format(), TypeKind::MemoryFormat)
TSC_VALUE_ARGUMENT(std::string_view, value.as_string(), TypeKind::String)
#undef TSC_VALUE_ARGUMENT

// Traits of an optional value; the value's own traits are `Value`.
namespace detail {
template <class T, class Value>
struct OptionalArgument {
  static constexpr CppType kType = {
      Value::kOptionalText,
      {Value::kType.kinds[0], Value::kType.kinds[1], Value::kType.kinds[2]},
      Value::kType.num_kinds,
      false,
      true};
  static std::optional<T> unbox(const IValue& value) {
    return value.is_none() ? std::nullopt : std::optional<T>(Value::unbox(value));
  }
  static void push(Stack& stack, const std::optional<T>& argument) { stack.push(IValue(argument)); }
};
}  // namespace detail
template <class T>
struct ArgumentTraits<std::optional<T>> : detail::OptionalArgument<T, ArgumentTraits<T>> {};
template <class T>
struct ArgumentTraits<const std::optional<T>&>
    : detail::OptionalArgument<T, ArgumentTraits<const T&>> {};

template <>
struct ArgumentTraits<const Tensor&> {
  static constexpr CppType kType = {"Tensor", {TypeKind::Tensor}, 1, false, false};
  static const Tensor& unbox(const IValue& value) { return value.as_tensor(); }
  static void push(Stack& stack, const Tensor& tensor) { stack.push(tensor); }
};
template <>
struct ArgumentTraits<OptionalTensorRef> {
  static constexpr CppType kType = {"OptionalTensorRef", {TypeKind::Tensor}, 1, false, true};
  static OptionalTensorRef unbox(const IValue& value) {
    return OptionalTensorRef(value.as_tensor());
  }
  static void push(Stack& stack, OptionalTensorRef tensor) { stack.push(IValue(tensor)); }
};
template <>
struct ArgumentTraits<TensorList> {
  static constexpr CppType kType = {"TensorList", {TypeKind::Tensor}, 1, true, false};
  static TensorList unbox(const IValue& value) { return detail::unbox_tensor_list(value); }
  static void push(Stack& stack, TensorList tensors) { stack.push(IValue(tensors)); }
};
template <>
struct ArgumentTraits<const Scalar&> {
  static constexpr CppType kType = {"Scalar", {TypeKind::Scalar}, 1, false, false};
  static constexpr const char* kOptionalText = "optional<Scalar>";
  static Scalar unbox(const IValue& value) { return value.to_scalar(); }
  static void push(Stack& stack, const Scalar& scalar) { stack.push(IValue(scalar)); }
};
template <>
struct ArgumentTraits<ArrayRef<Scalar>> {
  static constexpr CppType kType = {"ArrayRef<Scalar>", {TypeKind::Scalar}, 1, true, false};
  static detail::ScalarListHolder unbox(const IValue& value) {
    return detail::unbox_scalar_list(value);
  }
  static void push(Stack& stack, ArrayRef<Scalar> scalars) {
    detail::push_scalar_list(stack, scalars);
  }
};
// `Generator?` is a handle that may be undefined, so that one type serves both.
template <>
struct ArgumentTraits<const Generator&> {
  static constexpr CppType kType = {"Generator", {TypeKind::Generator}, 1, false, true};
  static const Generator& unbox(const IValue& value) { return value.as_generator(); }
  static void push(Stack& stack, const Generator& generator) {
    stack.push(generator.defined() ? IValue(generator) : IValue());
  }
};

namespace detail {
template <class Element>
struct ListType;
#define TSC_LIST_TYPE(Element, ...)                                                               \
  template <>                                                                                     \
  struct ListType<Element> {                                                                      \
    static constexpr CppType kType = {                                                            \
        "ArrayRef<" #Element ">", {__VA_ARGS__}, std::size({__VA_ARGS__}), true, false};          \
    static constexpr CppType kOptionalType = {                                                    \
        "optional<ArrayRef<" #Element ">>", {__VA_ARGS__}, std::size({__VA_ARGS__}), true, true}; \
  };
TSC_LIST_TYPE(int64_t, TypeKind::Int, TypeKind::SymInt)
TSC_LIST_TYPE(double, TypeKind::Float)
TSC_LIST_TYPE(bool, TypeKind::Bool)
#undef TSC_LIST_TYPE
}  // namespace detail

template <class Element>
struct ArgumentTraits<ArrayRef<Element>> {
  static constexpr const CppType& kType = detail::ListType<Element>::kType;
  static detail::ListHolder<Element> unbox(const IValue& value) {
    detail::ListHolder<Element> holder;
    detail::unbox_list(value, holder);
    return holder;
  }
  static void push(Stack& stack, ArrayRef<Element> list) { stack.push(IValue(list)); }
};
template <class Element>
struct ArgumentTraits<std::optional<ArrayRef<Element>>> {
  static constexpr const CppType& kType = detail::ListType<Element>::kOptionalType;
  static detail::OptionalListHolder<Element> unbox(const IValue& value) {
    detail::OptionalListHolder<Element> holder;
    if (!value.is_none()) {
      holder.has_value = true;
      detail::unbox_list(value, holder.list);
    }
    return holder;
  }
  static void push(Stack& stack, const std::optional<ArrayRef<Element>>& list) {
    stack.push(IValue(list));
  }
};

// Results.
template <class R>
struct ReturnTraits {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<R>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(R result) { return IValue(std::move(result)); }
};
template <>
struct ReturnTraits<void> {
  static constexpr const CppType* kTypes[1] = {nullptr};
  static constexpr size_t kCount = 0;
};
template <>
struct ReturnTraits<Tensor> {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<const Tensor&>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(Tensor result) { return IValue(std::move(result)); }
};
template <>
struct ReturnTraits<Scalar> {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<const Scalar&>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(const Scalar& result) { return IValue(result); }
};
template <>
struct ReturnTraits<std::vector<Tensor>> {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<TensorList>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(std::vector<Tensor> result) { return IValue(std::move(result)); }
};
template <class... R>
struct ReturnTraits<std::tuple<R...>> {
  static constexpr const CppType* kTypes[sizeof...(R)] = {ReturnTraits<R>::kTypes[0]...};
  static constexpr size_t kCount = sizeof...(R);
};

template <class Signature>
struct SignatureOf;
template <class R, class... A>
struct SignatureOf<R(A...)> {
  static constexpr const CppType* kParameters[sizeof...(A) + 1] = {&ArgumentTraits<A>::kType...,
                                                                   nullptr};
  static constexpr CppSignature value = {kParameters, sizeof...(A), ReturnTraits<R>::kTypes,
                                         ReturnTraits<R>::kCount};
};

namespace detail {

template <class R>
TSC_ALWAYS_INLINE std::array<IValue, 1> box_results(R&& result) {
  return {ReturnTraits<R>::box(std::forward<R>(result))};
}
template <class... R>
std::array<IValue, sizeof...(R)> box_results(std::tuple<R...>&& results) {
  return std::apply(
      [](R&... result) {
        return std::array<IValue, sizeof...(R)>{ReturnTraits<R>::box(std::move(result))...};
      },
      results);
}

// Pushes into the slots of `Dropped` arguments, without a check for room.
template <size_t Dropped, size_t Count>
TSC_ALWAYS_INLINE void push_results(Stack& stack, std::array<IValue, Count>& results) {
  if constexpr (Count > Dropped) {
    stack.check_room(Count - Dropped);
  }
  for (IValue& result : results) {
    stack.push_in_room(std::move(result));
  }
}

// The kernel's result as a value of its own: an in-place kernel returns a reference into the slots
// about to go.
template <class R>
struct OwnedResult {
  using type = std::remove_cvref_t<R>;
};
template <class... R>
struct OwnedResult<std::tuple<R...>> {
  using type = std::tuple<std::remove_cvref_t<R>...>;
};

template <bool TakesKeySet, class R, class... A>
TSC_ALWAYS_INLINE R call_unboxed_function(AnyFunction function, DispatchKeySet keys, A... args) {
  if constexpr (TakesKeySet) {
    return reinterpret_cast<R (*)(DispatchKeySet, A...)>(function)(keys, std::forward<A>(args)...);
  } else {
    return reinterpret_cast<R (*)(A...)>(function)(std::forward<A>(args)...);
  }
}

template <bool TakesKeySet, class Signature>
struct BoxedEntryOf;
template <bool TakesKeySet, class R, class... A>
struct BoxedEntryOf<TakesKeySet, R(A...)> {
  static void call(const KernelFunction& kernel, const OperatorHandle&, DispatchKeySet keys,
                   Stack& stack) {
    call_indexed(kernel, keys, stack, std::index_sequence_for<A...>());
  }

 private:
  template <size_t... I>
  static TSC_ALWAYS_INLINE void call_indexed(const KernelFunction& kernel, DispatchKeySet keys,
                                             Stack& stack, std::index_sequence<I...>) {
    constexpr size_t kCount = sizeof...(A);
    [[maybe_unused]] const IValue* args = stack.last(kCount);
    if constexpr (std::is_void_v<R>) {
      call_unboxed_function<TakesKeySet, R, A...>(kernel.unboxed, keys,
                                                  ArgumentTraits<A>::unbox(args[I])...);
      stack.drop(kCount);
    } else {
      auto results =
          box_results(typename OwnedResult<R>::type(call_unboxed_function<TakesKeySet, R, A...>(
              kernel.unboxed, keys, ArgumentTraits<A>::unbox(args[I])...)));
      stack.drop(kCount);
      push_results<kCount>(stack, results);
    }
  }
};

template <class F>
struct FunctionTraits;
template <class R, class... A>
struct FunctionTraits<R (*)(A...)> {
  static constexpr bool kTakesKeySet = false;
  using Signature = R(A...);
};
template <class R, class... A>
struct FunctionTraits<R (*)(DispatchKeySet, A...)> {
  static constexpr bool kTakesKeySet = true;
  using Signature = R(A...);
};

}  // namespace detail

// A kernel from a typed function: `Tensor my_add(const Tensor&, const Tensor&)`, or with a leading
// DispatchKeySet.
template <class Function>
inline KernelFunction unboxed_kernel(Function* function, const char* name, const char* file = "",
                                     int line = 0) {
  using Traits = detail::FunctionTraits<Function*>;
  KernelFunction kernel;
  kernel.boxed = &detail::BoxedEntryOf<Traits::kTakesKeySet, typename Traits::Signature>::call;
  kernel.unboxed = reinterpret_cast<AnyFunction>(function);
  kernel.signature = &SignatureOf<typename Traits::Signature>::value;
  kernel.takes_key_set = Traits::kTakesKeySet;
  kernel.name = name;
  kernel.file = file;
  kernel.line = line;
  return kernel;
}

}  // namespace tsc
