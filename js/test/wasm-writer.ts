// Writes tiny WebAssembly modules, to stand for engines that are not what they should be.

import { ABI_FUNCTIONS, ABI_VERSION } from '../src/abi.gen.js';

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

function constant(value: number): number[] {
  const body = [0, 0x41, ...leb(value), 0x0b];
  return [...leb(body.length), ...body];
}

const UNREACHABLE = [3, 0, 0x00, 0x0b];
const VERSION_AT = 16;
const INFO_AT = 48;

/** An engine that answers what it is and nothing else. `abi` is at most 63, where signed and unsigned LEB agree. */
export function versionOnlyEngine(abi: number, version: string): Uint8Array {
  return fakeEngine(version, [
    ['ol_abi_version', true, constant(abi)],
    ['ol_version', true, constant(VERSION_AT)],
  ]);
}

/** An engine of this version that starts, and traps as soon as it is given a model. */
export function trappingEngine(): Uint8Array {
  const answers: Record<string, number> = {
    ol_abi_version: ABI_VERSION,
    ol_version: VERSION_AT,
    ol_build_info: INFO_AT,
    ol_alloc: 1024,
  };
  return fakeEngine(
    '0',
    Object.entries(ABI_FUNCTIONS).map(([function_, result]) => {
      const answer = answers[function_];
      return [function_, result !== 'void', answer === undefined ? UNREACHABLE : constant(answer)] as const;
    }),
  );
}

function fakeEngine(version: string, functions: readonly (readonly [string, boolean, number[]])[]): Uint8Array {
  return wasm(
    section(
      1,
      vector([
        [0x60, 0, 1, I32],
        [0x60, 0, 0],
      ]),
    ),
    section(3, vector(functions.map(([, hasResult]) => [hasResult ? 0 : 1]))),
    section(5, vector([[0, 1]])),
    section(
      7,
      vector([
        [...name('memory'), 2, 0],
        ...functions.map(([function_], index) => [...name(function_), 0, ...leb(index)]),
      ]),
    ),
    section(10, vector(functions.map(([, , body]) => body))),
    section(
      11,
      vector([
        [0, 0x41, VERSION_AT, 0x0b, ...name(`${version}\0`)],
        [0, 0x41, INFO_AT, 0x0b, ...name('{"flavour":"fake"}\0')],
      ]),
    ),
  );
}
