"""RNN, GRU and LSTM: the recurrences of the specification, step by step in double precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.ops.properties.registry import Draw, Sample, prop, slack
from tests.ops.properties.unary import elu, sigmoid, softplus, wide

# name: (function of x, alpha and beta, default alpha, default beta, which of them it has)
ACTIVATIONS: dict[str, tuple[Callable[[Any, Any, Any], Any], float, float, str]] = {
    "Relu": (lambda x, a, b: np.maximum(x, 0), 0, 0, ""),
    "Tanh": (lambda x, a, b: np.tanh(x), 0, 0, ""),
    "Sigmoid": (lambda x, a, b: sigmoid(x), 0, 0, ""),
    "Affine": (lambda x, a, b: a * x + b, 1, 0, "ab"),
    "LeakyRelu": (lambda x, a, b: np.where(x < 0, a * x, x), 0.01, 0, "a"),
    "ThresholdedRelu": (lambda x, a, b: np.where(x > a, x, 0), 1, 0, "a"),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), 1, 1, "ab"),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5, "ab"),
    "Elu": (lambda x, a, b: elu(x, a), 1, 0, "a"),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), 0, 0, ""),
    "Softplus": (lambda x, a, b: softplus(x), 0, 0, ""),
}
PER_DIRECTION: dict[str, list[str]] = {
    "RNN": ["Tanh"],
    "GRU": ["Sigmoid", "Tanh"],
    "LSTM": ["Sigmoid", "Tanh", "Tanh"],
}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
# These have no default factors in the specification.
NEED_FACTORS = ("Affine", "ScaledTanh")


def draw_activations(d: Draw, directions: int, attributes: dict[str, Any]) -> list[Callable[[Any], Any]]:
    names = PER_DIRECTION[d.operator] * directions
    factors: list[tuple[float, float]] = [(0, 0)] * len(names)
    if d.flag():
        names = [d.choice(list(ACTIVATIONS)) for _ in names]
        attributes["activations"] = names
        alphas: list[float] = []
        betas: list[float] = []
        given = d.flag() or any(n in NEED_FACTORS for n in names)
        factors = []
        for name in names:
            _, alpha, beta, has = ACTIVATIONS[name]
            if given:
                alpha, beta = d.choice([0.25, 0.5]), d.choice([0.125, 0.75])
                alphas += [alpha] * ("a" in has)
                betas += [beta] * ("b" in has)
            factors.append((alpha, beta))
        if alphas:
            attributes["activation_alpha"] = alphas
        if betas:
            attributes["activation_beta"] = betas
    return [
        lambda x, f=ACTIVATIONS[n][0], ab=ab: f(x, float(np.float32(ab[0])), float(np.float32(ab[1])))
        for n, ab in zip(names, factors, strict=True)
    ]


@prop("RNN GRU LSTM")
def recurrent(d: Draw) -> Sample:
    op, dtype = d.operator, d.dtype("T")
    steps, batch, width, hidden = d.integer(1, 4), d.integer(1, 3), d.integer(1, 5), d.choice([1, 2, 3, 5, 8])
    attributes: dict[str, Any] = {"hidden_size": hidden} if d.version == 1 or d.flag() else {}
    direction = d.choice(["forward", "reverse", "bidirectional"])
    attributes["direction"] = direction
    count = 2 if direction == "bidirectional" else 1
    activations = draw_activations(d, count, attributes)
    clip = d.attribute("clip", st.sampled_from([0.5, 1.0]), attributes)
    layout = bool(d.has("layout") and d.attribute("layout", st.integers(0, 1), attributes))
    before_reset = d.has("linear_before_reset") and d.attribute("linear_before_reset", st.integers(0, 1), attributes)
    coupled = d.has("input_forget") and d.attribute("input_forget", st.integers(0, 1), attributes)
    gates = GATES[op]
    x = d.plain(dtype, (steps, batch, width), -1, 1)
    w, r = d.plain(dtype, (count, gates * hidden, width), -1, 1), d.plain(dtype, (count, gates * hidden, hidden), -1, 1)
    b = d.plain(dtype, (count, 2 * gates * hidden), -1, 1) if d.flag() else None
    lengths = d.rng().integers(0 if d.flag() else steps, steps + 1, batch).astype(np.int32) if d.flag() else None
    start = d.plain(dtype, (count, batch, hidden), -1, 1) if d.flag() else None
    start_c = d.plain(dtype, (count, batch, hidden), -1, 1) if op == "LSTM" and d.flag() else None
    peephole = d.plain(dtype, (count, 3 * hidden), -1, 1) if op == "LSTM" and d.flag() else None

    def limited(v: Any) -> Any:
        return v if clip is None else np.clip(v, -clip, clip)

    y = np.zeros((steps, count, batch, hidden))
    last_h, last_c = np.zeros((count, batch, hidden)), np.zeros((count, batch, hidden))
    per = len(PER_DIRECTION[op])
    for k in range(count):
        acts = activations[k * per : (k + 1) * per]
        ws = np.split(wide(w[k]), gates)
        rs = np.split(wide(r[k]), gates)
        bs = np.split(wide(b[k]) if b is not None else np.zeros(2 * gates * hidden), 2 * gates)
        ps = np.split(wide(peephole[k]) if peephole is not None else np.zeros(3 * hidden), 3)
        for n in range(batch):
            h = wide(start[k, n]) if start is not None else np.zeros(hidden)
            c = wide(start_c[k, n]) if start_c is not None else np.zeros(hidden)
            length = steps if lengths is None else int(lengths[n])
            order: Any = range(length)
            if direction == "reverse" or k == 1:
                order = reversed(order)
            for t in order:
                v = wide(x[t, n])

                def gate(i: int, state: Any, v: Any = v, ws: Any = ws, rs: Any = rs, bs: Any = bs) -> Any:
                    return ws[i] @ v + rs[i] @ state + bs[i] + bs[i + gates]

                if op == "RNN":
                    h = acts[0](limited(gate(0, h)))
                elif op == "GRU":
                    z, reset = acts[0](limited(gate(0, h))), acts[0](limited(gate(1, h)))
                    if before_reset:
                        inner = ws[2] @ v + bs[2] + reset * (rs[2] @ h + bs[2 + gates])
                    else:
                        inner = gate(2, reset * h)
                    h = (1 - z) * acts[1](limited(inner)) + z * h
                else:
                    i = acts[0](limited(gate(0, h) + ps[0] * c))
                    f = 1 - i if coupled else acts[0](limited(gate(2, h) + ps[2] * c))
                    c = f * c + i * acts[1](limited(gate(3, h)))
                    o = acts[0](limited(gate(1, h) + ps[1] * c))
                    h = o * acts[2](c)
                y[t, k, n] = h
            last_h[k, n], last_c[k, n] = h, c
    outputs = [y, last_h] + [last_c] * (op == "LSTM")
    inputs: list[Any] = [x, w, r, b, lengths, start]
    if layout:
        outputs = [v.transpose(2, 0, 1, 3) if v.ndim == 4 else v.transpose(1, 0, 2) for v in outputs]
        inputs[0] = x.transpose(1, 0, 2)
        inputs[5] = None if start is None else start.transpose(1, 0, 2)
        start_c = None if start_c is None else start_c.transpose(1, 0, 2)
    if op == "LSTM":
        inputs += [start_c, peephole]
    inputs = [None if v is None else np.ascontiguousarray(v) for v in inputs]
    if d.has("output_sequence"):
        attributes["output_sequence"] = 1
    answer = [v.astype(dtype) for v in outputs]
    return Sample(
        inputs, attributes, answer, constants=d.choice([(), (1, 2)]), rtol=1e-3, atol=max(1e-5, slack(dtype, 60))
    )
