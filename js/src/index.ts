// The public face of the package: the names of onnxruntime-web, and what onnxlet adds.
import { env } from './env.js';
import { OnnxletError } from './errors.js';
import { registerOperator } from './operators.js';
import { InferenceSession } from './session.js';
import { supports } from './supports.js';
import { Tensor } from './tensor.js';

export { env, InferenceSession, OnnxletError, registerOperator, supports, Tensor };
export { detectFeatures, pickFlavour } from './flavour.js';
export type { Env, LogLevel, WasmFilePaths, WasmFlags, WebGLFlags, WebGpuFlags } from './env.js';
export type { ErrorCode } from './errors.js';
export type { DataType, DataTypeMap } from './dtypes.js';
export type { FileInput } from './byte-source.js';
export type { DecryptOptions } from './decrypt.js';
export type { Progress } from './fetching.js';
export type { Features, Flavour, Wanted } from './flavour.js';
export type { ExternalData, ExternalDataFile, RunOptions, SessionOptions } from './options.js';
export type { AttributeValue, OperatorFunction, OperatorResults } from './operators.js';
export type { InferenceSessionFactory, ValueMetadata } from './session.js';
export type { OperatorQuery, OperatorUse, Support, SupportsOptions } from './supports.js';
export type {
  DataLocation as OnnxValueDataLocation,
  ImageSource,
  TensorConstructor,
  TensorFactory,
  TypedTensor,
} from './tensor-api.js';
export type {
  ImageFormat,
  ImageTensorLayout,
  OptionsNormalizationParameters,
  OptionsTensorLayout,
  TensorFromImageOptions,
  TensorFromImageOptions as TensorFromImageBitmapOptions,
  TensorFromImageOptions as TensorFromImageDataOptions,
  TensorFromImageOptions as TensorFromImageElementOptions,
  TensorFromImageOptions as TensorFromUrlOptions,
  TensorToImageOptions,
  TensorToImageOptions as TensorToDataUrlOptions,
  TensorToImageOptions as TensorToImageDataOptions,
} from './tensor-image.js';
export type { AnyValue, MapKey } from './values.js';

/** What onnxruntime-common calls a tensor that is fed or fetched. */
export type OnnxValue = Tensor;

/** For `import ort from`: the same names in one object. */
const all = { InferenceSession, OnnxletError, Tensor, env, registerOperator, supports };
export default all;
