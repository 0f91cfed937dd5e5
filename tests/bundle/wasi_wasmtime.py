"""Runs a command of WASI in wasmtime: `python wasi_wasmtime.py HOST=GUEST ... -- MODULE.wasm ARGUMENT ...`.

The folders are what it can see. Ends with the command's exit status.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import wasmtime


def main(words: list[str]) -> int:
    split = words.index("--")
    folders, (module, *arguments) = words[:split], words[split + 1 :]
    config = wasmtime.WasiConfig()
    config.argv = [Path(module).name, *arguments]
    config.env = list(os.environ.items())
    config.inherit_stdin()
    config.inherit_stdout()
    config.inherit_stderr()
    for folder in folders:
        host, _, guest = folder.partition("=")
        config.preopen_dir(host, guest)
    compiled_once = wasmtime.Config()
    compiled_once.cache = True
    engine = wasmtime.Engine(compiled_once)
    store = wasmtime.Store(engine)
    store.set_wasi(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, module))
    start = instance.exports(store)["_start"]
    assert isinstance(start, wasmtime.Func)
    try:
        start(store)
    except wasmtime.ExitTrap as ended:
        return ended.code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
