"""AES-256-GCM in WebAssembly: the crypto of zig's standard library, as in the programs for wasi and native."""

from __future__ import annotations

from typing import Final

from .program import Failure

_VECTOR: Final = 12
_TAG: Final = 16
_KEY: Final = 32
_PAGE: Final = 1 << 16


def decrypt(data: bytes, key: bytes, module: bytes) -> bytes:
    """The model in an encrypted file: vector, ciphertext, tag. Raises Failure."""
    import wasmtime

    if len(data) < _VECTOR + _TAG:
        raise Failure(f"model.onnx.enc has {len(data)} bytes, which is too short for an encrypted file")
    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, module), []).exports(store)
    memory = exports["memory"]
    assert isinstance(memory, wasmtime.Memory)
    start = memory.data_len(store)
    text = data[_VECTOR:-_TAG]
    tag = start + len(text)
    vector, key_at = tag + _TAG, tag + _TAG + _VECTOR
    memory.grow(store, -(-(len(data) + _KEY) // _PAGE))
    memory.write(store, text + data[-_TAG:] + data[:_VECTOR] + key, start)
    function = exports["runner_decrypt"]
    assert isinstance(function, wasmtime.Func)
    if not function(store, start, len(text), tag, vector, key_at):
        raise Failure(
            "model.onnx.enc could not be decrypted: the key is another one, or the file is not the encrypted original"
        )
    return bytes(memory.read(store, start, start + len(text)))
