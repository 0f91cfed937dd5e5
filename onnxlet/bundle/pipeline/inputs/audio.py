"""Sound: from a file's bytes to samples."""

from __future__ import annotations

from ....errors import InvalidArgument
from ..assembly import Assembly, Sound
from ..config import Audio
from ..graph import CONTRIB, FLOAT, UINT8
from . import stream


def add(assembly: Assembly, name: str, step: Audio) -> None:
    g = assembly.head
    target = assembly.target(step.to, name)
    if assembly.dtype(target).name not in ("FLOAT", "FLOAT16"):
        raise InvalidArgument(f"the model's input {target!r} is {assembly.dtype(target)}; sound is float")
    dims = assembly.dims(target) or [None, None]
    if any(isinstance(dim, int) and dim != 1 for dim in dims[:-1]) or not dims:
        raise InvalidArgument(f"the model's input {target!r} has shape {dims}; sound of one channel is [1, N] or [N]")
    data = assembly.add_input(name, "audio", UINT8, ["bytes"], step.label)
    sound = g("AudioDecoder", data, domain=CONTRIB, downsampling_rate=step.rate, stereo_to_mono=1)
    samples = g.reshape(sound, -1)
    count = g("Shape", samples)
    assembly.sounds[name] = Sound(count, step.rate, step.stream.window if step.stream else None)
    if step.stream is not None:
        if step.samples is not None:
            raise InvalidArgument("samples and stream exclude each other")
        stream.run(assembly, target, samples, count, step.stream)
        return
    wanted = step.samples or (dims[-1] if isinstance(dims[-1], int) else None)
    if isinstance(dims[-1], int) and wanted != dims[-1]:
        raise InvalidArgument(f"the model's input {target!r} has shape {dims}; samples says {wanted}")
    if wanted is not None:
        more = g("Max", g("Sub", g.integers(wanted), count), g.integers(0))
        samples = g.slice(g.pad_end(samples, more), 0, wanted, 0)
    x = g.reshape(samples, *[1] * (len(dims) - 1), -1)
    dtype = assembly.dtype(target)
    assembly.feed(target, x if dtype == FLOAT else g.cast(x, dtype))
