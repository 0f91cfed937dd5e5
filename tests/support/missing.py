"""What a test does when something of the outside world is not there."""

from __future__ import annotations

from typing import NoReturn

import pytest

from tests.support.paths import in_ci


def missing(what: str) -> NoReturn:
    """Skips the test for the lack of something; fails it in CI, where everything is to be had."""
    if in_ci():
        pytest.fail(what)
    pytest.skip(what)
