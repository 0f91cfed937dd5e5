"""What `verify` finds: every damage by its name, and each reason why a signature is not the one that is wanted."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from typer.testing import CliRunner

from onnxlet.bundle import BundleError
from onnxlet.bundle.keys import read_key
from onnxlet.bundle.proof import Trust, Verification, verify
from onnxlet.cli import app
from onnxlet.cli.verify import verify_command
from onnxlet.errors import InvalidArgument
from onnxlet.runner.files import scan
from onnxlet.runner.sums import write_sums
from tests.bundle.damage import damages
from tests.bundle.signers import Authority, KeyPair, authority, key_pair
from tests.bundle.small import names, sealed
from tests.support.paths import ROOT


def first(checked: Verification) -> tuple[str, str]:
    return checked.differences[0].path, checked.differences[0].kind


def sum_again(folder: Path) -> None:
    """Makes SHA256SUMS fit what is there, as somebody who changes a bundle would."""
    (folder / "SHA256SUMS").unlink(missing_ok=True)
    (folder / "SHA256SUMS").write_text(write_sums(scan(folder)))  # type: ignore[arg-type]


# ---- files ----


def test_an_unchanged_bundle(tmp_path: Path) -> None:
    checked = verify(sealed(tmp_path / "b"))
    assert checked.ok and checked.differences == ()
    assert checked.document() == {
        "folder": str(tmp_path / "b"),
        "ok": True,
        "files": 7,
        "bytes": sum((tmp_path / "b" / name).stat().st_size for name in names(tmp_path / "b")),
        "differences": [],
        "signature": {"state": "absent", "message": "the bundle is not signed"},
    }


def test_random_damage_is_found_and_named(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    for damage in damages(folder, 200):
        with damage.done(folder):
            found = {difference.path for difference in verify(folder).differences}
            named = damage.path in found or (damage.path == "SHA256SUMS" and len(found) > 0)
            assert named, f"{damage}: {found}"
    assert verify(folder).ok


@pytest.mark.parametrize(
    ("change", "path", "kind", "message"),
    [
        (lambda f: (f / "model.onnx").unlink(), "model.onnx", "missing", "model.onnx is missing"),
        (lambda f: (f / "a").touch(), "a", "extra", "a is extra: SHA256SUMS does not list it"),
        (
            lambda f: (f / "empty").write_bytes(b"x"),
            "empty",
            "changed",
            f"empty differs: its SHA-256 is {hashlib.sha256(b'x').hexdigest()}; "
            f"SHA256SUMS says {hashlib.sha256().hexdigest()}",
        ),
        (lambda f: (f / "SHA256SUMS").unlink(), "SHA256SUMS", "missing", "SHA256SUMS is missing"),
        (lambda f: (f / "manifest.json").unlink(), "manifest.json", "missing", "manifest.json is missing"),
        (
            lambda f: ((f / "empty").unlink(), (f / "empty").symlink_to("/dev/null")),
            "empty",
            "unusual",
            "empty is a link",
        ),
        (lambda f: (f / "etc").symlink_to("/etc"), "etc", "unusual", "etc is a link"),
        (lambda f: os.mkfifo(f / "pipe"), "pipe", "unusual", "pipe is not a regular file"),
        (
            lambda f: ((f / "empty").unlink(), (f / "empty").mkdir()),
            "empty",
            "missing",
            "empty is missing",
        ),
        (
            lambda f: (f / "new\nline").touch(),
            "new\nline",
            "extra",
            r"new\nline is extra: SHA256SUMS does not list it",
        ),
        (
            lambda f: Path(os.fsdecode(bytes(f) + b"/\xff")).touch(),
            "\udcff",
            "extra",
            r"\udcff is extra: SHA256SUMS does not list it",
        ),
    ],
)
def test_what_differs_is_named(
    tmp_path: Path, change: Callable[[Path], object], path: str, kind: str, message: str
) -> None:
    folder = sealed(tmp_path / "b")
    change(folder)
    checked = verify(folder)
    assert not checked.ok
    assert first(checked) == (path, kind)
    assert checked.differences[0].message == message
    json.dumps(checked.document(), ensure_ascii=False).encode()


def test_all_that_differs_is_listed(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    (folder / "model.onnx").unlink()
    (folder / "interface.json").write_text("{}")
    (folder / "engine" / "more").touch()
    assert [(item.path, item.kind) for item in verify(folder).differences] == [
        ("engine/more", "extra"),
        ("interface.json", "changed"),
        ("model.onnx", "missing"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "its last line has no end"),
        (b"0" * 64 + b"  a", "its last line has no end"),
        (b"0" * 64 + b" *a\n", "line 1 is not a SHA-256, two spaces and a path"),
        (b"0" * 63 + b"A  a\n", "line 1 is not a SHA-256, two spaces and a path"),
        (b"0" * 64 + b"  a\r\n", r"line 1 names 'a\\r', which cannot be a file of a bundle"),
        (b"0" * 64 + b"  ../../etc/passwd\n", "line 1 names '../../etc/passwd', which cannot be a file of a bundle"),
        (b"0" * 64 + b"  /etc/passwd\n", "line 1 names '/etc/passwd', which cannot be a file of a bundle"),
        (b"0" * 64 + b"  a//b\n", "line 1 names 'a//b', which cannot be a file of a bundle"),
        (b"0" * 64 + b"  SHA256SUMS\n", "line 1 names 'SHA256SUMS', which cannot be a file of a bundle"),
        ((b"0" * 64 + b"  a\n") * 2, "line 2 is not in order: 'a' after 'a'"),
        (b"\xff", "it is not UTF-8 (byte 0)"),
    ],
)
def test_sums_that_nobody_has_written(tmp_path: Path, text: bytes, reason: str) -> None:
    folder = sealed(tmp_path / "b")
    (folder / "SHA256SUMS").write_bytes(text)
    checked = verify(folder)
    assert first(checked) == ("SHA256SUMS", "damaged")
    assert checked.differences[0].message == f"SHA256SUMS is damaged: {reason}"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda m: [], "its format is None; this version of onnxlet reads 1"),
        (lambda m: m | {"format": 2}, "its format is 2; this version of onnxlet reads 1"),
        (lambda m: m | {"files": []}, "it lists no files"),
        (
            lambda m: m | {"files": {"../secret": {"bytes": 0, "sha256": "0" * 64}}},
            "it names '../secret', which cannot be a file that it lists",
        ),
        (
            lambda m: m | {"files": {"model.sig": {"bytes": 0, "sha256": "0" * 64}}},
            "it names 'model.sig', which cannot be a file that it lists",
        ),
        (lambda m: m | {"files": {"a": {"bytes": True, "sha256": "0" * 64}}}, "it has no size and SHA-256 of a"),
        (lambda m: m | {"files": {"a": {"bytes": 1, "sha256": "0" * 63}}}, "it has no size and SHA-256 of a"),
    ],
)
def test_a_manifest_that_nobody_has_written(tmp_path: Path, change: Callable[[Any], Any], reason: str) -> None:
    folder = sealed(tmp_path / "b")
    path = folder / "manifest.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    sum_again(folder)
    checked = verify(folder)
    assert first(checked) == ("manifest.json", "damaged")
    assert checked.differences[0].message == f"manifest.json is damaged: {reason}"


def test_a_manifest_of_endless_depth(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    (folder / "manifest.json").write_text("[" * 200_000)
    sum_again(folder)
    assert first(verify(folder)) == ("manifest.json", "damaged")


def test_the_manifest_disagrees_with_sums_that_were_made_again(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    (folder / "empty").write_bytes(b"x")
    (folder / "more").touch()
    (folder / "model.onnx").unlink()
    sum_again(folder)
    checked = verify(folder)
    assert [(item.path, item.kind) for item in checked.differences] == [
        ("empty", "changed"),
        ("model.onnx", "missing"),
        ("more", "extra"),
    ]
    assert checked.differences[0].message == (
        f"empty differs: it has 1 bytes with SHA-256 {hashlib.sha256(b'x').hexdigest()}; "
        f"manifest.json says 0 bytes, {hashlib.sha256().hexdigest()}"
    )
    assert checked.differences[2].message == "more is extra: manifest.json does not list it"


def test_folders_in_folders_without_end(tmp_path: Path) -> None:
    folder = sealed(tmp_path / "b")
    # Deeper than Python calls itself, and longer than a path may be.
    program = "import os\nfor _ in range(2500): os.mkdir('d'); os.chdir('d')\nopen('file', 'w').close()"
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
    try:
        checked = verify(folder)
        assert [(item.kind, item.path[:4]) for item in checked.differences] == [("unusual", "d/d/")]
        assert checked.differences[0].message.endswith("d/d cannot be read: File name too long")
    finally:
        subprocess.run(["rm", "-rf", folder / "d"], check=True)


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sealed(tmp_path / "b")
    scandir, opened = os.scandir, os.open
    closed = folder / "engine"

    def refuse(path: Any, *arguments: Any) -> Any:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied")
        return (opened if arguments else scandir)(path, *arguments)

    monkeypatch.setattr(os, "scandir", refuse)
    monkeypatch.setattr(os, "open", refuse)
    messages = [item.message for item in verify(folder).differences]
    assert messages == ["engine cannot be read: Permission denied", "engine/onnxlet.wasm is missing"]


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="missing is not a folder"):
        verify(tmp_path / "missing")


# ---- signatures ----


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def owner(home: Path) -> KeyPair:
    return key_pair(home, "owner")


@pytest.fixture(scope="module")
def issuer(home: Path) -> Authority:
    return authority(home / "trusted")


@pytest.fixture
def signed(tmp_path: Path, owner: KeyPair) -> Path:
    return sealed(tmp_path / "signed", signing_key=owner.private)


def certified(folder: Path, owner: KeyPair, issuer: Authority, name: str, **options: Any) -> Path:
    certificate = issuer.certify(owner, name, **options)
    return sealed(folder, signing_key=owner.private, certificate=certificate, chain=[issuer.chain])


def judged(folder: Path, trust: Trust) -> tuple[str, str]:
    checked = verify(folder, trust)
    assert checked.ok == (checked.signature.state == "valid" and not checked.differences)
    return checked.signature.state, checked.signature.message


@pytest.mark.parametrize("curve", [ec.SECP256R1(), ec.SECP384R1(), ec.SECP521R1()], ids=lambda curve: curve.name)
def test_signed_with_a_key(tmp_path: Path, curve: ec.EllipticCurve) -> None:
    pair = key_pair(tmp_path, "key", curve)
    folder = sealed(tmp_path / "b", signing_key=pair.private)
    digest = hashlib.sha256(pair.public.read_bytes()).hexdigest()
    assert judged(folder, Trust(pair.public)) == ("valid", f"signed by the key with SHA-256 {digest}")
    unchecked = verify(folder)
    assert unchecked.ok and unchecked.signature.state == "unchecked"


def test_signing_twice_gives_the_same_bytes(tmp_path: Path, owner: KeyPair) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.bundle.small import sealed; "
        "sealed(Path(sys.argv[1]), signing_key=Path(sys.argv[2]))"
    )
    for name in "ab":  # processes of their own: hashes, and with them orders, differ between them
        command = [sys.executable, "-c", program, str(tmp_path / name), str(owner.private)]
        subprocess.run(command, cwd=ROOT, check=True)
    for name in names(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_a_wrong_key(signed: Path, home: Path, owner: KeyPair) -> None:
    other = key_pair(home, "other")
    expected, found = (hashlib.sha256(pair.public.read_bytes()).hexdigest() for pair in (other, owner))
    assert judged(signed, Trust(other.public)) == (
        "wrong key",
        f"model.sig was made with another key: one whose SHA-256 is {found}, not {expected}",
    )


def test_signed_with_a_certificate(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    folder = certified(tmp_path / "b", owner, issuer, "signer")
    assert judged(folder, Trust(roots=(issuer.root,))) == ("valid", "signed by CN=signer")
    assert judged(folder, Trust(owner.public)) == (
        "wrong key",
        "model.sig was made with a certificate: that takes a root certificate to check",
    )


def test_an_expired_certificate(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    folder = certified(tmp_path / "b", owner, issuer, "late", years=(-1, -0.5))
    day = (datetime.now(UTC) - 0.5 * timedelta(days=365)).date()
    assert judged(folder, Trust(roots=(issuer.root,))) == ("expired", f"the certificate of CN=late expired on {day}")


def test_a_certificate_before_its_time(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    folder = certified(tmp_path / "b", owner, issuer, "early", years=(0.5, 1))
    day = (datetime.now(UTC) + 0.5 * timedelta(days=365)).date()
    assert judged(folder, Trust(roots=(issuer.root,))) == (
        "expired",
        f"the certificate of CN=early is not valid before {day}",
    )


def test_an_untrusted_certificate(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    stranger = authority(tmp_path / "stranger")
    folder = certified(tmp_path / "b", owner, stranger, "unknown")
    assert judged(folder, Trust(roots=(issuer.root,))) == (
        "untrusted",
        "the certificate in model.sig is not trusted: unable to get local issuer certificate",
    )


def test_a_certificate_that_is_not_for_signing(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    folder = certified(tmp_path / "b", owner, issuer, "reader", signs=False)
    assert judged(folder, Trust(roots=(issuer.root,))) == (
        "untrusted",
        "the certificate in model.sig is not one for signing",
    )


def test_a_key_where_a_certificate_is_wanted(signed: Path, issuer: Authority) -> None:
    assert judged(signed, Trust(roots=(issuer.root,))) == (
        "untrusted",
        "model.sig was made with a key, and without a certificate",
    )


@pytest.mark.parametrize("method", ["key", "certificate"])
def test_a_signature_that_is_cut_short(tmp_path: Path, owner: KeyPair, issuer: Authority, method: str) -> None:
    if method == "key":
        folder, trust = sealed(tmp_path / "b", signing_key=owner.private), Trust(owner.public)
    else:
        folder, trust = certified(tmp_path / "b", owner, issuer, "cut"), Trust(roots=(issuer.root,))
    whole = (folder / "model.sig").read_bytes()
    for size in [0, 1, *range(7, len(whole) - 2, len(whole) // 20)]:
        (folder / "model.sig").write_bytes(whole[:size])
        assert judged(folder, trust) == (
            "damaged",
            "model.sig is damaged or cut short: it is not a signature in Sigstore's format",
        )
    bundle = json.loads(whole)
    (entry,) = bundle["dsseEnvelope"]["signatures"]
    raw = base64.b64decode(entry["sig"])
    for shorter in (b"", raw[:4], raw[:-1], raw[:-20]):
        entry["sig"] = base64.b64encode(shorter).decode()
        (folder / "model.sig").write_text(json.dumps(bundle))
        sum_again(folder)
        state, message = judged(folder, trust)
        assert state == "damaged" and message == "model.sig is damaged: the signature is not one of what it says"


def test_every_byte_of_a_signature_counts(signed: Path, owner: KeyPair) -> None:
    whole = (signed / "model.sig").read_bytes()
    for position in range(0, len(whole), 61):
        (signed / "model.sig").write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        checked = verify(signed, Trust(owner.public))
        assert [item.path for item in checked.differences] == ["model.sig"]


def test_a_signature_of_something_else(signed: Path, owner: KeyPair) -> None:
    path = signed / "model.sig"
    bundle = json.loads(path.read_text())
    for change in (
        lambda b: b.pop("verificationMaterial"),
        lambda b: b.update(verificationMaterial={}),
        lambda b: b.update(mediaType="text/plain"),
        lambda b: b["dsseEnvelope"].update(payload="e30="),
        lambda b: b["dsseEnvelope"].update(signatures=[]),
        lambda b: b["dsseEnvelope"].update(signatures=7),
    ):
        changed = json.loads(json.dumps(bundle))
        change(changed)
        path.write_text(json.dumps(changed))
        state, message = judged(signed, Trust(owner.public))
        assert state == "damaged" and message.startswith("model.sig is damaged"), message


def test_a_signature_without_a_key(signed: Path, owner: KeyPair, issuer: Authority) -> None:
    path = signed / "model.sig"
    bundle = json.loads(path.read_text())
    bundle["verificationMaterial"] = {"certificate": {"rawBytes": "e30="}, "tlogEntries": []}
    path.write_text(json.dumps(bundle))
    for trust in (Trust(owner.public), Trust(roots=(issuer.root,))):
        assert judged(signed, trust) == (
            "untrusted",
            "model.sig was made without a key of one's own, which nobody can check offline",
        )


def test_a_good_signature_does_not_cover_what_came_later(signed: Path, owner: KeyPair) -> None:
    def after(change: Callable[[], object]) -> tuple[str, str]:
        change()
        sum_again(signed)
        return judged(signed, Trust(owner.public))

    (signed / ".git").mkdir()
    good = "the signature is good, and"
    assert after((signed / ".git" / "hook").touch) == ("other files", f"{good} does not cover .git/hook")
    (signed / ".git" / "hook").unlink()
    changed = after(lambda: (signed / "empty").write_bytes(b"x"))
    assert changed == ("other files", f"{good} empty is not what was signed")
    assert after((signed / "empty").unlink) == ("other files", f"{good} covers empty, which is missing")
    assert after((signed / "empty").touch)[0] == "valid"


def test_a_signature_that_was_wanted_and_is_not_there(tmp_path: Path, owner: KeyPair) -> None:
    folder = sealed(tmp_path / "b")
    assert judged(folder, Trust(owner.public)) == ("missing", "the bundle is not signed: model.sig is missing")


def test_no_link_is_followed_for_a_signature(signed: Path, owner: KeyPair) -> None:
    (signed / "empty").unlink()
    (signed / "empty").symlink_to("/dev/null")
    assert judged(signed, Trust(owner.public)) == ("other files", "the signature was not checked: empty is a link")


def test_keys_that_cannot_be_used(tmp_path: Path, signed: Path, owner: KeyPair, issuer: Authority) -> None:
    key = rsa.generate_private_key(65537, 2048)
    (tmp_path / "rsa").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (tmp_path / "rsa.pub").write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    (tmp_path / "locked").write_bytes(
        owner.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    )
    for name, message in (
        ("missing", "missing cannot be read: No such file or directory"),
        ("rsa", "rsa cannot sign: it takes one on the curve P-256, P-384 or P-521"),
        ("rsa.pub", "rsa.pub is not a private key in PEM"),
        ("locked", "locked has a password, which cannot be given here"),
    ):
        with pytest.raises(BundleError, match=f"{message}$"):
            sealed(tmp_path / f"with {name}", signing_key=tmp_path / name)
    other = key_pair(tmp_path, "other")
    certificate = issuer.certify(other, "other")
    with pytest.raises(BundleError, match="cannot be used: The public key from the certificate does not match"):
        sealed(tmp_path / "c", signing_key=owner.private, certificate=certificate)
    with pytest.raises(BundleError, match=r"the certificate .*/missing does not exist"):
        sealed(tmp_path / "d", signing_key=owner.private, certificate=tmp_path / "missing")
    for trust, message in (
        (Trust(tmp_path / "missing"), "missing does not exist"),
        (Trust(tmp_path / "rsa.pub"), r"rsa\.pub: not a public key on the curve P-256, P-384 or P-521 in PEM"),
        (Trust(owner.private), r"owner\.pem: not a public key on the curve P-256, P-384 or P-521 in PEM"),
        (Trust(roots=(owner.public,)), r"owner\.pub\.pem: not certificates in PEM"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            verify(signed, trust)


# ---- the model_signing command ----


def model_signing(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "model_signing", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_command_accepts_our_signatures(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    folder = sealed(tmp_path / "a", signing_key=owner.private)
    done = model_signing("verify", "key", folder, "--signature", folder / "model.sig", "--public_key", owner.public)
    assert done.returncode == 0, done.stderr
    folder = certified(tmp_path / "b", owner, issuer, "command")
    done = model_signing(
        "verify", "certificate", folder, "--signature", folder / "model.sig", "--certificate_chain", issuer.root
    )
    assert done.returncode == 0, done.stderr


def test_we_accept_the_commands_signatures(tmp_path: Path, owner: KeyPair, issuer: Authority) -> None:
    folder = sealed(tmp_path / "a")
    common = [folder, "--signature", folder / "model.sig", "--ignore-paths", folder / "SHA256SUMS"]
    done = model_signing("sign", "key", *common, "--private_key", owner.private)
    assert done.returncode == 0, done.stderr
    sum_again(folder)
    assert judged(folder, Trust(owner.public))[0] == "valid"
    certificate = issuer.certify(owner, "theirs")
    done = model_signing(
        "sign",
        "certificate",
        *common,
        *("--private_key", owner.private),
        *("--signing_certificate", certificate),
        *("--certificate_chain", issuer.chain),
    )
    assert done.returncode == 0, done.stderr
    sum_again(folder)
    assert judged(folder, Trust(roots=(issuer.root,))) == ("valid", "signed by CN=theirs")


# ---- the command ----


def onnxlet(*arguments: object, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [*prefix, sys.executable, "-m", "onnxlet", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)


def test_the_verify_command_needs_no_network(signed: Path, owner: KeyPair) -> None:
    prefix = ("unshare", "--user", "--net") if network_can_be_cut() else ()
    done = onnxlet("verify", signed, "--key", owner.public, "--json", prefix=prefix)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == verify(signed, Trust(owner.public)).document()


def network_can_be_cut() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True).returncode == 0


def test_the_verify_command(signed: Path, owner: KeyPair, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(folder: Path, key: Path | None = None, *roots: Path) -> int:
        return verify_command(folder, key, roots, as_json=False)

    assert run(signed) == 0
    out = capsys.readouterr().out
    assert f"{signed} is what it was: 8 files, " in out
    assert "model.sig was not checked: that takes a public key, or a root certificate" in out
    other = key_pair(home, "another").public
    assert run(signed, other) == 3
    assert "model.sig was made with another key" in capsys.readouterr().out
    (signed / "engine" / "onnxlet.wasm").unlink()
    assert run(signed, owner.public) == 3
    out = capsys.readouterr().out
    assert out.startswith("engine/onnxlet.wasm is missing\n")
    assert "the signature is good, and covers engine/onnxlet.wasm, which is missing" in out
    assert f"{signed} is not what it was" in out
    for arguments, message in (
        ((signed / "model.onnx",), "model.onnx is not a folder"),
        ((signed, signed / "key"), "key does not exist"),
        ((signed, owner.public, owner.public), "--key and --certificate-chain are two ways"),
    ):
        assert run(*arguments) == 2
        assert message in capsys.readouterr().err


def test_the_bundle_command_refuses_what_does_not_go_together(tmp_path: Path) -> None:
    model, output = tmp_path / "m.onnx", tmp_path / "out"
    for options, message in (
        (["--certificate", "c.pem"], "--certificate goes with --sign, the key that it is for"),
        (["--sign", "k.pem", "--chain", "c.pem"], "--chain goes with --certificate, which it leads to"),
        (["--ops", "some"], "--ops takes trimmed or full; 'some' given"),
    ):
        done = CliRunner().invoke(app, ["bundle", str(model), "-o", str(output), *options])
        assert done.exit_code == 2 and message in done.stderr


def test_the_key_command(tmp_path: Path) -> None:
    path = tmp_path / "model.key"
    assert CliRunner().invoke(app, ["key", str(path)]).exit_code == 0
    assert len(read_key(path)) == 32
    again = CliRunner().invoke(app, ["key", str(path)])
    assert again.exit_code == 1 and "exists; a key that is lost is lost for good" in again.stderr
