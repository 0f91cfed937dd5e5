"""Sessions on WebGPU in Chromium, over a driver in software: on the page's main thread and in the engine's worker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.browser.chromium import WEBGPU, Chromium, executable
from tests.conformance import javascript
from tests.conformance.cases import Case, load_cases
from tests.models import registry
from tests.support.hosts import HostError, JavaScriptHost, Task, chromium_roots
from tests.support.missing import missing
from tests.support.paths import ROOT
from tests.webgpu.test_conformance import NEVER_THERE, on_gpu, operators

# Where the engine is, and with it the device.
PLACES = {"main thread": "never", "worker": True}

MODELS = ("digits-cnn", "tinyocr-rec")


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    if not (ROOT / "js" / "dist" / "webgpu.mjs").is_file():
        missing("js/dist is not built; run ./build.sh build")
    if executable() is None:
        missing("Chromium is not installed")
    with Chromium(chromium_roots(), arguments=WEBGPU) as browser:
        yield browser


@pytest.fixture(params=PLACES)
def host(request: pytest.FixtureRequest, browser: Chromium) -> JavaScriptHost:
    proxy = PLACES[request.param]

    def run_jobs(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return browser.run_jobs([{**job, "wasm": {"proxy": proxy}} for job in jobs])

    return JavaScriptHost("webgpu", run_jobs)


def sample() -> list[Case]:
    """The first case of every operator that has a kernel."""
    wanted = operators() - NEVER_THERE.keys()
    found: dict[str, Case] = {}
    for case in load_cases():
        if case.suite == "node" and case.operator in wanted:
            found.setdefault(case.operator, case)
    return list(found.values())


@pytest.mark.only_with_all  # test_conformance.py has them all, in Node
def test_node_cases(host: JavaScriptHost) -> None:
    cases = sample()
    outcomes = list(javascript.run_cases(cases, host))
    assert [f"{cases[o.index].id}: {o.message}" for o in outcomes if not o.passed] == []
    there = sum(on_gpu(outcome) > 0 for outcome in outcomes)
    assert there >= len(cases) * 0.8


@pytest.mark.parametrize("name", MODELS)
def test_models(
    name: str, host: JavaScriptHost, get_host: Callable[[str], Any], fetched: Callable[[Callable[[], Any]], Any]
) -> None:
    model = registry.models()[name]
    path = fetched(model.path)
    task = Task(path, [model.feeds(model.sizes[-1])], options={"executionProviders": ["webgpu", "wasm"]})
    (actual,) = host.run_all([task])
    assert not isinstance(actual, HostError), actual
    (expected,) = get_host("cpython").run_all([Task(path, task.runs)])
    for output, values in expected[0].items():
        largest = float(np.abs(values).max())
        assert np.abs(actual[0][output] - values).max() <= 1e-3 * largest, output


LOSS = """async ({ model, image }) => {
    const { InferenceSession, Tensor, env } = onnxlet;
    env.wasm.proxy = 'never';
    const devices = [];
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function (wishes) {
        const device = await requestDevice.call(this, wishes);
        devices.push(device);
        return device;
    };
    const open = () => InferenceSession.create(model, { executionProviders: [{ name: 'webgpu', minBytes: 0 }] });
    const feeds = { image: new Tensor('float32', image, [1, 1, 8, 8]) };
    const ask = async session => [...(await session.run(feeds)).logits.data];
    const session = await open();
    const before = await ask(session);
    const running = ask(session).then(() => 'it went through', ({ code, message }) => `${code}: ${message}`);
    for (const device of devices) device.destroy();
    const error = await running;
    const alone = await ask(session);
    await session.release();
    const next = await open();
    const after = await ask(next);
    await next.release();
    return { devices: devices.length, before, error, alone, after };
}"""


def test_device_loss(browser: Chromium, fetched: Callable[[Callable[[], Any]], Any]) -> None:
    path = fetched(registry.models()["digits-cnn"].path)
    page = browser.page()
    page.wait("() => typeof onnxlet === 'object'", 30)
    image = [(7 * i) % 17 for i in range(64)]
    found = page.evaluate(LOSS, {"model": f"{browser.server.origin}/file{path}", "image": image})
    page.close()
    assert re.fullmatch(r"RUN_FAILED: the device: it was lost \(.+\); later runs are on the CPU", found["error"])
    assert found["devices"] == 2 and found["after"] == found["before"]
    assert found["alone"] == pytest.approx(found["before"], abs=1e-3)


BOUND = """async ({ model, image }) => {
    const { InferenceSession, Tensor, env } = onnxlet;
    const failure = promise => promise.then(() => 'it went through', ({ code, message }) => `${code}: ${message}`);
    const open = options => InferenceSession.create(model, { executionProviders: [{ name: 'webgpu', minBytes: 0 }], ...options });
    const feed = new Tensor('float32', image, [1, 1, 8, 8]);
    const away = await open();
    const expected = [...(await away.run({ image: feed })).logits.data];
    const shown = env.webgpu.device !== undefined;
    const session = await open({ preferredOutputLocation: 'gpu-buffer' });
    const { logits } = await session.run({ image: feed });
    const { device } = env.webgpu;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: 256, usage });
    device.queue.writeBuffer(buffer, 0, new Float32Array(image));
    const bound = Tensor.fromGpuBuffer(buffer, { dims: [1, 1, 8, 8] });
    const again = (await session.run({ image: bound })).logits;
    const refused = await failure(away.run({ image: bound }));
    const found = [logits.location, logits.gpuBuffer instanceof GPUBuffer, again.location];
    const values = [[...(await logits.getData())], [...(await again.getData())]];
    await session.release();
    await away.release();
    return { shown, found, expected, values, refused };
}"""


def test_buffers(browser: Chromium, fetched: Callable[[Callable[[], Any]], Any]) -> None:
    path = fetched(registry.models()["digits-cnn"].path)
    page = browser.page()
    page.wait("() => typeof onnxlet === 'object'", 30)
    image = [(7 * i) % 17 for i in range(64)]
    found = page.evaluate(BOUND, {"model": f"{browser.server.origin}/file{path}", "image": image})
    page.close()
    assert not found["shown"] and found["found"] == ["gpu-buffer", True, "gpu-buffer"]
    assert found["values"] == [found["expected"], found["expected"]]
    assert found["refused"].startswith(
        'INVALID_ARGUMENT: input "image" is in a GPU buffer, and the session\'s engine is in'
    )
