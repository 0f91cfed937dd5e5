"""Branches and loops: compiled ones (torch.jit.script) and those of torch.cond and its kin."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tests.interop.torch_cases.registry import DYNAMO, SCRIPT, add, normal, sizes


class WhileLoop(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, int]:
        steps = 0
        while bool(x.abs().max() > 0.1) and steps < 20:
            x = x * 0.7
            steps += 1
        return x, steps


class ForLoop(nn.Module):
    """As many steps as the first axis has entries, results gathered in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.keep = nn.Linear(4, 6), nn.Linear(6, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.zeros(x.size(1), 6)
        outputs: list[torch.Tensor] = []
        for step in range(x.size(0)):
            h = torch.tanh(self.into(x[step]) + self.keep(h))
            outputs.append(h)
        return torch.stack(outputs)


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.small, self.large = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sum()
        if bool(y > 0):
            if bool(y > 3):
                return self.large(x) + 1
            z = self.large(x)
        else:
            z = self.small(x).relu()
        return z * 2


class Nested(nn.Module):
    """A loop in a loop, with a condition inside and an early end."""

    def forward(self, x: torch.Tensor, limit: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(x.size(1))
        for i in range(x.size(0)):
            row = x[i]
            count = 0
            while bool(row.sum() < limit) and count < 5:
                row = row + 1
                count += 1
            if count == 3:  # noqa: SIM108 - a branch that is compiled
                total = total - row
            else:
                total = total + row
        return total


class GreedySearch(nn.Module):
    """Tokens until the end mark or the limit, from scores that depend on the last one."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.out = nn.Embedding(12, 8), nn.Linear(8, 12)

    def forward(self, start: torch.Tensor) -> torch.Tensor:
        tokens = start
        done = torch.zeros(1, dtype=torch.bool)
        while not bool(done.all()) and tokens.size(1) < 9:
            scores = self.out(self.embed(tokens).mean(1))
            best = scores.argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, best], 1)
            done = best[:, 0] == 3
        return tokens


class Cond(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda v: self.a(v).relu(), lambda v: self.b(v) - 1, (x,))


class NestedCond(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def positive(v: torch.Tensor) -> torch.Tensor:
            return torch.cond(v.max() > 1, lambda u: u * 2, lambda u: u * 3, (v,))

        return torch.cond(x.sum() > 0, positive, lambda v: v - 1, (x,))


class HigherWhile(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(
            lambda i, v: (i < 20) & (v.abs().max() > 0.1), lambda i, v: (i + 1, v * 0.7), (torch.tensor(0), x)
        )


class Scan(nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        from torch._higher_order_ops.scan import scan

        def step(total: torch.Tensor, row: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            total = total * 0.5 + row
            return total, total.tanh()

        return scan(step, torch.zeros(x.shape[1]), x)


def signs() -> list[tuple[torch.Tensor, ...]]:
    x = normal(3, 4)
    return [(x - x.mean() + offset,) for offset in (0.1, -0.5, 2.0)]


add(
    "while_loop",
    WhileLoop,
    lambda: [(normal(3, 4) * s,) for s in (1, 0.01, 50)],
    scripted=True,
    exporters=(SCRIPT,),
    since=11,
)
add(
    "for_loop",
    ForLoop,
    sizes((5, 2, 4), (1, 2, 4), (9, 3, 4)),
    dynamic={0: (0, 1)},
    scripted=True,
    exporters=(SCRIPT,),
    since=11,
)
add("branches", Branches, signs, scripted=True, exporters=(SCRIPT,), since=11)
add(
    "nested_loops",
    Nested,
    lambda: [(normal(n, 3), torch.tensor(float(s))) for n, s in ((4, 2.0), (1, -5.0), (7, 9.0))],
    dynamic={0: (0,)},
    scripted=True,
    exporters=(SCRIPT,),
    since=11,
)
add(
    "greedy_search",
    GreedySearch,
    lambda: [(torch.tensor([[n]]),) for n in (1, 5, 7)],
    scripted=True,
    exporters=(SCRIPT,),
    since=13,
)
add("cond", Cond, signs, exporters=(DYNAMO,))
add("cond_nested", NestedCond, signs, exporters=(DYNAMO,))
add("higher_while", HigherWhile, lambda: [(normal(3, 4) * s,) for s in (1, 0.01, 50)], exporters=(DYNAMO,))
add("higher_scan", Scan, sizes((5, 4)), exporters=(DYNAMO,))
