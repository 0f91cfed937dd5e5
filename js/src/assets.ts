// Where the .wasm files are. One literal `new URL` each: bundlers look for exactly this form and copy the file.
import type { WasmFlags } from './env.js';
import type { FlavourFile } from './flavour.js';
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

export async function wasmUrl(file: FlavourFile, paths: WasmFlags['wasmPaths']): Promise<string> {
  if (paths === undefined) return besideThisFile(file);
  if (typeof paths === 'string' || paths instanceof URL) {
    const folder = await absoluteUrl(paths);
    return new URL(file, folder.endsWith('/') ? folder : `${folder}/`).href;
  }
  const own = paths[file];
  return own === undefined ? besideThisFile(file) : absoluteUrl(own);
}
