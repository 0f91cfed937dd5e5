// Packs a model beside the page, which stays free to answer. A run is cancelled by ending the worker.
import type { LoadedModel } from '../model/loaded.js';
import type { PackOptions } from './options.js';
import type { Packed } from './pack.js';
import { pack } from './pack.js';
import type { PackProblemKind } from './problem.js';
import { PackProblem } from './problem.js';

export interface PackRequest {
  readonly model: LoadedModel;
  readonly options: PackOptions;
}

export type PackAnswer =
  | { readonly progress: readonly [done: number, all: number, layer: string] }
  | { readonly packed: Packed }
  | { readonly error: string; readonly kind?: PackProblemKind; readonly tooLarge: boolean };

addEventListener('message', ({ data: { model, options } }: MessageEvent<PackRequest>) => {
  const tell = (answer: PackAnswer) => postMessage(answer);
  pack(model, options, (...progress) => tell({ progress })).then(
    (packed) => tell({ packed }),
    (error: unknown) => {
      const words = error instanceof Error ? error.message : String(error);
      const kind = error instanceof PackProblem ? { kind: error.kind } : {};
      tell({ error: words, ...kind, tooLarge: error instanceof RangeError });
    },
  );
});
