"""A small CNN on Fashion-MNIST: Debian's package dataset-fashion-mnist has the pictures; the network is the digits' one.

$FASHION_MNIST names the folder of the four files where they lie elsewhere.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path

import numpy as np
import onnx

from tests.models import digits_cnn
from tests.models.fetch import FetchError
from tests.support.paths import cache_dir

_PICTURES = 12_800
_EPOCHS = 2


def load(part: str) -> tuple[np.ndarray, np.ndarray]:
    """Pictures float32 [n, 1, 28, 28] in 0 to 1, and labels; `part` is train (60,000) or t10k (10,000)."""
    folder = Path(os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist"))
    found = []
    for kind, offset in (("images-idx3", 16), ("labels-idx1", 8)):
        file = next(folder.rglob(f"{part}-{kind}-ubyte*"), None)
        if file is None:
            raise FetchError(
                f"{folder} has no Fashion-MNIST: apt-get install dataset-fashion-mnist, or set FASHION_MNIST"
            )
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        found.append(np.frombuffer(content, np.uint8, offset=offset))
    return (found[0].reshape(-1, 1, 28, 28) / 255).astype(np.float32), found[1].astype(np.int64)


def path() -> Path:
    """The trained model, kept in the cache under the hash of the code that trains it."""
    code = Path(__file__).read_bytes() + Path(digits_cnn.__file__).read_bytes()
    target = cache_dir() / "built" / f"fashion-cnn-{hashlib.sha256(code).hexdigest()[:12]}.onnx"
    if not target.is_file():
        onnx.save(build(), target)
    return target


def build() -> onnx.ModelProto:
    """Input image [n, 1, 28, 28], output logits [n, 10]. Trains for some minutes, on a part of the pictures."""
    images, labels = load("train")
    model = digits_cnn.to_onnx(digits_cnn.train(images[:_PICTURES], labels[:_PICTURES], epochs=_EPOCHS))
    for dimension in model.graph.input[0].type.tensor_type.shape.dim[2:]:
        dimension.dim_value = 28
    return model
