// The page's side of packing: what is going on, and what came of it for the open model.
import { effect, signal } from '@preact/signals';
import type { Comparison } from '../compare/compare.js';
import { beside } from '../compare/compare.js';
import type { LoadedModel } from '../model/loaded.js';
import { parseModel } from '../model/parse.js';
import { makeFeeds } from '../run/run-state.js';
import { STANDARD } from '../session/engine.js';
import type { Explanation } from '../session/explain.js';
import { explain } from '../session/explain.js';
import { announcement, fail, model, notice } from '../state.js';
import type { PackOptions } from './options.js';
import { USUAL } from './options.js';
import type { Packed, PackReport } from './pack.js';
import type { PackAnswer, PackRequest } from './pack.worker.js';
import { PackProblem } from './problem.js';

export interface PackResult {
  readonly original: Blob;
  readonly model: LoadedModel;
  readonly report: PackReport;
  /** Milliseconds. */
  readonly time: number;
  /** Undefined while both are run. */
  readonly runs?: Omit<Comparison, 'layers'>;
  /** Why they could not be run. */
  readonly problem?: Explanation;
}

/** What is going on. */
export interface Work {
  /** The file that is packed. */
  readonly original: Blob;
  /** From 0 to 1. */
  readonly part: number;
  readonly words: string;
  readonly cancellable: boolean;
}

export const options = signal<PackOptions>(USUAL);
const working = signal<Work | undefined>(undefined);
export const packed = signal<PackResult | undefined>(undefined);
/** The last run was cancelled. */
export const cancelled = signal(false);

class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Ends the worker's run. */
let stop: (() => void) | undefined;

export async function startPacking(original: LoadedModel): Promise<void> {
  const tell = (part: number, words: string, cancellable = true) => {
    if (model.value?.file === original.file) working.value = { original: original.file, part, words, cancellable };
  };
  notice.value = undefined;
  packed.value = undefined;
  cancelled.value = false;
  tell(0, 'Reading weights');
  const start = performance.now();
  try {
    const { file, report } = await inWorker({ model: original, options: options.value }, tell);
    const parsed = await parseModel(file);
    const name = `${original.name.replace(/\.onnx$/i, '')}.int${options.value.bits}.onnx`;
    const time = performance.now() - start;
    const made = { name, file, parsed, companions: new Map<string, Blob>(), readTime: time };
    packed.value = { original: original.file, model: made, report, time };
    announcement.value = `Packed: ${report.bytesBefore} bytes became ${report.bytesAfter}`;
    tell(1, 'Running both models', false);
    await measure(original, made);
  } catch (error) {
    if (!(error instanceof Cancelled)) fail(error, original.name);
  } finally {
    if (working.value?.original === original.file) working.value = undefined;
  }
}

export function cancelPacking(): void {
  cancelled.value = true;
  announcement.value = 'Cancelled';
  stop?.();
}

function inWorker(request: PackRequest, tell: (part: number, words: string) => void): Promise<Packed> {
  const started = new Worker(new URL('./pack.worker.ts', import.meta.url), { type: 'module', name: 'pack' });
  return new Promise<Packed>((resolve, reject) => {
    stop = () => reject(new Cancelled());
    started.addEventListener('message', ({ data }: MessageEvent<PackAnswer>) => {
      if ('progress' in data) {
        const [done, all, layer] = data.progress;
        tell(all === 0 ? 1 : done / all, layer === '' ? 'Writing the file' : layer);
      } else if ('packed' in data) resolve(data.packed);
      else if (data.kind) reject(new PackProblem(data.kind, data.error));
      else reject(data.tooLarge ? new RangeError(data.error) : new Error(data.error));
    });
    started.addEventListener('error', ({ message }) => reject(new Error(message || 'the worker did not start')));
    started.postMessage(request);
  }).finally(() => {
    stop = undefined;
    started.terminate();
  });
}

/** Runs both on the inputs of the Run view. The packed model stays where they do not run. */
async function measure(original: LoadedModel, made: LoadedModel): Promise<void> {
  const update = (change: Partial<PackResult>) => {
    if (packed.value?.model === made) packed.value = { ...packed.value, ...change };
  };
  try {
    const feeds = await makeFeeds(original);
    update({ runs: await beside({ model: original, setup: STANDARD }, { model: made, setup: STANDARD }, feeds) });
  } catch (error) {
    update({ problem: explain(error, original.name) });
  }
}

/** What goes on for the open model. */
export function workFor(open: LoadedModel | undefined): Work | undefined {
  return working.value && working.value.original === open?.file ? working.value : undefined;
}

/** What came of the open model. */
export function resultFor(open: LoadedModel | undefined): PackResult | undefined {
  return packed.value && packed.value.original === open?.file ? packed.value : undefined;
}

let current: Blob | undefined;

/** Another model ends what goes on for the one before. */
effect(() => {
  const file = model.value?.file;
  if (file === current) return;
  current = file;
  stop?.();
  cancelled.value = false;
});
