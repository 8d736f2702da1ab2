#!/usr/bin/env python3
"""Writes the scripts of generated/, one for each operator, and records what PyTorch prints for them.

    python3 record.py          # needs PyTorch; the scripts and answers are committed, so that testing does not

A script tries its calls for every dtype and layout, and prints the result or the error. Numbers print as tensors do, with
four decimals, so that a formula's last bit does not matter.
"""

import contextlib
import io
import pathlib
import warnings

import cases

FOLDER = pathlib.Path(__file__).parent / "generated"

HEAD = """\
# {name}: the calls and dtypes of cases.py; record.py wrote this and recorded PyTorch's answers.
import math

import torch
import torch.nn.functional as F


def show(label, call):
    try:
        result = call()
    except Exception as error:
        print(label + ":", type(error).__name__ + ":", str(error).split("\\n")[0])
    else:
        print(label + ":", result)


"""

INPUTS = """\
def inputs(dtype):
    x = torch.tensor([[-2.5, -1.0, 0.0], [0.5, 1.0, 3.0]])
    if dtype.is_complex:
        x = torch.complex(x, x.flip(0) / 2)
    if dtype == torch.uint8:
        x = x.abs()
    return x.to(dtype)


def numbers(dtype, *shape, first=0):
    count = math.prod(shape)
    n = (torch.arange(first, first + count) * 37 + 11) % 101 - 50
    if dtype == torch.bool:
        x = n % 3 == 0
    elif not dtype.is_floating_point and not dtype.is_complex:
        x = n.abs() // 4 if dtype == torch.uint8 else n // 4
    else:
        x = n / 8 + 0.0625
        if dtype.is_complex:
            x = torch.complex(x, x.flip(0))
    return x.to(dtype).view(shape)


"""

# Each layout has numbers of its own, which differ by position; what lies between its elements in memory are others. A row is
# longer than a vector of any dtype but the smallest, and ends within one.
LAYOUTS = """\
def layouts(dtype):
    return [
        ("long", numbers(dtype, 2, 67)),
        ("strided", numbers(dtype, 2, 70, first=3)[:, ::2]),
        ("transposed", numbers(dtype, 35, 2, first=20).t()),
        ("cut out", numbers(dtype, 4, 40, first=9)[1:3, 3:38]),
        ("expanded", numbers(dtype, 2, 1, first=31).expand(2, 19)),
        ("permuted", numbers(dtype, 3, 5, 4, first=57).permute(2, 0, 1)),
    ]


"""

# Second operands that may divide, and be exponents.
POSITIVE = """\
def positive(dtype, *shape):
    x = numbers(dtype, *shape, first=44)
    if dtype == torch.bool:
        return x
    return x.abs() % 7 + 1 if not dtype.is_complex else x + 4


"""

# The same for expressions that take 2 x 3.
SMALL_LAYOUTS = """\
def layouts(dtype):
    return [
        ("plain", inputs(dtype)),
        ("strided", numbers(dtype, 2, 6, first=3)[:, ::2]),
        ("transposed", numbers(dtype, 3, 2, first=20).t()),
        ("cut out", numbers(dtype, 4, 5, first=9)[1:3, 1:4]),
    ]


"""

OPERANDS = """\
b = torch.tensor([[True, False, True], [False, False, True]])
i = torch.tensor([2, 0, 1])
k = torch.tensor([[0, 1, 1], [1, 0, 0]])


def put(target, where, value):
    target = target.clone()
    target[where] = value
    return target


"""


MATRICES = """\
def matrix(dtype):
    a = torch.tensor([[2.0, -1.0, 0.5], [1.0, 3.0, -2.0], [0.25, 1.5, 4.0]])
    if dtype.is_complex:
        a = torch.complex(a, a.flip(0).roll(1, 1) / 4)
    return a.to(dtype)


def made_of(a):
    h = a @ a.mH
    s = torch.stack([a[0], 2 * a[0], a[1]])
    return h, s, a[:2], a[0].clone(), torch.stack([a, a.mT]), a[:0]


"""

# Rounding errors differ from library to library.
SHOW_MATRIX = """\
def clean(result):
    if isinstance(result, (list, tuple)) and not isinstance(result, torch.Size):
        return [clean(item) for item in result]
    if not isinstance(result, torch.Tensor) or not (result.is_floating_point() or result.is_complex()):
        return result
    if result.is_complex():
        return torch.complex(clean(result.real), clean(result.imag))
    return (result * 1000).round() / 1000 + 0.0


"""

GRADIENT_OF_MATRIX = """\
def gradient(label, function, *inputs):
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*leaves)
    if result.is_complex():
        result = torch.view_as_real(result.resolve_conj())
    weights = torch.arange(1.0, 1.0 + result.numel(), dtype=torch.float64).view(result.shape) * 0.7
    print(label, clean(torch.autograd.grad((result * weights).sum(), leaves)))


"""


def dtype_tuple(names):
    names = names.split()
    return "(" + ", ".join("torch." + name for name in names) + ("," if len(names) == 1 else "") + ")"


def unary(name, dtypes):
    text = INPUTS + LAYOUTS + f"for dtype in {dtype_tuple(dtypes)}:\n    x = inputs(dtype)\n    show(f'{{dtype}}', lambda: torch.{name}(x))\n"
    text += f"    for layout, v in layouts(dtype):\n        show(f'{{dtype}} {{layout}}', lambda: torch.{name}(v))\n"
    text += f"    show('scalar', lambda: torch.{name}(x[0, 1]))\n    show('empty', lambda: x[:0].{name}())\n"
    if name not in cases.NO_IN_PLACE:
        text += f"    show('in place', lambda: x.clone().{name}_())\n    w = numbers(dtype, 2, 70)\n"
        text += f"    show('in place, strided', lambda: w[:, 1::2].{name}_().shape)\n    show('and beside it', lambda: w)\n"
    if name not in cases.NO_OUT:
        text += f"    show('out', lambda: torch.{name}(x, out=torch.empty(2, 3, dtype=torch.float64)))\n"
        text += f"    show('out, transposed', lambda: torch.{name}(numbers(dtype, 2, 35), out=torch.empty(35, 2, dtype=torch.float64).t()))\n"
    text += f"\nspecial = torch.tensor([float('nan'), float('inf'), -float('inf'), 0.0, -0.0, 1e30, 1e-30])\nshow('special', lambda: torch.{name}(special))\n"
    text += f"show('meta', lambda: torch.{name}(torch.ones(2, 3, device='meta')))\nshow('too many', lambda: torch.{name}(special, special, special))\n"
    if name not in cases.NOT_DIFFERENTIABLE:
        text += gradient(f"x.abs().add(0.5).{name}()", "x")
    return text


def gradient(expression, wanted):
    return ("\nx = torch.tensor([[-2.5, -1.0, 0.25], [0.5, 1.0, 3.0]], dtype=torch.float64, requires_grad=True)\n"
            "y = torch.tensor([0.5, 1.5, -2.0], dtype=torch.float64, requires_grad=True)\n"
            f"result = {expression}\nprint(result)\n"
            "if result.requires_grad:\n"
            "    (result * torch.arange(1.0, 1.0 + result.numel()).view(result.shape)).sum().backward()\n"
            f"    print({wanted}.grad" + (", y.grad)\n" if "y" in expression.replace("x.y", "") and wanted == "x" and "y)" in expression else ")\n"))


def binary(name, dtypes):
    text = INPUTS + LAYOUTS + POSITIVE + f"for dtype in {dtype_tuple(dtypes)}:\n    x = inputs(dtype)\n    y = x[1].clone()\n    show(f'{{dtype}}', lambda: torch.{name}(x, y))\n"
    text += "    for layout, v in layouts(dtype):\n        row, column = positive(dtype, *v.shape[1:]), positive(dtype, *v.shape[:-1], 1)\n"
    text += "        other = positive(dtype, *reversed(v.shape)).permute(*reversed(range(v.dim())))\n"
    text += f"        show(f'{{dtype}} {{layout}}, with a row', lambda: torch.{name}(v, row))\n"
    text += f"        show('with what is transposed', lambda: torch.{name}(v, other))\n"
    text += f"        show('of a column', lambda: torch.{name}(column, other))\n"
    text += f"    show('number', lambda: x.{name}(2))\n    show('fraction', lambda: x.{name}(1.5))\n    show('bool', lambda: x.{name}(True))\n"
    text += f"    show('other dtypes', lambda: [torch.{name}(x, y.to(t)).dtype for t in (torch.uint8, torch.int64, torch.float16, torch.float64)])\n"
    text += f"    show('0-dim', lambda: torch.{name}(x, y.double()[1]))\n    show('in place', lambda: x.clone().{name}_(y))\n    show('too small', lambda: y.clone().{name}_(x))\n"
    text += f"\nx = inputs(torch.float32)\nshow('out', lambda: torch.{name}(x, x, out=torch.empty(0)))\nshow('sizes', lambda: torch.{name}(x, torch.ones(4)))\n"
    text += f"show('empty', lambda: torch.{name}(x[:0], x[0]))\nshow('text', lambda: torch.{name}(x, 'a'))\nshow('missing', lambda: torch.{name}(x))\n"
    text += f"show('meta', lambda: torch.{name}(torch.ones(2, 1, device='meta'), torch.ones(3, device='meta')))\n"
    if name not in cases.COMPARISON:
        text += gradient(f"torch.{name}(x.abs() + 0.5, y)" if name == "pow" else f"torch.{name}(x, y)", "x")
    return text


def reduction(name, dtypes):
    text = INPUTS + LAYOUTS
    if name == "prod":  # products that do not round
        text = text.replace("n / 8 + 0.0625", "torch.where(n < 0, -1, 1) * torch.where(n % 2 == 0, 2, 0.5)")
        text = text.replace("x.flip(0))", "torch.where(n % 3 == 0, x, -x))")
    text += f"for dtype in {dtype_tuple(dtypes)}:\n    x = inputs(dtype)\n    for layout, v in [('plain', x), *layouts(dtype)]:\n"
    if name == "median":  # PyTorch's answer is not among the elements
        text += "        v = v.clone() if layout == 'expanded' else v\n"
    if name != "logsumexp":
        text += f"        show(f'{{dtype}} {{layout}}', lambda: torch.{name}(v))\n"
    text += f"        show(f'{{dtype}} {{layout}}, over columns', lambda: v.{name}(dim=0))\n        show('over rows', lambda: v.{name}(dim=-1))\n"
    calls = ["x.{n}(0)" if name != "norm" else "x.{n}(dim=0)", "torch.{n}(x, dim=-1)", "x.{n}(dim=1, keepdim=True)", "x.{n}(dim=2)", "x[0, 0].{n}(dim=0)", "x[:0].{n}(dim=1)", "x[:0].{n}(dim=0)"]
    if name in ("count_nonzero",):
        calls = [c for c in calls if "keepdim" not in c]
    if name in ("sum", "mean", "amax", "amin", "norm", "logsumexp", "var", "std", "any", "all"):
        calls += ["x.{n}(dim=(0, 1))", "x.{n}(dim=(0, 0))"]
    if name in ("sum", "mean", "prod"):
        calls += ["x.{n}(dtype=torch.float64)", "x.{n}(dim=0, dtype=torch.int64)"]
    if name in ("var", "std"):
        calls += ["x.{n}(unbiased=False)", "x.{n}(dim=0, correction=0)", "x.{n}(1, correction=5)"]
    if name == "norm":
        calls += ["x.norm(1)", "x.norm(float('inf'))", "x.norm(3, dim=0)", "x.norm(0, 1)"]
    if name in ("max", "min"):
        calls += ["torch.{n}(x, x[1])", "x.{n}(dim=0).values", "x.{n}(1)[1]"]
    for call in calls:
        call = call.format(n=name)
        text += f"    show({call!r}, lambda: {call})\n"
    text += f"\nspecial = torch.tensor([1.0, float('nan'), 2.0])\nshow('nan', lambda: special.{name}({'0' if name == 'logsumexp' else ''}))\n"
    if name not in ("argmax", "argmin", "any", "all", "count_nonzero"):
        if name in ("max", "min", "median"):
            text += gradient(f"torch.{name}(x, dim=1)[0]", "x")
        else:
            text += gradient(f"torch.{name}(x, dim=1)", "x")
    return text


def calls(name, expressions, dtypes):
    text = INPUTS + SMALL_LAYOUTS + OPERANDS + f"for dtype in {dtype_tuple(dtypes)}:\n    print(dtype)\n    for layout, x in layouts(dtype):\n        y, m = x[1].clone(), torch.cat([x, x[:1] * 2])\n"
    for e in expressions:
        text += f"        show({e!r}, lambda: {e})\n"
    last = "True" if name in cases.LAST_BITS else "dtype == torch.bfloat16 or dtype != torch.float32 and layout == 'strided'"
    text += f"        if {last}:\n            break\n"
    return text


def matrix_calls(expressions):
    text = MATRICES + SHOW_MATRIX
    text += "for dtype in (torch.float64, torch.float32, torch.complex64, torch.int64):\n    print(dtype)\n"
    text += "    a = matrix(dtype)\n    h, s, w, v, batch, none = made_of(a)\n"
    for e in expressions:
        text += f"    show({e!r}, lambda: clean({e}))\n"
    return text


def matrix_gradients(functions):
    text = MATRICES + SHOW_MATRIX + GRADIENT_OF_MATRIX
    text += "for dtype in (torch.float64, torch.complex128):\n    print(dtype)\n"
    text += "    a = matrix(dtype)\n    h, s, w, v, batch, none = made_of(a)\n"
    for f in functions:
        names = f.removeprefix("lambda ").partition(":")[0]
        text += f"    gradient({f!r}, {f}, {names})\n"
    return text


def scripts():
    for name, dtypes in cases.UNARY.items():
        yield name, unary(name, dtypes)
    for name, dtypes in cases.BINARY.items():
        yield name, binary(name, dtypes)
    for name, dtypes in cases.REDUCTION.items():
        yield name, reduction(name, dtypes)
    for name, (dtypes, expressions) in cases.CALLS.items():
        yield name, calls(name, expressions, dtypes)
    for name, expressions in cases.MATRICES.items():
        yield name, matrix_calls(expressions)
    for name, functions in cases.MATRIX_GRADIENTS.items():
        yield name, matrix_gradients(functions)
    yield "factories", "".join(f"show({e!r}, lambda: {e})\n" for e in cases.FACTORIES)


def main():
    import torch

    warnings.simplefilter("ignore")
    for old in FOLDER.glob("*.tsc"):
        old.unlink()
        old.with_suffix(".expected").unlink(missing_ok=True)
    for name, body in scripts():
        path = FOLDER / f"{name}.tsc"
        path.write_text(HEAD.format(name=name) + body)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(path.read_text(), path.name, "exec"), {"__name__": "__main__"})
        path.with_suffix(".expected").write_text(out.getvalue())
    print("PyTorch", torch.__version__)


if __name__ == "__main__":
    main()
