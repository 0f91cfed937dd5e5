// Weights, read one at a time from the file that holds them.
import { PbfReader } from 'pbf';
import type { LoadedModel } from '../model/loaded.js';
import type { Weight } from '../model/types.js';
import { fieldHead, joined, numberField, textField, varint } from '../model/wire.js';
import { elementsOf } from './layers.js';
import { PackProblem } from './problem.js';

export type Source = Pick<LoadedModel, 'file' | 'companions' | 'parsed'>;

const [DIMS, TYPE, FLOATS, NAME, RAW, EXTERNAL] = [1, 2, 4, 8, 9, 13];

interface Stored {
  readonly type: number;
  readonly bytes?: Uint8Array;
  readonly entries: ReadonlyMap<string, string>;
}

/** The numbers of a weight of type float. */
export async function floatsOf(source: Source, weight: Weight): Promise<Float32Array> {
  const bytes = weight.external
    ? new Uint8Array(await (await externalBytes(source, weight)).arrayBuffer())
    : ((await stored(source, weight)).bytes ?? new Uint8Array());
  const count = elementsOf(weight);
  if (bytes.length !== count * 4) {
    throw new PackProblem(
      'damaged',
      `weight ${JSON.stringify(weight.name)} has ${bytes.length / 4} of ${count} numbers`,
    );
  }
  const whole = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Float32Array(whole.buffer, whole.byteOffset, count);
}

/** A weight that lies in another file, as an initializer that holds its bytes. */
export async function embedded(source: Source, weight: Weight): Promise<BlobPart[]> {
  const { type } = await stored(source, weight);
  const bytes = await externalBytes(source, weight);
  return [tensorHead(weight.name, type, weight.shape, bytes.size), bytes];
}

/** The field of an initializer up to its bytes, which follow. `type` is a TensorProto.DataType. */
export function tensorHead(
  name: string,
  type: number,
  shape: readonly number[],
  bytes: number,
): Uint8Array<ArrayBuffer> {
  const described = joined([
    ...shape.map((dim) => numberField(DIMS, dim)),
    numberField(TYPE, type),
    textField(NAME, name),
    fieldHead(RAW, bytes),
  ]);
  const [INITIALIZER] = [5];
  return joined([varint(INITIALIZER * 8 + 2), varint(described.length + bytes), described]);
}

async function stored({ file }: Source, { range: [start, end] }: Weight): Promise<Stored> {
  const pbf = new PbfReader(await file.slice(start + 1, end).arrayBuffer());
  const found = { type: 0, bytes: undefined as Uint8Array | undefined, entries: new Map<string, string>() };
  const floats: number[] = [];
  pbf.readFields(
    (tag) => {
      if (tag === TYPE) found.type = pbf.readVarint();
      else if (tag === RAW || (tag === FLOATS && pbf.type === 2)) found.bytes = pbf.readBytes();
      else if (tag === FLOATS) floats.push(pbf.readFloat());
      else if (tag === EXTERNAL) {
        const entry = { key: '', value: '' };
        pbf.readMessage((part) => {
          if (part === 1) entry.key = pbf.readString();
          else if (part === 2) entry.value = pbf.readString();
        }, undefined);
        found.entries.set(entry.key, entry.value);
      }
    },
    undefined,
    pbf.readVarint() + pbf.pos,
  );
  const bytes = floats.length > 0 ? new Uint8Array(Float32Array.from(floats).buffer) : found.bytes;
  return { type: found.type, entries: found.entries, ...(bytes ? { bytes } : {}) };
}

async function externalBytes(source: Source, weight: Weight): Promise<Blob> {
  const { entries } = await stored(source, weight);
  const location = entries.get('location') ?? '';
  const file = source.companions.get(location);
  if (!file) throw new PackProblem('other files', `${location} is missing`);
  const offset = Number(entries.get('offset') ?? 0);
  const length = Number(entries.get('length') ?? weight.bytes);
  if (offset + length > file.size) {
    const words = `ends at byte ${offset + length} of ${location}, which has ${file.size}`;
    throw new PackProblem('damaged', `weight ${JSON.stringify(weight.name)} ${words}`);
  }
  return file.slice(offset, offset + length);
}
