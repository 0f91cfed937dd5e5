// The package onnxruntime-web, when somebody supplies it: its files are kept in this browser and served to the page's own
// origin by the service worker, so that the page's policy stays as it is.
import { signal } from '@preact/signals';

/** What was supplied is no onnxruntime-web, or not all of it. The message says what to do. */
export class WrongPackage extends Error {
  override readonly name = 'WrongPackage';
}

export interface Supplied {
  /** The name of the file to import. */
  readonly entry: string;
}

/** The package that is at hand. */
export const supplied = signal<Supplied | undefined>(undefined);

const ENTRY = /^ort(\.[a-z]+)*\.mjs$/;
const NODE = /^ort\.node\./;
/** What an entry loads beside itself. */
const PART = /ort-wasm[\w.-]*?\.(?:mjs|wasm)/g;
const HOW =
  'Take ort.wasm.min.mjs, ort-wasm-simd-threaded.mjs and ort-wasm-simd-threaded.wasm from the folder dist of the npm package onnxruntime-web, all at once.';

/** Keeps the files in place of those before. Throws WrongPackage. */
export async function supply(files: readonly File[]): Promise<void> {
  const entry = entryOf(files);
  const text = await entry.text();
  if (!/onnx ?runtime/i.test(text)) throw new WrongPackage(`${entry.name} is not that of onnxruntime-web. ${HOW}`);
  const byName = new Map(files.map((file) => [file.name, file]));
  const needed = partsOf(entry.name, text);
  const missing = needed.filter((name) => !byName.has(name));
  if (missing.length > 0) {
    throw new WrongPackage(`${entry.name} also needs ${missing.join(' and ')}, from the same folder. ${HOW}`);
  }
  for (const name of needed.filter((each) => each.endsWith('.wasm'))) await checkWasm(byName.get(name));
  await ready();
  await caches.delete(SUPPLIED_CACHE);
  const cache = await caches.open(SUPPLIED_CACHE);
  for (const name of [entry.name, ...needed]) {
    const type = name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript';
    await cache.put(addressOf(name), new Response(byName.get(name) ?? null, { headers: { 'Content-Type': type } }));
  }
  supplied.value = { entry: entry.name };
}

/** Finds what was supplied on an earlier visit. */
export async function findSupplied(): Promise<void> {
  if (supplied.value || !('caches' in globalThis) || !(await caches.has(SUPPLIED_CACHE))) return;
  const cache = await caches.open(SUPPLIED_CACHE);
  const names = (await cache.keys()).map(({ url }) => url.split('/').at(-1) ?? '');
  const entry = names.find((name) => ENTRY.test(name));
  if (entry !== undefined) supplied.value = { entry };
}

export async function forget(): Promise<void> {
  supplied.value = undefined;
  await caches.delete(SUPPLIED_CACHE);
}

export function addressOf(name: string): string {
  return new URL(`./${SUPPLIED_FOLDER}/${name}`, document.baseURI).href;
}

/** Until the service worker answers for this page. Throws WrongPackage where there is none. */
export async function ready(): Promise<void> {
  if (!('serviceWorker' in navigator)) {
    throw new WrongPackage(
      'The browser gives this page no service worker, which would serve the package to it. Open the page by https, or from this machine.',
    );
  }
  const { serviceWorker } = navigator;
  if (serviceWorker.controller) return;
  const controlled = new Promise<boolean>((resolve) => {
    serviceWorker.addEventListener('controllerchange', () => resolve(true), { once: true });
    setTimeout(() => resolve(serviceWorker.controller !== null), WAIT);
  });
  if (!(await controlled)) {
    throw new WrongPackage(
      'The service worker, which would serve the package to the page, is not there yet. Reload the page.',
    );
  }
}

/** Milliseconds. */
const WAIT = 10_000;

function entryOf(files: readonly File[]): File {
  const entries = files.filter(({ name }) => ENTRY.test(name) && !NODE.test(name));
  const [shortest] = entries.sort((a, b) => rank(a.name) - rank(b.name));
  if (shortest) return shortest;
  const names = files.map(({ name }) => name).slice(0, 3);
  const given = files.some(({ name }) => NODE.test(name))
    ? 'That build of onnxruntime-web is for Node.'
    : `There is no onnxruntime-web among these files (${names.join(', ')}${files.length > 3 ? ' …' : ''}).`;
  throw new WrongPackage(`${given} ${HOW}`);
}

/** The build for WebAssembly alone first, the smaller one first. */
function rank(name: string): number {
  return (name.includes('.wasm.') ? 0 : 2) + (name.includes('.min.') ? 0 : 1);
}

/** Files that an entry loads: a script of the engine, unless it is bundled, and the engine. */
function partsOf(entry: string, text: string): string[] {
  const named = [...new Set(text.match(PART) ?? [])];
  const base = named[0]?.replace(/\.(mjs|wasm)$/, '') ?? 'ort-wasm-simd-threaded';
  return entry.includes('.bundle.') ? [`${base}.wasm`] : [`${base}.mjs`, `${base}.wasm`];
}

async function checkWasm(file: File | undefined): Promise<void> {
  const start = new Uint8Array((await file?.slice(0, 4).arrayBuffer()) ?? []);
  if (String.fromCharCode(...start) !== '\0asm') {
    throw new WrongPackage(`${file?.name ?? ''} is no WebAssembly: the download probably went wrong. ${HOW}`);
  }
}
