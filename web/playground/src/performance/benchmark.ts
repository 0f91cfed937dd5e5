// Measures a model in one setup: how long it takes to load, each run, and what it holds.
import type { Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import type { ProfileEntry } from '../model/measure.js';
import { profiled } from '../run/measuring.js';
import type { Setup } from '../session/engine.js';
import { openSession } from '../session/engine.js';

export interface Benchmark {
  readonly setup: Setup;
  /** Milliseconds. */
  readonly load: number;
  readonly first: number;
  readonly times: readonly number[];
  /** Bytes that the session holds, after each run. */
  readonly memory: readonly number[];
  readonly peak: number;
  readonly engineBytes: number;
  readonly flavour: string;
  readonly threads: number;
  readonly profile: readonly ProfileEntry[];
}

const WARM_UPS = 2;
/** Milliseconds after which no further run begins. */
const MOST_TIME = 4000;

export async function benchmark(
  loaded: LoadedModel,
  setup: Setup,
  feeds: Readonly<Record<string, Tensor>>,
  runs: number,
): Promise<Benchmark> {
  const begin = performance.now();
  const session = await openSession(loaded, setup);
  const load = performance.now() - begin;
  try {
    const start = performance.now();
    await session.run(feeds);
    const first = performance.now() - start;
    const memory: number[] = [];
    const times = await timesOf(async (kept) => {
      await session.run(feeds);
      if (kept) memory.push(session.memory.inUse);
    }, runs);
    const { flavour, threads } = session;
    const { peak, wasmBytes } = session.memory;
    const { profile } = await profiled(loaded, setup, feeds, {}, 1);
    return { setup, load, first, times, memory, peak, engineBytes: wasmBytes, flavour, threads, profile };
  } finally {
    await session.release();
  }
}

/** Milliseconds of each run but those that warm up. */
export async function timesOf(run: (kept: boolean) => Promise<unknown>, runs: number): Promise<number[]> {
  for (let warm = 0; warm < WARM_UPS; warm++) await run(false);
  const times: number[] = [];
  const stop = performance.now() + MOST_TIME;
  while (times.length < runs && (times.length === 0 || performance.now() < stop)) {
    const start = performance.now();
    await run(true);
    times.push(performance.now() - start);
  }
  return times;
}

/** The value below which that part of the sorted numbers lies. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
