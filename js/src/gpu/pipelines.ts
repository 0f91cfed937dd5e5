// Compute pipelines by their texts. All sessions of a device share them.
import { messageOf, OnnxletError } from '../errors.js';
import { shaderSource } from './shaders.js';

const COMPUTE = 0x4; // GPUShaderStage, whose object Node has only once Dawn is there

export class Pipelines {
  readonly #made = new Map<string, Promise<GPUComputePipeline>>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();

  constructor(private readonly device: GPUDevice) {}

  get(text: string): Promise<GPUComputePipeline> {
    let made = this.#made.get(text);
    if (!made) {
      made = this.#make(text);
      this.#made.set(text, made);
    }
    return made;
  }

  /** Of a shader that reads all its storage buffers but the last, which it writes, and then a uniform buffer. */
  layout(buffers: number, uniform: boolean): GPUBindGroupLayout {
    const key = `${buffers} ${uniform}`;
    let layout = this.#layouts.get(key);
    if (!layout) {
      const types: GPUBufferBindingType[] = Array<GPUBufferBindingType>(buffers - 1).fill('read-only-storage');
      types.push('storage');
      if (uniform) types.push('uniform');
      const entries = types.map((type, binding) => ({ binding, visibility: COMPUTE, buffer: { type } }));
      layout = this.device.createBindGroupLayout({ entries });
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  async #make(text: string): Promise<GPUComputePipeline> {
    const code = shaderSource(text);
    const storage = code.match(/var<storage/g)?.length ?? 0;
    const layout = this.layout(storage, code.includes('var<uniform>'));
    try {
      return await this.device.createComputePipelineAsync({
        label: text,
        layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module: this.device.createShaderModule({ label: text, code }), entryPoint: 'main' },
      });
    } catch (error) {
      this.#made.delete(text);
      throw new OnnxletError('RUN_FAILED', `the shader "${text}" was refused: ${messageOf(error)}`, { cause: error });
    }
  }
}
