"""Hostile manifests, lists and signatures of bundles: an error or a difference that is named, and nothing else."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onnxlet import InvalidArgument
from onnxlet.bundle.proof.manifest import read_manifest
from onnxlet.bundle.proof.signature import SIGNATURE, Trust
from onnxlet.bundle.proof.verify import verify
from tests.bundle.signers import authority, key_pair
from tests.bundle.small import sealed

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["../x", "/etc/passwd", "a/./b", "A" * 64, "0" * 64, "====", "AAAA"]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in it."""
    entries = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in list(entries):
        yield document, key
        if isinstance(value, dict | list):
            yield from places(value)


@st.composite
def changed(draw: st.DrawFn, document: Any) -> Any:
    """The document with one to three entries replaced, removed, doubled or cut."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(document))
        if not found:
            break
        container, key = found[draw(st.integers(0, len(found) - 1))]
        match draw(st.integers(0, 3)):
            case 0:
                container[key] = draw(VALUES)
            case 1:
                del container[key]
            case 2:
                other, at = found[draw(st.integers(0, len(found) - 1))]
                container[key] = copy.deepcopy(other[at])
            case _:
                if isinstance(container[key], str):
                    text = container[key]
                    at = draw(st.integers(0, len(text)))
                    container[key] = text[:at] + draw(st.text(max_size=2)) + text[at + 1 :]
    return document


KINDS = ("key", "certificate")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[Path, Trust]]:
    """A signed bundle of each kind, and whom to trust."""
    home = tmp_path_factory.mktemp("proof")
    owner, issuer = key_pair(home, "owner"), authority(home / "issuer")
    certificate = issuer.certify(owner, "somebody")
    return {
        "key": (sealed(home / "key", signing_key=owner.private), Trust(key=owner.public)),
        "certificate": (
            sealed(home / "certified", signing_key=owner.private, certificate=certificate, chain=[issuer.chain]),
            Trust(roots=(issuer.root,)),
        ),
    }


MANY = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(data=st.data())
def test_a_manifest(data: st.DataObject, bundles: Mapping[str, tuple[Path, Trust]]) -> None:
    document = json.loads((bundles["key"][0] / "manifest.json").read_text())
    try:
        files = read_manifest(json.dumps(data.draw(changed(document))).encode())
    except InvalidArgument as error:
        assert len(str(error)) > 10
    else:
        assert all(digest.bytes >= 0 and len(digest.sha256) == 64 for digest in files.values())


@MANY
@given(text=st.binary(max_size=200))
def test_any_bytes_as_a_manifest(text: bytes) -> None:
    with pytest.raises(InvalidArgument):
        read_manifest(text)


def replaced(bundle: Path, name: str, data: bytes, check: Callable[[Path], None]) -> None:
    """Calls `check` for the bundle with a file replaced, which then is as it was."""
    path = bundle / name
    kept = path.with_name("kept")
    shutil.move(path, kept)
    try:
        path.write_bytes(data)
        kept = Path(shutil.move(kept, bundle.parent / "kept"))
        check(bundle)
    finally:
        shutil.move(kept, path)


@pytest.mark.parametrize("kind", KINDS)
@MANY
@given(data=st.data())
def test_a_signature(kind: str, data: st.DataObject, bundles: Mapping[str, tuple[Path, Trust]]) -> None:
    bundle, trust = bundles[kind]
    document = json.loads((bundle / SIGNATURE).read_text())
    other = data.draw(changed(document))

    def check(folder: Path) -> None:
        found = verify(folder, trust).signature
        # What is not signed, like the version of the format, may differ.
        assert found.is_wrong or other["dsseEnvelope"]["payload"] == document["dsseEnvelope"]["payload"]
        assert len(found.message) > 10

    replaced(bundle, SIGNATURE, json.dumps(other).encode(), check)


@pytest.mark.parametrize("kind", KINDS)
@MANY
@given(data=st.data())
def test_a_damaged_signature(kind: str, data: st.DataObject, bundles: Mapping[str, tuple[Path, Trust]]) -> None:
    bundle, trust = bundles[kind]
    whole = (bundle / SIGNATURE).read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(0, 5))
    other = whole[:at] + data.draw(st.binary(max_size=5)) + whole[at + length :]
    if data.draw(st.booleans()):
        other = other[:at]
    replaced(bundle, SIGNATURE, other, lambda folder: verify(folder, trust).document())


@MANY
@given(data=st.data())
def test_a_list_of_sums(data: st.DataObject, bundles: Mapping[str, tuple[Path, Trust]]) -> None:
    bundle, _ = bundles["key"]
    whole = (bundle / "SHA256SUMS").read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    other = whole[:at] + data.draw(st.binary(max_size=80)) + whole[at + data.draw(st.integers(0, 80)) :]

    def check(folder: Path) -> None:
        assert verify(folder).ok == (other == whole)

    replaced(bundle, "SHA256SUMS", other, check)
