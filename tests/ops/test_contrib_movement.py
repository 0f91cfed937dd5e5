"""Data movement of com.microsoft, CropAndResize, GridSample and CDist against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model, run
from tests.ops.strategies import shapes
from tests.ops.test_contrib_attention import Draws

MS: dict[str, Any] = {"domain": "com.microsoft", "oracle": "onnxruntime", "rtol": 1e-4, "atol": 1e-5}
EXAMPLES = settings(max_examples=20)


@given(data=st.data())
@EXAMPLES
def test_expand_dims(backend: Prepare, data: st.DataObject) -> None:
    shape = data.draw(shapes(max_rank=4))
    axis = np.array(data.draw(st.integers(-len(shape) - 1, len(shape))), np.int32)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    check(backend, "ExpandDims", [x, axis], outputs=[np.float32], **MS)


@given(data=st.data())
@EXAMPLES
def test_gather_nd(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    k = d.one_of(*range(1, len(shape) + 1))
    count = d.one_of((), (3,), (2, 2))
    index = np.stack([d.rng.integers(-n, n, count) for n in shape[:k]], axis=-1)
    inputs = [d.normal(*shape), index.astype(d.one_of(np.int32, np.int64))]
    check(backend, "GatherND", inputs, outputs=[np.float32], **MS)


@given(data=st.data(), mode=st.sampled_from(["constant", "reflect", "edge"]))
@EXAMPLES
def test_pad(backend: Prepare, data: st.DataObject, mode: str) -> None:
    d = Draws(data)
    shape = data.draw(shapes(min_rank=1, max_rank=3, allow_zero=False))
    pads = np.array([d.one_of(*range(-1 if n > 3 else 0, min(3, n))) for n in (*shape, *shape)])
    pads = pads[None] if d.one_of(False, True) else pads
    value = d.maybe(np.array([1.5], np.float32)) if mode == "constant" else None
    check(backend, "Pad", [d.normal(*shape), pads, value], outputs=[np.float32], mode=mode, **MS)


@given(data=st.data(), dtype=st.sampled_from([np.float32, np.float64, np.int16, np.int32, np.int64]))
@EXAMPLES
def test_range(backend: Prepare, data: st.DataObject, dtype: Any) -> None:
    d = Draws(data)
    shape = d.one_of((), (1,))
    delta = d.one_of(None, 1, 2, -1)
    values = [d.one_of(-3, 0, 4), d.one_of(-5, 0, 9), delta]
    inputs = [None if v is None else np.full(shape, v, dtype) for v in values]
    check(backend, "Range", inputs, outputs=[dtype], **MS)


@given(data=st.data())
@EXAMPLES
def test_trilu(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    dtype = d.one_of(np.float32, np.float64, np.int64)
    x = (3 * d.normal(*data.draw(shapes(min_rank=2, max_rank=4)))).astype(dtype)
    k = d.maybe(np.array(d.one_of(-2, 0, 3)))
    check(backend, "Trilu", [x, k], outputs=[dtype], upper=d.one_of(None, 0, 1), **MS)


@given(data=st.data())
@EXAMPLES
def test_unique(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    x = d.rng.integers(-3, 4, d.one_of(1, 2, 9, 33)).astype(np.float32)
    check(backend, "Unique", [x], outputs=[np.float32, np.int64, np.int64], **MS)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@given(data=st.data())
@EXAMPLES
def test_grid_sample(backend: Prepare, mode: str, data: st.DataObject) -> None:
    d = Draws(data)
    x = d.normal(d.one_of(1, 2), d.one_of(1, 3), d.one_of(2, 5), d.one_of(3, 7))
    grid = d.rng.uniform(-1.3, 1.3, (x.shape[0], d.one_of(1, 4), d.one_of(1, 6), 2)).astype(np.float32)
    # onnxruntime moves points to the border before it weighs their neighbours; the specification does after.
    borders = ["zeros", "reflection"] if mode == "bicubic" else ["zeros", "reflection", "border"]
    how = {"mode": mode, "padding_mode": d.one_of(*borders), "align_corners": d.one_of(0, 1)}
    check(backend, "GridSample", [x, grid], outputs=[np.float32], **how, **{**MS, "atol": 1e-4})


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@given(data=st.data())
@EXAMPLES
def test_crop_and_resize(backend: Prepare, mode: str, data: st.DataObject) -> None:
    d = Draws(data)
    x = d.normal(d.one_of(1, 3), d.one_of(1, 2), d.one_of(1, 5, 8), d.one_of(1, 7))
    count = d.one_of(1, 4)
    inputs = [
        x,
        d.rng.uniform(-0.2, 1.2, (count, 4)).astype(np.float32),
        d.rng.integers(0, x.shape[0], count, np.int32),
        np.array([d.one_of(1, 2, 5), d.one_of(1, 3)], np.int32),
    ]
    how = {"mode": mode, "extrapolation_value": d.one_of(None, 2.5)}
    check(backend, "CropAndResize", inputs, outputs=[np.float32], **how, **{**MS, "atol": 1e-4})


@given(data=st.data(), metric=st.sampled_from(["sqeuclidean", "euclidean"]))
@EXAMPLES
def test_cdist(backend: Prepare, data: st.DataObject, metric: str) -> None:
    d = Draws(data)
    dtype, k = d.one_of(np.float32, np.float64), d.one_of(1, 3, 17)
    inputs = [d.normal(d.one_of(1, 5), k, dtype=dtype), d.normal(d.one_of(1, 33), k, dtype=dtype)]
    close = {**MS, "rtol": 1e-3, "atol": 1e-3}
    check(backend, "CDist", inputs, outputs=[dtype], metric=metric, **close)


@given(data=st.data())
@EXAMPLES
def test_unfold(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    shape = data.draw(shapes(min_rank=1, max_rank=4, allow_zero=False))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    how = {"dim": axis, "size": d.one_of(*range(1, shape[axis] + 1)), "step": d.one_of(None, 1, 2, 5)}
    dtype = d.one_of(np.float32, np.int64)
    check(backend, "UnfoldTensor", [(9 * d.normal(*shape)).astype(dtype)], outputs=[dtype], **how, **MS)


@given(data=st.data(), kind=st.sampled_from([np.int32, np.int64, np.float32, np.float64, np.str_]))
@EXAMPLES
def test_murmur_hash(backend: Prepare, data: st.DataObject, kind: Any) -> None:
    d = Draws(data)
    if kind is np.str_:
        x = np.array([data.draw(st.text("abcäß日", max_size=9)) for _ in range(4)], dtype=object)
    else:
        x = (100 * d.normal(2, 5)).astype(kind)
    positive = d.one_of(0, 1)
    how = {"positive": positive, "seed": d.one_of(None, 7)}
    check(backend, "MurmurHash3", [x], outputs=[np.uint32 if positive else np.int32], **how, **MS)


@given(data=st.data())
@EXAMPLES
def test_dynamic_time_warping(backend: Prepare, data: st.DataObject) -> None:
    d = Draws(data)
    x = abs(d.normal(*d.one_of((), (1,)), d.one_of(1, 2, 5, 9), d.one_of(1, 3, 7, 13)))
    check(backend, "DynamicTimeWarping", [x], outputs=[np.int32], **MS)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("bad", [None, np.nan, np.inf, -np.inf])
def test_is_all_finite(backend: Prepare, dtype: Any, bad: float | None) -> None:
    # onnxruntime has it for GPUs only.
    good, other = np.ones((2, 3), dtype), np.ones(5, dtype)
    if bad is not None:
        other[3] = bad
    kind = "none" if bad is None else "nan" if np.isnan(bad) else "inf"
    for how, found in [({}, ("nan", "inf")), ({"isnan_only": 1}, ("nan",)), ({"isinf_only": 1}, ("inf",))]:
        want = [np.array(kind not in found)]
        check(backend, "IsAllFinite", [good, other], outputs=[np.bool_], domain="com.microsoft", oracle=want, **how)


def test_refusals(backend: Prepare) -> None:
    x, one = np.zeros((2, 3), np.float32), np.zeros(1, np.int32)
    image, boxes = x.reshape(1, 1, 2, 3), np.zeros((1, 4), np.float32)
    size = np.array([2, 2], np.int32)
    cases: list[tuple[str, list[Any], dict[str, Any], str]] = [
        ("ExpandDims", [x, np.array(4, np.int32)], {}, r"axis 4 is outside \[-3, 2\]"),
        ("IsAllFinite", [x], {"isinf_only": 1, "isnan_only": 1}, "isinf_only and isnan_only exclude each other"),
        ("UnfoldTensor", [x], {"size": 0}, "size and step must be positive; they are 0 and 1"),
        ("UnfoldTensor", [x], {"size": 4}, r"size 4 is larger than axis 1 of \[2,3\]"),
        ("DynamicTimeWarping", [x[0]], {}, r"\[M,N\] or \[1,M,N\]; the shape is \[3\]"),
        ("CDist", [x, x], {"metric": "cosine"}, "with the metric 'cosine'"),
        ("CDist", [x, x[:, :2]], {}, r"rows of one length; their shapes are \[2,3\] and \[2,2\]"),
        (
            "CropAndResize",
            [image, boxes, one, size],
            {"mode": "cubic"},
            "mode must be bilinear or nearest; it is cubic",
        ),
        ("CropAndResize", [image, boxes, one, 0 * size], {}, r"two positive sizes are needed; .* the sizes \[0,0\]"),
        ("CropAndResize", [image, boxes, one + 1, size], {}, r"index 1 is outside \[-1, 0\]"),
    ]
    for op, inputs, how, text in cases:
        output = {"DynamicTimeWarping": np.int32, "IsAllFinite": np.bool_}.get(op, np.float32)
        model = make_model(op, inputs, domain="com.microsoft", outputs=[output], **how)
        with pytest.raises(onnxlet.Error, match=text):
            run(backend, model, inputs)
