// Shapes and times of all nodes: one run of the graph as it is written, one of what it becomes.
import { signal } from '@preact/signals';
import type { Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import type { ProfileEntry } from '../model/measure.js';
import { costsOf, shapesOf } from '../model/measure.js';
import type { Setup, Wishes } from '../session/engine.js';
import { openSession, STANDARD } from '../session/engine.js';
import { fail, measured, notice } from '../state.js';
import { makeFeeds } from './run-state.js';

export const measuring = signal(false);

const WARM_UPS = 2;

export async function measureNow(loaded: LoadedModel): Promise<void> {
  measuring.value = true;
  notice.value = undefined;
  try {
    const feeds = await makeFeeds(loaded);
    const written = await profiled(loaded, { ...STANDARD, threads: 1 }, feeds, { asWritten: true }, 0);
    const real = await profiled(loaded, STANDARD, feeds, {}, WARM_UPS);
    const { graph } = loaded.parsed;
    measured.value = {
      shapes: shapesOf(graph, written.profile),
      costs: costsOf(graph, real.profile),
      ...real,
    };
  } catch (error) {
    fail(error, loaded.name);
  } finally {
    measuring.value = false;
  }
}

export interface Profiled {
  readonly profile: readonly ProfileEntry[];
  readonly threads: number;
  readonly flavour: string;
}

/** The last of some runs, node by node. */
export async function profiled(
  loaded: LoadedModel,
  setup: Setup,
  feeds: Readonly<Record<string, Tensor>>,
  wishes: Wishes,
  warmUps: number,
): Promise<Profiled> {
  const session = await openSession(loaded, setup, { ...wishes, profile: true });
  try {
    for (let run = 0; run <= warmUps; run++) await session.run(feeds);
    return { profile: await session.profile(), threads: session.threads, flavour: session.flavour };
  } finally {
    await session.release();
  }
}
