import { measure } from './measure.mjs';

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: HTTP status ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

window.bench = (job) => measure(job, read);

/** What there is to know of WebGPU's adapter; null where there is none. */
window.adapter = async () => {
  const found = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
  if (!found) return null;
  const { vendor, architecture, device, description } = found.info;
  const limits = {};
  for (const name in found.limits) limits[name] = found.limits[name];
  const name = [vendor, architecture, device, description].filter(Boolean).join(' ');
  return { name, features: [...found.features].sort(), limits };
};
