"""Writes cases.inc: how tensors are filled with random numbers, and what PyTorch filled them with.

    python record.py          # needs PyTorch; rewrites cases.inc beside this file

The random_kernels test of tests/ops reads the cases, one a line:

    KIND DTYPE SEED, the sizes, the strides, OFFSET, the numbers that KIND takes, a hash of the
    filled memory, the next word that the generator draws, the first, second and last element

with each list led by its length. The hash is 0 where the numbers go through the C library's log,
sin and the like, whose last bit is not the same everywhere.
"""

import ctypes
import pathlib

import torch

DTYPES = {
    torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int",
    torch.int64: "Long", torch.float16: "Half", torch.float32: "Float", torch.float64: "Double",
    torch.bool: "Bool", torch.bfloat16: "BFloat16",
}
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
SIZES = (1, 15, 16, 17, 100, 1000, 100000)
SEEDS = (0, 42, 2**40 + 7)
cases = []


def memory(tensor):
    storage = tensor.untyped_storage()
    return bytes((ctypes.c_char * storage.nbytes()).from_address(storage.data_ptr()))


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return value


def layouts(size):
    """Shapes and strides that cover `size` elements, the first of them contiguous."""
    yield (size,), (1,), 0
    if size in (17, 1000):
        yield (size,), (2,), 1
    if size == 100:
        yield (20, 5), (5, 1), 0
        yield (20, 5), (1, 20), 0
        yield (5, 20), (40, 2), 0
        yield (2, 5, 10), (5, 1, 10), 0


def case(kind, dtype, seed, layout, fill, numbers=(), exact=True):
    shape, stride, offset = layout
    extent = 1 + offset + sum((n - 1) * s for n, s in zip(shape, stride))
    storage = torch.zeros(extent, dtype=dtype)
    tensor = storage.as_strided(shape, stride, offset)
    generator = torch.Generator().manual_seed(seed)
    fill(tensor, generator)
    next_word = torch.empty(1, dtype=torch.int64).random_(0, 2**28 - 1, generator=generator).item()
    elements = [storage[i].item() for i in sorted({0, min(1, extent - 1), extent - 1})]
    counted = lambda values: " ".join(map(str, (len(values), *values)))
    cases.append(" ".join(map(str, (
        kind, DTYPES[dtype], seed, counted(shape), counted(stride), offset,
        counted(list(map(float, numbers))), fnv1a(memory(storage)) if exact else 0, next_word,
        counted(list(map(float, elements)))))) + "\n")


def every(kind, dtypes, fill, numbers=(), exact=lambda dtype, size, contiguous: True, sizes=SIZES,
          seeds=SEEDS[:1]):
    for seed in seeds:
        for dtype in dtypes:
            for size in sizes:
                for i, layout in enumerate(layouts(size)):
                    contiguous = i == 0 or layout[1] == (5, 1)
                    case(kind, dtype, seed, layout, fill, numbers, exact(dtype, size, contiguous))


def normal_is_exact(dtype, size, contiguous):
    return dtype is not torch.float64 and size >= 16 and contiguous


every("Uniform", FLOATS, lambda t, g: t.uniform_(generator=g), (0, 1))
every("Uniform", FLOATS, lambda t, g: t.uniform_(-3.3, 5.7, generator=g), (-3.3, 5.7),
      sizes=(17, 100), seeds=SEEDS)
every("Uniform", FLOATS, lambda t, g: t.uniform_(0.1, 0.7, generator=g), (0.1, 0.7), sizes=(1000,))
every("Normal", FLOATS, lambda t, g: t.normal_(generator=g), (0, 1), normal_is_exact)
every("Normal", FLOATS, lambda t, g: t.normal_(1.5, 0.3, generator=g), (1.5, 0.3), normal_is_exact,
      sizes=(15, 17, 100), seeds=SEEDS)
every("Integers", DTYPES, lambda t, g: t.random_(0, 2, generator=g), (0, 2), sizes=(17, 100))
every("Integers", FLOATS[:2] + (torch.int64, torch.int32),
      lambda t, g: t.random_(-1000, 9000, generator=g), (-1000, 9000), sizes=(1000,), seeds=SEEDS)
for high in (2**28 - 1, 2**28, 2**30):
    every("Integers", (torch.int64, torch.int32, torch.float64),
          lambda t, g, high=high: t.random_(0, high, generator=g), (0, high), sizes=(17,))
every("NaturalRange", DTYPES, lambda t, g: t.random_(generator=g), sizes=(17, 100))
every("AllBits", (torch.int64, torch.float32, torch.float64, torch.bfloat16),
      lambda t, g: t.random_(-(2**63), None, generator=g), sizes=(17,))
every("Bernoulli", DTYPES, lambda t, g: t.bernoulli_(0.3, generator=g), (0.3,), sizes=(17, 100))
every("Bernoulli", FLOATS[:1], lambda t, g: t.bernoulli_(0.5, generator=g), (0.5,), seeds=SEEDS)
every("Exponential", FLOATS, lambda t, g: t.exponential_(2.5, generator=g), (2.5,),
      lambda *_: False, sizes=(15, 17, 100))
every("Cauchy", FLOATS, lambda t, g: t.cauchy_(2, 0.3, generator=g), (2, 0.3),
      lambda *_: False, sizes=(17,))
every("LogNormal", FLOATS, lambda t, g: t.log_normal_(0.5, 0.25, generator=g), (0.5, 0.25),
      lambda *_: False, sizes=(17,))
every("Geometric", (torch.float32, torch.int64, torch.uint8),
      lambda t, g: t.geometric_(0.3, generator=g), (0.3,), sizes=(17, 100))
for dtype in (torch.int64, torch.int32, torch.uint8, torch.float32, torch.bfloat16):
    for size in (1, 2, 10, 100) + ((1000, 100000) if dtype is torch.int64 else ()):
        for seed in SEEDS:
            case("Permutation", dtype, seed, ((size,), (1,), 0),
                 lambda t, g: torch.randperm(len(t), generator=g, dtype=t.dtype, out=t))
path = pathlib.Path(__file__).with_name("cases.inc")
path.write_text(f"// Recorded by record.py from PyTorch {torch.__version__.split('+')[0]}.\n"
                + 'R"(' + "".join(cases) + ')"\n')
print(f"{len(cases)} cases")
