"""Charts of the report as inline SVG. Colours are classes, which the page's style defines for light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

_WIDTH: Final = 420
_HEIGHT: Final = 260
_LEFT: Final = 58
_BOTTOM: Final = 42
_TOP: Final = 12
_RIGHT: Final = 14


@dataclass(frozen=True)
class Axis:
    """A scale from values to pixels, with marks at round values."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        low, high, value = (self._measure(v) for v in (self.low, self.high, value))
        return self.start + (value - low) / ((high - low) or 1) * (self.end - self.start)

    def marks(self) -> list[float]:
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**p for p in powers[:: max(1, len(powers) // 6)]]
        step = _round_step((self.high - self.low) / 4)
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def _measure(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value


def _round_step(step: float) -> float:
    power: float = 10.0 ** math.floor(math.log10(step)) if step > 0 else 1.0
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step * 0.999)


def front(trials: Sequence[dict[str, Any]], before: int, metric: str) -> str:
    """Size against error of every mix that was run, with the line of those that none beats."""
    plain = metric == "cosine"
    values = [(max(1 - t["after"], 1e-7) if plain else t["after"]) for t in trials]
    sizes = [t["bytes"] / 1000 for t in trials]
    x = Axis(0, max([*sizes, before / 1000]) * 1.05, _LEFT, _WIDTH - _RIGHT)
    low, high = min(values), max(values)
    if plain:
        y = Axis(
            10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high) + 1e-9), _HEIGHT - _BOTTOM, _TOP, True
        )
    else:
        margin = (high - low or abs(high) or 1) * 0.08
        y = Axis(low - margin, high + margin, _HEIGHT - _BOTTOM, _TOP)
    label = "1 − cosine of the outputs" if plain else metric
    points = []
    for trial, size, value in zip(trials, sizes, values, strict=True):
        kind = "chosen" if trial["chosen"] else "best" if trial["pareto"] else "beaten"
        title = f"{trial['name']}: {trial['bytes']} bytes, {metric} {trial['after']:.6g}"
        mark = f'<circle class="{kind}" cx="{x.at(size):.1f}" cy="{y.at(value):.1f}" r="{5.5 if trial["chosen"] else 3.5}">'
        points.append(f"{mark}<title>{escape(title)}</title></circle>")
    line = " ".join(
        f"{x.at(size):.1f},{y.at(value):.1f}"
        for trial, size, value in zip(trials, sizes, values, strict=True)
        if trial["pareto"]
    )
    original = x.at(before / 1000)
    parts = [
        _frame(x, y, "size, kB", label),
        f'<line class="original" x1="{original:.1f}" x2="{original:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>',
        f'<text x="{original - 4:.1f}" y="{_TOP + 10}" text-anchor="end">original</text>',
        f'<polyline class="front" points="{line}"/>',
        *points,
    ]
    return _svg(_WIDTH, _HEIGHT, "Size against error of every mix that was run", parts)


def _frame(x: Axis, y: Axis, x_label: str, y_label: str) -> str:
    parts = []
    for mark in x.marks():
        parts.append(f'<line class="grid" x1="{x.at(mark):.1f}" x2="{x.at(mark):.1f}" y1="{y.end}" y2="{y.start}"/>')
        parts.append(f'<text x="{x.at(mark):.1f}" y="{y.start + 14}" text-anchor="middle">{_number(mark)}</text>')
    for mark in y.marks():
        parts.append(f'<line class="grid" x1="{x.start}" x2="{x.end}" y1="{y.at(mark):.1f}" y2="{y.at(mark):.1f}"/>')
        parts.append(f'<text x="{x.start - 5}" y="{y.at(mark) + 4:.1f}" text-anchor="end">{_number(mark)}</text>')
    middle = (x.start + x.end) / 2
    parts.append(f'<text class="label" x="{middle}" y="{y.start + 33}" text-anchor="middle">{escape(x_label)}</text>')
    place = f'transform="translate(12 {(y.start + y.end) / 2}) rotate(-90)"'
    parts.append(f'<text class="label" {place} text-anchor="middle">{escape(y_label)}</text>')
    return "".join(parts)


def _number(value: float) -> str:
    """Short: 0.25, 1,500, 1e−4."""
    if value and (abs(value) < 1e-3 or abs(value) >= 1e7):
        return f"1e{round(math.log10(abs(value)))}" if math.log10(abs(value)).is_integer() else f"{value:.0e}"
    return f"{value:,.6g}" if abs(value) < 1000 else f"{value:,.0f}"


def histogram(name: str, counts: dict[str, Any]) -> str:
    """Weights before (filled) and after (outline), on a scale of square roots, which shows the rare ones."""
    width, height, base = 210, 96, 74
    most = math.sqrt(max([*counts["before"], *counts["after"], 1]))
    step = width / len(counts["before"])
    parts = []
    for kind in ("before", "after"):
        tops = [base - math.sqrt(n) / most * (base - 6) for n in counts[kind]]
        steps = " ".join(f"{k * step:.1f},{top:.1f} {(k + 1) * step:.1f},{top:.1f}" for k, top in enumerate(tops))
        parts.append(f'<polygon class="{kind}" points="0,{base} {steps} {width},{base}"/>')
    parts.append(f'<line class="axis" x1="0" x2="{width}" y1="{base}" y2="{base}"/>')
    low, high = counts["low"], counts["high"]
    parts.append(f'<text x="0" y="{height - 8}">{low:.3g}</text>')
    parts.append(f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">weight</text>')
    parts.append(f'<text x="{width}" y="{height - 8}" text-anchor="end">{high:.3g}</text>')
    return _svg(width, height, f"Weights of {name} before and after", parts)


def bar(*shares: tuple[str, float]) -> str:
    """Bars over each other, as wide as its place: (class, share of the whole)."""
    rects = "".join(
        f'<rect class="{kind}" width="{100 * min(max(share, 0), 1):.2f}%" height="100%"/>' for kind, share in shares
    )
    return f'<svg class="bar" aria-hidden="true">{rects}</svg>'


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}">{"".join(parts)}</svg>'
