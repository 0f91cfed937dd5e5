// What the page shows. Components read these signals; the functions here are the only ones that write several at once.
import { effect, signal } from '@preact/signals';
import { missingIn } from './session/engine.js';
import type { Explanation } from './session/explain.js';
import { explain } from './session/explain.js';
import type { LoadedModel } from './model/loaded.js';
import { parseModel } from './model/parse.js';
import type { Measured } from './model/measure.js';

export const VIEWS = ['model', 'run', 'performance', 'pack', 'compare', 'code'] as const;
export type View = (typeof VIEWS)[number];

export const view = signal<View>(viewOfAddress());
export const model = signal<LoadedModel | undefined>(undefined);
/** The model that is being read. */
export const loading = signal<string | undefined>(undefined);
export const notice = signal<Explanation | undefined>(undefined);
/** What the last run told of the nodes. */
export const measured = signal<Measured | undefined>(undefined);
/** What makes numbers of texts for the open model. */
export const tokenizer = signal<File | undefined>(undefined);
/** What is read aloud. */
export const announcement = signal('');

function viewOfAddress(): View {
  const name = location.hash.slice(1);
  return VIEWS.find((known) => known === name) ?? 'model';
}

addEventListener('hashchange', () => {
  view.value = viewOfAddress();
});

export function show(wanted: View): void {
  view.value = wanted;
  history.replaceState(null, '', `#${wanted}`);
}

export function fail(error: unknown, name?: string): void {
  notice.value = explain(error, name);
  announcement.value = notice.value.title;
}

/** Reads a model, without opening it. Throws what `explain` can tell about. */
export async function readFiles(files: readonly File[]): Promise<LoadedModel> {
  const start = performance.now();
  const main = files.find(({ name }) => /\.(onnx|ort)$/i.test(name)) ?? files[0];
  if (!main) throw new Error('there is no file');
  const parsed = await parseModel(main);
  const others = files.filter((file) => file !== main);
  const companions = new Map(
    parsed.externalFiles.flatMap((path) => {
      const found = others.find(({ name }) => name === path.split('/').at(-1));
      return found ? [[path, found] as const] : [];
    }),
  );
  return { name: main.name, file: main, parsed, companions, readTime: performance.now() - start };
}

const TOKENIZER = /tokenizer[^/]*\.json$/i;

/** A model with what belongs to it; or, while one is open, a tokenizer alone. */
export async function openFiles(given: readonly File[], then: View = 'model'): Promise<boolean> {
  const found = given.find((file) => TOKENIZER.test(file.name));
  const files = given.filter((file) => file !== found);
  if (found && model.value && files.length === 0) {
    tokenizer.value = found;
    announcement.value = `${found.name} makes numbers of texts from now on`;
    return true;
  }
  const name = files.find((file) => /\.onnx$/i.test(file.name))?.name ?? files[0]?.name ?? '';
  notice.value = undefined;
  loading.value = name;
  try {
    const loaded = await readFiles(files);
    model.value = loaded;
    measured.value = undefined;
    tokenizer.value = found;
    show(then);
    announcement.value = `${loaded.name} is open: ${loaded.parsed.graph.nodes.length} nodes`;
    void findMissing(loaded);
    return true;
  } catch (error) {
    fail(error, name);
    return false;
  } finally {
    loading.value = undefined;
  }
}

export function closeModel(): void {
  model.value = undefined;
  measured.value = undefined;
  tokenizer.value = undefined;
  notice.value = undefined;
  show('model');
}

async function findMissing(loaded: LoadedModel): Promise<void> {
  try {
    const missing = await missingIn(loaded);
    if (model.value === loaded) model.value = { ...loaded, missing };
  } catch (error) {
    if (model.value === loaded) fail(error, loaded.name);
  }
}

effect(() => {
  document.title = model.value ? `${model.value.name} · onnxlet` : 'onnxlet playground';
});
