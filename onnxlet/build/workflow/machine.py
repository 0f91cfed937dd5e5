"""Programs that come from the system: Node, a browser, qemu, a host compiler, Emscripten. Installed through apt as root."""

from __future__ import annotations

import ctypes.util
import functools
import os
import re
import subprocess

from onnxlet.build.workflow.shell import Failure, find, say

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
MINIMUM_NODE = 20


def can_install() -> bool:
    return os.geteuid() == 0 and find("apt-get") is not None


@functools.cache
def _update() -> None:
    subprocess.run(["apt-get", "update", "-qq"], check=False, capture_output=True)


def apt_install(*packages: str) -> bool:
    """Installs Debian packages; False when that did not work, and apt's words have been shown."""
    say(f"installing {' '.join(packages)} through apt")
    _update()
    done = subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout[-2000:])
    return done.returncode == 0


def require_node() -> None:
    node, npm = find("node"), find("npm")
    if node is None or npm is None:
        raise Failure(f"needs Node {MINIMUM_NODE} or later with npm, and found none; install it from nodejs.org")
    version = subprocess.run([node, "--version"], text=True, capture_output=True, check=True).stdout.strip()
    match = re.match(r"v(\d+)", version)
    if match is None or int(match[1]) < MINIMUM_NODE:
        raise Failure(f"needs Node {MINIMUM_NODE} or later; {node} is {version}")


def chromium() -> str | None:
    """The browser that the tests open; installed as root, else None with a sentence."""
    path = os.environ.get("CHROMIUM") or find(*CHROMIUM_NAMES)
    if path is None and can_install() and apt_install("chromium"):
        path = find(*CHROMIUM_NAMES)
    if path is None:
        say("no Chromium found: tests in a browser need it (Debian: apt install chromium), or CHROMIUM=/path/to/it")
    return path


def qemu() -> str | None:
    """What runs programs for other processors; installed as root, else None with a sentence."""
    path = find("qemu-aarch64")
    if path is None and can_install() and apt_install("qemu-user"):
        path = find("qemu-aarch64")
    if path is None:
        say("no qemu-user found: tests of native bundles for other processors need it (Debian: apt install qemu-user)")
    return path


def vulkan() -> bool:
    """Vulkan's loader, through which Node's WebGPU finds the software that comes with Debian's Chromium."""
    if ctypes.util.find_library("vulkan") is not None:
        return True
    return can_install() and apt_install("libvulkan1") and ctypes.util.find_library("vulkan") is not None


def host_compiler() -> tuple[str, str] | None:
    """C and C++ compiler for this machine. None: ziglang's clang does it, without sanitizers."""
    pairs = [(os.environ.get("CC", ""), os.environ.get("CXX", "")), ("gcc", "g++"), ("clang", "clang++")]
    for attempt in (False, True):
        if attempt and not (can_install() and apt_install("g++")):
            break
        for c, cxx in pairs:
            if c and cxx and (c_path := find(c)) and (cxx_path := find(cxx)):
                return c_path, cxx_path
    return None


def clang() -> str | None:
    """A clang++ with libFuzzer, if it is there or apt can bring it."""
    names = ("clang++-19", "clang++")
    path = os.environ.get("CLANG") or find(*names)
    if path is None and can_install() and apt_install("clang-19", "libclang-rt-19-dev"):
        path = find(*names)
    return path


def emscripten() -> str | None:
    """emcmake, if it is there or apt can bring it."""
    path = find("emcmake")
    if path is None and can_install() and apt_install("emscripten"):
        path = find("emcmake")
    return path
