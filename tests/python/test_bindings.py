"""The generator that turns core/abi/onnxlet.h into the Python and TypeScript bindings."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxlet.build import bindings

HEADER = Path(__file__).parents[2] / "core" / "abi" / "onnxlet.h"
SMALL = """
#define OL_ABI_VERSION 7
typedef struct ol_model ol_model; /* a file */
/* What went
 * wrong. */
typedef enum ol_code { OL_OK = 0, OL_BAD = 1 /* not good */ } ol_code;

/* ---- section ---- */

OL_API(ol_free) void ol_free(void* block);
/* Opens
 * it. */
OL_API(ol_open) ol_model* ol_open(const char* name, size_t length, int64_t when); /* trailing */
OL_DEVICE_API(ol_there) int32_t ol_there(ol_model* model);
"""


def test_reads_versions_enums_types_and_comments() -> None:
    header = bindings.parse(SMALL)
    assert header.version == 7
    assert header.handles == ["ol_model"]
    assert header.enums == [bindings.Enum("Code", (("OK", 0), ("BAD", 1)), "What went wrong.")]
    free, opened, there = header.functions
    assert (free.result, [p.type for p in free.parameters], free.doc) == ("void", ["ptr"], "")
    assert (opened.result, [p.type for p in opened.parameters]) == ("ptr", ["ptr", "usize", "i64"])
    assert opened.doc == "Opens it."
    assert (free.device, opened.device, there.device) == (False, False, True)


def test_what_only_engines_with_a_device_have() -> None:
    header = bindings.parse(SMALL)
    assert "ol_there" not in bindings.python_module(header)
    typescript = bindings.typescript_module(header)
    assert "ol_there(this: void, model: Pointer): number;" in typescript and '  ol_there: "i32",' in typescript
    assert 'DEVICE_FUNCTIONS: ReadonlySet<string> = new Set([\n  "ol_there",\n]);' in typescript


def test_every_declaration_of_the_real_header_is_bound() -> None:
    text = HEADER.read_text(encoding="utf-8")
    header = bindings.parse(text)
    declared = text.count("\nOL_API(")
    needed = [function.name for function in header.functions if not function.device]
    assert len(needed) == declared > 50
    namespace: dict[str, object] = {}
    exec(compile(bindings.python_module(header), "abi_gen.py", "exec"), namespace)
    bound: list[str] = []
    namespace["Abi"](lambda function: bound.append(function.name))  # type: ignore[operator]
    assert bound == needed
    typescript = bindings.typescript_module(header)
    assert "ol_tensor_new(this: void, dtype: number, rank: number, dims: Pointer): Pointer;" in typescript
    assert "INVALID_PROTOBUF: 2," in typescript


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("OL_API(ol_a) void ol_b(void);", "line 2: OL_API(ol_a) declares ol_b"),
        ("OL_API(ol_a) void ol_a(float x);", "line 2: type 'float' is not one the bindings know"),
        ("OL_API(ol_a) void ol_a(int32_t x,", "line 2: a declaration must fit on one line"),
        ("OL_API(ol_a) ol_other* ol_a(void);", "line 2: type 'ol_other*' is not one the bindings know"),
    ],
)
def test_a_declaration_outside_the_grammar_is_named_with_its_line(line: str, message: str) -> None:
    with pytest.raises(bindings.HeaderError, match=message.replace("(", r"\(").replace(")", r"\)").replace("*", r"\*")):
        bindings.parse(f"#define OL_ABI_VERSION 1\n{line}\n")


def test_an_up_to_date_file_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "made" / "abi.gen.ts"
    assert bindings.write_if_changed(target, "x")
    stamp = target.stat().st_mtime_ns
    assert not bindings.write_if_changed(target, "x")
    assert target.stat().st_mtime_ns == stamp


def test_command_line_reports_a_bad_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = tmp_path / "bad.h"
    header.write_text("nothing")
    assert bindings.main([str(header)]) == 1
    assert "does not define OL_ABI_VERSION" in capsys.readouterr().err
