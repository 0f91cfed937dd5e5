// The model of the page: loaded once, asked many times.
import { detectFeatures, env, InferenceSession } from 'onnxlet';
import type { Tensor } from 'onnxlet';
import { chooseEngine } from '../shared/engine.js';
import type { Value } from '../shared/json.js';
import type { Description } from './parts.js';
import { readPart } from './parts.js';

export class Model {
  #session: Promise<InferenceSession> | undefined;
  #key: string | undefined;

  constructor(private readonly description: Description) {}

  /** Loads it, again after a failure or with another key. */
  load(key?: Uint8Array): Promise<InferenceSession> {
    const text = key?.join();
    if (!this.#session || text !== this.#key) {
      this.#key = text;
      this.#session = this.#open(key);
      this.#session.catch(() => {
        this.#session = undefined;
      });
    }
    return this.#session;
  }

  async run(feeds: Readonly<Record<string, Tensor>>, key?: Uint8Array): Promise<Readonly<Record<string, Value>>> {
    const session = await this.load(key);
    return session.run(feeds);
  }

  async #open(key: Uint8Array | undefined): Promise<InferenceSession> {
    const { engines, model } = this.description;
    const { file, threads } = chooseEngine(engines, detectFeatures());
    const [engine, bytes] = await Promise.all([readPart(this.description, file), readPart(this.description, model)]);
    env.wasm.wasmBinary = await engine.arrayBuffer();
    return InferenceSession.create(bytes, {
      intraOpNumThreads: threads ? 0 : 1,
      ...(key ? { decrypt: { key } } : {}),
    });
  }
}
