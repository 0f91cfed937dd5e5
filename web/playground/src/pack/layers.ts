// What of a model can be packed, as onnxlet/packing/layers.py finds it: constant weights, and the nodes that use them.
import type { Graph, Model, Node, Weight } from '../model/types.js';
import { operatorName } from '../model/types.js';

/** A node that uses a weight. */
export interface Use {
  readonly node: Node;
  /** Which input of the node the weight comes in by. */
  readonly index: number;
  /** A Transpose of the two axes stands between. */
  readonly transposed: boolean;
}

/** A constant weight and all nodes that use it: tied weights are one layer. */
export interface Layer {
  readonly name: string;
  readonly weight: Weight;
  readonly uses: readonly Use[];
  /** Of the output channels, in the weight as it is stored. */
  readonly axis: number;
  /** Numbers of a row. */
  readonly columns: number;
}

export interface Survey {
  readonly layers: readonly Layer[];
  /** Nodes without a layer, with a sentence that says why. */
  readonly skipped: ReadonlyMap<Node, string>;
}

interface Rule {
  readonly index: number;
  /** Undefined where the node has no form at all. */
  axis(node: Node, rank: number): number | undefined;
}

const RULES: Readonly<Record<string, Rule>> = {
  Conv: { index: 1, axis: () => 0 },
  ConvTranspose: { index: 1, axis: () => 1 },
  Gemm: { index: 1, axis: (node) => (numberOf(node, 'transB', 0) ? 0 : 1) },
  MatMul: { index: 1, axis: (_node, rank) => (rank === 2 ? 1 : undefined) },
  Gather: {
    index: 0,
    axis: (node, rank) => (rank === 2 && [0, -rank].includes(numberOf(node, 'axis', 0)) ? 0 : undefined),
  },
};
const RECURRENT = ['LSTM', 'GRU', 'RNN'];

/** Operators that show that a model was quantized before. */
const QUANTIZED = new Set(
  (
    'QuantizeLinear DequantizeLinear DynamicQuantizeLinear MatMulInteger ConvInteger QLinearConv QLinearMatMul MatMulNBits ' +
    'MatMulBnb4 GatherBlockQuantized QGemm QAttention QMoE DynamicQuantizeMatMul DynamicQuantizeLSTM MatMulIntegerToFloat'
  ).split(' '),
);
const MANY = 1024;

/** Counts of operators that show that a model was quantized before, those of inner graphs included. */
export function quantizedOperators(graph: Graph, counts = new Map<string, number>()): Map<string, number> {
  for (const { opType, attributes } of graph.nodes) {
    if (QUANTIZED.has(opType) || opType.startsWith('QLinear')) counts.set(opType, (counts.get(opType) ?? 0) + 1);
    for (const { graph: inner } of attributes) if (inner) quantizedOperators(inner, counts);
  }
  return counts;
}

export function survey({ graph, irVersion }: Model): Survey {
  const constants = constantsOf(graph, irVersion);
  const skipped = new Map<Node, string>();
  const uses = new Map<Weight, Use[]>();
  for (const node of graph.nodes) {
    const found = weightOf(node, constants);
    if (typeof found === 'string') skipped.set(node, found);
    else uses.set(found.weight, [...(uses.get(found.weight) ?? []), found.use]);
  }
  const readers = readersOf(graph);
  const layers: Layer[] = [];
  for (const [weight, places] of uses) {
    const made = layerOf(weight, places, graph, readers);
    if (typeof made !== 'string') layers.push(made);
    else for (const { node } of places) skipped.set(node, made);
  }
  return { layers, skipped };
}

interface Constants {
  readonly weights: ReadonlyMap<string, Weight>;
  readonly makers: ReadonlyMap<string, Node>;
}

/** Constant nodes, and initializers that no caller can replace. Before IR version 4 all are listed as inputs, and constants all the same. */
function constantsOf(graph: Graph, irVersion: number): Constants {
  const inputs = new Set(irVersion < 4 ? [] : graph.inputs.map(({ name }) => name));
  const initializers = graph.weights.filter(({ name }) => !inputs.has(name));
  const written = graph.nodes.flatMap(({ opType, outputs: [name], attributes }) => {
    const tensor = opType === 'Constant' && attributes.find((attribute) => attribute.name === 'value')?.tensor;
    return tensor && name ? [{ ...tensor, name }] : [];
  });
  return {
    weights: new Map([...initializers, ...written].map((weight) => [weight.name, weight])),
    makers: new Map(graph.nodes.flatMap((node) => node.outputs.map((output) => [output, node] as const))),
  };
}

/** The weight of a node, or why it has none. */
function weightOf(node: Node, constants: Constants): { weight: Weight; use: Use } | string {
  const own = node.domain === '' || node.domain === 'ai.onnx';
  if (own && RECURRENT.includes(node.opType)) {
    return `the page has no form for ${node.opType}; onnxlet pack has`;
  }
  const rule = own ? RULES[node.opType] : undefined;
  if (!rule) return withoutRule(node, constants);
  const value = node.inputs[rule.index] ?? '';
  const direct = constants.weights.get(value);
  if (direct) return { weight: direct, use: { node, index: rule.index, transposed: false } };
  const maker = constants.makers.get(value);
  const source = maker && constants.weights.get(maker.inputs[0] ?? '');
  if (source && isTranspose(maker, source)) {
    return { weight: source, use: { node, index: rule.index, transposed: true } };
  }
  if (maker && isStoredSmall(maker, constants)) return 'its weights are stored small already';
  if (node.opType === 'MatMul' && constants.weights.has(node.inputs[0] ?? '')) {
    return 'its constant is the left operand, for which there is no form';
  }
  return `${node.opType} gets its weights while the model runs; they are no constants`;
}

function withoutRule(node: Node, { weights }: Constants): string {
  const sizes = node.inputs.flatMap((name) => {
    const weight = weights.get(name);
    return weight && /float|double/.test(weight.type) ? [elementsOf(weight)] : [];
  });
  const large = sizes.find((size) => size >= MANY);
  const kind = operatorName(node);
  return large === undefined
    ? `${kind} has no weights`
    : `${kind} has a constant of ${large} numbers, but the packer has no rule for it`;
}

function isTranspose(node: Node, { shape }: Weight): boolean {
  const order = node.attributes.find(({ name }) => name === 'perm')?.numbers?.join() ?? '1,0';
  return node.opType === 'Transpose' && node.domain === '' && shape.length === 2 && order === '1,0';
}

/** Whether a value is made of a constant of at most 16 bits. */
function isStoredSmall(node: Node, constants: Constants, depth = 0): boolean {
  if (depth > 4 || (depth === 0 && !['Cast', 'Mul'].includes(node.opType))) return false;
  return node.inputs.some((name) => {
    const weight = constants.weights.get(name);
    if (weight && weight.bytes <= 2 * elementsOf(weight)) return true;
    const maker = constants.makers.get(name);
    return maker !== undefined && isStoredSmall(maker, constants, depth + 1);
  });
}

/** The layer, or why there is none. */
function layerOf(weight: Weight, uses: readonly Use[], graph: Graph, readers: Readers): Layer | string {
  const name = JSON.stringify(weight.name);
  if (weight.type !== 'float') return `its weight ${name} has type ${weight.type}; only float is packed`;
  const size = elementsOf(weight);
  if (size === 0) return `its weight ${name} has no numbers`;
  if (graph.outputs.some((output) => output.name === weight.name)) {
    return `its weight ${name} is an output of the graph`;
  }
  const other = otherReader(weight.name, uses, readers);
  if (other) {
    const place = other.inner ? ', inside its graph' : '';
    return `its weight ${name} is also used by ${JSON.stringify(other.node.name)} (${other.node.opType})${place}, for which there is no rule`;
  }
  const axes = new Set<number>();
  for (const { node, transposed } of uses) {
    const axis = RULES[node.opType]?.axis(node, weight.shape.length);
    if (axis === undefined) {
      return `${node.opType} with a weight of rank ${weight.shape.length} or on this axis has no form`;
    }
    axes.add(transposed ? 1 - axis : axis);
  }
  const [axis = 0] = axes;
  if (axes.size > 1) return `its weight ${name} is shared by nodes that need scales along different axes`;
  const label = uses[0]?.node.name || weight.name;
  return { name: label, weight, uses, axis, columns: size / (weight.shape[axis] ?? 1) };
}

/** A reader of the weight, or of its transpose, that is none of the uses. */
function otherReader(name: string, uses: readonly Use[], readers: Readers): Reader | undefined {
  for (const reader of readers.get(name) ?? []) {
    const { node, index } = reader;
    if (uses.some((use) => use.node === node && use.index === index)) continue;
    const [output = ''] = node.outputs;
    const leads = !reader.inner && uses.some((use) => use.transposed && use.node.inputs[use.index] === output);
    const found = leads ? otherReader(output, uses, readers) : reader;
    if (found) return found;
  }
  return undefined;
}

interface Reader {
  readonly node: Node;
  readonly index: number;
  /** A graph inside the node reads it. */
  readonly inner: boolean;
}

type Readers = ReadonlyMap<string, readonly Reader[]>;

/** Who reads the values of a graph, by name. */
function readersOf(graph: Graph): Readers {
  const readers = new Map<string, Reader[]>();
  const add = (name: string, reader: Reader) => {
    const known = readers.get(name);
    if (known) known.push(reader);
    else readers.set(name, [reader]);
  };
  for (const node of graph.nodes) {
    node.inputs.forEach((name, index) => add(name, { node, index, inner: false }));
    for (const name of innerNames(node)) add(name, { node, index: -1, inner: true });
  }
  return readers;
}

/** All names that graphs inside a node read, their own included. */
function innerNames({ attributes }: Node): string[] {
  return attributes.flatMap(({ graph }) =>
    graph
      ? [
          ...graph.nodes.flatMap((node) => [...node.inputs, ...innerNames(node)]),
          ...graph.outputs.map(({ name }) => name),
        ]
      : [],
  );
}

export function numberOf(node: Node, name: string, otherwise: number): number {
  return node.attributes.find((attribute) => attribute.name === name)?.numbers?.[0] ?? otherwise;
}

export function elementsOf({ shape }: Weight): number {
  return shape.reduce((product, dim) => product * dim, 1);
}
