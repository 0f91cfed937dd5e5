"""Matrix products and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import wide
from tests.ops.strategies import kind_of


def factors(d: Draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes that numpy's matmul takes: vectors, matrices, stacks that broadcast."""
    m, k, n = d.size(), d.size(), d.size()
    left, right = d.broadcastable(2, 2)
    a, b = (*left, m, k), (*right, k, n)
    if d.integer(0, 5) == 0:
        a = (k,)
    if d.integer(0, 5) == 0:
        b = (k,)
    return a, b


@prop("MatMul")
def matmul(d: Draw) -> Sample:
    dtype = d.dtype("T")
    left, right = factors(d)
    a, b = d.plain(dtype, left, -1, 1), d.plain(dtype, right, -1, 1)
    want = np.matmul(a, b) if kind_of(dtype) in "iu" else np.matmul(wide(a), wide(b))
    return Sample(
        [a, b], answer=[np.asarray(want).astype(dtype)], constants=d.choice([(), (1,)]), atol=slack(dtype, 30)
    )


@prop("MatMulInteger")
def matmul_integer(d: Draw) -> Sample:
    at, bt = d.dtype("T1"), d.dtype("T2")
    left, right = factors(d)
    a, b = d.array(at, left), d.array(bt, right)
    az = d.array(at, d.choice([(), (1,), *([(left[-2],)] if len(left) == 2 and left[0] else [])])) if d.flag() else None
    bz = (
        d.array(bt, d.choice([(), (1,), *([(right[-1],)] if len(right) > 1 and right[-1] else [])]))
        if d.flag()
        else None
    )
    shifted_a, shifted_b = a.astype(np.int64), b.astype(np.int64)
    if az is not None:
        shifted_a = shifted_a - (az.reshape(-1, 1) if az.size > 1 else az.reshape(())).astype(np.int64)
    if bz is not None:
        shifted_b = shifted_b - bz.reshape(() if bz.size == 1 else bz.shape).astype(np.int64)
    want = np.asarray(np.matmul(shifted_a, shifted_b)).astype(np.int32)
    return Sample([a, b, az, bz], answer=[want], constants=d.choice([(), (1,)]))


@prop("QLinearMatMul")
def qlinear_matmul(d: Draw) -> Sample:
    at, bt, yt = d.dtype("T1", only="iu"), d.dtype("T2", only="iu"), d.dtype("T3", only="iu")
    scale_type = d.dtype("TS") if d.version >= 21 else np.float32
    left, right = factors(d)
    a, b = d.array(at, left), d.array(bt, right)
    az, bz, yz = d.array(at, ()), d.array(bt, ()), d.array(yt, ())
    # Powers of two: half-precision scales multiply without rounding.
    a_scale, b_scale, y_scale = (np.array(2.0 ** d.integer(-6, 2)).astype(scale_type) for _ in range(3))
    total = np.matmul(a.astype(np.int64) - int(az), b.astype(np.int64) - int(bz))
    info = np.iinfo(yt)
    want = np.clip(np.rint(total * (wide(a_scale) * wide(b_scale) / wide(y_scale))) + int(yz), info.min, info.max)
    inputs = [a, a_scale, az, b, b_scale, bz, y_scale, yz]
    return Sample(inputs, answer=[np.asarray(want).astype(yt)], constants=d.choice([(), (3,), (3, 4, 5)]))


@prop("Gemm")
def gemm(d: Draw) -> Sample:
    dtype = d.dtype("T")
    m, k, n = d.size(), d.size(), d.size()
    attributes: dict[str, Any] = {}
    ta, tb = (d.attribute(name, st.integers(0, 1), attributes) for name in ("transA", "transB"))
    whole = kind_of(dtype) in "iu"
    factor = st.integers(0, 3).map(float) if whole else st.floats(-2, 2, width=32)
    alpha, beta = (d.attribute(name, factor, attributes) for name in ("alpha", "beta"))
    a = d.plain(dtype, (k, m) if ta else (m, k), -1, 1)
    b = d.plain(dtype, (n, k) if tb else (k, n), -1, 1)
    shapes: list[Any] = [(m, n)]
    if d.version < 7:
        if d.flag():
            attributes["broadcast"] = 1
            shapes = [(m, n), (n,), (1,), (m, 1)] if d.version == 6 else [(m, n), (n,), (1,)]
    else:
        shapes += [(n,), (1, n), (m, 1), (1, 1), (1,), ()] + [None] * (d.version >= 11)
    shape = d.choice(shapes)
    c = None if shape is None else d.plain(dtype, shape, -1, 1)
    wa, wb = (v.astype(np.int64) if whole else wide(v) for v in (a, b))
    want = alpha * ((wa.T if ta else wa) @ (wb.T if tb else wb))
    if c is not None:
        want = want + beta * (c.astype(np.int64) if whole else wide(c))
    if whole:
        want = want.astype(np.int64)
    return Sample([a, b, c], attributes, [want.astype(dtype)], constants=d.choice([(), (1,)]), atol=slack(dtype, 40))


EQUATIONS = (
    "ij->ji", "ij,jk->ik", "ij,jk", "bij,bjk->bik", "i,i->", "i,j->ij", "ii->i", "ii", "iji->j", "ij,ij->ij", "...ij,...jk->...ik",
    "...i->...", "i...->...i", "b...,c...->bc...", "ij,jk,kl->il", " i j , j k -> k i ", "ijk->", "i,i,i->i", "aij,bij->ab", "A,a->Aa",
)  # fmt: skip


@prop("Einsum")
def einsum(d: Draw) -> Sample:
    dtype = d.dtype("T")
    equation = d.choice(EQUATIONS)
    sizes: dict[str, int] = {}
    rest = [d.integer(1, 3) for _ in range(d.integer(0, 2))]
    operands = []
    for term in equation.partition("->")[0].replace(" ", "").split(","):
        shape: list[int] = []
        front, dots, back = term.partition("...")
        for letter in front:
            shape.append(sizes.setdefault(letter, d.choice([0, 1, 2, 3, 5])))
        if dots:
            shape += rest
        for letter in back:
            shape.append(sizes.setdefault(letter, d.choice([0, 1, 2, 3, 5])))
        operands.append(d.plain(dtype, tuple(shape), -1, 1))
    whole = [v if kind_of(dtype) in "iu" else wide(v) for v in operands]
    return Sample(
        operands, {"equation": equation}, [np.asarray(np.einsum(equation, *whole)).astype(dtype)], atol=slack(dtype, 30)
    )


@prop("Det")
def det(d: Draw) -> Sample:
    dtype = d.dtype("T")
    n = d.integer(1, 5)
    x = d.plain(dtype, (*d.shape(0, 2), n, n))
    return Sample([x], answer=[np.asarray(np.linalg.det(wide(x))).astype(dtype)], rtol=1e-3, atol=slack(dtype, 200))
