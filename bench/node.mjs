// usage: node node.mjs JOB.json...     prints the result of measure() as one line of JSON for each
import fs from 'node:fs/promises';
import path from 'node:path';
import { measure } from './measure.mjs';

for (const argument of process.argv.slice(2)) {
  const file = path.resolve(argument);
  const job = JSON.parse(await fs.readFile(file, 'utf8'));
  const read = async (name) => new Uint8Array(await fs.readFile(path.resolve(path.dirname(file), name)));
  const result = await measure(job, read);
  await new Promise((resolve) => process.stdout.write(`${JSON.stringify(result)}\n`, resolve));
}
process.exit(0); // worker threads of the engines would keep the process alive
