// Random numbers by Philox 4x32-10 (J. K. Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011),
// in the order in which cuRAND and PyTorch draw them: thread i has the subsequence i, a draw gives four
// words, and element j of a draw lies j grids behind the first. Before this stand Stored, the elements'
// type; T, the one to compute in; kDraw; kWords, the words of a number (1 or 2); kBlock.

enum Draw : int { kUniform, kNormal, kIntegers, kBernoulli, kExponential, kCauchy, kLogNormal, kGeometric };

struct Arguments {
  Stored* out;
  int64_t count;
  uint64_t seed;
  uint64_t offset;  // draws before this launch, each of four words
  double a;
  double b;
  uint64_t range;  // of integers; 0: all 64 bits
  int64_t base;
};

struct Words {
  uint32_t word[4];
};

TSC_FN Words draw(uint64_t seed, uint64_t counter, uint64_t subsequence) {
  uint32_t c[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                   static_cast<uint32_t>(subsequence), static_cast<uint32_t>(subsequence >> 32)};
  uint32_t key0 = static_cast<uint32_t>(seed);
  uint32_t key1 = static_cast<uint32_t>(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; round++) {
    const uint32_t high0 = __umulhi(0xD2511F53u, c[0]);
    const uint32_t low0 = 0xD2511F53u * c[0];
    const uint32_t high1 = __umulhi(0xCD9E8D57u, c[2]);
    const uint32_t low1 = 0xCD9E8D57u * c[2];
    c[0] = high1 ^ c[1] ^ key0;
    c[1] = low1;
    c[2] = high0 ^ c[3] ^ key1;
    c[3] = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c[0], c[1], c[2], c[3]}};
}

// In (0, 1].
TSC_FN float uniform_of(const Words& words, int j, float) {
  constexpr float kInverse = 2.3283064e-10f;
  return ::fmaf(static_cast<float>(words.word[j]), kInverse, kInverse / 2.0f);
}
TSC_FN double uniform_of(const Words& words, int j, double) {
  constexpr double kInverse = 1.1102230246251565e-16;
  const uint64_t bits = static_cast<uint64_t>(words.word[2 * j]) ^ static_cast<uint64_t>(words.word[2 * j + 1])
                                                                       << (53 - 32);
  return ::fma(static_cast<double>(bits), kInverse, kInverse / 2.0);
}

// G. E. P. Box and M. E. Muller, A note on the generation of random normal deviates, 1958: a pair of uniform
// numbers makes a pair of normal ones.
TSC_FN float normal_of(const Words& words, int j, float) {
  constexpr float kInverse = 2.3283064e-10f;
  constexpr float kInverseTurns = 2.3283064e-10f * 6.2831855f;
  const float u = ::fmaf(static_cast<float>(words.word[j & ~1]), kInverse, kInverse / 2.0f);
  const float v = ::fmaf(static_cast<float>(words.word[j | 1]), kInverseTurns, kInverseTurns / 2.0f);
  const float size = ::sqrt(-2.0f * ::log(u));
  return size * ((j & 1) == 0 ? ::sin(v) : ::cos(v));
}
TSC_FN double normal_of(const Words& words, int j, double) {
  const double u = uniform_of(words, 0, 0.0);
  const double v = uniform_of(words, 1, 0.0) * 2.0 * 3.1415926535897932;
  const double size = ::sqrt(-2.0 * ::log(u));
  return size * (j == 0 ? ::sin(v) : ::cos(v));
}

TSC_FN Stored number(const Arguments& arguments, const Words& words, int j) {
  if constexpr (kDraw == kIntegers) {
    uint64_t bits = words.word[j];
    if constexpr (kWords == 2) {
      bits = static_cast<uint64_t>(words.word[2 * j]) << 32 | words.word[2 * j + 1];
    }
    if (arguments.range != 0) bits %= arguments.range;
    return convert<Stored>(static_cast<int64_t>(bits + static_cast<uint64_t>(arguments.base)));
  } else {
    const T a = T(arguments.a);
    const T b = T(arguments.b);
    if constexpr (kDraw == kNormal || kDraw == kLogNormal) {
      const T value = normal_of(words, j, T()) * b + a;
      return convert<Stored>(kDraw == kNormal ? value : ::exp(value));
    }
    const T u = uniform_of(words, j, T());
    if constexpr (kDraw == kUniform) {
      // 1 becomes 0, so that the range is half-open at its end.
      const Stored value = convert<Stored>((u == T(1) ? T(0) : u) * (b - a) + a);
      return convert<T>(value) == b ? convert<Stored>(a) : value;
    } else if constexpr (kDraw == kBernoulli) {
      return convert<Stored>(T(u < a ? 1 : 0));
    } else if constexpr (kDraw == kExponential) {
      const T least = sizeof(T) == 4 ? T(5.9604645e-08) : T(1.1102230246251565e-16);
      const T logarithm = u >= T(1) - least ? -least : ::log(u);
      return convert<Stored>(T(-1) / a * logarithm);
    } else if constexpr (kDraw == kCauchy) {
      return convert<Stored>(a + b * ::tan(T(3.14159265358979323846) * (u - T(0.5))));
    } else {
      return convert<Stored>(::ceil(::log(u) / ::log(T(1) - a)));
    }
  }
}

extern "C" __global__ void __launch_bounds__(kBlock) random_kernel(Arguments arguments) {
  constexpr int kNumbers = 4 / kWords;  // of a draw
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const int64_t grid = static_cast<int64_t>(gridDim.x) * kBlock;
  uint64_t counter = arguments.offset;
  for (int64_t first = thread; first < arguments.count; first += grid * kNumbers) {
    const Words words = draw(arguments.seed, counter++, static_cast<uint64_t>(thread));
#pragma unroll
    for (int j = 0; j < kNumbers; j++) {
      const int64_t i = first + j * grid;
      if (i < arguments.count) arguments.out[i] = number(arguments, words, j);
    }
  }
}
