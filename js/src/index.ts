// The public face of the package.
export { env } from './env.js';
export type { Env, LogLevel, WasmFlags } from './env.js';
export { OnnxletError } from './errors.js';
export type { ErrorCode } from './errors.js';
export type { DataType, DataTypeMap } from './dtypes.js';
export type { Progress } from './fetching.js';
export type { Features, Flavour, Wanted } from './flavour.js';
export { detectFeatures, pickFlavour } from './flavour.js';
export type { ExternalData, RunOptions, SessionOptions } from './options.js';
export { registerOperator } from './operators.js';
export type { AttributeValue, OperatorFunction, OperatorResults } from './operators.js';
export { InferenceSession } from './session.js';
export type { ValueMetadata } from './session.js';
export { Tensor } from './tensor.js';
export type { TypedTensor } from './tensor.js';
export type { MapKey, OnnxValue } from './values.js';
