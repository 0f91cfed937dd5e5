"""Boxes around text from a text detector's probability map: the post-processing of DB.

Source: Liao et al., Real-time Scene Text Detection with Differentiable Binarization, AAAI 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Box:
    """`corners`: float [4, 2] as (x, y), clockwise from the top left in reading direction. `score`: mean probability."""

    corners: np.ndarray
    score: float

    @property
    def width(self) -> float:
        return float(np.linalg.norm(self.corners[1] - self.corners[0]))

    @property
    def height(self) -> float:
        return float(np.linalg.norm(self.corners[3] - self.corners[0]))


def find_boxes(
    probability: np.ndarray, threshold: float = 0.3, box_threshold: float = 0.5, unclip: float = 1.6
) -> list[Box]:
    """`probability`: float [height, width]. The detector marks text shrunk towards its middle line; `unclip` grows it back."""
    mask = probability > threshold
    boxes = []
    for runs in connected_runs(mask):
        score = float(np.mean(np.concatenate([probability[y, a:b] for y, a, b in runs])))
        if score < box_threshold or len(runs) < 3:
            continue
        points = np.array([(x, edge) for y, a, b in runs for x in (a, b) for edge in (y, y + 1)], dtype=np.float64)
        centre, axes, size = smallest_rectangle(convex_hull(points))
        grow = size[0] * size[1] * unclip / (2 * (size[0] + size[1]))
        half = size / 2 + grow
        corners = np.array(
            [
                centre + sx * half[0] * axes[0] + sy * half[1] * axes[1]
                for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
        )
        boxes.append(Box(corners, score))
    return boxes


def connected_runs(mask: np.ndarray) -> list[list[tuple[int, int, int]]]:
    """The 8-connected components of `mask`, each as its runs (y, first x, end x)."""
    runs: list[tuple[int, int, int]] = []
    parent: list[int] = []

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    above: range = range(0)
    for y, row in enumerate(mask):
        edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
        first = len(runs)
        for a, b in edges.tolist():
            index = len(runs)
            runs.append((y, a, b))
            parent.append(index)
            for j in above:
                if runs[j][1] <= b and a <= runs[j][2]:
                    parent[root(j)] = root(index)
        above = range(first, len(runs))
    components: dict[int, list[tuple[int, int, int]]] = {}
    for index, run in enumerate(runs):
        components.setdefault(root(index), []).append(run)
    return list(components.values())


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Andrew's monotone chain, counter-clockwise."""

    def half(ordered: np.ndarray) -> list[np.ndarray]:
        chain: list[np.ndarray] = []
        for p in ordered:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-1] - chain[-2], p - chain[-2]
                if ax * by - ay * bx > 0:
                    break
                chain.pop()
            chain.append(p)
        return chain[:-1]

    ordered = np.unique(points, axis=0)
    return np.array(half(ordered) + half(ordered[::-1]))


def smallest_rectangle(hull: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rectangle of least area around a hull: its centre, its two axes (reading direction first) and its size.

    One side of it lies on an edge of the hull (Freeman and Shapira 1975), so every edge is tried.
    """
    edges = np.roll(hull, -1, axis=0) - hull
    angles = np.unique(np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2))
    x_axes = np.stack([np.cos(angles), np.sin(angles)], 1)
    y_axes = np.stack([-np.sin(angles), np.cos(angles)], 1)
    along, across = x_axes @ hull.T, y_axes @ hull.T
    low, high = np.stack([along.min(1), across.min(1)], 1), np.stack([along.max(1), across.max(1)], 1)
    best = int(np.argmin(np.prod(high - low, axis=1)))
    axes, size, middle = np.stack([x_axes[best], y_axes[best]]), high[best] - low[best], (high[best] + low[best]) / 2
    centre = middle @ axes
    if abs(axes[0, 0]) < abs(axes[1, 0]):  # the axis nearer to horizontal is the reading direction
        axes, size = axes[::-1].copy(), size[::-1].copy()
    axes[0] *= np.sign(axes[0, 0]) or 1
    axes[1] *= np.sign(axes[1, 1]) or 1
    return centre, axes, size
