// What the page knows of a model file: everything but the weights.

/** A size, the name of an open one, or null where the file says nothing. */
export type Dim = number | string | null;

/** Where a field of the file begins and ends, its tag included. */
export type Range = readonly [start: number, end: number];

export interface ValueType {
  /** As ONNX writes it: `tensor(float)`, `seq(map(int64,tensor(float)))`; empty where the file does not say. */
  readonly type: string;
  readonly shape: readonly Dim[] | null;
}

export interface ValueInfo extends ValueType {
  readonly name: string;
}

export interface Weight {
  readonly name: string;
  /** As ONNX calls element types: float, int8 ... */
  readonly type: string;
  readonly shape: readonly number[];
  readonly bytes: number;
  readonly external: boolean;
  readonly range: Range;
}

export interface Attribute {
  readonly name: string;
  /** In a line, shortened. */
  readonly text: string;
  /** Those of an attribute that is a number or a short list of them. */
  readonly numbers?: readonly number[];
  /** Set where the attribute is a graph. */
  readonly graph?: Graph;
  /** Set where the attribute is a tensor. */
  readonly tensor?: Weight;
}

export interface Node {
  readonly index: number;
  readonly name: string;
  readonly opType: string;
  /** Empty for ONNX's own. */
  readonly domain: string;
  /** Empty names stand for optional ones that are left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: readonly Attribute[];
  readonly range: Range;
}

export interface Graph {
  readonly name: string;
  readonly doc: string;
  readonly nodes: readonly Node[];
  readonly inputs: readonly ValueInfo[];
  readonly inputRanges: readonly Range[];
  readonly outputs: readonly ValueInfo[];
  readonly weights: readonly Weight[];
  /** What the file says of values between nodes. */
  readonly values: readonly ValueInfo[];
}

export interface Model {
  readonly irVersion: number;
  readonly producer: string;
  readonly doc: string;
  readonly opsets: readonly (readonly [domain: string, version: number])[];
  readonly metadata: readonly (readonly [key: string, value: string])[];
  readonly functions: readonly string[];
  readonly graph: Graph;
  /** Files with weights that the model names. */
  readonly externalFiles: readonly string[];
  /** Where the graph lies in the file: its field, and the content of that. */
  readonly graphRange: readonly [head: number, start: number, end: number];
}

/** Names of values that a feed must have: inputs that no initializer fills. */
export function requiredInputs({ inputs, weights }: Graph): ValueInfo[] {
  const filled = new Set(weights.map(({ name }) => name));
  return inputs.filter(({ name }) => !filled.has(name));
}

/** The version of ai.onnx that the model is written in; undefined where it does not say. */
export function opsetOf({ opsets }: Pick<Model, 'opsets'>): number | undefined {
  return opsets.find(([domain]) => domain === '' || domain === 'ai.onnx')?.[1];
}

export function operatorName({ domain, opType }: Pick<Node, 'domain' | 'opType'>): string {
  return domain === '' || domain === 'ai.onnx' ? opType : `${domain}.${opType}`;
}
