// The loop over a tile, and how an operation's formula and its types become entries of the table.
//
// An operation is a struct:
//   struct Mul {
//     static constexpr int kParameters = 0;
//     template <class T, class P>
//     static T apply(T a, T b, const P& p);   // p[0], p[1], ...: the parameters, as T
//   };
// T is a vector for floats (Wide) and for complex arithmetic (WideComplex), and a plain number
// otherwise: for integers, which the compiler vectorises, and where a complex function is the C
// library's.
#pragma once

#include <utility>

#include "ops/cpu/kernel_table.h"
#include "ops/cpu/scalar_math.h"
#include "ops/cpu/wide_complex.h"

#define TSC_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TSC_INDEPENDENT
#define TSC_UNROLL(times) TSC_PRAGMA(unroll times)
#else
#define TSC_UNROLL(times) TSC_PRAGMA(GCC unroll times)
// A result that is also an input is so element by element: iterations do not depend on one another.
#define TSC_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tsc::cpu::TSC_ISA {

template <class T>
inline constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The type of a complex operand that is computed in vectors.
template <class T>
struct Packed {};

// What memory holds, and what the loop computes with.
template <class T>
struct Layout {
  using Stored = T;
  using Vector = Wide<T>;
};
template <class T>
struct Layout<Packed<T>> {
  using Stored = Complex<T>;
  using Vector = WideComplex<T>;
};
template <class T>
using Stored = typename Layout<T>::Stored;

template <class W, class T>
TSC_INLINE W broadcast(T value) {
  return W(value);
}
template <class W, class T>
TSC_INLINE W broadcast(Complex<T> value) {
  return {decltype(W().re)(value.re), decltype(W().im)(value.im)};
}

template <class T, int Count>
struct ParameterValues {
  T value[Count > 0 ? Count : 1];

  template <class Stored>
  TSC_INLINE explicit ParameterValues(const Stored* stored) {
    for (int i = 0; i < Count; ++i) value[i] = broadcast<T>(stored[i]);
  }
  TSC_INLINE T operator[](int i) const { return value[i]; }
};

template <class T>
inline constexpr bool is_vector = is_float<T>;
template <class T>
inline constexpr bool is_vector<Packed<T>> = true;

template <class T>
Wide<T> lanes_of(T);
template <class T>
Wide<T> lanes_of(Packed<T>);

// Asks for what a loop comes to 1 KiB later. The processor's own prefetching ends at each page, and
// what lies outside the cache for the core would be waited for.
inline constexpr ptrdiff_t kPrefetchDistance = 1024;
TSC_INLINE void prefetch(const void* at) {
  __builtin_prefetch(static_cast<const char*>(at) + kPrefetchDistance);
}
TSC_INLINE void prefetch_for_writing(const void* at) {
  __builtin_prefetch(static_cast<const char*>(at) + kPrefetchDistance, 1);
}

template <class Op, class Result, class... Inputs>
struct Tile {
  template <size_t... I>
  static TSC_INLINE void run_vectors(char* const* data, int64_t count, const void* parameters,
                                     std::index_sequence<I...>) {
    using T = std::tuple_element_t<0, std::tuple<Inputs...>>;
    constexpr int64_t kLanes = decltype(lanes_of(T()))::kLanes;
    using Value = Stored<T>;
    const ParameterValues<typename Layout<T>::Vector, Op::kParameters> p(
        static_cast<const Value*>(parameters));
    auto* const to = reinterpret_cast<Stored<Result>*>(data[0]);
    const Value* const from[] = {reinterpret_cast<const Value*>(data[I + 1])...};
    int64_t i = 0;
    TSC_UNROLL(2)
    for (; i + kLanes <= count; i += kLanes) {
      (prefetch(from[I] + i), ...);
      prefetch_for_writing(to + i);
      store(Op::apply(load(from[I] + i)..., p), to + i);
    }
    if (i < count) {
      store_first(Op::apply(load_first(from[I] + i, count - i)..., p), to + i, count - i);
    }
  }

  template <size_t... I>
  static TSC_INLINE void run_numbers(char* const* data, int64_t count, const void* parameters,
                                     std::index_sequence<I...>) {
    using T = std::tuple_element_t<sizeof...(Inputs) - 1, std::tuple<Inputs...>>;
    const ParameterValues<T, Op::kParameters> p(static_cast<const T*>(parameters));
    Result* const to = reinterpret_cast<Result*>(data[0]);
    const std::tuple<const Inputs*...> from{reinterpret_cast<const Inputs*>(data[I + 1])...};
    TSC_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      to[i] = static_cast<Result>(Op::apply(std::get<I>(from)[i]..., p));
    }
  }

  static void run(char* const* data, int64_t count, const void* parameters) {
    constexpr auto kIndices = std::index_sequence_for<Inputs...>();
    if constexpr ((is_vector<Inputs> && ...)) {
      run_vectors(data, count, parameters, kIndices);
    } else {
      run_numbers(data, count, parameters, kIndices);
    }
  }
};

// A dtype and the type that computes it.
template <ScalarType S, class C>
struct As {
  static constexpr ScalarType kScalar = S;
  using type = C;
};
template <class... Ts>
struct Types {};
template <class... Lists>
struct JoinTypes;
template <class... As, class... Bs, class... Rest>
struct JoinTypes<Types<As...>, Types<Bs...>, Rest...> : JoinTypes<Types<As..., Bs...>, Rest...> {};
template <class... As>
struct JoinTypes<Types<As...>> {
  using type = Types<As...>;
};
template <class... Lists>
using Join = typename JoinTypes<Lists...>::type;

using Floats = Types<As<ScalarType::Float, float>, As<ScalarType::Double, double>>;
using Complexes = Types<As<ScalarType::ComplexFloat, Complex<float>>,
                        As<ScalarType::ComplexDouble, Complex<double>>>;
using PackedComplexes = Types<As<ScalarType::ComplexFloat, Packed<float>>,
                              As<ScalarType::ComplexDouble, Packed<double>>>;
using Bool = Types<As<ScalarType::Bool, bool>>;
using Integers = Types<As<ScalarType::Byte, uint8_t>, As<ScalarType::Char, int8_t>,
                       As<ScalarType::Short, int16_t>, As<ScalarType::Int, int32_t>,
                       As<ScalarType::Long, int64_t>>;
// For operations that give the same bits for signed and unsigned. Overflow wraps: smaller types
// compute in int, and the larger ones as unsigned.
using WrappingIntegers = Types<As<ScalarType::Byte, uint8_t>, As<ScalarType::Char, uint8_t>,
                               As<ScalarType::Short, int16_t>, As<ScalarType::Int, uint32_t>,
                               As<ScalarType::Long, uint64_t>>;
// For operations that only move bits: one type a size.
using Bits =
    Types<As<ScalarType::Byte, uint8_t>, As<ScalarType::Char, uint8_t>,
          As<ScalarType::Bool, uint8_t>, As<ScalarType::Short, uint16_t>,
          As<ScalarType::Int, uint32_t>, As<ScalarType::Float, uint32_t>,
          As<ScalarType::Long, uint64_t>, As<ScalarType::Double, uint64_t>,
          As<ScalarType::ComplexFloat, uint64_t>, As<ScalarType::ComplexDouble, Complex<double>>>;

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<Packed<R>> {
  using type = R;
};

// The tile functions of one operation for a list of types.
template <template <class, class> class Shape, class Op, class List>
struct Find;
template <template <class, class> class Shape, class Op, class... Ts>
struct Find<Shape, Op, Types<Ts...>> {
  static TileFunction find(ScalarType compute) {
    TileFunction found = nullptr;
    ((compute == Ts::kScalar ? void(found = &Shape<Op, typename Ts::type>::run) : void()), ...);
    return found;
  }
};

template <class Op, class T>
using UnaryShape = Tile<Op, T, T>;
template <class Op, class T>
using UnaryTestShape = Tile<Op, bool, T>;
template <class Op, class T>
using UnaryRealShape = Tile<Op, typename RealOf<T>::type, T>;
template <class Op, class T>
using BinaryShape = Tile<Op, T, T, T>;
template <class Op, class T>
using BinaryTestShape = Tile<Op, bool, T, T>;
template <class Op, class T>
using TernaryShape = Tile<Op, T, T, T, T>;
template <class Op, class T>
using WhereShape = Tile<Op, T, bool, T, T>;

template <class Op, class... Lists>
inline constexpr auto unary = &Find<UnaryShape, Op, Join<Lists...>>::find;
template <class Op, class... Lists>
inline constexpr auto unary_test = &Find<UnaryTestShape, Op, Join<Lists...>>::find;
template <class Op, class... Lists>
inline constexpr auto unary_real = &Find<UnaryRealShape, Op, Join<Lists...>>::find;
template <class Op, class... Lists>
inline constexpr auto binary = &Find<BinaryShape, Op, Join<Lists...>>::find;
template <class Op, class... Lists>
inline constexpr auto binary_test = &Find<BinaryTestShape, Op, Join<Lists...>>::find;
template <class Op, class... Lists>
inline constexpr auto ternary = &Find<TernaryShape, Op, Join<Lists...>>::find;
template <class Op, class... Lists>
inline constexpr auto where_shape = &Find<WhereShape, Op, Join<Lists...>>::find;

// struct NAME with the formula EXPRESSION of a, b, c (as many as there are) and p.
#define TSC_UNARY_OP(name, parameters, expression)                   \
  struct name {                                                      \
    static constexpr int kParameters = parameters;                   \
    template <class T, class P>                                      \
    static TSC_INLINE auto apply(T a, [[maybe_unused]] const P& p) { \
      return expression;                                             \
    }                                                                \
  };
#define TSC_BINARY_OP(name, parameters, expression)                       \
  struct name {                                                           \
    static constexpr int kParameters = parameters;                        \
    template <class T, class P>                                           \
    static TSC_INLINE auto apply(T a, T b, [[maybe_unused]] const P& p) { \
      return expression;                                                  \
    }                                                                     \
  };
#define TSC_TERNARY_OP(name, parameters, expression)                           \
  struct name {                                                                \
    static constexpr int kParameters = parameters;                             \
    template <class C, class T, class P>                                       \
    static TSC_INLINE auto apply(C a, T b, T c, [[maybe_unused]] const P& p) { \
      return expression;                                                       \
    }                                                                          \
  };

}  // namespace tsc::cpu::TSC_ISA
