// The packed model: the file's own bytes, with other nodes and initializers in some places.
import type { Graph, Node, Range } from '../model/types.js';
import { contentOf, field, fieldsOf, joined, numberField, textField } from '../model/wire.js';
import type { Layer } from './layers.js';
import type { Codes } from './quantize.js';
import { packBits } from './quantize.js';
import { tensorHead } from './tensors.js';

export const MICROSOFT = 'com.microsoft';

/** Bytes that stand in place of others. */
export interface Edit {
  readonly range: Range;
  readonly parts: readonly BlobPart[];
}

const [NODE_FIELD, INPUT, OUTPUT, NAME, OP_TYPE, ATTRIBUTE, DOMAIN] = [1, 1, 2, 3, 4, 5, 7];
const [FLOAT, UINT8, INT8, INT64] = [1, 2, 3, 7];

interface Made {
  readonly opType: string;
  readonly domain?: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly name: string;
  readonly attributes?: Readonly<Record<string, number>>;
}

/** Collects what a graph's file becomes. */
export class Rewriter {
  readonly edits: Edit[] = [];
  /** Whether a node of com.microsoft was written. */
  usesMicrosoft = false;
  private readonly names: Set<string>;
  private readonly constants: BlobPart[] = [];
  private readonly first: Uint8Array<ArrayBuffer>[] = [];
  private readonly replaced = new Map<Node, Uint8Array<ArrayBuffer>[]>();
  private readonly renamed = new Map<Node, Map<number, string>>();
  private readonly dropped = new Set<string>();

  constructor(private readonly graph: Graph) {
    this.names = new Set(namesIn(graph));
  }

  /** Every use becomes MatMulNBits or GatherBlockQuantized; tied ones share their bytes. */
  nbits({ weight, uses }: Layer, codes: Codes, accuracyLevel: number): void {
    const { grid, count, columns, blocks } = codes;
    const bytes = rowBytes(codes);
    const scales = this.constant(`${weight.name}.scales`, FLOAT, [count, blocks], codes.scales);
    const zeros = codes.zeroPoints && this.zeroPoints(weight.name, codes, codes.zeroPoints);
    const optional = zeros === undefined ? [] : [zeros];
    const looksUp = uses.some(({ node }) => node.opType === 'Gather');
    const perBlock = (grid.block * grid.bits) / 8;
    const table = looksUp ? this.constant(`${weight.name}.table`, UINT8, [count, blocks * perBlock], bytes) : undefined;
    let matrix: string | undefined;
    const matrixOf = () => {
      const shape = [count, blocks, perBlock];
      matrix ??=
        table === undefined
          ? this.constant(`${weight.name}.blocks`, UINT8, shape, bytes)
          : this.reshaped(table, shape, weight.name);
      return matrix;
    };
    const sizes = { bits: grid.bits, block_size: grid.block };
    for (const { node } of uses) {
      const base = node.name || node.outputs[0] || weight.name;
      const [output = ''] = node.outputs;
      const made = { domain: MICROSOFT, name: `${base}.packed` };
      if (node.opType === 'Gather' && table !== undefined) {
        const inputs = [table, node.inputs[1] ?? '', scales, ...optional];
        const attributes = { ...sizes, gather_axis: 0, quantize_axis: 1 };
        this.replace(node, [{ ...made, opType: 'GatherBlockQuantized', inputs, output, attributes }]);
        continue;
      }
      const inputs = [node.inputs[0] ?? '', matrixOf(), scales, ...optional];
      const attributes = { ...sizes, K: columns, N: count, accuracy_level: accuracyLevel };
      const bias = node.inputs[2] ?? '';
      const product = bias === '' ? output : this.fresh(`${base}.packed`);
      this.replace(node, [
        { ...made, opType: 'MatMulNBits', inputs, output: product, attributes },
        ...(bias === '' ? [] : [{ opType: 'Add', inputs: [product, bias], output, name: `${base}.biased` }]),
      ]);
    }
    this.usesMicrosoft = true;
    this.drop(weight.name);
    for (const { node, index, transposed } of uses) if (transposed) this.drop(node.inputs[index] ?? '');
  }

  /** All uses read the output of one DequantizeLinear, with a scale per output channel; `numbers` are in the weight's order. */
  dequantized({ weight, axis, uses }: Layer, codes: Codes, numbers: Int8Array | Uint8Array): void {
    const { count, grid } = codes;
    const output = this.fresh(`${weight.name}.dequantized`);
    const type = grid.symmetric ? INT8 : UINT8;
    const inputs = [
      this.constant(`${weight.name}.codes`, type, weight.shape, numbers),
      this.constant(`${weight.name}.scales`, FLOAT, [count], codes.scales),
      ...(codes.zeroPoints ? [this.constant(`${weight.name}.zero_points`, UINT8, [count], codes.zeroPoints)] : []),
    ];
    this.first.push(encoded({ opType: 'DequantizeLinear', inputs, output, name: output, attributes: { axis } }));
    const transposes = new Set(uses.filter((use) => use.transposed).map((use) => use.node.inputs[use.index]));
    for (const node of this.graph.nodes) {
      if (node.opType === 'Transpose' && transposes.has(node.outputs[0])) this.rename(node, 0, output);
    }
    for (const { node, index, transposed } of uses) if (!transposed) this.rename(node, index, output);
    this.drop(weight.name);
  }

  /** All edits of the file. `bytesOf` gives what a range of it holds. */
  async finish(bytesOf: (range: Range) => Promise<Uint8Array>): Promise<void> {
    const [front] = this.graph.nodes;
    if (front && this.first.length > 0) this.edits.push({ range: [front.range[0], front.range[0]], parts: this.first });
    for (const node of this.graph.nodes) {
      const parts = this.replaced.get(node);
      const renamed = this.renamed.get(node);
      if (parts) this.edits.push({ range: node.range, parts });
      else if (node.outputs.some((name) => this.dropped.has(name))) this.edits.push({ range: node.range, parts: [] });
      else if (renamed) {
        this.edits.push({ range: node.range, parts: [withInputs(await bytesOf(node.range), node, renamed)] });
      }
    }
    for (const { name, range } of this.graph.weights) if (this.dropped.has(name)) this.edits.push({ range, parts: [] });
  }

  /** What goes to the end of the graph. */
  get added(): readonly BlobPart[] {
    return this.constants;
  }

  /** Whether an initializer is still there. */
  keeps(name: string): boolean {
    return !this.dropped.has(name);
  }

  private zeroPoints(name: string, { grid: { bits }, count, blocks }: Codes, zeros: Uint8Array): string {
    const width = Math.ceil((blocks * bits) / 8);
    const bytes = new Uint8Array(count * width);
    for (let row = 0; row < count; row++) {
      bytes.set(packBits(zeros.subarray(row * blocks, (row + 1) * blocks), bits), row * width);
    }
    return this.constant(`${name}.zero_points`, UINT8, [count, width], bytes);
  }

  private reshaped(table: string, shape: readonly number[], name: string): string {
    const sizes = BigInt64Array.from(shape.map(BigInt));
    const target = this.constant(`${name}.shape`, INT64, [shape.length], sizes);
    const output = this.fresh(`${name}.blocks`);
    this.first.push(encoded({ opType: 'Reshape', inputs: [table, target], output, name: output }));
    return output;
  }

  private constant(
    name: string,
    type: number,
    shape: readonly number[],
    data: Uint8Array | Int8Array | Float32Array | BigInt64Array,
  ): string {
    const free = this.fresh(name);
    this.constants.push(tensorHead(free, type, shape, data.byteLength), data as Uint8Array<ArrayBuffer>);
    return free;
  }

  private replace(node: Node, made: readonly Made[]): void {
    this.replaced.set(node, made.map(encoded));
  }

  private rename(node: Node, index: number, name: string): void {
    this.renamed.set(node, new Map([...(this.renamed.get(node) ?? []), [index, name]]));
  }

  private drop(name: string): void {
    this.dropped.add(name);
  }

  private fresh(name: string): string {
    let free = name;
    for (let count = 1; this.names.has(free); count++) free = `${name}.${count}`;
    this.names.add(free);
    return free;
  }
}

/** Rows of codes as com.microsoft's operators store them: unsigned, each filled up to whole blocks with 0. */
function rowBytes({ grid, count, columns, blocks, codes }: Codes): Uint8Array<ArrayBuffer> {
  const width = blocks * grid.block;
  const middle = grid.symmetric ? 2 ** (grid.bits - 1) : 0;
  const row = new Uint8Array(width);
  const perRow = (width * grid.bits) / 8;
  const bytes = new Uint8Array(count * perRow);
  for (let at = 0; at < count; at++) {
    for (let column = 0; column < columns; column++) row[column] = (codes[at * columns + column] ?? 0) + middle;
    bytes.set(packBits(row, grid.bits), at * perRow);
  }
  return bytes;
}

function encoded({ opType, domain, inputs, output, name, attributes }: Made): Uint8Array<ArrayBuffer> {
  const parts = [
    ...inputs.map((input) => textField(INPUT, input)),
    textField(OUTPUT, output),
    textField(NAME, name),
    textField(OP_TYPE, opType),
    ...Object.entries(attributes ?? {}).map(([key, value]) => field(ATTRIBUTE, integer(key, value))),
    ...(domain === undefined ? [] : [textField(DOMAIN, domain)]),
  ];
  return field(NODE_FIELD, joined(parts));
}

function integer(name: string, value: number): Uint8Array<ArrayBuffer> {
  const [ATTRIBUTE_NAME, INTEGER, TYPE, TYPE_INTEGER] = [1, 3, 20, 2];
  return joined([textField(ATTRIBUTE_NAME, name), numberField(INTEGER, value), numberField(TYPE, TYPE_INTEGER)]);
}

/** A node with other names for some inputs; all else is as the file has it. */
function withInputs(bytes: Uint8Array, node: Node, renamed: ReadonlyMap<number, string>): Uint8Array<ArrayBuffer> {
  const rest = fieldsOf(contentOf(bytes)).filter(({ tag }) => tag !== INPUT);
  const inputs = node.inputs.map((name, at) => textField(INPUT, renamed.get(at) ?? name));
  return field(NODE_FIELD, joined([...inputs, ...rest.map(({ bytes: own }) => own)]));
}

/** All names of values and nodes, those of inner graphs included. */
function namesIn(graph: Graph): string[] {
  return [
    ...[...graph.inputs, ...graph.outputs, ...graph.weights].map(({ name }) => name),
    ...graph.nodes.flatMap(({ name, inputs, outputs, attributes }) => [
      ...[name, ...inputs, ...outputs],
      ...attributes.flatMap(({ graph: inner }) => (inner ? namesIn(inner) : [])),
    ]),
  ];
}
