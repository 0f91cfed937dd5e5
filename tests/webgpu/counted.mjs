// WebGPU for Node as a page would have it, with devices whose buffers are counted.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Makes navigator.gpu of the npm package beside `dist`; gives the devices that are made, and how many buffers live. `change` is called with each. */
export async function countedWebGpu(dist, change = () => undefined) {
  const { create, globals } = await import(pathToFileURL(path.join(dist, '../node_modules/webgpu/index.js')).href);
  Object.assign(globalThis, globals);
  const dawn = create([]);
  const made = { devices: [], alive: 0 };
  const gpu = {
    async requestAdapter(options) {
      const adapter = await dawn.requestAdapter(options);
      const requestDevice = async (wishes) => counted(await adapter.requestDevice(wishes), made, change);
      return { features: adapter.features, info: adapter.info, limits: adapter.limits, requestDevice };
    },
  };
  Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
  return made;
}

function counted(device, made, change) {
  made.devices.push(device);
  const createBuffer = device.createBuffer.bind(device);
  device.createBuffer = (description) => {
    const buffer = createBuffer(description);
    const destroy = buffer.destroy.bind(buffer);
    made.alive++;
    buffer.destroy = () => {
      made.alive--;
      destroy();
    };
    change(buffer);
    return buffer;
  };
  return device;
}
