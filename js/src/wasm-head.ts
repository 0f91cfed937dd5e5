// Reads the limits of an imported memory off a module's bytes: the JavaScript API does not tell them, and a shared
// memory must be made with limits that fit before the module can be instantiated.

export interface MemoryLimits {
  /** In pages of 64 KiB. */
  readonly initial: number;
  readonly maximum: number;
  readonly shared: boolean;
}

/** `incomplete` when more bytes are needed to know, `null` when the module imports no memory. */
export type HeadResult = MemoryLimits | null | 'incomplete';

export function isWasm(bytes: Uint8Array): boolean {
  return bytes[0] === 0x00 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d;
}

const IMPORT_SECTION = 2;
const KIND = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;

export function importedMemory(bytes: Uint8Array): HeadResult {
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const size = reader.leb();
    if (section === IMPORT_SECTION) {
      if (reader.at + size > bytes.length) return 'incomplete';
      return memoryAmongImports(reader);
    }
    if (section > IMPORT_SECTION) return null;
    reader.skip(size);
  }
  return 'incomplete';
}

function memoryAmongImports(reader: Reader): MemoryLimits | null {
  for (let left = reader.leb(); left > 0; left--) {
    reader.skip(reader.leb()); // module name
    reader.skip(reader.leb()); // field name
    switch (reader.byte()) {
      case KIND.function:
        reader.leb();
        break;
      case KIND.table:
        reader.byte();
        reader.limits();
        break;
      case KIND.memory:
        return reader.limits();
      case KIND.global:
        reader.skip(2);
        break;
      case KIND.tag:
        reader.byte();
        reader.leb();
        break;
    }
  }
  return null;
}

class Reader {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }

  skip(count: number): void {
    this.at += count;
  }

  leb(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  limits(): MemoryLimits {
    const flags = this.byte();
    const initial = this.leb();
    const maximum = flags & 1 ? this.leb() : 65536;
    return { initial, maximum, shared: (flags & 2) !== 0 };
  }
}
