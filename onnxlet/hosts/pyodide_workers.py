"""The Web Workers of an engine in Pyodide: helpers that take part in runs, and a runner.

The runner makes one call into the engine at a time while the page's, or worker's, own thread goes on with other work. All
of them share the engine's memory. A Web Worker starts only while the thread that asked for it is in its event loop, so
helpers join some time after the engine was made.
"""

from __future__ import annotations

import asyncio
import functools
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import js
from pyodide.ffi import create_proxy, to_js

from .. import errors

SCRIPT_ENTRY: Final = "ONNXLET_THREAD_SCRIPT"
_STACK_BYTES: Final = 1 << 20
_START_SECONDS: Final = 10.0
_ADVICE: Final = (
    "where the page's content security policy keeps it from doing so, put onnxlet/hosts/pyodide_thread.js on the page's "
    f"server and its address into the environment variable {SCRIPT_ENTRY}"
)
_CLOSED: Final = "the engine was closed"


def obstacle() -> str:
    """Why there can be no threads here; empty when there can."""
    if not hasattr(js, "Worker"):
        return "there are no Web Workers here"
    if not getattr(js, "crossOriginIsolated", False):
        return (
            "the page is not cross-origin isolated; serve it with the headers "
            '"Cross-Origin-Opener-Policy: same-origin" and "Cross-Origin-Embedder-Policy: require-corp"'
        )
    return ""


def js_object(**items: Any) -> Any:
    """A plain JavaScript object."""
    return to_js(items, dict_converter=js.Object.fromEntries)


def _script() -> str:
    """The address of the workers' script: $ONNXLET_THREAD_SCRIPT, else a blob: of the file beside this one."""
    return os.environ.get(SCRIPT_ENTRY) or _blob_of_script()


@functools.cache
def _blob_of_script() -> str:
    text = Path(__file__).with_name("pyodide_thread.js").read_text(encoding="utf-8")
    address: str = js.URL.createObjectURL(js.Blob.new(to_js([text]), js_object(type="text/javascript")))
    return address


class Parts(NamedTuple):
    """What a worker's instance is made of, and the exports of the engine's own. All are JavaScript objects."""

    module: Any
    memory: Any
    exports: Any


class _Worker:
    """One Web Worker. `entered` is done when it is inside the engine, or has an exception that says why it is not."""

    def __init__(self, parts: Parts, slot: int, index: int) -> None:
        """`slot` (1 ...) numbers its stack; `index` is a helper's number, 0 for the runner."""
        exports = parts.exports
        tls_size, tls_align = (getattr(exports, name).value for name in ("__tls_size", "__tls_align"))
        stack = exports.ol_worker_stack(slot, _STACK_BYTES, tls_size, tls_align)
        if stack == 0:
            raise errors.OutOfMemory("the engine has no memory for the thread's stack")
        self.entered: asyncio.Future[None] = asyncio.get_event_loop().create_future()
        self.answer: asyncio.Future[int] | None = None
        self._worker = js.Worker.new(_script())
        self._listener = create_proxy(self._receive)
        for event in ("message", "error"):
            self._worker.addEventListener(event, self._listener)
        tls = exports.ol_worker_tls(slot)
        self._post(module=parts.module, memory=parts.memory, index=index, stackPointer=stack, tlsPointer=tls)

    def call(self, name: str, argument: int) -> asyncio.Future[int]:
        """The result of an export, called there. One call at a time."""
        self.answer = asyncio.get_event_loop().create_future()
        self._post(name=name, argument=argument)
        return self.answer

    def stop(self) -> None:
        """Ends it at once, whatever it is doing."""
        self._worker.terminate()
        self._fail(errors.RuntimeException(_CLOSED))
        self._listener.destroy()

    def _post(self, **message: Any) -> None:
        self._worker.postMessage(js_object(**message))

    def _receive(self, event: Any) -> None:
        if event.type == "error":
            # An error in the script has a message; what keeps the script from loading has none.
            text = (
                getattr(event, "message", "") or f"{_script()} does not load as the script of a Web Worker; {_ADVICE}"
            )
            self._fail(errors.RuntimeException(text))
        elif hasattr(event.data, "failed"):
            self._fail(errors.Trap(event.data.failed))
        elif self.answer is not None and hasattr(event.data, "result"):
            self.answer.set_result(event.data.result)
        else:
            self.entered.set_result(None)

    def _fail(self, error: errors.Error) -> None:
        if not self.entered.done():
            self.entered.set_exception(error)
            self.entered.exception()  # one that nobody waits for must not be reported
        elif self.answer is not None and not self.answer.done():
            self.answer.set_exception(error)
            self.answer.exception()


class Crew:
    """The workers of one engine. Holds no reference to it, which would keep it alive for ever."""

    def __init__(self, parts: Parts, helpers: int, joined: Callable[[int], None]) -> None:
        """Starts that many helpers, and calls `joined` with their number once they take part."""
        self._parts = parts
        self._workers: list[_Worker] = []
        self._runner: _Worker | None = None
        self._refused = False
        self._stopped = False
        self.ready: asyncio.Task[None] = asyncio.ensure_future(self._start(helpers, joined))
        """Done when the helpers take part. It does not fail: what stood in the way is a warning."""

    async def _start(self, wanted: int, joined: Callable[[int], None]) -> None:
        ready = 0
        exports = self._parts.exports
        try:
            for index in range(1, wanted + 1):
                self._add(index)
            entered = [worker.entered for worker in self._workers[:wanted]]
            await asyncio.wait_for(asyncio.gather(*entered), _START_SECONDS)
            # Each says so just before it enters.
            while exports.ol_workers_ready() < wanted:
                await asyncio.sleep(0.001)
            ready = wanted
        except (errors.Error, TimeoutError) as error:
            reason = str(error) or f"they did not start within {_START_SECONDS:.0f} s"
            self._refused = True
            warnings.warn(f"onnxlet runs with 1 of {wanted + 1} threads: {reason}", RuntimeWarning, stacklevel=2)
        exports.ol_set_workers(ready)
        joined(ready)

    def _add(self, index: int) -> _Worker:
        worker = _Worker(self._parts, len(self._workers) + 1, index)
        self._workers.append(worker)
        return worker

    async def has_runner(self) -> bool:
        """Starts the runner, at the first call, after the helpers. False, after a warning, when it does not start.

        Raises RuntimeException when the engine is closed meanwhile.
        """
        await asyncio.wait([self.ready])
        if self._stopped:
            raise errors.RuntimeException(_CLOSED)
        if self._runner is None and not self._refused:
            try:
                self._runner = self._add(0)
                await asyncio.shield(self._runner.entered)
            except errors.Error as error:
                self._runner, self._refused = None, True
                warnings.warn(f"run_async holds up the event loop: {error}", RuntimeWarning, stacklevel=2)
        return self._runner is not None

    async def step(self, run: int) -> int:
        """`ol_run_step`, called in the runner. Raises Trap, and RuntimeException when the engine is closed meanwhile.

        When the caller is cancelled, so is the run; the engine is at rest again when this returns.
        """
        assert self._runner is not None
        answer = self._runner.call("ol_run_step", run)
        try:
            return await asyncio.shield(answer)
        except asyncio.CancelledError:
            self._parts.exports.ol_run_abort(run)
            await answer
            raise

    def stop(self) -> None:
        """Ends the workers. May be called twice."""
        self._stopped = True
        self.ready.cancel()
        for worker in self._workers:
            worker.stop()
        self._workers.clear()
