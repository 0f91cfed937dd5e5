// What interface.json says: how to ask the model of a bundle, and how to show its answer.

export type InputKind = 'image' | 'audio' | 'bytes' | 'text' | 'column' | 'matrix' | 'tensor';
export type OutputKind = 'text' | 'labels' | 'boxes' | 'mask' | 'column' | 'tensor';
export type Shape = readonly (number | string | null)[];

export interface Input {
  readonly name: string;
  readonly kind: InputKind;
  /** As JavaScript's tensors call it: "float32", "string" ... */
  readonly dtype: string;
  /** Sizes, names of open ones, null where the model says nothing. */
  readonly shape: Shape;
  /** What people read in place of the name. */
  readonly label?: string;
}

export interface Output {
  readonly name: string;
  readonly kind: OutputKind;
  readonly dtype: string;
  readonly shape: Shape;
  readonly label?: string;
  /** The output with the scores of this one's labels or boxes. */
  readonly scores?: string;
  /** The output with the names of what is in this one's boxes. */
  readonly labels?: string;
}

export interface Interface {
  readonly format: number;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
}

const FORMAT = 1;

/** Reads the text of interface.json. */
export function readInterface(text: string): Interface {
  const document = JSON.parse(text) as Interface;
  if (document.format !== FORMAT) {
    throw new Problem(`interface.json has format ${document.format}; this runner knows ${FORMAT}`);
  }
  return document;
}

/** Whether it is given as a file's bytes. */
export function takesFile({ kind }: Input): boolean {
  return kind === 'image' || kind === 'audio' || kind === 'bytes';
}

/** Whether a table's columns can be it. */
export function takesTable({ kind }: Input): boolean {
  return kind === 'column' || kind === 'matrix';
}

export function titleOf({ label, name }: Input | Output): string {
  return label ?? name;
}

/** What is wrong with what somebody gave, in words for them. */
export class Problem extends Error {
  override readonly name = 'Problem';
}
