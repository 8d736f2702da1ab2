// A structured operator out of tree: two member functions, from which every form is made.
//
//   struct SoftThreshold : tsc::TensorIteratorBase {
//     void meta(const Tensor& self, double limit) { build_unary_float_op(self); }
//     void impl(const Tensor& self, double limit, const Tensor& out) { cpu_kernel(*this, ...); }
//   };
//
//   TSC_LIBRARY(demo, m) {
//     TSC_STRUCTURED(m, SoftThreshold, "soft_threshold(Tensor self, float limit) -> Tensor");
//   }
//
// `meta` checks what the user gave and says what the results look like (ops/structured/meta_base.h);
// `impl` takes the same and then the results, and computes. Defined are, with what the generator
// writes for a row of a yaml file:
//
//   soft_threshold(Tensor self, float limit) -> Tensor                             CPU, Meta, Common
//   soft_threshold_(Tensor(a!) self, float limit) -> Tensor(a!)                    CPU, Meta, Common
//   soft_threshold.out(Tensor self, float limit, *, Tensor(a!) out) -> Tensor(a!)  CPU, Meta
//
// The in-place form is there where the first argument is a Tensor and there is one result. A backend
// that registers a kernel for `soft_threshold.out` has the other two by Common.
//
// TSC_STRUCTURED_IMPL(m, PrivateUse1, Class, "soft_threshold") registers the forms of a class for a
// backend, of an operator that is there: of a plug-in, or in the tree ("add.Tensor", with a class
// that derives from tsc::meta_add_Tensor). Such a class may override MetaBase's set_output_...
#pragma once

#include <array>
#include <tuple>
#include <type_traits>

#include "core/device_guard.h"
#include "dispatch/library.h"
#include "ops/structured/common_device.h"
#include "ops/structured/device_check.h"
#include "ops/structured/meta_base.h"
#include "ops/structured/tensor_iterator.h"

namespace tsc {

namespace detail {

// The texts of the three forms. RuntimeError where the text is not of a functional operator with
// `outputs` results.
struct StructuredSchemas {
  std::string functional;
  std::string inplace;  // empty where there is none
  std::string out;
};
TSC_API StructuredSchemas structured_schemas(std::string_view functional, size_t outputs,
                                             bool has_inplace);
// The names of the forms of an operator that is there, "aten::add.Tensor".
TSC_API StructuredSchemas structured_names(std::string_view functional);
TSC_API std::string structured_schema_of_out(const std::string& ns, const std::string& out);

template <class S>
concept HasMeta = requires {
  &S::meta;
};
template <class S>
concept HasImpl = requires {
  &S::impl;
};

template <class F>
struct Member;
template <class C, class R, class... A>
struct Member<R (C::*)(A...)> {
  using Result = R;
  using Types = std::tuple<A...>;
};
template <class C, class R, class... A>
struct Member<R (C::*)(A...) const> : Member<R (C::*)(A...)> {};

// The types behind the first `Count`; void where the first ones are not `Prefix`.
template <class All, class Prefix>
struct Behind {
  using type = void;
};
template <class... A>
struct Behind<std::tuple<A...>, std::tuple<>> {
  using type = std::tuple<A...>;
};
template <class First, class... A, class... Prefix>
struct Behind<std::tuple<First, A...>, std::tuple<First, Prefix...>>
    : Behind<std::tuple<A...>, std::tuple<Prefix...>> {};

template <class Types>
inline constexpr bool kAreOutputs = false;
template <class... O>
requires(sizeof...(O) >= 1 &&
         sizeof...(O) <=
             MetaBase::kMaxOutputs) inline constexpr bool kAreOutputs<std::tuple<O...>> =
    (std::is_same_v<O, const Tensor&> && ...);
template <class Types>
inline constexpr bool kAreOther = false;
template <class... A>
inline constexpr bool kAreOther<std::tuple<A...>> = (ArgumentTraits<A>::kType.is_other || ...);

inline TensorList tensors_of(const Tensor& tensor) { return as_list(tensor); }
inline TensorList tensors_of(OptionalTensorRef tensor) { return as_list(tensor); }
inline TensorList tensors_of(TensorList tensors) { return tensors; }
template <class T>
TensorList tensors_of(const T&) {
  return {};
}
// The lists of the arguments that have tensors, as a tuple.
template <class T>
auto tensor_argument(const T& argument) {
  if constexpr (kIsAnyOf<T, Tensor, OptionalTensorRef, TensorList>) {
    return std::tuple(as_list(argument));
  } else {
    static_cast<void>(argument);
    return std::tuple();
  }
}

constexpr DeviceType device_type_of_backend(DispatchKey key) {
  return static_cast<DeviceType>(*backend_of(key));
}

// Whether the class is an operator; says what is missing.
template <class S>
constexpr bool is_structured() {
  constexpr bool kIsMeta = std::is_base_of_v<MetaBase, S>;
  static_assert(kIsMeta,
                "a structured operator inherits tsc::MetaBase, or tsc::TensorIteratorBase where it "
                "works element by element");
  static_assert(HasMeta<S>,
                "a structured operator needs one member function meta(...), which checks its "
                "arguments and calls set_output() for each result");
  static_assert(
      HasImpl<S>,
      "a structured operator needs one member function impl(..., const Tensor& out), which "
      "computes the results");
  if constexpr (kIsMeta && HasMeta<S> && HasImpl<S>) {
    using Meta = Member<decltype(&S::meta)>;
    using Impl = Member<decltype(&S::impl)>;
    constexpr bool kReturnNothing =
        std::is_void_v<typename Meta::Result> && std::is_void_v<typename Impl::Result>;
    static_assert(
        kReturnNothing,
        "meta and impl of a structured operator return void: impl writes its results into "
        "the tensors that it is given");
    using Outputs = typename Behind<typename Impl::Types, typename Meta::Types>::type;
    static_assert(
        kAreOutputs<Outputs>,
        "impl of a structured operator takes what meta takes, in the same types, and then "
        "const Tensor& for each of its 1 to 4 results");
    constexpr bool kAreCanonical = !kAreOther<typename Meta::Types>;
    static_assert(
        kAreCanonical,
        "a structured operator takes const Tensor& for a Tensor, OptionalTensorRef for a "
        "Tensor?, TensorList for a Tensor[], const Scalar& for a Scalar, std::string_view "
        "for a str");
    return kReturnNothing && kAreOutputs<Outputs> && kAreCanonical;
  } else {
    return false;
  }
}

template <class S, class Inputs, class Outputs>
class StructuredForms;
template <class S, class... A, class... O>
class StructuredForms<S, std::tuple<A...>, std::tuple<O...>> {
  static constexpr size_t kOutputs = sizeof...(O);
  static constexpr bool kIsIterator = std::is_base_of_v<TensorIteratorBase, S>;
  template <class T>
  using Made = Tensor;
  using Results = std::conditional_t<kOutputs == 1, Tensor, std::tuple<Made<O>...>>;
  using Given = std::conditional_t<kOutputs == 1, const Tensor&, std::tuple<O...>>;

 public:
  static constexpr size_t kNumOutputs = kOutputs;
  static constexpr bool kHasInplace = [] {
    if constexpr (kOutputs == 1 && sizeof...(A) > 0) {
      return std::is_same_v<std::tuple_element_t<0, std::tuple<A...>>, const Tensor&>;
    } else {
      return false;
    }
  }();
  using OutSignature = Given(A..., O...);

  // For the messages of refusals, and for Common.
  inline static std::string schema;
  inline static TypedOperatorHandle<OutSignature> out_operator;

  template <DeviceType Type>
  static Results functional(A... arguments) {
    check_devices(arguments...);
    std::array<Tensor, kOutputs> results;
    const auto run = [&]<size_t... I>(std::index_sequence<I...>) {
      S op;
      MetaBase::allocate_outputs(op, Type, results[I]...);
      compute<Type>(op, arguments..., results[I]...);
    };
    run(std::make_index_sequence<kOutputs>());
    return made(results);
  }
  template <DeviceType Type>
  static Given out(A... arguments, O... outputs) {
    check_devices(arguments..., outputs...);
    S op;
    MetaBase::write_outputs(op, Type, outputs...);
    if constexpr (!kIsIterator) {
      op.template note_inputs<static_cast<int>(kOutputs)>(tensors_of(arguments)...);
    }
    write<Type>(op, arguments...);
    return Given(outputs...);
  }
  template <DeviceType Type>
  static const Tensor& inplace(A... arguments) {
    check_devices(arguments...);
    const Tensor& self = first(arguments...);
    S op;
    MetaBase::update_in_place(op, Type, self);
    write<Type>(op, arguments...);
    return self;
  }

  // For a backend that has the out= kernel only.
  static Results common_functional(DispatchKeySet keys, A... arguments) {
    std::array<Tensor, kOutputs> results;
    const auto run = [&]<size_t... I>(std::index_sequence<I...>) {
      S op;
      const DeviceGuard device(device_of(arguments...));
      MetaBase::allocate_outputs(op, device.type(), results[I]...);
      op.meta(arguments...);
      out_operator.redispatch(keys, arguments..., op.output(static_cast<int>(I))...);
    };
    check_devices(arguments...);
    run(std::make_index_sequence<kOutputs>());
    return made(results);
  }
  static const Tensor& common_inplace(DispatchKeySet keys, A... arguments) {
    check_devices(arguments...);
    const Tensor& self = first(arguments...);
    S op;
    const DeviceGuard device(device_of(arguments...));
    MetaBase::update_in_place(op, device.type(), self);
    op.meta(arguments...);
    out_operator.redispatch(keys, arguments..., op.output());
    op.store_outputs();
    return self;
  }

 private:
  static Results made(std::array<Tensor, kOutputs>& results) {
    return [&]<size_t... I>(std::index_sequence<I...>) { return Results(std::move(results[I])...); }
    (std::make_index_sequence<kOutputs>());
  }
  template <class... Rest>
  static const Tensor& first(const Tensor& self, const Rest&...) {
    return self;
  }
  static Device device_of(const A&... arguments) { return common_device(tensors_of(arguments)...); }

  // An iterator looks at its operands itself, since a number on the CPU may be among them.
  template <class... T>
  static void check_devices(const T&... arguments) {
    if constexpr (!kIsIterator) {
      DeviceAgreement agreement;
      (agreement.add(tensors_of(arguments)), ...);
      if (TSC_UNLIKELY(!agreement.agrees())) {
        const ParsedSchema parsed = parse_schema(schema);
        std::apply([&](const auto&... lists) { refuse_devices(*parsed, {lists...}); },
                   std::tuple_cat(tensor_argument(arguments)...));
      }
    }
  }

  template <DeviceType Type, class... T>
  static void compute(S& op, const T&... arguments_and_outputs) {
    meta_of(op, std::tie(arguments_and_outputs...), std::index_sequence_for<A...>());
    if constexpr (Type != DeviceType::Meta) {
      const DeviceGuardFor<Type> device(arguments_and_outputs...);
      op.impl(arguments_and_outputs...);
    }
  }
  template <class Tuple, size_t... I>
  static void meta_of(S& op, const Tuple& arguments, std::index_sequence<I...>) {
    op.meta(std::get<I>(arguments)...);
  }
  template <DeviceType Type>
  static void write(S& op, const A&... arguments) {
    op.meta(arguments...);
    if constexpr (Type != DeviceType::Meta) {
      const DeviceGuardFor<Type> device(arguments...);
      const auto run = [&]<size_t... I>(std::index_sequence<I...>) {
        op.impl(arguments..., op.output(static_cast<int>(I))...);
      };
      run(std::make_index_sequence<kOutputs>());
      op.store_outputs();
    }
  }
  // The CPU has one device.
  template <DeviceType Type>
  struct DeviceGuardFor {
    template <class... T>
    explicit DeviceGuardFor(const T&... arguments)
        : guard(common_device(tensors_of(arguments)...)) {}
    DeviceGuard guard;
  };
};
template <class S>
using FormsOf = StructuredForms<S, typename Member<decltype(&S::meta)>::Types,
                                typename Behind<typename Member<decltype(&S::impl)>::Types,
                                                typename Member<decltype(&S::meta)>::Types>::type>;

template <class S, DeviceType Type>
void register_forms(Library& m, const StructuredSchemas& names, DispatchKey key, const char* name,
                    const char* file, int line) {
  using Forms = FormsOf<S>;
  m.impl(names.functional, key,
         unboxed_kernel(&Forms::template functional<Type>, name, file, line));
  m.impl(names.out, key, unboxed_kernel(&Forms::template out<Type>, name, file, line));
  if constexpr (Forms::kHasInplace) {
    if (!names.inplace.empty()) {
      m.impl(names.inplace, key, unboxed_kernel(&Forms::template inplace<Type>, name, file, line));
    }
  }
}

template <class S>
void def_structured(Library& m, std::string_view schema, const char* name, const char* file,
                    int line) {
  if constexpr (is_structured<S>()) {
    using Forms = FormsOf<S>;
    const StructuredSchemas schemas =
        structured_schemas(schema, Forms::kNumOutputs, Forms::kHasInplace);
    StructuredSchemas names;
    const auto define = [&](const std::string& text) {
      m.def(text);
      return text.substr(0, text.find('('));
    };
    names.functional = define(schemas.functional);
    names.out = define(schemas.out);
    if (!schemas.inplace.empty()) {
      names.inplace = define(schemas.inplace);
    }
    register_forms<S, DeviceType::CPU>(m, names, DispatchKey::CPU, name, file, line);
    register_forms<S, DeviceType::Meta>(m, names, DispatchKey::Meta, name, file, line);
    m.impl(names.functional, DispatchKey::Common,
           unboxed_kernel(&Forms::common_functional, name, file, line));
    if constexpr (Forms::kHasInplace) {
      m.impl(names.inplace, DispatchKey::Common,
             unboxed_kernel(&Forms::common_inplace, name, file, line));
    }
    Forms::schema = schemas.out;
    const auto [out, overload] = parse_operator_name(m.ns() + "::" + names.out);
    Forms::out_operator = Dispatcher::singleton()
                              .find_or_throw(out, overload)
                              .template typed<typename Forms::OutSignature>();
  }
}

template <class S, DispatchKey Key>
void impl_structured(Library& m, std::string_view functional, const char* name, const char* file,
                     int line) {
  if constexpr (is_structured<S>()) {
    constexpr DeviceType kType = device_type_of_backend(Key);
    static_assert(kType != DeviceType::Meta,
                  "TSC_STRUCTURED_IMPL registers for CPU, CUDA or PrivateUse1 to PrivateUse3; Meta "
                  "has the operator's meta function already");
    const StructuredSchemas names = structured_names(fmt::format("{}::{}", m.ns(), functional));
    FormsOf<S>::schema = structured_schema_of_out(m.ns(), names.out);
    register_forms<S, kType>(m, names, Key, name, file, line);
  }
}

}  // namespace detail

}  // namespace tsc

#define TSC_STRUCTURED(m, Class, schema) \
  ::tsc::detail::def_structured<Class>(m, schema, #Class, __FILE__, __LINE__)
#define TSC_STRUCTURED_IMPL(m, key, Class, name)                                            \
  ::tsc::detail::impl_structured<Class, ::tsc::DispatchKey::key>(m, name, #Class, __FILE__, \
                                                                 __LINE__)
