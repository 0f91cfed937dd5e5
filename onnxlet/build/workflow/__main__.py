"""The commands of ./build.sh."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from onnxlet.build.workflow import checks, engine, fuzz, interop, machine, sanitize
from onnxlet.build.workflow.shell import BUILD, ROOT, Failure, say


def prepare() -> None:
    """What every command that runs models needs."""
    engine.bindings()
    engine.wasm()
    engine.editable_package()


def command_build(_: Sequence[str]) -> int:
    prepare()
    engine.javascript()
    engine.playground()
    engine.native()
    wheel = engine.wheel()
    say(f"done: .venv/bin/onnxlet, js/dist/, build/native/libonnxlet.so, {wheel.relative_to(ROOT)}")
    return 0


def command_run(arguments: Sequence[str]) -> int:
    start = time.monotonic()
    prepare()
    engine.javascript()
    machine.chromium()
    output = BUILD / "ocr.png"
    command = [sys.executable, "examples/ocr/ocr.py", *(arguments or ["-o", str(output)])]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status != 0:
        say(f"the example failed with exit status {status}")
        return status
    where = "" if arguments else f"; the annotated picture is {output.relative_to(ROOT)}"
    say(f"success: the example ran on the WebAssembly engine{where} ({time.monotonic() - start:.0f} s in all)")
    return 0


def command_test(arguments: Sequence[str]) -> int:
    prepare()
    engine.javascript()
    engine.playground()
    engine.wheel()
    machine.chromium()
    machine.vulkan()
    machine.qemu()
    if not arguments and machine.emscripten() is None:
        say("no Emscripten: its build is not tested (Debian: apt install emscripten)")
    return checks.test(arguments)


def command_bench(arguments: Sequence[str]) -> int:
    prepare()
    engine.javascript()
    if {"--browser", "--report", "--webgpu"} & set(arguments) and machine.chromium() is None:
        return 1
    return subprocess.run([sys.executable, "-m", "bench", *arguments], cwd=ROOT, check=False).returncode


def command_interop(arguments: Sequence[str]) -> int:
    chosen = interop.parse(arguments)
    prepare()
    return interop.test(chosen)


def command_fuzz(arguments: Sequence[str]) -> int:
    return fuzz.fuzz(fuzz.parse(arguments))


def command_sanitize(arguments: Sequence[str]) -> int:
    return sanitize.sanitize(sanitize.parse(arguments))


def command_screenshots(arguments: Sequence[str]) -> int:
    prepare()
    engine.javascript()
    engine.playground()
    machine.chromium()
    command = [sys.executable, "-m", "tests.playground.screenshots", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def command_check(_: Sequence[str]) -> int:
    engine.bindings()
    engine.npm_packages(engine.JS)
    engine.npm_packages(engine.PLAYGROUND)
    return checks.check()


def command_format(_: Sequence[str]) -> int:
    engine.npm_packages(engine.JS)
    engine.npm_packages(engine.PLAYGROUND)
    checks.apply_format()
    return 0


def command_gen(_: Sequence[str]) -> int:
    prepare()
    checks.regenerate()
    return 0


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "build": command_build,
    "run": command_run,
    "test": command_test,
    "bench": command_bench,
    "interop": command_interop,
    "fuzz": command_fuzz,
    "sanitize": command_sanitize,
    "screenshots": command_screenshots,
    "check": command_check,
    "format": command_format,
    "gen": command_gen,
}


def main() -> int:
    try:
        return COMMANDS[sys.argv[1]](sys.argv[2:])
    except Failure as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
