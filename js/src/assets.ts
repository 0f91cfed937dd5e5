// Where the .wasm files are. One literal `new URL` each: bundlers look for exactly this form and copy the file.
import type { WasmFilePaths, WasmFlags } from './env.js';
import type { FlavourFile } from './flavour.js';
import { warnOnce } from './log.js';
import { absoluteUrl } from './platform.js';

function besideThisFile(file: FlavourFile): string {
  switch (file) {
    case 'onnxlet.wasm':
      return new URL('./onnxlet.wasm', import.meta.url).href;
    case 'onnxlet-relaxed.wasm':
      return new URL('./onnxlet-relaxed.wasm', import.meta.url).href;
    case 'onnxlet-threads.wasm':
      return new URL('./onnxlet-threads.wasm', import.meta.url).href;
    case 'onnxlet-relaxed-threads.wasm':
      return new URL('./onnxlet-relaxed-threads.wasm', import.meta.url).href;
    case 'onnxlet-scalar.wasm':
      return new URL('./onnxlet-scalar.wasm', import.meta.url).href;
  }
}

/** The address of an engine's file: where `env.wasm.wasmPaths` says, otherwise beside this script. */
export async function wasmUrl(file: FlavourFile, paths: WasmFlags['wasmPaths']): Promise<string> {
  if (paths === undefined) return besideThisFile(file);
  const folder = typeof paths === 'string' || paths instanceof URL ? paths : undefined;
  const own = folder === undefined ? ((paths as WasmFilePaths)[file] ?? (paths as WasmFilePaths).wasm) : folder;
  if (own === undefined) return besideThisFile(file);
  if (isOfOnnxruntime(String(own))) {
    warnOnce(`env.wasm.wasmPaths names files of onnxruntime-web (${String(own)}); onnxlet uses its own`);
    return besideThisFile(file);
  }
  const address = await absoluteUrl(own);
  if (folder === undefined) return address;
  return new URL(file, address.endsWith('/') ? address : `${address}/`).href;
}

function isOfOnnxruntime(address: string): boolean {
  return /(^|\/)ort-wasm[^/]*$|\/onnxruntime-web[@/]/.test(address);
}
