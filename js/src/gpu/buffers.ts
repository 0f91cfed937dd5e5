// Storage buffers by the engine's numbers. What is freed is kept for the next one of its size.

const SMALLEST = 256;
// Buffers that are not the session's have numbers from here up, as core/gpu/commands.h has it.
const FIRST_FOREIGN = 2 ** 30;

export class Buffers {
  readonly #used = new Map<number, GPUBuffer>();
  readonly #free = new Map<number, GPUBuffer[]>();

  /** Of others, until the engine has no more use for them. */
  readonly #foreign = new Map<number, GPUBuffer>();
  #nextForeign = FIRST_FOREIGN;

  constructor(private readonly device: GPUDevice) {}

  /** How many buffers there are, used or kept; those of others are not counted. */
  get count(): number {
    return this.#used.size + [...this.#free.values()].reduce((sum, list) => sum + list.length, 0);
  }

  /** Bytes of those. */
  get bytes(): number {
    const all = [...this.#used.values(), ...[...this.#free.values()].flat()];
    return all.reduce((sum, buffer) => sum + buffer.size, 0);
  }

  /** A number for a buffer of somebody else's. */
  adopt(buffer: GPUBuffer): number {
    const id = this.#nextForeign++;
    this.#foreign.set(id, buffer);
    return id;
  }

  allocate(id: number, bytes: number): void {
    const size = sizeClass(bytes);
    const kept = this.#free.get(size)?.pop();
    this.#used.set(id, kept ?? this.device.createBuffer({ size, usage: STORAGE | COPY_SRC | COPY_DST }));
  }

  free(id: number): void {
    if (this.#foreign.delete(id)) return;
    const buffer = this.get(id);
    this.#used.delete(id);
    const kept = this.#free.get(buffer.size);
    if (kept) kept.push(buffer);
    else this.#free.set(buffer.size, [buffer]);
  }

  get(id: number): GPUBuffer {
    const buffer = this.#used.get(id) ?? this.#foreign.get(id);
    if (!buffer) throw new RangeError(`the engine means buffer ${id}, which there is not`);
    return buffer;
  }

  destroy(): void {
    for (const buffer of this.#used.values()) buffer.destroy();
    for (const list of this.#free.values()) for (const buffer of list) buffer.destroy();
    this.#used.clear();
    this.#free.clear();
    this.#foreign.clear();
  }
}

// GPUBufferUsage, whose object Node has only once Dawn is there.
export const MAP_READ = 0x01;
export const COPY_SRC = 0x04;
export const COPY_DST = 0x08;
export const UNIFORM = 0x40;
export const STORAGE = 0x80;

/** Four sizes between a power of two and the next, so that tensors of similar sizes can follow each other. */
function sizeClass(bytes: number): number {
  const step = Math.max(SMALLEST, 2 ** (Math.floor(Math.log2(Math.max(bytes, 1))) - 2));
  return Math.max(SMALLEST, Math.ceil(bytes / step) * step);
}
