"""Functions of torch that no layer above uses, each as a model of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from tests.interop.torch_cases.registry import DYNAMO, SCRIPT, Inputs, add_function, integers, normal

Make = Callable[[], Inputs]


def x34() -> Inputs:
    return (normal(3, 4),)


def pair() -> Inputs:
    return normal(2, 3, 4), normal(3, 1, seed=1)


def whole() -> Inputs:
    return integers(-20, 20, 3, 4), integers(1, 7, 3, 4, seed=1)


def whole_one() -> Inputs:
    return (integers(-1, 2, 3, 4),)


def positive() -> Inputs:
    return (normal(3, 5).abs() + 0.1,)


def squares() -> Inputs:
    return (normal(2, 4, 4) + 4 * torch.eye(4),)


def index_put(x: torch.Tensor, at: torch.Tensor, values: torch.Tensor, accumulate: bool) -> torch.Tensor:
    return x.clone().index_put((at,), values, accumulate=accumulate)


def assign_slices(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, 1:3] = 0.5
    y[0, ::2] = y[1, ::2] * 2
    return y


def windows(x: torch.Tensor) -> torch.Tensor:
    return torch.stft(x, 16, 4, window=torch.hann_window(16), center=False, return_complex=True).abs()


def spectrum(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    y = torch.fft.rfft(x, dim=-1)
    return y.real, torch.view_as_real(torch.fft.fft(x, dim=1))[..., 1]


def filtered(x: torch.Tensor) -> torch.Tensor:
    return torch.fft.irfft(torch.fft.rfft(x) * 0.5, n=x.shape[-1])


def activations(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        F.elu(x, 0.7), F.selu(x), F.celu(x, 1.3), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x),
        F.hardtanh(x, -0.5, 0.7), F.hardswish(x), F.hardsigmoid(x), F.leaky_relu(x, 0.2), F.relu6(x), F.softplus(x, 2),
        F.softsign(x), F.tanhshrink(x), F.softshrink(x, 0.3), F.hardshrink(x, 0.3), F.threshold(x, 0, 0),
        F.logsigmoid(x), F.glu(x, -1), F.softmin(x, 0), F.log_softmax(x, 1), F.normalize(x),
    ]  # fmt: skip


def trigonometry(x: torch.Tensor) -> list[torch.Tensor]:
    u = torch.tanh(x)
    return [
        x.sin(), x.cos(), x.tan(), u.asin(), u.acos(), x.atan(), x.exp(), x.tanh(),
        x.erf(), x.sigmoid(), x.abs().sqrt(), x.abs().rsqrt(), x.reciprocal(), x.abs().log(), x.abs().log2(), x.abs().log1p(),
        x.floor(), x.ceil(), x.round(), x.sign(), x.square(), x.neg(),
    ]  # fmt: skip


def hyperbolic(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        x.sinh(),
        x.cosh(),
        x.asinh(),
        (x.abs() + 1).acosh(),
        x.tanh().atanh(),
        x.expm1(),
        x.trunc(),
        x.frac(),
        torch.exp2(x),
    ]


def reductions(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        x.sum(), x.sum(1), x.mean((0, 2), keepdim=True), x.amax(-1), x.amin(0, keepdim=True), x.prod(1), x.logsumexp(1),
        x.norm(), x.norm(1, dim=1), torch.linalg.vector_norm(x, dim=(0, 1)), x.std(1), x.var(-1, unbiased=False), x.argmax(),
        x.argmin(1, keepdim=True), x.max(1)[0], x.max(1)[1], x.min(), (x > 0).any(1), (x > -3).all(),
    ]  # fmt: skip


def shapes(x: torch.Tensor) -> list[torch.Tensor]:
    a, b, c = x.chunk(3, 1)
    return [
        a, torch.cat([b, c], -1), torch.stack([a, b], 1), *x.split([1, 3], 2), *x.unbind(0), x.permute(2, 0, 1), x.movedim(0, -1),
        x.reshape(x.shape[0], -1), x.flatten(1), x.unsqueeze(-1).expand(-1, -1, -1, 3), x.repeat(2, 1, 3), x.flip(0, 2),
        x.roll(2, 1), x.tile(1, 2, 1), x.narrow(1, 1, 2), x[:, -1], x[..., ::2], x[:, None, 1:, :-1], x.transpose(1, 2),
        torch.meshgrid(x[0, 0], x[0, :, 0], indexing="ij")[1], x.squeeze(), x.view_as(x), x.unflatten(2, (2, 2)),
    ]  # fmt: skip


def comparisons(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [
        x == y, x != y, x < y, x <= y, x > y, x >= y, torch.maximum(x, y), torch.minimum(x, y), torch.where(x > y, x, y),
        (x > 0) & (y > 0), (x > 0) | (y > 0), (x > 0) ^ (y > 0), ~(x > 0), x.clamp(min=0.1), x.clamp(-0.5, 0.5), x.isnan(),
    ]  # fmt: skip


def division(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [
        x % y, torch.fmod(x, y), x / y, torch.div(x, y, rounding_mode="trunc"), torch.remainder(x, 3), x * y, x - y, x + y, -x, x.abs(), x.float().fmod(2.5), torch.remainder(x.float(), -2.5),
    ]  # fmt: skip


def masked(x: torch.Tensor) -> list[torch.Tensor]:
    return [x[x > 0], x.masked_fill(x > 0, -1), x.nonzero(), torch.nonzero(x > 0, as_tuple=True)[1]]


def sorts(x: torch.Tensor) -> list[torch.Tensor]:
    return [*x.topk(3, 1), *x.topk(2, 0, largest=False), *x.sort(1, descending=True), *x.sort(0), x.argsort(1)]


def pads(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        F.pad(x, (1, 2)), F.pad(x, (-1, 1, 2, 0), value=7.0), F.pad(x, (2, 1), mode="reflect"), F.pad(x, (2, 1), mode="replicate"),
    ]  # fmt: skip


def losses(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [
        F.mse_loss(x, y), F.binary_cross_entropy_with_logits(x, y.sigmoid()), F.kl_div(x.log_softmax(1), y.softmax(1)),
        F.kl_div(x.log_softmax(1), y.log_softmax(1), reduction="none", log_target=True),
    ]  # fmt: skip


def more_losses(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [
        F.l1_loss(x, y, reduction="none"),
        F.smooth_l1_loss(x, y),
        F.huber_loss(x, y),
        F.soft_margin_loss(x, y.sign()),
    ]


def classes(x: torch.Tensor, target: torch.Tensor) -> list[torch.Tensor]:
    weight = torch.tensor([0.5, 1, 2, 0.25, 1])
    return [
        F.cross_entropy(x, target, ignore_index=2), F.nll_loss(x.log_softmax(1), target, weight=weight, reduction="sum"),
        F.cross_entropy(x, target, reduction="none"), F.one_hot(target, 5),
    ]  # fmt: skip


def einsums(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [
        torch.einsum("bij,bjk->bik", x, y), torch.einsum("bij,bjk->ik", x, y), torch.einsum("bij->bji", x),
        torch.einsum("bij,cjk->bcik", x, y), torch.einsum("bii->bi", x[:, :, :3]),
    ]  # fmt: skip


def integers_and_bits(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    return [x & y, x | y, x ^ y, ~x, x << 2, x >> 1]


def dtypes(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        x.to(torch.float64) * 2, x.to(torch.float16), (x * 100).to(torch.int32), (x * 100).to(torch.int8), x.abs().to(torch.uint8),
        (x > 0).to(torch.int64) + 1, x.bool(), x.double().sin(), x.half().float() + 1,
    ]  # fmt: skip


def linear_algebra(x: torch.Tensor) -> list[torch.Tensor]:
    return [torch.linalg.det(x), torch.baddbmm(x, x, x, beta=0.5, alpha=2), torch.linalg.cross(x[..., :3], x[..., 1:])]


def specials(x: torch.Tensor) -> list[torch.Tensor]:
    y = torch.cat([x / 0, x * 0 / 0, x])
    return [y.isnan(), y.isinf(), torch.nan_to_num(y, 1.0, 2.0, 3.0), torch.atan2(x, x.flip(0)), x.lerp(x + 1, 0.3)]


def from_sizes(x: torch.Tensor) -> list[torch.Tensor]:
    n = x.shape[0]
    return [
        torch.arange(n), torch.zeros(n, 2), x.new_full((n + 1,), 3.5), torch.eye(n), torch.linspace(0, 1, 5) * n,
        torch.arange(0, n, 2, dtype=torch.float32), torch.ones_like(x), torch.full((2, n), 1, dtype=torch.int64), torch.tensor(n) * 2,
    ]  # fmt: skip


FUNCTIONS: dict[str, tuple[Callable[..., Any], Make, dict[str, Any]]] = {
    "activations": (activations, x34, {"since": 12}),
    "trigonometry": (trigonometry, x34, {"since": 11}),
    "hyperbolic": (hyperbolic, x34, {"exporters": (DYNAMO,)}),
    "reductions": (reductions, lambda: (normal(2, 3, 4),), {"since": 11}),
    "shapes": (shapes, lambda: (normal(2, 3, 4),), {"since": 13}),
    "comparisons": (comparisons, pair, {"since": 12}),
    "division": (division, whole, {"since": 11}),
    "floor_division": (lambda x, y: [x // y, x.float() // 0.3], whole, {"since": 11}),
    "count_nonzero": (lambda x: [x.count_nonzero(), x.count_nonzero(1)], whole_one, {"exporters": (DYNAMO,)}),
    "masked": (masked, x34, {"since": 11}),
    "masked_select": (lambda x: x.masked_select(x < 0), x34, {"since": 11}),
    "sorts": (sorts, lambda: (normal(5, 6),), {"since": 11}),
    "pads": (pads, lambda: (normal(2, 3, 6),), {"since": 11}),
    "losses": (losses, lambda: (normal(3, 4), normal(3, 4, seed=1)), {"since": 12}),
    "more_losses": (more_losses, lambda: (normal(3, 4), normal(3, 4, seed=1)), {"exporters": (DYNAMO,)}),
    "classes": (classes, lambda: (normal(6, 5), torch.tensor([0, 1, 2, 3, 4, 2])), {"since": 12}),
    "einsums": (einsums, lambda: (normal(2, 3, 4), normal(2, 4, 5)), {"since": 12}),
    "bits": (integers_and_bits, whole, {"exporters": (DYNAMO,)}),
    "dtypes": (dtypes, x34, {"since": 13}),
    "linear_algebra": (linear_algebra, squares, {"since": 11}),
    "specials": (specials, x34, {"since": 11}),
    "from_sizes": (from_sizes, lambda: (normal(4, 3),), {"since": 11}),
    "index_put": (
        lambda x, at, v: index_put(x, at, v, False),
        lambda: (normal(5, 3), torch.tensor([0, -1]), normal(2, 3)),
        {"since": 11},
    ),
    "index_put_accumulate": (
        lambda x, at, v: index_put(x, at, v, True),
        lambda: (normal(5, 3), torch.tensor([0, 2, 0]), normal(3, 3)),
        {"since": 11},
    ),
    "index_two": (lambda x, i, j: x[i, :, j], lambda: (normal(4, 3, 5), torch.tensor([0, 2]), torch.tensor([4, 1])), {"since": 11}),
    "assign_slices": (assign_slices, lambda: (normal(3, 6),), {"since": 11}),
    "gather": (lambda x, i: x.gather(1, i), lambda: (normal(3, 5), integers(0, 5, 3, 2)), {}),
    "index_select": (lambda x, i: x.index_select(1, i), lambda: (normal(3, 5), torch.tensor([4, 0, 0])), {}),
    "take_along": (lambda x, i: torch.take_along_dim(x, i, 1), lambda: (normal(3, 5), integers(0, 5, 3, 2)), {"exporters": (DYNAMO,)}),
    "scatter": (lambda x, i, v: x.scatter(1, i, v), lambda: (normal(3, 5), integers(0, 5, 3, 1), normal(3, 1)), {}),
    "scatter_add": (lambda x, i, v: x.scatter_add(0, i, v), lambda: (normal(3, 4), integers(0, 3, 6, 4), normal(6, 4)), {"since": 16}),
    **{
        f"scatter_reduce_{how}": (
            lambda x, i, v, how=how: x.scatter_reduce(0, i, v, reduce=how),
            lambda: (normal(3, 4), integers(0, 3, 6, 4), normal(6, 4)),
            {"since": 16 if how == "prod" else 18},
        )
        for how in ("prod", "amax", "amin")
    },
    "index_add": (lambda x, i, v: x.index_add(0, i, v), lambda: (normal(5, 3), torch.tensor([1, 1, 4]), normal(3, 3)), {"since": 16}),
    "cumsum": (lambda x: [x.cumsum(1), x.cumsum(0, dtype=torch.float64)], x34, {"since": 11}),
    "triangles": (lambda x: [x.tril(), x.triu(1), x.tril(-1)], lambda: (normal(4, 4),), {"since": 14}),
    "unique": (lambda x: torch.unique(x, return_inverse=True, return_counts=True), lambda: (integers(0, 5, 12),), {"since": 11, "exporters": (SCRIPT,)}),
    "repeat_interleave": (lambda x: x.repeat_interleave(3, 1), x34, {"since": 11}),
    "repeat_by": (lambda x, n: x.repeat_interleave(n, 0), lambda: (normal(3, 4), torch.tensor([2, 0, 3])), {"since": 13}),
    "embedding_bag": (
        lambda w, i, o: F.embedding_bag(i, w, o, mode="mean"),
        lambda: (normal(10, 3), integers(0, 10, 7), torch.tensor([0, 3, 5])),
        {"since": 11},
    ),
    "cdist": (torch.cdist, lambda: (normal(4, 3), normal(5, 3)), {"since": 11}),
    "bucketize": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 0.7])), x34, {"since": 11}),
    "matmuls": (
        lambda x, y: [x @ y, torch.matmul(x[0], y[0]), torch.addmm(x[0] @ y[0], x[0], y[0], beta=0.3, alpha=2), torch.mv(x[0], y[0, :, 0])],
        lambda: (normal(2, 3, 4), normal(2, 4, 3)),
        {},
    ),
    "bilinear": (lambda x, y, w: F.bilinear(x, y, w), lambda: (normal(2, 3), normal(2, 4), normal(5, 3, 4)), {"exporters": (DYNAMO,)}),
    "cosine": (lambda x, y: F.cosine_similarity(x, y), lambda: (normal(3, 4), normal(3, 4, seed=1)), {}),
    "roundings": (lambda x: [torch.round(x * 10, decimals=1), torch.round(x, decimals=2)], x34, {"since": 11}),
    "float64": (lambda x: [x.exp() @ x.transpose(1, 2), x.softmax(-1), F.layer_norm(x, (4,))], lambda: (normal(2, 3, 4).double(),), {}),
    "stft": (windows, lambda: (normal(2, 64),), {"exporters": (DYNAMO,)}),
    "fft": (spectrum, lambda: (normal(2, 8, 15),), {"exporters": (DYNAMO,)}),
    "fft_filter": (filtered, lambda: (normal(2, 12),), {"exporters": (DYNAMO,)}),
    "polynomials": (lambda x: [x**2, x**3.0, 2.0**x, x.abs() ** x, x.pow(-1)], positive, {"since": 12}),
    "tensor_clamp": (lambda x: x.clamp(x.mean(0) - 1, x.mean(0) + 1), x34, {"since": 12}),
    "uint8_picture": (
        lambda x: (x.permute(0, 3, 1, 2).float() / 255 - torch.tensor([0.5, 0.4, 0.3]).view(1, 3, 1, 1)).clamp(-0.2, 0.4),
        lambda: (integers(0, 256, 1, 5, 6, 3).to(torch.uint8),),
        {"since": 12},
    ),
}  # fmt: skip
for _name, (_function, _make, _how) in FUNCTIONS.items():
    add_function(_name, _function, lambda make=_make: [make()], **_how)
