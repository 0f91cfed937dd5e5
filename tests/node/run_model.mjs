// Runs models on the package in Node. usage: node run_model.mjs [JOBS.json]     (without an argument: from stdin)
// Reads a job list and prints its results as JSON; tests/support/jobs.mjs describes both. Paths that are not absolute
// refer to the working directory. $ONNXLET_DIST names another js/dist. The exit status is 0 whatever the jobs' results.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runJobs } from '../support/jobs.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.resolve(process.env.ONNXLET_DIST ?? path.join(here, '..', '..', 'js', 'dist'));
const package_ = await import(pathToFileURL(path.join(dist, 'onnxlet.mjs')).href);

const io = {
  read: async (file) => new Uint8Array(readFileSync(file)),
  readText: async (file) => readFileSync(file, 'utf8'),
  write: async (file, bytes) => writeFileSync(file, bytes),
  address: (file) => path.resolve(file),
  sha256: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
};

const jobs = JSON.parse(readFileSync(process.argv[2] ?? 0, 'utf8'));
const results = await runJobs(jobs, package_, io);
process.stdout.write(`${JSON.stringify({ results })}\n`);
