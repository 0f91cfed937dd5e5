"""The models that tests and benchmarks run, with their inputs: names to files to feeds.

A model is a file fetched by pinned version and SHA-256 (see fetch.py), built from fetched weights, trained here, or
part of the `onnx` package. Built ones are kept in the cache under the hash of the code that builds them.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import onnx
from PIL import Image

from tests.models import digits_cnn, filled, minilm, mobile_cnn, quantized, selfie, smollm2, vit
from tests.models.fetch import fetch, locked
from tests.support.paths import ROOT, cache_dir

Feeds = dict[str, np.ndarray]


@dataclass(frozen=True)
class Model:
    """`path()` fetches or builds at need. `sizes` are the arguments `feeds` understands, the benchmark's one first."""

    name: str
    path: Callable[[], Path]
    feeds: Callable[[int], Feeds]
    sizes: tuple[int, ...] = (0,)
    state: tuple[tuple[str, str], ...] = ()  # (output, input): carried from one run to the next
    group: str = ""
    slow: bool = False
    rounds: bool = False  # engines may round inside (accuracy_level 4): outputs are only roughly onnxruntime's
    # Over the largest absolute value of the output. Where values are rounded to 8 bits between operators, a difference in
    # the last bit of one float can become one of 8 bits.
    largest_error: float = 1e-4


LIGHT = (
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
)


def _rng() -> np.random.Generator:
    return np.random.default_rng(20240229)


def picture(height: int, width: int, channels: int = 3) -> np.ndarray:
    """float32 [height, width, channels] in 0 to 1: smooth shades with edges and a little noise, as in photographs."""
    rng = _rng()
    y, x = np.mgrid[0:height, 0:width] / max(height, width)
    image = np.stack([np.sin(7 * x + 3 * c) * np.cos(5 * y - c) for c in range(channels)], -1) * 0.25 + 0.5
    for _ in range(12):
        cy, cx, r = rng.uniform(0, 1, 3)
        image[(y - cy) ** 2 + (x - cx) ** 2 < (0.05 + 0.15 * r) ** 2] += rng.uniform(-0.3, 0.3, channels)
    return np.clip(image + rng.normal(0, 0.02, image.shape), 0, 1).astype(np.float32)


def page(height: int, width: int) -> np.ndarray:
    """float32 [1, 3, height, width] in -1 to 1: the OCR example's picture, scaled."""
    with Image.open(ROOT / "examples" / "ocr" / "picture.png") as image:
        pixels = np.asarray(image.convert("RGB").resize((width, height), Image.Resampling.BILINEAR), np.float32)
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None] / 127.5 - 1)


def photograph(height: int, width: int) -> np.ndarray:
    """float32 [height, width, 3] in 0 to 1: the flower that scikit-learn brings."""
    import sklearn.datasets

    image = Image.fromarray(sklearn.datasets.load_sample_image("flower.jpg"))
    return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), np.float32) / 255


def _nchw(height: int, width: int) -> np.ndarray:
    return np.ascontiguousarray(picture(height, width).transpose(2, 0, 1)[None] * 2 - 1)


def _fetched(name: str, file: str) -> Callable[[], Path]:
    return lambda: fetch(name) / file


def built(name: str, code: ModuleType, build: Callable[[], onnx.ModelProto]) -> Callable[[], Path]:
    def path() -> Path:
        assert code.__file__
        key = hashlib.sha256(Path(code.__file__).read_bytes()).hexdigest()[:12]
        target = cache_dir() / "built" / f"{name}-{key}.onnx"
        if not target.is_file():
            with locked(target.with_suffix(".lock")):
                if not target.is_file():
                    model = build()
                    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as scratch:
                        scratch.write(model.SerializeToString())
                    Path(scratch.name).replace(target)
        return target

    return path


def _light(stem: str) -> Callable[[], Path]:
    return lambda: Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"light_{stem}.onnx"


def _fill(stem: str) -> onnx.ModelProto:
    return filled.fill(_light(stem)())


def _light_feeds(stem: str) -> Callable[[int], Feeds]:
    def feeds(_: int) -> Feeds:
        graph = onnx.load(_light(stem)()).graph
        initialized = {tensor.name for tensor in graph.initializer}
        value = next(v for v in graph.input if v.name not in initialized)
        shape = tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
        return {value.name: _nchw(*shape[2:])}

    return feeds


def _magika(_: int) -> Feeds:
    text = b"def main() -> int:\n    return sum(range(10))\n" * 40
    tokens = np.full((1, 2048), 256, np.int32)
    tokens[0, :1024], tokens[0, 1024:] = np.frombuffer(text[:1024], np.uint8), np.frombuffer(text[-1024:], np.uint8)
    return {"bytes": tokens}


def voice(samples: int, start: int = 0) -> np.ndarray:
    """float32 [samples] at 16 kHz: a gliding harmonic tone with pauses and noise, enough like speech to move a VAD."""
    t = (start + np.arange(samples)) / 16000
    pitch = 2 * np.pi * np.cumsum(120 + 30 * np.sin(3 * t)) / 16000 + start
    tone = sum(np.sin(k * pitch) / k for k in range(1, 12)) * (np.sin(2 * np.pi * 1.7 * t) > -0.3)
    return (0.2 * tone + _rng().normal(0, 0.005, samples)).astype(np.float32)


SILERO_WINDOW = 576  # 64 samples of context and 512 new ones


def _silero(*optional: str) -> Callable[[int], Feeds]:
    """Feeds of step `step`; the inputs `state` and `sr` where the file has them."""

    def feeds(step: int) -> Feeds:
        found: Feeds = {"input": voice(SILERO_WINDOW, step * 512)[None]}
        if "sr" in optional:
            found["sr"] = np.array(16000, np.int64)
        return found | {"state": np.zeros((2, 1, 128), np.float32)}

    return feeds


def _silero_sequence(step: int) -> Feeds:
    windows = np.stack([voice(SILERO_WINDOW, (10 * step + k) * 512) for k in range(10)])
    return {"input": windows, "h": np.zeros((1, 1, 128), np.float32), "c": np.zeros((1, 1, 128), np.float32)}


def _minilm(length: int) -> Feeds:
    ids = _rng().integers(1000, 30000, (1, length))
    ids[:, 0], ids[:, -1] = 101, 102
    mask = np.ones_like(ids)
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def _kokoro(_: int) -> Feeds:
    """ "Hello world." in phonemes, in one of the voices; a voice has a style for every length."""
    folder = fetch("kokoro")
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    ids = [vocabulary[character] for character in "həlˈoʊ wˈɜːld."]
    style = np.load(folder / "voices_ja.npz")["jf_alpha"][len(ids)]
    return {"tokens": np.array([[0, *ids, 0]]), "style": style, "speed": np.ones(1, np.float32)}


def _digits(count: int) -> Feeds:
    return {"image": digits_cnn.load_digits()[2][:count]}


def _smollm2(accuracy_level: int) -> onnx.ModelProto:
    return smollm2.build(fetch("smollm2-135m"), accuracy_level)


def _models() -> Iterator[Model]:
    yield Model(
        "tinyocr-det", _fetched("tinyocr", "det.onnx"), lambda n: {"x": page(n, n)}, (320, 96, 224), group="tinyocr"
    )
    yield Model(
        "tinyocr-rec", _fetched("tinyocr", "rec.onnx"), lambda n: {"x": page(48, n)}, (320, 97, 160), group="tinyocr"
    )
    yield Model("magika", _fetched("magika", "model.onnx"), _magika)
    carried = (("stateN", "state"),)
    for stem, extra in (
        ("", ("sr",)),
        ("_16k_op15", ("sr",)),
        ("_half", ()),
        ("_op18_ifless", ("sr",)),
        ("_openvino_16k", ()),
    ):
        yield Model(
            f"silero-vad{stem.replace('_', '-')}",
            _fetched("silero-vad", f"silero_vad{stem}.onnx"),
            _silero(*extra),
            state=carried,
            group="silero",
        )
    sequence = _fetched("silero-vad", "silero_vad_16k_sequence.onnx")
    yield Model("silero-vad-16k-sequence", sequence, _silero_sequence, state=(("hn", "h"), ("cn", "c")), group="silero")
    for kind, size in (("back", 256), ("front", 128)):
        file = _fetched("blazeface", f"face_detection_{kind}_{size}x{size}_barracuda.onnx")
        yield Model(
            f"blazeface-{kind}", file, lambda _, n=size: {"input:0": picture(n, n)[None] * 2 - 1}, group="blazeface"
        )  # type: ignore[misc]
    build = lambda: selfie.convert(fetch("selfie-seg") / "selfie_segmentation.tflite")  # noqa: E731
    yield Model("selfie", built("selfie", selfie, build), lambda _: {"input": photograph(256, 256)[None]})
    yield Model("minilm", built("minilm", minilm, lambda: minilm.build(fetch("minilm-l6"))), _minilm, (32, 7))
    quantize = lambda: quantized.build(models()["minilm"].path())  # noqa: E731
    yield Model("minilm-int8", built("minilm-int8", quantized, quantize), _minilm, (32, 7), largest_error=0.05)
    yield Model("vit-tiny", built("vit-tiny", vit, vit.build), lambda _: {"image": _nchw(224, 224)})
    # Sound made from what dozens of quantized layers give: where one value rounds the other way, its phase moves.
    yield Model("kokoro", _fetched("kokoro", "kokoro-v1.0.int8.onnx"), _kokoro, slow=True, rounds=True)
    for level in (0, 4):
        yield Model(
            f"smollm2-level{level}",
            built(f"smollm2-level{level}", smollm2, functools.partial(_smollm2, level)),
            smollm2.token_feeds,
            (32, 0),
            group="smollm2",
            slow=True,
            rounds=level == 4,
        )
    image = _nchw(224, 224)
    for name, network in (
        ("mobilenetv2", mobile_cnn.MOBILENET_V2),
        ("efficientnet-lite0", mobile_cnn.EFFICIENTNET_LITE0),
    ):
        for suffix, make, error in (("", mobile_cnn.build, 1e-4), ("-qdq", mobile_cnn.build_quantized, 0.1)):
            path = built(name + suffix, mobile_cnn, functools.partial(make, network, image))
            feeds = lambda _: {"image": image}  # noqa: E731
            slow = network is not mobile_cnn.MOBILENET_V2
            yield Model(name + suffix, path, feeds, group="mobile", slow=slow, largest_error=error)
    yield Model("digits-cnn", built("digits-cnn", digits_cnn, digits_cnn.build), _digits, (8, 1))
    for stem in ("resnet50", "densenet121", "inception_v1", "inception_v2", "shufflenet", "squeezenet"):
        path = built(f"{stem}-filled", filled, functools.partial(_fill, stem))
        yield Model(stem.replace("_", "-"), path, _light_feeds(stem), group="filled", slow=stem == "resnet50")
    for stem in LIGHT:
        yield Model(f"light-{stem.replace('_', '-')}", _light(stem), _light_feeds(stem), group="light", slow=True)


@functools.cache
def models() -> dict[str, Model]:
    return {model.name: model for model in _models()}
