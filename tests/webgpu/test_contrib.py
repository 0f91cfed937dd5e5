"""Operators of com.microsoft on WebGPU, in Node, against the CPU: the ONNX package has no cases of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.conformance.javascript import GPU_OPTIONS
from tests.support.hosts import Host, JavaScriptHost, Task, run, write_inputs

Arrays = dict[str, np.ndarray]


def model_of(op: str, feeds: Arrays, constants: Arrays, names: list[str], outputs: int, **attributes: Any) -> bytes:
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], domain="com.microsoft", **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in feeds.items()
    ]
    results = [helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None) for i in range(outputs)]
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph([node], "g", inputs, results, weights)
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    content: bytes = helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()
    return content


def nbits(rng: np.random.Generator, bits: int, zeros: bool, rows: int) -> tuple[bytes, Arrays]:
    k, n, block = 72, 5, 32
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
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "do_rotary": 1, "rotary_interleaved": int(interleaved)}
    return model_of("GroupQueryAttention", feeds, constants, [*feeds, *constants], 3, **attributes), feeds


CASES: dict[str, Callable[[np.random.Generator], tuple[bytes, Arrays]]] = {
    **{
        f"MatMulNBits {bits} bits, zeros {zeros}, {rows} rows": partial(nbits, bits=bits, zeros=zeros, rows=rows)
        for bits in (2, 4, 8)
        for zeros, rows in ((False, 1), (True, 7))
    },
    "GroupQueryAttention at first": partial(grouped, past=0, tokens=5, interleaved=False),
    "GroupQueryAttention later": partial(grouped, past=6, tokens=1, interleaved=False),
    "GroupQueryAttention interleaved": partial(grouped, past=3, tokens=4, interleaved=True),
}


@pytest.mark.parametrize("case", CASES)
def test_the_gpu_gives_the_cpus_numbers(case: str, get_host: Callable[[str], Host], tmp_path: Path) -> None:
    content, feeds = CASES[case](np.random.default_rng(7))
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    (expected,) = run(get_host("node"), Task(path, [feeds]))
    host = get_host("webgpu")
    assert isinstance(host, JavaScriptHost)
    (actual,) = run(host, Task(path, [feeds], options=GPU_OPTIONS))
    for output, want in expected.items():
        np.testing.assert_allclose(actual[output], want, rtol=1e-4, atol=1e-4, err_msg=output)
    inputs = [{**value, "file": str(tmp_path / value["file"])} for value in write_inputs(tmp_path, feeds)]
    job = {"id": "0", "model": str(path), "inputs": inputs, "options": GPU_OPTIONS, "profile": True, "keep": "none"}
    (result,) = host.run_jobs([job])
    assert [(kernel or "").startswith("webgpu ") for kernel in result["kernels"]] == [True]
