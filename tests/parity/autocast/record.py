#!/usr/bin/env python3
"""Writes dtypes.tsc and lists.tsc, and records what PyTorch prints for them.

    python3 record.py          # needs PyTorch; what it writes is committed

dtypes.tsc calls the operators of autocast's lists on operands of four dtypes under both autocast dtypes, and prints the
dtype of what comes. lists.tsc asks which operators have a kernel of their own for each device's autocast.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

FOLDER = pathlib.Path(__file__).parent

# Operands, all of one dtype: m n 3 x 3 (m symmetric and positive), v w 3, a 2 x 3 x 3, p in (0, 1); and of integers: i.
# `F` is torch.nn.functional, `L` torch.linalg; "op.overload" is called as torch.ops.aten has it.
CASES = """
mm(m, n); matmul(m, n); matmul(m, v); m @ n; bmm(a, a); addmm(m, m, n); addbmm(m, a, a); baddbmm(a, a, a)
F.linear(m, n); F.linear(m, n, v); F.prelu(m, v); L.vecdot(v, w); F.scaled_dot_product_attention(a, a, a)
mv(m, v); dot(v, w); addmv(v, m, w); addr(m, v, w); einsum("ij,jk", m, n); L.multi_dot([m, n, m]); chain_matmul(m, n, m)
cat([m, n]); stack([m, n]); index_copy(m, 0, i, n); cat([m, m.float()]); stack([v, v.double()]); index_copy(m, 0, i, m)
cat([m.float(), i]); hstack([v, w]); vstack([v, w])
F.binary_cross_entropy(p, p); F.binary_cross_entropy_with_logits(m, p); cdist(m, n); F.cosine_embedding_loss(m, n, ones(3))
F.cross_entropy(m, i); F.hinge_embedding_loss(m, n); F.huber_loss(m, n); F.kl_div(m, p); F.l1_loss(m, n)
F.margin_ranking_loss(v, w, ones(3)); F.mse_loss(m, n); F.multi_margin_loss(m, i); F.nll_loss(m, i)
F.poisson_nll_loss(m, n); F.smooth_l1_loss(m, n); F.soft_margin_loss(m, n); F.triplet_margin_loss(m, n, m)
inverse(m); pinverse(m); trace(m); prod(m); prod(m, 0); polar(v, w); quantile(m, 0.5); quantile(m, p[0, 0]); view_as_complex(m[:, :2])
cholesky_inverse(m); cholesky_solve(m, m); geqrf(m)[0]; orgqr(m, v); ormqr(m, v, m); lu_solve(m, m, i.int() + 1); svd(m)[1]
triangular_solve(m, m)[0]; L.cholesky(m); L.cholesky_ex(m)[0]; L.cond(m); L.cond(m, "fro"); L.eig(m)[0]; L.eigh(m)[0]
L.eigvals(m); L.eigvalsh(m); L.householder_product(m, v); L.inv(m); L.inv_ex(m)[0]; L.lstsq(m, n)[0]; L.matrix_rank(m)
L.matrix_rank(m, 0.1); L.qr(m)[0]; L.solve(m, n); L.svd(m)[1]; L.svdvals(m); L.tensorinv(m, ind=1); L.tensorsolve(m, v)
torch.fft.fft(v); torch.fft.fft2(m); torch.fft.fftn(m); torch.fft.hfft(v); torch.fft.ifft(v); torch.fft.ifft2(m); torch.fft.ifftn(m); torch.fft.ihfft(v); torch.fft.irfft(v)
torch.fft.irfft2(m); torch.fft.irfftn(m); torch.fft.rfft(v); torch.fft.rfft2(m); torch.fft.rfftn(m)
exp(m); log(p); pow(p, 2.0); softmax(m, 0); log_softmax(m, 0); sum(m); cumsum(m, 0); norm(m); layer_norm(m, [3]); acos(p)
F.softplus(m); logsumexp(m, 0); L.vector_norm(v); renorm(m, 2, 0, 1.0); addcmul(m, n, m); atan2(m, n)
relu(m); m + n; m * 2; F.gelu(m); F.dropout(m, 0.0); mean(m); var(m); m.t(); det(m); L.det(m); slogdet(m)[1]; L.norm(m)
mm(m, m.float()); addmm(v, m.float(), n); F.mse_loss(m, m.float()); F.linear(m.float(), n, v); m.float() @ n; mm(m, n.double())
m.addmm_(m, n).dtype; mm(m, n, out=torch.empty(3, 3)).dtype; torch.ops.aten.mm.default(m, n).dtype; mm(m, n) + m
"""

HEAD = """\
# The dtypes of what operators return under autocast; record.py wrote this and recorded PyTorch's answers.
import torch
import torch.nn.functional as F
from torch import *

L = torch.linalg
DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.float64]


def name(value):
    dtype = value if isinstance(value, torch.dtype) else value.dtype
    return str(dtype)[6:]


def answer(call, dtype, region):
    m = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], dtype=dtype)
    n = torch.tensor([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0], [2.0, 0.5, -1.0]], dtype=dtype)
    v, w = m[0], n[0]
    a = torch.stack([m, n])
    p = m / 5
    i = torch.tensor([0, 1, 2])
    try:
        with torch.autocast("cpu", dtype=region):
            return name(call(m, n, v, w, a, p, i))
    except Exception as error:
        return type(error).__name__


def show(label, call):
    print(label)
    for region in [torch.bfloat16, torch.float16]:
        print("   ", name(region) + ":", *[answer(call, dtype, region) for dtype in DTYPES])


"""

LISTS_HEAD = """\
# Which operators autocast has kernels for; record.py wrote this and recorded PyTorch's answers.
import torch

has = torch._C._dispatch_has_kernel_for_dispatch_key
for key in ["AutocastCPU", "AutocastCUDA", "AutocastPrivateUse1"]:
    print(key, *[name for name in NAMES.split() if has("aten::" + name, key)], sep="\\n    ")
"""


def dtypes_script():
    lines = [HEAD]
    for case in filter(None, (part.strip() for part in re.split(r";|\n", CASES))):
        lines.append(f"show({case!r}, lambda m, n, v, w, a, p, i: {case})\n")
    return "".join(lines)


def lists_script():
    """Asks for every operator of aten's that tensorscope has, too."""
    import torch

    binary = FOLDER.parents[2] / "build/src/tensorscope"
    ours = subprocess.run([binary, "-c", "print(*torch._C._dispatch_get_registrations_for_dispatch_key())"],
                          capture_output=True, text=True, check=True).stdout.split()
    both = sorted(set(ours) & set(torch._C._dispatch_get_registrations_for_dispatch_key()))
    names = textwrap.fill(" ".join(name[6:] for name in both if name.startswith("aten::")), 120, break_on_hyphens=False)
    return LISTS_HEAD.replace("\n\nhas = ", f'\n\nNAMES = """\n{names}\n"""\nhas = ', 1)


def main():
    for name, text in [("dtypes", dtypes_script()), ("lists", lists_script())]:
        script = FOLDER / f"{name}.tsc"
        script.write_text(text)
        answers = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, check=True)
        script.with_suffix(".expected").write_text(answers.stdout)


if __name__ == "__main__":
    main()
