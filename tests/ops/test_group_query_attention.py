"""GroupQueryAttention of com.microsoft against onnxruntime: caches of every form, windows, padded chunks, options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onnxlet
from tests.conformance.backends import BACKENDS, Prepare
from tests.conformance.compare import assert_outputs
from tests.ops.harness import make_model, run

Array = np.ndarray
EXAMPLES = settings(max_examples=25)
NAMES = (
    "query key value past_key past_value seqlens_k total_sequence_length cos_cache sin_cache position_ids "
    "attention_bias head_sink k_scale v_scale q_norm_weight k_norm_weight query_seqlens"
)


@dataclass
class Step:
    """One call: inputs by name, attributes, and how many rows of output and cache mean something."""

    inputs: dict[str, Any]
    how: dict[str, Any]
    new: list[int]
    resident: list[int]
    dtypes: list[Any] = field(default_factory=lambda: [np.float32] * 3)

    def run(self, prepare: Prepare, **changes: Any) -> list[Array]:
        values = {**self.inputs, **changes}
        inputs = [values.get(name) for name in NAMES.split()]
        outputs = [*self.dtypes, *([self.dtypes[0]] if self.how.get("qk_output") else [])]
        model = make_model("GroupQueryAttention", inputs, domain="com.microsoft", outputs=outputs, **self.how)
        return self.masked(run(prepare, model, inputs))

    def masked(self, results: list[Array]) -> list[Array]:
        """What is not specified set to zero."""
        results = [r.copy() for r in results]
        for b, (new, rows) in enumerate(zip(self.new, self.resident, strict=True)):
            results[0][b, new:] = 0
            for r in results[1:3]:
                r[b, :, rows:] = 0
            if len(results) > 3:
                results[3][b, :, new:] = 0
        return results


def resident(total: int, capacity: int, window: int) -> int:
    """Rows of a window's cache after `total` tokens, as the document says."""
    slack = capacity - window + 1
    return total if total <= capacity else total - slack * -(-(total - capacity) // slack)


@dataclass
class Sizes:
    batch: int
    heads: int
    kv_heads: int
    size: int
    seq: int


def draw_sizes(data: st.DataObject, seq: st.SearchStrategy[int], batch: st.SearchStrategy[int]) -> Sizes:
    kv_heads = data.draw(st.sampled_from([1, 2, 3]))
    return Sizes(
        data.draw(batch),
        kv_heads * data.draw(st.sampled_from([1, 2, 3])),
        kv_heads,
        data.draw(st.sampled_from([16, 32])),
        data.draw(seq),
    )


def tokens(rng: np.random.Generator, s: Sizes, packed: bool, dtype: Any) -> dict[str, Any]:
    def normal(heads: int) -> Array:
        return rng.normal(size=(s.batch, s.seq, heads * s.size)).astype(dtype)

    if packed:
        return {"query": normal(s.heads + 2 * s.kv_heads)}
    return {"query": normal(s.heads), "key": normal(s.kv_heads), "value": normal(s.kv_heads)}


def lengths(totals: list[int], longest: int | None = None) -> dict[str, Any]:
    return {
        "seqlens_k": np.array([t - 1 for t in totals], np.int32),
        "total_sequence_length": np.array(longest or max(totals), np.int32),
    }


def draw_step(data: st.DataObject, dtype: Any = np.float32, extra_room: bool = True) -> tuple[Step, Sizes]:
    """A prompt of a batch, one token of each, or several tokens behind a cache of a batch of one."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    case = data.draw(st.sampled_from(["prompt", "token", "chunk"]))
    seq = st.just(1) if case == "token" else st.sampled_from([2, 3, 5, 9])
    s = draw_sizes(data, seq, st.just(1) if case == "chunk" else st.sampled_from([1, 2, 3]))
    past = [0 if case == "prompt" else data.draw(st.integers(1, 11)) for _ in range(s.batch)]
    new = [data.draw(st.integers(1, s.seq)) if case == "prompt" else s.seq for _ in past]
    if case == "prompt":
        new[0] = s.seq
    totals = [p + n for p, n in zip(past, new, strict=True)]
    rows = max(max(past), data.draw(st.sampled_from([0, 0, max(totals) + 3])) if extra_room else 0)
    cache = (s.batch, s.kv_heads, rows, s.size)
    inputs = {
        **tokens(rng, s, data.draw(st.booleans()), dtype),
        "past_key": rng.normal(size=cache).astype(dtype),
        "past_value": rng.normal(size=cache).astype(dtype),
        **lengths(totals),
    }
    how = {"num_heads": s.heads, "kv_num_heads": s.kv_heads}
    if data.draw(st.booleans()):
        how["scale"] = 0.3
    return Step(inputs, how, new, totals, [dtype] * 3), s


def compare(backend: Prepare, step: Step, tolerance: float = 1e-4) -> list[Array]:
    expected = step.run(BACKENDS["onnxruntime"]())
    actual = step.run(backend)
    assert_outputs(actual, expected, operator="GroupQueryAttention", backend="", rtol=tolerance, atol=tolerance)
    return expected


def add_rotary(data: st.DataObject, step: Step, s: Sizes) -> None:
    rng = np.random.default_rng(1)
    half = s.size // 2
    angles = rng.normal(size=(64, half)).astype(step.dtypes[0])
    step.inputs |= {"cos_cache": np.cos(angles), "sin_cache": np.sin(angles)}
    step.how |= {"do_rotary": 1, "rotary_interleaved": data.draw(st.integers(0, 1))}


@given(data=st.data())
@settings(max_examples=40)
def test_steps(backend: Prepare, data: st.DataObject) -> None:
    step, s = draw_step(data)
    if data.draw(st.booleans()):
        add_rotary(data, step, s)
    compare(backend, step)


@given(data=st.data())
@settings(max_examples=40)
def test_options(backend: Prepare, data: st.DataObject) -> None:
    step, s = draw_step(data, extra_room=False)
    rng = np.random.default_rng(2)
    total = int(step.inputs["total_sequence_length"])
    if data.draw(st.booleans()):
        step.how["softcap"] = 1.5
    if data.draw(st.booleans()):
        step.how["local_window_size"] = data.draw(st.integers(1, 6))
    elif data.draw(st.booleans()):
        step.how["causal"] = 0
    sink = data.draw(st.sampled_from([None, "zero", "given"]))
    if sink == "zero":
        step.how["smooth_softmax"] = 1
    elif sink == "given":
        step.inputs["head_sink"] = rng.normal(size=s.heads).astype(np.float32)
    if data.draw(st.booleans()):
        shape = (data.draw(st.sampled_from([1, s.batch])), data.draw(st.sampled_from([1, s.heads])), s.seq, total)
        step.inputs["attention_bias"] = rng.normal(size=shape).astype(np.float32)
    compare(backend, step)


@pytest.mark.parametrize("stage", [1, 2])
@given(data=st.data())
@EXAMPLES
def test_scores(backend: Prepare, stage: int, data: st.DataObject) -> None:
    step, _ = draw_step(data)
    step.how["qk_output"] = stage
    compare(backend, step)


@given(data=st.data())
@EXAMPLES
def test_half_precision(backend: Prepare, data: st.DataObject) -> None:
    step, s = draw_step(data, np.float16)
    if data.draw(st.booleans()):
        add_rotary(data, step, s)
    compare(backend, step, 1e-2)


@given(data=st.data())
@EXAMPLES
def test_positions(backend: Prepare, data: st.DataObject) -> None:
    step, s = draw_step(data)
    add_rotary(data, step, s)
    first = np.array([t - n for t, n in zip(step.resident, step.new, strict=True)])
    ids = first[:, None] + np.arange(s.seq) + data.draw(st.integers(0, 5))
    step.inputs["position_ids"] = ids.astype(np.int64)
    compare(backend, step)


def quantize_cache(step: Step, s: Sizes, bits: int, per_channel: bool) -> None:
    """Gives the step a cache of numbers."""
    rng = np.random.default_rng(3)
    shape = step.inputs["past_key"].shape
    for which in ("key", "value"):
        if bits == 8:
            step.inputs[f"past_{which}"] = rng.integers(-128, 127, shape, np.int8, endpoint=True)
        else:
            step.inputs[f"past_{which}"] = rng.integers(0, 255, (*shape[:3], s.size // 2), np.uint8, endpoint=True)
    spread = (1, s.kv_heads, 1, s.size) if per_channel else (1,)
    kind = "PER_CHANNEL" if per_channel else "PER_TENSOR"
    high = 0.02 if bits == 8 else 0.3
    step.inputs |= {f"{c}_scale": rng.uniform(high / 2, high, spread).astype(np.float32) for c in "kv"}
    step.how |= {"kv_cache_bit_width": bits, "k_quant_type": kind, "v_quant_type": kind}
    step.dtypes[1:] = [np.int8 if bits == 8 else np.uint8] * 2


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("per_channel", [False, True])
@given(data=st.data())
@EXAMPLES
def test_quantized_cache(backend: Prepare, bits: int, per_channel: bool, data: st.DataObject) -> None:
    step, s = draw_step(data)
    quantize_cache(step, s, bits, per_channel)
    if data.draw(st.booleans()):
        step.how["local_window_size"] = data.draw(st.integers(1, 6))
    compare(backend, step)


def test_float8_cache(backend: Prepare) -> None:
    # onnxruntime has no CPU kernel: the cache must hold the rounded quotients, and attention sees what they stand for.
    import ml_dtypes

    rng = np.random.default_rng(0)
    kind = ml_dtypes.float8_e4m3fn
    s = Sizes(1, 2, 1, 8, 1)
    past = [rng.normal(size=(1, 1, 5, 8)).astype(kind) for _ in range(2)]
    scales = {"k_scale": np.array([0.5], np.float32), "v_scale": np.array([0.25], np.float32)}
    new = tokens(rng, s, False, np.float32)
    how = {"num_heads": 2, "kv_num_heads": 1}
    quantized = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR"}
    step = Step(
        {**new, **lengths([6]), **scales, "past_key": past[0], "past_value": past[1]},
        {**how, **quantized},
        [1],
        [6],
        [np.float32, kind, kind],
    )
    y, *present = step.run(backend)
    real = []
    for old, result, name, scale in zip(past, present, ("key", "value"), scales.values(), strict=True):
        row = (new[name].reshape(1, 1, 1, 8) / scale).astype(kind)
        np.testing.assert_array_equal(result.view(np.uint8), np.concatenate([old, row], 2).view(np.uint8))
        real.append(result.astype(np.float32) * scale)
    same = Step(
        {
            "query": new["query"],
            "key": real[0][:, :, 5].reshape(1, 1, 8),
            "value": real[1][:, :, 5].reshape(1, 1, 8),
            **lengths([6]),
            "past_key": real[0][:, :, :5],
            "past_value": real[1][:, :, :5],
        },
        how,
        [1],
        [6],
    )
    np.testing.assert_allclose(y, same.run(BACKENDS["onnxruntime"]())[0], rtol=1e-5, atol=1e-6)


@given(data=st.data())
@settings(max_examples=40)
def test_windowed_cache(backend: Prepare, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    s = draw_sizes(data, st.sampled_from([1, 1, 2, 7]), st.sampled_from([1, 1, 3]))
    window = data.draw(st.integers(1, 5))
    capacity = window + data.draw(st.integers(0, 4))
    chunk = s.seq > 1 and s.batch > 1  # then onnxruntime wants to be told how long the chunks are
    before = [data.draw(st.integers(0, 12)) for _ in range(s.batch)]
    if chunk or data.draw(st.booleans()):
        new = [data.draw(st.integers(0 if p else 1, s.seq)) for p in before]
    else:
        new = [s.seq] * s.batch
    totals = [p + n for p, n in zip(before, new, strict=True)]
    shape = (s.batch, s.kv_heads, capacity, s.size)
    inputs = {
        **tokens(rng, s, data.draw(st.booleans()), np.float32),
        **lengths(totals, max(max(totals), s.seq)),
        "past_key": rng.normal(size=shape).astype(np.float32),
        "past_value": rng.normal(size=shape).astype(np.float32),
    }
    if chunk or new != [s.seq] * s.batch:
        inputs["query_seqlens"] = np.array(new, np.int32)
    how = {
        "num_heads": s.heads,
        "kv_num_heads": s.kv_heads,
        "local_window_size": window,
        "sliding_window_cache": 1,
    }
    step = Step(inputs, how, new, [resident(t, capacity, window) for t in totals])
    if data.draw(st.booleans()):
        add_rotary(data, step, s)
    if data.draw(st.booleans()):
        bias = (1, s.heads, s.seq, int(inputs["total_sequence_length"]))
        step.inputs["attention_bias"] = rng.normal(size=bias).astype(np.float32)
    bits = data.draw(st.sampled_from([0, 0, 8, 4 if s.size == 32 else 8]))
    if bits:
        quantize_cache(step, s, bits, data.draw(st.booleans()))
    compare(backend, step)


@given(data=st.data())
@EXAMPLES
def test_padded_chunks(backend: Prepare, data: st.DataObject) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    s = draw_sizes(data, st.sampled_from([1, 2, 5]), st.sampled_from([1, 2, 3]))
    before = [data.draw(st.integers(0, 9)) for _ in range(s.batch)]
    new = [data.draw(st.integers(0 if p else 1, s.seq)) for p in before]
    totals = [p + n for p, n in zip(before, new, strict=True)]
    rows = max(before) + s.seq
    shape = (s.batch, s.kv_heads, rows, s.size)
    inputs = {
        **tokens(rng, s, data.draw(st.booleans()), np.float32),
        **lengths(totals, rows),
        "query_seqlens": np.array(new, np.int32),
        "past_key": rng.normal(size=shape).astype(np.float32),
        "past_value": rng.normal(size=shape).astype(np.float32),
    }
    step = Step(inputs, {"num_heads": s.heads, "kv_num_heads": s.kv_heads}, new, totals)
    if data.draw(st.booleans()):
        add_rotary(data, step, s)
    compare(backend, step)


@given(data=st.data(), separate=st.booleans())
@EXAMPLES
def test_norm_of_query_and_key(backend: Prepare, data: st.DataObject, separate: bool) -> None:
    # onnxruntime's CPU kernel refuses the weights: it gets what was normalized before.
    step, s = draw_step(data)
    if data.draw(st.booleans()):
        add_rotary(data, step, s)
    rng = np.random.default_rng(4)
    weights = {n: rng.normal(size=s.size).astype(np.float32) for n in ("q_norm_weight", "k_norm_weight")}
    epsilon = {"q": 1e-2, "k": 0.3} if separate else {"q": 1e-6, "k": 1e-6}

    def normalized(x: Array, c: str) -> Array:
        heads = x.reshape(*x.shape[:2], -1, s.size).astype(np.float64)
        root = np.sqrt((heads**2).mean(-1, keepdims=True) + epsilon[c])
        return (heads / root * weights[f"{c}_norm_weight"]).reshape(x.shape).astype(np.float32)

    query = step.inputs["query"]
    if "key" in step.inputs:
        changed = {"query": normalized(query, "q"), "key": normalized(step.inputs["key"], "k")}
    else:
        q, k, v = np.split(query, [s.heads * s.size, (s.heads + s.kv_heads) * s.size], axis=2)
        changed = {"query": np.concatenate([normalized(q, "q"), normalized(k, "k"), v], axis=2)}
    expected = step.run(BACKENDS["onnxruntime"](), **changed)
    if separate:
        step.how |= {"q_norm_epsilon": epsilon["q"], "k_norm_epsilon": epsilon["k"]}
    actual = step.run(backend, **weights)
    assert_outputs(actual, expected, operator="GroupQueryAttention", backend="", rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_cache_that_dies_is_extended_where_it_is(backend: Prepare, dtype: Any) -> None:
    """The rows behind the tokens tell: they are not written where nothing is copied."""
    rng = np.random.default_rng(0)
    s = Sizes(2, 4, 2, 8, 2)
    cache = np.abs(rng.normal(size=(2, 2, 9, 8))).astype(dtype)
    inputs = {**tokens(rng, s, False, dtype), **lengths([6, 4]), "past_key": cache, "past_value": cache + 1}
    step = Step(inputs, {"num_heads": 4, "kv_num_heads": 2}, [2, 2], [6, 4], [dtype] * 3)
    values = [inputs.get(name) for name in NAMES.split()]
    model = make_model("GroupQueryAttention", values, domain="com.microsoft", outputs=step.dtypes, **step.how)
    for i in (3, 4):  # made inside the model: nobody else has them
        model.graph.node[-1].input[i] = f"own{i}"
        model.graph.node.insert(0, onnx.helper.make_node("Abs", [f"x{i}"], [f"own{i}"]))
    results = run(backend, model, values)
    assert_outputs(step.masked(results), step.run(backend), operator="GroupQueryAttention", backend="", rtol=0, atol=0)
    np.testing.assert_array_equal(results[1][0, :, 6:], cache[0, :, 6:])
    np.testing.assert_array_equal(results[2][1, :, 4:], cache[1, :, 4:] + 1)


def test_refusals(backend: Prepare) -> None:
    rng = np.random.default_rng(0)
    s = Sizes(2, 4, 2, 8, 1)
    cache = rng.normal(size=(2, 2, 5, 8)).astype(np.float32)
    inputs = {**tokens(rng, s, False, np.float32), **lengths([6, 6]), "past_key": cache, "past_value": cache}
    heads = {"num_heads": 4, "kv_num_heads": 2}
    numbers = {"past_key": cache.astype(np.int8), "past_value": cache.astype(np.int8)}
    one = np.ones(1, np.float32)
    quantized = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR"}
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({}, {"num_heads": 3}, "num_heads must be a multiple of kv_num_heads; they are 3 and 2"),
        ({}, {"qk_output": 3}, "qk_output must be 0, 1 or 2; it is 3"),
        ({}, {"sliding_window_cache": 1}, "sliding_window_cache needs local_window_size; it is -1"),
        ({}, {"causal": 0, "local_window_size": 3}, "local_window_size needs causal = 1; it is 3"),
        ({}, {"k_quant_type": "PER_HEAD"}, "k_quant_type must be NONE, PER_TENSOR or PER_CHANNEL; it is 'PER_HEAD'"),
        ({}, {"kv_cache_bit_width": 2}, "kv_cache_bit_width must be 8 or 4; it is 2"),
        ({"query": inputs["query"][..., :-1]}, {}, "does not hold 4 query and 2 key/value heads"),
        ({"value": inputs["value"][..., :8]}, {}, r"\[2,1,16\] is expected"),
        ({"past_value": None}, {}, "past_key and past_value must be given together"),
        ({"past_value": cache[:, :, :4]}, {}, r"the cache has shape \[2,2,4,8\]"),
        (lengths([9, 6]), {}, "seqlens_k has 8; with total_sequence_length 9, 1 new tokens and a cache of 5"),
        ({"seqlens_k": np.zeros(1, np.int32)}, {}, "one element for each of 2 batch rows; they have 1 and 0"),
        ({"query_seqlens": np.array([2, 1], np.int32)}, {}, "2 new tokens and a cache of 5 that is impossible"),
        ({}, {"do_rotary": 1}, "do_rotary needs cos_cache and sin_cache"),
        ({"head_sink": one}, {}, r"head_sink must have 4 elements; its shape is \[1\]"),
        ({"q_norm_weight": one, "k_norm_weight": one}, {}, "the norm weight must have 8 elements"),
        (numbers, {}, "a cache of type int8 needs k_quant_type"),
        (numbers, quantized, "k_scale must have 1 elements"),
        ({"k_scale": one, "v_scale": one}, quantized, "of type int8; it has type float"),
        ({}, {"sliding_window_cache": 1, "local_window_size": 6}, r"at least local_window_size = 6 rows; its shape is"),
        (
            {},
            {"sliding_window_cache": 1, "local_window_size": 3, "qk_output": 1},
            "output_qk with sliding_window_cache",
        ),
    ]
    for changes, how, text in cases:
        dtypes = [np.float32, *[changes.get("past_key", cache).dtype] * 2]
        step = Step({**inputs, **changes}, {**heads, **how}, [1, 1], [6, 6], dtypes)
        with pytest.raises(onnxlet.Error, match=text):
            step.run(backend)
