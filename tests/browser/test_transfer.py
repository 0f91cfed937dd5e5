"""Files on their way into a page: the cache, broken connections, keys that cross into the engine's worker."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.browser.chromium import Chromium, Tab

# Larger than the pieces in which copies are digested and stored.
COUNT = (5 << 20) // 4

RUN = """async ({ url, ...options }) => {
    const warnings = [];
    const { warn } = console;
    console.warn = text => warnings.push(text);
    try {
        if (options.key) options.decrypt = { key: Uint8Array.from(atob(options.key), c => c.charCodeAt(0)) };
        delete options.key;
        const session = await onnxlet.InferenceSession.create(url, options);
        const { y } = await session.run({ x: new onnxlet.Tensor('float32', [1], [1]) });
        await session.release();
        return { y: y.data.at(-1), warnings };
    } catch (error) {
        return { error: `${error.code}: ${error.message}`, warnings };
    } finally {
        console.warn = warn;
    }
}"""

# Changes one byte of the copy, and leaves the digest that was stored with it.
DAMAGE = """async ({ url, name }) => {
    const cache = await caches.open(name);
    const copy = await cache.match(url);
    const bytes = new Uint8Array(await copy.arrayBuffer());
    bytes[bytes.length - 100] ^= 1;
    await cache.put(url, new Response(bytes, { headers: copy.headers }));
}"""


@pytest.fixture
def page(chromium: Chromium) -> Iterator[Tab]:
    page = chromium.page()
    page.evaluate("async () => { for (const name of await caches.keys()) await caches.delete(name); }")
    yield page
    page.close()


def added(path: Path, value: float) -> bytes:
    """Writes y = x + w with a large w of equal elements."""
    weights = numpy_helper.from_array(np.full(COUNT, value, np.float32), "w")
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "g",
        [info("x", TensorProto.FLOAT, [1])],
        [info("y", TensorProto.FLOAT, [COUNT])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, path)
    return path.read_bytes()


def run(page: Tab, url: str, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = page.evaluate(RUN, {"url": url, **options})
    return result


def sri(data: bytes) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode()


def test_a_cached_model_is_not_fetched_again(chromium: Chromium, page: Tab, files: Path) -> None:
    path = files / "cached.onnx"
    added(path, 4)
    url = f"/file{path}"
    for _ in range(3):
        assert run(page, url, cache=True) == {"y": 5, "warnings": []}
    assert chromium.server.requests.count(url) == 1
    assert page.evaluate("() => caches.keys()") == ["onnxlet"]
    assert run(page, url, cache="mine")["y"] == 5
    assert chromium.server.requests.count(url) == 2


def test_a_damaged_copy_is_evicted_and_fetched_again(chromium: Chromium, page: Tab, files: Path) -> None:
    path = files / "damaged.onnx"
    added(path, 4)
    url = f"/file{path}"
    run(page, url, cache=True)
    page.evaluate(DAMAGE, {"url": url, "name": "onnxlet"})
    again = run(page, url, cache=True)
    assert again["y"] == 5
    assert "in the cache is damaged; it is fetched again" in str(again["warnings"])
    assert run(page, url, cache=True) == {"y": 5, "warnings": []}
    assert chromium.server.requests.count(url) == 2


def test_another_integrity_makes_a_copy_old(chromium: Chromium, page: Tab, files: Path) -> None:
    path = files / "updated.onnx"
    url = f"/file{path}"
    old = sri(added(path, 4))
    assert run(page, url, cache=True, integrity=old)["y"] == 5
    new = sri(added(path, 6))
    result = run(page, url, cache=True, integrity=new)
    assert result["y"] == 7
    assert "fails its integrity check" in str(result["warnings"])
    assert run(page, url, cache=True, integrity=new) == {"y": 7, "warnings": []}
    assert chromium.server.requests.count(url) == 2


def test_what_fails_its_integrity_check_is_not_kept(page: Tab, files: Path) -> None:
    path = files / "wrong.onnx"
    added(path, 4)
    result = run(page, f"/file{path}", cache=True, integrity=sri(b"something else"))
    assert result["error"].startswith("LOAD_FAILED") and "fails its integrity check: expected" in result["error"]
    assert page.evaluate("async () => (await (await caches.open('onnxlet')).keys()).length") == 0
    assert run(page, f"/file{path}")["y"] == 5


def test_a_broken_transfer_goes_on(chromium: Chromium, page: Tab, files: Path) -> None:
    path = files / "flaky.onnx"
    data = added(path, 4)
    url = f"/flaky{path}"
    assert run(page, url, integrity=sri(data)) == {"y": 5, "warnings": []}
    assert chromium.server.requests.count(url) == 2


def test_an_encrypted_model(page: Tab, files: Path) -> None:
    plain, path = files / "plain.onnx", files / "secret.onnx"
    added(plain, 4)
    keys = page.evaluate(
        """async ([from, to]) => {
            const bytes = await (await fetch(from)).arrayBuffer();
            const raw = crypto.getRandomValues(new Uint8Array(32));
            const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt']);
            const iv = crypto.getRandomValues(new Uint8Array(12));
            const secret = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes);
            await fetch(to, { method: 'PUT', body: new Blob([iv, secret]) });
            return [raw, raw.map(byte => byte ^ 1)].map(each => btoa(String.fromCharCode(...each)));
        }""",
        [f"/file{plain}", f"/file{path}"],
    )
    wrong = run(page, f"/file{path}", key=keys[1], cache=True)
    assert wrong["error"].startswith("LOAD_FAILED") and "could not be decrypted" in wrong["error"]
    assert run(page, f"/file{path}", key=keys[0], cache=True)["y"] == 5


def test_a_model_is_judged_before_it_is_downloaded(page: Tab, files: Path) -> None:
    path = files / "judged.onnx"
    added(path, 4)
    answer = page.evaluate(
        """async url => {
            const before = performance.getEntriesByType('resource').length;
            const { supported, operators } = await onnxlet.supports(url);
            const bytes = performance.getEntriesByType('resource').slice(before)
                .filter(({ name }) => name.endsWith('.onnx')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
            const list = await onnxlet.supports(['Conv', 'Nothing']);
            return { supported, names: operators.map(({ opType }) => opType), small: bytes < 200000, missing: list.missing[0].opType };
        }""",
        f"/file{path}",
    )
    assert answer == {"supported": True, "names": ["Add"], "small": True, "missing": "Nothing"}
