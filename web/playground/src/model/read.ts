// Reads an ONNX file without its weights. Field numbers are those of onnx.proto.
import { PbfReader } from 'pbf';
import { bytesOf, elementTypeName } from './element-types.js';
import type { Attribute, Dim, Graph, Model, Node, Range, ValueInfo, ValueType, Weight } from './types.js';

/** The file is no ONNX model; the message says what was found where. */
export class NotAModel extends Error {
  override readonly name = 'NotAModel';
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

export function readModel(bytes: Uint8Array): Model {
  const model = {
    irVersion: 0,
    producer: '',
    doc: '',
    opsets: [] as [string, number][],
    metadata: [] as [string, string][],
    functions: [] as string[],
    graph: undefined as Graph | undefined,
    graphRange: [0, 0, 0] as [number, number, number],
  };
  const external = new Set<string>();
  const pbf = new PbfReader(bytes);
  try {
    pbf.readFields((tag) => {
      if (tag === 1) model.irVersion = pbf.readVarint();
      else if (tag === 2) model.producer = pbf.readString() + model.producer;
      else if (tag === 3) model.producer += ` ${pbf.readString()}`;
      else if (tag === 6) model.doc = pbf.readString();
      else if (tag === 7) {
        const head = pbf.pos - 1;
        const end = pbf.readVarint() + pbf.pos;
        model.graphRange = [head, pbf.pos, end];
        model.graph = readGraph(pbf, end, external);
      } else if (tag === 8) model.opsets.push(readOpset(pbf));
      else if (tag === 14) model.metadata.push(readEntry(pbf));
      else if (tag === 25) model.functions.push(readFunctionName(pbf));
    }, undefined);
  } catch (cause) {
    throw notAModel(bytes, pbf.pos, cause);
  }
  const { graph, ...rest } = model;
  if (!graph || pbf.pos !== bytes.length) throw notAModel(bytes, pbf.pos);
  return { ...rest, graph, producer: rest.producer.trim(), externalFiles: [...external] };
}

function notAModel(bytes: Uint8Array, position: number, cause?: unknown): NotAModel {
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().toLowerCase();
  if (bytes.length === 0) return new NotAModel('the file is empty');
  if (start.startsWith('<')) return new NotAModel('it is a web page or XML: the download probably went wrong');
  if (start.startsWith('version https://git-lfs')) {
    return new NotAModel('it is a pointer of Git LFS: run "git lfs pull" to get the file itself');
  }
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return new NotAModel('it is a ZIP archive: unpack it first');
  const place = Math.min(position, bytes.length);
  const problem = position > bytes.length ? `it ends in the middle of a part` : `it is damaged`;
  return new NotAModel(`${problem} (byte ${place} of ${bytes.length})`, { cause });
}

/** The fields of an embedded message; returns where it lies, with its tag of one byte. */
function fields(pbf: PbfReader, read: (tag: number) => void): Range {
  const start = pbf.pos - 1;
  const end = pbf.readVarint() + pbf.pos;
  if (end > pbf.length) {
    pbf.pos = end;
    throw new Error('the message ends beyond the file');
  }
  pbf.readFields(read, undefined, end);
  return [start, end];
}

function readGraph(pbf: PbfReader, end: number, external: Set<string>): Graph {
  const graph: Mutable<Graph> = {
    ...{ name: '', doc: '' },
    ...{ nodes: [], inputs: [], inputRanges: [], outputs: [], weights: [], values: [] },
  };
  if (end > pbf.length) {
    pbf.pos = end;
    throw new Error('the graph ends beyond the file');
  }
  pbf.readFields(
    (tag) => {
      if (tag === 1) graph.nodes.push(readNode(pbf, graph.nodes.length, external));
      else if (tag === 2) graph.name = pbf.readString();
      else if (tag === 5) graph.weights.push(readWeight(pbf, external));
      else if (tag === 10) graph.doc = pbf.readString();
      else if (tag === 11) {
        const start = pbf.pos - 1;
        graph.inputs.push(readValueInfo(pbf));
        graph.inputRanges.push([start, pbf.pos]);
      } else if (tag === 12) graph.outputs.push(readValueInfo(pbf));
      else if (tag === 13) graph.values.push(readValueInfo(pbf));
      else if (tag === 15) graph.weights.push(readSparse(pbf, external));
    },
    undefined,
    end,
  );
  return graph;
}

function readNode(pbf: PbfReader, index: number, external: Set<string>): Node {
  const node: Omit<Mutable<Node>, 'range'> = {
    ...{ index, name: '', opType: '', domain: '' },
    ...{ inputs: [], outputs: [], attributes: [] },
  };
  const range = fields(pbf, (tag) => {
    if (tag === 1) node.inputs.push(pbf.readString());
    else if (tag === 2) node.outputs.push(pbf.readString());
    else if (tag === 3) node.name = pbf.readString();
    else if (tag === 4) node.opType = pbf.readString();
    else if (tag === 5) node.attributes.push(readAttribute(pbf, external));
    else if (tag === 7) node.domain = pbf.readString();
  });
  return { ...node, range };
}

function readWeight(pbf: PbfReader, external: Set<string>): Weight {
  let [name, type, place] = ['', 0, 0];
  const shape: number[] = [];
  let location: string | undefined;
  let stored = 0;
  const range = fields(pbf, (tag) => {
    if (tag === 1) integers(pbf, shape);
    else if (tag === 2) type = pbf.readVarint();
    else if (tag === 8) name = pbf.readString();
    else if (tag === 9) stored += pbf.readBytes().length;
    else if (tag === 6) stored += pbf.readBytes().length;
    else if (tag === 14) place = pbf.readVarint();
    else if (tag === 13) {
      const [key, value] = readEntry(pbf);
      if (key === 'location') location = value;
    }
  });
  if (location !== undefined) external.add(location);
  const elements = shape.reduce((product, dim) => product * dim, 1);
  return {
    name,
    type: elementTypeName(type),
    shape,
    bytes: bytesOf(type, elements) || stored,
    external: place === 1,
    range,
  };
}

function readSparse(pbf: PbfReader, external: Set<string>): Weight {
  let weight: Weight = { name: '', type: 'float', shape: [], bytes: 0, external: false, range: [0, 0] };
  const range = fields(pbf, (tag) => {
    if (tag === 1) weight = readWeight(pbf, external);
  });
  return { ...weight, range };
}

function readValueInfo(pbf: PbfReader): ValueInfo {
  let name = '';
  let type: ValueType = { type: '', shape: null };
  fields(pbf, (tag) => {
    if (tag === 1) name = pbf.readString();
    else if (tag === 2) type = readType(pbf);
  });
  return { name, ...type };
}

function readType(pbf: PbfReader): ValueType {
  let made: ValueType = { type: '', shape: null };
  fields(pbf, (tag) => {
    if (tag === 1) made = readTensorType(pbf, 'tensor');
    else if (tag === 8) made = readTensorType(pbf, 'sparse_tensor');
    else if (tag === 4) made = { type: `seq(${readElement(pbf)})`, shape: null };
    else if (tag === 9) made = { type: `optional(${readElement(pbf)})`, shape: null };
    else if (tag === 5) {
      let [key, value] = ['', ''];
      fields(pbf, (part) => {
        if (part === 1) key = elementTypeName(pbf.readVarint());
        else if (part === 2) value = readType(pbf).type;
      });
      made = { type: `map(${key},${value})`, shape: null };
    }
  });
  return made;
}

function readElement(pbf: PbfReader): string {
  let element = '';
  fields(pbf, (tag) => {
    if (tag === 1) element = readType(pbf).type;
  });
  return element;
}

function readTensorType(pbf: PbfReader, kind: string): ValueType {
  let element = 0;
  let shape: Dim[] | null = null;
  fields(pbf, (tag) => {
    if (tag === 1) element = pbf.readVarint();
    else if (tag === 2) {
      const dims: Dim[] = [];
      fields(pbf, (part) => {
        if (part === 1) dims.push(readDim(pbf));
      });
      shape = dims;
    }
  });
  return { type: `${kind}(${elementTypeName(element)})`, shape };
}

function readDim(pbf: PbfReader): Dim {
  let dim: Dim = null;
  fields(pbf, (tag) => {
    if (tag === 1) dim = pbf.readVarint(true);
    else if (tag === 2) dim = pbf.readString() || null;
  });
  return typeof dim === 'number' && dim < 0 ? null : dim;
}

const MOST_SHOWN = 24;
/** Longer lists are the numbers of trees: nobody but the engine reads them. */
const MOST_KEPT = 8;

function readAttribute(pbf: PbfReader, external: Set<string>): Attribute {
  let name = '';
  let text: string | undefined;
  const graphs: Graph[] = [];
  const numbers: number[] = [];
  const strings: string[] = [];
  const types: number[] = [];
  let tensor: Weight | undefined;
  fields(pbf, (tag) => {
    if (tag === 1) name = pbf.readString();
    else if (tag === 2) text = shortNumber(one(numbers, pbf.readFloat()));
    else if (tag === 3) text = String(one(numbers, pbf.readVarint(true)));
    else if (tag === 4) text = JSON.stringify(shortened(pbf.readString()));
    else if (tag === 5) text = describeWeight((tensor = readWeight(pbf, external)));
    else if (tag === 6) {
      const inner = readGraph(pbf, pbf.readVarint() + pbf.pos, external);
      graphs.push(inner);
      text = `a graph of ${inner.nodes.length} nodes`;
    } else if (tag === 7) floats(pbf, numbers);
    else if (tag === 8) integers(pbf, numbers);
    else if (tag === 9) strings.push(shortened(pbf.readString()));
    else if (tag === 20) types.push(pbf.readVarint());
  });
  // Those from 6 on are lists.
  text ??= (types[0] ?? 0) > 5 || numbers.length > 0 || strings.length > 0 ? listText(numbers, strings) : '';
  const [graph] = graphs;
  return {
    name,
    text,
    ...(numbers.length > 0 && numbers.length <= MOST_KEPT ? { numbers } : {}),
    ...(graph ? { graph } : {}),
    ...(tensor ? { tensor } : {}),
  };
}

function one(numbers: number[], value: number): number {
  numbers.push(value);
  return value;
}

function describeWeight({ type, shape }: Weight): string {
  return `${type}[${shape.join(', ')}]`;
}

function listText(numbers: readonly number[], strings: readonly string[]): string {
  const all = [...numbers.map(shortNumber), ...strings.map((text) => JSON.stringify(text))];
  const more = all.length > MOST_SHOWN ? `, … ${all.length} in all` : '';
  return `[${all.slice(0, MOST_SHOWN).join(', ')}${more}]`;
}

function shortNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Packed or one by one, as writers please. */
function integers(pbf: PbfReader, into: number[]): void {
  if (pbf.type === 2) pbf.readPackedVarint(into, true);
  else into.push(pbf.readVarint(true));
}

function floats(pbf: PbfReader, into: number[]): void {
  if (pbf.type === 2) pbf.readPackedFloat(into);
  else into.push(pbf.readFloat());
}

function readOpset(pbf: PbfReader): [string, number] {
  const opset: [string, number] = ['', 0];
  fields(pbf, (tag) => {
    if (tag === 1) opset[0] = pbf.readString();
    else if (tag === 2) opset[1] = pbf.readVarint(true);
  });
  return opset;
}

function readEntry(pbf: PbfReader): [string, string] {
  const entry: [string, string] = ['', ''];
  fields(pbf, (tag) => {
    if (tag === 1) entry[0] = pbf.readString();
    else if (tag === 2) entry[1] = pbf.readString();
  });
  return entry;
}

function readFunctionName(pbf: PbfReader): string {
  let [name, domain] = ['', ''];
  fields(pbf, (tag) => {
    if (tag === 1) name = pbf.readString();
    else if (tag === 10) domain = pbf.readString();
  });
  return domain ? `${domain}.${name}` : name;
}
