// Boxing and unboxing: between the slots of the stack and the parameters of a typed C++ function.
//
// ArgumentTraits<T> says for each parameter type T how a slot becomes a T (possibly through a
// holder that lives as long as the call), how a T is pushed, and which schema types it stands for.
// ReturnTraits<R> does the same for results.
#pragma once

#include <algorithm>
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
  // One of several types that stand for the same type of a schema, and not the one in which calls
  // pass it: a kernel that has it is called through the stack.
  bool is_other = false;
  // A result that is a tensor of its own, and not a reference to an argument.
  bool is_value = false;
};

struct CppSignature {
  const CppType* const* parameters;
  size_t num_parameters;
  const CppType* const* results;
  size_t num_results;
  // Calls a function of the signature, without a key set, with arguments that stay where they are.
  // `returned` is null where the results do not matter, as those of an out= form.
  void (*call)(AnyFunction function, const IValue* arguments, IValue* returned);
};

// Whether kernels of the two signatures can be called for one another: the same parameter and
// result types.
TSC_API bool same_signature(const CppSignature& a, const CppSignature& b);
// Whether a call that passes the schema's own C++ types, and takes such results, can call a function
// of this signature as it is.
TSC_API bool is_called_as_it_is(const CppSignature& signature, const FunctionSchema& schema);
// "(Tensor _0, Scalar _1) -> Tensor _0": the schema that its types stand for.
TSC_API std::string inferred_schema(const CppSignature& signature);
// RuntimeError with both signatures, aligned, where a kernel of this signature cannot serve the
// schema.
TSC_API void check_signature(const CppSignature& signature, const FunctionSchema& schema,
                             const char* file, int line);

namespace detail {

template <class T, class... Types>
inline constexpr bool kIsAnyOf = (std::is_same_v<T, Types> || ...);

// What a kernel may have by mistake, so that the compiler says what to write. At most one of them
// holds for a type.
template <class T>
struct Slip {
  using Plain = std::remove_cvref_t<T>;
  static constexpr bool kIsInt =
      kIsAnyOf<Plain, int, unsigned, short, unsigned short, long long, unsigned long,
               unsigned long long, signed char, unsigned char>;
  static constexpr bool kIsFloat = kIsAnyOf<Plain, float, long double>;
  static constexpr bool kIsText = kIsAnyOf<std::remove_cvref_t<std::remove_pointer_t<Plain>>, char>;
  static constexpr bool kIsPointer = std::is_pointer_v<Plain> && !kIsText;
  // A type of a schema, but by reference.
  static constexpr bool kIsReference =
      std::is_reference_v<T> &&
      kIsAnyOf<Plain, int64_t, double, bool, ScalarType, Layout, Device, MemoryFormat,
               std::string_view, IntArrayRef, ArrayRef<double>, ArrayRef<bool>, TensorList,
               OptionalTensorRef>;
  static constexpr bool kIsAny = kIsInt || kIsFloat || kIsText || kIsPointer || kIsReference;
};

template <class T>
inline constexpr bool kIsInNoSchema = false;

}  // namespace detail

// Specialised below for each parameter type that kernels can have.
template <class T>
struct ArgumentTraits {
  static_assert(!detail::Slip<T>::kIsInt,
                "a kernel's parameter is an integer of another size: write int64_t for a schema's "
                "int, and bool for its bool");
  static_assert(
      !detail::Slip<T>::kIsFloat,
      "a kernel's parameter is a float of another size: write double for a schema's float");
  static_assert(!detail::Slip<T>::kIsText,
                "a kernel's parameter is a text of C: write std::string_view for a schema's str");
  static_assert(!detail::Slip<T>::kIsPointer,
                "a kernel's parameter is a pointer: write const Tensor& for a schema's Tensor, and "
                "IntArrayRef for its int[]");
  static_assert(!detail::Slip<T>::kIsReference,
                "a kernel's parameter is a reference to what is passed by value: leave out the &");
  static_assert(
      detail::Slip<T>::kIsAny || detail::kIsInNoSchema<T>,
      "a kernel has a parameter of a type that no schema has: a schema's Tensor is const "
      "Tensor&, its Tensor? const std::optional<Tensor>&, its Tensor[] TensorList, its int "
      "int64_t, its int[] IntArrayRef, its float double, its Scalar const Scalar&, its str "
      "std::string_view; docs/plugins.md has them all");
  // So that this error is the only one.
  static constexpr CppType kType = {};
  static constexpr const char* kOptionalText = "";
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
      true,
      Value::kType.is_other};
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
// The same in the C++ types of PyTorch's kernels.
namespace detail {
struct OptionalTensorArgument {
  static constexpr CppType kType = {"optional<Tensor>", {TypeKind::Tensor}, 1, false, true,
                                    /*is_other=*/true};
  static std::optional<Tensor> unbox(const IValue& value) {
    return value.is_none() ? std::nullopt : std::optional<Tensor>(value.as_tensor());
  }
  static void push(Stack& stack, const std::optional<Tensor>& tensor) {
    stack.push(IValue(tensor));
  }
};
template <class T>
struct TensorArgument {
  static constexpr CppType kType = {"Tensor", {TypeKind::Tensor}, 1, false,
                                    false,    /*is_other=*/true};
  static T unbox(const IValue& value) { return const_cast<Tensor&>(value.as_tensor()); }
  static void push(Stack& stack, const Tensor& tensor) { stack.push(tensor); }
};
}  // namespace detail
template <>
struct ArgumentTraits<Tensor> : detail::TensorArgument<Tensor> {};
template <>
struct ArgumentTraits<Tensor&> : detail::TensorArgument<Tensor&> {};
template <>
struct ArgumentTraits<std::optional<Tensor>> : detail::OptionalTensorArgument {};
template <>
struct ArgumentTraits<const std::optional<Tensor>&> : detail::OptionalTensorArgument {};
template <>
struct ArgumentTraits<TensorList> {
  static constexpr CppType kType = {"TensorList", {TypeKind::Tensor}, 1, true, false};
  static TensorList unbox(const IValue& value) { return detail::unbox_tensor_list(value); }
  static void push(Stack& stack, TensorList tensors) { stack.push(IValue(tensors)); }
};
// A list of the C++ library, or a view of one that is made for the call.
namespace detail {
template <class Item>
struct VectorOf {
  static std::vector<Item> unbox(const IValue& value);
};
template <>
TSC_API std::vector<Tensor> VectorOf<Tensor>::unbox(const IValue& value);
template <>
TSC_API std::vector<std::optional<Tensor>> VectorOf<std::optional<Tensor>>::unbox(
    const IValue& value);
template <>
TSC_API std::vector<int64_t> VectorOf<int64_t>::unbox(const IValue& value);
template <>
TSC_API std::vector<double> VectorOf<double>::unbox(const IValue& value);

template <class Item>
struct VectorArgument;
}  // namespace detail
#define TSC_VECTOR_ARGUMENT(Item, ...)                                             \
  namespace detail {                                                               \
  template <>                                                                      \
  struct VectorArgument<Item> : VectorOf<Item> {                                   \
    static constexpr CppType kType = {                                             \
        "vector<" #Item ">", {__VA_ARGS__}, std::size({__VA_ARGS__}), true, false, \
        /*is_other=*/true};                                                        \
  };                                                                               \
  }                                                                                \
  template <>                                                                      \
  struct ArgumentTraits<std::vector<Item>> : detail::VectorArgument<Item> {};      \
  template <>                                                                      \
  struct ArgumentTraits<const std::vector<Item>&> : detail::VectorArgument<Item> {};
TSC_VECTOR_ARGUMENT(Tensor, TypeKind::Tensor)
TSC_VECTOR_ARGUMENT(std::optional<Tensor>, TypeKind::Tensor)
TSC_VECTOR_ARGUMENT(int64_t, TypeKind::Int, TypeKind::SymInt)
TSC_VECTOR_ARGUMENT(double, TypeKind::Float)
#undef TSC_VECTOR_ARGUMENT
template <>
struct ArgumentTraits<ArrayRef<Tensor>> : detail::VectorArgument<Tensor> {};
template <>
struct ArgumentTraits<ArrayRef<std::optional<Tensor>>>
    : detail::VectorArgument<std::optional<Tensor>> {};

namespace detail {
struct TextArgument {
  static constexpr CppType kType = {"string", {TypeKind::String}, 1, false,
                                    false,    /*is_other=*/true};
  static constexpr const char* kOptionalText = "optional<string>";
  static std::string unbox(const IValue& value) { return std::string(value.as_string()); }
  static void push(Stack& stack, const std::string& text) { stack.push(IValue(text)); }
};
}  // namespace detail
template <>
struct ArgumentTraits<std::string> : detail::TextArgument {};
template <>
struct ArgumentTraits<const std::string&> : detail::TextArgument {};

template <>
struct ArgumentTraits<Scalar> {
  static constexpr CppType kType = {"Scalar", {TypeKind::Scalar}, 1, false,
                                    false,    /*is_other=*/true};
  static constexpr const char* kOptionalText = "optional<Scalar>";
  static Scalar unbox(const IValue& value) { return value.to_scalar(); }
  static void push(Stack& stack, const Scalar& scalar) { stack.push(IValue(scalar)); }
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
struct OptionalGeneratorArgument {
  static constexpr CppType kType = {"optional<Generator>", {TypeKind::Generator}, 1, false, true,
                                    /*is_other=*/true};
  static std::optional<Generator> unbox(const IValue& value) {
    return value.is_none() ? std::nullopt : std::optional<Generator>(value.as_generator());
  }
  static void push(Stack& stack, const std::optional<Generator>& generator) {
    stack.push(IValue(generator));
  }
};
}  // namespace detail
template <>
struct ArgumentTraits<std::optional<Generator>> : detail::OptionalGeneratorArgument {};
template <>
struct ArgumentTraits<const std::optional<Generator>&> : detail::OptionalGeneratorArgument {};

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
  static_assert(!detail::Slip<R>::kIsInt,
                "a kernel returns an integer of another size: write int64_t for a schema's int");
  static_assert(!detail::Slip<R>::kIsFloat,
                "a kernel returns a float of another size: write double for a schema's float");
  static_assert(
      !detail::Slip<R>::kIsText && !detail::Slip<R>::kIsPointer,
      "a kernel returns a pointer: write Tensor for a schema's Tensor, and std::string for "
      "its str");
  // The slips are said once.
  using Traits = ArgumentTraits<std::conditional_t<detail::Slip<R>::kIsAny, int64_t, R>>;
  static constexpr const CppType* kTypes[1] = {&Traits::kType};
  static constexpr size_t kCount = 1;
  static IValue box(R result) { return IValue(std::move(result)); }
};
template <>
struct ReturnTraits<void> {
  static constexpr const CppType* kTypes[1] = {nullptr};
  static constexpr size_t kCount = 0;
};
namespace detail {
inline constexpr CppType kTensorResult = {"Tensor",           {TypeKind::Tensor}, 1, false, false,
                                          /*is_other=*/false, /*is_value=*/true};
}  // namespace detail
template <>
struct ReturnTraits<Tensor> {
  static constexpr const CppType* kTypes[1] = {&detail::kTensorResult};
  static constexpr size_t kCount = 1;
  static IValue box(Tensor result) { return IValue(std::move(result)); }
};
template <>
struct ReturnTraits<Scalar> {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<const Scalar&>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(const Scalar& result) { return IValue(result); }
};
template <class T>
struct ReturnTraits<std::optional<T>> {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<std::optional<T>>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(const std::optional<T>& result) { return IValue(result); }
};
template <class Item>
struct ReturnTraits<std::vector<Item>> {
  static constexpr const CppType* kTypes[1] = {&ArgumentTraits<std::vector<Item>>::kType};
  static constexpr size_t kCount = 1;
  static IValue box(const std::vector<Item>& result) { return IValue(ArrayRef<Item>(result)); }
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

}  // namespace detail

template <class Signature>
struct SignatureOf;
template <class R, class... A>
struct SignatureOf<R(A...)> {
  static constexpr const CppType* kParameters[sizeof...(A) + 1] = {&ArgumentTraits<A>::kType...,
                                                                   nullptr};
  static void call(AnyFunction function, const IValue* arguments, IValue* returned) {
    call_indexed(function, arguments, returned, std::index_sequence_for<A...>());
  }
  static constexpr CppSignature value = {kParameters, sizeof...(A), ReturnTraits<R>::kTypes,
                                         ReturnTraits<R>::kCount, &SignatureOf::call};

 private:
  template <size_t... I>
  static void call_indexed(AnyFunction function, [[maybe_unused]] const IValue* arguments,
                           [[maybe_unused]] IValue* returned, std::index_sequence<I...>) {
    const auto typed = reinterpret_cast<R (*)(A...)>(function);
    if constexpr (std::is_void_v<R>) {
      typed(ArgumentTraits<A>::unbox(arguments[I])...);
    } else {
      decltype(auto) result = typed(ArgumentTraits<A>::unbox(arguments[I])...);
      if (returned != nullptr) {
        auto boxed = detail::box_results(
            typename detail::OwnedResult<R>::type(std::forward<decltype(result)>(result)));
        std::move(boxed.begin(), boxed.end(), returned);
      }
    }
  }
};

namespace detail {

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
      call_unboxed_function<TakesKeySet, R, A...>(kernel.typed, keys,
                                                  ArgumentTraits<A>::unbox(args[I])...);
      stack.drop(kCount);
    } else {
      auto results =
          box_results(typename OwnedResult<R>::type(call_unboxed_function<TakesKeySet, R, A...>(
              kernel.typed, keys, ArgumentTraits<A>::unbox(args[I])...)));
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
  kernel.typed = reinterpret_cast<AnyFunction>(function);
  kernel.unboxed = kernel.typed;
  kernel.signature = &SignatureOf<typename Traits::Signature>::value;
  kernel.takes_key_set = Traits::kTakesKeySet;
  kernel.name = name;
  kernel.file = file;
  kernel.line = line;
  return kernel;
}

}  // namespace tsc
