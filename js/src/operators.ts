// Operators that users register: JavaScript functions that the engine's runs wait for.
import { OnnxletError } from './errors.js';
import type { OperatorCall, OperatorName, WireValue } from './protocol.js';
import { Tensor } from './tensor.js';
import type { AnyValue } from './values.js';
import { fromWire, toWire } from './values.js';

/** An attribute's value. 64-bit integers beyond 2^53 are rounded. */
export type AttributeValue = number | string | readonly number[] | readonly string[];

/** A node's outputs in order; null for one that is not computed. An array is a sequence here. */
export type OperatorResults = readonly (AnyValue | undefined)[];

/**
 * @param inputs the node's inputs; null for one that the node leaves out
 * @param attributes those that the node has, by name
 * @returns the node's only output, or an array of its outputs
 */
export type OperatorFunction = (
  inputs: readonly AnyValue[],
  attributes: Readonly<Record<string, AttributeValue>>,
) => Tensor | OperatorResults | Promise<Tensor | OperatorResults>;

const registered = new Map<string, readonly [name: OperatorName, run: OperatorFunction]>();

/**
 * Makes sessions that are created afterwards run `run` for nodes of this domain and type. Registering a name again
 * replaces the function for later sessions; the name of an operator of ONNX (domain `''`) replaces that operator. What
 * the function throws makes the run fail with the code RUN_FAILED, and is the error's `cause`. The function must not wait
 * for another run of the session that calls it.
 */
export function registerOperator(domain: string, opType: string, run: OperatorFunction): void {
  if (typeof domain !== 'string' || typeof opType !== 'string' || opType === '' || typeof run !== 'function') {
    throw new OnnxletError('INVALID_ARGUMENT', 'registerOperator takes a domain, an operator name and a function');
  }
  const name: OperatorName = [domain === 'ai.onnx' ? '' : domain, opType];
  registered.set(operatorKey(name), [name, run]);
}

export function isRegistered(name: OperatorName): boolean {
  return registered.has(operatorKey(name));
}

export function operatorKey([domain, opType]: OperatorName): string {
  return `${domain}\n${opType}`;
}

/** The functions that a session uses: those that are registered when it is made. */
export class Operators {
  readonly names: readonly OperatorName[] = [...registered.values()].map(([name]) => name);
  readonly #functions = new Map(registered);

  async run(call: OperatorCall): Promise<readonly WireValue[]> {
    const run = this.#functions.get(operatorKey(call.name))?.[1];
    if (!run) throw new OnnxletError('INTERNAL', `operator ${call.name.join('.')} is not registered`);
    const results: unknown = await run(call.inputs.map(fromWire), call.attributes);
    const list: readonly unknown[] = Array.isArray(results) ? results : [results];
    return list.slice(0, call.outputs).map(resultToWire);
  }
}

function resultToWire(value: unknown, index: number): WireValue {
  if (value === undefined || value === null) return { kind: 'none' };
  try {
    return toWire(value, 'seq()', `result ${index}`);
  } catch (cause) {
    const got = Array.isArray(value) ? 'an array of other things' : typeof value;
    const text = `result ${index} of the function must be a Tensor, an array of Tensors or null; got ${got}`;
    throw new OnnxletError('INVALID_ARGUMENT', text, { cause });
  }
}
