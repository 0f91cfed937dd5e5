// What is chosen for the inputs of the open model, and the last outputs.
import { effect, signal } from '@preact/signals';
import type { InferenceSession, Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import { costsOf } from '../model/measure.js';
import { requiredInputs } from '../model/types.js';
import { announcement, fail, measured, model, notice, tokenizer } from '../state.js';
import { openSession, STANDARD } from '../session/engine.js';
import type { Choice, Sizes } from './inputs.js';
import { chosenSamples, firstChoice, makeInput } from './inputs.js';
import { openSizes } from './kinds.js';
import { inputWith, rolesOf } from './roles.js';
import { firstWindow, runInSteps, streamOf } from './sound/stream.js';
import { textsOf, tokenFeeds } from './text/tokens.js';

export type Value = Tensor | readonly unknown[] | ReadonlyMap<unknown, unknown> | null;

export interface Result {
  readonly outputs: Readonly<Record<string, Value>>;
  /** Milliseconds. */
  readonly time: number;
  readonly threads: number;
  readonly flavour: string;
  /** Bytes at most. */
  readonly memory: number;
  readonly feeds: Readonly<Record<string, Tensor>>;
  /** What was chosen for the inputs. */
  readonly given: Readonly<Record<string, Choice>>;
  readonly heard?: Heard | undefined;
  readonly read?: Read | undefined;
}

/** The sound that the outputs are about. */
export interface Heard {
  readonly samples: Float32Array;
  readonly rate: number;
  /** Samples from one value to the next; undefined where the model took the sound as a whole. */
  readonly step?: number | undefined;
}

/** The texts that the outputs are about. */
export interface Read {
  readonly texts: readonly string[];
  readonly mask: Tensor | undefined;
}

export const choices = signal<Readonly<Record<string, Choice>>>({});
export const sizes = signal<Sizes>({});
export const result = signal<Result | undefined>(undefined);
export const running = signal(false);

let current: string | undefined;
let session: Promise<InferenceSession> | undefined;

/** Another model begins with made-up inputs and no outputs. */
effect(() => {
  const loaded = model.value;
  const key = loaded && `${loaded.name} ${loaded.file.size} ${loaded.readTime}`;
  if (key === current) return;
  current = key;
  void session?.then((old) => old.release()).catch(() => undefined);
  session = undefined;
  result.value = undefined;
  const inputs = loaded ? requiredInputs(loaded.parsed.graph) : [];
  const roles = loaded && rolesOf(loaded.parsed.graph);
  choices.value = Object.fromEntries(inputs.map((input) => [input.name, firstChoice(input, roles?.get(input.name))]));
  sizes.value = Object.fromEntries(openSizes(inputs).map(({ key: name, start }) => [name, start]));
});

export function choose(name: string, change: Partial<Choice>): void {
  const before = choices.value[name];
  if (before) choices.value = { ...choices.value, [name]: { ...before, ...change } };
}

/** With `standIns`, made-up numbers take the place of what nobody has chosen yet. */
export async function makeFeeds({ parsed: { graph } }: LoadedModel, standIns = true): Promise<Record<string, Tensor>> {
  const roles = rolesOf(graph);
  const inputs = requiredInputs(graph);
  const stream = streamOf(graph, roles);
  const chosen = new Map(
    inputs.map((input) => {
      const choice = choices.value[input.name] ?? firstChoice(input, roles.get(input.name));
      return [input.name, standIns && isOpen(choice) ? { ...choice, source: 'random' as const } : choice];
    }),
  );
  const written = inputs.find(({ name }) => chosen.get(name)?.source === 'text');
  const tokens = written
    ? await tokenFeeds(written, chosen.get(written.name)?.written ?? '', tokenizer.value, roles, inputs)
    : {};
  const made = inputs.map(async (input): Promise<readonly [string, Tensor]> => {
    const { name } = input;
    const choice = chosen.get(name) ?? firstChoice(input);
    if (tokens[name]) return [name, tokens[name]];
    if (choice.source === 'sound' && stream) {
      return [name, firstWindow(stream, await chosenSamples(input, choice), choice.soundOptions)];
    }
    return [name, await makeInput(input, choice, sizes.value, roles.get(name))];
  });
  return Object.fromEntries(await Promise.all(made));
}

function isOpen({ source, picture, file, sound, written }: Choice): boolean {
  switch (source) {
    case 'picture':
    case 'drawing':
      return !picture;
    case 'file':
      return !file;
    case 'sound':
      return !sound;
    case 'text':
      return written.trim() === '' || !tokenizer.value;
    default:
      return false;
  }
}

/** Runs the open model on the chosen inputs. */
export async function run(loaded: LoadedModel): Promise<void> {
  running.value = true;
  notice.value = undefined;
  try {
    const feeds = await makeFeeds(loaded, false);
    session ??= openSession(loaded, STANDARD, { profile: true });
    const opened = await session;
    const given = choices.value;
    const heard = await heardOf(loaded, given);
    const start = performance.now();
    const outputs = await outputsOf(loaded, opened, feeds, heard, given);
    const time = performance.now() - start;
    const { threads, flavour } = opened;
    const read = readOf(loaded, given, feeds);
    result.value = { outputs, time, threads, flavour, memory: opened.memory.peak, feeds, given, heard, read };
    announcement.value = `Done in ${Math.round(time)} milliseconds`;
    const profile = await opened.profile();
    const costs = costsOf(loaded.parsed.graph, profile);
    measured.value = { shapes: measured.value?.shapes ?? new Map(), costs, profile, threads, flavour };
  } catch (error) {
    session = undefined;
    fail(error, loaded.name);
  } finally {
    running.value = false;
  }
}

type Outputs = Readonly<Record<string, Value>>;
type Given = Readonly<Record<string, Choice>>;

async function outputsOf(
  { parsed: { graph } }: LoadedModel,
  opened: InferenceSession,
  feeds: Readonly<Record<string, Tensor>>,
  heard: Heard | undefined,
  given: Given,
): Promise<Outputs> {
  const stream = streamOf(graph, rolesOf(graph));
  const options = stream && given[stream.input.name]?.soundOptions;
  if (!stream || !heard || !options) return await opened.run(feeds);
  return runInSteps(opened, feeds, stream, heard.samples, options);
}

async function heardOf({ parsed: { graph } }: LoadedModel, given: Given): Promise<Heard | undefined> {
  const roles = rolesOf(graph);
  const input = graph.inputs.find(({ name }) => name === inputWith(roles, 'sound'));
  const choice = input && given[input.name];
  if (!input || choice?.source !== 'sound') return undefined;
  const { rate, step } = choice.soundOptions;
  return { samples: await chosenSamples(input, choice), rate, step: streamOf(graph, roles) && step };
}

function readOf(
  { parsed: { graph } }: LoadedModel,
  given: Given,
  feeds: Readonly<Record<string, Tensor>>,
): Read | undefined {
  const roles = rolesOf(graph);
  const choice = given[inputWith(roles, 'ids') ?? ''];
  if (choice?.source !== 'text') return undefined;
  return { texts: textsOf(choice.written), mask: feeds[inputWith(roles, 'mask') ?? ''] };
}
