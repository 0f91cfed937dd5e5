// Two models, or two ways to run one, on the same inputs.
import type { InferenceSession, Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import { withOutputs } from '../model/splice.js';
import { requiredInputs } from '../model/types.js';
import { quantile } from '../performance/benchmark.js';
import type { Value } from '../run/run-state.js';
import type { Setup } from '../session/engine.js';
import { openSession } from '../session/engine.js';
import type { Difference } from './metrics.js';
import { difference } from './metrics.js';

export interface Side {
  readonly model: LoadedModel;
  readonly setup: Setup;
}

export interface SideResult {
  readonly side: Side;
  /** Milliseconds, the median. */
  readonly time: number;
  readonly peak: number;
  readonly outputs: Readonly<Record<string, Value>>;
}

export interface Layer {
  readonly name: string;
  readonly difference: Difference;
}

export interface Comparison {
  readonly one: SideResult;
  readonly other: SideResult;
  readonly outputs: readonly { readonly name: string; readonly difference: Difference | undefined }[];
  /** Values that both graphs have, in order. */
  readonly layers: readonly Layer[];
}

const LEAST_RUNS = 5;
const MOST_RUNS = 100;
/** Milliseconds after which the least number of runs is enough. */
const ENOUGH = 400;
const MOST_LAYERS = 150;

/** Throws an Error that says why they cannot be compared. */
export async function compare(one: Side, other: Side, feeds: Readonly<Record<string, Tensor>>): Promise<Comparison> {
  return { ...(await beside(one, other, feeds)), layers: await layersOf(one, other, feeds) };
}

/** Without the values between the nodes. Throws as `compare` does. */
export async function beside(
  one: Side,
  other: Side,
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Omit<Comparison, 'layers'>> {
  const missing = requiredInputs(other.model.parsed.graph).filter(({ name }) => !(name in feeds));
  if (missing.length > 0) {
    const names = missing.map(({ name }) => JSON.stringify(name)).join(', ');
    throw new Error(
      `The second model also takes ${names}, which the first has not: they cannot run on the same inputs.`,
    );
  }
  const sides = [one, other] as const;
  const sessions = await opened(sides);
  try {
    const own = sides.map(({ model }) => feedsFor(model, feeds));
    const runs = sessions.map((session, at) => () => session.run(own[at] ?? {}));
    const outputs: Readonly<Record<string, Value>>[] = [];
    for (const run of runs) outputs.push(await run());
    const times = await inTurns(runs);
    const [first, second] = sides.map((side, at): SideResult => {
      return {
        side,
        time: quantile(times[at] ?? [], 0.5),
        peak: sessions[at]?.memory.peak ?? 0,
        outputs: outputs[at] ?? {},
      };
    }) as [SideResult, SideResult];
    const names = Object.keys(first.outputs).filter((name) => name in second.outputs);
    return {
      one: first,
      other: second,
      outputs: names.map((name) => ({ name, difference: difference(first.outputs[name], second.outputs[name]) })),
    };
  } finally {
    await Promise.all(sessions.map((session) => session.release()));
  }
}

async function opened(sides: readonly Side[]): Promise<InferenceSession[]> {
  const sessions: InferenceSession[] = [];
  try {
    for (const { model, setup } of sides) sessions.push(await openSession(model, setup));
    return sessions;
  } catch (error) {
    await Promise.all(sessions.map((session) => session.release()));
    throw error;
  }
}

/** Milliseconds of the runs of each. What else the machine does then falls on both. */
async function inTurns(runs: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  const times = runs.map((): number[] => []);
  const stop = performance.now() + ENOUGH;
  for (let round = 0; round < LEAST_RUNS || (round < MOST_RUNS && performance.now() < stop); round++) {
    for (const [at, run] of runs.entries()) {
      const start = performance.now();
      await run();
      times[at]?.push(performance.now() - start);
    }
  }
  return times;
}

function feedsFor({ parsed }: LoadedModel, feeds: Readonly<Record<string, Tensor>>): Record<string, Tensor> {
  const names = new Set(requiredInputs(parsed.graph).map(({ name }) => name));
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => names.has(name)));
}

async function layersOf(one: Side, other: Side, feeds: Readonly<Record<string, Tensor>>): Promise<Layer[]> {
  const there = new Set(other.model.parsed.graph.nodes.flatMap(({ outputs }) => outputs));
  const common = one.model.parsed.graph.nodes
    .filter(({ opType }) => opType !== 'Constant')
    .flatMap(({ outputs }) => outputs)
    .filter((name) => name !== '' && there.has(name));
  const step = Math.ceil(common.length / MOST_LAYERS);
  const names = common.filter((_, at) => at % step === 0);
  const [a, b] = [await valuesOf(one, names, feeds), await valuesOf(other, names, feeds)];
  return names.flatMap((name) => {
    const apart = difference(a[name], b[name]);
    return apart ? [{ name, difference: apart }] : [];
  });
}

async function valuesOf(
  { model, setup }: Side,
  names: readonly string[],
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Readonly<Record<string, Value>>> {
  const own = new Set(model.parsed.graph.outputs.map(({ name }) => name));
  const file = withOutputs(
    model,
    names.filter((name) => !own.has(name)),
  );
  const session = await openSession(model, setup, { file });
  try {
    return await session.run(feedsFor(model, feeds), names);
  } finally {
    await session.release();
  }
}
