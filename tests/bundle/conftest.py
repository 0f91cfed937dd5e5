from __future__ import annotations

import pytest


@pytest.fixture
def engine(engine_name: str) -> str:
    """What sessions of composed models run on."""
    return engine_name.removesuffix("-2-threads")
