// A model that runs over a sound window by window, and keeps its states between them.
import { Tensor } from 'onnxlet';
import type { InferenceSession } from 'onnxlet';
import { isTensor } from '../../../../../edge/js/shared/elements.js';
import { toFloat16 } from '../../../../../edge/js/shared/half.js';
import { Problem } from '../../../../../edge/js/shared/interface.js';
import type { Graph, ValueInfo } from '../../model/types.js';
import { numbersOf } from '../../ui/statistics.js';
import type { Roles } from '../roles.js';
import type { Value } from '../run-state.js';

/** How a sound is given. */
export interface SoundOptions {
  /** Samples in a second. */
  readonly rate: number;
  /** New samples in each step. */
  readonly step: number;
  /** Samples of the step before, in front of them. */
  readonly context: number;
}

export interface Stream {
  /** The input for the sound. */
  readonly input: ValueInfo;
  /** Outputs by the inputs that get them in the next step. */
  readonly states: ReadonlyMap<string, string>;
}

const USUAL_RATE = 16_000;
// Silero VAD's windows at 16 kHz, for models that leave the length open.
const SILERO: Pick<SoundOptions, 'step' | 'context'> = { step: 512, context: 64 };

export function defaultSoundOptions({ shape }: ValueInfo): SoundOptions {
  const length = shape?.at(-1);
  const fixed = typeof length === 'number' && length !== SILERO.step + SILERO.context;
  return { rate: USUAL_RATE, ...(fixed ? { step: length, context: 0 } : SILERO) };
}

/** Undefined for a model that takes a sound as a whole. */
export function streamOf(graph: Graph, roles: Roles): Stream | undefined {
  const input = graph.inputs.find(({ name }) => roles.get(name)?.kind === 'sound');
  const states = new Map([...roles].flatMap(([name, role]) => (role.kind === 'state' ? [[name, role.output]] : [])));
  return input && states.size > 0 ? { input, states } : undefined;
}

/** The whole sound, or what fits where the length is fixed: silence fills up what is missing. */
export function soundTensor(value: ValueInfo, samples: Float32Array): Tensor {
  const length = value.shape?.at(-1);
  const taken = typeof length === 'number' ? filledUp(samples.subarray(0, length), length) : samples;
  return tensorOf(value, taken);
}

/** What the first step gets. */
export function firstWindow(stream: Stream, samples: Float32Array, { step, context }: SoundOptions): Tensor {
  return tensorOf(stream.input, windowAt(samples, 0, step, context));
}

/** Outputs get a first axis more, of the steps; those that are carried are the last step's. */
export async function runInSteps(
  session: InferenceSession,
  feeds: Readonly<Record<string, Tensor>>,
  { input, states }: Stream,
  samples: Float32Array,
  { step, context }: SoundOptions,
): Promise<Record<string, Value>> {
  if (!(step > 0)) throw new Problem('A step of the sound must have samples: 512 is usual.');
  const carried = new Set(states.values());
  const kept = new Map<string, Tensor[]>();
  let next: Record<string, Tensor> = { ...feeds };
  let outputs: Record<string, Value> = {};
  for (let at = 0; at < samples.length; at += step) {
    next = { ...next, [input.name]: tensorOf(input, windowAt(samples, at, step, context)) };
    outputs = await session.run(next);
    for (const [name, value] of Object.entries(outputs)) {
      if (carried.has(name) || !isTensor(value)) continue;
      const values = kept.get(name);
      if (values) values.push(value);
      else kept.set(name, [value]);
    }
    for (const [state, output] of states) next[state] = outputs[output] as Tensor;
  }
  return { ...outputs, ...Object.fromEntries([...kept].map(([name, values]) => [name, stacked(values)])) };
}

function windowAt(samples: Float32Array, at: number, step: number, context: number): Float32Array {
  const made = new Float32Array(context + step);
  const from = Math.max(0, at - context);
  made.set(samples.subarray(from, at + step), from - (at - context));
  return made;
}

function filledUp(samples: Float32Array, length: number): Float32Array {
  if (samples.length === length) return samples;
  const made = new Float32Array(length);
  made.set(samples);
  return made;
}

function tensorOf({ type, shape }: ValueInfo, samples: Float32Array): Tensor {
  const dims = [...(shape ?? [0]).slice(1).map(() => 1), samples.length];
  if (type === 'tensor(float16)') return new Tensor('float16', Uint16Array.from(samples, toFloat16), dims);
  return new Tensor('float32', samples, dims);
}

function stacked(values: readonly Tensor[]): Tensor {
  const [first] = values;
  const numbers = values.map((value) => Float32Array.from(numbersOf(value)));
  const size = first?.size ?? 0;
  const data = new Float32Array(size * values.length);
  numbers.forEach((each, at) => {
    data.set(each, at * size);
  });
  return new Tensor('float32', data, [values.length, ...(first?.dims ?? [])]);
}
