// usage: node run_tasks_node.mjs TASKS.json     prints one line of JSON per task; files are relative to TASKS.json
import fs from 'node:fs/promises';
import path from 'node:path';
import { runTask } from './run_task.mjs';

const file = path.resolve(process.argv[2]);
const read = async (name) => new Uint8Array(await fs.readFile(path.resolve(path.dirname(file), name)).then((b) => b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength)));
for (const task of JSON.parse(await fs.readFile(file, 'utf8'))) {
  const line = JSON.stringify(await runTask(task, read));
  await new Promise((resolve) => process.stdout.write(`${line}\n`, resolve));
}
