"""Codes against values computed by hand, and what must hold for every matrix."""

from __future__ import annotations

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onnxlet.packing.quantizers import Codes, Grid, InputStatistics, mse_clip, round_to_nearest, signal_to_noise

MATRICES = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 70)),
    elements=st.floats(-1e4, 1e4, width=32, allow_subnormal=False),
)
GRIDS = st.builds(Grid, st.sampled_from([2, 4, 8]), st.sampled_from([0, 16, 32]), st.booleans())


def test_int8_codes_by_hand() -> None:
    found = round_to_nearest(np.array([[1.27, -0.635, 0.004, 0]], np.float32), Grid(8))
    assert found.codes.tolist() == [[127, -64, 0, 0]]  # -63.5 is rounded to the even number
    np.testing.assert_allclose(found.scales, [[0.01]], rtol=1e-6)
    assert found.zero_points is None


def test_symmetric_int4_uses_the_lowest_code_for_the_extreme_number() -> None:
    found = round_to_nearest(np.array([[8, -4, 1, 0]], np.float32), Grid(4))
    assert found.codes.tolist() == [[-8, 4, -1, 0]]
    assert found.scales.tolist() == [[-1]]
    assert found.dequantize().tolist() == [[8, -4, 1, 0]]


def test_zero_points_by_hand() -> None:
    found = round_to_nearest(np.array([[-1, 14, 6.4]], np.float32), Grid(4, symmetric=False))
    assert found.codes.tolist() == [[0, 15, 7]]
    assert found.zero_points is not None and found.zero_points.tolist() == [[1]]
    assert found.dequantize().tolist() == [[-1, 14, 6]]


def test_blocks_have_their_own_scales_and_the_last_may_be_short() -> None:
    rows = np.concatenate([np.full((1, 16), 7, np.float32), np.full((1, 4), 0.5, np.float32)], axis=1)
    found = round_to_nearest(rows, Grid(4, block=16))
    assert found.scales.tolist() == [[-7 / 8, -0.5 / 8]]
    assert found.dequantize().tolist() == rows.tolist()


def test_two_bits() -> None:
    found = round_to_nearest(np.array([[-2, -1, 0, 1, 1.6]], np.float32), Grid(2))
    assert found.codes.tolist() == [[-2, -1, 0, 1, 1]]


def test_zeros_stay_zeros() -> None:
    for grid in (Grid(8), Grid(4, 16), Grid(4, 16, symmetric=False)):
        for method in (round_to_nearest, mse_clip):
            found = method(np.zeros((2, 20), np.float32), grid)
            assert not found.dequantize().any()
            assert (found.scales == 1).all()


def test_clipping_the_tails_of_a_normal_distribution_helps_the_rest() -> None:
    rows = np.random.default_rng(0).standard_normal((4, 4096)).astype(np.float32)
    plain, clipped = (method(rows, Grid(4)).dequantize() for method in (round_to_nearest, mse_clip))
    assert np.square(clipped - rows).sum() < 0.65 * np.square(plain - rows).sum()
    # The least error that 15 or 16 equal steps can have for a normal distribution is 0.01154 (Max 1960, table II).
    assert np.square(clipped - rows).mean() < 0.0125


def test_importance_decides_what_is_kept() -> None:
    rows = np.concatenate([np.linspace(-1, 1, 31), [3]]).astype(np.float32)[None]
    moments = np.diag([1e-6] * 31 + [1.0])
    weighted = mse_clip(rows, Grid(2), InputStatistics(second_moment=moments, count=1))
    assert abs(weighted.dequantize()[0, -1] - 3) < abs(mse_clip(rows, Grid(2)).dequantize()[0, -1] - 3) + 1e-6
    np.testing.assert_allclose(weighted.dequantize()[0, -1], 3, rtol=1e-6)


@settings(deadline=None, max_examples=60)
@given(MATRICES, GRIDS)
def test_codes_are_on_the_grid_and_near(rows: np.ndarray, grid: Grid) -> None:
    found = round_to_nearest(rows, grid)
    assert found.codes.min() >= grid.lowest and found.codes.max() <= grid.highest
    steps = np.repeat(np.abs(found.scales), grid.width(rows.shape[1]), axis=1)[:, : rows.shape[1]]
    # A symmetric grid lacks the code for minus its lowest: there the error may reach a whole step.
    most = 0.5 if grid.bits == 8 and grid.symmetric else 1.0
    assert (np.abs(found.dequantize() - rows) <= most * steps * (1 + 1e-4) + 1e-6).all()


@settings(deadline=None, max_examples=60)
@given(MATRICES, GRIDS)
def test_mse_is_never_worse(rows: np.ndarray, grid: Grid) -> None:
    plain, searched = (
        np.square(m(rows, grid).dequantize().astype(np.float64) - rows).sum() for m in (round_to_nearest, mse_clip)
    )
    assert searched <= plain * (1 + 1e-4) + 1e-9


@settings(deadline=None, max_examples=60)
@given(MATRICES, GRIDS)
def test_quantizing_again_changes_nothing(rows: np.ndarray, grid: Grid) -> None:
    once = round_to_nearest(rows, grid).dequantize()
    twice = round_to_nearest(once, grid).dequantize()
    if not (grid.symmetric and grid.bits < 8):  # where the extreme number may change sides
        np.testing.assert_allclose(twice, once, rtol=1e-4, atol=1e-6)


def test_many_rows_are_quantized_like_few() -> None:
    rows = np.random.default_rng(0).standard_normal((5000, 500)).astype(np.float32)
    whole, part = round_to_nearest(rows, Grid(4, 32)), round_to_nearest(rows[4990:], Grid(4, 32))
    assert (whole.codes[4990:] == part.codes).all() and (whole.scales[4990:] == part.scales).all()


def test_signal_to_noise() -> None:
    assert signal_to_noise(np.array([3, 4], np.float32), np.array([3, 4.5], np.float32)) == pytest.approx(20)
    assert signal_to_noise(np.ones(2, np.float32), np.ones(2, np.float32)) == float("inf")


def test_codes_check_their_shapes() -> None:
    with pytest.raises(AssertionError):
        Codes(Grid(8), np.zeros((2, 4), np.int8), np.zeros((2, 2), np.float32))
