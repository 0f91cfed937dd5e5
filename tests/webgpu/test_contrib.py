"""Operators on WebGPU, in Node, against the CPU: those of com.microsoft and forms that the ONNX package has no cases of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support.hosts import Host
from tests.webgpu.sides import Arrays, Found, Make, model_of, run_both


def nbits(rng: np.random.Generator, bits: int, zeros: bool, rows: int, k: int = 72, n: int = 5) -> tuple[bytes, Arrays]:
    block = 32
    blocks = (k + block - 1) // block
    constants = {
        "b": rng.integers(0, 256, (n, blocks, block * bits // 8), np.uint8),
        "scales": rng.standard_normal(n * blocks, np.float32),
    }
    names = ["a", "b", "scales"]
    if zeros:
        constants["zeros"] = rng.integers(0, 256, n * ((blocks * bits + 7) // 8), np.uint8)
        names.append("zeros")
    feeds = {"a": rng.standard_normal((rows, k), np.float32)}
    return model_of("MatMulNBits", feeds, constants, names, 1, K=k, N=n, bits=bits, block_size=block), feeds


def grouped(rng: np.random.Generator, past: int, tokens: int, interleaved: bool) -> tuple[bytes, Arrays]:
    heads, kv_heads, size, total = 4, 2, 8, past + tokens
    angles = rng.standard_normal((16, size // 2), np.float32)
    feeds = {
        "q": rng.standard_normal((1, tokens, heads * size), np.float32),
        "k": rng.standard_normal((1, tokens, kv_heads * size), np.float32),
        "v": rng.standard_normal((1, tokens, kv_heads * size), np.float32),
        "past_k": rng.standard_normal((1, kv_heads, past, size), np.float32),
        "past_v": rng.standard_normal((1, kv_heads, past, size), np.float32),
        "last": np.array([total - 1], np.int32),
        "total": np.array(total, np.int32),
    }
    constants = {"cos": np.cos(angles), "sin": np.sin(angles)}
    attributes: dict[str, Any] = {
        "num_heads": heads,
        "kv_num_heads": kv_heads,
        "do_rotary": 1,
        "rotary_interleaved": int(interleaved),
    }
    return model_of("GroupQueryAttention", feeds, constants, [*feeds, *constants], 3, **attributes), feeds


def levels(rng: np.random.Generator, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def of_levels(
    rng: np.random.Generator, op: str, dtype: type, shapes: list[tuple[int, ...]], **attributes: Any
) -> tuple[bytes, Arrays]:
    """A function of levels, whose scale and zero point follow each operand; those of the result come last."""
    feeds = {f"x{i}": levels(rng, dtype, shape) for i, shape in enumerate(shapes)}
    constants: Arrays = {}
    names: list[str] = []
    for i in range(len(shapes) + 1):
        constants |= {f"scale{i}": np.array(0.01 * (i + 1), np.float32), f"zero{i}": np.array(3 * i, dtype)}
        names += [*([f"x{i}"] if i < len(shapes) else []), f"scale{i}", f"zero{i}"]
    result = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return model_of(op, feeds, constants, names, 1, result=result, **attributes), feeds


def level_conv(
    rng: np.random.Generator, x: tuple[int, ...], w: tuple[int, ...], dtype: type, **attributes: Any
) -> tuple[bytes, Arrays]:
    feeds = {"x": levels(rng, dtype, x)}
    constants: Arrays = {
        "x_scale": np.array(0.02, np.float32),
        "x_zero": np.array(7, dtype),
        "w": levels(rng, np.int8, w),
        "w_scale": rng.uniform(0.001, 0.01, w[0]).astype(np.float32),
        "w_zero": np.zeros(w[0], np.int8) if attributes.get("group", 1) == 1 else np.array(0, np.int8),
        "y_scale": np.array(0.05, np.float32),
        "y_zero": np.array(100, np.uint8),
        "bias": rng.integers(-1000, 1000, w[0], np.int32),
    }
    names = ["x", *constants]
    return model_of("QLinearConv", feeds, constants, names, 1, "", TensorProto.UINT8, **attributes), feeds


def heads(
    rng: np.random.Generator, past: int = 0, bias: bool = False, padding: str = "", packed: bool = False
) -> tuple[bytes, Arrays]:
    """MultiHeadAttention of 2 batches, 3 heads of 4, 5 new tokens."""
    number, size, tokens, total = 3, 4, 5, past + 5
    floats: Callable[..., np.ndarray] = lambda *shape: rng.standard_normal(shape, np.float32)  # noqa: E731
    feeds = {"q": floats(2, tokens, number, 3, size)} if packed else {name: floats(2, tokens, 12) for name in "qkv"}
    names = ["q", "", "", "", "", ""] if packed else ["q", "k", "v", "", "", ""]
    constants: Arrays = {}
    if bias:
        constants["bias"], names[3] = floats(36), "bias"
    if padding == "counts":
        feeds["padding"], names[4] = np.array([total, 2], np.int32), "padding"
    if padding == "keys":
        feeds["padding"], names[4] = rng.integers(0, 2, (2, total), np.int32), "padding"
    if padding == "scores":
        feeds["scores"], names[5] = floats(1, number, tokens, total), "scores"
    if past:
        feeds |= {name: floats(2, number, past, size) for name in ("past_k", "past_v")}
        names += ["past_k", "past_v"]
    attributes: dict[str, Any] = {"num_heads": number, "unidirectional": int(bool(past))}
    return model_of("MultiHeadAttention", feeds, constants, names, 3 if past else 1, **attributes), feeds


def padded(rng: np.random.Generator, lengths: list[int], **attributes: Any) -> tuple[bytes, Arrays]:
    """Attention of 4 heads of 8, 3 new tokens, over keys of which `lengths` count for each batch."""
    feeds: Arrays = {
        name: rng.standard_normal((len(lengths), 4, tokens, 8), np.float32)
        for name, tokens in (("q", 3), ("k", 70), ("v", 70))
    }
    constants: Arrays = {"lengths": np.array(lengths, np.int64)}
    names = ["q", "k", "v", "", "", "", "lengths"]
    return model_of("Attention", feeds, constants, names, 1, "", opset=24, **attributes), feeds


def block_rows(rng: np.random.Generator, bits: int, zeros: bool, axis: int = 0) -> tuple[bytes, Arrays]:
    """GatherBlockQuantized of levels that lie in bytes."""
    rows, numbers, block = 6, 64, 16
    shape = (rows, numbers) if axis == 0 else (2, rows, numbers)
    per_byte = 8 // bits
    constants: Arrays = {
        "data": rng.integers(0, 256, (*shape[:-1], numbers // per_byte), np.uint8),
        "scales": rng.standard_normal((*shape[:-1], numbers // block)).astype(np.float32),
    }
    names = ["data", "i", "scales"]
    if zeros:
        constants["zeros"] = rng.integers(0, 256, (*shape[:-1], numbers // block // per_byte), np.uint8)
        names.append("zeros")
    feeds = {"i": np.array([[5, 0, -1], [2, 2, 3]], np.int64)}
    attributes: dict[str, Any] = {
        "bits": bits,
        "block_size": block,
        "gather_axis": axis,
        "quantize_axis": len(shape) - 1,
    }
    return model_of("GatherBlockQuantized", feeds, constants, names, 1, **attributes), feeds


def plain(
    rng: np.random.Generator,
    op: str,
    dtype: type,
    shapes: list[tuple[int, ...]],
    whole: list[Any] | None = None,
    **attributes: Any,
) -> tuple[bytes, Arrays]:
    """An operator of ai.onnx: operands, and then constants of whole numbers."""
    make = rng.standard_normal if dtype is np.float32 else partial(levels, rng, dtype)
    feeds: Arrays = {f"x{i}": np.asarray(make(shape), dtype) for i, shape in enumerate(shapes)}
    constants = {f"c{i}": np.array(values, np.int64) for i, values in enumerate(whole or [])}
    result = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return model_of(op, feeds, constants, [*feeds, *constants], 1, "", result, **attributes), feeds


def of_values(rng: np.random.Generator, op: str, values: list[float]) -> tuple[bytes, Arrays]:
    feeds: Arrays = {"x": np.array(values, np.float32)}
    return model_of(op, feeds, {}, ["x"], 1, ""), feeds


SIZES = [0, 1e-6, 1e-3, 0.0299, 0.03, 0.5, 0.999, 1, 1.0001, 1.5, 20, 9999, 10001, 1e20, 3e38, float("inf")]


CASES: dict[str, Make] = {
    **{
        f"{op} of all sizes": partial(of_values, op=op, values=[*SIZES, *(-size for size in SIZES), float("nan")])
        for op in ("Asinh", "Acosh", "Atanh")
    },
    "ReduceSum of all axes": partial(plain, op="ReduceSum", dtype=np.float32, shapes=[(3, 5, 7)], whole=[[]]),
    "ReduceMax of all axes": partial(
        plain, op="ReduceMax", dtype=np.float32, shapes=[(3, 5, 7)], whole=[[]], keepdims=0
    ),
    **{
        f"MatMulNBits {bits} bits, zeros {zeros}, {rows} rows": partial(nbits, bits=bits, zeros=zeros, rows=rows)
        for bits in (2, 4, 8)
        for zeros, rows in ((False, 1), (True, 7))
    },
    "GroupQueryAttention at first": partial(grouped, past=0, tokens=5, interleaved=False),
    "GroupQueryAttention later": partial(grouped, past=6, tokens=1, interleaved=False),
    "GroupQueryAttention interleaved": partial(grouped, past=3, tokens=4, interleaved=True),
    "MultiHeadAttention": heads,
    "MultiHeadAttention packed": partial(heads, packed=True),
    "MultiHeadAttention with a bias": partial(heads, bias=True, padding="scores"),
    "MultiHeadAttention padded": partial(heads, padding="counts"),
    "MultiHeadAttention without some keys": partial(heads, padding="keys"),
    "MultiHeadAttention later": partial(heads, past=4, bias=True),
    "Attention over keys that count": partial(padded, lengths=[70, 2, 65]),
    "Attention over keys that count and come before": partial(padded, lengths=[70, 2, 0, 65], is_causal=1),
    "GatherBlockQuantized": partial(block_rows, bits=4, zeros=True),
    "GatherBlockQuantized from the middle": partial(block_rows, bits=4, zeros=False),
    "GatherBlockQuantized of bytes": partial(block_rows, bits=8, zeros=False, axis=1),
    "Einsum of batches": partial(
        plain, op="Einsum", dtype=np.float32, shapes=[(2, 3, 5), (2, 7, 5)], equation="bij,bkj->bik"
    ),
    "Einsum of heads": partial(
        plain, op="Einsum", dtype=np.float32, shapes=[(2, 5, 3, 4), (2, 6, 3, 4)], equation="bqhd,bkhd->bhqk"
    ),
    "Einsum in another order": partial(
        plain, op="Einsum", dtype=np.float32, shapes=[(2, 3, 5, 6), (2, 6, 3, 4)], equation="bhqk,bkhd->bqhd"
    ),
    "Einsum with dots": partial(
        plain, op="Einsum", dtype=np.float32, shapes=[(2, 3, 5), (2, 5, 7)], equation="...ij,...jk"
    ),
    "Einsum without a sum": partial(plain, op="Einsum", dtype=np.float32, shapes=[(3,), (5,)], equation="i,j->ji"),
    "Slice backwards": partial(
        plain, op="Slice", dtype=np.float32, shapes=[(7, 9)], whole=[[5, -1], [-100, 1], [0, 1], [-2, -3]]
    ),
    "Slice of bytes": partial(plain, op="Slice", dtype=np.uint8, shapes=[(5, 31)], whole=[[1, 3], [4, 30]]),
    "Transpose of halves": partial(plain, op="Transpose", dtype=np.int16, shapes=[(3, 5, 7)], perm=[2, 0, 1]),
    "Pad of bytes": partial(plain, op="Pad", dtype=np.int8, shapes=[(3, 5)], whole=[[1, -1, 2, 3]]),
    "Pad that reflects often": partial(
        plain, op="Pad", dtype=np.float32, shapes=[(2, 3)], whole=[[0, 7, 0, 5]], mode="reflect"
    ),
    "Tile of whole numbers": partial(plain, op="Tile", dtype=np.int64, shapes=[(2, 1, 3)], whole=[[2, 3, 1]]),
    "CumSum of whole numbers": partial(plain, op="CumSum", dtype=np.int64, shapes=[(3, 33)], whole=[1], reverse=1),
    "Gather of bytes": partial(plain, op="Gather", dtype=np.uint8, shapes=[(6, 5)], whole=[[3, -1, 0]], axis=1),
    **{
        f"GridSample {mode}, {padding}, {rank} axes": partial(
            plain,
            op="GridSample",
            dtype=np.float32,
            shapes=[(2, 3, *(5, 4, 3)[:rank]), (2, *(6, 7, 2)[:rank], rank)],
            mode=mode,
            padding_mode=padding,
            align_corners=rank % 2,
        )
        for mode, padding, rank in (("linear", "zeros", 3), ("cubic", "border", 2), ("nearest", "reflection", 2))
    },
    "QLinearAdd": partial(of_levels, op="QLinearAdd", dtype=np.uint8, shapes=[(3, 1, 7), (5, 7)]),
    "QLinearMul": partial(of_levels, op="QLinearMul", dtype=np.int8, shapes=[(33,), (33,)]),
    "QLinearSigmoid": partial(of_levels, op="QLinearSigmoid", dtype=np.uint8, shapes=[(2, 31)]),
    "QLinearLeakyRelu": partial(of_levels, op="QLinearLeakyRelu", dtype=np.int8, shapes=[(2, 31)], alpha=0.2),
    "QLinearConv padded": partial(
        level_conv, x=(2, 3, 9, 7), w=(10, 3, 3, 3), dtype=np.uint8, pads=[1, 1, 1, 1], strides=[2, 1]
    ),
    "QLinearConv grouped": partial(level_conv, x=(1, 6, 11), w=(4, 3, 2), dtype=np.int8, group=2, dilations=[3]),
    "QLinearConv depthwise": partial(
        level_conv, x=(1, 5, 4, 4, 3), w=(5, 1, 2, 3, 3), dtype=np.uint8, group=5, pads=[0, 1, 2, 1, 1, 0]
    ),
}


@pytest.fixture(scope="module")
def found(get_host: Callable[[str], Host], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    return run_both(CASES, get_host, tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("case", CASES)
def test_the_gpu_gives_the_cpus_numbers(case: str, found: dict[str, Found]) -> None:
    level = case.startswith("QLinear")  # may be rounded the other way
    for output, want in found[case].cpu.items():
        atol = 1 if level else 1e-4 if want.dtype == np.float32 else 0
        actual = found[case].gpu[output]
        assert actual.dtype == want.dtype
        np.testing.assert_allclose(
            actual.astype(np.float64), want.astype(np.float64), rtol=1e-4 if atol else 0, atol=atol, err_msg=output
        )
    assert [(kernel or "").startswith("webgpu ") for kernel in found[case].kernels] == [True]
