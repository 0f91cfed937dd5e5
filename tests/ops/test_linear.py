"""MatMul, Gemm, Einsum, integer products and few-bit products against onnx.reference, onnxruntime or numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model
from tests.ops.strategies import SIZES
from tests.support.oracle import within_oracle

EXAMPLES = settings(max_examples=40, deadline=None, print_blob=True)
SIZE = st.sampled_from(SIZES)
POSITIVE = st.sampled_from(SIZES[1:])


def numbers(shape: tuple[int, ...], dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(max(info.min, -1000), min(info.max, 1000), shape, endpoint=True, dtype=dtype)
    return rng.standard_normal(shape).astype(dtype)


@st.composite
def matmul_shapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    m, n, k = draw(SIZE), draw(SIZE), draw(SIZE)
    batch = draw(st.lists(st.sampled_from([1, 2, 3]), max_size=3))
    a = [1 if draw(st.booleans()) else d for d in batch][draw(st.integers(0, len(batch))) :]
    b = batch[draw(st.integers(0, len(batch))) :]
    left, right = (*a, m, k), (*b, k, n)
    kind = draw(st.integers(0, 5))
    return ((k,) if kind == 0 else left), ((k,) if kind == 1 else right)


@given(
    shapes=matmul_shapes(),
    dtype=st.sampled_from([np.float32, np.float64, np.float16, np.int32, np.uint64]),
    constant=st.booleans(),
)
@EXAMPLES
def test_matmul(backend: Prepare, shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any, constant: bool) -> None:
    a, b = numbers(shapes[0], dtype), numbers(shapes[1], dtype, 1)
    wide = np.float32 if dtype == np.float16 else dtype
    expected = np.matmul(a.astype(wide), b.astype(wide)).astype(dtype)
    tolerance = 2e-3 if dtype == np.float16 else 1e-5
    check(
        backend,
        "MatMul",
        [a, b],
        oracle=[expected],
        constants=(1,) if constant else (),
        outputs=[dtype],
        rtol=tolerance,
        atol=tolerance * 10,
    )


@given(
    m=SIZE,
    n=POSITIVE,
    k=POSITIVE,
    trans=st.tuples(st.booleans(), st.booleans()),
    c=st.sampled_from([None, "n", "1n", "m1", "mn", "1", "scalar"]),
    factors=st.sampled_from([(1.0, 1.0), (0.5, 2.0), (1.0, 0.0), (0.25, 1.0)]),
    dtype=st.sampled_from([np.float32, np.float64, np.int64]),
    constant=st.booleans(),
)
@EXAMPLES
def test_gemm(
    backend: Prepare,
    m: int,
    n: int,
    k: int,
    trans: tuple[bool, bool],
    c: str | None,
    factors: Any,
    dtype: Any,
    constant: bool,
) -> None:
    if dtype == np.int64:
        factors = (1.0, 1.0)
    a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
    shapes = {"n": (n,), "1n": (1, n), "m1": (m, 1), "mn": (m, n), "1": (1,), "scalar": ()}
    bias = None if c is None else numbers(shapes[c], dtype, 2)
    expected = np.asarray(factors[0] * (a @ b), dtype)
    if bias is not None:
        expected = np.asarray(expected + factors[1] * bias, dtype)
    check(
        backend,
        "Gemm",
        [a.T.copy() if trans[0] else a, b.T.copy() if trans[1] else b, bias],
        oracle=[expected],
        outputs=[dtype],
        constants=(1,) if constant else (),
        transA=int(trans[0]),
        transB=int(trans[1]),
        alpha=factors[0],
        beta=factors[1],
        atol=1e-4,
    )


@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 300, 1100), (1, 33, 5), (70, 1, 600), (130, 300, 513), (3, 70, 20000), (65, 65, 1)]
)
def test_matmul_large(backend: Prepare, m: int, n: int, k: int) -> None:
    a, b = numbers((m, k)), numbers((k, n), seed=1)
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    check(backend, "MatMul", [a, b], oracle=[expected], atol=1e-4 * k**0.5)
    check(backend, "MatMul", [a, b], oracle=[expected], atol=1e-4 * k**0.5, constants=(1,))


EQUATIONS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (3, 4, 5)),
    ("ij->ji", (3, 4)),
    ("ii->i", (4, 4)),
    ("ii", (4, 4)),
    ("iij->j", (3, 3, 5)),
    ("i,j->ij", (3,), (4,)),
    ("i,i->", (7,), (7,)),
    ("bhqd,bhkd->bhqk", (2, 3, 5, 4), (2, 3, 6, 4)),
    ("bqhd,bkhd->bhqk", (2, 5, 3, 4), (2, 6, 3, 4)),
    ("bhqk,bkhd->bqhd", (2, 3, 5, 6), (2, 6, 3, 4)),
    ("abc,cd,de->abe", (2, 3, 4), (4, 5), (5, 6)),
    ("ij,kl->", (2, 3), (4, 5)),
    ("i...->...", (3, 4, 5)),
    ("...->...", (3, 4)),
    ("ab...,b->a...", (2, 3, 4), (3,)),
    ("ijkl,jilm->mk", (2, 3, 4, 5), (3, 2, 5, 6)),
    ("AB,Bc->cA", (2, 3), (3, 4)),
    (" i j , j k -> k i ", (2, 3), (3, 4)),
    ("iij,jkk->ik", (3, 3, 2), (2, 4, 4)),
    ("ij,ij->ij", (1, 3), (4, 3)),
    ("ij,jk->ik", (3, 0), (0, 5)),
]


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda c: c[0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
def test_einsum(backend: Prepare, case: tuple[Any, ...], dtype: Any) -> None:
    equation, *shapes = case
    operands = [numbers(shape, dtype, i) for i, shape in enumerate(shapes)]
    expected = np.einsum(equation, *operands).astype(dtype)
    check(backend, "Einsum", operands, oracle=[expected], outputs=[dtype], equation=equation, atol=1e-4)


@given(
    m=SIZE,
    n=POSITIVE,
    k=POSITIVE,
    types=st.tuples(st.sampled_from([np.uint8, np.int8]), st.sampled_from([np.uint8, np.int8])),
    per_column=st.booleans(),
    batch=st.sampled_from([(), (2,), (2, 3)]),
    constant=st.booleans(),
)
@EXAMPLES
def test_matmul_integer(
    backend: Prepare, m: int, n: int, k: int, types: Any, per_column: bool, batch: tuple[int, ...], constant: bool
) -> None:
    a, b = numbers((*batch, m, k), types[0]), numbers((k, n), types[1], 1)
    a_zero, b_zero = numbers((), types[0], 2), numbers((n,) if per_column else (), types[1], 3)
    expected = np.matmul(a.astype(np.int32) - a_zero.astype(np.int32), b.astype(np.int32) - b_zero.astype(np.int32))
    check(
        backend,
        "MatMulInteger",
        [a, b, a_zero, b_zero],
        oracle=[expected],
        outputs=[np.int32],
        opset=10,
        constants=(1,) if constant else (),
    )


@pytest.mark.parametrize("types", [(np.uint8, np.uint8), (np.uint8, np.int8), (np.int8, np.int8)])
@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("shape", [((7, 33), (33, 13)), ((2, 5, 8), (8, 17)), ((2, 5, 8), (2, 8, 3))])
def test_qlinear_matmul(backend: Prepare, types: Any, per_column: bool, shape: Any) -> None:
    if per_column and len(shape[1]) == 3:
        pytest.skip("onnxruntime takes vectors for matrices only")
    a, b = numbers(shape[0], types[0]), within_oracle(numbers(shape[1], types[1], 1))
    n = shape[1][-1]
    b_scale = np.linspace(0.01, 0.05, n, dtype=np.float32) if per_column else np.array(0.02, np.float32)
    b_zero = numbers((n,) if per_column else (), types[1], 3)
    if per_column:
        b_zero[:] = 3
    inputs = [
        a,
        np.array(0.03, np.float32),
        numbers((), types[0], 2),
        b,
        b_scale,
        b_zero,
        np.array(0.9, np.float32),
        numbers((), types[0], 4),
    ]
    check(backend, "QLinearMatMul", inputs, oracle="onnxruntime", outputs=[types[0]], opset=10, atol=1)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("b_type", [np.int8, np.uint8])
def test_matmul_integer_to_float(backend: Prepare, bias: bool, b_type: Any) -> None:
    a, b = numbers((3, 5, 16), np.uint8), within_oracle(numbers((16, 9), b_type, 1))
    scale = np.linspace(0.01, 0.05, 9, dtype=np.float32)
    inputs = [
        a,
        b,
        np.array(0.1, np.float32),
        scale,
        np.array(7, np.uint8),
        np.full(9, 3, b_type),
        numbers((9,), np.float32, 2) if bias else None,
    ]
    check(
        backend,
        "MatMulIntegerToFloat",
        inputs,
        oracle="onnxruntime",
        domain="com.microsoft",
        outputs=[np.float32],
        atol=1e-3,
    )
    x = numbers((2, 7, 16))
    inputs = [x, b, scale, np.full(9, 3, b_type), numbers((9,), np.float32, 2) if bias else None]
    check(
        backend,
        "DynamicQuantizeMatMul",
        inputs,
        oracle="onnxruntime",
        domain="com.microsoft",
        outputs=[np.float32],
        atol=1e-3,
    )


@pytest.mark.parametrize("to_float", [False, True])
@pytest.mark.parametrize("trans", [(0, 0), (1, 0), (0, 1)])
def test_qgemm(backend: Prepare, to_float: bool, trans: tuple[int, int]) -> None:
    a, b = (
        numbers((6, 16) if not trans[0] else (16, 6), np.uint8),
        within_oracle(numbers((16, 9) if not trans[1] else (9, 16), np.int8, 1)),
    )
    inputs: list[Any] = [
        a,
        np.array(0.1, np.float32),
        np.array(100, np.uint8),
        b,
        np.array(0.05, np.float32),
        np.array(1, np.int8),
        numbers((9,), np.int32, 3),
    ]
    if not to_float:
        inputs += [np.array(2.5, np.float32), np.array(128, np.uint8)]
    check(
        backend,
        "QGemm",
        inputs,
        oracle="onnxruntime",
        domain="com.microsoft",
        outputs=[np.float32 if to_float else np.uint8],
        transA=trans[0],
        transB=trans[1],
        alpha=1.0,
        atol=1e-2 if to_float else 1,
    )


@pytest.mark.parametrize("trans", [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 1, 1)])
def test_fused_matmul(backend: Prepare, trans: tuple[int, ...]) -> None:
    a, b = numbers((2, 4, 5)), numbers((2, 5, 3), seed=1)
    if trans[0]:
        a = np.ascontiguousarray(a.swapaxes(1, 2))
    if trans[1]:
        b = np.ascontiguousarray(b.swapaxes(1, 2))
    if trans[2]:
        a = np.ascontiguousarray(a.swapaxes(0, 1))
    if trans[3]:
        b = np.ascontiguousarray(b.swapaxes(0, 1))
    names = dict(zip(("transA", "transB", "transBatchA", "transBatchB"), trans, strict=True))
    check(backend, "FusedMatMul", [a, b], oracle="onnxruntime", domain="com.microsoft", alpha=0.5, **names)


@pytest.mark.parametrize("shape", [(5, 7), (7,), (2, 3, 5, 7), (0, 7), (3, 0)])
@pytest.mark.parametrize("constants", [(), (1,)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_matmul_with_bias(
    backend: Prepare, shape: tuple[int, ...], constants: tuple[int, ...], dtype: type
) -> None:
    """The bias is our own input: the passes put it there."""
    a, b, bias = (v.astype(dtype) for v in (numbers(shape), numbers((shape[-1], 9), seed=1), numbers((9,), seed=2)))
    check(
        backend,
        "FusedMatMul",
        [a, b, bias],
        oracle=[0.5 * (a @ b) + bias],
        domain="com.microsoft",
        alpha=0.5,
        constants=constants,
    )


def test_fused_matmul_refuses_another_bias(backend: Prepare) -> None:
    inputs = [numbers((5, 7)), numbers((7, 9)), numbers((8,))]
    with pytest.raises(Exception, match=r"the bias needs one value per column; it is \[8\], the result \[5,9\]"):
        check(backend, "FusedMatMul", inputs, oracle=[numbers((5, 9))], domain="com.microsoft")


@pytest.mark.parametrize("activation", ["Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid"])
def test_fused_gemm(backend: Prepare, activation: str) -> None:
    extra = {"activation_alpha": 0.2} if activation == "LeakyRelu" else {}
    if activation == "HardSigmoid":
        extra = {"activation_alpha": 0.3, "activation_beta": 0.4}
    inputs = [numbers((5, 7)), numbers((7, 9), seed=1), numbers((9,), seed=2)]
    check(backend, "FusedGemm", inputs, oracle="onnxruntime", domain="com.microsoft", activation=activation, **extra)


def packed_numbers(values: np.ndarray, bits: int) -> np.ndarray:
    """Numbers of `bits` bits along the last axis, from the lowest bit of a byte upwards; rows padded to whole bytes."""
    stream = np.unpackbits(values[..., None].astype(np.uint8), axis=-1, bitorder="little")[..., :bits]
    return np.packbits(stream.reshape(*values.shape[:-1], -1), axis=-1, bitorder="little")


class FewBits:
    """Weights [n, k] of few bits in blocks, as MatMulNBits takes them, and what they mean."""

    def __init__(self, n: int, k: int, bits: int, block: int, zero_points: str) -> None:
        blocks, rng = -(-k // block), np.random.default_rng(5)
        q = rng.integers(0, 1 << bits, (n, blocks, block), dtype=np.uint8)
        zero = np.full((n, blocks), 1 << (bits - 1), np.float32)
        if zero_points == "packed":
            zero = rng.integers(0, 1 << bits, (n, blocks)).astype(np.float32)
        if zero_points == "float":
            zero = (rng.random((n, blocks)) * (1 << bits)).astype(np.float32)
        scale = rng.uniform(0.01, 0.1, (n, blocks)).astype(np.float32)
        self.values = ((q.astype(np.float32) - zero[..., None]) * scale[..., None]).reshape(n, -1)[:, :k]
        forms = {"none": None, "float": zero, "packed": packed_numbers(zero, bits).reshape(-1)}
        self.inputs: list[Any] = [packed_numbers(q, bits), scale.reshape(-1), forms[zero_points], None]
        self.attributes: dict[str, Any] = {"domain": "com.microsoft", "K": k, "N": n, "bits": bits, "block_size": block}


def rounded_to_8_bits(x: np.ndarray, unit: int) -> np.ndarray:
    """Units of neighbours with the largest at 127 or -127, as products of accuracy_level 4 may have them."""
    k = x.shape[-1]
    parts = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, -k % unit)]).reshape(*x.shape[:-1], -1, unit)
    largest = np.abs(parts).max(-1, keepdims=True)
    rounded = np.rint(parts * (np.float32(127) / largest)) * (largest / 127)
    return np.asarray(rounded.reshape(*x.shape[:-1], -1)[..., :k], np.float32)


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("block", [16, 32, 128])
@pytest.mark.parametrize("zero_points", ["none", "packed", "float"])
@pytest.mark.parametrize(("rows", "k"), [(1, 96), (3, 64), (9, 72)])
def test_matmul_nbits(backend: Prepare, bits: int, block: int, zero_points: str, rows: int, k: int) -> None:
    w = FewBits(19, k, bits, block, zero_points)
    x, bias = numbers((2, rows, k)), numbers((19,), seed=1)
    for level, a in ((0, x), (4, x if block == 16 else rounded_to_8_bits(x, 32))):
        check(
            backend,
            "MatMulNBits",
            [x, *w.inputs, bias],
            oracle=[a @ w.values.T + bias],
            outputs=[np.float32],
            constants=(1, 2, 3) if level else (),
            accuracy_level=level,
            atol=1e-3,
            **w.attributes,
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_matmul_nbits_of_level_4_is_close_to_onnxruntime(backend: Prepare, dtype: Any) -> None:
    w = FewBits(64, 256, 4, 32, "packed")
    w.inputs[1] = w.inputs[1].astype(dtype)
    x = numbers((5, 256), dtype)
    options = {"constants": (1, 2, 3), "accuracy_level": 4, **w.attributes}
    check(backend, "MatMulNBits", [x, *w.inputs], oracle="onnxruntime", outputs=[dtype], atol=0.15, **options)


@pytest.mark.parametrize("constant", [False, True])
def test_matmul_nbits_names_sizes_that_do_not_fit(backend: Prepare, constant: bool) -> None:
    w = FewBits(8, 64, 4, 32, "packed")
    wrong = [numbers((1, 64)), w.inputs[0], w.inputs[1][:-1], w.inputs[2]]
    model = make_model("MatMulNBits", wrong, constants=(1, 2, 3) if constant else (), accuracy_level=4, **w.attributes)
    feeds = [wrong[0]] if constant else wrong
    with pytest.raises(Exception, match="scales 16 values for K = 64, N = 8, block_size = 32; got 256 and 15"):
        backend(model.SerializeToString()).run(feeds)


@pytest.mark.parametrize("quant_type", [0, 1])
def test_matmul_bnb4(backend: Prepare, quant_type: int) -> None:
    k, n, block, rng = 64, 10, 32, np.random.default_rng(5)
    inputs = [
        numbers((3, k)),
        rng.integers(0, 256, k * n // 2, dtype=np.uint8),
        rng.uniform(0.1, 1, k * n // block).astype(np.float32),
    ]
    check(
        backend,
        "MatMulBnb4",
        inputs,
        oracle="onnxruntime",
        domain="com.microsoft",
        outputs=[np.float32],
        K=k,
        N=n,
        block_size=block,
        quant_type=quant_type,
        atol=1e-4,
    )


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_det_and_inverse(backend: Prepare, n: int) -> None:
    x = numbers((2, 3, n, n)) + 2 * np.eye(n, dtype=np.float32)
    check(backend, "Det", [x], rtol=1e-4, atol=1e-4)
    check(
        backend,
        "Inverse",
        [x],
        oracle=[np.linalg.inv(x)],
        domain="com.microsoft",
        outputs=[np.float32],
        rtol=1e-3,
        atol=1e-3,
    )
