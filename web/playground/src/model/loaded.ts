import type { OperatorUse } from 'onnxlet';
import type { Model } from './types.js';

/** A model that somebody gave to the page. */
export interface LoadedModel {
  readonly name: string;
  readonly file: Blob;
  readonly parsed: Model;
  /** Its files of weights, by the name it uses for them. */
  readonly companions: ReadonlyMap<string, Blob>;
  /** Those of its operators that the engine lacks; undefined until it has been asked. */
  readonly missing?: readonly OperatorUse[];
  /** Milliseconds from the drop until it was described. */
  readonly readTime: number;
}
