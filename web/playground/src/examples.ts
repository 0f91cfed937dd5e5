// Models to begin with, which the build puts beside the page.
import type { Source } from './run/kinds.js';
import type { Fit, Range } from './run/picture.js';
import { choices, choose, run, sizes } from './run/run-state.js';
import { fail, model, openFiles } from './state.js';

export interface Example {
  readonly title: string;
  readonly text: string;
  readonly model: string;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly inputs: Readonly<Record<string, ExampleInput>>;
}

interface ExampleInput {
  readonly source: Source;
  readonly text?: string;
  readonly picture?: string;
  readonly range?: Range;
  readonly fit?: Fit;
  readonly bgr?: boolean;
}

const FOLDER = './examples/';

/** None where the build has made none. */
export async function listExamples(): Promise<readonly Example[]> {
  try {
    const response = await fetch(`${FOLDER}examples.json`);
    return response.ok ? ((await response.json()) as readonly Example[]) : [];
  } catch {
    return [];
  }
}

/** Opens the model in the run view with the example's inputs, and runs it unless something is to be drawn first. */
export async function openExample(example: Example): Promise<void> {
  try {
    const file = new File([await fetched(example.model)], example.model);
    if (!(await openFiles([file], 'run'))) return;
    sizes.value = { ...sizes.value, ...example.sizes };
    for (const [name, input] of Object.entries(example.inputs)) await give(name, input);
    const waits = Object.values(example.inputs).some(({ source }) => source === 'drawing');
    if (model.value && !waits) await run(model.value);
  } catch (error) {
    fail(error, example.title);
  }
}

async function give(name: string, { source, text, picture, range, fit, bgr }: ExampleInput): Promise<void> {
  const options = choices.value[name]?.pictureOptions;
  choose(name, {
    source,
    ...(text === undefined ? {} : { text }),
    ...(picture === undefined ? {} : { picture: await createImageBitmap(await fetched(picture)) }),
    ...(options
      ? { pictureOptions: { ...options, ...(range && { range }), ...(fit && { fit }), bgr: bgr === true } }
      : {}),
  });
}

async function fetched(name: string): Promise<Blob> {
  const response = await fetch(FOLDER + name);
  if (!response.ok) throw new Error(`The file ${name} of the example is not there (${response.status}).`);
  return response.blob();
}
