// The key of an encrypted model, asked for on a terminal.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Problem } from '../shared/interface.js';
import { parseKey } from '../shared/key.js';

/** Nothing where the model is not encrypted. */
export async function askForKey(folder: string): Promise<Uint8Array | undefined> {
  if (!existsSync(path.join(folder, 'model.onnx.enc'))) return undefined;
  if (!process.stdin.isTTY) {
    throw new Problem('the model is encrypted; give its key with --key-file or --key-env');
  }
  process.stderr.write('Key of the model: ');
  // What is typed is shown nowhere.
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return parseKey(
      await new Promise<string>((resolve) => {
        terminal.question('', resolve);
      }),
      'the key',
    );
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
