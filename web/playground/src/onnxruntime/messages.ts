// What the page and the worker with onnxruntime-web say to each other.

/** A tensor as plain data. */
export interface PlainTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: ArrayBufferView | readonly string[];
}

export interface PeerCalls {
  /** Answers with the package's version. */
  load: {
    payload: {
      readonly entry: string;
      readonly folder: string;
      readonly threads: number;
      readonly model: Uint8Array;
      readonly externalData: readonly { readonly path: string; readonly data: Uint8Array }[];
    };
    answer: string;
  };
  /** Outputs that are no tensors are null. */
  run: { payload: Readonly<Record<string, PlainTensor>>; answer: Readonly<Record<string, PlainTensor | null>> };
}

export type PeerRequest = {
  [V in keyof PeerCalls]: { readonly id: number; readonly verb: V; readonly payload: PeerCalls[V]['payload'] };
}[keyof PeerCalls];

export type PeerAnswer =
  { readonly id: number; readonly answer: unknown } | { readonly id: number; readonly error: string };
