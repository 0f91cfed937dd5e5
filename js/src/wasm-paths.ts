// The engine's file where `env.wasm.wasmPaths` names one.
import type { WasmFilePaths, WasmFlags } from './env.js';
import type { FlavourFile } from './flavour.js';
import { warnOnce } from './log.js';
import { absoluteUrl } from './platform.js';

/** Undefined when it is to be the one that is shipped. */
export async function chosenUrl(file: FlavourFile, paths: WasmFlags['wasmPaths']): Promise<string | undefined> {
  if (paths === undefined) return undefined;
  if (typeof paths !== 'string' && !(paths instanceof URL)) {
    const own = paths[file] ?? paths.wasm;
    return own === undefined || isForOnnxruntime(String(own), paths) ? undefined : absoluteUrl(own);
  }
  if (isForOnnxruntime(String(paths), {})) return undefined;
  const folder = await absoluteUrl(paths);
  return new URL(file, folder.endsWith('/') ? folder : `${folder}/`).href;
}

/** Programs for onnxruntime-web name its files here; `mjs`, which onnxlet has no use for, stands for them under any name. */
function isForOnnxruntime(address: string, { mjs }: WasmFilePaths): boolean {
  const named = /(^|\/)ort-wasm[^/]*$|\/onnxruntime-web[@/]/.test(address);
  if (!named && mjs === undefined) return false;
  warnOnce(`env.wasm.wasmPaths names files of onnxruntime-web (${address}); onnxlet uses its own`);
  return true;
}
