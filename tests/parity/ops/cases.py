"""What is recorded of each operator.

An expression is tried for every dtype and layout over these inputs (record.py makes them):
    x  2 x 3    y  3, so that it broadcasts    m  3 x 3    b  bool, 2 x 3    i  int64, indices 0 to 2    k  int64, 2 x 3, 0 to 1
"""

REAL = "float32 float64 float16 bfloat16 int64 uint8 bool"
ALL = REAL + " complex64"
FLOAT = "float32 float64 bfloat16"
FLOAT_COMPLEX = FLOAT + " complex128"
INTEGRAL = "int64 int32 uint8 bool"
SOME = "float32 int64 bool complex64"

UNARY = {
    "neg": "float32 bfloat16 int64 uint8 bool complex64", "abs": ALL, "sign": REAL, "square": ALL, "reciprocal": "float32 float64 int64 bool complex64",
    "exp": ALL, "log": ALL, "log1p": "float32 float64 int64 bool", "sqrt": ALL, "rsqrt": "float32 float64 int64", "sin": ALL, "cos": ALL, "tanh": ALL, "sigmoid": ALL,
    "relu": "float32 bfloat16 int64 bool", "floor": "float32 float64 bfloat16 int64 bool", "ceil": "float32 float64 int64", "round": "float32 float64 bfloat16 int64",
    "trunc": "float32 int64", "isnan": SOME, "isfinite": SOME, "logical_not": ALL, "bitwise_not": INTEGRAL + " float32", "expm1": FLOAT, "log2": FLOAT, "erf": FLOAT,
}
NOT_DIFFERENTIABLE = {"isnan", "isfinite", "logical_not", "bitwise_not"}
NO_IN_PLACE = {"isnan", "isfinite"}
NO_OUT = {"isnan", "isfinite", "relu", "square"}

BINARY = {
    "add": ALL, "sub": ALL, "mul": ALL, "div": REAL, "floor_divide": "float32 bfloat16 int64 uint8 bool", "remainder": "float32 float64 int64 uint8", "fmod": "float32 int64",
    "pow": "float32 float64 int64 uint8 complex64", "maximum": REAL, "minimum": "float32 int64 bool complex64", "atan2": FLOAT, "bitwise_and": INTEGRAL + " float32",
    "bitwise_or": INTEGRAL, "bitwise_xor": INTEGRAL, "logical_and": SOME, "logical_or": SOME, "logical_xor": SOME, "eq": ALL, "ne": SOME, "lt": REAL + " complex64", "le": SOME,
    "gt": SOME, "ge": SOME,
}
COMPARISON = {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "floor_divide"}

REDUCTION = {
    "sum": ALL, "mean": ALL, "prod": ALL, "var": FLOAT + " int64", "std": FLOAT, "amax": REAL, "amin": SOME, "argmax": "float32 int64 uint8 bool", "argmin": "float32 int64",
    "any": SOME, "all": ALL, "norm": "float32 float64 complex64 int64", "logsumexp": FLOAT + " int64", "max": REAL, "min": SOME, "median": "float32 int64", "count_nonzero": SOME,
}

CALLS = {
    "cumsum": (SOME + " bfloat16", ["x.cumsum(0)", "torch.cumsum(x, -1)", "x.cumsum(1, dtype=torch.float64)", "x.cumsum(2)", "x[0, 0].cumsum(0)"]),
    "where": (SOME, ["torch.where(b, x, y)", "torch.where(b, x, 7)", "torch.where(b, 1.5, x)", "torch.where(b[0], x, x * 0)", "torch.where(b)", "torch.where(x, x, x)"]),
    "clamp": ("float32 bfloat16 int64 bool complex64", ["x.clamp(0, 1)", "x.clamp(min=0.5)", "torch.clamp(x, max=1)", "x.clamp(y, 2 * y)", "x.clamp()", "x.clamp(2, 1)", "x.clamp(min=float('nan'))", "x.clamp_min(1)", "x.clamp_max(0)"]),
    # Where x / y has a part that is zero up to rounding, PyTorch's loops (fused or not, by size and aliasing) differ; only the fused ones are recorded.
    "div_complex": ("complex64 complex128", ["torch.div(x, y)", "x / (y + 2)", "x.clone().div_(y + 2)", "x / 2", "2 / (x + 1)", "x / 1.5", "x / True", "x / 2j", "x / 0", "torch.div(x, y.real)", "x.real / y", "y.div_(x)", "x.div(y, rounding_mode='floor')", "(x + 1).reciprocal()"]),
    "addcmul": (FLOAT + " int64", ["torch.addcmul(x, x, y)", "torch.addcmul(x, x, y, value=2)", "torch.addcdiv(x, x, y + 3, value=0.5)", "x.addcmul(y, y, value=-1)"]),
    "lerp": (FLOAT + " int64 complex64", ["torch.lerp(x, x * 2, 0.25)", "x.lerp(x + 1, 0.75)", "x.lerp(x - 1, x)"]),
    "equal": (SOME, ["torch.equal(x, x.clone())", "torch.equal(x, y)", "torch.allclose(x, x)", "torch.isclose(x, x + 1)", "torch.equal(x, x.double())"]),
    "view": (SOME, ["x.view(6)", "x.view(-1, 2)", "x.view(3, 2).stride()", "x.view(4)", "x.view(-1, -1)", "x.view(2, -1, 1).shape", "x.t().view(6)", "x.view(-1, 0)"]),
    "reshape": (SOME, ["x.reshape(3, 2)", "torch.reshape(x, (-1,))", "x.t().reshape(6)", "x.reshape(5)", "x.reshape(1, 6, 1).shape", "x.flatten()", "x.ravel().shape", "x.flatten(1).shape", "torch.flatten(x, 0, -1).shape"]),
    "permute": (SOME, ["x.permute(1, 0)", "torch.permute(x, (0, 1)).stride()", "x.permute(0)", "x.permute(0, 0)", "x[None].permute(2, 0, 1)", "x.permute(-1, -2).is_contiguous()"]),
    "transpose": (SOME, ["x.transpose(0, 1)", "x.t()", "x.T.stride()", "x.mT.shape", "torch.transpose(x, -1, -2)", "x.transpose(0, 2)", "x[None].t()", "y.t()", "y.T"]),
    "squeeze": (SOME, ["x[None].squeeze().shape", "x[:1].squeeze(0)", "x.squeeze(0).shape", "x[:1, None].squeeze((0, 1)).shape", "x.squeeze(2)", "x.unsqueeze(0).shape", "x.unsqueeze(-1)", "x.unsqueeze(3)", "x[0, 0].unsqueeze(0)"]),
    "expand": (SOME, ["y.expand(2, 3)", "y.expand(2, -1).stride()", "y.expand(2, 2, 3).shape", "y.expand(4)", "y.expand(-1, 3)", "x.expand_as(x[None]).shape", "torch.broadcast_to(y, (2, 3))", "x[:, :1].expand(2, 3)"]),
    "select": (SOME, ["x.select(0, 1)", "x.select(1, -1)", "x.select(0, 2)", "x.select(2, 0)", "x[1]", "x[-1, 0]", "x[2]", "x[0, 0, 0]", "x[0][1]", "x[0, 0][0]"]),
    "slice": (SOME, ["x[:, 1:]", "x[::2]", "x[..., :-1]", "x[1:1]", "x[:, ::-1]", "x[0, 1:3].stride()", "x[:, None, 1:].shape", "x[None, ..., None].shape", "x[-5:5]", "x.narrow(1, 1, 2)", "x.narrow(1, 2, 2)", "x[..., ...]"]),
    "diagonal": (SOME, ["m.diagonal()", "m.diagonal(1)", "m.diagonal(-2)", "x.diagonal(0, 1, 0)", "torch.diag(m)", "torch.diag(y)", "torch.diag(y, 1)", "m.diagonal(5).shape", "m.trace()"]),
    "split": (SOME, ["x.split(2, dim=1)", "x.split([1, 2], 1)", "torch.split(x, 1)", "x.chunk(2)", "x.chunk(5, 1)", "x.unbind()", "x.unbind(1)", "x.split([1, 1], 1)", "x.split(0)", "torch.chunk(x, 0)"]),
    "cat": (SOME, ["torch.cat([x, x])", "torch.cat((x, x[:, :1]), dim=1)", "torch.cat([x, x.double()]).dtype", "torch.cat([x, y])", "torch.cat([])", "torch.stack([y, y])", "torch.stack([y, y], dim=-1)", "torch.stack([x, y])", "torch.cat([torch.tensor([]), y])", "torch.hstack([y, y])", "torch.vstack([y, x])"]),
    "flip": (SOME, ["x.flip(0)", "x.flip(0, 1)", "torch.flip(x, [-1])", "x.flip(0, 0)", "x.flip(2)", "x.roll(1)", "x.roll(1, 0)", "torch.roll(x, (1, -1), (0, 1))"]),
    "tril": (SOME, ["m.tril()", "m.triu(1)", "torch.tril(m, -1)", "x.triu()", "y.tril()", "x.triu(-1)"]),
    "repeat": (SOME, ["y.repeat(2)", "y.repeat(2, 2)", "x.repeat(1, 2, 1).shape", "x.repeat(2)", "x.tile((2,))", "y.repeat_interleave(2)", "torch.repeat_interleave(y, i)", "x.repeat_interleave(2, dim=0)"]),
    "index": (SOME, ["x[i % 2]", "x[:, i]", "x[i % 2, i]", "x[b]", "x[[1, 0]]", "x[[0, 1], [2, 0]]", "x[..., [0, -1]]", "x[i]", "x[b[0]]", "x[i.reshape(3, 1) % 2, i]", "x[None, i % 2].shape", "x[b, 0]", "x[True].shape", "x[torch.tensor(1)]", "x[1.5]", "x[i.double()]", "x[:, b[0]]", "x[0, [1, 2]]", "x[[0, 1], :, None].shape"]),
    "gather": (SOME, ["x.gather(0, k)", "torch.gather(x, 1, k)", "x.gather(1, k[:, :1])", "x.gather(0, k + 5)", "x.gather(0, k.int())", "x.gather(0, k[0])", "x.index_select(1, i)", "torch.index_select(x, 0, k[0])", "x.index_select(0, i)", "x.take(i)", "x.take_along_dim(k, 0)"]),
    "scatter_add": (SOME, ["m.scatter_add(0, k, x)", "m.scatter(1, k, x)", "m.scatter(0, k, 9)", "m.index_add(0, k[0], m)", "m.index_fill(0, k[0, :1], 3)", "m.index_copy(1, i, m)", "m.scatter_add(0, k, x.double())"]),
    "masked": (SOME + " bfloat16", ["x.masked_fill(b, 5)", "x.masked_fill(b, torch.tensor(2))", "x.masked_fill(k, 1)", "x.masked_select(b)", "torch.masked_select(x, b[0])", "x.nonzero()", "torch.nonzero(x, as_tuple=True)", "x.argwhere().shape", "x.masked_fill(b, y)"]),
    "sort": ("float32 int64 bool bfloat16 complex64", ["x.sort()", "torch.sort(x, dim=0, descending=True)", "x.argsort(-1)", "x.topk(2)", "x.topk(1, dim=0, largest=False)", "x.topk(4)", "x.sort(2)", "x.sort(stable=True)[1]", "torch.unique(x)", "x.kthvalue(2)"]),
    "one_hot": ("int64 float32", ["F.one_hot(i)", "F.one_hot(k, 3)", "F.one_hot(x)", "F.one_hot(i, 2)", "F.one_hot(i - 1)", "F.embedding(i, m.float())"]),
    "matmul": ("float32 float64 bfloat16 int64 bool complex64", ["x @ m", "torch.mm(x, m)", "x @ y", "y @ m", "y @ y", "x.matmul(x)", "x.mm(y)", "y.dot(y)", "y.dot(y[:2])", "m.mv(y)", "m.mv(y[:2])", "x[None] @ m", "x[:, None] @ m", "torch.bmm(m[None], m[None])", "torch.bmm(m, m)", "x @ 2", "x.T @ x", "m[:0] @ m", "x[:, :0] @ m[:0]"]),
    "addmm": ("float32 float64 int64 complex64", ["torch.addmm(y, x, m)", "torch.addmm(x, x, m, beta=0.5, alpha=2)", "torch.addmm(x, x, x)", "torch.outer(y, y)", "torch.addmv(y, m, y)", "F.linear(x, m)", "F.linear(x, m, y)", "F.linear(x, x)", "torch.baddbmm(m[None], m[None], m[None])", "torch.outer(x, y)"]),
    "softmax": ("float32 float64 bfloat16 int64", ["x.softmax(0)", "torch.softmax(x, dim=-1)", "F.softmax(x, dim=1, dtype=torch.float64)", "x.log_softmax(1)", "F.log_softmax(x, 0)", "x.softmax(2)", "x[0, 0].softmax(0)", "x[:0].softmax(1).shape"]),
    "losses": ("float32 float64 bfloat16", ["F.cross_entropy(x, k[:, 0])", "F.cross_entropy(x, k[:, 0], reduction='none')", "F.cross_entropy(x, k[:, 0], reduction='sum', ignore_index=0)", "F.cross_entropy(x, k[:, 0], weight=y)", "F.cross_entropy(x, k[:, 0] + 2)", "F.cross_entropy(x, x.softmax(1))", "F.cross_entropy(x, k[:, 0], label_smoothing=0.1)", "F.nll_loss(x, k[:, 0])", "F.nll_loss(x, k)", "F.cross_entropy(x, i)", "F.mse_loss(x, x * 2)", "F.mse_loss(x, x + 1, reduction='none')", "F.l1_loss(x, x * 3, reduction='sum')", "F.binary_cross_entropy_with_logits(x, b.to(x.dtype))", "F.mse_loss(x, x, reduction='typo')"]),
    "convert": (ALL, ["x.float()", "x.double()", "x.long()", "x.int()", "x.bool()", "x.half()", "x.bfloat16()", "x.abs().to(torch.uint8)", "x.to(torch.complex64)", "x.to(y).dtype", "x.type_as(k)", "x.tolist()", "x[0, 0].item()", "x.item()", "x.to(x.dtype) is x", "bool(x[0, 0])", "bool(x)", "float(x[0, 1])", "int(x[0, 1])"]),
    "copy": (SOME, ["torch.empty(2, 3).copy_(x)", "x.clone().fill_(2)", "x.clone().zero_()", "x.t().contiguous().stride()", "x.detach()", "torch.zeros(3).copy_(x)", "x.clone().copy_(y)", "torch.zeros_like(x)", "torch.ones_like(x, dtype=torch.float64)", "torch.full_like(x, 3)", "torch.empty_like(x.t()).stride()", "x.new_zeros(2)", "x.new_full((2,), 1.5)", "x.new_ones(1, 2)", "x.new_tensor([1, 2])"]),
    "store": (SOME, ["put(x, 0, 5)", "put(x, (slice(None), 1), y[:2])", "put(x, b, 3)", "put(x, b, y)", "put(x, [1, 0], x + 1)", "put(x, i, 0)", "put(x, (k[0], i), y)", "put(x, Ellipsis, y)", "put(x, (0, 5), 1)", "put(x, 0, x)", "put(x, None, 4)", "x.clone().index_put_((k[0], i), y)", "x.clone().index_put((k[0] * 0, i * 0), y, accumulate=True)"]),
    "shapes": ("float32", ["x.shape", "x.size()", "x.size(1)", "x.size(-3)", "x.dim()", "x.numel()", "x.stride()", "x.ndim", "len(x)", "len(x[0, 0])", "x.storage_offset()", "x[1].storage_offset()", "x.is_contiguous()", "x.element_size()", "x.shape[0]", "x.shape[1:]", "x.shape.numel()", "list(x.shape)", "x.nelement()", "x.is_floating_point()", "x.is_complex()", "x.dtype.is_floating_point", "x.device", "x.layout", "x.requires_grad", "x.is_leaf", "x.grad", "x.grad_fn", "type(x)", "x.T.shape == (3, 2)", "x.untyped_storage().nbytes()", "x.data_ptr() == x[0].data_ptr()"]),
}

# Over a, 3 x 3; h, Hermitian and positive definite; s, singular; w, 2 x 3; v, 3; batch, 2 x 3 x 3; none, 0 x 3.
MATRICES = {
    "matrix_svd": ["torch.linalg.svdvals(a)", "torch.linalg.svdvals(batch).shape", "torch.linalg.svd(w)[1]", "[t.abs() for t in torch.linalg.svd(w, full_matrices=False)]", "[t.shape for t in torch.linalg.svd(w)]", "[t.stride() for t in torch.linalg.svd(batch)]", "torch.linalg.svd(none)", "torch.linalg.svd(v)", "torch.linalg.svd(a, driver='gesvd')", "torch.svd(a)[1]", "a.svd(compute_uv=False)", "[t.shape for t in torch.svd(w, some=False)]", "torch.linalg.svdvals(a * float('nan'))"],
    "matrix_norm": ["torch.linalg.matrix_norm(a)", "[torch.linalg.matrix_norm(a, p) for p in (1, -1, 2, -2, float('inf'), -float('inf'), 'nuc', 'fro')]", "torch.linalg.matrix_norm(batch, 'nuc', dim=(0, 2), keepdim=True)", "torch.linalg.matrix_norm(batch, 2, dim=(2, 0))", "torch.linalg.matrix_norm(a, 3)", "torch.linalg.matrix_norm(a, 'typo')", "torch.linalg.matrix_norm(a, 'nuc', dim=(0, 0))", "torch.linalg.matrix_norm(v, 'nuc')", "torch.linalg.matrix_norm(none, 'nuc')", "torch.linalg.norm(a)", "torch.linalg.norm(a, 2)", "torch.linalg.norm(batch, 2)", "torch.linalg.norm(v, 'nuc')", "torch.norm(a, p='nuc')", "a.norm('nuc', dim=(0, 1), keepdim=True)", "torch.norm(batch, 'nuc')", "torch.linalg.cond(a)", "[torch.linalg.cond(a, p) for p in (1, -2, 'nuc', 'fro')]", "torch.linalg.cond(s, 1)", "torch.linalg.cond(a, 3)", "torch.linalg.cond(w, 1)"],
    "matrix_inverse": ["torch.linalg.inv(a)", "a.inverse()", "torch.linalg.inv(batch).stride()", "torch.linalg.inv(s)", "torch.inverse(torch.stack([a, s]))", "torch.linalg.inv(w)", "torch.linalg.inv(v)", "torch.linalg.inv_ex(s)[1]", "torch.linalg.inv(none[:, :0])", "torch.linalg.pinv(w)", "torch.linalg.pinv(s)", "torch.linalg.pinv(h, hermitian=True)", "torch.pinverse(w)", "torch.linalg.pinv(a, 0.5)", "torch.linalg.pinv(a, atol=2.0)", "torch.linalg.pinv(v)", "torch.linalg.pinv(none).shape", "torch.linalg.matrix_rank(s)", "torch.linalg.matrix_rank(batch, tol=3.0)", "torch.linalg.matrix_rank(h, hermitian=True)", "torch.linalg.matrix_power(a, -2)", "torch.linalg.matrix_power(a, 0)", "torch.linalg.tensorinv(a, ind=1)"],
    "matrix_solve": ["torch.linalg.solve(a, v)", "torch.linalg.solve(a, w.mT)", "torch.linalg.solve(a, w, left=False)", "torch.linalg.solve(batch, a).shape", "torch.linalg.solve(batch, w).shape", "torch.linalg.solve(a, w)", "torch.linalg.solve(s, v)", "torch.linalg.solve_ex(s, v)[1]", "torch.linalg.solve(a, v.double())", "torch.linalg.solve_triangular(a, a, upper=True)", "torch.linalg.solve_triangular(a, w, upper=False, left=False, unitriangular=True)", "torch.linalg.solve_triangular(a, w, upper=True)", "torch.triangular_solve(w.mT, a, transpose=True)", "torch.linalg.lstsq(w.mT, v)", "torch.linalg.lstsq(w.mT, a, driver='gelsd')", "torch.linalg.lstsq(w.mT, a, driver='gels')", "torch.linalg.lstsq(w, v[:2], driver='gelss')[0]", "torch.linalg.lstsq(w, v)", "torch.linalg.lstsq(w, w, driver='typo')", "torch.linalg.tensorsolve(a, v)"],
    "matrix_determinant": ["torch.det(a)", "a.det()", "torch.linalg.det(batch)", "torch.linalg.det(s)", "torch.linalg.det(w)", "torch.linalg.det(none[:, :0])", "torch.slogdet(a)", "torch.linalg.slogdet(s)", "a.logdet()", "torch.logdet(-h).real", "torch.logdet(w)"],
    "matrix_lu": ["torch.linalg.lu(a)", "torch.linalg.lu(w)", "torch.linalg.lu(w.mT)", "torch.linalg.lu_factor(a)", "torch.linalg.lu_factor(s)", "torch.linalg.lu_factor_ex(s)[2]", "torch.linalg.lu(a, pivot=False)", "torch.linalg.lu(v)", "[t.stride() for t in torch.linalg.lu(batch)]", "torch.lu_unpack(*torch.linalg.lu_factor(a))[0]", "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), w.mT)", "torch.linalg.lu_solve(*torch.linalg.lu_factor(a), w, left=False, adjoint=True)"],
    "matrix_cholesky": ["torch.linalg.cholesky(h)", "torch.linalg.cholesky(h, upper=True)", "torch.linalg.cholesky(-h)", "torch.linalg.cholesky_ex(-h)[1]", "torch.linalg.cholesky(w)", "torch.linalg.cholesky(torch.stack([h, -h]))", "torch.cholesky_solve(a, torch.linalg.cholesky(h))", "torch.cholesky_inverse(torch.linalg.cholesky(h))", "torch.cholesky_inverse(w)"],
    "matrix_qr": ["[t.abs() for t in torch.linalg.qr(a)]", "[t.shape for t in torch.linalg.qr(w.mT)]", "[t.shape for t in torch.linalg.qr(w.mT, 'complete')]", "[t.stride() for t in torch.linalg.qr(batch)]", "torch.linalg.qr(w, 'r')[0]", "torch.linalg.qr(a, 'typo')", "torch.linalg.qr(v)", "torch.linalg.qr(none)", "torch.geqrf(a)[0].abs()", "torch.linalg.householder_product(*torch.geqrf(a)).abs()", "torch.ormqr(*torch.geqrf(a), w.mT).abs()"],
    "matrix_eigenvalues": ["torch.linalg.eigvalsh(h)", "torch.linalg.eigvalsh(a, UPLO='U')", "torch.linalg.eigh(h)[1].abs()", "torch.linalg.eigh(batch)[1].stride()", "torch.linalg.eigh(w)", "torch.linalg.eigh(h, 'X')", "torch.linalg.eigvals(h).real.sort()[0]", "torch.linalg.eigvals(a).dtype", "torch.linalg.eig(a)[1].shape", "torch.linalg.eig(a / 0)", "torch.linalg.eig(w)"],
    "matrix_functions": ["torch.linalg.matrix_exp(a / 4)", "torch.matrix_exp(batch).shape", "torch.matrix_exp(w)", "torch.linalg.vander(v)", "torch.linalg.vander(v, N=5)", "torch.linalg.vander(v, N=1)", "torch.linalg.diagonal(batch)", "torch.linalg.diagonal(v)"],
}
# Gradients with respect to what the lambda takes; singular vectors and the like by what does not depend on their sign.
MATRIX_GRADIENTS = {
    "matrix_gradients": ["lambda a: torch.linalg.svdvals(a)", "lambda w: torch.linalg.svd(w, full_matrices=False)[2].abs()", "lambda w: torch.linalg.svd(w.mT, full_matrices=False)[0].abs()", "lambda a: a.norm('nuc')", "lambda a: torch.linalg.matrix_norm(a, 2)", "lambda a: torch.linalg.inv(a)", "lambda w: torch.linalg.pinv(w)", "lambda a, w: torch.linalg.solve(a, w.mT)", "lambda a, w: torch.linalg.solve(a, w, left=False)", "lambda a, v: torch.linalg.solve(a, v)", "lambda a, w: torch.linalg.solve_triangular(a, w.mT, upper=False)", "lambda w, v: torch.linalg.lstsq(w.mT, v)[0]", "lambda a: torch.linalg.det(a)", "lambda s: torch.linalg.det(s)", "lambda batch: torch.linalg.slogdet(batch)[1]", "lambda h: torch.logdet(h)", "lambda a: torch.linalg.lu(a)[2]", "lambda w: torch.linalg.lu(w)[1]", "lambda w: torch.linalg.lu_factor(w.mT)[0]", "lambda h: torch.linalg.cholesky(h)", "lambda h, w: torch.cholesky_solve(w.mT, torch.linalg.cholesky(h))", "lambda a: torch.linalg.qr(a)[1].abs()", "lambda w: torch.linalg.qr(w)[0].abs()", "lambda w: torch.linalg.qr(w.mT)[0].abs()", "lambda h: torch.linalg.eigvalsh(h)", "lambda h: torch.linalg.eigh(h)[1].abs()", "lambda h: torch.linalg.eigvals(h).abs().sum()", "lambda a: torch.linalg.eig(a)[1].abs().sum()", "lambda a: torch.linalg.matrix_exp(a)", "lambda v: torch.linalg.vander(v)", "lambda a: torch.linalg.matrix_power(a, -2)"],
}

FACTORIES = [
    "torch.zeros(2, 3)", "torch.zeros((2,), dtype=torch.int64)", "torch.ones(2, dtype=torch.bool)", "torch.full((2, 2), 7)", "torch.full((2,), 1.5)", "torch.full((1,), True)",
    "torch.full((2,), 3, dtype=torch.float16)", "torch.full((), 2 + 1j)", "torch.empty(0)", "torch.empty(2, 0, 3)", "torch.zeros(())", "torch.zeros([])", "torch.zeros(2, -1)", "torch.zeros(1.5)", "torch.zeros('a')",
    "torch.arange(5)", "torch.arange(1, 6, 2)", "torch.arange(5, 0, -1.5)", "torch.arange(0, 1, 0.25)", "torch.arange(3.0)", "torch.arange(0)", "torch.arange(2, 1)", "torch.arange(1, 5, 0)", "torch.arange(3, dtype=torch.float16)", "torch.arange(1, 2, 0.1).shape",
    "torch.linspace(0, 1, 5)", "torch.linspace(1, -1, 4, dtype=torch.float64)", "torch.linspace(0, 10, 1)", "torch.linspace(0, 10, 0)", "torch.linspace(0, 10, 4, dtype=torch.int64)", "torch.linspace(0, 1, -1)", "torch.linspace(-2, 2, 9)",
    "torch.eye(2)", "torch.eye(2, 3, dtype=torch.bool)", "torch.eye(0)", "torch.eye(-1)", "torch.logspace(0, 2, 3)", "torch.scalar_tensor(2)", "torch.empty(2, dtype=torch.complex64).dtype", "torch.empty_strided((2, 3), (1, 2)).stride()",
    "torch.tensor(5)", "torch.tensor(2.5)", "torch.tensor(True)", "torch.tensor(1j)", "torch.tensor([])", "torch.tensor([[]])", "torch.tensor([[1, 2], [3, 4]])", "torch.tensor([1, 2.5])", "torch.tensor([1, 2 + 1j])", "torch.tensor([True, 2])", "torch.tensor([[1], [2, 3]])", "torch.tensor([1, 'a'])",
    "torch.tensor(None)", "torch.tensor([1, 2], dtype=torch.float64)", "torch.tensor([1.9, -1.9], dtype=torch.int32)", "torch.tensor([300], dtype=torch.uint8)", "torch.tensor((1, (2)))", "torch.tensor(range(3))", "torch.tensor([torch.tensor(1), torch.tensor(2)])", "torch.tensor(1.0, requires_grad=True)", "torch.tensor([1], requires_grad=True)", "torch.tensor([float('nan'), float('inf')])", "torch.tensor(torch.ones(2))",
    "torch.as_tensor([1, 2])", "torch.zeros(2, device='cpu')", "torch.zeros(2, device='meta')", "torch.zeros(2, device='nowhere')", "torch.ones(2, requires_grad=True)", "torch.zeros(2, dtype=torch.int64, requires_grad=True)", "torch.ones(3)[1]", "torch.zeros(2, dtype=float)", "torch.zeros(2, 3, out=torch.ones(1)).shape",
    "torch.promote_types(torch.int32, torch.float16)", "torch.result_type(torch.ones(2), 1j)", "torch.can_cast(torch.float64, torch.int64)", "torch.get_default_dtype()", "torch.finfo(torch.float32).eps", "torch.iinfo(torch.int8).max", "torch.is_tensor(5)", "torch.float32.itemsize", "torch.numel(torch.ones(2, 3))", "torch.tril_indices(2, 2)", "torch.meshgrid(torch.arange(2), torch.arange(3), indexing='ij')",
]
