"""The engine that the passes are tested on."""

from __future__ import annotations

import pytest

from tests.conformance.backends import BACKENDS


@pytest.fixture(scope="session")
def engine(engine_name: str) -> str:
    """The name InferenceSession knows it by; oracles have no passes of ours."""
    if engine_name in ("onnxruntime", "reference"):
        pytest.skip("an oracle has no graph passes of ours")
    BACKENDS[engine_name]()  # finds the native library
    return engine_name.removesuffix("-2-threads")
