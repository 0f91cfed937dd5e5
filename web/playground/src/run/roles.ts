// What inputs are for, where the whole graph tells it: sound, tokens, states that a model gives back, files.
import type { Dim, Graph, ValueInfo } from '../model/types.js';
import { requiredInputs } from '../model/types.js';

export type Role =
  | { readonly kind: 'sound' }
  /** Numbers of tokens. */
  | { readonly kind: 'ids' }
  /** What goes along with the tokens. */
  | { readonly kind: 'mask' | 'types'; readonly ids: string }
  /** What the output gives goes into the next step. */
  | { readonly kind: 'state'; readonly output: string }
  /** How many samples of the sound a second has. */
  | { readonly kind: 'rate' }
  /** The bytes of a picture's file, which the model decodes. */
  | { readonly kind: 'picture file' };

export type Roles = ReadonlyMap<string, Role>;

const SOUND_NAME = /audio|sound|wave|speech|pcm|samples|^signal|input_values/i;
const IDS_NAME = /^(input_?ids|ids|tokens?|token_ids)$/i;
const MASK_NAME = /^(attention_?mask|input_?mask|mask)$/i;
const TYPES_NAME = /^(token_?type_?ids|segment_?ids|type_?ids)$/i;
const RATE_NAME = /^(sr|sample_?rate|sampling_rate)$/i;
const LEAST_SAMPLES = 160;

export function rolesOf(graph: Graph): Roles {
  const inputs = requiredInputs(graph);
  const found = new Map<string, Role>();
  const decoded = new Set(
    graph.nodes
      .filter(({ opType, domain }) => opType === 'ImageDecoder' && domain === '')
      .map((node) => node.inputs[0]),
  );
  for (const input of inputs) {
    if (isScalar(input) && RATE_NAME.test(input.name)) found.set(input.name, { kind: 'rate' });
    if (decoded.has(input.name) && input.type === 'tensor(uint8)') found.set(input.name, { kind: 'picture file' });
  }
  for (const [input, output] of statesOf(graph, inputs)) found.set(input, { kind: 'state', output });
  const left = inputs.filter(({ name }) => !found.has(name));
  // A recurrent network, or one that asks for the rate, may call its sound anything.
  const temporal = found.size > 0 && left.length === 1;
  const sound = left.find((input) => mayBeSound(input) && (SOUND_NAME.test(input.name) || temporal));
  if (sound) found.set(sound.name, { kind: 'sound' });
  const ids = left.find((input) => isTokens(input) && IDS_NAME.test(input.name));
  for (const input of ids ? left.filter((each) => isTokens(each)) : []) {
    if (input === ids) found.set(input.name, { kind: 'ids' });
    else if (MASK_NAME.test(input.name)) found.set(input.name, { kind: 'mask', ids: ids?.name ?? '' });
    else if (TYPES_NAME.test(input.name)) found.set(input.name, { kind: 'types', ids: ids?.name ?? '' });
  }
  return found;
}

/** The input with a role of the kind. */
export function inputWith(roles: Roles, kind: Role['kind']): string | undefined {
  return [...roles].find(([, role]) => role.kind === kind)?.[0];
}

/** Inputs and the outputs that go into them, told by their names, types and ranks. */
function statesOf({ outputs }: Graph, inputs: readonly ValueInfo[]): [input: string, output: string][] {
  return inputs.flatMap((input): [string, string][] => {
    const rank = input.shape?.length ?? 0;
    const fits = ({ name, type, shape }: ValueInfo) =>
      name !== input.name && type === input.type && shape?.length === rank && bare(name) === bare(input.name);
    const output = outputs.find(fits);
    return rank > 1 && output ? [[input.name, output.name]] : [];
  });
}

/** `state` of `stateN`, `new_state`, `state_out` ... */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/^(new|next|out|output|in|input)_|_?(new|next|out|output|in|n)$/g, '');
}

function mayBeSound({ type, shape }: ValueInfo): boolean {
  if (!/^tensor\((float|float16)\)$/.test(type) || !shape || shape.length < 1 || shape.length > 3) return false;
  const last = shape.at(-1);
  return shape.slice(0, -1).every(isOne) && (typeof last !== 'number' || last >= LEAST_SAMPLES);
}

function isTokens({ type, shape }: ValueInfo): boolean {
  return /^tensor\((int32|int64|float|bool)\)$/.test(type) && shape?.length === 2;
}

function isScalar({ shape }: ValueInfo): boolean {
  return shape?.length === 0 || (shape?.length === 1 && shape[0] === 1);
}

/** Whether the size is 1, or can be. */
function isOne(dim: Dim): boolean {
  return typeof dim !== 'number' || dim === 1;
}
