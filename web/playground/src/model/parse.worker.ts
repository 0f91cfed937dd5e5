// Reads models and writes archives beside the page, which stays free to answer.
import { zipSync } from 'fflate';
import { readModel } from './read.js';
import type { Model } from './types.js';

export interface ParseCalls {
  read: { payload: Blob; answer: Model };
  /** An archive of files by their names, without compression. */
  zip: { payload: Readonly<Record<string, Uint8Array>>; answer: Uint8Array<ArrayBuffer> };
}

export type ParseRequest = {
  [V in keyof ParseCalls]: { readonly id: number; readonly verb: V; readonly payload: ParseCalls[V]['payload'] };
}[keyof ParseCalls];

export type ParseAnswer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string; readonly kind: string };

addEventListener('message', (event: MessageEvent<ParseRequest>) => {
  void answer(event.data);
});

async function answer(request: ParseRequest): Promise<void> {
  const { id } = request;
  try {
    const made = await work(request);
    postMessage({ id, answer: made } satisfies ParseAnswer);
  } catch (error) {
    const { message, name } = error instanceof Error ? error : new Error(String(error));
    postMessage({ id, error: message, kind: name } satisfies ParseAnswer);
  }
}

function work(request: ParseRequest): unknown {
  switch (request.verb) {
    case 'read':
      return request.payload.arrayBuffer().then((bytes) => readModel(new Uint8Array(bytes)));
    case 'zip':
      return zipSync({ ...request.payload }, { level: 0 });
  }
}
