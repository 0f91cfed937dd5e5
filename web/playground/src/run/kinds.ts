// What an input seems to want, by its type, shape and name.
import type { Dim, ValueInfo } from '../model/types.js';
import type { Role } from './roles.js';

export const SOURCES = ['random', 'zeros', 'picture', 'drawing', 'sound', 'text', 'values', 'file'] as const;
export type Source = (typeof SOURCES)[number];

/** Where a picture's parts are in a tensor of rank 3 or 4. */
export interface PictureLayout {
  readonly channels: 1 | 3;
  /** Axes of the tensor; -1 where there is none. */
  readonly channelAxis: number;
  readonly heightAxis: number;
  readonly widthAxis: number;
}

/** ONNX's names of element types that the page can fill, as JavaScript's tensors call them. */
export const TENSOR_TYPES: Readonly<Record<string, string>> = {
  float: 'float32',
  float16: 'float16',
  double: 'float64',
  int8: 'int8',
  int16: 'int16',
  int32: 'int32',
  int64: 'int64',
  uint8: 'uint8',
  uint16: 'uint16',
  uint32: 'uint32',
  uint64: 'uint64',
  bool: 'bool',
  string: 'string',
};

/** The element type as JavaScript's tensors call it; undefined for what the page cannot make. */
export function dtypeOf({ type }: ValueInfo): string | undefined {
  return TENSOR_TYPES[/^tensor\((\w+)\)$/.exec(type)?.[1] ?? ''];
}

export function pictureLayout(value: ValueInfo): PictureLayout | undefined {
  const dtype = dtypeOf(value);
  const { shape } = value;
  if (!shape || !['float32', 'float16', 'uint8'].includes(dtype ?? '') || shape.length < 3 || shape.length > 4) {
    return undefined;
  }
  const offset = shape.length - 3;
  const isSide = (dim: Dim | undefined) => typeof dim !== 'number' || dim >= 8;
  const isChannels = (dim: Dim | undefined) => dim === 1 || dim === 3;
  if (isChannels(shape[offset]) && isSide(shape[offset + 1]) && isSide(shape[offset + 2])) {
    return {
      channels: shape[offset],
      channelAxis: offset,
      heightAxis: offset + 1,
      widthAxis: offset + 2,
    };
  }
  if (isChannels(shape[offset + 2]) && isSide(shape[offset]) && isSide(shape[offset + 1])) {
    return { channels: shape[offset + 2] as 1 | 3, channelAxis: offset + 2, heightAxis: offset, widthAxis: offset + 1 };
  }
  return undefined;
}

export function isTable({ shape, type }: ValueInfo): boolean {
  return shape?.length === 2 && typeof shape[0] !== 'number' && /float|double|int|string|bool/.test(type);
}

/** How an input may be given, the likeliest first. */
export function sourcesOf(value: ValueInfo, role?: Role): Source[] {
  switch (role?.kind) {
    case 'picture file':
      return ['picture', 'random', 'file'];
    case 'sound':
      return ['random', 'sound', 'zeros', 'values', 'file'];
    case 'ids':
      return ['random', 'text', 'zeros', 'values', 'file'];
    case 'state':
      return ['zeros', 'random', 'values', 'file'];
    default:
      return usualSources(value);
  }
}

function usualSources(value: ValueInfo): Source[] {
  const picture = pictureLayout(value);
  const drawn = picture?.channels === 1 ? (['drawing'] as const) : [];
  const written = usualValue(value) !== undefined || dtypeOf(value) === 'string';
  const all: Source[] = written ? ['values', 'random', 'zeros', 'file'] : ['random', 'zeros', 'values', 'file'];
  return picture ? [...all.slice(0, 1), 'picture', ...drawn, ...all.slice(1)] : all;
}

/** What a scalar with a telling name usually is. */
export function usualValue({ name, shape }: ValueInfo): string | undefined {
  return shape?.length === 0 && /^(sr|sample_?rate|sampling_rate)$/i.test(name) ? '16000' : undefined;
}

/** Open sizes: the key that inputs share, and what to begin with. */
export function openSizes(values: readonly ValueInfo[]): { key: string; label: string; start: number }[] {
  const found = new Map<string, { key: string; label: string; start: number }>();
  for (const value of values) {
    const picture = pictureLayout(value);
    value.shape?.forEach((dim, axis) => {
      if (typeof dim === 'number') return;
      const key = sizeKey(value, axis);
      if (found.has(key)) return;
      const side = picture && (axis === picture.heightAxis || axis === picture.widthAxis);
      found.set(key, { key, label: dim ?? `${value.name}, axis ${axis}`, start: side ? 224 : startOf(dim, axis) });
    });
  }
  return [...found.values()];
}

export function sizeKey({ name, shape }: ValueInfo, axis: number): string {
  return shape?.[axis]?.toString() ?? `${name}#${axis}`;
}

function startOf(dim: Dim, axis: number): number {
  if (typeof dim === 'string' && /past|cache/i.test(dim)) return 1;
  if (typeof dim === 'string' && /seq|len|token|time|^t$/i.test(dim)) return 16;
  return axis === 0 ? 1 : 16;
}
