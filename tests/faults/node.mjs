// usage: node node.mjs NAME DIST < {"origin", "file", "double", "product", "custom"}     Prints {"points"}.
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';
import { inject } from './faults.mjs';

const [name, dist] = process.argv.slice(2);
const workers = [];
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...words) {
    super(...words);
    const entry = { worker: this, alive: true };
    workers.push(entry);
    this.on('exit', () => {
      entry.alive = false;
    });
  }
};
syncBuiltinESMExports();
const package_ = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);
const engine = async () => new Uint8Array(readFileSync(path.join(dist, 'onnxlet.wasm')));
const points = await inject(name, package_, { ...JSON.parse(readFileSync(0, 'utf8')), engine, workers });
console.log(JSON.stringify({ points }));
