"""Models of one operator, run in Node on the CPU and on WebGPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from tests.conformance.javascript import GPU_OPTIONS
from tests.support.hosts import Host, HostError, JavaScriptHost, Task, write_inputs

Arrays = dict[str, np.ndarray]
# Makes a model and its inputs.
Make = Callable[[np.random.Generator], tuple[bytes, Arrays]]


def model_of(
    op: str,
    feeds: Arrays,
    constants: Arrays,
    names: list[str],
    outputs: int,
    domain: str = "com.microsoft",
    result: int = TensorProto.FLOAT,
    opset: int = 21,
    **attributes: Any,
) -> bytes:
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], domain=domain, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
        for name, value in feeds.items()
    ]
    results = [helper.make_tensor_value_info(f"y{i}", result, None) for i in range(outputs)]
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph([node], "g", inputs, results, weights)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    content: bytes = helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()
    return content


@dataclass
class Found:
    """What both sides give, and what ran on the GPU."""

    cpu: Arrays
    gpu: Arrays
    kernels: list[str | None]


def run_both(cases: Mapping[str, Make], get_host: Callable[[str], Host], folder: Path) -> dict[str, Found]:
    tasks, jobs = [], []
    for index, make in enumerate(cases.values()):
        content, feeds = make(np.random.default_rng(7))
        path = folder / f"{index}.onnx"
        path.write_bytes(content)
        tasks.append(Task(path, [feeds]))
        inputs = [
            {**value, "file": str(folder / value["file"])} for value in write_inputs(folder, feeds, f"{index}-input")
        ]
        jobs.append({"id": str(index), "model": str(path), "inputs": inputs, "options": GPU_OPTIONS})
    host = get_host("webgpu")
    assert isinstance(host, JavaScriptHost)
    on_cpu = get_host("node").run_all(tasks)
    on_gpu = host.run_all([replace(task, options=GPU_OPTIONS) for task in tasks])
    profiled = host.run_jobs([{**job, "profile": True, "keep": "none"} for job in jobs])
    results: dict[str, Found] = {}
    for name, cpu, gpu, profile in zip(cases, on_cpu, on_gpu, profiled, strict=True):
        assert not isinstance(cpu, HostError), f"{name}: {cpu}"
        assert not isinstance(gpu, HostError), f"{name}: {gpu}"
        results[name] = Found(cpu[0], gpu[0], profile["kernels"])
    return results
