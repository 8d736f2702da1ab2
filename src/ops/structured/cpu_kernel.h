// cpu_kernel(iter, f): the loop of an elementwise kernel, from a function of single elements.
//
//   cpu_kernel(iter, [](float a, float b) { return a * b + 1; });
//   cpu_kernel_vec(iter, [](float a, float b) { return a * b + 1; },
//                  [](Vectorized<float> a, Vectorized<float> b) { return a * b + 1; });
//   cpu_kernel_multiple_outputs(iter, [](double x) { return std::tuple(sin(x), cos(x)); });
//
// The function's types say in what the computation is done. An operand of another dtype is converted
// element by element, on the way in and on the way out. The work is shared between threads.
//
// An element's result depends on the element alone, and not on strides, threads or its neighbours:
// cpu_kernel() calls `f` for each, and cpu_kernel_vec() the function of vectors, for elements that
// lie apart and for the last ones, too (what is missing in a vector is filled up with copies of the
// last element). Its first function names the types, and computes where a type has no vectors. What
// is left to the author is that `f` depends on nothing else, and has no state that threads share.
#pragma once

#include <array>
#include <complex>
#include <tuple>
#include <type_traits>

#include "core/dispatch_types.h"
#include "ops/structured/tensor_iterator.h"
#include "ops/structured/vectorized.h"

namespace tsc {

namespace detail {

// What a lambda or function takes and gives.
template <class F>
struct ElementFunction : ElementFunction<decltype(&F::operator())> {};
template <class R, class... A>
struct ElementFunction<R(A...)> {
  using Result = R;
  using Arguments = std::tuple<std::remove_cvref_t<A>...>;
  static constexpr int kArity = static_cast<int>(sizeof...(A));
};
template <class R, class... A>
struct ElementFunction<R (*)(A...)> : ElementFunction<R(A...)> {};
template <class R, class... A>
struct ElementFunction<R (*)(A...) noexcept> : ElementFunction<R(A...)> {};
template <class C, class R, class... A>
struct ElementFunction<R (C::*)(A...) const> : ElementFunction<R(A...)> {};
template <class C, class R, class... A>
struct ElementFunction<R (C::*)(A...) const noexcept> : ElementFunction<R(A...)> {};

template <class F>
concept HasElementTypes = std::is_function_v<std::remove_pointer_t<F>> || requires {
  &F::operator();
};

template <class R>
struct Outputs {
  using Types = std::tuple<R>;
};
template <class... R>
struct Outputs<std::tuple<R...>> {
  using Types = std::tuple<R...>;
};

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// As copy_ converts: a complex number loses its imaginary part, a float its fraction.
template <class To, class From>
To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>) {
      using Part = typename To::value_type;
      return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else {
      return convert_element<To>(value.real());
    }
  } else if constexpr (kIsComplex<To>) {
    return To(convert_element<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

// Elements of an operand, converted to or from a run of T.
template <class T>
void load_elements(ScalarType dtype, const char* from, int64_t stride, T* to, int64_t count) {
  dispatch_all_types(dtype, "cpu_kernel", [&]<class From>() {
    for (int64_t i = 0; i < count; i++) {
      to[i] = convert_element<T>(*reinterpret_cast<const From*>(from + i * stride));
    }
  });
}
template <class T>
void store_elements(ScalarType dtype, const T* from, char* to, int64_t stride, int64_t count) {
  dispatch_all_types(dtype, "cpu_kernel", [&]<class To>() {
    for (int64_t i = 0; i < count; i++) {
      *reinterpret_cast<To*>(to + i * stride) = convert_element<To>(from[i]);
    }
  });
}

// Rows of elements of the function's own types: data and byte strides, outputs first.
template <class Out, class In>
class RowLoop;
template <class... R, class... A>
class RowLoop<std::tuple<R...>, std::tuple<A...>> {
 public:
  static constexpr size_t kOutputs = sizeof...(R);
  static constexpr size_t kOperands = kOutputs + sizeof...(A);

  static void check(const TensorIteratorBase& iter) {
    // An iteration over outputs alone has one of them as its input, which nobody reads.
    const bool is_alone = sizeof...(A) == 0 && iter.ninputs() == 1;
    TSC_CHECK(
        iter.noutputs() == static_cast<int>(kOutputs) &&
            (is_alone || iter.ninputs() == static_cast<int>(sizeof...(A))),
        "cpu_kernel: the function has {} arguments and {} results, and the iterator {} inputs "
        "and {} outputs",
        sizeof...(A), kOutputs, iter.ninputs(), iter.noutputs());
    TSC_CHECK(iter.device_type() == DeviceType::CPU, "cpu_kernel: the tensors are on {}",
              to_string(iter.device_type()));
  }

  // Calls row(data, strides, count) for all elements.
  template <class Row>
  static void run(const TensorIteratorBase& iter, int64_t grain_size, const Row& row) {
    check(iter);
    std::array<ScalarType, kOperands> dtypes;
    std::array<bool, kOperands> converts;
    bool any = false;
    for (size_t i = 0; i < kOperands; i++) {
      dtypes[i] = iter.dtype(static_cast<int>(i));
      converts[i] = dtypes[i] != kTypes[i];
      any = any || converts[i];
    }
    const auto step = static_cast<size_t>(iter.ntensors());
    iter.for_each(
        [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
          std::array<char*, kOperands> at;
          for (int64_t j = 0; j < size1; j++) {
            for (size_t i = 0; i < kOperands; i++) {
              at[i] = data[i] + j * strides[step + i];
            }
            if (any) {
              run_converted(row, dtypes, converts, at, strides, size0);
            } else {
              row(at, strides, size0);
            }
          }
        },
        grain_size);
  }

 private:
  static constexpr ScalarType kTypes[] = {scalar_type_of<R>..., scalar_type_of<A>...};
  static constexpr int64_t kSizes[] = {static_cast<int64_t>(sizeof(R))...,
                                       static_cast<int64_t>(sizeof(A))...};
  // Elements that are converted at a time.
  static constexpr int64_t kTogether = 128;
  template <class T>
  struct Buffer {
    alignas(64) T elements[kTogether];
  };

  template <class Row>
  static void run_converted(const Row& row, const std::array<ScalarType, kOperands>& dtypes,
                            const std::array<bool, kOperands>& converts,
                            std::array<char*, kOperands> data, const int64_t* strides,
                            int64_t count) {
    std::tuple<Buffer<R>..., Buffer<A>...> buffers;
    std::array<int64_t, kOperands> own_strides;
    for (size_t i = 0; i < kOperands; i++) {
      own_strides[i] = converts[i] ? kSizes[i] : strides[i];
    }
    for (int64_t begin = 0; begin < count; begin += kTogether) {
      const int64_t part = std::min(kTogether, count - begin);
      std::array<char*, kOperands> at;
      const auto convert = [&]<size_t... I>(std::index_sequence<I...>, bool in) {
        (
            [&] {
              char* elements = data[I] + begin * strides[I];
              auto* own = std::get<I>(buffers).elements;
              if (!converts[I]) {
                at[I] = elements;
              } else if (in) {
                at[I] = reinterpret_cast<char*>(own);
                if (I >= kOutputs) {
                  load_elements(dtypes[I], elements, strides[I], own, part);
                }
              } else if (I < kOutputs) {
                store_elements(dtypes[I], own, elements, strides[I], part);
              }
            }(),
            ...);
      };
      convert(std::make_index_sequence<kOperands>(), true);
      row(at, own_strides.data(), part);
      convert(std::make_index_sequence<kOperands>(), false);
    }
  }
};

template <class T>
T& element(char* at) {
  return *reinterpret_cast<T*>(at);
}

// One element after the other.
template <class F, class... R, class... A>
void run_elements(const TensorIteratorBase& iter, int64_t grain_size, const F& f, std::tuple<R...>*,
                  std::tuple<A...>*) {
  using Loop = RowLoop<std::tuple<R...>, std::tuple<A...>>;
  constexpr size_t kOutputs = sizeof...(R);
  Loop::run(iter, grain_size, [&](const auto& data, const int64_t* strides, int64_t count) {
    const auto at = [&]<size_t... I>(std::index_sequence<I...>, int64_t i) {
      return f(element<const A>(data[kOutputs + I] + i * strides[kOutputs + I])...);
    };
    constexpr auto kInputs = std::index_sequence_for<A...>();
    for (int64_t i = 0; i < count; i++) {
      if constexpr (kOutputs == 1) {
        (element<R>(data[0] + i * strides[0]), ...) = at(kInputs, i);
      } else {
        const std::tuple<R...> results = at(kInputs, i);
        [&]<size_t... O>(std::index_sequence<O...>) {
          ((element<R>(data[O] + i * strides[O]) = std::get<O>(results)), ...);
        }
        (std::index_sequence_for<R...>());
      }
    }
  });
}

// Vectors of elements, the last one filled up.
template <class F, class R, class... A>
void run_vectors(const TensorIteratorBase& iter, int64_t grain_size, const F& f, std::tuple<R>*,
                 std::tuple<A...>*) {
  constexpr int kWidth = Vectorized<R>::size();
  RowLoop<std::tuple<R>, std::tuple<A...>>::run(
      iter, grain_size, [&](const auto& data, const int64_t* strides, int64_t count) {
        const auto load = [&]<size_t I>(std::integral_constant<size_t, I>, int64_t i, int part) {
          const char* from = data[1 + I] + i * strides[1 + I];
          return part == kWidth && strides[1 + I] == static_cast<int64_t>(sizeof(R))
                     ? Vectorized<R>::loadu(from)
                     : Vectorized<R>::gather(from, strides[1 + I], part);
        };
        const auto at = [&]<size_t... I>(std::index_sequence<I...>, int64_t i, int part) {
          return f(load(std::integral_constant<size_t, I>(), i, part)...);
        };
        for (int64_t i = 0; i < count; i += kWidth) {
          const int part = static_cast<int>(std::min<int64_t>(kWidth, count - i));
          const Vectorized<R> result = at(std::index_sequence_for<A...>(), i, part);
          char* to = data[0] + i * strides[0];
          if (strides[0] == static_cast<int64_t>(sizeof(R))) {
            result.store(to, part);
          } else {
            for (int lane = 0; lane < part; lane++) {
              element<R>(to + lane * strides[0]) = result[lane];
            }
          }
        }
      });
}

}  // namespace detail

template <class F>
void cpu_kernel(const TensorIteratorBase& iter, const F& f, int64_t grain_size = kParallelGrain) {
  static_assert(detail::HasElementTypes<std::decay_t<F>>,
                "cpu_kernel: the function has to name the types of its elements: write "
                "[](float a, float b) { ... }, and no auto");
  using Function = detail::ElementFunction<std::decay_t<F>>;
  static_assert(!std::is_void_v<typename Function::Result>,
                "cpu_kernel: the function has to return the element of the output");
  using Out = typename detail::Outputs<typename Function::Result>::Types;
  using In = typename Function::Arguments;
  detail::run_elements(iter, grain_size, f, static_cast<Out*>(nullptr), static_cast<In*>(nullptr));
}

// The function returns a std::tuple, an element of each output.
template <class F>
void cpu_kernel_multiple_outputs(const TensorIteratorBase& iter, const F& f,
                                 int64_t grain_size = kParallelGrain) {
  cpu_kernel(iter, f, grain_size);
}

template <class F, class V>
void cpu_kernel_vec(const TensorIteratorBase& iter, const F& f, const V& vector,
                    int64_t grain_size = kParallelGrain) {
  static_assert(detail::HasElementTypes<std::decay_t<F>>,
                "cpu_kernel_vec: the first function has to name the types of its elements: write "
                "[](float a, float b) { ... }, and no auto");
  using Function = detail::ElementFunction<std::decay_t<F>>;
  using R = typename Function::Result;
  using In = typename Function::Arguments;
  constexpr bool kOneType = []<class... A>(std::tuple<A...>*) {
    return (std::is_same_v<A, R> && ...);
  }(static_cast<In*>(nullptr));
  static_assert(kOneType, "cpu_kernel_vec: all elements have one type");
  constexpr bool kFits = []<class... A>(std::tuple<A...>*) {
    return std::is_invocable_r_v<Vectorized<R>, const V&, Vectorized<A>...>;
  }(static_cast<In*>(nullptr));
  static_assert(
      kFits,
      "cpu_kernel_vec: the second function takes and returns Vectorized<T> where the first "
      "one takes and returns T");
  if constexpr (kOneType && kFits && Vectorized<R>::size() > 1) {
    detail::run_vectors(iter, grain_size, vector, static_cast<std::tuple<R>*>(nullptr),
                        static_cast<In*>(nullptr));
  } else {
    cpu_kernel(iter, f, grain_size);
  }
}

}  // namespace tsc
