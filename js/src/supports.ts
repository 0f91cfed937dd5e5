// Whether a model can run here, before its weights are downloaded.
import type { FileInput } from './byte-source.js';
import { openBytes } from './byte-source.js';
import { env } from './env.js';
import { OnnxletError } from './errors.js';
import type { Features } from './flavour.js';
import { detectFeatures } from './flavour.js';
import { IMAGE_DECODER, needDecoder } from './images.js';
import { isRegistered, operatorKey } from './operators.js';
import { acquireEngine, releaseEngine } from './pool.js';
import type { BuildInfo, ModelDescription, OperatorName } from './protocol.js';
import { joined, lengthDelimited, skeletonOf } from './skeleton.js';

/** An operator by name, such as `Conv` or `com.microsoft.MatMulNBits`, or with its domain apart. */
export type OperatorQuery = string | { readonly domain?: string; readonly opType: string };

export interface OperatorUse {
  readonly domain: string;
  readonly opType: string;
  /** The version of the operator that is meant; 0 when it is not known. */
  readonly since: number;
  /** How many nodes use it. */
  readonly count: number;
}

export interface Support {
  /** Whether every operator is there. */
  readonly supported: boolean;
  readonly missing: readonly OperatorUse[];
  readonly operators: readonly OperatorUse[];
  /** What this host has. Nothing of it is needed; all of it makes models faster. */
  readonly features: Features;
}

export interface SupportsOptions {
  /** Version of the ONNX operators that a list of operators means; the newest when left out. */
  opset?: number;
  signal?: AbortSignal;
}

/**
 * @param model a model (its address or its bytes, of which the weights are not read where the server gives parts of
 *   files), or a list of operators
 */
export async function supports(
  model: FileInput | readonly OperatorQuery[],
  options: SupportsOptions = {},
): Promise<Support> {
  const cut = Array.isArray(model) ? undefined : await skeletonOf(await openBytes(model as FileInput, options.signal));
  const engine = await acquireEngine({
    threads: env.wasm.numThreads,
    deterministic: env.deterministic,
    webgpu: false,
    here: false,
  });
  try {
    const bytes = cut ?? modelOfOperators(model as readonly OperatorQuery[], options.opset, engine.build);
    const description = await engine.host.call('describe', { model: { kind: 'bytes', bytes } }, options);
    return judged(description);
  } finally {
    releaseEngine(engine, engine.host.lost ? undefined : 0);
  }
}

function judged(description: ModelDescription): Support {
  const rows = description.operators.map(({ op_type: opType, domain, since, count, supported }) => ({
    use: { domain, opType, since, count },
    here: isRegistered([domain, opType]) || (supported && canRun([domain, opType])),
  }));
  const missing = rows.filter(({ here }) => !here).map(({ use }) => use);
  const operators = rows.map(({ use }) => use);
  return { supported: missing.length === 0, missing, operators, features: detectFeatures() };
}

function canRun(name: OperatorName): boolean {
  if (operatorKey(name) !== operatorKey(IMAGE_DECODER)) return true;
  try {
    needDecoder();
    return true;
  } catch {
    return false;
  }
}

// Fields of ModelProto, GraphProto and NodeProto.
const FIELD = {
  irVersion: 1,
  graph: 7,
  opsetImport: 8,
  node: 1,
  opType: 4,
  domain: 7,
  opsetDomain: 1,
  opsetVersion: 2,
};
const IR_VERSION = 8;

function modelOfOperators(queries: readonly OperatorQuery[], opset: number | undefined, build: BuildInfo): Uint8Array {
  const text = (value: string) => new TextEncoder().encode(value);
  const names = queries.map(nameOf);
  const nodes = names.map(([domain, opType]) =>
    lengthDelimited(
      FIELD.node,
      joined([lengthDelimited(FIELD.opType, text(opType)), lengthDelimited(FIELD.domain, text(domain))]),
    ),
  );
  const imports = [...new Set(['', ...names.map(([domain]) => domain)])].map((domain) => {
    const newest = Math.max(1, ...build.operators.filter(([of]) => of === domain).map(([, , since]) => since));
    const version = domain === '' ? (opset ?? newest) : newest;
    if (!Number.isInteger(version) || version < 1 || version > 127) {
      throw new OnnxletError('INVALID_ARGUMENT', `opset must be an integer from 1 to 127; it is ${version}`);
    }
    const number = new Uint8Array([FIELD.opsetVersion * 8, version]);
    return lengthDelimited(FIELD.opsetImport, joined([lengthDelimited(FIELD.opsetDomain, text(domain)), number]));
  });
  const head = new Uint8Array([FIELD.irVersion * 8, IR_VERSION]);
  return joined([head, lengthDelimited(FIELD.graph, joined(nodes)), ...imports]);
}

function nameOf(query: OperatorQuery): OperatorName {
  if (typeof query !== 'string') return [query.domain === 'ai.onnx' ? '' : (query.domain ?? ''), query.opType];
  const dot = query.lastIndexOf('.');
  const domain = query.slice(0, Math.max(dot, 0));
  return [domain === 'ai.onnx' ? '' : domain, query.slice(dot + 1)];
}
