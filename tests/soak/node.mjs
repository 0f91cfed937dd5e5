// Reads {"subjects"} and then numbers from standard input, line by line: so many runs, answered by a line of figures.
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { go, start } from './soak.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const package_ = await import(pathToFileURL(path.join(here, '..', '..', 'js', 'dist', 'onnxlet.mjs')).href);
let state;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (state === undefined) state = await start(package_, message.subjects);
  const figures = await go(state, message.runs ?? 0);
  globalThis.gc?.();
  console.log(JSON.stringify({ ...figures, process: process.memoryUsage().rss }));
}
