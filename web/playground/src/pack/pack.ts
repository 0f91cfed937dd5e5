// From a model to a smaller one, as `onnxlet pack` with method=rtn and form=nbits makes it, and what was done to every node.
import type { Graph, Model, Range } from '../model/types.js';
import { operatorName, opsetOf } from '../model/types.js';
import { fieldHead, fieldsOf, field, joined, numberField, textField } from '../model/wire.js';
import type { Layer } from './layers.js';
import { elementsOf, numberOf, quantizedOperators, survey } from './layers.js';
import type { PackOptions } from './options.js';
import { PER_CHANNEL, schemeText } from './options.js';
import { PackProblem } from './problem.js';
import type { Codes, Grid } from './quantize.js';
import { roundToNearest } from './quantize.js';
import { MICROSOFT, Rewriter } from './rewrite.js';
import { placed, rowsOf } from './rows.js';
import type { Source } from './tensors.js';
import { embedded, floatsOf } from './tensors.js';

export interface LayerRow {
  readonly layer: string;
  readonly operators: readonly string[];
  readonly weight: string;
  readonly shape: readonly number[];
  readonly scheme: string;
  /** Why it is another scheme than the one asked for. */
  readonly reason: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Decibels of the weights; null where rounding changed nothing. */
  readonly signalToNoise: number | null;
}

export interface SkippedRow {
  readonly node: string;
  readonly operator: string;
  readonly reason: string;
}

export interface PackReport {
  readonly scheme: string;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly layers: readonly LayerRow[];
  readonly skipped: readonly SkippedRow[];
}

export interface Packed {
  readonly file: Blob;
  readonly report: PackReport;
}

/** Done and all bytes of weights, and the layer that is worked on. */
export type Progress = (done: number, all: number, layer: string) => void;

/** Weights with fewer numbers stay. */
const LEAST_ELEMENTS = 256;
/** Where the scale of a block would pass the largest float. */
const LARGEST = 1e38;
/** Protocol buffers end here. */
const MOST_BYTES = 2 ** 31 - 1;

/** Throws PackProblem. The model has its outputs, inputs and metadata, and what is no weight of a layer, as they were. */
export async function pack(source: Source, options: PackOptions, progress: Progress): Promise<Packed> {
  const { file, companions, parsed } = source;
  const { graph } = parsed;
  refuseQuantized(parsed);
  refuseMissing(source);
  const { layers, skipped } = survey(parsed);
  const reasons = new Map(skipped);
  const rows: LayerRow[] = [];
  const rewriter = new Rewriter(graph);
  const all = layers.reduce((sum, { weight }) => sum + weight.bytes, 0);
  let done = 0;
  for (const layer of layers) {
    progress(done, all, layer.name);
    const made = await packLayer(source, layer, options, rewriter);
    if (typeof made === 'string') for (const { node } of layer.uses) reasons.set(node, made);
    else rows.push(made);
    done += layer.weight.bytes;
  }
  if (rows.length === 0) throw nothing(reasons);
  progress(all, all, '');
  const bytesBefore = [...companions.values()].reduce((sum, { size }) => sum + size, file.size);
  const packed = await assembled(source, rewriter, schemeText(options));
  if (packed.size >= bytesBefore) {
    throw new PackProblem('larger', `it would have ${packed.size} bytes, and has ${bytesBefore} now`);
  }
  const report = {
    ...{ scheme: schemeText(options), bytesBefore, bytesAfter: packed.size, layers: rows },
    skipped: [...reasons].map(([node, reason]) => ({
      ...{ node: node.name || node.outputs[0] || '', operator: operatorName(node), reason },
    })),
  };
  return { file: packed, report };
}

function refuseQuantized({ graph }: Model): void {
  const counts = [...quantizedOperators(graph)].sort(([a], [b]) => a.localeCompare(b));
  if (counts.length === 0) return;
  const words = counts.map(([operator, count]) => `${count} ${operator}`).join(', ');
  throw new PackProblem('packed already', `it has ${words}`);
}

/** All weights are to end up in one file: others must be there, and be those of the main graph. */
function refuseMissing({ parsed: { externalFiles, graph }, companions }: Source): void {
  const missing = externalFiles.filter((path) => !companions.has(path));
  if (missing.length > 0) throw new PackProblem('other files', `missing: ${missing.join(', ')}`);
  const inner = graph.nodes.find(({ attributes }) =>
    attributes.some(({ graph: inside, tensor }) => tensor?.external === true || (inside && hasExternal(inside))),
  );
  if (inner) {
    const words = `node ${JSON.stringify(inner.name)} (${inner.opType}) has weights in ${externalFiles.join(', ')}`;
    throw new PackProblem('inner files', words);
  }
}

function hasExternal({ weights, nodes }: Graph): boolean {
  return (
    weights.some(({ external }) => external) ||
    nodes.some(({ attributes }) =>
      attributes.some(({ graph, tensor }) => tensor?.external === true || (graph && hasExternal(graph))),
    )
  );
}

function nothing(reasons: ReadonlyMap<unknown, string>): PackProblem {
  const telling = [...new Set(reasons.values())].filter((reason) => !reason.endsWith('has no weights'));
  const words = telling.length > 0 ? telling.slice(0, 3).join('; ') : 'none of its nodes has weights';
  return new PackProblem('nothing to pack', words);
}

/** What was done to a layer, or why it stays. */
async function packLayer(
  source: Source,
  layer: Layer,
  options: PackOptions,
  rewriter: Rewriter,
): Promise<LayerRow | string> {
  const { weight, uses, axis } = layer;
  const size = elementsOf(weight);
  if (size < LEAST_ELEMENTS) return `its weight has ${size} numbers, fewer than ${LEAST_ELEMENTS}`;
  const lack = lacksBlocks(layer, options.block);
  const refusal = lack === undefined ? undefined : lacksChannels(layer, source.parsed, options);
  if (lack !== undefined && refusal !== undefined) return refusal === '' ? lack : `${lack}; ${refusal}`;
  const grid: Grid =
    lack === undefined
      ? { bits: options.bits, block: options.block, symmetric: options.symmetric }
      : { bits: 8, block: 0, symmetric: true };
  const bytesAfter = bytesOf(layer, grid);
  if (bytesAfter >= weight.bytes) return `packed it would have ${bytesAfter} bytes, and has ${weight.bytes} now`;
  const numbers = await floatsOf(source, weight);
  if (!numbers.every((number) => Math.abs(number) <= LARGEST)) {
    return `its weight ${JSON.stringify(weight.name)} has numbers that are not finite, or too large for a scale`;
  }
  const codes = roundToNearest(rowsOf(numbers, weight.shape, axis), grid);
  if (lack === undefined) rewriter.nbits(layer, codes, options.roundsInputs ? 4 : 0);
  else rewriter.dequantized(layer, codes, placed(codes, weight.shape, axis));
  return {
    layer: layer.name,
    operators: [...new Set(uses.map(({ node }) => node.opType))],
    weight: weight.name,
    shape: weight.shape,
    scheme: lack === undefined ? schemeText(options) : PER_CHANNEL,
    reason: lack ?? '',
    bytesBefore: weight.bytes,
    bytesAfter,
    signalToNoise: decibels(codes),
  };
}

function decibels({ signalToNoise }: Codes): number | null {
  return Number.isFinite(signalToNoise) ? Number(signalToNoise.toFixed(2)) : null;
}

/** Why the operators with blocks have no form for a layer. */
function lacksBlocks({ uses, columns }: Layer, block: number): string | undefined {
  for (const { node } of uses) {
    if (node.opType === 'Gemm') {
      if (numberOf(node, 'transA', 0) || numberOf(node, 'alpha', 1) !== 1)
        return 'MatMulNBits has neither transA nor alpha';
      if (numberOf(node, 'beta', 1) !== 1) return 'MatMulNBits has no beta';
    } else if (node.opType === 'Gather' && columns % block) {
      return `GatherBlockQuantized needs rows of whole blocks; ${columns} is no multiple of ${block}`;
    } else if (node.opType !== 'MatMul' && node.opType !== 'Gather') {
      return `${node.opType} has no form with blocks`;
    }
  }
  return undefined;
}

const CHANNEL_OPSET = 13;

/** Why a layer cannot be stored by channel either; '' where that was not wanted. */
function lacksChannels({ uses }: Layer, model: Model, { convolutions }: PackOptions): string | undefined {
  if (!convolutions) return '';
  if (uses.some(({ node }) => node.opType === 'Gather')) return 'as a whole it would become floats at each look-up';
  const opset = opsetOf(model) ?? 1;
  return opset < CHANNEL_OPSET
    ? `a scale per channel needs opset ${CHANNEL_OPSET}, and the model has ${opset}`
    : undefined;
}

/** Of codes, scales and zero points. */
function bytesOf({ weight, columns }: Layer, { bits, block, symmetric }: Grid): number {
  const rows = elementsOf(weight) / columns;
  const blocks = block ? Math.ceil(columns / block) : 1;
  const codes = rows * (block ? (blocks * block * bits) / 8 : columns);
  return codes + rows * (4 * blocks + (symmetric ? 0 : Math.ceil((blocks * bits) / 8)));
}

const [IR_VERSION, GRAPH, OPSET, METADATA] = [1, 7, 8, 14];
const [KEY, VALUE] = [1, 2];

async function assembled(source: Source, rewriter: Rewriter, scheme: string): Promise<Blob> {
  const { file, parsed } = source;
  const { graph, graphRange, irVersion } = parsed;
  const [head, start, end] = graphRange;
  const bytesOf = async ([from, to]: Range) => new Uint8Array(await file.slice(from, to).arrayBuffer());
  await rewriter.finish(bytesOf);
  const edits = [...rewriter.edits];
  for (const weight of graph.weights) {
    if (weight.external && rewriter.keeps(weight.name)) {
      edits.push({ range: weight.range, parts: await embedded(source, weight) });
    }
  }
  // Before IR version 4 initializers are inputs too, which new ones would have to be as well.
  const old = irVersion < 4;
  const stored = new Set(graph.weights.map(({ name }) => name));
  graph.inputs.forEach(({ name }, at) => {
    const range = graph.inputRanges[at];
    if (old && range && stored.has(name)) edits.push({ range, parts: [] });
  });
  edits.sort((a, b) => a.range[0] - b.range[0] || a.range[1] - b.range[1]);
  const parts: BlobPart[] = [];
  let at = start;
  for (const { range, parts: own } of edits) {
    parts.push(file.slice(at, range[0]), ...own);
    at = range[1];
  }
  const content = new Blob([...parts, file.slice(at, end), ...rewriter.added]);
  const around = await Promise.all([bytesOf([0, head]), bytesOf([end, file.size])]);
  const [before, after] = around.map((bytes) => (old ? withoutVersion(bytes) : bytes));
  const declared = parsed.opsets.some(([domain]) => domain === MICROSOFT);
  const made = new Blob([
    ...(old ? [numberField(IR_VERSION, 4)] : []),
    ...[before ?? '', fieldHead(GRAPH, content.size), content, after ?? ''],
    ...(rewriter.usesMicrosoft && !declared
      ? [field(OPSET, joined([textField(1, MICROSOFT), numberField(2, 1)]))]
      : []),
    field(METADATA, joined([textField(KEY, 'onnxlet.pack.scheme'), textField(VALUE, scheme)])),
  ]);
  if (made.size > MOST_BYTES) {
    throw new PackProblem('too large', `packed it would still have ${made.size} bytes`);
  }
  return made;
}

function withoutVersion(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined(fieldsOf(bytes).flatMap(({ tag, bytes: own }) => (tag === IR_VERSION ? [] : [own])));
}
