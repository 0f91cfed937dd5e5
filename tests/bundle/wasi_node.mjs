// Runs a command of WASI in Node: `node wasi_node.mjs HOST=GUEST ... -- MODULE.wasm ARGUMENT ...`. The folders are what
// it can see. Ends with the command's exit status.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { WASI } from 'node:wasi';

const words = process.argv.slice(2);
const split = words.indexOf('--');
const [module, ...args] = words.slice(split + 1);
const preopens = Object.fromEntries(words.slice(0, split).map((folder) => folder.split('=').reverse()));
const wasi = new WASI({ version: 'preview1', args: [basename(module), ...args], env: process.env, preopens });
const { instance } = await WebAssembly.instantiate(await readFile(module), wasi.getImportObject());
process.exitCode = wasi.start(instance);
