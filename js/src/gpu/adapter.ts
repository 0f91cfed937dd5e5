// Where a WebGPU device comes from: the browser, or in Node the package `webgpu` where it is installed.
import { messageOf } from '../errors.js';
import { isNode } from '../platform.js';
import type { DeviceWishes } from '../providers.js';

/** A device, or why there is none. */
export type Found = { readonly device: GPUDevice } | { readonly refusal: string };

// Dawn's for Node, which ends with its last reference.
let dawnGpu: GPU | undefined;

export async function findDevice(wishes: DeviceWishes): Promise<Found> {
  const adapter = await findAdapter(wishes);
  if (typeof adapter === 'string') return { refusal: adapter };
  const { limits } = adapter;
  try {
    const device = await adapter.requestDevice({
      label: 'onnxlet',
      requiredLimits: {
        maxBufferSize: limits.maxBufferSize,
        maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      },
    });
    return { device };
  } catch (error) {
    return { refusal: messageOf(error) };
  }
}

/** Why there will be no device; undefined where there is hope. */
export async function findRefusal(wishes: DeviceWishes): Promise<string | undefined> {
  if (wishes.device) return undefined;
  const adapter = await findAdapter(wishes);
  return typeof adapter === 'string' ? adapter : undefined;
}

/** An adapter, or why there is none. */
async function findAdapter(wishes: DeviceWishes): Promise<GPUAdapter | string> {
  if (wishes.adapter) return wishes.adapter;
  const { powerPreference = 'high-performance', forceFallbackAdapter = false } = wishes;
  const gpu = await entry();
  if (typeof gpu === 'string') return gpu;
  return (await gpu.requestAdapter({ powerPreference, forceFallbackAdapter })) ?? 'this machine has no adapter for it';
}

/** What WGSL has here beyond its first version. */
export function languageFeatures(): Pick<ReadonlySet<string>, 'has'> {
  const gpu = dawnGpu ?? ownGpu();
  return (gpu?.wgslLanguageFeatures as ReadonlySet<string> | undefined) ?? new Set(); // not every browser tells
}

function ownGpu(): GPU | undefined {
  return (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
}

async function entry(): Promise<GPU | string> {
  if (dawnGpu) return dawnGpu;
  const gpu = ownGpu();
  if (gpu) return gpu;
  if (!isNode()) return 'this browser has no WebGPU, or keeps it from pages that are not secure';
  try {
    const name = 'webgpu'; // not for bundlers to look for: the package is optional
    const dawn = (await import(name)) as { create: (flags: readonly string[]) => GPU; globals: object };
    Object.assign(globalThis, dawn.globals);
    dawnGpu = dawn.create([]);
    return dawnGpu;
  } catch (error) {
    return `Node has it through the package "webgpu", which did not load: ${messageOf(error)}`;
  }
}
