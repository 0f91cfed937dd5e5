"""Eight workers of one page, each with an engine and threads of its own."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from tests.browser.chromium import Chromium

EIGHT = """async message => {
    const one = () => new Promise((resolve, reject) => {
        const worker = new Worker('/tests/browser/page/in_worker.mjs', { type: 'module' });
        worker.onmessage = event => { worker.terminate(); resolve(event.data); };
        worker.onerror = event => reject(new Error(event.message));
        worker.postMessage(message);
    });
    return Promise.all(Array.from({ length: 8 }, one));
}"""


@pytest.mark.parametrize("threads", [1, 2])
def test_they_give_the_same(chromium: Chromium, files: Path, threads: int) -> None:
    path = files / "twice.onnx"
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "g", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    page = chromium.page()
    try:
        answers = page.evaluate(EIGHT, {"model": f"/file{path}", "threads": threads})
    finally:
        page.close()
    assert answers == [{"y": 42, "threads": threads}] * 8
