"""The methods that turn weights into codes, by name."""

from __future__ import annotations

from dataclasses import dataclass

from .gptq import gptq, gptq_ordered
from .quantizers import Quantizer, mse_clip, round_to_nearest


@dataclass(frozen=True)
class Method:
    """A quantizer with what it wants to know of a layer's inputs."""

    quantize: Quantizer
    needs_moments: bool = False
    """`InputStatistics` with the second moments: without them it still works, on the weights alone."""


METHODS: dict[str, Method] = {
    "rtn": Method(round_to_nearest),
    "mse": Method(mse_clip),
    "gptq": Method(gptq, needs_moments=True),
    "gptq-ordered": Method(gptq_ordered, needs_moments=True),
}
