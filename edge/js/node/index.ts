// The bundle as a module for programs: index.d.ts, which is bundle.d.ts here, says what it offers.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { detectFeatures, env, InferenceSession } from 'onnxlet';
import { chooseEngine } from '../shared/engine.js';
import type { Given } from '../shared/inputs.js';
import { feedsOf } from '../shared/inputs.js';
import { Problem, readInterface } from '../shared/interface.js';
import { parseKey } from '../shared/key.js';
import { parseTable } from '../shared/table.js';
import type * as declared from './bundle.js';
import { Tampered, verify } from './verify.js';

const HOME = path.dirname(fileURLToPath(import.meta.url));
const MODEL = 'model.onnx';
const ENCRYPTED = 'model.onnx.enc';

export { Tampered };

export const open: typeof declared.open = async (options = {}) => {
  if (options.verify !== false) await verify(HOME);
  const files = await readdir(HOME);
  const asked = readInterface(await readFile(path.join(HOME, 'interface.json'), 'utf8'));
  const { file, threads } = chooseEngine(files, detectFeatures());
  env.wasm.wasmPaths = { wasm: pathToFileURL(path.join(HOME, file)) };
  const encrypted = files.includes(ENCRYPTED);
  const threading = { intraOpNumThreads: threads ? (options.threads ?? 0) : 1 };
  const session = await (encrypted
    ? InferenceSession.create(await readFile(path.join(HOME, ENCRYPTED)), {
        ...threading,
        decrypt: { key: keyOf(options.key) },
      })
    : InferenceSession.create(pathToFileURL(path.join(HOME, MODEL)), threading));
  return {
    interface: asked,
    threads: session.threads,
    flavour: session.flavour,
    async ask(inputs, { table } = {}) {
      const given = inputs as Readonly<Record<string, Given>>;
      const outputs = await session.run(
        feedsOf(asked, given, table === undefined ? undefined : parseTable(table, 'the table')),
      );
      return outputs;
    },
    close: () => session.release(),
  };
};

let opened: Promise<declared.Bundle> | undefined;

export const ask: typeof declared.ask = async (inputs, options) => {
  opened ??= open();
  return (await opened).ask(inputs, options);
};

function keyOf(key: Uint8Array | string | undefined): Uint8Array {
  if (key === undefined) throw new Problem('the model is encrypted: its key is needed');
  return typeof key === 'string' ? parseKey(key, 'the key') : key;
}
