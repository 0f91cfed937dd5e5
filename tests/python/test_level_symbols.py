"""Objects of one level of the machine must not define functions that others may take."""

from __future__ import annotations

from onnxlet.build import level_symbols

LISTING = """
kernels.o:
0000000000000000 T _ZN7onnxlet4fast4gemmERKNS_4GemmEPf
0000000000000000 W _ZN7onnxlet4fast5Slots5ClaimD2Ev
0000000000000010 W _ZNK7onnxlet5Shape4sizeEv
                 U _ZN7onnxlet12parallel_forEv
0000000000000020 V _ZTIN7onnxlet5ShapeE
                 w __gmon_start__
0000000000000030 t _ZN7onnxlet12_GLOBAL__N_1L4tileEv
"""


def test_shared_definitions_outside_the_level_are_found() -> None:
    assert level_symbols.shared(LISTING, "fast") == ["_ZNK7onnxlet5Shape4sizeEv", "_ZTIN7onnxlet5ShapeE"]


def test_what_is_the_levels_own_is_left_alone() -> None:
    own = "\n".join(line for line in LISTING.splitlines() if "Shape" not in line)
    assert level_symbols.shared(own, "fast") == []
