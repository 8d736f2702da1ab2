// What stands before the functions of an element's number: losses.cuh, pools.cuh and their like. Before this
// stand T0 to T7, the types of the memory, char where there is none; Real, the type to compute in; Index,
// a signed type that counts all elements.

struct Arguments {
  char* data[8];
  int64_t count;
  int64_t integer[32];
  double number[8];
  int64_t* error;  // {1, index, dimension, size} of an index that is out of range
};
// Whether an index is; reported when the host next waits for the device.
TSC_FN bool is_out_of_range(const Arguments& arguments, int64_t index, int64_t dim, int64_t size) {
  if (index >= 0 && index < size) return false;
  arguments.error[1] = index;
  arguments.error[2] = dim;
  arguments.error[3] = size;
  arguments.error[0] = 1;
  return true;
}

// Memory k, null where there is none.
template <class T>
TSC_FN T* memory(const Arguments& arguments, int k) {
  return reinterpret_cast<T*>(arguments.data[k]);
}
TSC_FN Index whole(const Arguments& arguments, int k) { return static_cast<Index>(arguments.integer[k]); }

template <class T>
TSC_FN T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
TSC_FN T most(T a, T b) {
  return a < b ? b : a;
}
// Of float and double; functions for other types stand in the same text, but are not called.
template <class T>
TSC_FN void add_at(T* at, T value) {
  if constexpr (is_same<T, float> || is_same<T, double>) atomicAdd(at, value);
}
TSC_FN Index quotient_up(Index a, Index b) { return (a + b - 1) / b; }
