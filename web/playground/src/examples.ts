// Models to begin with, which the build puts beside the page.
import { signal } from '@preact/signals';
import type { Source } from './run/kinds.js';
import { openReader } from './run/lines/reader.js';
import type { Fit, Range } from './run/picture.js';
import { choices, choose, run, sizes } from './run/run-state.js';
import { fail, model, openFiles } from './state.js';

export interface Example {
  readonly title: string;
  readonly text: string;
  /** Where its files are. */
  readonly folder: string;
  readonly model: string;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly inputs: Readonly<Record<string, ExampleInput>>;
  /** What makes numbers of texts. */
  readonly tokenizer?: string;
  /** A second model, which reads the lines of text that the first one finds. */
  readonly reader?: string;
}

interface ExampleInput {
  readonly source: Source;
  readonly text?: string;
  readonly picture?: string;
  readonly range?: Range;
  readonly fit?: Fit;
  readonly bgr?: boolean;
  readonly sound?: string;
  readonly written?: string;
}

const FOLDER = './examples/';
/** Those that are left out where a page is to be small. */
const LARGE = `${FOLDER}large/`;

/** None where the build has made none. */
export async function listExamples(): Promise<readonly Example[]> {
  const [small, large] = await Promise.all([listed(FOLDER), listed(LARGE)]);
  return [...small, ...large];
}

async function listed(folder: string): Promise<readonly Example[]> {
  try {
    const response = await fetch(`${folder}examples.json`);
    const found = response.ok ? ((await response.json()) as readonly Omit<Example, 'folder'>[]) : [];
    return found.map((example) => ({ ...example, folder }));
  } catch {
    return [];
  }
}

/** The title of the example whose files are on their way. */
export const opening = signal<string | undefined>(undefined);

/** Opens the model in the run view with the example's inputs, and runs it unless something is to be drawn first. */
export async function openExample(example: Example): Promise<void> {
  if (opening.value !== undefined) return;
  const { folder } = example;
  opening.value = example.title;
  try {
    const names = [example.model, ...(example.tokenizer === undefined ? [] : [example.tokenizer])];
    const files = await Promise.all(names.map((name) => fetchedFile(folder, name)));
    const second = example.reader === undefined ? undefined : await fetchedFile(folder, example.reader);
    if (!(await openFiles(files, 'run'))) return;
    if (second) await openReader(second);
    sizes.value = { ...sizes.value, ...example.sizes };
    for (const [name, input] of Object.entries(example.inputs)) await give(folder, name, input);
    const waits = Object.values(example.inputs).some(({ source }) => source === 'drawing');
    if (model.value && !waits) await run(model.value);
  } catch (error) {
    fail(error, example.title);
  } finally {
    opening.value = undefined;
  }
}

async function give(folder: string, name: string, input: ExampleInput): Promise<void> {
  const { source, text, written, picture, sound, range, fit, bgr } = input;
  const options = choices.value[name]?.pictureOptions;
  const pictureFile = picture === undefined ? undefined : await fetchedFile(folder, picture);
  choose(name, {
    source,
    ...(text === undefined ? {} : { text }),
    ...(written === undefined ? {} : { written }),
    ...(pictureFile ? { pictureFile, picture: await createImageBitmap(pictureFile) } : {}),
    ...(sound === undefined ? {} : { sound: { name: sound, file: await fetchedFile(folder, sound) } }),
    ...(options
      ? { pictureOptions: { ...options, ...(range && { range }), ...(fit && { fit }), bgr: bgr === true } }
      : {}),
  });
}

async function fetchedFile(folder: string, name: string): Promise<File> {
  const response = await fetch(folder + name);
  if (!response.ok) throw new Error(`The file ${name} of the example is not there (${response.status}).`);
  return new File([await response.blob()], name);
}
