from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

import onnxlet
from onnxlet.errors import InvalidArgument, NoSuchFile
from onnxlet.packing.calibrate import Columns, Histogram, Interval, Range, interval, observe
from onnxlet.packing.data import Samples, read_samples
from onnxlet.packing.rewrite.static import parameters

from . import graphs


def samples_of(data: Any, model: Any = None, limit: int = 0) -> Samples:
    with onnxlet.InferenceSession((model or graphs.cnn()).SerializeToString()) as session:
        return read_samples(data, session.get_inputs(), limit, seed=0)


# ---- data


def test_every_kind_of_data_gives_the_same_samples(tmp_path: Any) -> None:
    images, labels = graphs.images(3)["image"], np.array([4, 2, 0])
    for i in range(3):
        np.savez(tmp_path / f"{i}.npz", image=images[i : i + 1], label=labels[i : i + 1])
    np.savez(tmp_path.with_suffix(".npz"), image=images, label=labels)
    one_by_one = [{"image": images[i : i + 1], "label": labels[i : i + 1]} for i in range(3)]
    kinds = [
        tmp_path,
        str(tmp_path.with_suffix(".npz")),
        {"image": images, "label": labels},
        one_by_one,
        lambda: iter(one_by_one),
    ]
    for kind in kinds:
        found = samples_of(kind)
        assert [s.targets["label"].tolist() for s in found] == [[4], [2], [0]]
        assert all((s.feeds["image"] == images[i : i + 1]).all() for i, s in enumerate(found))
        assert found.digest() == samples_of(one_by_one).digest() and not found.synthetic
    assert len(samples_of(tmp_path, limit=2)) == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([{"picture": np.zeros((1, 3, 12, 12))}], "sample 0 of the data lacks the input 'image'; it has picture"),
        ([], "the data has no samples"),
        ({"image": np.zeros((2, 3, 4, 4)), "label": np.zeros(3)}, "arrays of data have one first axis, the samples; these have {'image': 2, 'label': 3}"),
        ([1, 2], "a sample is a mapping from names to arrays; int given"),
        (5, "data is a folder, arrays by name, or mappings of them; int given"),
    ],
)  # fmt: skip
def test_wrong_data(data: Any, words: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        samples_of(data)
    assert str(error.value) == words


def test_wrong_files(tmp_path: Any) -> None:
    with pytest.raises(NoSuchFile, match=r"the data '.*nowhere' does not exist"):
        samples_of(tmp_path / "nowhere")
    with pytest.raises(InvalidArgument, match=r"has no .npz files"):
        samples_of(tmp_path)
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 damaged")
    with pytest.raises(InvalidArgument, match=r"a.npz' is not a readable .npz file"):
        samples_of(tmp_path)


def test_without_data_inputs_are_made_up_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="no data was given: accuracy is judged on random inputs"):
        found = samples_of(None, graphs.tied())
    assert found.synthetic and len(found) == 8
    assert found[0].feeds["ids"].shape == (1, 8) and set(np.unique(found[0].feeds["ids"])) <= {0, 1}
    with pytest.warns(UserWarning):
        assert samples_of(None, graphs.tied()).digest() == found.digest()


# ---- observing


def test_values_inside_the_model_are_seen() -> None:
    model, images = graphs.cnn(), graphs.images(4)
    observers = {"image": [Range()], "r0": [Range()], "p": [Histogram()], "y": [Range()]}
    stages = []
    observe(ir.from_proto(model), samples_of(images), observers, lambda *told: stages.append(told))  # type: ignore[arg-type]
    for output in ("r0", "p", "y"):
        values = _value(model, output, images)
        assert observers[output][0].least == pytest.approx(values.min(), rel=1e-5, abs=1e-6)
        assert observers[output][0].most == pytest.approx(values.max(), rel=1e-5, abs=1e-6)
    assert observers["image"][0].most == images["image"].max()
    assert stages == [("calibrating", 3, 3)]


def _value(model: Any, name: str, feeds: dict[str, np.ndarray]) -> np.ndarray:
    from onnx.reference import ReferenceEvaluator

    changed = type(model).FromString(model.SerializeToString())
    del changed.graph.output[:]
    changed.graph.output.add().name = name
    return np.asarray(ReferenceEvaluator(changed).run(None, feeds)[0])


def test_a_model_is_as_it_was_after_it_was_observed() -> None:
    model = ir.from_proto(graphs.cnn())
    before = ir.to_proto(model).SerializeToString()
    observe(model, samples_of(graphs.images(1)), {"r0": [Range()]})
    assert ir.to_proto(model).SerializeToString() == before


def test_many_values_are_observed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onnxlet.packing.calibrate._FIRST_CHUNK", 2)
    monkeypatch.setattr("onnxlet.packing.calibrate._BUDGET", 100_000)
    names = ["c0", "r0", "c1", "r1", "a", "p", "f"]
    observers = {name: [Range()] for name in names}
    told = []
    observe(ir.from_proto(graphs.cnn()), samples_of(graphs.images(2)), observers, lambda *t: told.append(t[1]))  # type: ignore[arg-type]
    assert told == [2, 4, 6, 7]  # c0 and r0 have 36,864 bytes each
    assert all(o[0].least <= o[0].most for o in observers.values())


def test_columns() -> None:
    x = np.array([[[1, -2], [3, 4]]], np.float32)
    observer = Columns(moments=True)
    observer.update(x)
    observer.update(x)
    found = observer.statistics()
    assert found.count == 4 and found.largest is not None and found.second_moment is not None
    assert found.largest.tolist() == [3, 4]
    assert found.second_moment.tolist() == [[5, 5], [5, 10]]
    assert found.importance().tolist() == [5, 10]  # type: ignore[union-attr]


# ---- histograms


def test_a_histogram_does_not_depend_on_the_order_of_growth() -> None:
    rng = np.random.default_rng(0)
    small, large = rng.normal(0, 0.1, 1000), rng.normal(0, 10, 1000)
    found = []
    for order in ((small, large), (large, small)):
        h = Histogram()
        for values in order:
            h.update(values)
        found.append(h)
    assert (found[0].counts == found[1].counts).all() and found[0].counts.sum() == 2000
    assert found[0].reach == found[1].reach == 2 ** np.ceil(np.log2(np.abs(large).max())) and found[0].least == min(
        small.min(), large.min()
    )


def test_infinities_and_nan_are_left_out() -> None:
    h = Histogram()
    h.update(np.array([1, np.nan, -np.inf, np.inf, 3], np.float32))
    assert (h.least, h.most, h.counts.sum()) == (1, 3, 2)


def test_intervals_hold_zero() -> None:
    h = Histogram()
    h.update(np.array([3.0, 5.0]))
    assert interval(h, "min-max", 0) == Interval(0, 5)


def test_percentile_leaves_out_the_tails() -> None:
    h = Histogram()
    h.update(np.concatenate([np.linspace(-1, 1, 9998), [-50, 50]]))
    found = interval(h, "percentile", 99.9)
    assert found.most == pytest.approx(0.999, abs=0.04) and found.least == pytest.approx(-0.999, abs=0.04)
    assert interval(h, "min-max", 99.9) == Interval(-50, 50)


def test_mse_weighs_one_outlier_against_the_steps_of_all() -> None:
    """The cost (60 - m) ** 2 / n + (m / 255) ** 2 / 12 is least at m = 60 / (1 + n / (12 * 255 ** 2))."""
    n = 200_000
    h = Histogram()
    h.update(np.concatenate([np.abs(np.random.default_rng(0).normal(0, 1, n)), [60]]))
    assert interval(h, "mse", 0).most == pytest.approx(60 / (1 + n / (12 * 255**2)), abs=1.3)


def test_entropy_clips_lone_outliers() -> None:
    h = Histogram()
    h.update(np.concatenate([np.random.default_rng(0).normal(0, 1, 200_000), [60]]))
    assert 3 < interval(h, "entropy", 0).most < 50


@pytest.mark.parametrize("method", ["entropy", "mse", "percentile"])
def test_what_fills_its_range_evenly_is_kept(method: str) -> None:
    h = Histogram()
    h.update(np.linspace(-2, 2, 100_001))
    found = interval(h, method, 99.99)
    assert found.most > 1.9 and found.least < -1.9


def test_parameters_by_hand() -> None:
    p = parameters(Interval(-1, 1.55), "uint8")
    assert p.zero == 100 and p.scale == pytest.approx(0.01)
    assert parameters(Interval(-1, 1.55), "int8").zero == -28
    assert (
        parameters(Interval(0, 0), "uint8") == parameters(Interval(0, 0), "uint8")
        and parameters(Interval(0, 0), "uint8").scale == 1
    )
