"""The package in a page: threads, isolation, loading, errors, and a page that never freezes."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.browser.chromium import Chromium, Tab
from tests.support.paths import ROOT

# Relaxed SIMD rounds differently from machine to machine; the flavour is chosen by what the browser has.
DETERMINISTIC = {"deterministic": True}


def save(graph_nodes: list[onnx.NodeProto], inputs: dict[str, Any], outputs: dict[str, Any], path: Path) -> str:
    """Writes a model with float inputs and outputs of the given shapes; returns its path."""
    starts, ends = (
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in side.items()]
        for side in (inputs, outputs)
    )
    graph = helper.make_graph(graph_nodes, "g", starts, ends)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return str(path)


@pytest.fixture(scope="module")
def double(files: Path) -> str:
    """y = x + x."""
    return save([helper.make_node("Add", ["x", "x"], ["y"])], {"x": ["n"]}, {"y": ["n"]}, files / "double.onnx")


@pytest.fixture(scope="module")
def products(files: Path) -> str:
    """Twenty matrix products in a row: about a second of work, so that something can happen meanwhile."""
    nodes = [helper.make_node("MatMul", [f"t{i}" if i else "x", "x"], [f"t{i + 1}"]) for i in range(20)]
    return save(nodes, {"x": [512, 512]}, {"t20": [512, 512]}, files / "products.onnx")


@pytest.fixture
def page(chromium: Chromium) -> Any:
    page = chromium.page()
    yield page
    page.close()


@pytest.fixture
def matmul_job(files: Path, products: str) -> dict[str, Any]:
    x = np.random.default_rng(7).standard_normal((512, 512), dtype=np.float32) / 32
    (files / "x.bin").write_bytes(x.tobytes())
    inputs = [{"name": "x", "dtype": "float32", "dims": [512, 512], "file": str(files / "x.bin")}]
    return {"model": products, "inputs": inputs, **DETERMINISTIC}


def test_same_bits_with_and_without_threads_in_chromium_and_node(
    chromium: Chromium, files: Path, matmul_job: dict[str, Any]
) -> None:
    jobs = [{**matmul_job, "id": str(threads), "threads": threads} for threads in (1, 2)]
    in_page = chromium.run_jobs(jobs)
    run = subprocess.run(
        [shutil.which("node") or "node", ROOT / "tests/node/run_model.mjs"],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    in_node = json.loads(run.stdout)["results"]
    assert [result["threads"] for result in in_page + in_node] == [1, 2, 1, 2], in_page + in_node
    hashes = {result["runs"][0]["outputs"][0]["sha256"] for result in in_page + in_node}
    assert len(hashes) == 1


def test_without_isolation_one_thread_and_a_warning(chromium: Chromium, matmul_job: dict[str, Any]) -> None:
    (result,) = chromium.run_jobs([{**matmul_job, "id": "plain", "threads": 4}], isolated=False)
    assert result["ok"] and result["threads"] == 1
    assert any(
        "4 threads were asked for and 1 is used" in text and "Cross-Origin-Opener-Policy" in text
        for text in result["warnings"]
    )


def test_no_request_leaves_the_origin(chromium: Chromium, matmul_job: dict[str, Any]) -> None:
    chromium.run_jobs([{**matmul_job, "id": "a"}])
    assert chromium.foreign == []


@pytest.mark.parametrize("wasm", [{}, {"proxy": "never"}], ids=["worker", "page"])
def test_a_policy_that_forbids_code_of_text_is_kept(
    chromium: Chromium, page: Tab, double: str, wasm: dict[str, Any]
) -> None:
    """Of script-src it needs 'self' and 'wasm-unsafe-eval'."""
    assert "script-src 'self' 'wasm-unsafe-eval';" in chromium.server.policy
    found = page.evaluate(
        """async (job) => {
            const kept = [];
            document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
                kept.push(`${violatedDirective}: ${blockedURI}`);
            });
            const [result] = await runJobs([job]);
            const own = kept.length;
            const script = document.createElement('script');
            script.textContent = 'globalThis.broken = 1;';
            document.head.append(script);
            await new Promise((resolve) => setTimeout(resolve, 50));
            return { ok: result.ok, own, told: kept, broken: globalThis.broken ?? null };
        }""",
        {"id": "policy", "model": double, "threads": 2, "wasm": wasm, "inputs": [number(3)]},
    )
    assert found == {"ok": True, "own": 0, "told": ["script-src-elem: inline"], "broken": None}


def test_the_page_stays_alive_while_the_engine_works(page: Tab, matmul_job: dict[str, Any]) -> None:
    ticks = page.evaluate(
        """async job => {
            let ticks = 0;
            let running = true;
            const tick = () => { ticks++; if (running) setTimeout(tick, 5); };
            const results = runJobs([{ ...job, id: 'busy', repeat: 2 }]);
            tick();
            const [result] = await results;
            running = false;
            return { ticks, ms: result.run_ms.reduce((a, b) => a + b), ok: result.ok };
        }""",
        matmul_job,
    )
    assert ticks["ok"]
    # One turn in 100 ms at least; a blocked page would have none.
    assert ticks["ticks"] > ticks["ms"] / 100


@pytest.mark.parametrize(("proxy", "elsewhere"), [(None, True), (False, True), (True, True), ("never", False)])
def test_where_the_engine_runs(chromium: Chromium, page: Tab, double: str, proxy: Any, elsewhere: bool) -> None:
    before = chromium.server.requests.count("/js/worker.mjs")
    job = {"id": "proxy", "model": double, "inputs": [number(3)], "wasm": {"proxy": proxy}}
    (result,) = page.evaluate("job => runJobs([job])", job)
    assert result["ok"] and result["threads"] == 1, result
    assert (chromium.server.requests.count("/js/worker.mjs") > before) == elsewhere


def test_html_instead_of_the_engine(chromium: Chromium, page: Tab, double: str) -> None:
    for flavour in ("onnxlet.wasm", "onnxlet-relaxed.wasm"):
        chromium.server.overrides[f"/html/{flavour}"] = (200, "text/html", b"<!doctype html><title>app</title>")
    job = {"id": "html", "model": double, "threads": 1, "wasm": {"wasmPaths": "/html/"}}
    (result,) = page.evaluate("job => runJobs([job])", job)
    assert result["error"]["code"] == "LOAD_FAILED"
    assert "got text/html from http://127.0.0.1" in result["error"]["message"]
    works(page, double)


def works(page: Tab, model: str) -> None:
    """What follows an error is a session like any other."""
    (result,) = page.evaluate("job => runJobs([job])", {"id": "next", "model": model, "inputs": [number(3)]})
    assert result["ok"], result


def test_an_engine_of_another_version(chromium: Chromium, page: Tab, double: str) -> None:
    engine = (ROOT / "js/dist/onnxlet.wasm").read_bytes()
    chromium.server.overrides["/other.wasm"] = (200, "application/wasm", engine.replace(b"ol_run_step", b"ol_run_leap"))
    job = {"id": "other", "model": double, "threads": 1, "wasm": {"wasmPaths": {"wasm": "/other.wasm"}}}
    (result,) = page.evaluate("job => runJobs([job])", job)
    assert result["error"]["code"] == "VERSION_MISMATCH"
    assert "JavaScript of onnxlet" in result["error"]["message"] and "lacks ol_run_step" in result["error"]["message"]
    works(page, double)


def test_html_instead_of_the_model(chromium: Chromium, page: Tab, double: str) -> None:
    chromium.server.overrides["/page.onnx"] = (200, "text/html", b"<!doctype html>")
    message = page.evaluate(
        "() => onnxlet.InferenceSession.create('/page.onnx').then(() => '', e => `${e.code}: ${e.message}`)"
    )
    assert message.startswith("LOAD_FAILED") and "got text/html from" in message
    works(page, double)


def test_progress_and_abort(page: Tab, files: Path, double: str) -> None:
    large = files / "large.onnx"
    large.write_bytes(bytes(4 << 20))
    outcome = page.evaluate(
        """async file => {
            const controller = new AbortController();
            let last;
            let most = 0;
            const outcome = await onnxlet.InferenceSession.create(`/slow${file}`, {
                signal: controller.signal,
                onProgress: p => {
                    last = p;
                    most = Math.max(most, p.loaded);
                    if (p.loaded > 0.3 * p.total) controller.abort(new Error('the user left'));
                },
            }).then(() => 'created', e => `${e.code}: ${e.message}`);
            return { outcome, total: last.total, most };
        }""",
        str(large),
    )
    assert outcome["outcome"] == "ABORTED: stopped by the caller: the user left"
    assert outcome["total"] == 4 << 20 and outcome["most"] < 4 << 20
    works(page, double)


def test_a_run_can_be_given_up(page: Tab, matmul_job: dict[str, Any]) -> None:
    """The caller hears of it at once; the next run waits for the engine."""
    answer = page.evaluate(
        """async ({ model }) => {
            const { InferenceSession, Tensor } = onnxlet;
            const session = await InferenceSession.create(`/file${model}`);
            const feeds = { x: new Tensor('float32', new Float32Array(512 * 512), [512, 512]) };
            await session.run(feeds);
            const controller = new AbortController();
            const order = [];
            const given = session.run(feeds, { signal: controller.signal }).then(() => '', e => `${e.code}: ${e.message}`);
            const message = given.then(text => (order.push('given up'), text));
            const next = session.run(feeds).then(({ t20 }) => (order.push('next'), t20.size));
            controller.abort(new Error('changed my mind'));
            const result = { message: await message, size: await next, order };
            await session.release();
            return result;
        }""",
        matmul_job,
    )
    assert answer == {
        "message": "ABORTED: stopped by the caller: changed my mind",
        "size": 512 * 512,
        "order": ["given up", "next"],
    }


def number(value: float) -> dict[str, Any]:
    return {"name": "x", "dtype": "float32", "dims": [1], "data": [value]}


def test_sessions_run_in_parallel_and_live_alone(page: Tab, double: str) -> None:
    values = page.evaluate(
        """async file => {
            const { InferenceSession, Tensor } = onnxlet;
            const [a, b] = await Promise.all([InferenceSession.create(`/file${file}`), InferenceSession.create(`/file${file}`)]);
            const feed = value => ({ x: new Tensor('float32', [value], [1]) });
            const many = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? a : b).run(feed(i))));
            await a.release();
            const last = await b.run(feed(21));
            await b.release();
            return [...many, last].map(({ y }) => y.data[0]);
        }""",
        double,
    )
    assert values == [*range(0, 20, 2), 42]


def test_an_input_survives_its_run(page: Tab, double: str) -> None:
    kept = page.evaluate(
        """async file => {
            const { InferenceSession, Tensor } = onnxlet;
            const session = await InferenceSession.create(`/file${file}`);
            const whole = new Float32Array([1, 2, 3, 4]);
            const { y } = await session.run({ x: new Tensor('float32', whole.subarray(1, 3), [2]) });
            await session.release();
            return [...whole, ...y.data];
        }""",
        double,
    )
    assert kept == [1, 2, 3, 4, 4, 6]


def test_cycles_reuse_one_engine(chromium: Chromium, page: Tab, double: str) -> None:
    before = chromium.server.requests.count("/js/worker.mjs")
    memory = page.evaluate(
        """async file => {
            const bytes = new Uint8Array(await (await fetch(`/file${file}`)).arrayBuffer());
            const memory = [];
            for (let cycle = 0; cycle < 1000; cycle++) {
                const session = await onnxlet.InferenceSession.create(bytes);
                await session.run({ x: new onnxlet.Tensor('float32', [1], [1]) });
                memory.push(session.memory.inUse);
                await session.release();
            }
            return memory;
        }""",
        double,
    )
    assert memory[10] == memory[-1]
    assert chromium.server.requests.count("/js/worker.mjs") - before == 1


def test_in_a_module_worker_with_threads(page: Tab, double: str) -> None:
    answer = page.evaluate(
        """message => new Promise((resolve, reject) => {
            const worker = new Worker('/tests/browser/page/in_worker.mjs', { type: 'module' });
            worker.onmessage = event => { worker.terminate(); resolve(event.data); };
            worker.onerror = event => reject(new Error(event.message));
            worker.postMessage(message);
        })""",
        {"model": f"/file{double}", "threads": 2},
    )
    assert answer == {"y": 42, "threads": 2}


def test_in_a_service_worker(page: Tab, double: str) -> None:
    answer = page.evaluate(
        """async message => {
            const registration = await navigator.serviceWorker.register('/tests/browser/page/service_worker.mjs', { type: 'module' });
            const worker = registration.installing ?? registration.waiting ?? registration.active;
            const { port1, port2 } = new MessageChannel();
            const answer = new Promise(resolve => { port1.onmessage = event => resolve(event.data); });
            worker.postMessage(message, [port2]);
            const value = await answer;
            await registration.unregister();
            return value;
        }""",
        {"model": f"/file{double}", "threads": 2},
    )
    assert answer == {"y": 42, "threads": 1}


def test_without_a_worker_script_the_engine_runs_here(chromium: Chromium, double: str) -> None:
    chromium.server.overrides["/js/worker.mjs"] = (404, "text/plain", b"")
    page = chromium.page()
    try:
        (result,) = page.evaluate(
            "job => runJobs([job])", {"id": "here", "model": double, "threads": 2, "inputs": [number(3)]}
        )
    finally:
        page.close()
        del chromium.server.overrides["/js/worker.mjs"]
    assert result["ok"] and result["threads"] == 1, result
    assert any("its worker did not start" in text for text in result["warnings"])
    assert any("may not block" in text for text in result["warnings"])


def test_used_from_another_origin_it_still_has_a_worker(chromium: Chromium, double: str) -> None:
    """As from a host of packages, which the page names itself."""
    chromium.server.shared = True
    page = chromium.page(isolated=False, bypass_policy=True)
    try:
        answer = page.evaluate(
            """async ([address, file]) => {
                const warnings = [];
                console.warn = text => warnings.push(text);
                const { InferenceSession, Tensor } = await import(address);
                const session = await InferenceSession.create(`/file${file}`);
                const { y } = await session.run({ x: new Tensor('float32', [21], [1]) });
                await session.release();
                return { y: y.data[0], warnings };
            }""",
            [f"{chromium.server.origin}/js/onnxlet.mjs", double],
        )
    finally:
        page.close()
        chromium.server.shared = False
    assert answer == {"y": 42, "warnings": []}


def test_a_named_file_of_the_engine_is_used(chromium: Chromium, page: Tab, double: str) -> None:
    """Under any name, as a trimmed build has it."""
    chromium.server.overrides["/own.wasm"] = (200, "application/wasm", (ROOT / "js/dist/onnxlet.wasm").read_bytes())
    job = {
        "id": "own",
        "model": double,
        "threads": 1,
        "inputs": [number(3)],
        "wasm": {"wasmPaths": {"wasm": "/own.wasm"}},
    }
    (result,) = page.evaluate("job => runJobs([job])", job)
    assert result["ok"] and result["flavour"] == "simd" and result["warnings"] == [], result


def test_memory_for_threads_is_refused(chromium: Chromium, double: str) -> None:
    refusing = b"""
        const { Memory } = WebAssembly;
        WebAssembly.Memory = class extends Memory {
            constructor(descriptor) {
                if (descriptor.shared) throw new RangeError('could not allocate memory');
                super(descriptor);
            }
        };
    """
    script = (ROOT / "js/dist/worker.mjs").read_bytes()
    chromium.server.overrides["/js/worker.mjs"] = (200, "text/javascript", refusing + script)
    page = chromium.page()
    try:
        job = {"id": "refused", "model": double, "threads": 2, "inputs": [number(3)]}
        (result,) = page.evaluate("job => runJobs([job])", job)
    finally:
        page.close()
        del chromium.server.overrides["/js/worker.mjs"]
    assert result["ok"] and result["threads"] == 1, result
    assert any("2 threads were asked for and 1 is used: shared memory" in text for text in result["warnings"]), result


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the flag names a feature of x86")
def test_without_simd_the_scalar_flavour_runs(files: Path, double: str) -> None:
    # V8 offers SIMD only where the processor has these instructions.
    with Chromium([files], arguments=["--js-flags=--no-enable-sse4-1"]) as browser:
        (result,) = browser.run_jobs([{"id": "scalar", "model": double, "inputs": [number(3)]}])
    assert result["ok"] and result["flavour"] == "scalar", result
    assert result["warnings"] == []
