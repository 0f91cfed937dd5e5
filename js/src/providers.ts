// Execution providers of onnxruntime, as the type checker knows them there. webgpu and wasm, also named cpu, exist here;
// the others are passed over with one warning each, so that programs written for several backends run unchanged.
import { warnOnce } from './log.js';
import type { GlobalType } from './tensor-api.js';

export interface ExecutionProviderOption {
  readonly name: string;
}
export interface CpuExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'cpu';
  useArena?: boolean;
}
export interface WebAssemblyExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'wasm';
}
export interface WebGLExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'webgl';
}
type BufferCacheMode = 'disabled' | 'lazyRelease' | 'simple' | 'bucket';
export interface WebGpuExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'webgpu';
  preferredLayout?: 'NCHW' | 'NHWC';
  forceCpuNodeNames?: readonly string[];
  validationMode?: 'disabled' | 'wgpuOnly' | 'basic' | 'full';
  enableRobustness?: boolean;
  storageBufferCacheMode?: BufferCacheMode;
  uniformBufferCacheMode?: BufferCacheMode;
  queryResolveBufferCacheMode?: BufferCacheMode;
  defaultBufferCacheMode?: BufferCacheMode;
  /** The caller's, instead of `env.webgpu.device`. */
  device?: GlobalType<'GPUDevice'>;
  /** Inputs of a node that are on the CPU, and smaller than this in sum, are worked on there. */
  minBytes?: number;
  /** Of weights that may go to the GPU; a model with more is refused before one does. */
  maxBytes?: number;
}
export interface WebNNContextOptions {
  deviceType?: 'cpu' | 'gpu' | 'npu';
  numThreads?: number;
  powerPreference?: 'default' | 'low-power' | 'high-performance';
}
export interface WebNNExecutionProviderOption extends ExecutionProviderOption, WebNNContextOptions {
  readonly name: 'webnn';
  context?: GlobalType<'MLContext'>;
  gpuDevice?: GlobalType<'GPUDevice'>;
}
interface DeviceOption<Name extends string> extends ExecutionProviderOption {
  readonly name: Name;
  deviceId?: number;
}
export type CudaExecutionProviderOption = DeviceOption<'cuda'>;
export type DmlExecutionProviderOption = DeviceOption<'dml'>;
export type TensorRtExecutionProviderOption = DeviceOption<'tensorrt'>;
export interface XnnpackExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'xnnpack';
}
export interface QnnExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'qnn';
  backendType?: string;
  backendPath?: string;
  enableFp16Precision?: boolean;
}
export interface CoreMLExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'coreml';
  coreMlFlags?: number;
  useCPUOnly?: boolean;
  useCPUAndGPU?: boolean;
  enableOnSubgraph?: boolean;
  onlyEnableDeviceWithANE?: boolean;
}
export interface NnapiExecutionProviderOption extends ExecutionProviderOption {
  readonly name: 'nnapi';
  useFP16?: boolean;
  useNCHW?: boolean;
  cpuDisabled?: boolean;
  cpuOnly?: boolean;
}

export interface ExecutionProviderOptionMap {
  coreml: CoreMLExecutionProviderOption;
  cpu: CpuExecutionProviderOption;
  cuda: CudaExecutionProviderOption;
  dml: DmlExecutionProviderOption;
  nnapi: NnapiExecutionProviderOption;
  qnn: QnnExecutionProviderOption;
  tensorrt: TensorRtExecutionProviderOption;
  wasm: WebAssemblyExecutionProviderOption;
  webgl: WebGLExecutionProviderOption;
  webgpu: WebGpuExecutionProviderOption;
  webnn: WebNNExecutionProviderOption;
  xnnpack: XnnpackExecutionProviderOption;
}
export type ExecutionProviderName = keyof ExecutionProviderOptionMap;
export type ExecutionProviderConfig =
  ExecutionProviderOptionMap[ExecutionProviderName] | ExecutionProviderOption | ExecutionProviderName | (string & {});

export function reportProviders(providers: readonly ExecutionProviderConfig[]): void {
  for (const provider of providers) {
    const name = nameOf(provider);
    if (!KNOWN.includes(name)) warnOnce(`the execution provider ${name} is not available; wasm is used`);
  }
}

const KNOWN: readonly string[] = ['wasm', 'cpu', 'webgpu'];

const nameOf = (provider: ExecutionProviderConfig) => (typeof provider === 'string' ? provider : provider.name);
const GPU_MIN_BYTES = 1 << 14;

/** Where a device comes from. */
export interface DeviceWishes {
  readonly powerPreference?: 'low-power' | 'high-performance' | undefined;
  readonly forceFallbackAdapter?: boolean | undefined;
  /** The caller's, for engines in the same realm. */
  readonly adapter?: GPUAdapter | undefined;
  readonly device?: GPUDevice | undefined;
}

export interface WebGpuWishes extends DeviceWishes {
  /** Inputs of a node that are on the CPU, and smaller than this in sum, stay there. */
  readonly minBytes: number;
  readonly maxBytes?: number | undefined;
}

/** What is wanted of WebGPU where it comes before the CPU. */
export function webGpuWishes(providers: readonly ExecutionProviderConfig[]): WebGpuWishes | undefined {
  const first = providers.find((provider) => KNOWN.includes(nameOf(provider)));
  if (first === undefined || nameOf(first) !== 'webgpu') return undefined;
  const { minBytes, maxBytes, device } = typeof first === 'string' ? {} : (first as WebGpuExecutionProviderOption);
  return { minBytes: minBytes ?? GPU_MIN_BYTES, maxBytes, device };
}
