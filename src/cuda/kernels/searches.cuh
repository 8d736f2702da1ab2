// Searches in lines in order. Integers: the length of a line; the step from one line to the next, 0 where there is
// one line; how many values each line serves; whether a value stands behind those that equal it.

// How many elements of the line come before the value, by halves: where there is NaN, which elements are looked at
// decides.
TSC_FN void search_sorted(const Arguments& arguments, Index i) {
  const Index per_line = whole(arguments, 2);
  const bool right = arguments.integer[3] != 0;
  const T0* const line = memory<T0>(arguments, 0) + i / per_line * whole(arguments, 1);
  const Real value = convert<Real>(memory<T1>(arguments, 1)[i]);
  Index begin = 0;
  Index end = whole(arguments, 0);
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    const Real element = convert<Real>(line[middle]);
    const bool is_before = right ? !(element > value) : !(element >= value);
    begin = is_before ? middle + 1 : begin;
    end = is_before ? end : middle;
  }
  memory<T2>(arguments, 2)[i] = static_cast<T2>(begin);
}
