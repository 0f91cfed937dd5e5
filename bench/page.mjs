import { measure } from './measure.mjs';

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: HTTP status ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

window.bench = (job) => measure(job, read);
