// Two models, or two ways to run one, on the same inputs.
import type { Tensor } from 'onnxlet';
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

const RUNS = 7;
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
  const [first, second] = [await sideResult(one, feeds), await sideResult(other, feeds)];
  const names = Object.keys(first.outputs).filter((name) => name in second.outputs);
  const outputs = names.map((name) => ({ name, difference: difference(first.outputs[name], second.outputs[name]) }));
  return { one: first, other: second, outputs };
}

async function sideResult(side: Side, feeds: Readonly<Record<string, Tensor>>): Promise<SideResult> {
  const session = await openSession(side.model, side.setup);
  try {
    const own = feedsFor(side.model, feeds);
    const outputs = (await session.run(own)) as Readonly<Record<string, Value>>;
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now();
      await session.run(own);
      times.push(performance.now() - start);
    }
    return { side, time: quantile(times, 0.5), peak: session.memory.peak, outputs };
  } finally {
    await session.release();
  }
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
