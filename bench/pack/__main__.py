"""Packs models and says what is left of them, beside onnxruntime's quantization tools: python -m bench.pack [NAME...]

With --mixes each scheme throughout a model is compared with the mix that a search finds for the same size."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.pack import peers
from bench.pack.cases import Case, cases
from onnxlet.errors import Error
from onnxlet.packing import pack
from tests.models.fetch import FetchError

_COLUMNS = f"{'model':<13}{'tool':<13}{'scheme':<14}{'bytes':>10}{'share':>7}  {'measure':<18}{'before':>9}{'after':>9}{'speed':>7}"


def main() -> int:
    known = cases()
    parser = argparse.ArgumentParser(prog="python -m bench.pack", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--mixes", action="store_true", help="compare mixes with schemes of the same size")
    parser.add_argument("--seconds", type=float, default=0.3, help="to measure the speed of each model")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    unknown = [name for name in options.name if name not in known]
    if unknown:
        print(f"there is no {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    warnings.simplefilter("ignore")
    rows = []
    print(_MIXES if options.mixes else _COLUMNS)
    for name in options.name or known:
        try:
            for row in (_mixes if options.mixes else _schemes)(known[name], options.seconds):
                rows.append(row)
                print(_mix_line(row) if options.mixes else _line(row), flush=True)
        except FetchError as error:
            print(f"{name:<13}{error}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


def _schemes(case: Case, seconds: float) -> Iterator[dict[str, Any]]:
    """A row for each scheme and each of onnxruntime's tools."""
    path, samples = case.path(), case.calibration()
    before = case.measure(path)
    with tempfile.TemporaryDirectory() as folder:
        for scheme in case.schemes:
            target = Path(folder) / "packed.onnx"
            row = {"model": case.name, "tool": "onnxlet", "scheme": scheme, "what": case.what, "before": before}
            try:
                config = {"seconds": seconds, "collapse": 0}
                wanted: dict[str, Any] = {"max_size": case.mix} if scheme == "mix" else {"scheme": scheme}
                report = pack(path, samples, output=target, config=config, **wanted).report
            except Error as error:
                yield row | {"error": str(error)[:120]}
                continue
            speed = report["speed"]["ratio"] if "speed" in report else None
            yield _judged(row | {"speed": speed}, case, path, target)
            if scheme in peers.PEERS:
                target = Path(folder) / "peer.onnx"
                error_text = peers.quantize(scheme, path, target, samples)
                row = row | {"tool": "onnxruntime"}
                yield row | {"error": error_text} if error_text else _judged(row, case, path, target)


def _judged(row: dict[str, Any], case: Case, original: Path, packed: Path) -> dict[str, Any]:
    size = packed.stat().st_size
    row = row | {"bytes": size, "share": size / original.stat().st_size}
    try:
        after = case.measure(packed)
    except Error as error:
        return row | {"error": str(error)[:120]}
    allowed = case.allowed.get(row["scheme"])
    return row | {"after": after, "reached": None if allowed is None else row["before"] - after <= allowed + 1e-9}


def _line(row: dict[str, Any]) -> str:
    head = f"{row['model']:<13}{row['tool']:<13}{row['scheme']:<14}"
    if "bytes" in row:
        head += f"{row['bytes']:>10,}{row['share']:>7.1%}  "
    if "error" in row:
        return f"{head}{row['error']}"
    speed = f"{row['speed']:>7.2f}" if row.get("speed") else " " * 7
    missed = "  missed" if row["reached"] is False else ""
    return f"{head}{row['what']:<18}{row['before']:>9.4f}{row['after']:>9.4f}{speed}{missed}"


_MIXES = f"{'model':<13}{'scheme':<16}{'bytes':>10}{'SNR dB':>9}{'mix, bytes':>12}{'SNR dB':>9}"


def _mixes(case: Case, seconds: float) -> Iterator[dict[str, Any]]:
    """A row for each scheme throughout, with the mix of the same size, by the signal-to-noise ratio of the outputs."""
    path, samples = case.path(), case.calibration()
    for scheme in ("int8", "int4", "int4:block=128", "int2"):
        config = {"seconds": 0, "collapse": 0, "runs": 120}
        row: dict[str, Any] = {"model": case.name, "scheme": scheme}
        try:
            uniform = pack(path, samples, scheme=scheme, config=config).report
            mix = pack(path, samples, max_size=uniform["bytes_after"], config=config).report
        except Error as error:
            yield row | {"error": str(error)[:120]}
            continue
        found = {"uniform": uniform, "mix": mix}
        yield row | {k: {"bytes": r["bytes_after"], "snr_db": r["accuracy"]["snr_db"]} for k, r in found.items()}


def _mix_line(row: dict[str, Any]) -> str:
    head = f"{row['model']:<13}{row['scheme']:<16}"
    if "error" in row:
        return f"{head}{row['error']}"
    uniform, mix = row["uniform"], row["mix"]
    return f"{head}{uniform['bytes']:>10,}{uniform['snr_db']:>9.2f}{mix['bytes']:>12,}{mix['snr_db']:>9.2f}"


if __name__ == "__main__":
    sys.exit(main())
