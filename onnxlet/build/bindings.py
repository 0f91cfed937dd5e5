"""Generates the Python and TypeScript bindings from the C header of the engine.

The header keeps to a small grammar (see its own opening comment), so this reads it line by line instead of through a
C parser: one `OL_API(name) result name(arguments);` per line, `OL_DEVICE_API` for what only builds with a device export
and Python has no use for, enums as `typedef enum`, and the comment before a
declaration is its documentation.

Usage: python onnxlet/build/bindings.py core/abi/onnxlet.h [--python FILE] [--typescript FILE]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

SCALARS = {"void": "void", "int32_t": "i32", "int64_t": "i64", "size_t": "usize", "double": "f64"}
POINTEES = {"void", "char", "int64_t"}


class HeaderError(ValueError):
    """The header leaves the grammar that the generator reads."""


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # "i32", "i64", "usize", "f64" or "ptr"
    c_type: str


@dataclass(frozen=True)
class Function:
    name: str
    result: str  # as Parameter.type, or "void"
    c_result: str
    parameters: tuple[Parameter, ...]
    doc: str
    device: bool = False  # exported by builds with a device only


@dataclass(frozen=True)
class Enum:
    name: str  # "Code" for ol_code
    members: tuple[tuple[str, int], ...]  # without the OL_ prefix
    doc: str


@dataclass
class Header:
    version: int | None = None
    handles: list[str] = field(default_factory=list)
    enums: list[Enum] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)


_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_VERSION = re.compile(r"#define\s+OL_ABI_VERSION\s+(\d+)\s*$")
_HANDLE = re.compile(r"typedef\s+struct\s+(ol_\w+)\s+\1\s*;")
_ENUM = re.compile(r"typedef\s+enum\s+(ol_\w+)\s*\{(.*?)\}\s*\1\s*;", re.DOTALL)
_MEMBER = re.compile(r"OL_(\w+)\s*=\s*(\d+)$")
_FUNCTION = re.compile(r"OL_(DEVICE_)?API\((\w+)\)\s+(.+?)\b(\w+)\((.*)\);$")


def parse(text: str) -> Header:
    """Reads the header's text. Raises HeaderError, with the line number, for anything outside the grammar."""
    header = Header()
    doc = ""
    position = 0
    while position < len(text):
        comment = _COMMENT.match(text, position)
        if comment:
            doc = _clean(comment.group())
            position = comment.end()
            continue
        enum = _ENUM.match(text, position)
        if enum:
            header.enums.append(_parse_enum(enum, doc, _line_of(text, position)))
            doc = ""
            position = enum.end()
            continue
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end].strip()
        if line:
            # A comment that trails on a line documents that line only.
            _parse_line(header, _COMMENT.sub("", line).strip(), doc, _line_of(text, position))
            doc = ""
        elif text[position:end] == "" and position > 0 and text[position - 1] == "\n":
            doc = ""  # a blank line separates a section's comment from the first declaration
        position = end + 1
    if header.version is None:
        raise HeaderError("the header does not define OL_ABI_VERSION")
    return header


def _parse_line(header: Header, line: str, doc: str, number: int) -> None:
    if match := _VERSION.match(line):
        header.version = int(match.group(1))
    elif match := _HANDLE.match(line):
        header.handles.append(match.group(1))
    elif line.startswith(("OL_API(", "OL_DEVICE_API(")):
        header.functions.append(_parse_function(header, line, doc, number))


def _parse_function(header: Header, line: str, doc: str, number: int) -> Function:
    match = _FUNCTION.match(line)
    if not match:
        raise HeaderError(f"line {number}: a declaration must fit on one line and end with ');': {line!r}")
    device, exported, result, name, arguments = match.groups()
    if exported != name:
        raise HeaderError(f"line {number}: OL_API({exported}) declares {name}")
    parameters = []
    for argument in [] if arguments.strip() == "void" else arguments.split(","):
        words = re.match(r"(.+?)(\w+)$", argument.strip())
        if not words:
            raise HeaderError(f"line {number}: argument {argument.strip()!r} of {name} has no name")
        c_type = words.group(1).strip()
        parameters.append(Parameter(words.group(2), _abi_type(header, c_type, number), c_type))
    c_result = result.strip()
    return Function(name, _abi_type(header, c_result, number), c_result, tuple(parameters), doc, device is not None)


def _abi_type(header: Header, c_type: str, number: int) -> str:
    if c_type in SCALARS:
        return SCALARS[c_type]
    pointee = re.match(r"(?:const\s+)?(\w+)\s*\*$", c_type)
    if pointee and (pointee.group(1) in POINTEES or pointee.group(1) in header.handles):
        return "ptr"
    raise HeaderError(f"line {number}: type {c_type!r} is not one the bindings know")


def _parse_enum(match: re.Match[str], doc: str, number: int) -> Enum:
    members = []
    for item in _COMMENT.sub("", match.group(2)).split(","):
        if not item.strip():
            continue
        member = _MEMBER.match(item.strip())
        if not member:
            raise HeaderError(f"line {number}: enum member {item.strip()!r} must be OL_NAME = number")
        members.append((member.group(1), int(member.group(2))))
    return Enum(match.group(1).removeprefix("ol_").title().replace("_", ""), tuple(members), doc)


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _clean(comment: str) -> str:
    lines = [line.strip().removeprefix("*").strip() for line in comment[2:-2].splitlines()]
    return " ".join(line for line in lines if line)


def _wrap(text: str, indent: str, width: int = 118) -> list[str]:
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) + 1 > width and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return [*lines, line.rstrip()] if line.strip() else lines


_NOTICE = "Generated from core/abi/onnxlet.h by onnxlet/build/bindings.py; do not edit."


def python_module(header: Header) -> str:
    """The text of onnxlet/hosts/abi_gen.py."""
    out = [
        f'"""{_NOTICE}"""',
        "",
        "from collections.abc import Callable",
        "from enum import IntEnum",
        "from typing import Any, Final, NamedTuple",
        "",
        f"ABI_VERSION: Final = {header.version}",
        "",
    ]
    for enum in header.enums:
        out += ["", f"class {enum.name}(IntEnum):"]
        out += [*_python_comment(enum.doc, "    ")]
        out += [f"    {name} = {value}" for name, value in enum.members]
        out += [""]
    out += [
        "",
        "class Function(NamedTuple):",
        '    """What a host needs to bind one function: types are i32, i64, usize, f64, ptr or void."""',
        "",
        "    name: str",
        "    result: str",
        "    parameters: tuple[str, ...]",
        "",
        "",
        "class Abi:",
        '    """Every function of the engine as a callable. Pointers are integers; NULL is 0."""',
        "",
        "    def __init__(self, bind: Callable[[Function], Callable[..., Any]]) -> None:",
    ]
    for function in (f for f in header.functions if not f.device):
        out += _python_comment(function.doc, "        ")
        types = ", ".join(_PYTHON_TYPES[p.type] for p in function.parameters)
        spec = ", ".join(f'"{p.type}"' for p in function.parameters)
        spec = f"({spec},)" if len(function.parameters) == 1 else f"({spec})"
        out += [
            f"        self.{function.name}: Callable[[{types}], {_PYTHON_TYPES[function.result]}] = bind(",
            f'            Function("{function.name}", "{function.result}", {spec})',
            "        )",
        ]
    return "\n".join(out) + "\n"


_PYTHON_TYPES = {"void": "None", "i32": "int", "i64": "int", "usize": "int", "ptr": "int", "f64": "float"}


def _python_comment(doc: str, indent: str) -> Iterable[str]:
    return (f"{indent}# {line}" for line in _wrap(doc, "", 118 - len(indent)))


_TYPESCRIPT_TYPES = {
    "void": "void",
    "i32": "number",
    "i64": "bigint",
    "usize": "number",
    "ptr": "Pointer",
    "f64": "number",
}


def typescript_module(header: Header) -> str:
    """The text of js/src/abi.gen.ts."""
    out = [
        f"// {_NOTICE}",
        "",
        f"export const ABI_VERSION = {header.version};",
        "",
        "/** An address in wasm memory; 0 is NULL. */",
        "export type Pointer = number;",
    ]
    for enum in header.enums:
        out += ["", *_jsdoc(enum.doc, "")]
        out += [f"export const {enum.name} = {{"]
        out += [f"  {name}: {value}," for name, value in enum.members]
        out += ["} as const;", f"export type {enum.name} = (typeof {enum.name})[keyof typeof {enum.name}];"]
        out += [f"export type {enum.name}Name = keyof typeof {enum.name};"]
    out += ["", "/** What the engine's module exports. */", "export interface Abi {"]
    for function in header.functions:
        out += _jsdoc(function.doc, "  ")
        typed = (f"{_camel(p.name)}: {_TYPESCRIPT_TYPES[p.type]}" for p in function.parameters)
        arguments = ", ".join(["this: void", *typed])
        out += [f"  {function.name}({arguments}): {_TYPESCRIPT_TYPES[function.result]};"]
    out += ["}", "", "/** A wasm function's result; pointers and sizes arrive signed and are to be read unsigned. */"]
    out += ['export type AbiResult = "void" | "i32" | "i64" | "usize" | "ptr" | "f64";', ""]
    out += ["/** Every name above with its result. */"]
    out += ["export const ABI_FUNCTIONS: Readonly<Record<keyof Abi, AbiResult>> = {"]
    out += [f'  {function.name}: "{function.result}",' for function in header.functions]
    out += [
        "};",
        "",
        "/** Those that only engines with a device have; without another one a module is no engine of this version. */",
    ]
    out += ["export const DEVICE_FUNCTIONS: ReadonlySet<string> = new Set(["]
    out += [f'  "{function.name}",' for function in header.functions if function.device]
    out += ["]);"]
    return "\n".join(out) + "\n"


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)


def _jsdoc(doc: str, indent: str) -> list[str]:
    lines = _wrap(doc, "", 114 - len(indent))
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}" for line in lines), f"{indent} */"]


def write_if_changed(path: Path, text: str) -> bool:
    """Leaves an up-to-date file alone, so that nothing that depends on it is rebuilt. Returns whether it wrote."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Generates the bindings of the engine's C ABI.")
    parser.add_argument("header", type=Path)
    parser.add_argument("--python", type=Path, help="where to write the Python module")
    parser.add_argument("--typescript", type=Path, help="where to write the TypeScript module")
    options = parser.parse_args(arguments)
    try:
        header = parse(options.header.read_text(encoding="utf-8"))
    except HeaderError as error:
        sys.stderr.write(f"{options.header}: {error}\n")
        return 1
    if options.python:
        write_if_changed(options.python, python_module(header))
    if options.typescript:
        write_if_changed(options.typescript, typescript_module(header))
    return 0


if __name__ == "__main__":
    sys.exit(main())
