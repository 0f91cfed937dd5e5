// Writes tiny WebAssembly modules, to stand for engines that are not what they should be.

export function leb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const rest = Math.floor(value / 128);
    bytes.push((value % 128) + (rest > 0 ? 128 : 0));
    value = rest;
  } while (value > 0);
  return bytes;
}

export function vector(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()];
}

export function name(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  return [...leb(bytes.length), ...bytes];
}

export function section(id: number, content: readonly number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

export function wasm(...sections: readonly (readonly number[])[]): Uint8Array {
  return new Uint8Array([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);
}

const I32 = 0x7f;

/** An engine that answers nothing but its versions. `abi` is at most 63, where signed and unsigned LEB agree. */
export function versionOnlyEngine(abi: number, version: string): Uint8Array {
  const constant = (value: number) => {
    const body = [0, 0x41, ...leb(value), 0x0b];
    return [...leb(body.length), ...body];
  };
  return wasm(
    section(1, vector([[0x60, 0, 1, I32]])),
    section(3, vector([[0], [0]])),
    section(5, vector([[0, 1]])),
    section(
      7,
      vector([
        [...name('memory'), 2, 0],
        [...name('ol_abi_version'), 0, 0],
        [...name('ol_version'), 0, 1],
      ]),
    ),
    section(10, vector([constant(abi), constant(16)])),
    section(11, vector([[0, 0x41, 16, 0x0b, ...name(`${version}\0`)]])),
  );
}
