// Execution providers of onnxruntime, as the type checker knows them there. Only wasm, also named cpu, exists here; the
// others are passed over with one warning each, so that programs written for several backends run unchanged.
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
  device?: GlobalType<'GPUDevice'>;
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
    const name = typeof provider === 'string' ? provider : provider.name;
    if (name !== 'wasm' && name !== 'cpu') warnOnce(`the execution provider ${name} is not available; wasm is used`);
  }
}
