"""Runs in other threads, for `InferenceSession.run_async`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Callback: TypeAlias = Callable[[list[Any], Any, str], None]


@functools.cache
def executor() -> ThreadPoolExecutor:
    """The threads that runs wait in; the engines have their own."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(thread_name_prefix="onnxlet-run")


def tell(work: Callable[[], list[Any]], callback: Callback, user_data: Any) -> None:
    """Does the work and calls back as onnxruntime does: results, the caller's data, and the error's text or ""."""
    try:
        results, problem = work(), ""
    except Exception as error:  # handed to the callback
        results, problem = [], f"{getattr(error, 'code', type(error).__name__)}: {error}"
    callback(results, user_data, problem)
