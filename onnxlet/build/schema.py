"""Generates the engine's operator signatures from the onnx package: `python schema.py OUT.cc [--needs NEEDS.json]`.

Runs at build time, as a script or as `python -m onnxlet.build.schema`, and needs only `onnx`. The operators of other
domains are declared in contrib_schemas.py and preprocessing_schemas.py. Equal arrays and strings are written once.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import onnx
import onnx.defs

# The stubs of onnx.defs leave out part of what its extension module has.
_ALL_SCHEMAS: Any = onnx.defs.get_all_schemas_with_history

UNBOUNDED = 65535
SEQUENCE, MAP, OPTIONAL, SPARSE = 1, 2, 4, 8


@dataclass(frozen=True)
class Attribute:
    name: str
    type: int  # onnx.AttributeProto.AttributeType
    required: bool = False
    default: int | float | bytes | tuple[int, ...] | tuple[bytes, ...] | None = None


@dataclass(frozen=True)
class Parameter:
    name: str
    option: int  # onnx.defs.OpSchema.FormalParameterOption
    type: str  # the name of a constraint, or a type written out
    homogeneous: bool = True


@dataclass(frozen=True)
class Operator:
    domain: str
    name: str
    since: int
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    arity: tuple[int, int, int, int]  # min and max inputs, min and max outputs
    attributes: tuple[Attribute, ...]
    constraints: dict[str, tuple[str, ...]] = field(hash=False)
    deprecated: bool = False
    left_out: bool = False  # of a trimmed build: only name and version stay
    function_bodies: dict[int, bytes] = field(default_factory=dict, hash=False)  # by the opset they are written for


def dtype_number(name: str) -> int:
    """TensorProto.DataType of a name as it stands in type strings ("float8e4m3fn")."""
    return int(onnx.TensorProto.DataType.Value(name.upper()))


def allowed_types(types: Iterable[str]) -> tuple[int, int]:
    """The bit sets of schema.h's TypeConstraint: tensor element types, other kinds of value."""
    tensors = others = 0
    for text in types:
        if match := re.fullmatch(r"tensor\((\w+)\)", text):
            tensors |= 1 << dtype_number(match[1])
        elif text.startswith("seq("):
            others |= SEQUENCE
        elif text.startswith("map("):
            others |= MAP
        elif text.startswith("optional("):
            others |= OPTIONAL
        elif text.startswith("sparse_tensor("):
            others |= SPARSE
        else:
            raise ValueError(f"unknown type string {text!r}")
    return tensors, others


def attribute_from_onnx(attribute: Any) -> Attribute:
    kind = int(attribute.type.value)
    proto = attribute.default_value
    default: Any = None
    if proto.type == onnx.AttributeProto.INT:
        default = proto.i
    elif proto.type == onnx.AttributeProto.FLOAT:
        default = proto.f
    elif proto.type == onnx.AttributeProto.STRING:
        default = proto.s
    elif proto.type == onnx.AttributeProto.INTS:
        default = tuple(proto.ints)
    elif proto.type == onnx.AttributeProto.STRINGS:
        default = tuple(proto.strings)
    elif proto.type != onnx.AttributeProto.UNDEFINED:
        raise ValueError(f"attribute {attribute.name}: no encoding for a default of type {proto.type}")
    return Attribute(attribute.name, kind, bool(attribute.required), default)


def strip_docs(function: onnx.FunctionProto) -> bytes:
    stripped = onnx.FunctionProto()
    stripped.CopyFrom(function)
    stripped.ClearField("doc_string")
    for node in stripped.node:
        node.ClearField("doc_string")
        node.ClearField("name")
        for attribute in node.attribute:
            attribute.ClearField("doc_string")
    return bytes(stripped.SerializeToString(deterministic=True))


def from_onnx() -> list[Operator]:
    """Every schema the onnx package knows."""
    operators = []
    for schema in _ALL_SCHEMAS():
        bodies = {}
        if schema.has_function:
            for opset in sorted(schema.function_opset_versions):
                written = onnx.FunctionProto.FromString(schema.get_function_with_opset_version(opset))
                bodies[opset] = strip_docs(written)

        def parameters(formal: Sequence[Any]) -> tuple[Parameter, ...]:
            return tuple(Parameter(p.name, int(p.option.value), p.type_str, bool(p.is_homogeneous)) for p in formal)

        operators.append(
            Operator(
                domain=schema.domain,
                name=schema.name,
                since=schema.since_version,
                inputs=parameters(schema.inputs),
                outputs=parameters(schema.outputs),
                arity=(
                    schema.min_input,
                    min(schema.max_input, UNBOUNDED),
                    schema.min_output,
                    min(schema.max_output, UNBOUNDED),
                ),
                attributes=tuple(attribute_from_onnx(a) for _, a in sorted(schema.attributes.items())),
                constraints={c.type_param_str: tuple(c.allowed_type_strs) for c in schema.type_constraints},
                deprecated=bool(schema.deprecated),
                function_bodies=bodies,
            )
        )
    return operators


# ---- the small language of contrib_schemas.py ----

ATTRIBUTE_TYPES = {"float": 1, "int": 2, "string": 3, "tensor": 4, "graph": 5, "floats": 6, "ints": 7, "strings": 8}


def parse_parameter(text: str) -> Parameter:
    """`name:type`, `name:type?` (optional), `name:type*` (variadic), `name:type**` (variadic of mixed types)."""
    match = re.fullmatch(r"(\w+):(\w+)(\?|\*\*?)?", text)
    if not match:
        raise ValueError(f"not a parameter: {text!r}")
    option = {None: 0, "?": 1, "*": 2, "**": 2}[match[3]]
    return Parameter(match[1], option, match[2], homogeneous=match[3] != "**")


def parse_attribute(text: str) -> Attribute:
    """`name:type`, `name:type!` (required), `name:type=default`."""
    match = re.fullmatch(r"(\w+):(\w+)(!)?(?:=(.*))?", text)
    if not match:
        raise ValueError(f"not an attribute: {text!r}")
    name, kind, required, default = match[1], match[2], match[3] is not None, match[4]
    value: Any = None
    if default is not None:
        read: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "string": str.encode}
        value = read[kind](default)
    return Attribute(name, ATTRIBUTE_TYPES[kind], required, value)


def arity(parameters: Sequence[Parameter]) -> tuple[int, int]:
    required = [i + 1 for i, p in enumerate(parameters) if p.option != 1]
    minimum = max(required, default=0)
    variadic = bool(parameters) and parameters[-1].option == 2
    return minimum, UNBOUNDED if variadic else len(parameters)


def from_declaration(row: dict[str, Any]) -> Operator:
    inputs = tuple(map(parse_parameter, row["inputs"].split()))
    outputs = tuple(map(parse_parameter, row["outputs"].split()))
    return Operator(
        domain=row["domain"],
        name=row["name"],
        since=row["since"],
        inputs=inputs,
        outputs=outputs,
        arity=(*arity(inputs), *arity(outputs)),
        attributes=tuple(sorted(map(parse_attribute, row["attributes"].split()), key=lambda a: a.name)),
        constraints={
            name: tuple(t if "(" in t else f"tensor({t})" for t in types.split())
            for name, types in row["types"].items()
        },
    )


def declared(name: str) -> list[Operator]:
    """The rows of a module beside this one."""
    module = importlib.import_module(f"{__package__}.{name}" if __package__ else name)
    return [from_declaration(row) for row in module.OPERATORS]


def from_contrib() -> list[Operator]:
    return declared("contrib_schemas")


def from_preprocessing() -> list[Operator]:
    return declared("preprocessing_schemas")


# ---- trimming ----


def kept(operators: Iterable[Operator], needs: dict[str, Any]) -> list[Operator]:
    """The schemas that a build with these needs (see trim.py) has. Of other versions of its operators it has the name: a
    model of another version must not be taken for one of these. Of versions that follow each other the first is enough."""
    wanted = {tuple(row) for row in needs["operators"]}
    names = {row[:2] for row in wanted}
    chosen: list[Operator] = []
    for op in sorted(operators, key=order):
        key = (op.domain, op.name, op.since)
        if key in wanted:
            chosen.append(replace(op, function_bodies={}))  # every operator has a kernel
        elif key[:2] in names and not (chosen and chosen[-1].left_out and chosen[-1].name == op.name):
            chosen.append(Operator(*key, (), (), (0, 0, 0, 0), (), {}, left_out=True))
    return chosen


# ---- writing C++ ----


def order(op: Operator) -> tuple[bytes, bytes, int]:
    return op.domain.encode(), op.name.encode(), op.since


def c_string(value: str | bytes) -> str:
    raw = value.encode() if isinstance(value, str) else value
    out = []
    for byte in raw:
        char = chr(byte)
        # Octal escapes of three digits end by themselves, unlike hexadecimal ones.
        out.append(char if 32 <= byte < 127 and char not in '"\\?' else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


class Writer:
    """Collects arrays; equal ones, and ones found inside a longer one, share their elements."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.pools: dict[str, list[str]] = {}
        self.bodies: dict[bytes, str] = {}

    def slice(self, type_name: str, items: Sequence[str]) -> str:
        if not items:
            return "{}"
        pool = self.pools.setdefault(type_name, [])
        n = len(items)
        items = list(items)
        start = next((i for i in range(len(pool) - n + 1) if pool[i] == items[0] and pool[i : i + n] == items), None)
        if start is None:
            start = len(pool)
            pool.extend(items)
        return f"{{k{type_name} + {start}, {n}}}"

    def function_bodies(self, by_opset: dict[int, bytes]) -> str:
        rows = []
        for opset, data in by_opset.items():
            name = self.bodies.setdefault(data, f"kBody{len(self.bodies)}")
            rows.append(f"{{{{{name}, {len(data)}}}, {opset}}}")
        return self.slice("FunctionBody", rows)


def attribute_row(a: Attribute, writer: Writer) -> str:
    integer, real, text, values, count = "0", "0", "nullptr", "nullptr", 0
    match a.default:
        case None:
            pass
        case int():
            integer = f"{a.default}"
        case float():
            real = f"{a.default!r}f" if a.default == a.default else '__builtin_nanf("")'
        case bytes():
            text = c_string(a.default)
        case tuple() if a.default and isinstance(a.default[0], bytes):
            text = c_string(b"\0".join(a.default))
            count = len(a.default)
        case tuple():
            count = len(a.default)
            if count:
                values = writer.slice("Int64", [str(v) for v in a.default]).strip("{}").split(",")[0]
        case _:
            raise ValueError(f"{a.name}: default {a.default!r}")
    given = "true" if a.default is not None else "false"
    return (
        f"{{{c_string(a.name)}, {text}, {values}, {integer}, {real}, {count}, "
        f"static_cast<Attribute::Type>({a.type}), {str(a.required).lower()}, {given}}}"
    )


def schema_row(op: Operator, writer: Writer) -> str:
    # Types: the constraints in use, then the types that parameters write out.
    names: list[str] = []
    for p in (*op.inputs, *op.outputs):
        if p.type not in names:
            names.append(p.type)
    types = []
    for name in names:
        tensors, others = allowed_types(op.constraints.get(name, (name,)))
        types.append(f"{{{c_string(name)}, {tensors:#x}, {others}}}")

    def parameters(formal: Sequence[Parameter]) -> str:
        rows = [
            f"{{{c_string(p.name)}, static_cast<FormalParameter::Option>({p.option}), "
            f"{names.index(p.type)}, {str(p.homogeneous).lower()}}}"
            for p in formal
        ]
        return writer.slice("FormalParameter", rows)

    attributes = writer.slice("AttributeSpec", [attribute_row(a, writer) for a in op.attributes])
    return (
        f"{{{c_string(op.domain)}, {c_string(op.name)}, {op.since}, {', '.join(map(str, op.arity))}, "
        f"{str(op.deprecated).lower()}, {str(op.left_out).lower()}, {parameters(op.inputs)}, {parameters(op.outputs)}, {attributes}, "
        f"{writer.slice('TypeConstraint', types)}, {writer.function_bodies(op.function_bodies)}}}"
    )


def generate(operators: Iterable[Operator], needs: dict[str, Any] | None = None) -> str:
    writer = Writer()
    ordered = sorted(operators, key=order)
    latest = {op.domain: 0 for op in ordered}
    for op in ordered:
        latest[op.domain] = max(latest[op.domain], op.since)
    rows = [schema_row(op, writer) for op in (ordered if needs is None else kept(ordered, needs))]
    c_types = {"Int64": "int64_t"}
    out = [
        f"// Generated by onnxlet/build/schema.py from onnx {onnx.__version__}. Not edited by hand.",
        '#include "schema/schema_table.h"',
        "",
        "namespace onnxlet {",
        "namespace {",
        "",
    ]
    for data, name in writer.bodies.items():
        out.append(f"constexpr char {name}[] = {c_string(data)};")
    out.append("")
    # Int64 first: attribute rows point into it.
    for name in sorted(writer.pools, key=lambda n: n != "Int64"):
        pool = writer.pools[name]
        out.append(f"constexpr {c_types.get(name, name)} k{name}[] = {{")
        out += [f"    {row}," for row in pool]
        out += ["};", ""]
    out += ["constexpr Schema kSchemas[] = {", *(f"    {row}," for row in rows), "};"]
    out += ["bool schemas_asked_data[std::size(kSchemas)];"]
    versions = (f"    {{{c_string(domain)}, {version}}}," for domain, version in latest.items())
    out += ["constexpr DomainVersion kVersions[] = {", *versions, "};", "", "}  // namespace", ""]
    out += ["std::span<const Schema> schema_table() { return kSchemas; }"]
    out += ["std::span<bool> schemas_asked() { return schemas_asked_data; }"]
    out += ["std::span<const DomainVersion> domain_versions() { return kVersions; }", "", "}  // namespace onnxlet", ""]
    return "\n".join(out)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--preprocessing", action="store_true", help="with the operators of preprocessing_schemas.py")
    parser.add_argument("--needs", type=Path, help="leave out what a build with these needs does without; see trim.py")
    options = parser.parse_args(arguments)
    needs = None if options.needs is None else json.loads(options.needs.read_text(encoding="utf-8"))
    more = from_preprocessing() if options.preprocessing else []
    text = generate([*from_onnx(), *from_contrib(), *more], needs)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
