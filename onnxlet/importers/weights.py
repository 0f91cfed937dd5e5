"""Tensors of a foreign file: their shape is known, their numbers are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from .. import errors
from ..errors import InvalidGraph

BLOCK = 32  # numbers that share a scale, in every form that is carried over

Read: TypeAlias = "Callable[[], np.ndarray]"


@dataclass(frozen=True)
class Blocks:
    """Rows of numbers of few bits, w = (code - 2^(bits-1)) * scale + offset, each part as the operators want it.

    codes: uint8 [n, blocks, 4 * bits], the first number in the lowest bits. scales and offsets: float32 [n, blocks]; the
    offsets are None where they are all zero.
    """

    bits: int
    codes: Read
    scales: Read
    offsets: Read | None = None

    def floats(self) -> np.ndarray:
        """float32 [n, k]."""
        codes = self.codes()
        if self.bits == 4:
            codes = np.stack([codes & 15, codes >> 4], axis=-1).reshape(*codes.shape[:2], BLOCK)
        numbers = (codes.astype(np.float32) - (1 << (self.bits - 1))) * self.scales()[..., None]
        if self.offsets is not None:
            numbers += self.offsets()[..., None]
        return np.asarray(numbers.reshape(len(codes), -1))

    def of_rows(self, order: np.ndarray) -> Blocks:
        offsets = self.offsets
        return Blocks(
            self.bits,
            lambda: self.codes()[order],
            lambda: self.scales()[order],
            None if offsets is None else lambda: offsets()[order],
        )


@dataclass(frozen=True)
class Weight:
    """`read` gives float32 of `shape`. `blocks` is there where the file's own numbers are carried over."""

    name: str
    shape: tuple[int, ...]
    read: Read
    blocks: Blocks | None = None
    problem: str = ""
    """Why it cannot be read, if it cannot."""

    def of_rows(self, order: np.ndarray) -> Weight:
        """The same rows in another order."""
        blocks = None if self.blocks is None else self.blocks.of_rows(order)
        return replace(self, read=lambda: self.read()[order], blocks=blocks)


class Weights(Mapping[str, Weight]):
    """The tensors that an architecture has, by the file's names, proved to be complete and of the right shapes."""

    def __init__(
        self,
        found: Mapping[str, Weight],
        expected: Mapping[str, tuple[int, ...]],
        ignored: Callable[[str], bool],
        source: str,
    ) -> None:
        """`ignored` knows the names of tensors that do not matter. Raises InvalidGraph or NotImplemented."""
        missing = [name for name in expected if name not in found]
        if missing:
            raise InvalidGraph(f"{source} lacks tensors that its configuration asks for: {_listed(missing)}")
        unfit = [
            f"{name} is {list(found[name].shape)}, not {list(shape)}"
            for name, shape in expected.items()
            if found[name].shape != shape
        ]
        if unfit:
            raise InvalidGraph(f"{source} has tensors that do not fit its configuration: {_listed(unfit)}")
        unreadable = [found[name].problem for name in expected if found[name].problem]
        if unreadable:
            raise errors.NotImplemented(f"{source}: {_listed(unreadable)}")
        unknown = [name for name in found if name not in expected and not ignored(name)]
        if unknown:
            raise errors.NotImplemented(
                f"{source} has tensors that this architecture does not use, so it computes something else: "
                f"{_listed(unknown)}"
            )
        self._found = {name: found[name] for name in expected}

    def __getitem__(self, name: str) -> Weight:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _listed(names: list[str]) -> str:
    return "; ".join(names)
