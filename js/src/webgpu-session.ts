// What a session is to do with a GPU: whether there is one, whose it is, and where the engine has to be for it.
import { gpuModule } from './assets.js';
import { env } from './env.js';
import { messageOf, OnnxletError } from './errors.js';
import { warnOnce } from './log.js';
import type { SessionOptions } from './options.js';
import { keepsOnGpu } from './options.js';
import type { WebGpuWishes } from './providers.js';
import { webGpuWishes } from './providers.js';

/** What a session wants of WebGPU. Where there is none the CPU's engine is the better one to load, and the caller is told. */
export async function usableWebGpu(options: SessionOptions): Promise<WebGpuWishes | undefined> {
  const asked = webGpuWishes(options.executionProviders ?? []);
  if (asked === undefined) {
    if (!keepsOnGpu(options)) return undefined;
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      "preferredOutputLocation: 'gpu-buffer' needs the execution provider webgpu, before wasm",
    );
  }
  const { powerPreference, forceFallbackAdapter, adapter } = env.webgpu;
  const device = asked.device ?? (await env.webgpu.device);
  const wishes = {
    minBytes: asked.minBytes,
    maxBytes: asked.maxBytes,
    powerPreference,
    forceFallbackAdapter,
    adapter,
    device: device && shown.has(device) ? undefined : device,
  };
  if (bindsGpu(wishes, options) && env.wasm.proxy === true) {
    throw new OnnxletError(
      'INVALID_ARGUMENT',
      'env.wasm.proxy asks for an engine in a worker, where GPU buffers and devices of this thread cannot be',
    );
  }
  const refusal = await gpuModule().then(
    ({ findRefusal }) => findRefusal(wishes),
    (error: unknown) => messageOf(error),
  );
  if (refusal === undefined) return wishes;
  warnOnce(`WebGPU was asked for and wasm is used: ${refusal}`);
  return undefined;
}

/** Whether the session is given GPU objects, or gives some. */
export function bindsGpu({ device, adapter }: WebGpuWishes, options: SessionOptions): boolean {
  return device !== undefined || adapter !== undefined || keepsOnGpu(options);
}

/** Devices in env.webgpu.device that are not the caller's. */
const shown = new WeakSet<GPUDevice>();

/** Tells the program which device it is. */
export function showDevice(device: GPUDevice): void {
  shown.add(device);
  env.webgpu.device = device;
}

/** The error for a buffer that is fed to an engine in a worker. */
export function outOfReach(name: string): OnnxletError {
  return new OnnxletError(
    'INVALID_ARGUMENT',
    `input ${JSON.stringify(name)} is in a GPU buffer, and the session's engine is in a worker, which cannot have it; ` +
      "set env.webgpu.device, preferredOutputLocation: 'gpu-buffer' or env.wasm.proxy = 'never' before the session is created",
  );
}
