"""Known vulnerabilities of other packages that read ONNX, as models; docs/reliability/cves.json says what they were."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

SECRET = b"secret!!" * 4
"""The file that no model may show: 8 floats, beside the model's folder."""
SIZE = len(SECRET) // 4


@dataclass(frozen=True)
class Attack:
    """`make` writes a model into a folder and gives its path; loading it must end in one of `codes`, without the secret."""

    cve: str
    name: str
    make: Callable[[Path], Path]
    codes: tuple[str, ...]


def external(location: str, name: str = "w", dims: tuple[int, ...] = (SIZE,), **entries: str) -> onnx.TensorProto:
    """A float tensor whose data are elsewhere."""
    tensor = onnx.TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def _sparse(location: str) -> onnx.SparseTensorProto:
    indices = helper.make_tensor("w_indices", TensorProto.INT64, [SIZE], list(range(SIZE)))
    return helper.make_sparse_tensor(external(location), indices, [SIZE])


def _model(nodes: list[onnx.NodeProto], **graph: Any) -> onnx.ModelProto:
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [SIZE])
    whole = helper.make_graph(nodes, "g", [], [y], **graph)
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def in_initializer(tensor: onnx.TensorProto) -> onnx.ModelProto:
    return _model([helper.make_node("Identity", ["w"], ["y"])], initializer=[tensor])


def in_constant(tensor: onnx.TensorProto) -> onnx.ModelProto:
    return _model([helper.make_node("Constant", [], ["y"], value=tensor)])


def in_subgraph(tensor: onnx.TensorProto) -> onnx.ModelProto:
    y = helper.make_tensor_value_info("z", TensorProto.FLOAT, [SIZE])
    branch = helper.make_graph([helper.make_node("Identity", ["w"], ["z"])], "b", [], [y], initializer=[tensor])
    yes = helper.make_tensor("yes", TensorProto.BOOL, [], [True])
    node = helper.make_node("If", ["yes"], ["y"], then_branch=branch, else_branch=branch)
    return _model([node], initializer=[yes])


def in_function(tensor: onnx.TensorProto) -> onnx.ModelProto:
    opset = helper.make_opsetid("", 17)
    body = [helper.make_node("Constant", [], ["y"], value=tensor)]
    made = _model([helper.make_node("Own", [], ["y"], domain="own")])
    made.functions.append(helper.make_function("own", "Own", [], ["y"], body, [opset]))
    made.opset_import.append(helper.make_opsetid("own", 1))
    return made


def in_sparse_initializer(location: str) -> onnx.ModelProto:
    made = _model([helper.make_node("Identity", ["w"], ["y"])])
    made.graph.sparse_initializer.append(_sparse(location))
    return made


def in_sparse_constant(location: str) -> onnx.ModelProto:
    return _model([helper.make_node("Constant", [], ["y"], sparse_value=_sparse(location))])


PLACES: dict[str, Callable[[str], onnx.ModelProto]] = {
    "initializer": lambda location: in_initializer(external(location)),
    "constant": lambda location: in_constant(external(location)),
    "subgraph": lambda location: in_subgraph(external(location)),
    "function": lambda location: in_function(external(location)),
    "sparse_initializer": in_sparse_initializer,
    "sparse_constant": in_sparse_constant,
}


def write(folder: Path, model: onnx.ModelProto) -> Path:
    """The model's folder, with links out of it, beside the secret."""
    (folder / "secret.bin").write_bytes(SECRET)
    home = folder / "model"
    (home / "nested").mkdir(parents=True)
    (home / "link.bin").symlink_to(folder / "secret.bin")
    (home / "linked").symlink_to(folder)
    (home / "model.onnx").write_bytes(model.SerializeToString())
    return home / "model.onnx"


LOCATIONS = {
    "CVE-2022-25882": {"parent": "../secret.bin", "passwd": "../../../../../../../../etc/passwd"},
    "CVE-2024-27318": {
        "nested": "nested/../../secret.bin",
        "missing": "junk/../../secret.bin",
        "dots": "..//secret.bin",
    },
    "CVE-2026-27489": {"link": "link.bin"},
    "CVE-2026-34447": {"linked_folder": "linked/secret.bin"},
    "absolute paths": {"absolute": "/etc/passwd", "file_url": "file:///etc/passwd", "encoded": "%2e%2e/secret.bin"},
}


def _of_a_location(cve: str, name: str, location: str, place: str) -> Attack:
    def make(folder: Path) -> Path:
        return write(folder, PLACES[place](location))

    return Attack(cve, f"{name}-{place}", make, ("INVALID_GRAPH", "NO_SUCH_FILE"))


def _injected(name: str, codes: tuple[str, ...], dims: tuple[int, ...] = (SIZE,), **entries: str) -> Attack:
    def make(folder: Path) -> Path:
        path = write(folder, in_initializer(external("data.bin", dims=dims, **entries)))
        (path.parent / "data.bin").write_bytes(bytes(4 * SIZE))
        return path

    return Attack("CVE-2026-34445", name, make, codes)


def _unterminated(folder: Path) -> Path:
    """Raw data of a text that ends without a NUL, and strings whose lengths are not what they say."""
    tensor = onnx.TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[SIZE], raw_data=SECRET[:-1])
    return write(folder, in_initializer(tensor))


def attacks() -> Iterator[Attack]:
    """All of them; the ones by location with every place of a model that has tensors."""
    for cve, locations in LOCATIONS.items():
        for name, location in locations.items():
            for place in PLACES:
                yield _of_a_location(cve, name, location, place)
    refused = ("INVALID_PROTOBUF", "INVALID_GRAPH", "OUT_OF_MEMORY")
    yield _injected("length", refused, length=str(1 << 62))
    yield _injected("offset", refused, offset=str((1 << 63) - 4))
    yield _injected("negative", refused, offset="-1")
    yield _injected("no_number", refused, length="0x7fffffff__class__")
    yield _injected("dims", refused, dims=(1 << 31, 1 << 31))
    yield Attack("CVE-2024-27319", "short_raw_data", _unterminated, ("INVALID_PROTOBUF", "INVALID_GRAPH"))


def fifo(folder: Path) -> Path:
    """A model whose data are a pipe that nobody writes to."""
    path = write(folder, in_initializer(external("pipe")))
    os.mkfifo(path.parent / "pipe")
    return path
