"""The type of the fixture `keep_figures`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

KeepFigures = Callable[[str, str, Mapping[str, Any]], None]
"""(table, row, figures): a row of docs/reliability/TABLE.json with --figures, else nothing."""
