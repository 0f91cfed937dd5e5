// The form's fields, made from the model's inputs.
import type { Given } from '../shared/inputs.js';
import type { Input } from '../shared/interface.js';
import { Problem, takesFile, titleOf } from '../shared/interface.js';
import type { Table } from '../shared/table.js';
import { parseTable } from '../shared/table.js';
import { element } from './dom.js';
import { FileField } from './file-field.js';

/** What a person has entered. */
export interface Entered {
  readonly given: Readonly<Record<string, Given>>;
  readonly table?: Table;
}

export interface Field {
  readonly root: HTMLElement;
  /** Where files that are dropped beside all fields go. */
  readonly file?: FileField;
  read(): Promise<Entered>;
}

export function fieldsOf(inputs: readonly Input[]): Field[] {
  const columns = inputs.filter(({ kind }) => kind === 'column');
  const others = inputs.filter(({ kind }) => kind !== 'column');
  return [...(columns.length > 0 ? [columnsField(columns)] : []), ...others.map(fieldOf)];
}

function fieldOf(input: Input, index: number): Field {
  const id = `input-${index}`;
  if (takesFile(input)) return fileField(input, id);
  return input.kind === 'text' ? textField(input, id) : valuesField(input, id);
}

const FILE_WORDS: Readonly<Record<string, { what: string; accept: string }>> = {
  image: { what: 'a picture', accept: 'image/*' },
  audio: { what: 'a sound', accept: 'audio/*' },
  bytes: { what: 'a file', accept: '' },
};

function fileField(input: Input, id: string): Field {
  const words = FILE_WORDS[input.kind] ?? { what: 'a file', accept: '' };
  const file = new FileField(id, { label: titleOf(input), ...words });
  return {
    root: file.root,
    file,
    async read() {
      const bytes = await file.bytes();
      if (!bytes) throw new Problem(`${titleOf(input)}: choose ${words.what} first`);
      return { given: { [input.name]: bytes } };
    },
  };
}

function textField(input: Input, id: string): Field {
  const area = element('textarea', { id, rows: 4, required: true });
  const root = element('div', { class: 'field' }, element('label', { for: id, class: 'label' }, titleOf(input)), area);
  return {
    root,
    read() {
      if (area.value.trim() === '') return Promise.reject(new Problem(`${titleOf(input)}: write something first`));
      return Promise.resolve({ given: { [input.name]: area.value } });
    },
  };
}

/** A matrix or another tensor: a file, or its numbers written down. */
function valuesField(input: Input, id: string): Field {
  const matrix = input.kind === 'matrix';
  const what = matrix ? 'a table (.csv) or an array (.npy)' : 'an array (.npy, .json)';
  const accept = matrix ? '.csv,.npy,.json,text/csv' : '.npy,.json';
  const file = new FileField(id, { label: titleOf(input), what, accept });
  const area = element('textarea', { id: `${id}-text`, rows: 3, spellcheck: 'false', class: 'code' });
  const sizes = input.shape.map((size) => size ?? '?').join(' × ');
  const hint = `or write it: ${matrix ? 'rows of comma-separated values' : 'lists in JSON'}, ${input.dtype} [${sizes}]`;
  const root = element('div', { class: 'group' }, file.root, labelled(area, hint));
  return {
    root,
    file,
    async read() {
      const value = (await file.bytes()) ?? area.value;
      if (value === '') throw new Problem(`${titleOf(input)}: choose a file or write values first`);
      return { given: { [input.name]: value } };
    },
  };
}

/** One row with a field for each column, or a table. */
function columnsField(columns: readonly Input[]): Field {
  const file = new FileField('table', { label: 'Table', what: 'a table (.csv)', accept: '.csv,text/csv' });
  const cells = columns.map((input, index) => cellOf(input, `column-${index}`));
  const row = element(
    'fieldset',
    { class: 'row' },
    element('legend', {}, 'One row'),
    ...cells.map((cell, index) => labelled(cell, titleOf(columns[index] ?? ({ name: '' } as Input)))),
  );
  const or = element(
    'p',
    { class: 'hint' },
    `or a table with these columns: ${columns.map(({ name }) => name).join(', ')}`,
  );
  return {
    root: element('div', { class: 'group' }, row, or, file.root),
    file,
    async read() {
      if (file.file) return { given: {}, table: parseTable(await file.file.text(), file.file.name) };
      const names = columns.map(({ name }) => name);
      return { given: {}, table: { columns: names, rows: [cells.map(({ value }) => value)], what: 'the form' } };
    },
  };
}

function cellOf({ dtype }: Input, id: string): HTMLInputElement | HTMLSelectElement {
  if (dtype === 'bool') {
    return element(
      'select',
      { id },
      element('option', { value: 'false' }, 'no'),
      element('option', { value: 'true' }, 'yes'),
    );
  }
  return element('input', {
    id,
    type: 'text',
    autocomplete: 'off',
    ...(dtype === 'string' ? {} : { inputmode: 'decimal' }),
  });
}

function labelled(control: HTMLElement, text: string): HTMLElement {
  return element('div', { class: 'field' }, element('label', { for: control.id, class: 'label' }, text), control);
}
