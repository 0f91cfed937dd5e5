// The engine's file where `env.wasm.wasmPaths` names one.
import type { WasmFilePaths, WasmFlags } from './env.js';
import type { FlavourFile } from './flavour.js';
import { warnOnce } from './log.js';
import { absoluteUrl } from './platform.js';

/** Undefined when it is to be the one that is shipped. */
export async function chosenUrl(file: FlavourFile, paths: WasmFlags['wasmPaths']): Promise<string | undefined> {
  if (paths === undefined) return undefined;
  const folder = typeof paths === 'string' || paths instanceof URL ? paths : undefined;
  const own = folder === undefined ? ((paths as WasmFilePaths)[file] ?? (paths as WasmFilePaths).wasm) : folder;
  if (own === undefined) return undefined;
  if (isOfOnnxruntime(String(own))) {
    warnOnce(`env.wasm.wasmPaths names files of onnxruntime-web (${String(own)}); onnxlet uses its own`);
    return undefined;
  }
  const address = await absoluteUrl(own);
  if (folder === undefined) return address;
  return new URL(file, address.endsWith('/') ? address : `${address}/`).href;
}

function isOfOnnxruntime(address: string): boolean {
  return /(^|\/)ort-wasm[^/]*$|\/onnxruntime-web[@/]/.test(address);
}
