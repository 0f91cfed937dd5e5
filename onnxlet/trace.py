"""Profiles as traces: the JSON that Chrome's tracing and Perfetto open."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any


def trace_document(profile: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A complete event per entry of `InferenceSession.profile`, on one track; times are microseconds."""
    events = [
        {
            "name": f"{entry.get('op_type', '')} {entry.get('node', '')}".strip(),
            "cat": "node",
            "ph": "X",
            "ts": entry.get("start_us", 0),
            "dur": entry.get("duration_us", 0),
            "pid": os.getpid(),
            "tid": 0,
            "args": dict(entry),
        }
        for entry in profile
    ]
    return {"traceEvents": events, "displayTimeUnit": "ms"}
