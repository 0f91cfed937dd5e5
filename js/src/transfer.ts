// Tensor bytes across a worker's border: moved where the buffer is ours, copied once where it is the caller's.
import type { FileSource, ModelRequest, WireValue } from './protocol.js';

/** The buffers inside values, for postMessage's transfer list. */
export function buffersOf(values: readonly WireValue[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const visit = (value: WireValue): void => {
    if (value.kind === 'sequence') value.items.forEach(visit);
    if (value.kind === 'map') [value.keys, value.values].forEach(visit);
    if (value.kind === 'tensor' && value.data instanceof Uint8Array && value.data.buffer instanceof ArrayBuffer) {
      found.add(value.data.buffer);
    }
  };
  values.forEach(visit);
  return [...found];
}

/** The same values with tensor bytes copied out of the caller's buffers: a view would drag its whole buffer along. */
export function detached(value: WireValue): WireValue {
  switch (value.kind) {
    case 'none':
    case 'kept':
    case 'gpu':
      return value;
    case 'tensor':
      return value.data instanceof Uint8Array ? { ...value, data: new Uint8Array(value.data) } : value;
    case 'sequence':
      return { kind: 'sequence', items: value.items.map(detached) };
    case 'map':
      return { kind: 'map', keys: detached(value.keys), values: detached(value.values) };
  }
}

/** The same request with its bytes copied out of the caller's buffers, which stay usable. */
export function detachedFiles<T extends ModelRequest>(request: T): T {
  const external = Object.entries(request.external).map(([name, source]) => [name, detachedSource(source)] as const);
  return { ...request, model: detachedSource(request.model), external: Object.fromEntries(external) };
}

function detachedSource(source: FileSource): FileSource {
  return source.kind === 'bytes' ? { ...source, bytes: new Uint8Array(source.bytes) } : source;
}

export function buffersOfFiles(request: ModelRequest): ArrayBuffer[] {
  return [request.model, ...Object.values(request.external)].flatMap((source) =>
    source.kind === 'bytes' && source.bytes.buffer instanceof ArrayBuffer ? [source.bytes.buffer] : [],
  );
}
