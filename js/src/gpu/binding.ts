// Buffers of the caller's: whether commands can read them, and what is in them.
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from './buffers.js';

// Buffers whose device is known to be this one.
const checked = new WeakMap<GPUBuffer, GPUDevice>();

/** What keeps commands of the device from reading `bytes` bytes of the buffer; `layout` binds one storage buffer. */
export async function faultOf(
  device: GPUDevice,
  layout: GPUBindGroupLayout,
  buffer: GPUBuffer,
  bytes: number,
): Promise<string | undefined> {
  const { size, usage, mapState } = buffer;
  if ((usage & (STORAGE | COPY_SRC)) !== (STORAGE | COPY_SRC)) {
    return `has the usage 0x${usage.toString(16)}; it needs GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC`;
  }
  const needed = Math.ceil(bytes / 4) * 4;
  if (size < needed) return `has ${size} bytes; the tensor needs ${needed}`;
  const { maxStorageBufferBindingSize: most } = device.limits;
  if (size > most) return `has ${size} bytes; the device binds at most ${most}`;
  if (mapState !== 'unmapped') return 'is mapped; unmap it first';
  if (checked.get(buffer) === device) return undefined;
  device.pushErrorScope('validation');
  device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
  const error = await device.popErrorScope();
  if (error) return `cannot be used on the session's device: ${error.message}`;
  checked.set(buffer, device);
  return undefined;
}

/** The first `bytes` bytes, after all work that was submitted. */
export async function readBuffer(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<Uint8Array> {
  if (bytes === 0) return new Uint8Array(0);
  const size = Math.ceil(bytes / 4) * 4;
  const staging = device.createBuffer({ size, usage: MAP_READ | COPY_DST });
  try {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(1);
    return new Uint8Array(staging.getMappedRange().slice(0, bytes));
  } finally {
    staging.destroy();
  }
}
