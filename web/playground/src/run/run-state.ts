// What is chosen for the inputs of the open model, and the last outputs.
import { effect, signal } from '@preact/signals';
import type { InferenceSession, Tensor } from 'onnxlet';
import type { LoadedModel } from '../model/loaded.js';
import { costsOf } from '../model/measure.js';
import { requiredInputs } from '../model/types.js';
import { announcement, fail, measured, model, notice } from '../state.js';
import { openSession, STANDARD } from '../session/engine.js';
import type { Choice, Sizes } from './inputs.js';
import { firstChoice, makeInput } from './inputs.js';
import { openSizes } from './kinds.js';

export type Value = Tensor | readonly unknown[] | ReadonlyMap<unknown, unknown> | null;

export interface Result {
  readonly outputs: Readonly<Record<string, Value>>;
  /** Milliseconds. */
  readonly time: number;
  readonly threads: number;
  readonly flavour: string;
  /** Bytes at most. */
  readonly memory: number;
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
  choices.value = Object.fromEntries(inputs.map((input) => [input.name, firstChoice(input)]));
  sizes.value = Object.fromEntries(openSizes(inputs).map(({ key: name, start }) => [name, start]));
});

export function choose(name: string, change: Partial<Choice>): void {
  const before = choices.value[name];
  if (before) choices.value = { ...choices.value, [name]: { ...before, ...change } };
}

/** With `standIns`, made-up numbers take the place of pictures and files that nobody has chosen yet. */
export async function makeFeeds(loaded: LoadedModel, standIns = true): Promise<Record<string, Tensor>> {
  const inputs = requiredInputs(loaded.parsed.graph);
  const chosen = inputs.map((input) => {
    const choice = choices.value[input.name] ?? firstChoice(input);
    return standIns && isOpen(choice) ? { ...choice, source: 'random' as const } : choice;
  });
  const tensors = await Promise.all(
    inputs.map((input, at) => makeInput(input, chosen[at] ?? firstChoice(input), sizes.value)),
  );
  return Object.fromEntries(inputs.map(({ name }, at) => [name, tensors[at]] as const)) as Record<string, Tensor>;
}

function isOpen({ source, picture, file }: Choice): boolean {
  return ((source === 'picture' || source === 'drawing') && !picture) || (source === 'file' && !file);
}

/** Runs the open model on the chosen inputs. */
export async function run(loaded: LoadedModel): Promise<void> {
  running.value = true;
  notice.value = undefined;
  try {
    const feeds = await makeFeeds(loaded, false);
    session ??= openSession(loaded, STANDARD, { profile: true });
    const opened = await session;
    const start = performance.now();
    const outputs = (await opened.run(feeds)) as Readonly<Record<string, Value>>;
    const time = performance.now() - start;
    const { threads, flavour } = opened;
    result.value = { outputs, time, threads, flavour, memory: opened.memory.peak };
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
