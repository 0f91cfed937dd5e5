"""What onnxruntime offers is here, or is listed with the reason why not."""

from __future__ import annotations

import importlib
import inspect
import logging
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as theirs

import onnxlet
from onnxlet import environment, missing

from . import models
from .conftest import MakeSession

CLASSES = ("InferenceSession", "OrtValue", "IOBinding", "SessionOptions", "RunOptions", "NodeArg", "ModelMetadata")
OTHERS = ("OrtDevice", "SessionIOBinding")


def public(owner: Any) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


def names_here(name: str) -> set[str]:
    kind = getattr(onnxlet, name)
    return public(kind) | set(getattr(kind, "_defaults", ())) | set(getattr(kind, "__dataclass_fields__", ()))


@pytest.mark.parametrize("name", [*CLASSES, *OTHERS])
def test_every_public_name_of_a_class_is_here_or_explained(name: str) -> None:
    wanted = public(getattr(onnxruntime, name))
    explained = set(missing.CLASSES.get(name, {}))
    assert wanted - names_here(name) == explained & wanted
    assert not explained - wanted, "explained, but not a name of onnxruntime"
    assert not explained & names_here(name), "explained and there"


def parameters(owner: Any, method: str) -> list[inspect.Parameter]:
    found = inspect.signature(getattr(owner, method)).parameters.values()
    return [parameter for parameter in found if parameter.kind not in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY)]


@pytest.mark.parametrize("name", ["InferenceSession", "OrtValue", "IOBinding", "OrtDevice"])
def test_methods_take_the_same_arguments(name: str) -> None:
    ours, theirs = getattr(onnxlet, name), getattr(onnxruntime, name)
    for method in sorted(public(ours) & public(theirs)):
        wanted, given = parameters(theirs, method), parameters(ours, method)
        assert [p.name for p in given[: len(wanted)]] == [p.name for p in wanted], method
        for theirs_one, our_one in zip(wanted, given, strict=False):
            assert theirs_one.default is theirs_one.empty or our_one.default is not our_one.empty, method
    assert [p.name for p in parameters(onnxlet.InferenceSession, "__init__")] == [
        p.name for p in parameters(onnxruntime.InferenceSession, "__init__")
    ]


def test_every_public_name_of_the_module_is_here_or_explained() -> None:
    wanted, explained = public(onnxruntime), set(missing.MODULE)
    here = set(dir(onnxlet))
    assert wanted - here == explained
    assert not explained & here
    for name in wanted & here:
        assert getattr(onnxlet, name) is not None


def test_a_name_that_is_not_here_says_why(make_session: MakeSession) -> None:
    for owner, names in {"onnxlet": missing.MODULE, **missing.CLASSES}.items():
        holder: Any = {
            "onnxlet": lambda: onnxlet,
            "InferenceSession": lambda: make_session(models.add()),
            "OrtValue": lambda: onnxlet.OrtValue.ortvalue_from_numpy(np.zeros(1)),
        }.get(owner, lambda owner=owner: getattr(onnxlet, owner)())()
        for name, reason in names.items():
            with pytest.raises(AttributeError, match=re.escape(f"{owner} has no attribute {name!r}: {reason}")):
                getattr(holder, name)
            assert not hasattr(holder, name)
        with pytest.raises(AttributeError, match=rf"{owner} has no attribute 'noname'$"):
            _ = holder.noname


def test_the_exceptions_are_where_programs_look_for_them() -> None:
    kinds = [name for name in public(theirs) if isinstance(getattr(theirs, name), type)]
    kinds = [name for name in kinds if issubclass(getattr(theirs, name), Exception)]
    assert "InvalidArgument" in kinds
    ours: Any = onnxlet.capi.onnxruntime_pybind11_state
    for name in kinds:
        assert issubclass(getattr(ours, name), onnxlet.Error), name
    with pytest.raises(ours.InvalidProtobuf):
        onnxlet.InferenceSession(b"\x08")
    assert ours.InvalidArgument is onnxlet.InvalidArgument
    assert ours.SessionIOBinding is onnxlet.IOBinding


@pytest.mark.parametrize("module", ["_pybind_state", "onnxruntime_inference_collection"])
def test_other_modules_that_programs_import_from(module: str) -> None:
    ours: Any = importlib.import_module(f"onnxlet.capi.{module}")
    reference = importlib.import_module(f"onnxruntime.capi.{module}")
    for name in ours.__all__:
        assert hasattr(reference, name), name
        assert getattr(ours, name) is getattr(onnxlet, name, getattr(ours, name))
    assert {"InferenceSession", "OrtValue", "OrtDevice"} <= set(ours.__all__)


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    found = logging.getLogger("onnxlet")
    level = found.level
    yield found
    found.setLevel(level)


def test_severities_are_levels_of_logging(logger: logging.Logger) -> None:
    onnxlet.set_default_logger_severity(0)
    assert logger.level == logging.DEBUG
    onnxlet.set_default_logger_severity(3)
    assert logger.level == logging.ERROR
    onnxlet.set_default_logger_verbosity(1)
    with pytest.raises(onnxlet.InvalidArgument, match="0 \\(verbose\\) to 4 \\(fatal\\); 9 given"):
        onnxlet.set_default_logger_severity(9)


def test_functions_of_the_module() -> None:
    assert onnxlet.get_version_string() == onnxlet.__version__
    assert onnxlet.__version__ in onnxlet.get_build_info()
    assert onnxlet.get_device() == onnxruntime.get_device()
    assert onnxlet.get_available_providers() == onnxlet.get_all_providers() == ["wasm", "CPUExecutionProvider"]
    assert onnxlet.has_collective_ops() is False
    for function in (onnxlet.enable_telemetry_events, onnxlet.disable_telemetry_events, onnxlet.preload_dlls):
        function()
    for module in (onnxlet, onnxruntime):
        device = module.OrtDevice.make("cpu", 0)
        assert (device.device_type(), device.device_id(), device.device_mem_type(), device.device_vendor_id()) == (
            0,
        ) * 4
    with pytest.raises(onnxlet.InvalidArgument, match="no device 'cuda'"):
        onnxlet.OrtDevice.make("cuda", 0)


def test_the_seed_of_the_process_is_the_default(make_session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_seed", None)
    node = helper.make_node("RandomNormal", [], ["y"], shape=[4])
    made = models.model([node], [], [models.tensor("y", TensorProto.FLOAT, [4])])

    def drawn(options: onnxlet.SessionOptions | None = None) -> list[float]:
        values: list[float] = make_session(made, options).run(None, {})[0].tolist()
        return values

    onnxlet.set_seed(5)
    first = drawn()
    assert drawn() == first
    options = onnxlet.SessionOptions()
    options.add_session_config_entry("onnxlet.seed", "6")
    assert drawn(options) != first
    onnxlet.set_seed(6)
    assert drawn() == drawn(options)


def test_methods_without_an_effect_are_taken(make_session: MakeSession) -> None:
    session = make_session(models.add())
    session.set_providers(["CPUExecutionProvider"])
    assert session.get_providers() == ["CPUExecutionProvider"]
    session.enable_fallback()
    session.disable_fallback()
