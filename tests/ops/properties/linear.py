"""Matrix products and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from onnx import numpy_helper

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
    # One scale, or one per row of a matrix a, or per column of b.
    rows = (left[0],) if len(left) == 2 and d.flag() else ()
    columns = (right[-1],) if len(right) == 2 and d.flag() else ()
    az, bz, yz = d.array(at, rows), d.array(bt, columns), d.array(yt, ())
    # Powers of two: half-precision scales multiply without rounding.
    a_scale, b_scale, y_scale = (
        np.asarray(2.0 ** d.plain(np.int64, shape, -6, 2)).astype(scale_type) for shape in (rows, columns, ())
    )
    by_row = (lambda v: v[:, None]) if rows else (lambda v: v)
    total = np.matmul(a.astype(np.int64) - by_row(az.astype(np.int64)), b.astype(np.int64) - bz.astype(np.int64))
    if rows and len(right) == 1:
        by_row = lambda v: v  # noqa: E731  (the product has one axis: the rows)
    info = np.iinfo(yt)
    want = np.clip(
        np.rint(total * (by_row(wide(a_scale)) * wide(b_scale) / wide(y_scale))) + int(yz), info.min, info.max
    )
    inputs = [a, a_scale, az, b, b_scale, bz, y_scale, yz]
    return Sample(inputs, answer=[np.asarray(want).astype(yt)], constants=d.choice([(), (3,), (3, 4, 5)]))


@prop("QLinearMatMul", since=21)
def qlinear_matmul_of_float8(d: Draw) -> Sample:
    """Small whole numbers and powers of two: the product is exact before it is rounded once."""
    at, bt, yt = d.dtype("T1", only="f"), d.dtype("T2", only="f"), d.dtype("T3", only="f")
    scale_type = d.dtype("TS")
    m, k, n = d.integer(1, 3), d.integer(1, 4), d.integer(1, 3)
    a, b = d.plain(np.int64, (m, k), -3, 3).astype(at), d.plain(np.int64, (k, n), -3, 3).astype(bt)
    scales = [np.array(2.0 ** d.integer(-2, 1)).astype(scale_type) for _ in range(3)]
    zeros = [np.zeros((), t) for t in (at, bt, yt)]
    scaled = wide(a) @ wide(b) * (wide(scales[0]) * wide(scales[1]) / wide(scales[2]))
    want = numpy_helper.saturate_cast(scaled.astype(np.float32), yt)
    inputs = [a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2]]
    return Sample(inputs, answer=[np.asarray(want)])


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


@prop("Einsum")
def einsum_of_letters(d: Draw) -> Sample:
    """Drawn terms: any letters, repeated or not, and any of them kept."""
    dtype = d.dtype("T")
    sizes = {letter: d.choice([1, 2, 3]) for letter in "abcd"}
    terms = ["".join(d.choice("abcd") for _ in range(d.integer(0, 3))) for _ in range(d.integer(1, 3))]
    letters = sorted(set("".join(terms)))
    kept = "".join(letter for letter in d.draw(st.permutations(letters)) if d.flag()) if letters else ""
    equation = ",".join(terms) + "->" + kept
    operands = [d.plain(dtype, tuple(sizes[letter] for letter in term), -1, 1) for term in terms]
    whole = [v if kind_of(dtype) in "iu" else wide(v) for v in operands]
    want = np.asarray(np.einsum(equation, *whole)).astype(dtype)
    return Sample(operands, {"equation": equation}, [want], atol=slack(dtype, 60))


@prop("Det")
def det(d: Draw) -> Sample:
    dtype = d.dtype("T")
    n = d.integer(1, 5)
    x = d.plain(dtype, (*d.shape(0, 2), n, n))
    return Sample([x], answer=[np.asarray(np.linalg.det(wide(x))).astype(dtype)], rtol=1e-3, atol=slack(dtype, 200))
