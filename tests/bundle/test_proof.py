"""What seals a bundle: its lists, encrypted models, and that the same request gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import uuid
import warnings
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from onnxlet.bundle import BundleError, Filled, Request, make
from onnxlet.bundle.encryption import decrypt, encrypt
from onnxlet.bundle.keys import new_key, read_key
from onnxlet.bundle.proof import Trust, seal, verify
from onnxlet.bundle.proof.components import PROGRAMS, parts_of
from onnxlet.errors import InvalidArgument
from tests.bundle import toolbox
from tests.bundle.signers import key_pair
from tests.bundle.small import contents, model, names, sealed

KEY = bytes(range(32))


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(KEY.hex())
    path.chmod(0o600)
    return path


def test_the_manifest_says_what_is_there(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    manifest = json.loads((folder / "manifest.json").read_text())
    files = manifest.pop("files")
    assert files["engine/onnxlet.wasm"] == {"bytes": 256, "sha256": hashlib.sha256(bytes(range(256))).hexdigest()}
    assert files["empty"] == {"bytes": 0, "sha256": hashlib.sha256().hexdigest()}
    assert [*files] == sorted({*names(folder)} - {"manifest.json", "SHA256SUMS"})
    assert manifest == {
        "format": 1,
        "target": "node",
        "tool": {"name": "onnxlet", "version": "0.1.0", "license": "Apache-2.0"},
        "programs": {
            "onnxlet": {
                "version": "0.1.0",
                "license": "Apache-2.0",
                "contains": {
                    "libc++": "Apache-2.0 WITH LLVM-exception",
                    "wasi-libc": "Apache-2.0 WITH LLVM-exception AND MIT",
                },
            },
            "wasmtime": {"version": "50.0.1", "license": "Apache-2.0 WITH LLVM-exception"},
        },
        "engine": {"operators": ["Add"]},
        "models": [
            {
                "name": "adder",
                "bytes": len(model()),
                "sha256": hashlib.sha256(model()).hexdigest(),
                "encrypted": False,
                "opsets": {"ai.onnx": 18},
                "operators": ["Add"],
                "inputs": ["x: matrix of float32 [N, 3]"],
                "outputs": ["y: column of float32 [N, 3]"],
                "weights": {"float": 3},
                "packing": {"onnxlet.pack.scheme": "int8"},
                "licenses": ["MIT"],
                "sources": {"adder.onnx": "0" * 64},
            }
        ],
    }


def test_sha256sum_checks_the_list(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == sorted({*names(folder)} - {"SHA256SUMS"})
    tool = shutil.which("sha256sum")
    if tool is not None:
        subprocess.run([tool, "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder, check=True)


def test_the_same_files_give_the_same_proof(tmp_path: Path) -> None:
    made = [sealed(tmp_path / name) for name in ("a", "other")]
    assert names(made[0]) == names(made[1])
    for name in names(made[0]):
        assert (made[0] / name).read_bytes() == (made[1] / name).read_bytes(), name


# ---- the list of materials ----


def components(folder: Path) -> dict[str, dict[str, Any]]:
    document = json.loads((folder / "sbom.cdx.json").read_text())
    return {component["bom-ref"]: component for component in document["components"]}


def test_the_list_of_materials_is_valid(tmp_path: Path) -> None:
    text = (sealed(tmp_path / "b", licenses=["LicenseRef-Ours"]) / "sbom.cdx.json").read_text()
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert error is None, error
    document = json.loads(text)
    assert "timestamp" not in document["metadata"]
    assert document["metadata"]["component"]["name"] == "adder"
    assert document["dependencies"][0] == {
        "ref": "bundle",
        "dependsOn": ["model:adder", "program:onnxlet", "program:wasmtime"],
    }


def test_the_list_of_materials_has_the_model_and_the_programs(tmp_path: Path) -> None:
    parts = components(sealed(tmp_path / "b"))
    assert parts["model:adder"] == {
        "bom-ref": "model:adder",
        "type": "machine-learning-model",
        "name": "adder",
        "version": hashlib.sha256(model()).hexdigest()[:12],
        "description": "Adds 1, 2 and 3.",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(model()).hexdigest()}],
        "licenses": [{"license": {"id": "MIT"}}],
        "modelCard": {
            "modelParameters": {
                "inputs": [{"format": "x: matrix of float32 [N, 3]"}],
                "outputs": [{"format": "y: column of float32 [N, 3]"}],
            },
            "properties": [
                {"name": "onnx:operators", "value": "Add"},
                {"name": "onnx:opset:ai.onnx", "value": "18"},
                {"name": "onnx:weights:float", "value": "3"},
                {"name": "onnxlet.pack.scheme", "value": "int8"},
            ],
        },
    }
    assert parts["program:wasmtime"] == {
        "bom-ref": "program:wasmtime",
        "type": "library",
        "name": "wasmtime",
        "version": "50.0.1",
        "description": "WebAssembly runtime",
        "licenses": [{"expression": "Apache-2.0 WITH LLVM-exception"}],
        "purl": "pkg:pypi/wasmtime@50.0.1",
    }


def test_the_list_of_materials_has_what_is_linked_into_a_program(tmp_path: Path) -> None:
    (libcxx, libc) = components(sealed(tmp_path / "b"))["program:onnxlet"]["components"]
    assert (libcxx["name"], libc["name"]) == ("libc++", "wasi-libc")
    assert libc["licenses"] == [{"expression": "Apache-2.0 WITH LLVM-exception AND MIT"}]
    for name, target in (("onnxlet", "native"), ("onnxlet", "wasi"), ("pyodide", "pyodide")):
        assert {*parts_of(name, target)} <= PROGRAMS.keys()


def test_the_serial_number_follows_from_the_content(tmp_path: Path) -> None:
    folders = [sealed(tmp_path / "a"), sealed(tmp_path / "b"), sealed(tmp_path / "c", {"more": b"x"})]
    serials = [json.loads((folder / "sbom.cdx.json").read_text())["serialNumber"] for folder in folders]
    assert serials[0] == serials[1] != serials[2]
    assert uuid.UUID(serials[0]).version == 5


def test_licences(tmp_path: Path) -> None:
    parts = components(sealed(tmp_path / "b", licenses=["Apache-2.0 OR BSD-3-Clause", "LicenseRef-Ours"]))
    assert parts["model:adder"]["licenses"] == [
        {"expression": "(Apache-2.0 OR BSD-3-Clause) AND LicenseRef-Ours AND MIT"}
    ]
    for text, message in (
        ("MTI", "SPDX has no licence 'MTI'; use its identifiers, or LicenseRef-NAME for one of your own"),
        ("", "SPDX has no licence ''"),
        ("MIT AND", "'MIT AND' is not an SPDX expression"),
    ):
        with pytest.raises(BundleError, match=message):
            sealed(tmp_path / f"with {text}", licenses=[text])


@pytest.mark.parametrize("name", ["new\nline", "back\\slash", "c:drive", "\udcff"])
def test_names_that_no_list_can_hold_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(BundleError, match="a file of a bundle cannot be called"):
        seal(contents(), Filled(), tmp_path)


def test_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    with pytest.raises(BundleError, match="link is a link; a bundle has files alone"):
        seal(contents(), Filled(), tmp_path)


def test_what_cannot_be_proved_is_known_before_the_work(tmp_path: Path) -> None:
    for options, message in (
        ({"licenses": ["MTI"]}, "SPDX has no licence 'MTI'"),
        ({"signing_key": tmp_path / "missing"}, "missing cannot be read: No such file or directory"),
    ):
        request = Request([tmp_path / "no model.onnx"], tmp_path / "out", target="node", **options)  # type: ignore[arg-type]
        with pytest.raises(BundleError, match=message):
            make(request)


@pytest.mark.parametrize("target", ["node", "python", "web"])
def test_two_builds_in_different_folders_are_the_same(tmp_path: Path, target: str) -> None:
    if target in ("node", "web"):
        toolbox.built_scripts(target)
    (tmp_path / "adder.onnx").write_bytes(model())
    key = key_pair(tmp_path, "owner").private
    for name in ("a", "b/another name"):
        toolbox.make(tmp_path / "adder.onnx", tmp_path / name, target, ops="full", signing_key=key)
    first, second = tmp_path / "a", tmp_path / "b" / "another name"
    assert names(first) == names(second)
    for name in names(first):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    assert verify(first, Trust(tmp_path / "owner.pub.pem")).ok


# ---- encrypted models ----


def test_a_target_that_cannot_encrypt_says_so(tmp_path: Path, key_file: Path) -> None:
    request = Request([tmp_path / "m.onnx"], tmp_path / "out", target="pyodide", encryption_key=key_file)
    with pytest.raises(
        InvalidArgument, match="a bundle for pyodide has its models as they are; they cannot be encrypted"
    ):
        make(request)


def test_an_encrypted_model_is_what_aes_gcm_makes_of_it(tmp_path: Path, key_file: Path) -> None:
    folder = sealed(tmp_path / "b", encryption_key=key_file)
    assert "model.onnx" not in names(folder)
    data = (folder / "model.onnx.enc").read_bytes()
    assert AESGCM(KEY).decrypt(data[:12], data[12:], None) == model() == decrypt(data, KEY, "it")
    (card,) = json.loads((folder / "manifest.json").read_text())["models"]
    assert card["encrypted"] and card["sha256"] == hashlib.sha256(model()).hexdigest()


def test_the_vector_follows_from_key_and_model() -> None:
    vectors = {encrypt(data, key)[:12] for data in (b"", b"a", b"b") for key in (KEY, bytes(32))}
    assert len(vectors) == 6
    assert encrypt(b"a", KEY) == encrypt(b"a", KEY)
    assert encrypt(b"a", KEY).hex() == "6424838ca6f8d22586c7419bd79461f2e863f752d50e2df1f3d65bedab"


def test_what_cannot_be_decrypted(tmp_path: Path) -> None:
    data = encrypt(b"model", KEY)
    other = r"it could not be decrypted: the key is another one, or the file is not the encrypted original"
    for wrong, key in ((data, bytes(32)), (data[:-1] + bytes([data[-1] ^ 1]), KEY), (b"\0" + data[1:], KEY)):
        with pytest.raises(BundleError, match=other):
            decrypt(wrong, key, "it")
    with pytest.raises(BundleError, match="it has 27 bytes, which is too short for an encrypted file"):
        decrypt(bytes(27), KEY, "it")


def test_keys_as_text(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.touch(0o600)
    odd = bytes([251] * 32)
    for key, text in (
        (KEY, KEY.hex()),
        (KEY, KEY.hex().upper() + "\n"),
        (KEY, f" {base64.b64encode(KEY).decode()} "),
        (odd, base64.urlsafe_b64encode(odd).decode()),
    ):
        path.write_text(text)
        assert read_key(path) == key
    for text in ("", KEY.hex()[1:], base64.b64encode(KEY[1:]).decode(), "secret"):
        path.write_text(text)
        with pytest.raises(
            BundleError, match="key is not a key: it takes 32 bytes, as 64 hexadecimal digits or as base"
        ):
            read_key(path)


def test_a_new_key_is_its_owners_alone(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        new_key(path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert re.fullmatch("[0-9a-f]{64}\n", path.read_text())
    assert read_key(paths[0]) != read_key(paths[1])
    with pytest.raises(BundleError, match="a exists; a key that is lost is lost for good"):
        new_key(paths[0])
    with pytest.raises(BundleError, match="cannot be written: No such file"):
        new_key(tmp_path / "missing" / "key")


def test_a_key_that_others_can_read_is_a_warning(key_file: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_key(key_file) == KEY
    key_file.chmod(0o640)
    with pytest.warns(RuntimeWarning, match="others than its owner can use the key .*: chmod 600 "):
        assert read_key(key_file) == KEY


def test_a_key_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"the key .*/missing cannot be read: No such file or directory"):
        read_key(tmp_path / "missing")
    (tmp_path / "binary").write_bytes(bytes(range(200, 232)))
    with pytest.raises(BundleError, match=r"the key .*/binary cannot be read: it is not text"):
        read_key(tmp_path / "binary")
