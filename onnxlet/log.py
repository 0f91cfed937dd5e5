"""The logger "onnxlet" of Python's logging, which is imported when there is something to say."""

from __future__ import annotations

from typing import Any, Final

DEBUG: Final = 10
INFO: Final = 20
WARNING: Final = 30
CRITICAL: Final = 50


def log(level: int, text: str, *values: Any) -> None:
    """Tells the logger; `values` go into the text as logging puts them there."""
    import logging

    logging.getLogger("onnxlet").log(level, text, *values)
