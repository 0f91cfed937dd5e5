/** What a value of an output is: a tensor of onnxlet, or what sequences and maps become. */
export type Output = Tensor | Output[] | Map<string | number | bigint, string | number | bigint> | null;

/** Elements in row-major order. */
export interface Tensor {
  readonly type: string;
  readonly dims: readonly number[];
  /** A typed array; an array of texts for strings. */
  readonly data: ArrayLike<number> | ArrayLike<bigint> | readonly string[];
}

/**
 * What an input can be given as: text; the bytes of a picture, a sound, a .npy or .csv file; numbers, texts and nested
 * lists of them; a tensor.
 */
export type Input = string | Uint8Array | Tensor | number | boolean | readonly unknown[];

export interface Options {
  /** Whether every file of the bundle is compared with SHA256SUMS first. Default: true. */
  readonly verify?: boolean;
  /** 32 bytes, or these in hexadecimal or base64: for an encrypted model. */
  readonly key?: Uint8Array | string;
  /** Threads of a run. Default: half of the cores, at most 4. */
  readonly threads?: number;
}

export interface AskOptions {
  /** The text of a CSV table: its columns are the inputs that are not given. */
  readonly table?: string;
}

/** A model that is loaded. */
export interface Bundle {
  /** What interface.json says. */
  readonly interface: Interface;
  readonly threads: number;
  /** Which build of the engine runs it. */
  readonly flavour: string;
  /** Outputs by name. Inputs that are not what the model takes reject with an error whose message says so. */
  ask(inputs: Readonly<Record<string, Input>>, options?: AskOptions): Promise<Record<string, Output>>;
  close(): Promise<void>;
}

export interface Interface {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** An input or an output. */
export interface Port {
  readonly name: string;
  readonly kind: string;
  readonly dtype: string;
  readonly shape: readonly (number | string | null)[];
  readonly label?: string;
}

/** Loads the model of this folder. Rejects with a `Tampered` when a file is not what it was. */
export function open(options?: Options): Promise<Bundle>;

/** Asks the model, which is loaded by the first call and stays so. */
export function ask(inputs: Readonly<Record<string, Input>>, options?: AskOptions): Promise<Record<string, Output>>;

/** A file of the bundle differs, is missing, or is one too many. */
export class Tampered extends Error {}
