"""What the tests let onnxlet do: inside Pyodide, and in CPython for the results to compare with. Without numpy.

Arguments and results are what JSON can hold. Models are addresses in a page, and paths in CPython.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import sys
import time
import warnings
from typing import Any

import onnxlet
from onnxlet import RawTensor
from onnxlet.bundle.pyodide_files.example import digest


async def call(name: str, argument: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = globals()[name](json.loads(argument))
        if asyncio.iscoroutine(result):
            result = await result
    return _answer(result, caught)


def call_sync(name: str, argument: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = globals()[name](json.loads(argument))
    return _answer(result, caught)


def _answer(result: dict[str, Any], caught: list[warnings.WarningMessage]) -> str:
    return json.dumps(result | {"warnings": [str(item.message) for item in caught]})


# ---- values ----


def encode(tensor: RawTensor) -> dict[str, Any]:
    return {"dtype": tensor.dtype, "shape": list(tensor.shape), "data": base64.b64encode(tensor.data).decode()}


def decode(value: Any) -> Any:
    """A feed: tensors are written as by `encode`, everything else stands for itself."""
    if not isinstance(value, dict):
        return value
    return RawTensor(value["dtype"], value["shape"], base64.b64decode(value["data"]))


# ---- models ----


async def model_bytes(address: str) -> Any:
    """The model's bytes; in CPython its path does."""
    if sys.platform != "emscripten":
        return address
    from pyodide.http import pyfetch

    return await (await pyfetch(address)).bytes()


def options_of(job: dict[str, Any]) -> onnxlet.SessionOptions:
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = job.get("threads", 0)
    options.use_deterministic_compute = True
    return options


async def run(job: dict[str, Any]) -> dict[str, Any]:
    """Runs a model on `feeds`, one dict after the other, outputs in `state` carried over as inputs. `how`: "run" or
    "run_async". Gives the outputs' digests of each run."""
    with onnxlet.InferenceSession(await model_bytes(job["model"]), options_of(job)) as session:
        names = [output.name for output in session.get_outputs()]
        carried: dict[str, Any] = {}
        digests = []
        start = time.perf_counter()
        for feeds in job["feeds"]:
            feed = {name: decode(value) for name, value in feeds.items()} | carried
            if job.get("how") == "run_async":
                outputs = await session.run_async(None, feed)
            else:
                outputs = session.run(None, feed)
            found = dict(zip(names, outputs, strict=True))
            carried = {to: found[source] for source, to in job.get("state", ())}
            digests.append([digest([output]) for output in outputs])
        seconds = (time.perf_counter() - start) / len(digests)
        return {"digests": digests, "threads": session.threads, "flavour": session.flavour, "seconds": seconds}


async def read_line(job: dict[str, Any]) -> dict[str, Any]:
    """The text that a recogniser reads in a picture of a line: CTC, class 0 is the blank."""
    with onnxlet.InferenceSession(await model_bytes(job["model"]), options_of(job)) as session:
        characters = session.get_modelmeta().custom_metadata_map["character"].split("\n")
        (scores,) = session.run(None, {name: decode(value) for name, value in job["feeds"].items()})
    text, last = "", 0
    for step in scores.tolist()[0]:
        best = step.index(max(step))
        text += ["", *characters, " "][best] if best != last else ""
        last = best
    return {"text": text}


async def load_error(job: dict[str, Any]) -> dict[str, Any]:
    """The class and words of the error that loading the model gives."""
    try:
        onnxlet.InferenceSession(await model_bytes(job["model"]), options_of(job))
    except onnxlet.Error as error:
        return {"class": type(error).__name__, "message": str(error), "code": error.code}
    return {}


async def from_javascript(job: dict[str, Any]) -> dict[str, Any]:
    """A model that was fetched by JavaScript: its ArrayBuffer, and a part of a larger one."""
    import js

    fetched = await (await js.fetch(job["model"])).arrayBuffer()
    wider = js.Uint8Array.new(fetched.byteLength + 20)
    wider.set(js.Uint8Array.new(fetched), 9)
    values = []
    for source in (fetched, js.Uint8Array.new(fetched), wider.subarray(9, 9 + fetched.byteLength)):
        with onnxlet.InferenceSession(source) as session:
            (z,) = session.run(None, {"x": [[1, 2, 3]], "y": [[10, 20, 30]]})
            values.append(z.tolist())
    return {"values": values}


async def from_file(job: dict[str, Any]) -> dict[str, Any]:
    """A model in Pyodide's file system, fed and answered by lists, by buffers and by what numpy would do."""
    import array
    from pathlib import Path

    Path("model.onnx").write_bytes(await model_bytes(job["model"]))
    with onnxlet.InferenceSession("model.onnx") as session:
        (by_list,) = session.run(None, {"x": [[1, 2, 3]], "y": [[10, 20, 30]]})
        rows = memoryview(array.array("f", [1, 2, 3])).cast("B").cast("f", [1, 3])
        (by_buffer,) = session.run(None, {"x": rows, "y": rows})
    try:
        onnxlet.InferenceSession("missing.onnx")
    except onnxlet.NoSuchFile as error:
        missing = str(error)
    modules = [name for name in ("numpy", "rich", "typer", "wasmtime", "ctypes") if name in sys.modules]
    return {"list": by_list.tolist(), "buffer": by_buffer.tolist(), "missing": missing, "modules": modules}


async def run_without_script(job: dict[str, Any]) -> dict[str, Any]:
    """As `run`, with the threads' script in a blob: address whatever the environment says."""
    named = os.environ.pop("ONNXLET_THREAD_SCRIPT")
    try:
        return await run(job)
    finally:
        os.environ["ONNXLET_THREAD_SCRIPT"] = named


async def operator_and_profile(job: dict[str, Any]) -> dict[str, Any]:
    """An operator in Python, in both kinds of run; and the profile, whose clock is Python's too."""
    import array

    def twice(x: RawTensor) -> RawTensor:
        values = memoryview(x.data).cast("f")
        return RawTensor(x.dtype, x.shape, array.array("f", [2 * value for value in values]))

    onnxlet.register_operator("com.example", "Twice", twice)
    options = options_of(job)
    options.enable_profiling = True
    with onnxlet.InferenceSession(await model_bytes(job["model"]), options) as session:
        (first,) = session.run(None, {"x": [[1, 2, 3]]})
        (second,) = await session.run_async(None, {"x": [[4, 5, 6]]})
        profile = session.profile()
    times = [(entry["op_type"], entry["start_us"] >= 0 and entry["duration_us"] >= 0) for entry in profile]
    return {"values": [first.tolist(), second.tolist()], "profile": times}


# ---- life ----


async def cycles(job: dict[str, Any]) -> dict[str, Any]:
    """Makes, runs and drops sessions, closed or (`close` false) just forgotten. Gives how many of the engines' memories
    are still there at the end, and the size of Pyodide's own memory half-way and at the end."""
    import js
    import pyodide_js

    model = await model_bytes(job["model"])
    alive = []
    heap = []
    for index in range(job["count"]):
        session = onnxlet.InferenceSession(model, options_of(job))
        session.run(None, {"x": [[1.0, 2.0, 3.0]], "y": [[1.0, 2.0, 3.0]]})
        alive.append(js.WeakRef.new(session._engine._memory))
        if job["close"]:
            session.close()
        del session
        if index + 1 in (job["count"] // 2, job["count"]):
            heap.append(pyodide_js._module.HEAPU8.length)
        # An object that was looked at stays until its turn of the event loop has ended.
        await asyncio.sleep(0)
    for _ in range(10):
        js.gc()
        await asyncio.sleep(0.01)
    return {"alive": sum(item.deref() is not None for item in alive), "heap": heap}


async def ticks(job: dict[str, Any]) -> dict[str, Any]:
    """How long a run takes and the longest time between two turns of the event loop meanwhile."""
    with onnxlet.InferenceSession(await model_bytes(job["model"]), options_of(job)) as session:
        feed = {name: decode(value) for name, value in job["feeds"].items()}
        await session.run_async(None, feed)
        task = asyncio.ensure_future(session.run_async(None, feed))
        start = last = time.perf_counter()
        longest, turns = 0.0, 0
        while not task.done():
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            longest, last, turns = max(longest, now - last), now, turns + 1
        return {"run": last - start, "longest": longest, "turns": turns}


async def interrupted(job: dict[str, Any]) -> dict[str, Any]:
    """A run is cancelled, another is in the way of `run`, others wait or are under way when the session is closed."""
    session = onnxlet.InferenceSession(await model_bytes(job["model"]), options_of(job))
    feed = {name: decode(value) for name, value in job["feeds"].items()}
    (expected,) = session.run(None, feed)
    task = asyncio.ensure_future(session.run_async(None, feed))
    await asyncio.sleep(0.02)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    cancelled = task.cancelled()
    several = [asyncio.ensure_future(session.run_async(None, feed)) for _ in range(3)]
    await asyncio.sleep(0.02)
    refused = ""
    try:
        session.run(None, feed)
    except onnxlet.RuntimeException as error:
        refused = str(error)
    same = [digest([value]) == digest([expected]) for (value,) in await asyncio.gather(*several)]
    waiting = [asyncio.ensure_future(session.run_async(None, feed)) for _ in range(4)]
    await asyncio.sleep(0.02)
    session.close()
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    closed = str(ends[-1]) if isinstance(ends[-1], onnxlet.RuntimeException) else ""
    return {"cancelled": cancelled, "refused": refused, "same": same, "closed": closed}


async def trapped(job: dict[str, Any]) -> dict[str, Any]:
    """A trap ends one session and no other."""
    model = await model_bytes(job["model"])
    feed = {"x": [[1.0, 2.0, 3.0]], "y": [[1.0, 2.0, 3.0]]}
    session = onnxlet.InferenceSession(model, options_of(job))
    messages = []
    for act in (lambda: session._engine.abi.ol_tensor_rank(0xFFFF_FFF0), lambda: session.run(None, feed)):
        try:
            act()
        except onnxlet.Trap as error:
            messages.append(str(error))
    session.close()
    with onnxlet.InferenceSession(model, options_of(job)) as again:
        (value,) = again.run(None, feed)
    return {"messages": messages, "value": value.tolist()}


def open_in_sync_code(job: dict[str, Any]) -> dict[str, Any]:
    """Where Python may not wait, helpers come later."""
    globals()["kept"] = session = onnxlet.InferenceSession("model.onnx", options_of(job))
    (value,) = session.run(None, {"x": [[1, 2, 3]], "y": [[1, 2, 3]]})
    return {"threads": session.threads, "value": value.tolist()}


async def threads_later(_: None) -> dict[str, Any]:
    session = globals().pop("kept")
    await session.run_async(None, {"x": [[1, 2, 3]], "y": [[1, 2, 3]]})
    with session:
        return {"threads": session.threads}
