// WebGPU for an engine's sessions. A file of its own, which is loaded where a session asks for WebGPU.
import type { EngineModule } from '../module.js';
import { nextTurn } from '../platform.js';
import type { DeviceWishes } from '../providers.js';
import { findDevice, languageFeatures } from './adapter.js';
import { Executor } from './executor.js';
import { Pipelines } from './pipelines.js';

/** A device, which all engines of this realm share. */
export class Gpu {
  readonly #pipelines: Pipelines;
  #lost: string | undefined;

  constructor(readonly device: GPUDevice) {
    this.#pipelines = new Pipelines(device);
    void device.lost.then(({ reason, message }) => {
      this.#lost = message || reason;
    });
  }

  /** Why the device is gone; undefined while it is there. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Bytes that one tensor may have. */
  get maxTensorBytes(): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.device.limits;
    return Math.min(maxBufferSize, maxStorageBufferBindingSize);
  }

  /** Whether a processor plays the GPU, as far as the adapter's names tell. */
  get onProcessor(): boolean {
    const info = this.device.adapterInfo as GPUAdapterInfo | undefined; // not every browser tells
    return /swiftshader|llvmpipe|lavapipe/i.test(`${info?.architecture} ${info?.device} ${info?.description}`);
  }

  /** Whether shaders may multiply four packed 8-bit numbers at a time. */
  get packedDots(): boolean {
    return languageFeatures().has('packed_4x8_integer_dot_product');
  }

  executor(module: EngineModule): Executor {
    return new Executor(this.device, this.#pipelines, module, () => this.#lost);
  }
}

export { findRefusal } from './adapter.js';
export type { Executor };
/** A device; or why there is none, where a `fault` is the caller's. */
export type Opened = { readonly gpu: Gpu } | { readonly refusal: string } | { readonly fault: string };

/** By what the caller has given. */
const given = new WeakMap<GPUDevice | GPUAdapter, Gpu>();
let own: Gpu | undefined;

/** The device of the caller's, or one of an adapter; the same again until it is lost. */
export async function open(wishes: DeviceWishes): Promise<Opened> {
  const { device, adapter } = wishes;
  if (device) {
    const gpu = given.get(device) ?? new Gpu(device);
    given.set(device, gpu);
    await nextTurn(); // a loss in the past is told now
    return gpu.lost === undefined ? { gpu } : { fault: `the device that was given is lost (${gpu.lost})` };
  }
  const known = adapter ? given.get(adapter) : own;
  if (known && known.lost === undefined) return { gpu: known };
  const found = await findDevice(wishes);
  if ('refusal' in found) return found;
  const gpu = new Gpu(found.device);
  if (adapter) given.set(adapter, gpu);
  else own = gpu;
  return { gpu };
}
