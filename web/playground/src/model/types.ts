// What the page knows of a model file: everything but the weights.

/** A size, the name of an open one, or null where the file says nothing. */
export type Dim = number | string | null;

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
}

export interface Attribute {
  readonly name: string;
  /** In a line, shortened. */
  readonly text: string;
  /** Set where the attribute is a graph. */
  readonly graph?: Graph;
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
}

export interface Graph {
  readonly name: string;
  readonly doc: string;
  readonly nodes: readonly Node[];
  readonly inputs: readonly ValueInfo[];
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

export function operatorName({ domain, opType }: Pick<Node, 'domain' | 'opType'>): string {
  return domain === '' || domain === 'ai.onnx' ? opType : `${domain}.${opType}`;
}
