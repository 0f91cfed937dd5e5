"""The benchmark's result as a bar chart in SVG."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

ROW, LEFT, WIDTH, TOP = 26, 190, 640, 48


def write_plot(path: Path, report: dict[str, Any]) -> None:
    """One bar per model: how many times as fast as the peer. A line marks equal speed."""
    rows = [(r["model"], r["ratio"]) for r in report["results"] if r.get("ratio")]
    scale = (WIDTH - LEFT - 70) / max([1.0, *(ratio for _, ratio in rows)])
    height = TOP + ROW * len(rows) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="12" y="24" font-size="15">onnxlet against onnxruntime-web, {escape(report["where"])}, threads: {report["threads"]} (higher is faster)</text>',
    ]
    for index, (name, ratio) in enumerate(rows):
        y = TOP + ROW * index
        colour = "#2a7f62" if ratio >= 1 else "#b5483a"
        parts.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{ratio * scale:.1f}" height="{ROW - 8}" fill="{colour}"/>')
        parts.append(f'<text x="{LEFT + ratio * scale + 6:.1f}" y="{y + 14}">{ratio:.2f}</text>')
    parts.append(
        f'<line x1="{LEFT + scale:.1f}" x2="{LEFT + scale:.1f}" y1="{TOP - 8}" y2="{height - 12}" stroke="#444" stroke-dasharray="4 3"/>'
    )
    path.write_text("\n".join([*parts, "</svg>\n"]))
