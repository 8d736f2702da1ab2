// An elementwise kernel. Before this stand kOperands, the results first; Compute, the type that the
// formula computes in; Common, the one that the operands are promoted to, and Rounded, what that makes of
// a result; kNumbers, how many numbers the formula has; kBlock; and for each case
//   kIsContiguous  operands are one run each; otherwise Place finds an element
//   kIsCast        the operands' dtypes are arguments; otherwise they are types of the source
//   kWidth         elements that a thread has: loaded and stored at once where they are contiguous
//   kScalars       a bit for each operand that is an argument, and not in memory

// The element behind the dtype's number, as Common.
template <class To>
TSC_FN To load_any(const char* at, int dtype) {
  switch (dtype) {
    case 0: return convert<To>(*reinterpret_cast<const uint8_t*>(at));
    case 1: return convert<To>(*reinterpret_cast<const int8_t*>(at));
    case 2: return convert<To>(*reinterpret_cast<const int16_t*>(at));
    case 3: return convert<To>(*reinterpret_cast<const int32_t*>(at));
    case 4: return convert<To>(*reinterpret_cast<const int64_t*>(at));
    case 5: return convert<To>(*reinterpret_cast<const half*>(at));
    case 6: return convert<To>(*reinterpret_cast<const float*>(at));
    case 7: return convert<To>(*reinterpret_cast<const double*>(at));
    case 9: return convert<To>(*reinterpret_cast<const complex64*>(at));
    case 10: return convert<To>(*reinterpret_cast<const complex128*>(at));
    case 11: return convert<To>(*reinterpret_cast<const bool*>(at));
    default: return convert<To>(*reinterpret_cast<const bfloat16*>(at));
  }
}
template <class From>
TSC_FN void store_any(char* at, int dtype, From value) {
  switch (dtype) {
    case 0: *reinterpret_cast<uint8_t*>(at) = convert<uint8_t>(value); break;
    case 1: *reinterpret_cast<int8_t*>(at) = convert<int8_t>(value); break;
    case 2: *reinterpret_cast<int16_t*>(at) = convert<int16_t>(value); break;
    case 3: *reinterpret_cast<int32_t*>(at) = convert<int32_t>(value); break;
    case 4: *reinterpret_cast<int64_t*>(at) = convert<int64_t>(value); break;
    case 5: *reinterpret_cast<half*>(at) = convert<half>(value); break;
    case 6: *reinterpret_cast<float*>(at) = convert<float>(value); break;
    case 7: *reinterpret_cast<double*>(at) = convert<double>(value); break;
    case 9: *reinterpret_cast<complex64*>(at) = convert<complex64>(value); break;
    case 10: *reinterpret_cast<complex128*>(at) = convert<complex128>(value); break;
    case 11: *reinterpret_cast<bool*>(at) = convert<bool>(value); break;
    default: *reinterpret_cast<bfloat16*>(at) = convert<bfloat16>(value); break;
  }
}

struct Arguments {
  char* data[kOperands];
  uint32_t count;
  int dtype[kOperands];
  uint32_t size[kOperands];  // bytes of an element
  __align__(16) char numbers[kNumbers * sizeof(Compute)];
  __align__(16) char scalars[kOperands][16];
  Divider sizes[kDims];
  uint32_t strides[kDims][kOperands];  // bytes; negative ones wrap, as the sums of them do
};

// The offsets of element `i`, in bytes.
struct Place {
  uint32_t offset[kOperands];

  TSC_FN Place(const Arguments& arguments, uint32_t i) {
    if constexpr (kIsContiguous) {
#pragma unroll
      for (int k = 0; k < kOperands; k++) offset[k] = i * arguments.size[k];
    } else {
#pragma unroll
      for (int k = 0; k < kOperands; k++) offset[k] = 0;
#pragma unroll
      for (int dim = 0; dim < kDims; dim++) {
        const uint32_t rest = arguments.sizes[dim].quotient(i);
        const uint32_t at = i - rest * arguments.sizes[dim].divisor;
        i = rest;
#pragma unroll
        for (int k = 0; k < kOperands; k++) offset[k] += at * arguments.strides[dim][k];
      }
    }
  }
};

// Operand k as the formula takes it: rounded to the common type first, as an explicit conversion would.
template <int k, class Stored, class In>
TSC_FN In load(const Arguments& arguments, const Place& place) {
  if constexpr ((kScalars >> k & 1) != 0) {
    return *reinterpret_cast<const In*>(arguments.scalars[k]);
  } else {
    const char* const at = arguments.data[k] + static_cast<int32_t>(place.offset[k]);
    if constexpr (kIsCast) {
      if constexpr (is_same<In, bool> && !is_same<Compute, bool>) {
        return load_any<bool>(at, arguments.dtype[k]);
      } else {
        return convert<In>(load_any<Common>(at, arguments.dtype[k]));
      }
    } else {
      return convert<In>(*reinterpret_cast<const Stored*>(at));
    }
  }
}
// Result k, rounded to what the common type's result would be, and then to the output's.
template <int k, class Stored, class Result>
TSC_FN void store(const Arguments& arguments, const Place& place, Result value) {
  char* const at = arguments.data[k] + static_cast<int32_t>(place.offset[k]);
  if constexpr (kIsCast) {
    store_any(at, arguments.dtype[k], convert<Rounded>(value));
  } else {
    *reinterpret_cast<Stored*>(at) = convert<Stored>(convert<Rounded>(value));
  }
}
