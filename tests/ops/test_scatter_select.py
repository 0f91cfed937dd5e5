"""Scatter, selection, sequence, optional and string operators."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conformance.backends import Prepare
from tests.ops.harness import check, make_model
from tests.ops.strategies import arrays, axes, broadcastable, shapes

EXACT: dict[str, Any] = {"rtol": 0, "atol": 0}
some = settings(max_examples=50, deadline=None)
REDUCTIONS: dict[str, Any] = {"none": None, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@some
@given(
    data=st.data(),
    dtype=st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.uint8, np.int8, np.int16]),
    shape=shapes(1, 3, allow_zero=False),
    reduction=st.sampled_from(sorted(REDUCTIONS)),
)
def test_scatter(backend: Prepare, data: Any, dtype: Any, shape: Any, reduction: Any) -> None:
    x = data.draw(arrays(dtype, shape))
    axis = data.draw(axes(x.ndim))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    lengths = [data.draw(st.integers(0, d)) for d in shape]
    indices = rng.integers(-shape[axis], shape[axis], size=lengths)
    if reduction == "none":  # the order of doubled indices is not specified
        indices = np.sort(
            rng.permuted(
                np.broadcast_to(
                    np.arange(shape[axis]), (*[d for i, d in enumerate(lengths) if i != axis % x.ndim], shape[axis])
                ),
                axis=-1,
            )[..., : lengths[axis]],
            axis=-1,
        )
        indices = np.moveaxis(indices, -1, axis)
    updates = data.draw(arrays(dtype, tuple(lengths)))
    expected = x.copy()
    with np.errstate(all="ignore"):
        for place in np.ndindex(*lengths):
            at = list(place)
            at[axis] = indices[place]
            ufunc = REDUCTIONS[reduction]
            expected[tuple(at)] = updates[place] if ufunc is None else ufunc(expected[tuple(at)], updates[place])
    check(backend, "ScatterElements", [x, indices, updates], oracle=[expected], axis=axis, reduction=reduction, **EXACT)
    if reduction == "none":
        check(backend, "Scatter", [x, indices, updates], opset=9, oracle=[expected], axis=axis % x.ndim, **EXACT)


@some
@given(data=st.data(), shape=shapes(1, 4, allow_zero=False), reduction=st.sampled_from(["add", "mul", "max", "min"]))
def test_scatter_nd(backend: Prepare, data: Any, shape: Any, reduction: Any) -> None:
    x = data.draw(arrays(np.float32, shape, special=False))
    depth = data.draw(st.integers(1, x.ndim))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    count = data.draw(st.integers(0, 5))
    indices = rng.integers(-np.array(shape[:depth]), shape[:depth], size=(count, depth))
    updates = data.draw(arrays(np.float32, (count, *shape[depth:]), special=False))
    expected = x.copy()
    for index, update in zip(indices, updates, strict=True):
        expected[tuple(index)] = REDUCTIONS[reduction](expected[tuple(index)], update)
    check(backend, "ScatterND", [x, indices, updates], oracle=[expected], reduction=reduction, **EXACT)


def test_scatter_into_itself(backend: Prepare) -> None:
    """The data may not be written over while it is also the updates."""
    x = np.arange(6, dtype=np.float32)
    check(backend, "ScatterElements", [x, np.arange(6)[::-1].copy(), x.copy()], oracle=[x[::-1]], **EXACT)


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("axis", [-2, 1, 2])
def test_tensor_scatter(backend: Prepare, mode: Any, axis: Any) -> None:
    rng = np.random.default_rng(1)
    cache = rng.normal(size=(2, 6, 6, 3)).astype(np.float32)
    shape = list(cache.shape)
    shape[axis] = 3
    update = rng.normal(size=shape).astype(np.float32)
    starts = np.array([1, 3]) if mode == "linear" else np.array([4, 5])
    expected = cache.copy()
    for b in range(2):
        for t in range(3):
            at: list[Any] = [b, slice(None), slice(None), slice(None)]
            source = list(at)
            at[axis], source[axis] = (starts[b] + t) % 6, t
            expected[tuple(at)] = update[tuple(source)]
    check(backend, "TensorScatter", [cache, update, starts], mode=mode, axis=axis, oracle=[expected], **EXACT)


@some
@given(
    data=st.data(),
    drawn=broadcastable(3),
    dtype=st.sampled_from([np.float32, np.int64, np.uint8, np.bool_, np.float16, object]),
)
def test_where(backend: Prepare, data: Any, drawn: Any, dtype: Any) -> None:
    c, x, y = (
        data.draw(arrays(np.bool_, drawn[0])),
        data.draw(arrays(dtype, drawn[1])),
        data.draw(arrays(dtype, drawn[2])),
    )
    check(backend, "Where", [c, x, y], oracle=[np.where(c, x, y)], **EXACT)


@some
@given(
    data=st.data(),
    x=st.sampled_from([np.float32, np.int32, np.uint8, np.bool_]).flatmap(lambda t: arrays(t, shapes(1, 4))),
)
def test_nonzero_compress_trilu(backend: Prepare, data: Any, x: Any) -> None:
    check(backend, "NonZero", [x], oracle=[np.array(np.nonzero(x), np.int64)], **EXACT)
    axis = data.draw(axes(x.ndim))
    condition = data.draw(arrays(np.bool_, (data.draw(st.integers(0, x.shape[axis])),)))
    check(backend, "Compress", [x, condition], oracle=[np.compress(condition, x, axis)], axis=axis, **EXACT)
    condition = data.draw(arrays(np.bool_, (data.draw(st.integers(0, x.size)),)))
    check(backend, "Compress", [x, condition], oracle=[np.compress(condition, x)], **EXACT)
    if x.ndim > 1:
        k = data.draw(st.integers(-8, 8))
        check(backend, "Trilu", [x, np.array(k)], oracle=[np.triu(x, k)], **EXACT)
        check(backend, "Trilu", [x, np.array(k)], oracle=[np.tril(x, k)], upper=0, **EXACT)


@some
@given(data=st.data(), shape=shapes(1, 3), dtype=st.sampled_from([np.float32, np.int64, np.uint8, np.bool_, object]))
def test_unique(backend: Prepare, data: Any, shape: Any, dtype: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x = np.asarray(rng.integers(0, 3, size=shape))
    x = np.array(["b", "", "a"], dtype=object)[x] if dtype is object else x.astype(dtype)
    axis = data.draw(st.none() | axes(x.ndim))
    if dtype is object and axis is not None:
        axis = None
    if axis is not None and x.size == 0:
        return
    parts = np.unique(x, True, True, True, axis=axis)
    kinds = [dtype if dtype is not object else np.str_, np.int64, np.int64, np.int64]
    expected = [parts[0], parts[1], parts[2].reshape(-1), parts[3]]
    check(backend, "Unique", [x], oracle=expected, outputs=kinds, axis=axis, **EXACT)
    order = np.argsort(parts[1])
    rank = np.argsort(order)
    y = np.take(parts[0], order, 0 if axis is None else axis)
    unsorted = [y, parts[1][order], rank[parts[2].reshape(-1)], parts[3][order]]
    check(backend, "Unique", [x], oracle=unsorted, outputs=kinds, axis=axis, sorted=0, **EXACT)


@some
@given(data=st.data(), shape=shapes(0, 3), depth=st.integers(0, 5))
def test_one_hot(backend: Prepare, data: Any, shape: Any, depth: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    indices = np.asarray(rng.integers(-7, 7, size=shape))
    axis = data.draw(axes(len(shape) + 1))
    values = np.array([5, -1], np.int32)
    wrapped = np.where(indices < 0, indices + depth, indices)
    hot = np.moveaxis(wrapped[..., None] == np.arange(depth), -1, axis)
    check(
        backend,
        "OneHot",
        [indices, np.array(depth), values],
        oracle=[np.where(hot, -1, 5).astype(np.int32)],
        axis=axis,
        **EXACT,
    )


@pytest.mark.parametrize(("batch", "time"), [(1, 0), (0, 1)])
def test_reverse_sequence(backend: Prepare, batch: Any, time: Any) -> None:
    x = np.arange(4 * 5 * 3, dtype=np.float32).reshape(4, 5, 3)
    lengths = np.random.default_rng(0).integers(0, x.shape[time] + 1, size=x.shape[batch])
    expected = x.copy()
    for b, n in enumerate(lengths):
        if batch == 0:
            expected[b, :n] = x[b, :n][::-1]
        else:
            expected[:n, b] = x[:n, b][::-1]
    check(backend, "ReverseSequence", [x, lengths], oracle=[expected], batch_axis=batch, time_axis=time, **EXACT)


@pytest.mark.parametrize("split", [None, np.array(2), np.array([1, 0, 4])])
@pytest.mark.parametrize("keepdims", [0, 1])
@pytest.mark.parametrize("axis", [0, -1])
def test_split_to_sequence(backend: Prepare, split: Any, keepdims: Any, axis: Any) -> None:
    x = np.arange(25, dtype=np.float32).reshape(5, 5)
    if split is None:
        parts = [np.take(x, [i] if keepdims else i, axis) for i in range(5)]
    else:
        parts = np.split(x, [2, 4] if split.ndim == 0 else np.cumsum(split)[:-1], axis)
    from onnx import helper

    kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None))
    check(backend, "SplitToSequence", [x, split], oracle=[parts], outputs=[kind], axis=axis, keepdims=keepdims, **EXACT)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"[a-z]+@[a-z]+\.(com|org)", ["me@here.com", "me@here.net", "@x.com", ""]),
        (r"(ab|a)(bc|c)?", ["abc", "ab", "abbc", "a", "ac", "b"]),
        (r"a{2,4}b?", ["a", "aa", "aaaab", "aaaaab"]),
        (r"(?i)straße|ÄRGER", ["STRASSE", "ärger", "StraßE"]),
        (r"\d{3}-\w+\s*", ["123-ab_9 \t", "12-ab", "123-"]),
        (r"[^\W\d]+", ["abc", "ab1", "_"]),
        (r"(a*)*b", ["a" * 200, "aab"]),
        (r".*\bword\b.*", ["a word here", "swords", "word"]),
        (r"\x41\x{1F600}?[\x{e9}-\x{ff}]", ["Aé", "A😀ö", "Ab"]),
        (r"[[:alpha:]]+[[:digit:]]*", ["abc12", "12"]),
        (r"^$|(?:x|)y", ["", "y", "xy", "x"]),
        (r"(?s)a.b", ["a\nb", "axb"]),
        (r"a.b", ["a\nb", "a日b"]),
        (r"[]a]+[-z]+", ["]a-", "]z", "a"]),
    ],
)
def test_regex(backend: Prepare, pattern: Any, texts: Any) -> None:
    translated = re.sub(r"\\x\{([0-9A-Fa-f]+)\}", lambda m: chr(int(m[1], 16)), pattern)
    translated = translated.replace("[[:alpha:]]", "[A-Za-z]").replace("[[:digit:]]", "[0-9]").replace("[]a]", r"[\]a]")
    flags = re.NOFLAG if "(?i)" in pattern or not pattern.isascii() else re.ASCII
    expected = np.array(
        [re.fullmatch(translated, t, flags) is not None if "a*)*" not in pattern else t == "aab" for t in texts]
    )
    check(
        backend,
        "RegexFullMatch",
        [np.array(texts, dtype=object)],
        oracle=[expected],
        outputs=[np.bool_],
        pattern=pattern,
        **EXACT,
    )


@pytest.mark.parametrize(
    "pattern", ["(", "a)", "[a", "a**", "*a", r"\1", "a{2000}", r"\q", "(?x)a", "[z-a]", "((a{100}){100}){100}"]
)
def test_regex_that_is_not_valid(backend: Prepare, pattern: Any) -> None:
    with pytest.raises(Exception, match="regular expression"):
        check(
            backend, "RegexFullMatch", [np.array(["a"], dtype=object)], oracle=[], outputs=[np.bool_], pattern=pattern
        )


@pytest.mark.parametrize("delimiter", [None, "", ",", "ab", " "])
@pytest.mark.parametrize("maxsplit", [None, 0, 1, 2])
def test_string_split(backend: Prepare, delimiter: Any, maxsplit: Any) -> None:
    x = np.array([["a,b,,c", " x  y z ", ""], ["abcabd", ",", "日 本"]], dtype=object)
    parts = [[s.split(delimiter or None, -1 if maxsplit is None else maxsplit) for s in row] for row in x]
    counts = np.array([[len(p) for p in row] for row in parts])
    padded = np.array([[p + [""] * (counts.max() - len(p)) for p in row] for row in parts], dtype=object)
    check(
        backend,
        "StringSplit",
        [x],
        oracle=[padded, counts],
        outputs=[np.str_, np.int64],
        delimiter=delimiter,
        maxsplit=maxsplit,
        **EXACT,
    )


@pytest.mark.parametrize("action", ["LOWER", "UPPER", "NONE"])
@pytest.mark.parametrize("sensitive", [0, 1])
def test_string_normalizer(backend: Prepare, action: Any, sensitive: Any) -> None:
    x = np.array(["Monday", "Éclair", "МОСКВА", "the", "The", "Ωμέγα"], dtype=object)
    stop = ["the", "monday"]
    kept = [s for s in x if (s if sensitive else s.lower()) not in stop]
    expected = np.array([{"LOWER": s.lower(), "UPPER": s.upper(), "NONE": s}[action] for s in kept], dtype=object)
    check(
        backend,
        "StringNormalizer",
        [x],
        oracle=[expected],
        outputs=[np.str_],
        case_change_action=action,
        is_case_sensitive=sensitive,
        stopwords=stop,
        **EXACT,
    )
    check(
        backend,
        "StringNormalizer",
        [x[None, 3:4]],
        oracle=[np.array([[""]], object)],
        outputs=[np.str_],
        stopwords=stop,
        **EXACT,
    )


@pytest.mark.parametrize("constant", [True, False])
def test_indices_that_are_read_again_stay_as_they_are(backend: Prepare, constant: bool) -> None:
    data, updates = np.zeros((2, 3), np.float32), np.array([[1], [2]], np.float32)
    inputs = [data, np.array([[1], [0]]), updates]
    model = make_model("ScatterElements", inputs, axis=1, constants=[1] if constant else [])
    model.graph.node.append(onnx.helper.make_node("ScatterElements", ["y0", "x1", "x0s"], ["z"], axis=1))
    model.graph.node.append(onnx.helper.make_node("Neg", ["x2"], ["x0s"]))
    model.graph.output[0].name = "z"
    session = backend(model.SerializeToString())
    for _ in range(2):
        (z,) = session.run([v for i, v in enumerate(inputs) if not (constant and i == 1)])
        np.testing.assert_array_equal(z, [[0, -1, 0], [-2, 0, 0]])
