"""Hosts run the engine's code: wasmtime in CPython, or the native library for tests and debugging."""
