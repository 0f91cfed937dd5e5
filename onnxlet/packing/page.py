"""The report as one HTML page that asks for nothing from elsewhere and has no scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, Final

from . import charts

_MOST_LAYERS: Final = 60
_MOST_HISTOGRAMS: Final = 24

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d2429; --soft: #5b6670; --line: #d8dee3; --ground: #fff; --raised: #f4f6f8;
  --before: #c3ccd4; --after: #0b6e99; --good: #2a7f62; --loud: #a33a1f; --louder: #fdeee9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ed; --soft: #9aa7b1; --line: #36414a; --ground: #14191d;
  --raised: #1d252b; --before: #4d5a64; --after: #55b6e0; --good: #63c49f; --loud: #ff9b80; --louder: #3a1f18; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; color: var(--ink); background: var(--ground);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 1rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
p { margin: .3rem 0 .8rem; } .soft { color: var(--soft); font-size: .9rem; }
.notes { border-left: 4px solid var(--loud); background: var(--louder); padding: .6rem 1rem; margin: 0 0 1rem; }
.notes p { margin: .3rem 0; } .notes b { color: var(--loud); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; }
.figures div { background: var(--raised); border-radius: 6px; padding: .7rem .9rem; }
.figures b { display: block; font-size: 1.35rem; }
svg { display: block; width: 100%; } svg text { fill: var(--soft); font-size: 11px; } svg .label { fill: var(--ink); }
.chart { max-width: 38rem; } .grid { stroke: var(--line); } .axis { stroke: var(--soft); }
.original { stroke: var(--soft); stroke-dasharray: 4 3; } .front { fill: none; stroke: var(--good); stroke-width: 1.5; }
.best { fill: var(--good); } .beaten { fill: var(--before); }
.chosen { fill: var(--loud); stroke: var(--ground); stroke-width: 1.5; }
rect.before, polygon.before { fill: var(--before); } rect.after { fill: var(--after); }
polygon.after { fill: none; stroke: var(--after); stroke-width: 1.2; }
.bar { height: .9rem; min-width: 5rem; background: var(--raised); }
.small { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-size: .85rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; min-width: 44rem; font-size: .88rem; }
details table { min-width: 0; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } .n { text-align: right; white-space: nowrap; } .name { min-width: 9rem; max-width: 22rem; }
.name, figcaption, h1, .figures, .notes { overflow-wrap: anywhere; }
.key i { display: inline-block; width: .8em; height: .8em; margin-right: .35em; border-radius: 2px; }
.key span { white-space: nowrap; margin-right: .9em; }
.skipped { color: var(--soft); }
"""


def page(document: dict[str, Any]) -> str:
    """HTML of a report, as `PackResult.report` has it; docs/packing.md lists its keys."""
    name = str(document.get("model", "model"))
    body = "\n".join(
        [
            f"<h1>{escape(name)}, packed</h1>",
            *_notes(document),
            *_figures(document),
            *_front(document),
            *_layers(document),
            *_histograms(document),
            *_nodes(document),
        ]
    )
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(name)}, packed</title>'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n'
    )


def _notes(document: dict[str, Any]) -> Iterator[str]:
    if document["notes"]:
        rows = "".join(f"<p><b>Note:</b> {escape(note)}</p>" for note in document["notes"])
        yield f'<div class="notes" role="alert">{rows}</div>'


def _others(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[status]} {status}" for status in ("shrunk", "skipped", "removed") if counts[status])


def _figures(document: dict[str, Any]) -> Iterator[str]:
    before, after = document["bytes_before"], document["bytes_after"]
    counts = Counter(node["status"] for node in document["nodes"])
    boxes = [
        ("size", f"{after / before:.0%}", f"{before:,} → {after:,} bytes"),
        ("scheme", document["scheme"], f"opset {document['opset']}"),
        ("nodes quantized", str(counts["quantized"]), _others(counts)),
    ]
    if (found := document.get("accuracy")) is not None:
        made_up = ", made up" if document["synthetic"] else ""
        words = f"{found['metric']}, {document['samples']} samples{made_up}"
        boxes.insert(1, (words, f"{found['before']:.5g} → {found['after']:.5g}", _outputs(found)))
    if (speed := document.get("speed")) is not None:
        times = f"{speed['before_ms']:.3g} → {speed['after_ms']:.3g} ms on onnxlet's engine"
        boxes.insert(2, ("speed", f"{speed['ratio']:.2f} ×", times))
    if (elsewhere := document.get("onnxruntime")) is not None:
        runs = elsewhere["runs"]
        words = f"largest difference {elsewhere['difference']:.2g}" if runs else elsewhere["error"]
        boxes.append(("onnxruntime", "runs" if runs else "fails", words))
    rows = (f'<div>{escape(a)}<b>{escape(b)}</b><span class="soft">{escape(c)}</span></div>' for a, b, c in boxes)
    yield f'<div class="figures">{"".join(rows)}</div>'


def _outputs(accuracy: dict[str, Any]) -> str:
    ratio = "" if accuracy["snr_db"] is None else f", {accuracy['snr_db']:.1f} dB"
    return f"outputs: cosine {accuracy['cosine']:.5f}{ratio}"


def _front(document: dict[str, Any]) -> Iterator[str]:
    searched = document.get("search")
    if searched is None:
        return
    trials = searched["trials"]
    yield "<h2>Size against error</h2>"
    yield f"<p>The best of {len(trials)} mixes for {escape(searched['budget'])}. Each point was written and run.</p>"
    metric = document["accuracy"]["metric"]
    yield f'<div class="chart">{charts.front(trials, document["bytes_before"], metric)}</div>'
    keys = (("loud", "chosen"), ("good", "no other is smaller and better"), ("before", "beaten"))
    yield _key(keys)
    rows = (
        (
            escape(t["name"]) + (" (chosen)" if t["chosen"] else ""),
            f"{t['bytes']:,}",
            f"{t['after']:.6g}",
            f"{t['cosine']:.6f}" if t["cosine"] is not None else "",
        )
        for t in trials
    )
    yield f"<details><summary>All of them</summary>{_table(('mix', 'bytes', metric, 'cosine'), rows, numbers=(1, 2, 3))}</details>"


def _layers(document: dict[str, Any]) -> Iterator[str]:
    """Bytes and signal-to-noise ratio of the layers, the largest first."""
    layers = sorted(document["layers"], key=lambda layer: -layer["bytes_before"])
    shown = layers[:_MOST_LAYERS]
    largest = max([layer["bytes_before"] for layer in shown] + [1])
    weights = [sum(layer[key] for layer in layers) for key in ("bytes_before", "bytes_after")]
    rest = [document[key] - whole for key, whole in zip(("bytes_before", "bytes_after"), weights, strict=True)]
    yield "<h2>Layers: where the bytes are, and what each lost</h2>"
    yield (
        f"<p>Weights of layers: {weights[0]:,} → {weights[1]:,} bytes; everything else in the file (the graph, biases, "
        f"constants): {rest[0]:,} → {rest[1]:,}. Signal-to-noise is of a layer's weights, in decibels: 6 dB are one bit.</p>"
    )
    if len(shown) < len(layers):
        yield f"<p>The {len(shown)} largest of {len(layers)} are shown.</p>"
    yield _key((("before", "bytes before"), ("after", "bytes after; signal-to-noise, of 60 dB")))
    yield _table(
        ("layer", "shape", "scheme", "bytes", "", "signal-to-noise", "dB"),
        (_layer(layer, largest) for layer in shown),
        numbers=(6,),
    )


def _layer(layer: dict[str, Any], largest: int) -> tuple[str, ...]:
    before, after, ratio = layer["bytes_before"], layer["bytes_after"], layer["snr_db"]
    why = f'<br><span class="soft">{escape(layer["reason"])}</span>' if layer["reason"] else ""
    return (
        f'{escape(layer["layer"])}<br><span class="soft">{escape(layer["op_type"])}</span>',
        " × ".join(map(str, layer["shape"])),
        escape(layer["scheme"]) + why,
        charts.bar(("before", before / largest), ("after", after / largest)),
        f"{before:,} → {after:,}",
        charts.bar(("after", 1.0 if ratio is None else ratio / 60)),
        "unchanged" if ratio is None else f"{ratio:.1f}",
    )


def _histograms(document: dict[str, Any]) -> Iterator[str]:
    drawn = [layer for layer in document["layers"] if layer.get("histogram")]
    drawn = sorted(drawn, key=lambda layer: -layer["bytes_before"])
    if not drawn:
        return
    yield "<h2>Weights before and after</h2>"
    yield "<p>How many weights have which value; heights are square roots of counts, so that rare values can be seen.</p>"
    yield _key((("before", "before"), ("after", "after, as an outline")))
    figures = (
        f"<figure>{charts.histogram(layer['layer'], layer['histogram'])}"
        f"<figcaption>{escape(layer['layer'])}, {escape(layer['scheme'])}</figcaption></figure>"
        for layer in drawn[:_MOST_HISTOGRAMS]
    )
    yield f'<div class="small">{"".join(figures)}</div>'
    if len(drawn) > _MOST_HISTOGRAMS:
        yield f'<p class="soft">The {_MOST_HISTOGRAMS} largest layers of {len(drawn)}.</p>'


def _nodes(document: dict[str, Any]) -> Iterator[str]:
    yield f"<h2>Every node ({len(document['nodes'])})</h2>"
    rows = (
        (
            escape(node["node"]),
            escape(node["op_type"]),
            f'<span class="{node["status"]}">{node["status"]}</span>',
            escape("; ".join(filter(None, (node.get("scheme"), node.get("reason"))))),
        )
        for node in document["nodes"]
    )
    yield _table(("node", "operator", "status", "how, or why not"), rows)


def _key(entries: Iterable[tuple[str, str]]) -> str:
    marks = "".join(
        f'<span><i style="background: var(--{colour})"></i>{escape(words)}</span> ' for colour, words in entries
    )
    return f'<p class="soft key">{marks}</p>'


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], numbers: tuple[int, ...] = ()) -> str:
    """Cells are HTML."""

    def line(cells: tuple[str, ...], tag: str) -> str:
        kinds = ("n" if k in numbers else "name" if k == 0 else "" for k in range(len(cells)))
        return "".join(
            "<" + tag + (f' class="{kind}"' if kind else "") + f">{cell}</{tag}>"
            for kind, cell in zip(kinds, cells, strict=True)
        )

    body = "\n".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{line(head, "th")}</tr></thead>\n<tbody>{body}</tbody></table></div>'
