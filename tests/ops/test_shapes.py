"""Reshape, transpose, concat/split, slice, pad and gather families: random shapes, all against numpy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check
from tests.ops.strategies import arrays, axes, shapes, sizes

EXACT: dict[str, Any] = {"rtol": 0, "atol": 0}
DTYPES = [np.float32, np.float64, np.float16, np.int64, np.int32, np.int8, np.uint8, np.uint16, np.bool_, object]
some = settings(max_examples=60, deadline=None)


def any_array(shape: Any = None) -> st.SearchStrategy[np.ndarray]:
    return st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, shape))


@some
@given(data=st.data(), x=any_array(shapes(1, 5)))
def test_transpose(backend: Prepare, data: Any, x: Any) -> None:
    perm = data.draw(st.permutations(range(x.ndim)))
    check(backend, "Transpose", [x], oracle=[np.transpose(x, perm)], perm=perm, **EXACT)


@pytest.mark.parametrize("shape", [(31, 33), (4, 64), (1, 7), (128, 128), (3, 65, 5), (2, 33, 31, 3), (5, 1, 37)])
@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.float64, np.complex128])
def test_transpose_blocks(backend: Prepare, shape: Any, dtype: Any) -> None:
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for perm in (None, *[np.roll(range(x.ndim), k).tolist() for k in range(x.ndim)]):
        check(backend, "Transpose", [x], oracle=[np.transpose(x, perm)], perm=perm, **EXACT)


@some
@given(data=st.data(), x=any_array())
def test_reshape_flatten(backend: Prepare, data: Any, x: Any) -> None:
    at = data.draw(st.integers(0, x.ndim))
    front = int(np.prod(x.shape[:at]))
    check(
        backend,
        "Flatten",
        [x],
        oracle=[x.reshape(front, x.size // front if front else int(np.prod(x.shape[at:])))],
        axis=at,
        **EXACT,
    )
    flat = [-1] if x.size else [0]
    check(backend, "Reshape", [x, np.array(flat)], oracle=[x.reshape(flat)], constants=[1], allowzero=1, **EXACT)
    if x.ndim:
        kept = np.array([0] * (x.ndim - 1) + [x.shape[-1]], np.int64)
        check(backend, "Reshape", [x, kept], oracle=[x], **EXACT)


@some
@given(data=st.data(), x=any_array(shapes(1, 4)))
def test_squeeze_unsqueeze(backend: Prepare, data: Any, x: Any) -> None:
    at = data.draw(st.lists(st.integers(0, x.ndim + 1), unique=True, min_size=2, max_size=2))
    wide = np.expand_dims(x, tuple(at))
    check(backend, "Unsqueeze", [x, np.array(at)], oracle=[wide], **EXACT)
    check(backend, "Squeeze", [wide, np.array(at) - wide.ndim], oracle=[x], **EXACT)
    check(backend, "Squeeze", [wide], oracle=[np.squeeze(wide)], **EXACT)
    if x.size:
        check(backend, "Unsqueeze", [x], opset=11, axes=sorted(at), oracle=[wide], **EXACT)


@some
@given(data=st.data(), x=any_array(shapes(0, 4)))
def test_expand_tile_shape(backend: Prepare, data: Any, x: Any) -> None:
    target = [data.draw(st.sampled_from([1, 2, 3])) for _ in range(2)] + list(x.shape)
    check(backend, "Expand", [x, np.array(target)], oracle=[np.broadcast_to(x, target)], **EXACT)
    repeats = [data.draw(st.integers(0, 3)) for _ in range(x.ndim)]
    if x.ndim:
        check(backend, "Tile", [x, np.array(repeats)], oracle=[np.tile(x, repeats)], **EXACT)
    start, end = data.draw(st.integers(-6, 6)), data.draw(st.integers(-6, 6))
    check(backend, "Shape", [x], oracle=[np.array(x.shape[start:end], np.int64)], start=start, end=end, **EXACT)
    check(backend, "Size", [x], oracle=[np.array(x.size, np.int64)], **EXACT)


@some
@given(data=st.data(), shape=shapes(1, 4), dtype=st.sampled_from(DTYPES))
def test_concat_split(backend: Prepare, data: Any, shape: Any, dtype: Any) -> None:
    axis = data.draw(axes(len(shape)))
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        part = list(shape)
        part[axis] = data.draw(st.integers(0, 5))
        parts.append(data.draw(arrays(dtype, tuple(part))))
    whole = np.concatenate(parts, axis)
    check(backend, "Concat", parts, oracle=[whole], axis=axis, **EXACT)
    lengths = [part.shape[axis] for part in parts]
    check(backend, "Split", [whole, np.array(lengths)], oracle=parts, outputs=[dtype] * len(parts), axis=axis, **EXACT)
    if whole.size:
        check(
            backend,
            "Split",
            [whole],
            opset=11,
            split=lengths,
            oracle=parts,
            outputs=[dtype] * len(parts),
            axis=axis,
            **EXACT,
        )


@pytest.mark.parametrize("length", [6, 7, 3, 1])
def test_split_into_equal_parts(backend: Prepare, length: Any) -> None:
    x = np.arange(2 * length, dtype=np.float32).reshape(2, length)
    chunk = -(-length // 3)
    parts = [x[:, i * chunk : (i + 1) * chunk] for i in range(3)]
    check(backend, "Split", [x], oracle=parts, outputs=[np.float32] * 3, num_outputs=3, axis=1, **EXACT)


@some
@given(data=st.data(), x=any_array(shapes(1, 4)))
def test_slice(backend: Prepare, data: Any, x: Any) -> None:
    chosen = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, min_size=1, max_size=x.ndim))
    edge = st.one_of(st.integers(-9, 9), st.sampled_from([-(2**63), 2**63 - 1, 2**31]))
    starts, ends = [data.draw(edge) for _ in chosen], [data.draw(edge) for _ in chosen]
    steps = [data.draw(st.sampled_from([1, 1, 2, 3, -1, -2, 100, -(2**62)])) for _ in chosen]
    index: list[Any] = [slice(None)] * x.ndim
    for axis, start, end, step in zip(chosen, starts, ends, steps, strict=True):
        if step < 0:  # numpy finds nothing there, the specification clamps to the first element
            start = starts[chosen.index(axis)] = max(start, -x.shape[axis])
        stop = None if step < 0 and end < -x.shape[axis] else end  # numpy has no number for "before the first"
        index[axis] = slice(start, stop, step)
    inputs = [x, *(np.array(v, np.int64) for v in (starts, ends, chosen, steps))]
    check(backend, "Slice", inputs, oracle=[x[tuple(index)]], **EXACT)


@some
@given(
    data=st.data(),
    dtype=st.sampled_from(DTYPES[:-1]),
    shape=shapes(1, 4, allow_zero=False),
    mode=st.sampled_from(["constant", "reflect", "edge", "wrap"]),
)
def test_pad(backend: Prepare, data: Any, dtype: Any, shape: Any, mode: Any) -> None:
    x = data.draw(arrays(dtype, shape, special=False))
    limit = 5 if mode != "constant" else 3
    before, after = [data.draw(st.integers(0, limit)) for _ in shape], [data.draw(st.integers(0, limit)) for _ in shape]
    width = list(zip(before, after, strict=True))
    if mode == "constant":
        value = np.array(1, dtype)
        expected = np.pad(x, width, mode, constant_values=value)
        check(backend, "Pad", [x, np.array(before + after), value], oracle=[expected], mode=mode, **EXACT)
    else:
        expected = np.pad(x, width, mode)
        check(backend, "Pad", [x, np.array(before + after)], oracle=[expected], mode=mode, **EXACT)
    axis = data.draw(axes(x.ndim))
    only = [(0, 0)] * x.ndim
    only[axis] = (before[axis], after[axis])
    expected = np.pad(x, only, mode)
    check(backend, "Pad", [x, np.array(only[axis]), None, np.array([axis])], oracle=[expected], mode=mode, **EXACT)


def test_pad_with_negative_and_old_forms(backend: Prepare) -> None:
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    check(backend, "Pad", [x, np.array([-1, 2, 1, -2])], oracle=[np.pad(x[1:, :3], [(0, 1), (2, 0)])], **EXACT)
    check(
        backend,
        "Pad",
        [x, np.array([-1, 1, 1, -2])],
        oracle=[np.pad(x[1:, :3], [(0, 1), (1, 0)], "edge")],
        mode="edge",
        **EXACT,
    )
    check(
        backend,
        "Pad",
        [x],
        opset=2,
        pads=[1, 0, 0, 2],
        value=7.0,
        oracle=[np.pad(x, [(1, 0), (0, 2)], constant_values=7)],
        **EXACT,
    )
    check(
        backend,
        "Pad",
        [x.astype(np.float64)],
        opset=2,
        pads=[1, 0, 0, 2],
        mode="reflect",
        oracle=[np.pad(x, [(1, 0), (0, 2)], "reflect").astype(np.float64)],
        **EXACT,
    )


@some
@given(data=st.data(), x=any_array(shapes(1, 4, allow_zero=False)), kind=st.sampled_from([np.int32, np.int64]))
def test_gather(backend: Prepare, data: Any, x: Any, kind: Any) -> None:
    axis = data.draw(axes(x.ndim))
    n = x.shape[axis]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    indices = rng.integers(-n, n, size=data.draw(shapes(0, 3))).astype(kind)
    check(backend, "Gather", [x, indices], oracle=[np.take(x, indices, axis)], axis=axis, **EXACT)
    shape = [data.draw(st.integers(0, d)) for d in x.shape]
    shape[axis] = data.draw(sizes())
    indices = rng.integers(-n, n, size=shape).astype(kind)
    trimmed = x[tuple(slice(0, d) if i != axis % x.ndim else slice(None) for i, d in enumerate(shape))]
    expected = np.take_along_axis(trimmed, indices.astype(np.int64), axis)
    check(backend, "GatherElements", [x, indices], oracle=[expected], axis=axis, **EXACT)


@some
@given(data=st.data(), x=any_array(shapes(1, 4, allow_zero=False)))
def test_gather_nd(backend: Prepare, data: Any, x: Any) -> None:
    batch = data.draw(st.integers(0, x.ndim - 1))
    depth = data.draw(st.integers(1, x.ndim - batch))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    lead = data.draw(shapes(0, 2, allow_zero=False))
    limits = np.array(x.shape[batch : batch + depth])
    indices = rng.integers(-limits, limits, size=(*x.shape[:batch], *lead, depth))
    flat = x.reshape(-1, *x.shape[batch:])
    rows = [flat[b][tuple(np.moveaxis(i, -1, 0))] for b, i in enumerate(indices.reshape(-1, *lead, depth))]
    expected = np.stack(rows).reshape((*x.shape[:batch], *lead, *x.shape[batch + depth :]))
    check(backend, "GatherND", [x, indices], oracle=[expected], batch_dims=batch, **EXACT)


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fn, ml_dtypes.bfloat16])
def test_small_types_move(backend: Prepare, dtype: Any) -> None:
    x = np.arange(15).reshape(3, 5).astype(np.float32).astype(dtype)
    check(backend, "Transpose", [x], oracle=[x.T], outputs=[dtype], **EXACT)
    check(backend, "Reshape", [x, np.array([5, 3])], oracle=[x.reshape(5, 3)], outputs=[dtype], **EXACT)
    if dtype is ml_dtypes.bfloat16:
        check(backend, "Concat", [x, x], oracle=[np.concatenate([x, x], 1)], axis=1, outputs=[dtype], **EXACT)
        check(
            backend,
            "Slice",
            [x, np.array([1]), np.array([4]), np.array([1])],
            oracle=[x[:, 1:4]],
            outputs=[dtype],
            **EXACT,
        )
        check(backend, "Gather", [x, np.array([4, 0])], oracle=[x[:, [4, 0]]], axis=1, outputs=[dtype], **EXACT)


@pytest.mark.parametrize("operator", ["DepthToSpace", "SpaceToDepth"])
@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_blocks(backend: Prepare, operator: Any, mode: Any) -> None:
    x = np.arange(2 * 8 * 4 * 6, dtype=np.float32).reshape(2, 8, 4, 6)
    more = {"mode": mode} if operator == "DepthToSpace" else {}
    check(backend, operator, [x], blocksize=2, **more, **EXACT)


@pytest.mark.parametrize(("target", "axis"), [((3, 9), None), ((9, 3), None), ((4,), [-1]), ((5, 7), [0, 1])])
def test_center_crop_pad(backend: Prepare, target: Any, axis: Any) -> None:
    x = np.arange(42, dtype=np.float32).reshape(6, 7)
    check(backend, "CenterCropPad", [x, np.array(target)], axes=axis, **EXACT)


def test_constants(backend: Prepare) -> None:
    check(backend, "Constant", [], value_ints=[1, 2], oracle=[np.array([1, 2])], outputs=[np.int64], **EXACT)
    check(backend, "Constant", [], value_int=3, oracle=[np.array(3)], outputs=[np.int64], **EXACT)
    check(backend, "Constant", [], value_float=0.5, oracle=[np.array(0.5, np.float32)], outputs=[np.float32], **EXACT)
    check(
        backend,
        "Constant",
        [],
        value_strings=["a", "é"],
        oracle=[np.array(["a", "é"], object)],
        outputs=[np.str_],
        **EXACT,
    )
    check(
        backend,
        "ConstantOfShape",
        [np.array([2, 0, 3])],
        oracle=[np.zeros((2, 0, 3), np.float32)],
        outputs=[np.float32],
        **EXACT,
    )
    for k in (-7, -2, 0, 1, 3, 9):
        x = np.zeros((3, 5), np.int32)
        check(backend, "EyeLike", [x], k=k, dtype=11, oracle=[np.eye(3, 5, k)], outputs=[np.float64], **EXACT)
    for start, limit, delta in ((0, 10, 3), (10, 0, -3), (3, 3, 1), (5, 1, 1)):
        for dtype in (np.int32, np.int64, np.int16, np.float32, np.float64):
            scalars = [np.array(v, dtype) for v in (start, limit, delta)]
            check(
                backend,
                "Range",
                scalars,
                oracle=[np.arange(start, limit, delta).astype(dtype)],
                outputs=[dtype],
                **EXACT,
            )


@pytest.mark.parametrize(
    ("operator", "inputs", "attributes", "message"),
    [
        ("Gather", [np.zeros(3, np.float32), np.array([3])], {}, r"index 3 is outside \[-3, 2\]"),
        ("Reshape", [np.zeros(6, np.float32), np.array([4, -1])], {}, "6 elements are not divisible by 4"),
        (
            "Slice",
            [np.zeros(6, np.float32), np.array([0]), np.array([1]), np.array([0]), np.array([0])],
            {},
            "steps must not be 0",
        ),
        (
            "Concat",
            [np.zeros((2, 2), np.float32), np.zeros((3, 3), np.float32)],
            {"axis": 0},
            "may differ only along axis 0",
        ),
        ("Squeeze", [np.zeros((2, 1), np.float32), np.array([0])], {}, "has length 2, not 1"),
        ("Expand", [np.zeros((2, 3), np.float32), np.array([4, 3])], {}, "broadcast"),
    ],
)
def test_broken_rules_are_named(backend: Prepare, operator: Any, inputs: Any, attributes: Any, message: Any) -> None:
    with pytest.raises(Exception, match=message):
        check(backend, operator, inputs, oracle=[], outputs=[np.float32], **attributes)
