// A model's outputs as what a person reads: texts, labels with scores, boxes, masks, tables.
import type { Element } from './elements.js';
import { elementsOf, isTensor } from './elements.js';
import type { Interface, Output } from './interface.js';
import { Problem, titleOf } from './interface.js';
import type { Value } from './json.js';

export interface Label {
  readonly label: string;
  readonly score?: number;
}
export interface Box extends Partial<Label> {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export type Answer = { readonly title: string } & (
  | { readonly kind: 'text'; readonly texts: readonly string[] }
  | { readonly kind: 'labels'; readonly labels: readonly Label[] }
  | { readonly kind: 'boxes'; readonly boxes: readonly Box[] }
  | { readonly kind: 'mask'; readonly width: number; readonly height: number; readonly values: readonly number[] }
  | { readonly kind: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'tensor'; readonly dtype: string; readonly shape: readonly number[]; readonly elements: Element[] }
);

const DIGITS = 6;

/** In the interface's order. Outputs that belong to others, as scores do, come with them; all columns are one table. */
export function answersOf(asked: Interface, values: Readonly<Record<string, Value>>): Answer[] {
  const parts = new Set(asked.outputs.flatMap(({ scores, labels }) => [scores, labels]));
  const columns = asked.outputs.filter(({ kind }) => kind === 'column');
  return asked.outputs
    .filter((output) => !parts.has(output.name) && (output.kind !== 'column' || output === columns[0]))
    .map((output) => (output.kind === 'column' ? tableOf(columns, values) : answerOf(output, values)));
}

/** A number or text in a few characters. */
export function shortText(element: Element): string {
  if (typeof element !== 'number' || Number.isInteger(element)) return String(element);
  return String(Number(element.toPrecision(DIGITS)));
}

function answerOf(output: Output, values: Readonly<Record<string, Value>>): Answer {
  const title = titleOf(output);
  const value = values[output.name];
  if (!isTensor(value)) throw new Problem(`output ${JSON.stringify(output.name)} is no tensor; use --json`);
  const elements = elementsOf(value);
  const { dims } = value;
  switch (output.kind) {
    case 'text':
      return { kind: 'text', title, texts: elements.map(String) };
    case 'labels': {
      const scores = partOf(output.scores, values);
      return { kind: 'labels', title, labels: elements.map((label, at) => labelOf(label, scores?.[at])) };
    }
    case 'boxes':
      return { kind: 'boxes', title, boxes: boxesOf(elements.map(Number), output, values) };
    case 'mask':
      return { kind: 'mask', title, height: dims.at(-2) ?? 0, width: dims.at(-1) ?? 0, values: elements.map(Number) };
    default:
      return { kind: 'tensor', title, dtype: value.type, shape: dims, elements };
  }
}

function labelOf(label: Element, score: Element | undefined): Label {
  return { label: String(label), ...(score === undefined ? {} : { score: Number(score) }) };
}

function boxesOf(sides: readonly number[], output: Output, values: Readonly<Record<string, Value>>): Box[] {
  const scores = partOf(output.scores, values);
  const labels = partOf(output.labels, values);
  return Array.from({ length: sides.length / 4 }, (_, index) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = sides.slice(4 * index, 4 * index + 4);
    const label = labels?.[index];
    const score = scores?.[index];
    return {
      ...{ left, top, right, bottom },
      ...(label === undefined ? {} : { label: String(label) }),
      ...(score === undefined ? {} : { score: Number(score) }),
    };
  });
}

function partOf(name: string | undefined, values: Readonly<Record<string, Value>>): Element[] | undefined {
  const value = name === undefined ? undefined : values[name];
  return isTensor(value) ? elementsOf(value) : undefined;
}

function tableOf(outputs: readonly Output[], values: Readonly<Record<string, Value>>): Answer {
  const parts = outputs.map((output) => columnsOf(output, values[output.name] ?? null));
  const height = Math.max(...parts.map(({ rows }) => rows.length));
  return {
    kind: 'table',
    title: outputs.map(titleOf).join(', '),
    columns: parts.flatMap(({ names }) => names),
    rows: Array.from({ length: height }, (_, at) =>
      parts.flatMap(({ names, rows }) => names.map((_, column) => shortText(rows[at]?.[column] ?? ''))),
    ),
  };
}

/** The columns of one output: one, several of a matrix, or one for each key of maps. */
function columnsOf(output: Output, value: Value): { names: string[]; rows: Element[][] } {
  const title = titleOf(output);
  if (Array.isArray(value)) {
    const maps = value.filter((row) => row instanceof Map);
    const keys = [...new Set(maps.flatMap((row) => [...row.keys()]))];
    return {
      names: keys.map((key) => `${title}: ${key}`),
      rows: maps.map((row) => keys.map((key) => row.get(key) ?? '')),
    };
  }
  if (!isTensor(value)) throw new Problem(`output ${JSON.stringify(output.name)} is no table; use --json`);
  const elements = elementsOf(value);
  const height = value.dims[0] ?? 1;
  const width = height === 0 ? 0 : elements.length / height;
  const rows = Array.from({ length: height }, (_, at) => elements.slice(at * width, (at + 1) * width));
  return { names: width === 1 ? [title] : Array.from({ length: width }, (_, at) => `${title}[${at}]`), rows };
}
