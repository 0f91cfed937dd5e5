"""Random graphs out of what the passes look for."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.passes.graphs import Builder, make

NUMBERS = (0.0, 0.5, 1.0, 2.0, 3.0, 6.0, -0.5, 2**-0.5, 2**0.5, 0.044715, 0.7978845608, 1 / 6)
UNARY = ("Erf", "Tanh", "Sigmoid", "Relu", "Neg", "Abs", "Softplus", "HardSigmoid", "Identity", "Dropout")
BINARY = ("Add", "Sub", "Mul", "Max", "Min")
SHAPE = (2, 3, 4)


class Grower:
    """Grows an expression whose values all have SHAPE, mostly out of what came last, so that chains form."""

    def __init__(self, g: Builder, x: str, rng: np.random.Generator) -> None:
        self.g, self.rng = g, rng
        self.values = [x, g.Tanh(x)]

    def pick(self) -> str:
        back = int(min(self.rng.geometric(0.6), len(self.values)))
        return self.values[-back]

    def number(self) -> Any:
        value = np.float32(self.rng.choice(NUMBERS))
        return np.full((1,) * int(self.rng.integers(0, 4)), value) if self.rng.random() < 0.3 else np.array(value)

    def vector(self) -> np.ndarray[Any, Any]:
        shape = [(4,), (1, 4), (3, 1), (1, 3, 4)][int(self.rng.integers(4))]
        return self.rng.normal(0, 1, shape).astype(np.float32)

    def step(self) -> str:
        g, rng = self.g, self.rng
        x = self.pick()
        match int(rng.integers(14)):
            case 0 | 1:
                return str(getattr(g, str(rng.choice(UNARY)))(x))
            case 2 | 3 | 4:
                pair = [x, self.number()]
                if rng.random() < 0.5:
                    pair.reverse()
                return str(getattr(g, str(rng.choice(BINARY)))(*pair))
            case 5 | 6:
                pair = [x, self.pick()]
                return str(getattr(g, str(rng.choice(BINARY)))(*pair))
            case 7:
                return str(g.Div(x, np.float32(rng.choice([v for v in NUMBERS if v]))))
            case 8:
                return str(getattr(g, str(rng.choice(BINARY)))(x, self.vector()))
            case 9:
                return str(self.product(x))
            case 10:
                return str(self.moved(x))
            case 11 | 12:
                return str(self.activation(x))
            case _:
                return str(self.normalized(x))

    def product(self, x: str) -> Any:
        """Two products: 4 columns to 5 and back; or a convolution of 1 x 1 over channels."""
        g, rng = self.g, self.rng
        if rng.random() < 0.4:
            w = rng.normal(0, 0.5, (3, 3, 1)).astype(np.float32)
            return g.Conv(x, w) if rng.random() < 0.5 else g.ConvTranspose(x, w)
        a, b = (rng.normal(0, 0.5, s).astype(np.float32) for s in ((4, 5), (5, 4)))
        return g.MatMul(self.scaled(g.MatMul(self.scaled(x), a)), b)

    def scaled(self, x: Any) -> Any:
        return self.g.Mul(x, self.number()) if self.rng.random() < 0.4 else x

    def activation(self, x: str) -> Any:
        """An activation with its operands in any order, now and then with a constant or an operand that is another."""
        g, rng = self.g, self.rng

        def mixed(op: str, a: Any, b: Any) -> Any:
            return getattr(g, op)(*((a, b) if rng.random() < 0.5 else (b, a)))

        def near(value: float) -> np.ndarray[Any, Any]:
            return np.array(value * (1.1 if rng.random() < 0.05 else 1), np.float32)

        y = self.pick() if rng.random() < 0.1 else x
        match int(rng.integers(6)):
            case 0:
                gate = mixed("Add", g.Erf(mixed("Mul", x, near(2**-0.5))), near(1))
            case 1:
                cube = mixed("Mul", g.Pow(x, 3.0), near(0.044715))
                gate = mixed("Add", g.Tanh(mixed("Mul", mixed("Add", x, cube), near(0.7978845608))), near(1))
            case 2:
                return mixed("Mul", y, g.Sigmoid(x if rng.random() < 0.5 else mixed("Mul", x, near(1.702))))
            case 3:
                return g.Div(mixed("Mul", y, g.Clip(mixed("Add", x, near(3)), 0.0, 6.0)), near(6))
            case 4:
                return mixed("Mul", y, g.Tanh(g.Softplus(x)))
            case _:
                return g.Clip(mixed("Add", mixed("Mul", x, near(0.2)), near(0.5)), 0.0, 1.0)
        if rng.random() < 0.5:
            return mixed("Mul", mixed("Mul", y, near(0.5)), gate)
        return mixed("Mul", mixed("Mul", y, gate), near(0.5))

    def moved(self, x: str) -> Any:
        g, rng = self.g, self.rng
        match int(rng.integers(6)):
            case 0:
                return g.Transpose(g.Transpose(x, perm=[0, 2, 1]), perm=[0, 2, 1])
            case 1:
                return g.Reshape(g.Reshape(x, [2, -1]), list(SHAPE))
            case 2:
                return g.Squeeze(g.Unsqueeze(x, [1]), [1])
            case 3:
                return g.Cast(g.Cast(x, to=11), to=1)
            case 4:
                return g.MatMul(g.MatMul(x, g.Transpose(self.pick(), perm=[0, 2, 1])), self.pick())
            case _:
                return g.Reshape(g.Flatten(x), g.Shape(self.values[0]))

    def normalized(self, x: str) -> Any:
        g, rng = self.g, self.rng
        axes = [[-1], [2], [1], [-2, -1]][int(rng.integers(4))]
        if rng.random() < 0.3:
            scale, bias, mean = rng.normal(0, 1, (3, 3)).astype(np.float32)
            return g.BatchNormalization(x, scale, bias, mean, rng.uniform(0.5, 2, 3).astype(np.float32))
        d = g.Sub(x, g.ReduceMean(x, axes=axes)) if rng.random() < 0.6 else x
        root = g.Sqrt(g.Add(g.ReduceMean(g.Mul(d, d), axes=axes), 0.01))
        return g.Div(d, root) if rng.random() < 0.5 else g.Mul(g.Reciprocal(root), d)


def random_graph(seed: int) -> tuple[bytes, np.ndarray[Any, Any]]:
    """A model, and its input `x0`: float32 [2, 3, 4]."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, SHAPE).astype(np.float32)

    def expression(g: Builder, x: str) -> Any:
        grower = Grower(g, x, rng)
        for _ in range(int(rng.integers(4, 30))):
            value = grower.step()
            # Four axes would come from constants of four axes only; there are none. Values stay small.
            grower.values.append(str(g.Clip(value, -20.0, 20.0)) if rng.random() < 0.2 else value)
        others = [v for v in grower.values[2:-1] if rng.random() < 0.05]
        return (grower.values[-1], *others)

    return make(expression, [x], shapes=bool(rng.integers(2))), x
