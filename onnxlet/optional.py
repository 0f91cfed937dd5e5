"""numpy, which is optional, and takes longer to import than a small model to load."""

from __future__ import annotations

import functools
from types import ModuleType


@functools.cache
def numpy_arrays() -> ModuleType | None:
    """The module `arrays`, imported when the first tensor is; None where numpy is not installed."""
    try:
        from . import arrays
    except ImportError:
        return None
    return arrays
