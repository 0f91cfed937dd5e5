// Every option of sessions and runs, and every flag of `env`, set as programs for onnxruntime-web set them.
import { env, InferenceSession, Tensor } from 'onnxruntime-common';
import type { Env } from 'onnxruntime-common';

const providers: InferenceSession.ExecutionProviderConfig[] = [
  'webgpu',
  'a-provider-of-the-future',
  { name: 'webgpu', preferredLayout: 'NHWC', validationMode: 'basic', storageBufferCacheMode: 'bucket' },
  { name: 'webnn', deviceType: 'gpu', powerPreference: 'high-performance' },
  { name: 'webgl' },
  { name: 'cpu', useArena: true },
  { name: 'cuda', deviceId: 0 },
  { name: 'xnnpack' },
  { name: 'coreml', coreMlFlags: 1 },
  { name: 'nnapi', useFP16: true },
  { name: 'qnn', backendType: 'htp' },
  { name: 'wasm' },
];

export async function main(model: Uint8Array): Promise<unknown> {
  const flags: Env.WebAssemblyFlags = env.wasm;
  flags.numThreads = 1;
  flags.simd = true;
  flags.proxy = false;
  flags.initTimeout = 10_000;
  const paths: Env.WasmFilePaths = { mjs: '/ort/ort-wasm-simd-threaded.mjs', wasm: '/ort/ort-wasm-simd-threaded.wasm' };
  flags.wasmPaths = paths;
  env.webgl.pack = true;
  env.webgl.contextId = 'webgl2';
  env.webgpu.powerPreference = 'high-performance';
  env.webgpu.forceFallbackAdapter = false;
  env.logLevel = 'warning';
  env.debug = false;
  env['a setting of the program'] = 1;
  const version: string = env.versions.common;

  const options: InferenceSession.SessionOptions = {
    executionProviders: providers,
    intraOpNumThreads: 1,
    interOpNumThreads: 2,
    freeDimensionOverrides: { n: 2 },
    graphOptimizationLevel: 'extended',
    enableCpuMemArena: false,
    enableMemPattern: true,
    executionMode: 'parallel',
    optimizedModelFilePath: 'optimized.onnx',
    enableProfiling: false,
    profileFilePrefix: 'profile',
    logId: 'id',
    logSeverityLevel: 2,
    logVerbosityLevel: 0,
    preferredOutputLocation: { y: 'cpu' },
    enableGraphCapture: false,
    externalData: [],
    extra: { session: { set_denormal_as_zero: '1', disable_prepacking: '1' }, optimization: {} },
  };
  const session = await InferenceSession.create(model, options);
  const { y } = await session.run({ x: new Tensor('float32', [1, 2], [2]) });
  await session.release();
  flags.wasmPaths = undefined;
  return [typeof version, ...(y!.data as Float32Array)];
}
