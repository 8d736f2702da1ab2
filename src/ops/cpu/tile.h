// The loop over a tile, and the macros that make table entries of an operation's formula and its
// types.
//
// An operation is a struct, which TSC_DEFINE_FORMULAS makes of a line of a list (ops/cpu/ufunc.h):
//   struct mul_formula {
//     static constexpr int kParameters = 0;
//     template <class T, class P>
//     static T apply(T a, T b, const P& p);   // p[0], p[1], ...: the parameters, as T
//   };
// T is a vector for floats (Wide) and for complex arithmetic (WideComplex), and a plain number
// otherwise: for integers, which the compiler vectorises, and where a complex function is the C
// library's.
#pragma once

#include <algorithm>
#include <utility>

#include "ops/cpu/kernel_types.h"
#include "ops/cpu/scalar_math.h"
#include "ops/cpu/shape/reduced.h"
#include "ops/cpu/wide_complex.h"

#define TSC_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TSC_INDEPENDENT
#define TSC_UNROLL(times) TSC_PRAGMA(unroll times)
#else
#define TSC_UNROLL(times) TSC_PRAGMA(GCC unroll times)
// Each element of a result that is also an input depends on that element only, so iterations are
// independent.
#define TSC_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tsc::cpu::TSC_ISA {

template <class T>
inline constexpr bool is_float = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The type of a complex operand that is computed in vectors.
template <class T>
struct Packed {};

// The type of a float16 or bfloat16 operand that is computed as it is loaded, in floats.
template <class T>
struct Reduced {};

// The type in memory, the type that the loop computes with, and that of parameters.
template <class T>
struct Layout {
  using Stored = T;
  using Vector = Wide<T>;
  using Parameter = T;
};
template <class T>
struct Layout<Packed<T>> {
  using Stored = Complex<T>;
  using Vector = WideComplex<T>;
  using Parameter = Complex<T>;
};
template <class T>
struct Layout<Reduced<T>> {
  using Stored = T;
  using Vector = Wide<float>;
  using Parameter = float;
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
    for (int i = 0; i < Count; i++) value[i] = broadcast<T>(stored[i]);
  }
  TSC_INLINE T operator[](int i) const { return value[i]; }
};

template <class T>
inline constexpr bool is_vector = is_float<T>;
template <class T>
inline constexpr bool is_vector<Packed<T>> = true;
template <class T>
inline constexpr bool is_vector<Reduced<T>> = true;

template <class T>
Wide<T> lanes_of(T);
template <class T>
Wide<T> lanes_of(Packed<T>);
template <class T>
Wide<float> lanes_of(Reduced<T>);

// Prefetches the memory that a loop reaches later, `ahead` bytes from here (prefetch_distance).
TSC_INLINE void prefetch(const void* at, ptrdiff_t ahead) {
  __builtin_prefetch(static_cast<const char*>(at) + ahead);
}
TSC_INLINE void prefetch_for_writing(const void* at, ptrdiff_t ahead) {
  __builtin_prefetch(static_cast<const char*>(at) + ahead, 1);
}

constexpr int64_t kPrefetchedVectors = 4;
constexpr int64_t kLineBytes = 64;

// kPrefetchedVectors of `Lanes` elements.
template <int64_t Lanes, class Value>
TSC_INLINE void prefetch_vectors(const Value* at) {
  constexpr auto kBytes = kPrefetchedVectors * Lanes * static_cast<int64_t>(sizeof(Value));
  for (int64_t i = 0; i < kBytes; i += kLineBytes) prefetch(at, prefetch_distance + i);
}
template <int64_t Lanes, class Value>
TSC_INLINE void prefetch_vectors_for_writing(const Value* at) {
  constexpr auto kBytes = kPrefetchedVectors * Lanes * static_cast<int64_t>(sizeof(Value));
  for (int64_t i = 0; i < kBytes; i += kLineBytes) prefetch_for_writing(at, prefetch_distance + i);
}

// A vector's worth of one value.
template <class Value, size_t Count>
TSC_INLINE const Value* copy(Value value, Value (&to)[Count]) {
  for (Value& each : to) each = value;
  return to;
}

// For kernels that know of one row of contiguous elements: some copies of an element that stands
// for many are written out, elements apart are brought together, and the kernel goes from one part
// of the row to the next.
template <class Result, class... Inputs, class F, size_t... I>
TSC_NOINLINE void run_each_row(char* const* data, int64_t count, const TileRows& rows, F run_row,
                               std::index_sequence<I...>) {
  constexpr int64_t kCopies = 4096 / std::max({sizeof(Inputs)...});
  std::tuple<Inputs[kCopies]...> copies;
  const int64_t most = rows.apart != 0 ? kCopies / 4 : rows.repeated != 0 ? kCopies : count;
  const int64_t part = count < most ? count : most;
  for (int64_t r = 0; r < rows.count; r++) {
    const char* row[] = {data[I + 1] + r * rows.stride[I + 1]...};
    const auto write_out = [&](auto& to, const char* from) {
      for (int64_t i = 0; i < part; i++) std::memcpy(to + i, from, sizeof *to);
      return reinterpret_cast<const char*>(to);
    };
    const auto place_of = [&](auto& to, size_t input) {
      if (!rows.repeats(input + 1)) return;
      const bool is_there = r > 0 && rows.stride[input + 1] == 0;
      row[input] = is_there ? reinterpret_cast<const char*>(to) : write_out(to, row[input]);
    };
    const auto bring = [&](auto& to, size_t input, int64_t size) {
      if (!rows.is_apart(input + 1)) return const_cast<char*>(row[input]);
      const auto target = reinterpret_cast<char*>(to);
      every_second(target, row[input], size, sizeof *to);
      return target;
    };
    const auto advance = [&](size_t input, int64_t bytes) {
      if (rows.repeats(input + 1)) return;
      row[input] += rows.is_apart(input + 1) ? 2 * bytes : bytes;
    };
    (place_of(std::get<I>(copies), I), ...);
    char* to = data[0] + r * rows.stride[0];
    for (int64_t begin = 0; begin < count; begin += part) {
      const int64_t size = count - begin < part ? count - begin : part;
      char* const place[] = {to, bring(std::get<I>(copies), I, size)...};
      run_row(place, size);
      to += size * static_cast<int64_t>(sizeof(Result));
      (advance(I, size * static_cast<int64_t>(sizeof(Inputs))), ...);
    }
  }
}

template <class Op, class Result, class... Inputs>
struct Tile {
  template <class T, size_t... I>
  static TSC_NOINLINE void run_rows(char* const* data, int64_t count, const void* parameters,
                                    const TileRows& rows, std::index_sequence<I...>) {
    constexpr int64_t kLanes = decltype(lanes_of(T()))::kLanes;
    constexpr int64_t kPart = 8 * kLanes;  // of elements apart, what is brought together at once
    using Value = Stored<T>;
    const ParameterValues<typename Layout<T>::Vector, Op::kParameters> p(
        static_cast<const typename Layout<T>::Parameter*>(parameters));
    char* row[] = {data[0], data[I + 1]...};
    const int64_t step[] = {rows.repeats(I + 1) ? 0 : kLanes...};
    Value copies[sizeof...(I)][kLanes];
    Value parts[sizeof...(I)][kPart];
    for (int64_t left = rows.count;;) {
      auto* to = reinterpret_cast<Stored<Result>*>(row[0]);
      const Value* from[] = {reinterpret_cast<const Value*>(row[I + 1])...};
      if (rows.repeated != 0) {
        ((step[I] == 0 ? void(from[I] = copy(*from[I], copies[I])) : void()), ...);
      }
      const Value* apart[] = {from[I]...};
      const auto bring = [&](size_t input, int64_t size) {
        if (!rows.is_apart(input + 1)) return;
        from[input] = parts[input];
        every_second(reinterpret_cast<char*>(parts[input]),
                     reinterpret_cast<const char*>(apart[input]), size, sizeof(Value));
        apart[input] += 2 * size;
      };
      auto* const end = to + (count - count % kLanes);
      while (to != end) {
        auto* stop = end;
        if (rows.apart != 0) {
          stop = end - to > kPart ? to + kPart : end;
          (bring(I, stop - to), ...);
        } else if (prefetch_distance != 0) {
          (prefetch_vectors<kLanes>(from[I]), ...);
          prefetch_vectors_for_writing<kLanes>(to);
          stop = end - to > kPrefetchedVectors * kLanes ? to + kPrefetchedVectors * kLanes : end;
        }
        TSC_UNROLL(2)
        for (; to != stop; to += kLanes) {
          store(Op::apply(load(from[I])..., p), to);
          ((from[I] += step[I]), ...);
        }
      }
      if (count % kLanes != 0) {
        if (rows.apart != 0) (bring(I, count % kLanes), ...);
        store_first(Op::apply(load_first(from[I], count % kLanes)..., p), to, count % kLanes);
      }
      if (--left == 0) return;
      row[0] += rows.stride[0];
      ((row[I + 1] += rows.stride[I + 1]), ...);
    }
  }

  // Less than a vector's worth.
  template <class T, size_t... I>
  static TSC_INLINE void run_few(char* const* data, int64_t count, const void* parameters,
                                 std::index_sequence<I...>) {
    using Value = Stored<T>;
    const ParameterValues<typename Layout<T>::Vector, Op::kParameters> p(
        static_cast<const typename Layout<T>::Parameter*>(parameters));
    store_first(Op::apply(load_first(reinterpret_cast<const Value*>(data[I + 1]), count)..., p),
                reinterpret_cast<Stored<Result>*>(data[0]), count);
  }

  template <size_t... I>
  static TSC_INLINE void run_numbers(char* const* data, int64_t count, const void* parameters,
                                     std::index_sequence<I...>) {
    using T = std::tuple_element_t<sizeof...(Inputs) - 1, std::tuple<Inputs...>>;
    const ParameterValues<T, Op::kParameters> p(static_cast<const T*>(parameters));
    Result* const to = reinterpret_cast<Result*>(data[0]);
    const std::tuple<const Inputs*...> from{reinterpret_cast<const Inputs*>(data[I + 1])...};
    TSC_INDEPENDENT
    for (int64_t i = 0; i < count; i++) {
      to[i] = static_cast<Result>(Op::apply(std::get<I>(from)[i]..., p));
    }
  }

  static void run(char* const* data, int64_t count, const void* parameters, const TileRows* rows) {
    constexpr auto kIndices = std::index_sequence_for<Inputs...>();
    if constexpr ((is_vector<Inputs> && ...)) {
      using T = std::tuple_element_t<0, std::tuple<Inputs...>>;
      if (count >= decltype(lanes_of(T()))::kLanes || rows != nullptr) {
        run_rows<T>(data, count, parameters, rows != nullptr ? *rows : kOneRow, kIndices);
      } else if (count > 0) {
        run_few<T>(data, count, parameters, kIndices);
      }
    } else if (rows == nullptr) {
      run_numbers(data, count, parameters, kIndices);
    } else {
      run_each_row<Result, Inputs...>(
          data, count, *rows,
          [parameters](char* const* row, int64_t size) { run(row, size, parameters, nullptr); },
          kIndices);
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
// Of which complex64 only is computed in vectors.
using FloatComplexes = Types<As<ScalarType::ComplexFloat, Packed<float>>,
                             As<ScalarType::ComplexDouble, Complex<double>>>;
// For formulas so short that conversions of whole tiles would take longer.
using ReducedFloats =
    Types<As<ScalarType::Half, Reduced<Half>>, As<ScalarType::BFloat16, Reduced<BFloat16>>>;
using Bool = Types<As<ScalarType::Bool, bool>>;
// A bool as its byte: GCC vectorises no loop that negates bools.
using BoolBytes = Types<As<ScalarType::Bool, uint8_t>>;
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

// How a formula of each shape (UfuncShape) is run.
template <class Op, class T>
using Unary = Tile<Op, T, T>;
template <class Op, class T>
using UnaryTest = Tile<Op, bool, T>;
template <class Op, class T>
using UnaryReal = Tile<Op, typename RealOf<T>::type, T>;
template <class Op, class T>
using Binary = Tile<Op, T, T, T>;
template <class Op, class T>
using BinaryTest = Tile<Op, bool, T, T>;
template <class Op, class T>
using Ternary = Tile<Op, T, T, T, T>;
template <class Op, class T>
using Where = Tile<Op, T, bool, T, T>;

// struct NAME_formula with the formula EXPRESSION of a, b, c (as many as there are) and p.
#define TSC_UNARY_FORMULA(name, parameters, expression)              \
  struct name##_formula {                                            \
    static constexpr int kParameters = parameters;                   \
    template <class T, class P>                                      \
    static TSC_INLINE auto apply(T a, [[maybe_unused]] const P& p) { \
      return expression;                                             \
    }                                                                \
  };
#define TSC_BINARY_FORMULA(name, parameters, expression)                  \
  struct name##_formula {                                                 \
    static constexpr int kParameters = parameters;                        \
    template <class T, class P>                                           \
    static TSC_INLINE auto apply(T a, T b, [[maybe_unused]] const P& p) { \
      return expression;                                                  \
    }                                                                     \
  };
#define TSC_TERNARY_FORMULA(name, parameters, expression)                      \
  struct name##_formula {                                                      \
    static constexpr int kParameters = parameters;                             \
    template <class C, class T, class P>                                       \
    static TSC_INLINE auto apply(C a, T b, T c, [[maybe_unused]] const P& p) { \
      return expression;                                                       \
    }                                                                          \
  };
// Without parameters: their place is taken by what reports divisors of zero.
#define TSC_DIVISION_FORMULA(name, parameters, expression) \
  struct name##_formula {                                  \
    static constexpr int kParameters = parameters;         \
    template <class T>                                     \
    static TSC_INLINE auto apply(T a, T b) {               \
      return expression;                                   \
    }                                                      \
    template <class T, class P>                            \
    static TSC_INLINE auto apply(T a, T b, const P&) {     \
      return expression;                                   \
    }                                                      \
  };

// By shape: the macro for the formula, and the template that runs it.
#define TSC_FORMULA_unary TSC_UNARY_FORMULA
#define TSC_FORMULA_unary_test TSC_UNARY_FORMULA
#define TSC_FORMULA_unary_real TSC_UNARY_FORMULA
#define TSC_FORMULA_binary TSC_BINARY_FORMULA
#define TSC_FORMULA_binary_test TSC_BINARY_FORMULA
#define TSC_FORMULA_ternary TSC_TERNARY_FORMULA
#define TSC_FORMULA_where TSC_TERNARY_FORMULA
#define TSC_FORMULA_division TSC_DIVISION_FORMULA
#define TSC_SHAPE_unary Unary
#define TSC_SHAPE_unary_test UnaryTest
#define TSC_SHAPE_unary_real UnaryReal
#define TSC_SHAPE_binary Binary
#define TSC_SHAPE_binary_test BinaryTest
#define TSC_SHAPE_ternary Ternary
#define TSC_SHAPE_where Where
#define TSC_SHAPE_division Division

#define TSC_DEFINE_FORMULA(name, shape, parameters, expression, ...) \
  TSC_FORMULA_##shape(name, parameters, expression)
#define TSC_DEFINE_FORMULA_TILE(name, shape, parameters, expression, ...)             \
  TileFunction name##_tile(ScalarType compute) {                                      \
    return Find<TSC_SHAPE_##shape, name##_formula, Join<__VA_ARGS__>>::find(compute); \
  }

// The kernels of a family's list, which ops/cpu/ufunc.h declares.
#define TSC_DEFINE_FORMULAS(list) \
  namespace {                     \
  list(TSC_DEFINE_FORMULA)        \
  }                               \
  list(TSC_DEFINE_FORMULA_TILE)

}  // namespace tsc::cpu::TSC_ISA
