"""Native sessions run kernels of the level that they ask for: the fast one, or in deterministic mode WebAssembly's bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import onnxlet
from tests.models import registry
from tests.python.conftest import need

Outputs = list[np.ndarray]


def outputs(model: registry.Model, path: str, engine: str, *, deterministic: bool) -> Outputs:
    options = onnxlet.SessionOptions()
    options.intra_op_num_threads = 1
    options.use_deterministic_compute = deterministic
    with onnxlet.InferenceSession(path, options, _engine=engine) as session:
        return [np.asarray(output) for output in session.run(None, model.feeds(model.sizes[0]))]


@pytest.mark.parametrize("name", ["mobilenetv2", "minilm", "tinyocr-rec", "silero-vad-16k-op15"])
def test_native_deterministic_sessions_have_the_bits_of_webassembly(name: str, fetched: Callable[..., object]) -> None:
    need("native")
    need("wasm")
    model = registry.models()[name]
    path = str(fetched(model.path))
    wasm = outputs(model, path, "simd", deterministic=True)
    # The sessions of one library take turns with its levels.
    for deterministic in (False, True, False):
        native = outputs(model, path, "native", deterministic=deterministic)
        for ours, theirs in zip(native, wasm, strict=True):
            if deterministic:
                np.testing.assert_array_equal(ours, theirs)
            else:
                assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()
