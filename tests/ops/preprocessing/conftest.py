from __future__ import annotations

import pytest

from tests.conformance.backends import BACKENDS, Prepare

# Builds with these operators, by the engine that is asked for. "wasm" alone would have pictures decoded by Pillow.
ENGINES = {name: name for name in ("preprocessing", "native", "native-2-threads")} | {"wasm": "preprocessing"}


@pytest.fixture(scope="session")
def backend(engine_name: str) -> Prepare:
    if engine_name not in ENGINES:
        pytest.skip(f"the engine {engine_name!r} is without preprocessing")
    return BACKENDS[ENGINES[engine_name]]()
