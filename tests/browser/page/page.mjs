// The page that runs job lists (tests/support/jobs.mjs) in a browser. tests/browser/server.py serves the package under
// /js/, files of the test machine under /file/ and takes results under the same address by PUT.
import * as package_ from '/js/onnxlet.mjs';
import { runJobs } from '/tests/support/jobs.mjs';

const address = (file) => `/file${file.split('/').map(encodeURIComponent).join('/')}`;

async function fetched(file) {
  const response = await fetch(address(file));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response;
}

const io = {
  read: async (file) => new Uint8Array(await (await fetched(file)).arrayBuffer()),
  readText: async (file) => (await fetched(file)).text(),
  write: async (file, bytes) => {
    const response = await fetch(address(file), { method: 'PUT', body: bytes });
    if (!response.ok) throw new Error(`could not write ${file}: ${response.status}`);
  },
  address,
  sha256: async (bytes) => {
    const digest = await crypto.subtle.digest('SHA-256', bytes);
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  },
};

globalThis.onnxlet = package_;
globalThis.runJobs = (jobs) => runJobs(jobs, package_, io);
