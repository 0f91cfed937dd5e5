"""What the user allows a packed model: bytes, and a loss of accuracy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..errors import InvalidArgument

_UNITS: Final = {
    "": 1,
    "b": 1,
    "kb": 1000,
    "mb": 1000**2,
    "gb": 1000**3,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
}
_SIZE: Final = re.compile(r"([0-9.]+)\s*(%|[a-z]*)", re.IGNORECASE)


def parse_size(value: float | str, before: int) -> int:
    """Bytes from a number of bytes, a share of the original's `before` bytes (a number up to 1, "35%") or "2.5MB".

    Units are powers of 1000 (kB, MB, GB) or of 1024 (KiB, MiB, GiB). Raises InvalidArgument.
    """
    match = _SIZE.fullmatch(str(value).strip())
    try:
        number = float(match[1]) if match else -1.0
    except ValueError:
        number = -1.0
    unit = match[2].lower() if match else ""
    if number <= 0 or (unit != "%" and unit not in _UNITS):
        raise InvalidArgument(
            f"max_size is bytes, a share of the original or a size such as 2.5MB or 35%; {value!r} given"
        )
    if unit == "%":
        return int(before * number / 100)
    return int(before * number) if not unit and number <= 1 else int(number * _UNITS[unit])


@dataclass(frozen=True)
class Budget:
    """Bounds of a search; None: no bound. Accuracy is in the metric's own unit, drops are positive."""

    max_size: int | None = None
    min_accuracy: float | None = None
    max_drop: float | None = None

    @property
    def bounds_accuracy(self) -> bool:
        return self.min_accuracy is not None or self.max_drop is not None

    def fits_size(self, size: int) -> bool:
        return self.max_size is None or size <= self.max_size

    def fits_accuracy(self, after: float, drop: float, higher_is_better: bool = True) -> bool:
        """`min_accuracy` of a metric whose small values are good, such as perplexity, is the largest value allowed."""
        if self.max_drop is not None and not drop <= self.max_drop:
            return False
        if self.min_accuracy is None:
            return True
        return after >= self.min_accuracy if higher_is_better else after <= self.min_accuracy

    def __str__(self) -> str:
        parts = {"max_size": self.max_size, "min_accuracy": self.min_accuracy, "max_drop": self.max_drop}
        return " and ".join(f"{name} = {value}" for name, value in parts.items() if value is not None)
