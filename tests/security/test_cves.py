"""What once made others read files, crash or hang: an error of its own kind in Python and in Node."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

import onnxlet
from tests.security import cves
from tests.support.hosts import Host, JavaScriptHost
from tests.support.paths import ROOT

ATTACKS = list(cves.attacks())
IDS = [f"{attack.cve}-{attack.name}" for attack in ATTACKS]


def harmless(code: str, message: str, codes: tuple[str, ...]) -> None:
    assert code in codes, f"{code}: {message}"
    assert len(message) > 20
    assert "secret!!" not in message and "root:" not in message


@pytest.mark.parametrize("attack", ATTACKS, ids=IDS)
def test_python_refuses(attack: cves.Attack, tmp_path: Path) -> None:
    path = attack.make(tmp_path)
    with pytest.raises(onnxlet.Error) as caught:
        onnxlet.InferenceSession(path)
    harmless(caught.value.code, str(caught.value), attack.codes)


def test_node_refuses(tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    host = get_host("node")
    assert isinstance(host, JavaScriptHost)
    jobs = []
    for name, attack in zip(IDS, ATTACKS, strict=True):
        folder = tmp_path / name.replace(" ", "_")
        folder.mkdir()
        jobs.append({"id": name, "model": str(attack.make(folder)), "threads": 1, "inputs": []})
    for attack, result in zip(ATTACKS, host.run_jobs(jobs), strict=True):
        assert not result["ok"], result
        harmless(result["error"]["code"], result["error"]["message"], attack.codes)


def test_a_pipe_is_not_waited_for(tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    path = cves.fifo(tmp_path)
    with pytest.raises(onnxlet.InvalidGraph, match="is not a regular file"):
        onnxlet.InferenceSession(path)
    host = get_host("node")
    assert isinstance(host, JavaScriptHost)
    (result,) = host.run_jobs([{"id": "pipe", "model": str(path), "threads": 1, "inputs": []}])
    assert (result["error"]["code"], "is not a regular file" in result["error"]["message"]) == ("INVALID_GRAPH", True)


def test_data_beside_the_model_are_read(tmp_path: Path, get_host: Callable[[str], Host]) -> None:
    """The attacks fail because of what they are: the same models with a good location give their data."""
    host = get_host("node")
    assert isinstance(host, JavaScriptHost)
    jobs = []
    for place, make in cves.PLACES.items():
        folder = tmp_path / place
        folder.mkdir()
        path = cves.write(folder, make("nested/data.bin"))
        (path.parent / "nested" / "data.bin").write_bytes(cves.SECRET)
        (y,) = onnxlet.InferenceSession(path).run(None, {})
        assert y.tobytes() == cves.SECRET, place
        jobs.append({"id": place, "model": str(path), "threads": 1, "inputs": []})
    assert [result["ok"] for result in host.run_jobs(jobs)] == [True] * len(jobs)


def test_packing_writes_nothing_outside(tmp_path: Path) -> None:
    """CVE-2025-51480: what writes a model must not follow its locations either."""
    from onnxlet.packing import pack

    path = cves.write(tmp_path, cves.in_initializer(cves.external("../secret.bin")))
    with pytest.raises((onnxlet.Error, onnx.checker.ValidationError)):
        pack(path, scheme="fp16", output=tmp_path / "model" / "packed.onnx")
    assert (tmp_path / "secret.bin").read_bytes() == cves.SECRET


def test_the_table_of_the_documentation_names_them() -> None:
    rows = json.loads((ROOT / "docs" / "reliability" / "cves.json").read_text())
    tested = {attack.cve for attack in ATTACKS} | {"CVE-2025-51480"}
    assert {row["id"] for row in rows if row["tests"]} == tested
    for row in rows:
        assert row["what"] and row["here"]
        assert row["tests"] == sum(attack.cve == row["id"] for attack in ATTACKS) or row["id"] == "CVE-2025-51480"
