"""Where a model's time goes: the engine's profile joined with what each node computes and moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from rich.markup import escape

from ..hosts.peak import Peak
from ..options import SessionOptions
from ..session import InferenceSession
from ..timing import quantile
from . import work
from .output import console, table

# Neg of a scalar: what the clock itself adds to a node's time. As bytes, for want of the onnx package.
CLOCK_MODEL: Final = bytes.fromhex(
    "0808"  # IR version 8
    "3a2a" + "0a0b0a017812017922034e6567" + "120163"  # graph "c" with the node y = Neg(x)
    "5a0b0a017812060a0408011200"  # input x: a float without dimensions
    "620b0a017912060a0408011200"  # output y
    "42040a00100d"  # opset 13
)
_CLOCK_RUNS: Final = 50
_FEWEST_RUNS: Final = 3
_LEAST_DISTURBED: Final = 0.1  # the peak is the best of some attempts, so medians would look worse on a busy machine


def clock_us(backend: str | None) -> float:
    """Microseconds that reading the clock adds to every node of a profile; in wasmtime the clock is a Python function."""
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.enable_profiling = True
    times = []
    with InferenceSession(CLOCK_MODEL, options, _engine=backend) as session:
        for _ in range(_CLOCK_RUNS):
            session.run(None, {"x": 1.0})
            times += [entry["duration_us"] for entry in session.profile()]
    return quantile(times, _LEAST_DISTURBED)  # as the nodes' own times, which it is taken off


def collect(session: InferenceSession, run: Callable[[], object], seconds: float) -> list[dict[str, Any]]:
    """The profile of the last of some runs. `typical_us` of a node is its least disturbed time in the runs that took the same path."""
    run()
    runs: list[list[dict[str, Any]]] = []
    end = time.perf_counter() + seconds
    while len(runs) < _FEWEST_RUNS or time.perf_counter() < end:
        run()
        runs.append(session.profile())
    last = runs[-1]
    alike = [r for r in runs if [e["node"] for e in r] == [e["node"] for e in last]]
    for index, entry in enumerate(last):
        entry["typical_us"] = quantile([r[index]["duration_us"] for r in alike], _LEAST_DISTURBED)
    return last


def rows_by_node(profile: Iterable[dict[str, Any]], peak: Peak | None, clock: float) -> list[dict[str, Any]]:
    """One row per node, in the order of the run."""
    keys = ("node", "op_type", "domain", "kernel", "inputs", "outputs")
    rows = []
    for entry in profile:
        time_us = max(0.0, entry.get("typical_us", entry["duration_us"]) - clock)
        known = {key: entry[key] for key in keys}
        rows.append({**known, "us": time_us, "flops": work.flops(entry), "bytes": work.moved(entry)})
    return _with_rates(rows, peak)


def rows_by_operator(nodes: Iterable[dict[str, Any]], peak: Peak | None) -> list[dict[str, Any]]:
    """One row per operator and kernel, from `rows_by_node`; the costliest first."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for node in nodes:
        key = (node["domain"] or "", node["op_type"], node["kernel"] or "")
        start = {"op_type": key[1], "domain": key[0], "kernel": node["kernel"], "nodes": 0}
        row = found.setdefault(key, {**start, "us": 0.0, "flops": None, "bytes": 0})
        row["nodes"] += 1
        row["us"] += node["us"]
        row["bytes"] += node["bytes"]
        if node["flops"] is not None:
            row["flops"] = (row["flops"] or 0) + node["flops"]
    return _with_rates(sorted(found.values(), key=lambda row: -row["us"]), peak)


def _with_rates(rows: list[dict[str, Any]], peak: Peak | None) -> list[dict[str, Any]]:
    """`of_peak` is the least time that the machine's arithmetic and memory allow, over the time taken; more than 1 where
    caches hold the data, or a kernel needs fewer operations than the plain sum."""
    everything = sum(row["us"] for row in rows) or 1.0
    for row in rows:
        spent = row["us"]
        row["share"] = spent / everything
        row["gflops"] = row["flops"] / spent / 1e3 if row["flops"] and spent else None
        row["gigabytes"] = row["bytes"] / spent / 1e3 if row["bytes"] and spent else None
        row["of_peak"] = None
        if peak is not None and (row["gflops"] or row["gigabytes"]):
            row["of_peak"] = max((row["gflops"] or 0) / peak.gflops, (row["gigabytes"] or 0) / peak.gigabytes)
    return rows


def show(rows: Sequence[dict[str, Any]], by: str, top: int) -> None:
    """Prints the costliest rows."""
    first = "node" if by == "node" else "nodes"
    numbers = ("ms", "%", "GFLOP/s", "GB/s", "% of peak")
    made = table(f"\nTime by {by}", first, "operator", "kernel", *numbers, right=(*numbers, "nodes"))
    costly = sorted(rows, key=lambda row: -row["us"])
    shown = costly[:top] if top else costly
    for row in shown:
        cells = [f"{row['us'] / 1e3:.3f}", f"{100 * row['share']:.1f}", _rate(row["gflops"]), _rate(row["gigabytes"])]
        cells.append(f"{100 * row['of_peak']:.0f}" if row["of_peak"] else "")
        made.add_row(escape(str(row[first])), row["op_type"], row["kernel"] or "", *cells)
    out = console()
    out.print(made)
    rest = costly[len(shown) :]
    if rest:
        out.print(f"... and {len(rest)} more, {100 * sum(row['share'] for row in rest):.1f} % of the time")


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"
