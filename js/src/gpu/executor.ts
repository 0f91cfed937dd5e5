// Does what core/gpu/commands.h describes.
import type { Pointer } from '../abi.gen.js';
import { messageOf, OnnxletError } from '../errors.js';
import type { EngineModule } from '../module.js';
import { nextTurn } from '../platform.js';
import { Buffers, COPY_DST, MAP_READ, UNIFORM } from './buffers.js';
import { faultOf, readBuffer } from './binding.js';
import type { Pipelines } from './pipelines.js';

// Their numbers, as core/gpu/commands.h gives them.
const Command = { ALLOCATE: 1, FREE: 2, WRITE: 3, READ: 4, COPY: 5, PIPELINE: 6, DISPATCH: 7 } as const;

const UNIFORM_STEP = 256; // minUniformBufferOffsetAlignment's default

interface Read {
  readonly staging: GPUBuffer;
  readonly to: Pointer;
  readonly bytes: number;
}

/** The commands of one session. */
export class Executor {
  readonly #buffers: Buffers;
  /** By the session's numbers. */
  readonly #pipelines: GPUComputePipeline[] = [];
  /** Those of all dispatches of a run; kept for the next. */
  #uniforms: GPUBuffer | undefined;

  constructor(
    private readonly device: GPUDevice,
    private readonly pipelines: Pipelines,
    private readonly module: EngineModule,
    private readonly why: () => string | undefined,
  ) {
    this.#buffers = new Buffers(device);
  }

  /** Why the device is gone; undefined while it is there. */
  get lost(): string | undefined {
    return this.why();
  }

  get bufferCount(): number {
    return this.#buffers.count;
  }

  /** Why the session's commands cannot read `bytes` bytes of a buffer of the caller's. */
  faultOf(buffer: GPUBuffer, bytes: number): Promise<string | undefined> {
    return faultOf(this.device, this.pipelines.layout(1, false), buffer, bytes);
  }

  /** The number that commands call the buffer by, until they free it. */
  adopt(buffer: GPUBuffer): number {
    return this.#buffers.adopt(buffer);
  }

  buffer(id: number): GPUBuffer {
    return this.#buffers.get(id);
  }

  async read(buffer: GPUBuffer, bytes: number): Promise<Uint8Array> {
    try {
      return await readBuffer(this.device, buffer, bytes);
    } catch (cause) {
      throw this.#lossOr(cause);
    }
  }

  destroy(): void {
    this.#buffers.destroy();
    this.#uniforms?.destroy();
  }

  /** Rejects with what the device says of it. */
  async run(address: Pointer, words: number): Promise<void> {
    try {
      await this.#run(address, words);
    } catch (cause) {
      await nextTurn(); // what has become of the device is told after what has become of its work
      throw this.#lossOr(cause);
    }
    // A device that is gone accepts everything.
    if (this.lost !== undefined) throw this.#lossOr(undefined);
  }

  #lossOr(cause: unknown): unknown {
    if (this.lost === undefined) return cause;
    return new OnnxletError('RUN_FAILED', `it was lost (${this.lost}); later runs are on the CPU`, { cause });
  }

  async #run(address: Pointer, words: number): Promise<void> {
    const commands = new Uint32Array(this.module.slice(address, words * 4).buffer);
    await this.#preparePipelines(commands);
    const batch = new Batch(this.device, this.module, this.#uniformsFor(commands));
    try {
      const [shortage, fault] = await this.#submit(batch, commands);
      if (shortage) throw this.#shortageOf(shortage);
      if (fault) throw new OnnxletError('RUN_FAILED', fault.message);
      await batch.finishReads();
    } finally {
      batch.close();
    }
  }

  /** What the device has against it: that its memory is full, or anything else. */
  async #submit(batch: Batch, commands: Uint32Array): Promise<readonly (GPUError | null)[]> {
    const scopes = ['validation', 'out-of-memory'] as const;
    for (const scope of scopes) this.device.pushErrorScope(scope);
    let errors: Promise<readonly (GPUError | null)[]>;
    try {
      walk(commands, (command, at) => {
        this.#encode(batch, commands, command, at);
      });
      batch.submit();
    } finally {
      errors = Promise.all(scopes.map(() => this.device.popErrorScope())); // the one that began last comes first
    }
    return errors;
  }

  #shortageOf({ message }: GPUError): OnnxletError {
    const { count, bytes } = this.#buffers;
    const advice =
      'feed less at a time, make the weights smaller (onnxlet pack), or give the provider webgpu the number of bytes ' +
      'that there are for weights as maxBytes, to be told before they are sent';
    return new OnnxletError(
      'RUN_FAILED',
      `its memory is full: the session has ${count} buffers of ${bytes} bytes there (${message}); ${advice}`,
    );
  }

  #uniformsFor(commands: Uint32Array): GPUBuffer {
    let size = UNIFORM_STEP;
    walk(commands, (command, at) => {
      if (command === Command.DISPATCH) size += uniformBytes(commands[at + 5 + (commands[at + 4] ?? 0)] ?? 0);
    });
    if (!this.#uniforms || this.#uniforms.size < size) {
      this.#uniforms?.destroy(); // the device keeps what it works with until it is done
      this.#uniforms = this.device.createBuffer({ size, usage: UNIFORM | COPY_DST });
    }
    return this.#uniforms;
  }

  async #preparePipelines(commands: Uint32Array): Promise<void> {
    const wanted: [number, string][] = [];
    walk(commands, (command, at) => {
      if (command !== Command.PIPELINE) return;
      const [number = 0, address = 0, length = 0] = commands.subarray(at, at + 3);
      wanted.push([number, this.module.text(address, length)]);
    });
    await Promise.all(
      wanted.map(async ([number, text]) => {
        this.#pipelines[number] = await this.pipelines.get(text);
      }),
    );
  }

  #encode(batch: Batch, commands: Uint32Array, command: number, at: number): void {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = commands.subarray(at, at + 5);
    switch (command) {
      case Command.ALLOCATE:
        this.#buffers.allocate(a, b);
        break;
      case Command.FREE:
        this.#buffers.free(a);
        break;
      case Command.WRITE:
        batch.write(this.#buffers.get(a), b, c);
        break;
      case Command.READ:
        batch.read(this.#buffers.get(a), b, c);
        break;
      case Command.COPY:
        batch.copy(this.#buffers.get(a), b, this.#buffers.get(c), d, e);
        break;
      case Command.PIPELINE:
        break;
      case Command.DISPATCH: {
        const ids = commands.subarray(at + 5, at + 5 + e);
        const start = at + 6 + e;
        const uniforms = commands.subarray(start, start + (commands[start - 1] ?? 0));
        const pipeline = this.#pipelines[a];
        if (!pipeline) throw new OnnxletError('INTERNAL', `the engine means pipeline ${a}, which there is not`);
        const buffers = Array.from(ids, (id) => this.#buffers.get(id));
        batch.dispatch(pipeline, this.pipelines.layout(e, uniforms.length > 0), buffers, uniforms, [b, c, d]);
        break;
      }
    }
  }
}

/** Calls back with every command and where its arguments begin. */
function walk(commands: Uint32Array, visit: (command: number, at: number) => void): void {
  let at = 0;
  while (at < commands.length) {
    const command = commands[at++] ?? 0;
    visit(command, at);
    at += argumentsOf(commands, command, at);
  }
}

function argumentsOf(commands: Uint32Array, command: number, at: number): number {
  switch (command) {
    case Command.ALLOCATE:
      return 2;
    case Command.FREE:
      return 1;
    case Command.WRITE:
    case Command.READ:
    case Command.PIPELINE:
      return 3;
    case Command.COPY:
      return 5;
    case Command.DISPATCH: {
      const buffers = commands[at + 4] ?? 0;
      return 6 + buffers + (commands[at + 5 + buffers] ?? 0);
    }
    default:
      throw new OnnxletError('INTERNAL', `the engine gives command ${command}, which there is not`);
  }
}

/** What is encoded until the device has to be waited for. */
class Batch {
  #encoder: GPUCommandEncoder;
  #pass: GPUComputePassEncoder | undefined;
  readonly #touched = new Set<GPUBuffer>();
  readonly #reads: Read[] = [];
  readonly #words: Uint32Array<ArrayBuffer>;
  /** Bytes of the uniforms: given out, and on their way to the device. */
  #used = 0;
  #written = 0;

  constructor(
    private readonly device: GPUDevice,
    private readonly module: EngineModule,
    private readonly uniforms: GPUBuffer,
  ) {
    this.#words = new Uint32Array(uniforms.size / 4);
    this.#encoder = device.createCommandEncoder();
  }

  write(to: GPUBuffer, from: Pointer, bytes: number): void {
    // Writes of the queue come before everything that is not submitted yet.
    if (this.#touched.has(to)) this.submit();
    this.device.queue.writeBuffer(to, 0, this.module.memory.buffer, from, rounded(bytes));
  }

  read(from: GPUBuffer, to: Pointer, bytes: number): void {
    const staging = this.device.createBuffer({ size: rounded(bytes), usage: MAP_READ | COPY_DST });
    this.#endPass();
    this.#encoder.copyBufferToBuffer(from, 0, staging, 0, rounded(bytes));
    this.#touched.add(from);
    this.#reads.push({ staging, to, bytes });
  }

  copy(from: GPUBuffer, fromByte: number, to: GPUBuffer, toByte: number, bytes: number): void {
    this.#endPass();
    this.#encoder.copyBufferToBuffer(from, fromByte, to, toByte, bytes);
    this.#touched.add(from).add(to);
  }

  dispatch(
    pipeline: GPUComputePipeline,
    layout: GPUBindGroupLayout,
    buffers: readonly GPUBuffer[],
    uniforms: Uint32Array,
    groups: readonly [number, number, number],
  ): void {
    const resources: GPUBindingResource[] = buffers.map((buffer) => ({ buffer }));
    if (uniforms.length > 0) resources.push(this.#uniform(uniforms));
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    this.#pass ??= this.#encoder.beginComputePass();
    this.#pass.setPipeline(pipeline);
    this.#pass.setBindGroup(0, this.device.createBindGroup({ layout, entries }));
    this.#pass.dispatchWorkgroups(...groups);
    for (const buffer of buffers) this.#touched.add(buffer);
  }

  submit(): void {
    this.#endPass();
    const { queue } = this.device;
    queue.writeBuffer(this.uniforms, this.#written, this.#words, this.#written / 4, (this.#used - this.#written) / 4);
    this.#written = this.#used;
    queue.submit([this.#encoder.finish()]);
    this.#encoder = this.device.createCommandEncoder();
    this.#touched.clear();
  }

  /** All or nothing: what came after the run has failed would be written where it had its memory. */
  async finishReads(): Promise<void> {
    const mapped = await Promise.allSettled(this.#reads.map(({ staging }) => staging.mapAsync(1)));
    for (const [index, result] of mapped.entries()) {
      if (result.status === 'fulfilled') continue;
      const text = `${this.#reads[index]?.bytes} bytes cannot be read back: ${messageOf(result.reason)}; run it again`;
      throw new OnnxletError('RUN_FAILED', text, { cause: result.reason });
    }
    for (const { staging, to, bytes } of this.#reads) {
      this.module.bytes.set(new Uint8Array(staging.getMappedRange(), 0, bytes), to);
    }
  }

  /** Frees what the reads have used, also of those that were given up. */
  close(): void {
    for (const { staging } of this.#reads) staging.destroy();
  }

  #uniform(words: Uint32Array): GPUBufferBinding {
    const [offset, size] = [this.#used, uniformBytes(words.length)];
    this.#words.set(words, offset / 4);
    this.#used += size;
    return { buffer: this.uniforms, offset, size };
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }
}

function uniformBytes(words: number): number {
  return Math.ceil((words * 4) / UNIFORM_STEP) * UNIFORM_STEP;
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}
