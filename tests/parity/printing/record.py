"""Writes cases.inc: tensors as raw memory, and what PyTorch prints for them.

    python record.py          # needs PyTorch; rewrites cases.inc beside this file

The tensor_format test of tests/core reads the cases. The memory of a case is either given byte by
byte or is a ramp (start + i * step), so that large tensors stay one line.
"""

import pathlib

import torch

DTYPES = {
    torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int",
    torch.int64: "Long", torch.float16: "Half", torch.float32: "Float", torch.float64: "Double",
    torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble", torch.bool: "Bool",
    torch.bfloat16: "BFloat16",
}
NAN, INF = float("nan"), float("inf")
DEFAULTS = dict(precision=4, threshold=1000, edgeitems=3, linewidth=80, sci_mode=None)
cases = []


def emit(tensor, data, options, suffix, default_dtype):
    torch.set_printoptions(**{**DEFAULTS, **options})
    torch.set_default_dtype(default_dtype)
    shown = tensor
    if suffix == "requires_grad":
        shown = tensor.detach().requires_grad_()
    elif suffix == "AddBackward0":
        shown = tensor.detach().requires_grad_() + 0
        assert shown.dtype == tensor.dtype
    expected = repr(shown)
    torch.set_default_dtype(torch.float32)
    numbers = lambda values: "{" + ", ".join(str(v) for v in values) + "}"
    set_options = "".join(
        f"o.{name} = {'INFINITY' if value == INF else str(value).lower()};"
        for name, value in options.items())
    cases.append(
        f"{{ScalarType::{DTYPES[tensor.dtype]}, {numbers(tensor.shape)}, {numbers(tensor.stride())},"
        f' {tensor.storage_offset()}, "{data}", "{tensor.device.type}",\n'
        f' []([[maybe_unused]] PrintOptions& o) {{{set_options}}}, "{suffix}",'
        f' ScalarType::{DTYPES[default_dtype]},\n R"({expected})"}},\n')


def case(tensor, suffix="", default_dtype=torch.float32, **options):
    storage = tensor.untyped_storage()
    data = "" if tensor.is_meta else bytes(storage.tolist()).hex()
    emit(tensor, data, options, suffix, default_dtype)


def ramp(dtype, shape, start, step, view=lambda t: t, **options):
    count = torch.Size(shape).numel()
    values = torch.arange(count, dtype=torch.float64) * step + start
    emit(view(values.to(dtype).reshape(shape)), f"ramp {count} {start} {step}", options, "",
         torch.float32)


def values_of_each_kind():
    tensor = torch.tensor
    for values in ([1.0, 2.0, 3.0], [0.5, -1.25, 100.0], [1.0, NAN, INF, -INF], [NAN], [INF, 0.5],
                   [0.0], [-0.0, 0.0], [1e-5, 1.0], [1e5, 1.0], [1e8, 1.0], [1.1e8, 2.2e8], [1e-4],
                   [0.99e-4], [1000.5, 1.0], [1001.0, 1.0], [1e300, -1e-300], [123456.789],
                   [0.1, 0.22, 0.333], [5e-324], [1e10, 1e20], [1e8 + 8, 3.0], [-1e-7, NAN, 1e7]):
        case(tensor(values))
        case(tensor(values, dtype=torch.float64))
    for dtype in (torch.float16, torch.bfloat16):
        for values in ([1.0, 2.0], [0.1, -3.3, 65000.0], [NAN, INF, 0.3], [6e-8], [1e-3, 2.5]):
            case(tensor(values, dtype=dtype))
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        case(tensor([1, 20, 100], dtype=dtype))
        case(tensor([[0, 7], [100, 3]], dtype=dtype))
    case(tensor([-(2**63), 2**63 - 1, 0]))
    case(tensor([True, False]))
    case(tensor([[True], [True]]))
    for dtype in (torch.complex64, torch.complex128):
        for values in ([1 + 2j, -3 - 4j], [0.5 + 1e-6j], [complex(NAN, INF), complex(0, -INF)],
                       [complex(1, -0.0), complex(-0.0, 3)], [1e10 + 1j, 1 - 2.5j], [0j]):
            case(tensor(values, dtype=dtype))
        case(tensor([[1 + 1j, 22.5 - 3j], [0j, -1e-3j]], dtype=dtype))
        case(tensor(1.5 - 2j, dtype=dtype))
    for value in (3, 2.5, 1e-10, 123456789.0, NAN, -INF, True, 7.0):
        case(tensor(value))


def shapes():
    for shape in ((0,), (0, 3), (2, 0, 4), (0, 0)):
        case(torch.empty(shape))
        case(torch.empty(shape, dtype=torch.int64))
        case(torch.empty(shape, dtype=torch.complex64), suffix="requires_grad")
    for shape in ((), (3,), (2, 3), (0,)):
        case(torch.empty(shape, device="meta"))
        case(torch.empty(shape, device="meta", dtype=torch.int64))
        case(torch.empty(shape, device="meta", dtype=torch.float64), suffix="requires_grad")
    for shape in ((1,), (12,), (3, 4), (2, 3, 4), (2, 1, 2, 3), (2, 2, 2, 2, 2), (40,), (3, 25)):
        ramp(torch.float32, shape, -1.5, 0.25)
        ramp(torch.int64, shape, -3, 7)
    case(torch.arange(12.0).reshape(3, 4).t())
    case(torch.arange(24).reshape(2, 3, 4)[:, 1:, ::2])
    case(torch.tensor([1.5]).expand(2, 3))
    case(torch.tensor([[1 + 2j, 3 - 4j]]).t())
    # 1,000 elements are shown, 1,001 are summarised.
    ramp(torch.int64, (1000,), 0, 1)
    ramp(torch.int64, (1001,), 0, 1)
    ramp(torch.float32, (1001,), 0, 0.5)
    ramp(torch.float32, (40, 40), 0, 1)
    ramp(torch.float32, (7, 200), 0, 1)
    ramp(torch.float32, (6, 200), 0, 0.125)
    ramp(torch.float64, (11, 11, 11), -600, 1)
    ramp(torch.bool, (1100,), 0, 1)
    ramp(torch.complex64, (1100,), 0, 0.5)
    ramp(torch.bfloat16, (40, 40), 0, 1)
    ramp(torch.int32, (2, 3, 200), 0, 1, view=lambda t: t.transpose(0, 2))
    ramp(torch.float32, (2000,), 0, 1, view=lambda t: t[5::2])


def suffixes():
    tensor = torch.tensor
    case(tensor([1.0, 2.0]), suffix="requires_grad")
    case(tensor([1.0, 2.0]), suffix="AddBackward0")
    case(tensor(2.5), suffix="AddBackward0")
    case(tensor([[1.0], [2.5]], dtype=torch.float64), suffix="AddBackward0")
    case(tensor([1 + 2j]), suffix="requires_grad")
    # Where the line is full, the suffix begins a new one.
    for count in (7, 8, 9, 10):
        case(torch.arange(count) * 0.125, suffix="AddBackward0")
        case(torch.arange(count, dtype=torch.float64) * 0.125, suffix="requires_grad")
        case(torch.arange(count, dtype=torch.float16) * 0.125, suffix="requires_grad", linewidth=64)
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128, torch.int64):
        case(tensor([1, 2], dtype=dtype), default_dtype=torch.float64)
        case(torch.empty(0, dtype=dtype), default_dtype=torch.float64)


def options():
    values = torch.tensor([[0.123456789, 1234.5], [-7.0, 0.00012]])
    for precision in (0, 1, 2, 8, 12):
        case(values, precision=precision)
        case(values[:1, :1], precision=precision, sci_mode=True)
    case(values, sci_mode=True)
    case(values, sci_mode=False)
    case(torch.tensor([1.0, 2.0, NAN]), sci_mode=True)
    case(torch.tensor([0.0, NAN]), sci_mode=True)
    case(torch.tensor([1e10 + 1j]), sci_mode=False)
    for linewidth in (1, 20, 60, 200):
        ramp(torch.float32, (3, 30), 0, 0.5, linewidth=linewidth)
    for edgeitems in (0, 1, 2, 5):
        ramp(torch.int64, (30,), 0, 1, threshold=10, edgeitems=edgeitems)
        ramp(torch.float32, (12, 12), 0, 0.5, threshold=10, edgeitems=edgeitems)
    ramp(torch.int64, (10,), 0, 1, threshold=5)
    ramp(torch.int64, (1200,), 0, 1, threshold=INF)
    case(torch.tensor([1.0]), edgeitems=0)
    # The profiles, as the options that they stand for.
    ramp(torch.float32, (2000,), 0, 0.3, precision=2, edgeitems=2)


values_of_each_kind()
shapes()
suffixes()
options()
path = pathlib.Path(__file__).with_name("cases.inc")
path.write_text(f"// Recorded by record.py from PyTorch {torch.__version__.split('+')[0]}.\n"
                + "".join(cases))
print(f"{len(cases)} cases")
